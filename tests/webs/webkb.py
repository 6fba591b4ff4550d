"""Makes blocks from WebKB, pages of computer science departments in 1997: four classes at three
universities. Each university is a web of its own, so that no crawl leaves it for a place where
relevant pages do not count."""

import shutil
from urllib.parse import urlsplit

import archive
import links
import web as webs
from web import OFF, ON, SEEDS, in_hash_order

CLASSES = ["course", "faculty", "project", "student"]
UNIVERSITIES = ["texas", "washington", "wisconsin"]
# The pages that models are made from. `misc` has pages of many other universities.
TRAINING = ["cornell", "misc"]


def read_labels(path):
    """Returns the class and the university of each page."""
    rows = (line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8"))
    return {url: (label, university) for url, label, university in rows}


def normal(url):
    """Returns a URL as the archive writes it: no port 80, and a path."""
    parts = urlsplit(url)
    netloc = parts.netloc.lower().removesuffix(":80")
    return parts._replace(netloc=netloc, path=parts.path or "/", fragment="").geturl()


def graph(pages):
    """Returns the pages of the same web that each page links to."""
    known = {normal(url): url for url in pages}

    def linked(url):
        found = links.targets(pages[url].decode("latin-1"), url)
        found = (known.get(normal(it)) for it in found if it.startswith("http"))
        return [it for it in found if it and it != url]

    return {url: linked(url) for url in pages}


def write_examples(out, labels, bodies):
    """Writes 12 pages of each class and 120 others, half of them from each training set."""
    for name in CLASSES:
        for side, count in (("on", ON), ("off", OFF)):
            folder = out / "examples" / name / side
            folder.mkdir(parents=True)
            for university in TRAINING:
                fit = [
                    url
                    for url, (label, where) in labels.items()
                    if where == university and (label == name) == (side == "on")
                ]
                chosen = in_hash_order(fit, f"webkb/{name}/{side}")[: count // len(TRAINING)]
                for number, url in enumerate(chosen):
                    (folder / f"{university}-{number:03}.html").write_bytes(bodies[url])


def write(folder, out):
    """Writes the webs, labels, seeds and examples to OUT/webkb, and the plan to OUT/webkb.toml."""
    labels = read_labels(folder / "webkb.labels.tsv")
    bodies, records = {}, {}
    for url, body, record in archive.responses(folder / "webkb.warc.gz"):
        bodies[url], records[url] = body, record
    new = out / "webkb.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    write_examples(new, labels, bodies)
    plan = []
    for university in UNIVERSITIES:
        urls = sorted(url for url in bodies if labels[url][1] == university)
        with open(new / f"{university}.warc.gz", "wb") as file:
            for url in urls:
                file.write(archive.compressed(records[url]))
        rows = "".join(f"{url}\t{labels[url][0]}\n" for url in urls)
        (new / f"{university}.labels.tsv").write_text(rows, encoding="utf-8")
        linked = graph({url: bodies[url] for url in urls})
        count = sum(map(len, linked.values()))
        if not count:
            raise SystemExit(f"error: webkb {university}: no links")
        print(f"webkb {university}: {len(urls)} pages, {count} links")
        for name in CLASSES:
            seeds = seeds_of(urls, labels, university, name)
            write_seeds(new / f"{university}-{name}.seeds.txt", seeds)
            relevant = {url for url in urls if labels[url][0] == name}
            share = len(relevant & webs.reached(linked, seeds)) / len(relevant)
            if share < webs.REACHABLE:
                raise SystemExit(
                    f"error: webkb {university}: only {share:.0%} of the pages of class {name} can "
                    f"be reached from the seeds; it must be {webs.REACHABLE:.0%}"
                )
            print(f"  {name:10} {len(relevant):5} relevant, reachable {share:.0%}")
            plan.append(block(university, name))
    shutil.rmtree(out / "webkb", ignore_errors=True)
    new.rename(out / "webkb")
    (out / "webkb.toml").write_text("\n".join(plan), encoding="utf-8")


def seeds_of(urls, labels, university, name):
    """Returns the front page of a department, and pages of other classes."""
    front = [url for url in urls if labels[url][0] == "department"]
    others = [url for url in urls if labels[url][0] not in (name, "department")]
    return front + in_hash_order(others, f"webkb/{university}/{name}")[: SEEDS - len(front)]


def write_seeds(path, seeds):
    path.write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")


def block(university, name):
    return f"""[[block]]
name = "webkb-{university}-{name}"
web = "webkb/{university}.warc.gz"
labels = "webkb/{university}.labels.tsv"
relevant = "{name}"
seed-urls = "webkb/{university}-{name}.seeds.txt"
topics = ["webkb/models/{name}.topic.json"]
classifier = "webkb/models/{name}.bcw"
class = "on"
sdg = "webkb/models/{name}.sdg.json"
"""
