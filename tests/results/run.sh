#!/usr/bin/env bash
# Makes everything behind docs/results.md, from the shipped datasets (and WebKB, if given) to the
# reports.
#
# usage: tests/results/run.sh OUT [FOLDER_WITH_WEBKB]
#
# OUT gets the models, the webs and the reports. A report that exists is not made again. On two cores
# all of it takes about 25 minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$1
webkb=${2:-}
ontrail=${ONTRAIL:-target/release/ontrail}
mkdir -p "$out/webs"

# Half of the texts make the models, the other half the webs: nothing that a model was made from is ever crawled.
if [ ! -e "$out/web.jsonl" ]; then
  rm -rf "$out/news" "$out/tourism"
  "$ontrail" corpus split datasets/news-mini -o "$out/news" --parts models=0.5,web=0.5 --seed 7 --format jsonl -q > /dev/null
  "$ontrail" corpus split datasets/tourism-pages -o "$out/tourism" --parts models=0.5,web=0.5 --seed 7 --format jsonl -q > /dev/null
  for part in models web; do
    sed 's/^{/{"label":"tourism",/; s/"label":"tourism","label":null,/"label":"tourism",/' "$out/tourism/$part.jsonl" > "$out/$part.new"
    cat "$out/news/$part.jsonl" >> "$out/$part.new"
    mv "$out/$part.new" "$out/$part.jsonl"
  done
fi

# The models of each topic: an ontology, a topic of each kind, a disambiguation graph; one classifier for all.
[ -e "$out/classifier" ] || "$ontrail" bcw train "$out/models.jsonl" -o "$out/classifier" --auto -q > /dev/null
ontology() {
  case $1 in
    rainstorm) echo ontologies/rainstorm/rainstorm.owl ;;
    tourism) echo ontologies/tourism/tourism.owl ;;
    sports) echo "$out/sports.owl" ;;
  esac
}
if [ ! -e "$out/sports.owl" ]; then
  grep '"sports"' "$out/models.jsonl" > "$out/sports-models.jsonl"
  "$ontrail" lattice context "$out/sports-models.jsonl" -o "$out/sports.cxt" --top 40 -q > /dev/null
  "$ontrail" lattice owl "$out/sports.cxt" --topic 体育 -o "$out/sports.owl" -q > /dev/null
fi
declare -A name=([rainstorm]=暴雨灾害 [tourism]=旅游 [sports]=体育)
declare -A words=(
  [rainstorm]="暴雨=1 洪水=0.9 预警=0.8 内涝=0.8 积水=0.7 降雨=0.7 救援=0.6 转移=0.5 山洪=0.8 灾害=0.7"
  [tourism]="旅游=1 景区=0.9 游客=0.9 酒店=0.7 门票=0.7 导游=0.7 景点=0.8 旅行=0.8 民宿=0.6 线路=0.5"
  [sports]="比赛=1 球队=0.9 教练=0.8 冠军=0.8 球迷=0.7 联赛=0.8 训练=0.6 运动员=0.8 决赛=0.7 赛季=0.7"
)
for topic in rainstorm tourism sports; do
  if [ ! -e "$out/$topic.sdg.json" ]; then
    "$ontrail" topic weigh "$(ontology $topic)" --topic "${name[$topic]}" -o "$out/$topic.sem.json" -q > /dev/null
    "$ontrail" topic learn "$out/models.jsonl" --label $topic -o "$out/$topic.texts.json" -q > /dev/null
    # shellcheck disable=SC2086
    "$ontrail" topic keywords ${words[$topic]} -o "$out/$topic.keywords.json" -q > /dev/null
    "$ontrail" sdg build "$out/models.jsonl" --label $topic --background "$out/models.jsonl" -o "$out/$topic.sdg.json" -q > /dev/null
  fi
done

