"""The lab against SciPy, NumPy, warcio and Arrow.

- SciPy: Friedman's test with and without ties, Iman and Davenport's F, the critical difference of Nemenyi (from the studentised
  range), Wilcoxon's signed ranks; NumPy: Holm's adjustment and A12, written out again
- warcio and Arrow: the archive and the table of links of a woven web hold the same pages and links, and the digests are right
- NumPy: the measures of a comparison from its own table of runs
"""

import csv
import json
import random
import re

import numpy
import pyarrow.parquet
import scipy.stats
from warcio.archiveiterator import ArchiveIterator


def write_table(path, table):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["block"] + [f"a{at}" for at in range(len(table[0]))])
        writer.writerows([[number, *row] for number, row in enumerate(table)])


def near(check, what, found, expected):
    """Numbers that differ by no more than rounding errors."""
    found, expected = [float(it) for it in found], [float(it) for it in expected]
    is_near = len(found) == len(expected) and numpy.allclose(found, expected, rtol=1e-7, atol=1e-8)
    check(what, expected if is_near else found, expected)


def holm(p):
    order = numpy.argsort(p, kind="stable")
    adjusted, greatest = [0.0] * len(p), 0.0
    for place, at in enumerate(order):
        greatest = max(greatest, min(1.0, (len(p) - place) * p[at]))
        adjusted[at] = greatest
    return adjusted


def check_statistics(check, ontrail, folder):
    rng = random.Random(5)
    for case in range(40):
        blocks, count = rng.randint(3, 25), rng.randint(3, 12)
        # Every other table has ties.
        digits = 1 if case % 2 else 6
        table = [[round(rng.random() + at * 0.05 * (case % 3), digits) for at in range(count)] for _ in range(blocks)]
        path = folder / "table.csv"
        write_table(path, table)
        found = ontrail("lab", "test", path)
        values = numpy.array(table)
        if all(len(set(row)) == 1 for row in table):
            continue
        statistic, p = scipy.stats.friedmanchisquare(*values.T)
        name = f"table {case}"
        near(check, f"{name}: Friedman", [found["friedman"]["chi_squared"], found["friedman"]["p"]], [statistic, p])
        f = (blocks - 1) * statistic / (blocks * (count - 1) - statistic)
        f_p = scipy.stats.f.sf(f, count - 1, (count - 1) * (blocks - 1))
        near(check, f"{name}: Iman-Davenport", [found["friedman"]["iman_davenport"], found["friedman"]["iman_davenport_p"]], [f, f_p])
        q = scipy.stats.studentized_range.ppf(0.95, count, numpy.inf) / numpy.sqrt(2)
        difference = q * numpy.sqrt(count * (count + 1) / (6 * blocks))
        check(f"{name}: critical difference", round(found["critical_difference"], 5), round(float(difference), 5))
        ranks = scipy.stats.rankdata(-values, axis=1).mean(axis=0)
        check(f"{name}: mean ranks", {it["name"]: round(it["rank"], 9) for it in found["mean_ranks"]},
              {f"a{at}": round(float(rank), 9) for at, rank in enumerate(ranks)})
        check_against(check, name, found, values, ranks)


def check_against(check, name, found, values, ranks):
    blocks, count = values.shape
    control = int(found["control"][1:])
    others = [at for at in range(count) if at != control]
    z = (ranks[others] - ranks[control]) / numpy.sqrt(count * (count + 1) / (6 * blocks))
    p = 2 * scipy.stats.norm.sf(abs(z))
    ours = {it["name"]: it for it in found["against_control"]}
    rows = [ours[f"a{at}"] for at in others]
    near(check, f"{name}: z", [row["z"] for row in rows], z)
    near(check, f"{name}: Holm", [row["holm_p"] for row in rows], holm(p))
    for at, row in zip(others, rows):
        own, other = values[:, control], values[:, at]
        pairs = own[:, None] - other[None, :]
        a12 = ((pairs > 1e-12).sum() + 0.5 * (abs(pairs) <= 1e-12).sum()) / pairs.size
        check(f"{name}: A12 of a{at}", round(row["a12"], 9), round(float(a12), 9))
        differences = numpy.round(own - other, 9)
        sizes = abs(differences[differences != 0])
        # SciPy's exact distribution does not handle ties.
        if len(set(sizes)) == len(sizes) == blocks:
            statistic, exact = scipy.stats.wilcoxon(own, other, method="exact")
            near(check, f"{name}: Wilcoxon of a{at}", [row["wilcoxon"]["statistic"], row["wilcoxon"]["p"]], [statistic, exact])


