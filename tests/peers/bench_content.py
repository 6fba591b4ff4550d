"""Compares the main content that Ontrail finds on pages with that of other programs.

usage: bench_content.py ONTRAIL ARTICLES [PAGES GOLD]...

ARTICLES is a folder with `html/ID.html.gz` and `ground-truth.json` (ID -> articleBody). PAGES is a
folder of Chinese pages and GOLD a JSON object with the text of each by its name without extension;
manuals_zh.py makes such a pair. Pages whose names have the same start before `--` are of one site,
so that Ontrail learns its template from them. Needs trafilatura, readability-lxml, jusText,
boilerpy3, newspaper4k and jieba.

The score is the one published with the articles: four-grams of words (of single characters where
a text is Chinese), precision and recall averaged over pages, and F1 of the two averages. The first
half of the pages, those at even places in the order of their names, served to choose the settings
of Ontrail; the second half did not. Sites are divided the same way where there are several.

Times are CPU time on one thread, without the start of a program. For Ontrail that is the time of a
command that reads all pages and writes a table, minus the time of the same command for one page, so
reading files and writing the table are included.
"""

import contextlib
import glob
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


def shingles(text):
    tokens = TOKEN.findall(text or "")
    return Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3)))


def scores(gold, found, names):
    precisions, recalls = [], []
    for name in names:
        true, seen = shingles(gold[name]), shingles(found.get(name, ""))
        common = sum((true & seen).values())
        precisions.append(common / sum(seen.values()))
        recalls.append(common / sum(true.values()))
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def peers(chinese):
    import justext
    import lxml.html
    import newspaper
    import trafilatura
    from boilerpy3 import extractors
    from readability import Document

    article = extractors.ArticleExtractor()
    stop = frozenset() if chinese else justext.get_stoplist("English")
    bounds = {"stopwords_low": 0, "stopwords_high": 0} if chinese else {}

    def readability(html):
        return lxml.html.fromstring(Document(html).summary()).text_content()

    def just_text(html):
        found = justext.justext(html, stop, **bounds)
        return "\n".join(p.text for p in found if not p.is_boilerplate)

    def news(html):
        # Its extractor counts stop words, and for Chinese it needs jieba to find them.
        config = newspaper.Config()
        config.fetch_images = False
        page = newspaper.Article("http://example.org/", config=config, language="zh" if chinese else "en")
        page.download(input_html=html)
        page.parse()
        return page.text

    return {
        "trafilatura": lambda html: trafilatura.extract(html, include_comments=False),
        "readability-lxml": readability,
        "jusText": just_text,
        "boilerpy3": article.get_content,
        "newspaper4k": news,
    }


def by_peer(extract, pages):
    # The first page makes a peer load its word lists and models, which is not timed.
    with contextlib.suppress(Exception):
        extract(next(iter(pages.values())))
    started, found = time.process_time(), {}
    for name, html in pages.items():
        try:
            found[name] = extract(html) or ""
        except Exception:  # a page that a peer cannot read counts as empty
            found[name] = ""
    return found, time.process_time() - started


def site(name):
    return name.split("--")[0] if "--" in name else ""


def by_ontrail(ontrail, pages):
    found, seconds = {}, 0.0
    for one in sorted({site(name) for name in pages}):
        of_site = {name: html for name, html in pages.items() if site(name) == one}
        texts, spent = by_ontrail_of_site(ontrail, of_site)
        _, start = by_ontrail_of_site(ontrail, dict([next(iter(of_site.items()))]))
        found.update(texts)
        seconds += spent - start
    return found, seconds


def by_ontrail_of_site(ontrail, pages):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/pages")
        for name, html in pages.items():
            # The folder of a page becomes its label, by which the row is found again.
            os.mkdir(f"{folder}/pages/{name}")
            Path(f"{folder}/pages/{name}/page.html").write_text(html, encoding="utf-8")
        command = [ontrail, "corpus", "convert", f"{folder}/pages", "--content", "main"]
        command += ["--skip-bad", "--threads", "1", "-q", "-o", f"{folder}/out.jsonl"]
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        rows = [json.loads(line) for line in open(f"{folder}/out.jsonl", encoding="utf-8")]
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return {row["label"]: row["text"] for row in rows}, spent


def halves(names):
    sites = sorted({site(name) for name in names})
    if len(sites) < 2:
        return names[0::2], names[1::2]
    return tuple([name for name in names if sites.index(site(name)) % 2 == part] for part in (0, 1))


def compare(title, ontrail, pages, gold, chinese):
    pages = {name: html for name, html in pages.items() if name in gold}
    names = sorted(pages)
    print(f"{title}: {len(names)} pages")
    runs = {"ontrail": by_ontrail(ontrail, pages)}
    for peer, extract in peers(chinese).items():
        runs[peer] = by_peer(extract, pages)
    base = runs["trafilatura"][1]
    first, second = halves(names)
    for peer, (found, seconds) in runs.items():
        precision, recall, f1 = scores(gold, found, names)
        chosen, held = (scores(gold, found, part)[2] for part in (first, second))
        print(
            f"  {peer:17} precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.4f}"
            f"  (chosen on {chosen:.4f}, held out {held:.4f})"
            f"  {1000 * seconds / len(names):7.2f} ms/page  {base / seconds:5.1f} x trafilatura"
        )


def main():
    ontrail, articles = sys.argv[1:3]
    truth = json.load(open(f"{articles}/ground-truth.json", encoding="utf-8"))
    gold = {name: row["articleBody"] for name, row in truth.items()}
    pages = {
        Path(path).name.split(".")[0]: gzip.open(path).read().decode("utf-8", "replace")
        for path in glob.glob(f"{articles}/html/*.gz")
    }
    compare("English articles", ontrail, pages, gold, False)
    for folder, truth in zip(sys.argv[3::2], sys.argv[4::2]):
        gold = json.load(open(truth, encoding="utf-8"))
        pages = {
            Path(path).stem: Path(path).read_text(encoding="utf-8", errors="replace")
            for path in glob.glob(f"{folder}/*")
        }
        compare(f"Chinese pages in {folder}", ontrail, pages, gold, True)


if __name__ == "__main__":
    main()
