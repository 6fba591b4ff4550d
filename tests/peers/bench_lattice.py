"""Time to list all formal concepts: Ontrail against other programs, same contexts, same run.

usage: bench_lattice.py PATH_TO_ONTRAIL [CONTEXT.cxt[.gz] ...]

needs: pip install caspailleur==0.2.2 "scikit-learn<1.6" concepts==0.9.2   (and cargo, for odis)
       caspailleur lists through scikit-mine, which fails with a newer scikit-learn.

Without a context a word context of 200 documents × 200 terms is made: 17,682 concepts.

    caspailleur  list_intents_via_LCM, its fastest on all but tiny contexts; gives intents, no extents
    concepts     algorithms.fcbo.fast_generate_from where the release has it (0.9.2, the newest on PyPI,
                 has not), and Context.lattice, which cannot list without the cover relation: compare it
                 with Ontrail's lattice_1
    odis         Fcbo and NextClosure, enumerate_concepts(…).collect() into a Vec, release build

Every program runs alone, on one thread, in a process of its own that is killed after LIMIT seconds
(environment, 120). Wall clock, fastest of 3 rounds, or 1 if the first takes 5 s or more; neither reading
the file nor building the program's own context object is counted. Ontrail times itself. The ratio is
to Ontrail's list_1. BENCH_DIR (environment) keeps the built odis between runs; else all is thrown away.
Ends with status 1 if any program finds another number of concepts than Ontrail.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

LIMIT = float(os.environ.get("LIMIT", 120))
ODIS = "2026.9.1"
CARGO = f"""[package]
name = "peer"
version = "0.0.0"
edition = "2021"
[dependencies]
odis = "={ODIS}"
[workspace]
"""
RUST = """use odis::algorithms::{Fcbo, NextClosure};
use odis::{traits::ConceptEnumerator, FormalContext};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let context = FormalContext::<String>::from(&std::fs::read(&args[2]).unwrap()).unwrap();
    println!("ready");
    let mut rounds = 3;
    while rounds > 0 {
        let start = std::time::Instant::now();
        let concepts: Vec<_> = match args[1].as_str() {
            "Fcbo" => Fcbo.enumerate_concepts(&context).collect(),
            _ => NextClosure.enumerate_concepts(&context).collect(),
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{} {seconds}", concepts.len());
        rounds = if seconds < 5.0 { rounds - 1 } else { 0 };
    }
}
"""


def read(path):
    """The rows of a Burmeister context as strings of X and ."""
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    lines = [line.rstrip("\r") for line in data.decode("utf-8", "replace").split("\n")]
    objects, attributes = int(lines[2]), int(lines[3])
    start = 5 + objects + attributes
    rows = [line.strip().upper() for line in lines[start:start + objects]]
    good = all(len(row) == attributes and set(row) <= set("X.") for row in rows)
    if lines[0].strip() != "B" or len(rows) != objects or not good:
        sys.exit(f"{path} is not a Burmeister context")
    return rows


def write(path, rows):
    """The same context to every program, under plain names."""
    names = [f"o{i}" for i in range(len(rows))] + [f"a{j}" for j in range(len(rows[0]))]
    path.write_text("\n".join(["B", "", str(len(rows)), str(len(rows[0])), "", *names, *rows, ""]))


def words():
    """Term j is in a document with probability 3.5 / (j + 1), at most one half."""
    rng = random.Random(1)
    return ["".join(".X"[rng.random() < min(0.5, 3.5 / (j + 1))] for j in range(200)) for _ in range(200)]


def caspailleur(rows):
    from bitarray import frozenbitarray
    from caspailleur import list_intents_via_LCM
    context = [frozenbitarray(x == "X" for x in row) for row in rows]
    return lambda: list_intents_via_LCM(context, min_supp=0, n_jobs=1)


def concepts_context(rows):
    from concepts import Context
    return Context([f"o{i}" for i in range(len(rows))], [f"a{j}" for j in range(len(rows[0]))],
                   [tuple(x == "X" for x in row) for row in rows])


def concepts_fcbo(rows):
    from concepts.algorithms.fcbo import fast_generate_from
    context = concepts_context(rows)
    return lambda: list(fast_generate_from(context))


def concepts_lattice(rows):
    context = concepts_context(rows)  # a new one each round, for it keeps its lattice
    return lambda: context.lattice


PYTHON = {"caspailleur LCM": caspailleur, "concepts fcbo": concepts_fcbo, "concepts lattice": concepts_lattice}


def peer(name, path):
    """The child process: "ready", then one line for each round."""
    rows = read(path)
    run = PYTHON[name](rows)
    print("ready", flush=True)
    rounds = 3
    while rounds > 0:
        start = time.perf_counter()
        concepts = run()
        seconds = time.perf_counter() - start
        print(len(concepts), seconds, flush=True)
        rounds = rounds - 1 if seconds < 5 else 0
        run = PYTHON[name](rows) if rounds else None


def measure(command):
    """(concepts, seconds) of the fastest round, or what went wrong."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONWARNINGS="ignore")
    late = threading.Event()
    rounds, ready = [], False
    with tempfile.TemporaryFile("w+") as errors, \
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment) as child:

        def stop():
            late.set()
            child.kill()

        timer = threading.Timer(LIMIT, stop)
        timer.start()
        for line in child.stdout:
            timer.cancel()
            if line != "ready\n":
                concepts, seconds = line.split()
                rounds.append((float(seconds), int(concepts)))
            ready = True
            timer = threading.Timer(LIMIT, stop)
            timer.start()
        child.wait()
        timer.cancel()
        errors.seek(0)
        message = (errors.read().strip().splitlines() or [f"status {child.returncode}"])[-1]
    if rounds:
        return min(rounds)[::-1]
    if late.is_set():
        return f"> {LIMIT:g} s" if ready else f"not ready after {LIMIT:g} s"
    return f"failed: {message[:100]}".replace("|", "/")


