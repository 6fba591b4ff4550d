"""How far topics tell pages apart: the ontologies that ship, on pages of their own domain and of the other.

usage: tell_apart.py PATH_TO_ONTRAIL

Prints for each topic and model the mean relevance of own and of other pages, and AUC, the chance that a page
of the own domain scores higher than one of the other. Needs nothing but Python.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ontrail(*args):
    command = [sys.argv[1], *map(str, args), "--json", "--quiet"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def relevance(topic, domain, options):
    pages = ontrail("topic", "score", topic, ROOT / f"datasets/{domain}-pages/pages", *options)["pages"]
    return [page["relevance"] for page in pages]


def auc(own, other):
    return sum((a > b) + 0.5 * (a == b) for a in own for b in other) / len(own) / len(other)


def edited(topic, path, keep):
    """A topic whose names are each a dimension of their own."""
    content = json.loads(topic.read_text(encoding="utf-8"))
    terms = [term for term in content["content"]["terms"] if keep(term)]
    for term in terms:
        del term["concept"]
    content["content"]["terms"] = terms
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def main(folder):
    for domain, other in [("rainstorm", "tourism"), ("tourism", "rainstorm")]:
        ontology = ROOT / f"ontologies/{domain}/{domain}.owl"
        topic = folder / f"{domain}.json"
        ontrail("topic", "weigh", ontology, "-o", topic)
        apart = edited(topic, folder / f"{domain}-apart.json", lambda term: True)
        chinese = edited(topic, folder / f"{domain}-zh.json", lambda term: term["language"].startswith("zh"))
        meanings = ["--ontology", ontology]
        for name, file, options in [
            ("vsm, labels", topic, []),
            ("vsm, labels, each name by itself", apart, []),
            ("vsm, labels, each Chinese name by itself", chinese, []),
            ("vsm, tfidf", topic, ["--weights", "tfidf"]),
            ("ssrm, lin", topic, ["--model", "ssrm", *meanings]),
            ("svsm, lin", topic, ["--model", "svsm", *meanings]),
        ]:
            mine, theirs = (relevance(file, pages, options) for pages in (domain, other))
            means = [sum(values) / len(values) for values in (mine, theirs)]
            print(f"{domain:10} {name:42} own {means[0]:.3f}  other {means[1]:.3f}  AUC {auc(mine, theirs):.3f}")


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
