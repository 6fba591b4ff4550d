#!/usr/bin/env bash
# Makes the models of every topic that make.py has written examples of: a topic, a classifier and a
# disambiguation graph.
#
# usage: tests/webs/models.sh OUT [NAME...]
#
# NAME restricts it to these webs. Models that exist already are kept.
set -euo pipefail
ontrail=${ONTRAIL:-$(dirname "$0")/../../target/release/ontrail}
out=$1
shift
names=("$@")
if [ ${#names[@]} = 0 ]; then
  for folder in "$out"/*/examples; do names+=("$(basename "$(dirname "$folder")")"); done
fi

for name in "${names[@]}"; do
  models=$out/$name/models
  mkdir -p "$models"
  for examples in "$out/$name"/examples/*; do
    topic=$(basename "$examples")
    model=$models/$topic
    echo "$name $topic"
    [ -e "$model.topic.json" ] || "$ontrail" topic learn "$examples/on" --background "$examples/off" \
      --name "$topic" -o "$model.topic.json" --skip-bad -q > /dev/null
    [ -e "$model.bcw" ] || "$ontrail" bcw train "$examples" -o "$model.bcw" --content auto --skip-bad -q > /dev/null
    [ -e "$model.sdg.json" ] || "$ontrail" sdg build "$examples/on" --background "$examples/off" \
      --name "$topic" -o "$model.sdg.json" --skip-bad -q > /dev/null
  done
done
