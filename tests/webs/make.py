"""Makes webs with labels from Debian packages, to compare crawlers on with `ontrail lab compare`.

usage: make.py OUT [--only NAME...] [--plain-urls] [--webkb DIR]

OUT/packages gets the packages, OUT/NAME each web with its topics, and OUT the plans: plan.toml has
all blocks, tune.toml those on which settings may be chosen, and report.toml those to report on.
With --webkb DIR, a folder with webkb.warc.gz and webkb.labels.tsv, also webkb.toml. Then
`models.sh OUT` makes the models. The same packages make the same bytes.
"""

import argparse
import json
import pathlib
import shutil

import archive
import foldoc
import manuals
import packages
import webkb
import web as webs
from web import Topic

# Every second topic of FOLDOC, and these manuals: one in English and one in Chinese. The other
# topics, and the other manuals as a whole, play no part in the choice of settings.
TUNE = {"cppreference", "gimp-zh"}
FOLDOC_TOPICS, MANUAL_TOPICS = 8, 4


def group(name, rank):
    """Returns the group of a topic: its settings may be chosen on `tune`, not on `report`."""
    if name == "foldoc":
        return ("tune", "report")[rank % 2]
    return "tune" if name in TUNE else "report"


def load(name, folder):
    """Returns a web, and the package and version that it is made from."""
    package = "dict-foldoc" if name == "foldoc" else manuals.MANUALS[name].package
    unpacked = packages.unpacked(package, folder)
    web = foldoc.web(unpacked) if name == "foldoc" else manuals.web(name, unpacked)
    return web, f"{package} {packages.version(package, folder)}"


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_examples(folder, topic, pages):
    """Writes the examples of a topic: a folder for each class, as `ontrail bcw train` reads it."""
    for side, paths in (("on", topic.on), ("off", topic.off)):
        (folder / side).mkdir(parents=True)
        for number, path in enumerate(paths):
            (folder / side / f"{number:03}.html").write_bytes(pages[path])


def write_topic(folder, topic, web):
    """Writes the examples, labels and seeds of a topic."""
    write_examples(folder / "examples" / topic.name, topic, as_bytes(web.pages))
    rows = (f"{web.url(path)}\t{topic.label(path)}" for path in sorted(web.pages))
    write_lines(folder / f"{topic.name}.labels.tsv", rows)
    for kind, seeds in topic.seeds.items():
        write_lines(folder / f"{topic.name}.{kind}.seeds.txt", map(web.url, seeds))


def choose_topics(web, graph, count):
    """Returns the topics of a web, and the shares of those that links hardly lead to, by name.

    Which topics those are depends on the links alone, not on any crawler.
    """
    fit, unfit = [], {}
    for label in webs.candidates(web):
        topic = Topic.of(web, label)
        least = min(topic.reach(graph).values())
        if least < webs.REACHABLE:
            unfit[topic.name] = least
        else:
            fit.append(topic)
    if len(fit) < 2:
        raise SystemExit(
            f"error: {web.name}: {len(fit)} topics of a fit size have {webs.REACHABLE:.0%} of their "
            f"pages within reach of the seeds, 2 are needed; out of reach: {unfit}"
        )
    return webs.spread(fit, count), unfit


class as_bytes(dict):
    """Pages as they are stored: in UTF-8."""

    def __getitem__(self, path):
        return super().__getitem__(path).encode("utf-8", "replace")


def write_web(name, out, opaque):
    """Writes a web with its topics, and a summary.json about it."""
    original, source = load(name, out / "packages")
    web = original.served(opaque)
    graph = web.graph()
    count = sum(map(len, graph.values()))
    if not count or not all(graph[path] for path in web.front):
        raise SystemExit(f"error: {name}: no links, or none on the front page")
    folder = out / f"{name}.new"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = as_bytes(web.pages)
    with open(folder / "web.warc.gz", "wb") as file:
        for path in sorted(web.pages):
            file.write(archive.response(web.url(path), pages[path]))
    labels = (f"{web.url(path)}\t{'|'.join(web.labels[path]) or '-'}" for path in sorted(web.pages))
    write_lines(folder / "labels.tsv", labels)
    topics, unfit = choose_topics(
        web, graph, FOLDOC_TOPICS if name == "foldoc" else MANUAL_TOPICS
    )
    for topic in topics:
        write_topic(folder, topic, web)
    summary = {"web": name, "source": source, "pages": len(web.pages), "links": count}
    summary["without links"] = sum(not targets for targets in graph.values())
    summary["labelled"] = sum(map(bool, web.labels.values()))
    summary["topics"] = [
        {
            "topic": topic.name,
            "group": group(name, rank),
            "relevant": len(topic.relevant),
            "reach": topic.reach(graph),
        }
        for rank, topic in enumerate(topics)
    ]
    summary["out of reach"] = unfit
    text = json.dumps(summary, indent=1, ensure_ascii=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
    shutil.rmtree(out / name, ignore_errors=True)
    folder.rename(out / name)


def block(web, topic, kind):
    """Returns the lines of a plan about one topic of a web and one set of seeds."""
    return f"""[[block]]
name = "{web}-{topic}-{kind}"
web = "{web}/web.warc.gz"
labels = "{web}/{topic}.labels.tsv"
relevant = "yes"
seed-urls = "{web}/{topic}.{kind}.seeds.txt"
topics = ["{web}/models/{topic}.topic.json"]
classifier = "{web}/models/{topic}.bcw"
class = "on"
sdg = "{web}/models/{topic}.sdg.json"
"""


def write_plans(out):
    """Writes the plans of all webs that OUT has, whether or not they were made just now."""
    plans = {"plan": [], "tune": [], "report": []}
    summaries = [out / name / "summary.json" for name in ["foldoc", *manuals.MANUALS]]
    for path in filter(pathlib.Path.exists, summaries):
        summary = json.loads(path.read_text(encoding="utf-8"))
        for row in summary["topics"]:
            for kind in row["reach"]:
                text = block(summary["web"], row["topic"], kind)
                plans["plan"].append(text)
                plans[row["group"]].append(text)
        print_table(summary)
    for name, blocks in plans.items():
        (out / f"{name}.toml").write_text("\n".join(blocks), encoding="utf-8")


def print_table(summary):
    per_page = summary["links"] / summary["pages"]
    print(
        f"{summary['web']} ({summary['source']}): {summary['pages']} pages, "
        f"{summary['labelled']} of them labelled, {summary['links']} links ({per_page:.1f} a page), "
        f"{summary['without links']} pages without links"
    )
    for row in summary["topics"]:
        share = row["relevant"] / summary["pages"]
        reach = ", ".join(f"{kind} {value:.0%}" for kind, value in row["reach"].items())
        print(
            f"  {row['topic']:34} {row['group']:6} {row['relevant']:5} relevant ({share:5.1%}), "
            f"reachable from {reach}"
        )
    if summary["out of reach"]:
        unfit = (f"{name} {share:.0%}" for name, share in summary["out of reach"].items())
        print(f"  not topics, because too few of their pages can be reached: {', '.join(unfit)}")


def main():
    names = ["foldoc", *manuals.MANUALS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="folder for packages, webs and plans")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help="make these webs")
    parser.add_argument("--plain-urls", action="store_true", help="keep the paths of the pages")
    parser.add_argument("--webkb", type=pathlib.Path, help="folder with the WebKB archive")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.only or names:
        write_web(name, arguments.out, not arguments.plain_urls)
    write_plans(arguments.out)
    if arguments.webkb:
        webkb.write(arguments.webkb, arguments.out)


if __name__ == "__main__":
    main()
