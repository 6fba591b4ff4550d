"""Peer checks: Ontrail against other programs that do the same.

usage: check.py PATH_TO_ONTRAIL

- html5lib builds the tree of a page as the standard says; titles, links, anchors and content blocks
  must be the ones that Ontrail finds.
- Python's codecs encode texts in every charset that matters; Ontrail must name it and decode it.
- warcio writes a web archive; Ontrail must find the same responses in it.
- Arrow writes a Parquet table that Ontrail must read, and reads the one that Ontrail writes.
- The Python package concepts builds the lattices of random contexts and of those that ship; Ontrail
  must find as many concepts and as many edges.
- The OWL API with HermiT, rdflib and owlready2 read every ontology that ships, in each syntax that
  Ontrail writes; they must find the same axioms in all, as many as Ontrail says, and no contradiction.
- NLTK, SciPy, scikit-learn and NumPy: how alike words are, topics learned from texts, and pages scored by
  them (topic_peers.py).
- scikit-learn and NumPy: the scores of classifiers and the figures of their evaluation (bcw_peers.py).
- scikit-fuzzy and NumPy: disambiguation graphs, and what they take away from pages (sdg_peers.py).
- Protego: what robots.txt files allow; warcio, Arrow and NumPy: what a crawl stores, logs and measures; Hypercorn: pages
  over TLS and HTTP/2 (crawl_peers.py).
- pandas, polars, DuckDB, warcio and PyYAML: what a crawl exports (export_peers.py).
- SciPy and NumPy: the statistics of the lab and the means of a comparison; warcio and Arrow: a woven web (lab_peers.py).
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
from io import BytesIO
from urllib.parse import urljoin

import html5lib
import pyarrow
import pyarrow.parquet
import concepts
import bcw_peers
import crawl_peers
import export_peers
import lab_peers
import owl_peers
import sdg_peers
import topic_peers
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

ONTRAIL = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
HTML = "{http://www.w3.org/1999/xhtml}"
passed = failed = 0


def check(what, found, expected):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}\n  Ontrail: {found!r}\n  peer:    {expected!r}")


def ontrail(*args):
    done = subprocess.run([ONTRAIL, *map(str, args), "--json"], capture_output=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"ontrail {args}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def collapsed(text):
    return " ".join(text.split())


def text_of(element):
    """The text in an element that a person reads."""
    parts = []

    def walk(node):
        if not isinstance(node.tag, str) or node.tag in (HTML + "script", HTML + "style", HTML + "template"):
            return
        parts.append(node.text or "")
        for child in node:
            walk(child)
            parts.append(child.tail or "")

    walk(element)
    return collapsed("".join(parts))


def peer_page(data, url, charset):
    """What html5lib says of a page."""
    tree = html5lib.parse(data.decode(charset), treebuilder="etree")
    # The peer's tree has the content of templates, which is not part of the page.
    for template in tree.iter(HTML + "template"):
        template.clear()
    title = tree.find(f".//{HTML}title")
    links = []
    for anchor in tree.iter(HTML + "a"):
        href = anchor.get("href")
        if href is not None:
            target = urljoin(url, href.strip()).split("#")[0]
            if target.startswith("http"):
                links.append([target, text_of(anchor)])
    divs = list(tree.iter(HTML + "div"))
    leaves = [div for div in divs if div.find(f".//{HTML}div") is None]
    full = [div for div in leaves if text_of(div) or div.find(f".//{HTML}a") is not None]
    return {"title": text_of(title) if title is not None else "", "links": links, "leaves": len(full)}


def check_pages():
    pages = sorted((ROOT / "datasets").glob("*-pages/pages/*.html"))
    pages += sorted((ROOT / "crates/page/tests/pages").glob("*.html"))
    assert len(pages) > 100, len(pages)
    for path in pages:
        data = path.read_bytes()
        url = f"http://site.example/{path.name}"
        charset = "gbk" if b'charset="gbk"' in data else "utf-8"
        seen = ontrail("inspect", path, "--url", url)
        if b"<base" in data:
            url = "http://site.example/news/"
        peer = peer_page(data, url, charset)
        name = path.relative_to(ROOT)
        check(f"{name}: title", seen["title"], peer["title"])
        # If an anchor has no text, Ontrail takes that of its image; the peer has none.
        links = [[link["url"], link["anchor"]] for link in seen["links"]]
        textless = [n for n, link in enumerate(peer["links"]) if not link[1]]
        check(f"{name}: links", [l[0] for l in links], [l[0] for l in peer["links"]])
        for n, (ours, theirs) in enumerate(zip(links, peer["links"])):
            if n not in textless:
                check(f"{name}: anchor {n}", collapsed(ours[1]), theirs[1])
        leaves = sum(1 for block in seen["blocks"] if block["kind"] == "leaf")
        check(f"{name}: leaf blocks", leaves, peer["leaves"])


TREES = [
    "<p>a<p>b<a href=x>c<a href=y>d",
    "<table><a href=x>in a table<tr><td><a href=y>in a cell</table>",
    "<b><p><a href=x>one</b>two</a>three",
    "<div>a<div>b<div>c</div></div><p>d</div>e<div><a href=z></a></div>",
    "<ul><li><a href=1>a<li><a href=2>b</ul>",
    "<title>a&amp;b &#x96e8;</title><a href='?q=1&amp;r=2'>&lt;x&gt;</a>",
    "<svg><title>no</title><a href=x>svg</a></svg><title>late</title>",
    "<!-- <a href=x> --><script>'<a href=y>'</script><style><a href=z></style><a href=w>w</a>",
    "<frameset><frame src=x></frameset>",
    "<template><a href=x>t</a></template><noscript><a href=y>n</a></noscript>",
    "<a href=x><div>block</div> anchor</a>",
]


def check_trees(folder):
    for n, html in enumerate(TREES):
        path = folder / f"tree-{n}.html"
        path.write_text(html, encoding="utf-8")
        seen = ontrail("inspect", path, "--url", "http://site.example/d/")
        peer = peer_page(html.encode(), "http://site.example/d/", "utf-8")
        # Neither program counts anchors in SVG images as HTML anchors.
        links = [[link["url"], collapsed(link["anchor"])] for link in seen["links"] if link["kind"] == "anchor"]
        check(f"tree {n}: links", links, peer["links"])
        check(f"tree {n}: title", seen["title"], peer["title"])


TEXTS = {
    "gbk": "临溪县气象台今天下午发布暴雨红色预警信号，预计未来三小时降雨量将超过一百毫米。",
    "gb18030": "水文站监测到沙湾河水位持续上涨，镕镕堃喆等地名所在村庄已经转移。",
    "big5": "氣象局今天上午發布豪雨特報，提醒民眾注意低窪地區積水與山區坍方。",
    "utf-8": "消防救援人员驾驶冲锋舟逐户搜救，被困群众全部安全转移到安置点。",
    "utf-16": "应急管理部门启动二级响应，救灾物资连夜运往受灾乡镇。",
}


def check_charsets(folder):
    for charset, text in TEXTS.items():
        path = folder / f"{charset}.html"
        path.write_bytes(f"<title>{text}</title>".encode(charset))
        check(f"{charset}: guessed", ontrail("inspect", path)["title"], text)
        if charset != "utf-16":
            path.write_bytes(f"<meta charset={charset}><title>{text}</title>".encode(charset))
            check(f"{charset}: declared", ontrail("inspect", path)["title"], text)


def check_archive(folder):
    for packed in (True, False):
        path = folder / ("a.warc.gz" if packed else "a.warc")
        bodies = {}
        with open(path, "wb") as out:
            writer = WARCWriter(out, gzip=packed)
            writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "peer"}))
            for n in range(20):
                url, body = f"http://site.example/{n}?x=雨", f"<title>第{n}页</title>".encode()
                head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
                writer.write_record(writer.create_warc_record(url, "response", payload=BytesIO(body), http_headers=head))
                bodies[url] = f"第{n}页"
        summary = ontrail("inspect", path)
        check(f"{path.name}: records", summary["records"], {"response": 20, "warcinfo": 1})
        for url, title in list(bodies.items())[::7]:
            check(f"{path.name}: {url}", ontrail("inspect", path, url)["title"], title)


def check_lattices(folder):
    """The lattice of each context, against another program's."""
    chance = random.Random(7)
    paths = sorted(ROOT.glob("ontologies/*/*.cxt"))
    for number in range(30):
        objects, attributes = chance.randint(1, 14), chance.randint(1, 12)
        density = chance.random()
        rows = [[chance.random() < density for _ in range(attributes)] for _ in range(objects)]
        names = [f"o{n}" for n in range(objects)] + [f"a{n}" for n in range(attributes)]
        crosses = ["".join("X" if cross else "." for cross in row) for row in rows]
        path = folder / f"random-{number}.cxt"
        path.write_text("\n".join(["B", "", str(objects), str(attributes), "", *names, *crosses, ""]))
        paths.append(path)
    for path in paths:
        lattice = concepts.load_cxt(str(path), encoding="utf-8").lattice
        edges = sum(len(concept.lower_neighbors) for concept in lattice)
        found = ontrail("lattice", "build", path)
        check(f"{path.name}: concepts", found["concepts"], len(lattice))
        check(f"{path.name}: edges", found["edges"], edges)


