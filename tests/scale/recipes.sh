#!/usr/bin/env bash
# Compares what one worker finds with what several find together, by recipes that choose links.
#
# usage: tests/scale/recipes.sh [OUT]
#
# Weaves webs in which one page of ten is about sports, serves them on loopback addresses, and crawls
# each with one worker of 8 connections and with 4 workers of 2. Prints the pages fetched and the
# share of them that are about sports, by the true labels. Models are made from half of the shipped
# texts and webs from the other half. Takes about 20 minutes; a crawl is limited by the latency, so
# the processor does not matter.
#
# It needs redis-server, python3 and a release build (`cargo build --release`), and leaves nothing
# behind but a table in the folder OUT, if one is given.
#
# Settings from the environment, with their defaults:
#   ONTRAIL=target/release/ontrail  RECIPES="vsm ops fcpso fcsa bcw-cc ontrail"
#   SEEDS="1 2"                     a web for each
#   WORKERS="1 4"  CONNECTIONS=8    fetches at a time of all workers together
#   BUDGET=800  LATENCY=300         pages, and milliseconds before each answer
set -euo pipefail
cd "$(dirname "$0")/../.."

ontrail=${ONTRAIL:-target/release/ontrail}
recipes=${RECIPES:-vsm ops fcpso fcsa bcw-cc ontrail}
seeds=${SEEDS:-1 2}
workers=${WORKERS:-1 4}
connections=${CONNECTIONS:-8}
budget=${BUDGET:-800}
latency=${LATENCY:-300}
out=${1:-}

. tests/scale/servers.sh

echo "making the models" >&2
"$ontrail" corpus split datasets/news-mini -o "$work/news" --parts models=0.5,web=0.5 --seed 7 \
  --format jsonl -q > /dev/null
"$ontrail" topic learn "$work/news/models.jsonl" --label sports -o "$work/topic.json" -q > /dev/null
"$ontrail" bcw train "$work/news/models.jsonl" -o "$work/classifier" --auto -q > /dev/null

serve_web() {
  start "$run/serve.log" "$ontrail" lab serve "$work/web-$seed" -o "$run/served" --json \
    --latency "$latency" --for 1200
  wait_for 60 grep -q '^}' "$run/serve.log"
}

worker() {
  "$ontrail" crawl "${@:2}" -o "$run/worker-$1" > "$run/worker-$1.log" 2>&1 &
  crawlers+=($!)
}

start_workers() {
  local server=redis://127.0.0.1:$port number models=(--topic "$work/topic.json")
  case $recipe in
    bcw-cc | fcbcw | fccbs | ontrail-classifier)
      models+=(--classifier "$work/classifier" --class sports) ;;
  esac
  worker 1 run --frontier "$server" --name scale --partitions 64 --contact nobody@example.org \
    --allow-private 127.0.0.0/8 --address-delay 0 --delay 0.05 \
    --parallel $((connections / count)) --recipe "$recipe" "${models[@]}" --budget "$budget" \
    --seeds "$run/served/seeds.txt" --labels "$run/served/labels.tsv" --relevant sports
  wait_for 20 grep -q "other workers join" "$run/worker-1.log"
  for ((number = 2; number <= count; number++)); do
    worker "$number" join "$server" scale
  done
}

for seed in $seeds; do
  "$ontrail" lab weave --from "$work/news/web.jsonl" --pages 4000 --hosts 80 --seed "$seed" \
    --share sports=0.1 -o "$work/web-$seed" -q > /dev/null
  for recipe in $recipes; do
    for count in $workers; do
      run=$work/run-$seed-$recipe-$count
      mkdir "$run"
      echo "$recipe, web $seed, $count worker(s)" >&2
      start_redis
      serve_web
      start_workers
      wait "${crawlers[@]}" || true
      crawlers=()
      stop_all
      python3 "$figures" found "$run" "$recipe" "$count" >> "$work/rows.jsonl"
    done
  done
done

python3 "$figures" harvest "$work/rows.jsonl" | tee "$work/recipes.md"
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work/recipes.md" "$out/"
fi
