#!/usr/bin/env bash
# Measures how the speed of a shared crawl grows with its workers, on this machine alone.
#
# usage: tests/scale/run.sh [OUT]
#
# Weaves a web with hundreds of hosts and serves it on loopback addresses with a latency, so that a
# worker waits for the network and not for the processor. Then crawls it with 1, 2, 4 and 8 workers
# that share one crawl, and prints pages per second and what the Redis server did. Each worker has
# the same number of connections, so with CONNECTIONS / LATENCY as its greatest speed, N workers can
# be at most N times as fast. After a fetch, a host is left alone for twice as long as the fetch took,
# so all hosts together give at most HOSTS / (3 * LATENCY): stay well below that. A column says how
# busy the processors were: near 100 %, the machine is the limit and not the crawl.
#
# It needs redis-server, python3 and a release build (`cargo build --release`), takes about five
# minutes, and leaves nothing behind but a table in the folder OUT, if one is given.
#
# Settings from the environment, with their defaults:
#   ONTRAIL=target/release/ontrail  WORKERS="1 2 4 8"
#   HOSTS=400 PAGES=20000           the web
#   LATENCY=400                     milliseconds before each answer
#   CONNECTIONS=8                   fetches at a time of each worker
#   DELAY=0.2                       seconds between two requests to a host
#   WARM_UP=15 MEASURE=30           seconds before and while the figures are taken
#   PARTITIONS=64                   parts of the web to share out; workers have equal numbers of
#                                   them, so there should be several hosts in each
set -euo pipefail
cd "$(dirname "$0")/../.."

ontrail=${ONTRAIL:-target/release/ontrail}
workers=${WORKERS:-1 2 4 8}
hosts=${HOSTS:-400}
pages=${PAGES:-20000}
latency=${LATENCY:-400}
connections=${CONNECTIONS:-8}
delay=${DELAY:-0.2}
warm_up=${WARM_UP:-15}
measure=${MEASURE:-30}
partitions=${PARTITIONS:-64}
out=${1:-}
# The longest time for a run besides warm-up and measurement.
slack=60

. tests/scale/servers.sh

# Every run has servers of its own, so that none begins with what another has left.
serve_web() {
  # The limit ends a server that this script could not stop.
  start "$run/serve.log" "$ontrail" lab serve "$work/web" -o "$run/served" --json \
    --latency "$latency" --access-log "$run/access.tsv" --for $((warm_up + measure + 2 * slack))
  # Labels are written after the seeds, and the hosts are printed after both.
  wait_for 60 grep -q '^}' "$run/serve.log"
  python3 "$figures" seeds "$run/served/labels.tsv" 10 > "$run/seeds.txt"
}

worker() {
  timeout --foreground --kill-after 20 $((warm_up + measure + slack)) \
    "$ontrail" crawl "${@:2}" -o "$run/worker-$1" > "$run/worker-$1.log" 2>&1 &
  crawlers+=($!)
}

start_workers() {
  local server=redis://127.0.0.1:$port number
  worker 1 run --frontier "$server" --name scale --partitions "$partitions" \
    --contact nobody@example.org --allow-private 127.0.0.0/8 --address-delay 0 --delay "$delay" \
    --parallel "$connections" --recipe bfs --seeds "$run/seeds.txt" --budget 100000000
  wait_for 20 grep -q "other workers join" "$run/worker-1.log"
  for ((number = 2; number <= count; number++)); do
    worker "$number" join "$server" scale
  done
}

echo "weaving $pages pages on $hosts hosts" >&2
"$ontrail" lab weave --from datasets/news-mini --pages "$pages" --hosts "$hosts" \
  --set host-exponent=5 --seed 1 -o "$work/web" -q > /dev/null

for count in $workers; do
  run=$work/run-$count
  mkdir "$run"
  echo "$count worker(s): $((warm_up + measure)) seconds" >&2
  start_redis
  serve_web
  start_workers
  sleep "$warm_up"
  python3 "$figures" look "$port" scale "$run/access.tsv" > "$run/before.json"
  sleep "$measure"
  python3 "$figures" look "$port" scale "$run/access.tsv" > "$run/after.json"
  timeout 30 "$ontrail" crawl shared status "redis://127.0.0.1:$port" scale --json \
    > "$run/status.json"
  timeout 30 "$ontrail" crawl shared stop "redis://127.0.0.1:$port" scale
  stop_all
  python3 "$figures" row "$run" "$count" "$delay" >> "$work/rows.jsonl"
done

python3 "$figures" table "$work/rows.jsonl" | tee "$work/table.txt"
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work/table.txt" "$work/rows.jsonl" "$out/"
fi
