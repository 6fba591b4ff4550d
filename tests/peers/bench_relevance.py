"""Measures whether models judge pages better by their main content or by the whole page.

usage: bench_relevance.py ONTRAIL PAGES.warc.gz LABELS.tsv

LABELS has the columns URL, class and site. For each class with pages on several sites, a topic is
learned from the pages of all sites but one, and the pages of that site are scored: AUC is the
probability that a page of the class gets a higher relevance than another page. A classifier is
trained on the same pages and classifies those of the site: macro F1. Sites named `misc` are only
learned from. Both are means over sites.
"""

import json
import subprocess
import sys
import tempfile
from statistics import mean

CLASSES = ["course", "faculty", "project", "student"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def auc(positive, negative):
    ranked = sorted([(score, 1) for score in positive] + [(score, 0) for score in negative])
    rank, at = 0.0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        # Equal scores share the mean of their ranks.
        rank += sum(kind for _, kind in ranked[at:end]) * (at + 1 + end) / 2
        at = end
    most = len(positive) * (len(positive) + 1) / 2
    return (rank - most) / (len(positive) * len(negative))


def write(rows, path):
    with open(path, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def measure(ontrail, archive, labels, content, folder):
    texts = f"{folder}/{content}.jsonl"
    run(ontrail, "corpus", "convert", archive, "--content", content, "--skip-bad", "-q", "-o", texts)
    rows = []
    for line in open(texts, encoding="utf-8"):
        row = json.loads(line)
        if row["id"] in labels:
            kind, site = labels[row["id"]]
            rows.append({"id": row["id"], "label": kind, "text": row["text"], "site": site})
    areas, f1s = {name: [] for name in CLASSES}, []
    for held in sorted({row["site"] for row in rows} - {"misc"}):
        plain = [{key: row[key] for key in ("id", "label", "text")} for row in rows]
        train = [it for it, row in zip(plain, rows) if row["site"] != held]
        test = [it for it, row in zip(plain, rows) if row["site"] == held]
        write(train, f"{folder}/train.jsonl")
        write(test, f"{folder}/test.jsonl")
        for name in CLASSES:
            topic = f"{folder}/{name}.topic"
            run(ontrail, "topic", "learn", f"{folder}/train.jsonl", "--label", name, "-q", "--force", "-o", topic)
            scored = run(ontrail, "topic", "score", topic, f"{folder}/test.jsonl", "--json")
            relevance = {}
            for line in scored.splitlines():
                page = json.loads(line)
                relevance[page["page"]] = page["relevance"]
            of = lambda wanted: [
                relevance.get(it["id"], 0.0) for it in test if (it["label"] == name) == wanted
            ]
            areas[name].append(auc(of(True), of(False)))
        known = lambda part: [it for it in part if it["label"] in CLASSES]
        write(known(train), f"{folder}/train.jsonl")
        write(known(test), f"{folder}/test.jsonl")
        run(ontrail, "bcw", "train", f"{folder}/train.jsonl", "-q", "--force", "-o", f"{folder}/model")
        report = json.loads(run(ontrail, "bcw", "eval", f"{folder}/model", f"{folder}/test.jsonl", "--json"))
        f1s.append(report["macro_f1"])
    return {name: mean(values) for name, values in areas.items()}, mean(f1s), len(rows)


def main():
    ontrail, archive, table = sys.argv[1:4]
    labels = {}
    for line in open(table, encoding="utf-8"):
        url, kind, site = line.rstrip("\n").split("\t")
        labels[url] = (kind, site)
    for content in ["page", "main", "auto"]:
        with tempfile.TemporaryDirectory() as folder:
            areas, f1, pages = measure(ontrail, archive, labels, content, folder)
        shown = "  ".join(f"{name} {value:.4f}" for name, value in areas.items())
        print(f"{content:5} {pages} pages  AUC {shown}  mean {mean(areas.values()):.4f}  F1 {f1:.4f}")


if __name__ == "__main__":
    main()
