"""Measures whether models judge pages better by their main content or by the whole page.

usage: bench_relevance.py ONTRAIL PAGES.warc.gz LABELS.tsv

LABELS has the columns URL, class and site. For each class with pages on several sites, a topic is
learned from the pages of all sites but one, and the pages of that site are scored: AUC is the
probability that a page of the class gets a higher relevance than another page. A classifier is
trained on the same pages and classifies those of the site: macro F1. Sites named `misc` are only
learned from. Both are means over sites. Each page is read as its title and the chosen part.
"""

import gzip
import html
import json
import os
import re
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


def pages_of(archive, labels, folder):
    """Writes each labelled page into a folder of its own, whose name is its number."""
    titles = []
    with gzip.open(archive) as stream:
        rest = stream.read()
    for record in rest.split(b"WARC/1.1\r\n")[1:]:
        head, _, block = record.partition(b"\r\n\r\n")
        url = re.search(rb"WARC-Target-URI: *(\S+)", head)
        if b"WARC-Type: response" not in head or not url or url[1].decode() not in labels:
            continue
        _, _, body = block.partition(b"\r\n\r\n")
        os.makedirs(f"{folder}/pages/{len(titles)}")
        with open(f"{folder}/pages/{len(titles)}/page.html", "wb") as out:
            out.write(body.removesuffix(b"\r\n\r\n"))
        title = re.search(rb"<title>(.*?)</title>", body, re.I | re.S)
        title = html.unescape(title[1].decode("latin-1")) if title else ""
        titles.append((*labels[url[1].decode()], " ".join(title.split())))
    return titles


def measure(ontrail, titles, content, folder):
    texts = f"{folder}/{content}.jsonl"
    pages = f"{folder}/pages"
    run(ontrail, "corpus", "convert", pages, "--content", content, "--skip-bad", "-q", "-o", texts)
    found = {}
    for line in open(texts, encoding="utf-8"):
        row = json.loads(line)
        found[int(row["label"])] = row["text"]
    # A page without text in the chosen part still has its title.
    rows = []
    for number, (kind, site, title) in enumerate(titles):
        text = f"{title}\n{found.get(number, '')}".strip() or "-"
        rows.append({"id": str(number), "label": kind, "text": text, "site": site})
    areas, f1s = {name: [] for name in CLASSES}, []
    for held in sorted({row["site"] for row in rows} - {"misc"}):
        plain = [{key: row[key] for key in ("id", "label", "text")} for row in rows]
        train = [it for it, row in zip(plain, rows) if row["site"] != held]
        test = [it for it, row in zip(plain, rows) if row["site"] == held]
        write(train, f"{folder}/train.jsonl")
        write(test, f"{folder}/test.jsonl")
        for name in CLASSES:
            topic = f"{folder}/{content}-{held}-{name}.topic.json"
            run(ontrail, "topic", "learn", f"{folder}/train.jsonl", "--label", name, "-q", "-o", topic)
            scored = run(ontrail, "topic", "score", topic, f"{folder}/test.jsonl", "--json")
            relevance = [page["relevance"] for page in json.loads(scored)["pages"]]
            assert len(relevance) == len(test)
            of = lambda wanted: [
                score for score, it in zip(relevance, test) if (it["label"] == name) == wanted
            ]
            areas[name].append(auc(of(True), of(False)))
        known = lambda part: [it for it in part if it["label"] in CLASSES]
        write(known(train), f"{folder}/train.jsonl")
        write(known(test), f"{folder}/test.jsonl")
        model = f"{folder}/{content}-{held}.model"
        run(ontrail, "bcw", "train", f"{folder}/train.jsonl", "-q", "-o", model)
        report = json.loads(run(ontrail, "bcw", "eval", model, f"{folder}/test.jsonl", "--json"))
        f1s.append(report["macro_f1"])
    return {name: mean(values) for name, values in areas.items()}, mean(f1s), len(found)


def main():
    ontrail, archive, table = sys.argv[1:4]
    labels = {}
    for line in open(table, encoding="utf-8"):
        url, kind, site = line.rstrip("\n").split("\t")
        labels[url] = (kind, site)
    with tempfile.TemporaryDirectory() as folder:
        titles = pages_of(archive, labels, folder)
        print(f"{len(titles)} pages")
        for content in ["page", "main", "auto"]:
            areas, f1, found = measure(ontrail, titles, content, folder)
            shown = "  ".join(f"{name} {value:.4f}" for name, value in areas.items())
            shown += f"  mean {mean(areas.values()):.4f}"
            print(f"{content:5} {found} with text  AUC {shown}  F1 {f1:.4f}", flush=True)


if __name__ == "__main__":
    main()