# The same from 12 texts on the topic and 120 others only.
for topic in rainstorm tourism sports; do
  few=$out/few/$topic
  if [ ! -e "$few.sdg.json" ]; then
    mkdir -p "$few"
    grep -m 12 "\"label\":\"$topic\"" "$out/models.jsonl" > "$few/on.jsonl"
    grep -v "\"label\":\"$topic\"" "$out/models.jsonl" | shuf --random-source="$out/models.jsonl" -n 120 |
      sed 's/"label":"[^"]*"/"label":"other"/' > "$few/off.jsonl"
    cat "$few/on.jsonl" "$few/off.jsonl" > "$few/all.jsonl"
    rm -rf "$few.classifier"
    "$ontrail" topic learn "$few/on.jsonl" --background "$few/off.jsonl" --name "$topic" -o "$few.topic.json" -q > /dev/null
    "$ontrail" bcw train "$few/all.jsonl" -o "$few.classifier" --auto -q > /dev/null
    "$ontrail" sdg build "$few/on.jsonl" --background "$few/off.jsonl" --name "$topic" -o "$few.sdg.json" -q > /dev/null
  fi
done

# Webs in which one page of ten is on the topic: four to report on, two to search settings on.
for topic in rainstorm tourism sports; do
  for seed in 1 2 3 4 11 12; do
    web=$out/webs/$topic-$seed
    [ -e "$web" ] || "$ontrail" lab weave --from "$out/web.jsonl" --pages 6000 --seed $seed --share $topic=0.1 -o "$web" -q > /dev/null
  done
done

# Webs with link texts that are no titles, templates, and URLs that say nothing.
for topic in rainstorm tourism sports; do
  for seed in 21 22; do
    web=$out/webs/$topic-real-$seed
    [ -e "$web" ] || "$ontrail" lab weave --from "$out/web.jsonl" --pages 6000 --seed $seed --share $topic=0.1 \
      --realistic --opaque-urls -o "$web" -q > /dev/null
  done
done

plan() { # TOPIC SEED SET
  local seeds
  case $3 in
    portals) seeds=webs/$1-$2/seeds.txt ;;
    topic) seeds=webs/$1-$2/seeds/$1.txt ;;
  esac
  cat << BLOCK
[[block]]
name = "$1-$2-$3"
web = "webs/$1-$2"
relevant = "$1"
seed-urls = "$seeds"
topics = ["$1.sem.json", "$1.texts.json", "$1.keywords.json"]
classifier = "classifier"
sdg = "$1.sdg.json"
ontology = "$(realpath "$(ontology $1)")"
BLOCK
}
few() { # TOPIC SEED SET
  plan "$1" "$2" "$3" | sed -e "s#^topics = .*#topics = [\"few/$1.topic.json\"]#" \
    -e "s#^classifier = .*#classifier = \"few/$1.classifier\"#" -e "s#^sdg = .*#sdg = \"few/$1.sdg.json\"#"
}
rm -f "$out/few.toml.new" "$out/plan.toml.new" "$out/tuning.toml.new" "$out/real.toml.new"
for topic in rainstorm tourism sports; do
  for set in portals topic; do
    for seed in 1 2 3 4; do plan $topic $seed $set >> "$out/plan.toml.new"; done
    for seed in 1 2 3 4; do few $topic $seed $set >> "$out/few.toml.new"; done
    for seed in 11 12; do plan $topic $seed $set >> "$out/tuning.toml.new"; done
    for seed in 21 22; do plan $topic real-$seed $set >> "$out/real.toml.new"; done
  done
done
mv "$out/plan.toml.new" "$out/plan.toml"
mv "$out/few.toml.new" "$out/few.toml"
mv "$out/tuning.toml.new" "$out/tuning.toml"
mv "$out/real.toml.new" "$out/real.toml"

# Compares recipes, unless the report exists: compare NAME OPTION…
compare() {
  local report=$out/$1
  shift
  [ -e "$report/comparison.json" ] || "$ontrail" lab compare "$@" -o "$report" > "$report.txt"
}

# Tests the claims of the papers on a report.
claims() {
  for measure in recall_area accuracy; do
    python3 tests/results/claims.py "$ontrail" "$out/$1" $measure > "$out/$1-claims-$measure.md"
  done
}

