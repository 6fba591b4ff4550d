"""Speed from bytes to features: Ontrail against BeautifulSoup with jieba, same pages, same run.

usage: bench_page.py PATH_TO_ONTRAIL PAGES.tar.gz   (needs: pip install beautifulsoup4 lxml jieba)

The Python side does what a crawler of the field does: parse, count the words of each label group by
the innermost listed label, count the words of each innermost div, collect links with anchor text.
Both sides run on one core and read each page from memory.
"""

import json
import logging
import subprocess
import sys
import tarfile
import time
from collections import Counter
from urllib.parse import urljoin

import jieba
from bs4 import BeautifulSoup, Comment

GROUPS = {"title": 1, "h1": 1, "h2": 2, "h3": 2, "h4": 3, "h5": 3, "strong": 3, "p": 4, "td": 4, "li": 4}
SKIPPED = {"script", "style", "template", "[document]"}


def features(data, parser):
    # Half of the usual test pages declare a wrong charset; lxml would believe it and lose their
    # text, so it is told the right one.
    soup = BeautifulSoup(data, parser, from_encoding="utf-8")
    groups = Counter()
    blocks = {}
    for text in soup.find_all(string=True):
        if isinstance(text, Comment) or text.parent.name in SKIPPED or not text.strip():
            continue
        group, block = 5, None
        for parent in text.parents:
            if group == 5 and parent.name in GROUPS:
                group = GROUPS[parent.name]
            if parent.name == "div":
                block = id(parent)
                break
        for word in jieba.cut(text):
            if len(word) > 1:
                groups[word, group] += 1
                blocks.setdefault(block, Counter())[word] += 1
    for name in ("keywords", "description"):
        meta = soup.find("meta", attrs={"name": name})
        if meta and meta.get("content"):
            groups.update((word, 1) for word in jieba.cut(meta["content"]))
    links = [(urljoin("http://localhost/", a["href"]), a.get_text()) for a in soup.find_all("a", href=True)]
    return sum(groups.values()), len(links)


def main():
    ontrail, archive = sys.argv[1:]
    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    with tarfile.open(archive) as tar:
        pages = [tar.extractfile(m).read() for m in tar if m.isfile()]
    pages = [page for page in pages if page]
    size = sum(map(len, pages)) / 1e6
    seconds = {}
    for parser in ("lxml", "html.parser"):
        start = time.perf_counter()
        words = sum(features(page, parser)[0] for page in pages)
        seconds[parser] = time.perf_counter() - start
        print(f"BeautifulSoup ({parser}) + jieba: {seconds[parser]:.2f} s, {len(pages) / seconds[parser]:.1f} pages/s, "
              f"{size / seconds[parser]:.2f} MB/s, {words} words")
    report = json.loads(subprocess.check_output([ontrail, "bench", "page", archive, "--json"]))
    ours = report["pages_seconds"]
    print(f"Ontrail: {ours:.3f} s, {report['pages_per_second']:.1f} pages/s, {report['megabytes_per_second']:.2f} MB/s, "
          f"{report['words']} words")
    for parser, theirs in seconds.items():
        print(f"Ontrail is {theirs / ours:.0f} times as fast as BeautifulSoup ({parser}) + jieba")
    print(f"segmentation takes {report['segments_over_jieba']:.2f} times the raw time of jieba-rs")


main()
