#!/usr/bin/env python3
"""Makes scores.tsv, the scores of on-topic and off-topic pages of many topics taken together.

    scores.py OUT TOPIC.json …

Each TOPIC.json is a topic that `ontrail topic learn` has calibrated. For each way of scoring the
result has two lines, `WAY on SCORES` and `WAY off SCORES`, separated by tabs: 100 quantiles of the
scores of all topics, each topic counting alike.
"""

import json
import sys

QUANTILES = 100
WEIGHTS = {"tags": "tags", "tfidf": "tfidf"}


def way(scoring):
    weights = scoring["weights"]
    name = WEIGHTS[weights] if isinstance(weights, str) else "labels"
    return f"{scoring['similarity']} {name}, norm {scoring['norm']}, content {scoring['content']}"


def main(out, paths):
    pooled = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for it in json.load(file)["content"]["calibrations"]:
                for kind in ("on", "off"):
                    scores = it[kind]["scores"]
                    of = pooled.setdefault((way(it["scoring"]), kind), [])
                    # Each topic counts alike, whatever the number of its pages.
                    of.extend((score, 1 / len(scores)) for score in scores)
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for (name, kind), scores in sorted(pooled.items()):
            scores.sort()
            total = sum(share for _, share in scores)
            found, passed, at = [], 0.0, 0
            for quantile in range(QUANTILES):
                wanted = (quantile + 0.5) / QUANTILES * total
                while at < len(scores) - 1 and passed + scores[at][1] < wanted:
                    passed += scores[at][1]
                    at += 1
                found.append(f"{scores[at][0]:.3f}")
            file.write(f"{name}\t{kind}\t{','.join(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