def check_ontologies(folder):
    """Every shipped ontology in every syntax, read by other programs."""
    java = owl_peers.build_java(folder)
    for shipped in sorted(ROOT.glob("ontologies/*/*.owl")):
        paths = []
        for ending in ["owl", "owx", "ofn", "omn", "ttl", "nt", "jsonld"]:
            path = folder / f"{shipped.stem}.{ending}"
            if ending == "owl":
                path.write_bytes(shipped.read_bytes())
            else:
                ontrail("lattice", "convert", shipped, "-o", path)
            paths.append(path)
        turtle = shipped.with_suffix(".ttl")
        seen = owl_peers.look(java, [*paths, turtle])
        check(f"{shipped.stem}: disagreements of the peers", list(owl_peers.disagreements(seen, java)), [])
        report = ontrail("lattice", "check", shipped)
        api = [said for (program, _), said in seen.items() if program == "OWL API"]
        check(f"{shipped.stem}: files that the OWL API reads", len(api), 7)
        for field in ["classes", "axioms", "profiles"]:
            check(f"{shipped.stem}: {field}", [report[field]] * 7, [said.get(field) for said in api])
        check(f"{shipped.stem}: HermiT finds it consistent", [True] * 7, [said.get("consistent") for said in api])
        ready = [said for (program, _), said in seen.items() if program == "owlready2"]
        check(f"{shipped.stem}: owlready2", [(report["classes"], True)] * 3,
              [(said.get("classes"), said.get("consistent")) for said in ready])
        graphs = [said for (program, _), said in seen.items() if program == "rdflib"]
        check(f"{shipped.stem}: rdflib", [report["classes"]] * 5, [said.get("classes") for said in graphs])