def check_woven(check, ontrail, folder, root):
    web = folder / "woven"
    woven = ontrail("lab", "weave", "--from", root / "datasets/news-mini", "--pages", "600", "--seed", "3", "-o", web)
    labels = dict(line.split("\t")[:2] for line in (web / "labels.tsv").read_text(encoding="utf-8").splitlines())
    pages, redirects = {}, {}
    with open(web / "web.warc.gz", "rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            if record.rec_type != "response":
                continue
            url, status = record.rec_headers["WARC-Target-URI"], record.http_headers.get_statuscode()
            if status == "200" and not url.endswith("/robots.txt"):
                charset = re.search(r"charset=(\S+)", record.http_headers["Content-Type"]).group(1)
                pages[url] = record.content_stream().read().decode(charset)
            elif status in ("301", "302"):
                redirects[url] = record.http_headers["Location"]
    check("woven: warcio finds the pages of the labels", sorted(pages), sorted(labels))
    check("woven: redirects lead to pages", [url for url in redirects.values() if url not in pages], [])
    check("woven: redirects", len(redirects), woven["woven"]["redirects"])
    links = pyarrow.parquet.read_table(web / "links.parquet").to_pydict()
    table = {}
    for source, target in zip(links["from"], links["to"]):
        table.setdefault(source, []).append(target)
    written = {url: re.findall(r'<a href="([^"]*)"', html.replace("&amp;", "&")) for url, html in pages.items()}
    check("woven: Arrow reads the links of the pages", {url: found for url, found in written.items() if found}, table)
    return web


def check_comparison(check, ontrail, folder, web):
    topic = folder / "lab.topic.json"
    ontrail("topic", "keywords", "暴雨=1", "洪水=0.8", "预警=0.6", "积水=0.5", "-o", topic)
    out = folder / "lab-compared"
    found = ontrail("lab", "compare", "--web", web, "--relevant", "rainstorm", "--topic", topic, "--recipes", "bfs,ontrail,fcsa",
                    "--seed-sets", "2", "--budget", "120", "--repeats", "4", "-o", out)
    runs = {}
    for row in csv.DictReader(open(out / "measures.csv", encoding="utf-8")):
        key = (row["recipe"], row["by"], row["measure"])
        runs.setdefault(key, {}).setdefault(row["block"], []).append(float(row["value"]))
    for recipe, figures in found["recipes"].items():
        for side in ("true", "self"):
            for measure, mean in figures[side].items():
                blocks = [numpy.mean(values) for values in runs[(recipe, side, measure)].values()]
                expected = [numpy.mean(blocks), numpy.std(blocks, ddof=1) / numpy.sqrt(len(blocks))]
                near(check, f"compare: {recipe} {side} {measure}", [mean["mean"], mean["se"]], expected)
    # The curve of the first repeat, and its area.
    run = json.load(open(next(out.glob("runs/*--ontrail--0--*.json")), encoding="utf-8"))["outcome"]
    last = run["curve"][-1]
    check("compare: the last point of a curve", [last["pages"], last["true"]["relevant"]], [run["pages"], run["true"]["relevant"]])
    check("compare: relevant pages", len(run["found"][1]), run["true"]["relevant"])


def run(check, ontrail, folder, root):
    check_statistics(check, ontrail, folder)
    check_comparison(check, ontrail, folder, check_woven(check, ontrail, folder, root))