echo "== all recipes, with the papers' thresholds"
compare printed --plan "$out/plan.toml" --as-printed --oracle --budget 1500 --repeats 3
claims printed
echo "== all recipes, with computed thresholds"
compare computed --plan "$out/plan.toml" --oracle --budget 1500 --repeats 3
claims computed
echo "== all recipes, with models from 12 texts on the topic and 120 others"
compare few-examples --plan "$out/few.toml" --oracle --budget 1500 --repeats 1
echo "== realistic webs"
compare real --plan "$out/real.toml" --oracle --control ontrail-classifier --budget 1000 --repeats 1
echo "== the link model without each of its parts"
for change in priority.soft=false priority.replay=0 priority.paths=false priority.rates=0 \
  strategy.kind=best-first priority.in-links=false priority.look-ahead=0.3; do
  compare "ablation-$change" --plan "$out/real.toml" --recipes ontrail-classifier --set "$change" --budget 1000 --repeats 1
done
echo "== anchor texts by BM25 and by TF-IDF"
anchors=""
for recipe in ops fcsa fcts fcits fcoits fcits-oh fcwseo olmoaco; do
  "$ontrail" crawl recipes show $recipe | sed "s/^anchor = \"bm25\"/anchor = \"tfidf\"/; s/^name = .*/name = \"$recipe-tfidf\"/" > "$out/$recipe-tfidf.toml"
  anchors="$anchors,$recipe,$out/$recipe-tfidf.toml"
done
compare anchors --plan "$out/plan.toml" --as-printed --recipes "${anchors#,}" --budget 1500 --repeats 1
echo "== settings, searched on other webs"
# Searches settings, unless the report exists: grid RECIPE OPTION…
grid() {
  local report=$out/grid-$1
  [ -e "$report/grid.csv" ] || "$ontrail" lab grid --plan "$out/tuning.toml" --test-plan "$out/plan.toml" --as-printed \
    --budget 1500 --recipe "$@" -o "$report" > "$report.txt"
}
grid bcw-cc --repeats 1 --over threshold=0.05,0.1,0.2,0.3,0.7 --over priority.above=0,0.05,0.1,0.2,0.3
grid fcits-oh --repeats 3 --over threshold=0.1,0.2,0.3,0.62 --over priority.at-least=0,0.05,0.1,0.15
grid fixed --repeats 1 --over priority.page=0..1:6

if [ -n "$webkb" ]; then
  echo "== WebKB"
  kb=$out/webkb
  mkdir -p "$kb"
  if [ ! -e "$kb/training.made" ]; then
    rm -rf "$kb/training"
    python3 tests/results/webkb.py "$webkb/webkb.warc.gz" "$webkb/webkb.labels.tsv" cornell "$kb"
    touch "$kb/training.made"
  fi
  if [ ! -e "$kb/course.sdg.json" ]; then
    "$ontrail" bcw train "$kb/training" -o "$kb/classifier" --auto --skip-bad -q > /dev/null
    "$ontrail" topic learn "$kb/training" --label course --skip-bad -o "$kb/course.texts.json" -q > /dev/null
    "$ontrail" topic keywords course=1 homework=0.9 assignment=0.9 lecture=0.9 syllabus=0.9 exam=0.7 instructor=0.7 handout=0.7 \
      midterm=0.6 grading=0.6 -o "$kb/course.keywords.json" -q > /dev/null
    "$ontrail" sdg build "$kb/training" --label course --background "$kb/training" --skip-bad -o "$kb/course.sdg.json" -q > /dev/null
  fi
  rm -f "$kb/plan.toml.new"
  for university in texas washington wisconsin; do
    cat << BLOCK >> "$kb/plan.toml.new"
[[block]]
name = "$university"
web = "$(realpath "$webkb/webkb.warc.gz")"
labels = "$university.labels.tsv"
relevant = "course"
seed-urls = "$university.seeds.txt"
topics = ["course.texts.json", "course.keywords.json"]
classifier = "classifier"
sdg = "course.sdg.json"
BLOCK
  done
  mv "$kb/plan.toml.new" "$kb/plan.toml"
  compare webkb/printed --plan "$kb/plan.toml" --as-printed --oracle --budget 400 --repeats 3
  compare webkb/computed --plan "$kb/plan.toml" --oracle --budget 400 --repeats 3
  claims webkb/printed
  claims webkb/computed
fi