def check_parquet(folder):
    table = pyarrow.table({"label": ["体育", "股票"], "text": ["主队取胜", "大盘高开"], "title": ["甲", None]})
    pyarrow.parquet.write_table(table, folder / "peer.parquet")
    report = ontrail("corpus", "check", folder / "peer.parquet")
    check("Arrow's Parquet: labels", report["labels"], {"体育": 1, "股票": 1})
    ontrail("corpus", "convert", folder / "peer.parquet", "-o", folder / "ours.parquet")
    ours = pyarrow.parquet.read_table(folder / "ours.parquet").to_pydict()
    for column in ("label", "text", "title"):
        check(f"our Parquet: {column}", ours[column], table.to_pydict()[column])


with tempfile.TemporaryDirectory() as name:
    check_pages()
    check_trees(pathlib.Path(name))
    check_charsets(pathlib.Path(name))
    check_archive(pathlib.Path(name))
    check_parquet(pathlib.Path(name))
    check_lattices(pathlib.Path(name))
    check_ontologies(pathlib.Path(name))
    topic_peers.run(check, ontrail, pathlib.Path(name))
    bcw_peers.run(check, ontrail, pathlib.Path(name))
    sdg_peers.run(check, ontrail, pathlib.Path(name))
    crawl_peers.run(check, ontrail, pathlib.Path(name))
    lab_peers.run(check, ontrail, pathlib.Path(name), ROOT)
    export_peers.run(check, ontrail, pathlib.Path(name), ONTRAIL)
print(f"peer checks: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