def build(folder):
    """The command of the odis program, or why there is none."""
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(CARGO)
    (folder / "src" / "main.rs").write_text(RUST)
    environment = dict(os.environ, CARGO_TARGET_DIR=str(folder / "target"))
    try:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=folder, env=environment, check=True,
                       capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if line.startswith("error")), "no message")
        return f"does not build: {first[:100]}".replace("|", "/")
    except OSError as error:
        return f"does not build: {error}"
    return [folder / "target" / "release" / "peer"]


def installed(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def has_fcbo():
    try:
        return find_spec("concepts.algorithms.fcbo") is not None
    except ModuleNotFoundError:
        return False


def times(theirs, ours):
    if not ours:
        return "ours too short to tell"
    return f"{theirs / ours:,.0f}×" if theirs >= 100 * ours else f"{theirs / ours:.2g}×"


def bench(ontrail, contexts, folder):
    odis = build(folder / "odis")
    programs = {name: [sys.executable, __file__, "--peer", name] for name in PYTHON}
    if not has_fcbo():
        del programs["concepts fcbo"]
    for algorithm in ("Fcbo", "NextClosure"):
        programs[f"odis {algorithm}"] = odis if isinstance(odis, str) else [*odis, algorithm]
    titles = {"caspailleur": installed("caspailleur"), "concepts": installed("concepts"), "odis": ODIS}
    header = ["context", "objects × attributes", "concepts", "Ontrail list_1", "Ontrail lattice_1"]
    header += [name.replace(" ", f" {titles[name.split()[0]]} ", 1) for name in programs]
    print("|", " | ".join(header), "|")
    print("|---" * len(header) + "|", flush=True)
    wrong = []
    for number, (name, rows) in enumerate(contexts):
        path = folder / f"{number}.cxt"
        write(path, rows)
        report = json.loads(subprocess.check_output([ontrail, "bench", "lattice", path, "--json"]))["contexts"][0]
        seconds = report["seconds"]
        size, ours = f"{len(rows)} × {len(rows[0])}", f"{report['objects']} × {report['attributes']}"
        if ours != size:
            wrong.append(f"{name}: Ontrail reads {ours}, not {size}")
        cells = [name, size, f"{report['concepts']}",
                 f"{seconds['list_1']:.3g} s", f"{seconds['lattice_1']:.3g} s"]
        for program, command in programs.items():
            result = command if isinstance(command, str) else measure([*command, path])
            if isinstance(result, str):
                cells.append(result)
                continue
            count, theirs = result
            cell = f"{theirs:.3g} s, {times(theirs, seconds['list_1'])}"
            if program == "concepts lattice":
                cell += f" ({times(theirs, seconds['lattice_1'])} lattice_1)"
            if count != report["concepts"]:
                cell += f" **WRONG: {count} concepts**"
                wrong.append(f"{name}: {program} finds {count} concepts, Ontrail {report['concepts']}")
            cells.append(cell)
        print("|", " | ".join(cells), "|", flush=True)
    if "concepts fcbo" not in programs and titles["concepts"][0].isdigit():
        print(f"\nconcepts {titles['concepts']} has no fcbo; its lattice comes with the cover relation.")
    if wrong:
        print("\n**THE PROGRAMS DO NOT AGREE**\n")
        print("\n".join(f"- {line}" for line in wrong))
        sys.exit(1)


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(*sys.argv[2:])
    if len(sys.argv) < 2:
        sys.exit("usage: bench_lattice.py PATH_TO_ONTRAIL [CONTEXT.cxt[.gz] ...]")
    ontrail, *paths = sys.argv[1:]
    contexts = [(Path(path).name.split(".cxt")[0], read(path)) for path in paths] or [("words", words())]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(os.environ.get("BENCH_DIR") or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        bench(ontrail, contexts, folder)


main()
