#!/usr/bin/env bash
# Makes everything behind docs/results.md, from the shipped datasets (and WebKB, if given) to the
# reports.
#
# usage: tests/results/run.sh OUT [FOLDER_WITH_WEBKB]
#
# OUT gets the models, the webs and the reports. It takes about ten minutes on two cores, and goes on where it was broken off.
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
rm -f "$out/plan.toml.new" "$out/tuning.toml.new" "$out/real.toml.new"
for topic in rainstorm tourism sports; do
  for set in portals topic; do
    for seed in 1 2 3 4; do plan $topic $seed $set >> "$out/plan.toml.new"; done
    for seed in 11 12; do plan $topic $seed $set >> "$out/tuning.toml.new"; done
    for seed in 21 22; do plan $topic real-$seed $set >> "$out/real.toml.new"; done
  done
done
mv "$out/plan.toml.new" "$out/plan.toml"
mv "$out/tuning.toml.new" "$out/tuning.toml"
mv "$out/real.toml.new" "$out/real.toml"

echo "== all recipes, with the papers' thresholds"
"$ontrail" lab compare --plan "$out/plan.toml" --as-printed --oracle --budget 1500 --repeats 10 -o "$out/printed" > "$out/printed.txt"
for measure in recall_area accuracy; do
  python3 tests/results/claims.py "$ontrail" "$out/printed" $measure > "$out/claims-$measure.md"
done
echo "== realistic webs"
"$ontrail" lab compare --plan "$out/real.toml" --oracle --control ontrail --budget 1500 --repeats 3 \
  --recipes ontrail,ontrail-classifier,fixed,fixed-classifier,ops,ssrm,shark-search,fcpso,bfs -o "$out/real" > "$out/real.txt"
echo "== anchor texts by BM25 and by TF-IDF"
anchors=""
for recipe in ops fcsa fcts fcits fcoits fcits-oh fcwseo olmoaco; do
  "$ontrail" crawl recipes show $recipe | sed "s/^anchor = \"bm25\"/anchor = \"tfidf\"/; s/^name = .*/name = \"$recipe-tfidf\"/" > "$out/$recipe-tfidf.toml"
  anchors="$anchors,$recipe,$out/$recipe-tfidf.toml"
done
"$ontrail" lab compare --plan "$out/plan.toml" --recipes "${anchors#,}" --budget 1500 --repeats 1 -o "$out/anchors" > "$out/anchors.txt"
echo "== settings, searched on other webs"
"$ontrail" lab grid --plan "$out/tuning.toml" --test-plan "$out/plan.toml" --recipe bcw-cc --budget 1500 --repeats 1 \
  --over threshold=0.05,0.1,0.2,0.3,0.7 --over priority.above=0,0.05,0.1,0.2,0.3 -o "$out/grid-bcw-cc" > "$out/grid-bcw-cc.txt"
"$ontrail" lab grid --plan "$out/tuning.toml" --test-plan "$out/plan.toml" --recipe fcits-oh --budget 1500 --repeats 3 \
  --over threshold=0.1,0.2,0.3,0.62 --over priority.at-least=0,0.05,0.1,0.15 -o "$out/grid-fcits-oh" > "$out/grid-fcits-oh.txt"
"$ontrail" lab grid --plan "$out/tuning.toml" --test-plan "$out/plan.toml" --recipe ontrail --budget 1500 --repeats 1 \
  --over priority.page=0..1:6 -o "$out/grid-ontrail" > "$out/grid-ontrail.txt"

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
  "$ontrail" lab compare --plan "$kb/plan.toml" --as-printed --oracle --budget 400 --repeats 10 -o "$kb/compared" > "$kb/compared.txt"
  python3 tests/results/claims.py "$ontrail" "$kb/compared" recall_area > "$kb/claims.md"
fi
