"""Does the disambiguation graph help to tell pages of a topic? And how fast is it built, against SciPy?

usage: bench_sdg.py PATH_TO_ONTRAIL [--only en|zh|speed]

needs: pip install numpy scipy (for the speed), WordNet's files (Debian: wordnet-base)

Quality, on datasets/senses-en and datasets/senses-zh: each is cut in two halves by its seed. Each meaning of
each word is a topic in turn; networks of other things than computers are none. Topic vector and graph are made
of the training half, pages of the test half are ordered by how near they are. No threshold on nearness is needed:

    AP       average precision
    P@50     precision where half of the topic's pages have been found
    P@75     precision where three quarters have
    better   on how many topics AP is greater with the graph than without it, and on how many less
    natural  at P@75: how many pages with the word in another meaning came before, of all topics together
    planted  likewise, pages on which the word is a mere name
    others   likewise, pages on other words

Speed: a graph of 1,000 terms over 100,000 pages, as `ontrail bench sdg` makes them up, and SciPy's product of the
sparse matrix of terms and pages with itself, for all pages and for those on the topic, one thread each; the
fastest of 3 rounds.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = ("-name", "-名称")
NO_TOPIC = {"网络-其他"}
MEANINGS = {"en": [], "zh": ["--ontology", os.path.join(ROOT, "ontologies/things/things.ttl")]}

VSM = "--model vsm --weights tfidf"
SVSM = "--model svsm"
SVSM_TEXT = "--model svsm --norm text"
SVSM_NEAR = "--model svsm --norm text --min-similarity 0.8"
SVSM_SAME = "--model svsm --norm text --min-similarity 1"


def run(program, *args):
    done = subprocess.run([program, "--threads", "1", "-q", *args], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(args)}\n{done.stderr}")
    return done.stdout


class Corpus:
    def __init__(self, program, language, folder):
        self.program, self.language, self.folder = program, language, os.path.join(folder, language)
        run(program, "corpus", "split", os.path.join(ROOT, f"datasets/senses-{language}"), "-o", self.folder,
            "--format", "jsonl")
        self.train, self.test = (os.path.join(self.folder, name) for name in ("train.jsonl", "test.jsonl"))
        with open(self.test, encoding="utf-8") as lines:
            self.labels = [json.loads(line)["label"] for line in lines]
        found = sorted(set(self.labels) - NO_TOPIC)
        self.topics = [label for label in found if not label.endswith(NAMES)]

    def measured(self, topic, learn, graphs, models):
        """The figures of a topic, by model and graph; the graph None is none."""
        vector = os.path.join(self.folder, f"{topic}.topic.json")
        if os.path.exists(vector):
            os.remove(vector)
        run(self.program, "topic", "learn", self.train, "--label", topic, "-o", vector, *learn.split())
        figures = {}
        for number, options in enumerate([None, *graphs]):
            graph = os.path.join(self.folder, f"{topic}.{number}.sdg.json")
            if os.path.exists(graph):
                os.remove(graph)
            if options is not None:
                options = options.replace("TOPIC", vector)
                run(self.program, "sdg", "build", self.train, "--label", topic, "--background", self.train, "-o", graph,
                    *options.split())
            for model in models:
                with_graph = [] if options is None else ["--sdg", graph]
                meanings = MEANINGS[self.language] if "--model vsm" not in model else []
                scored = run(self.program, "topic", "score", vector, self.test, "--json", *model.split(), *meanings, *with_graph)
                scores = [page["relevance"] for page in json.loads(scored)["pages"]]
                figures[model, None if options is None else graphs[number - 1]] = self.figures(topic, scores)
        return figures

    def kind(self, topic, label):
        if label.split("-")[0] != topic.split("-")[0]:
            return "others"
        return "planted" if label.endswith(NAMES) else "natural"

    def figures(self, topic, scores):
        # Among pages of equal relevance the irrelevant ones come first, so ties gain nothing.
        order = sorted(range(len(scores)), key=lambda page: (-scores[page], self.labels[page] == topic))
        wanted, found, total, at = self.labels.count(topic), 0, 0.0, {}
        before = collections.Counter()
        for rank, page in enumerate(order, 1):
            if self.labels[page] != topic:
                before[self.kind(topic, self.labels[page])] += 1
                continue
            found += 1
            total += found / rank
            for share in (50, 75):
                if found * 100 >= share * wanted and share not in at:
                    at[share] = (found / rank, dict(before))
        return {"AP": total / wanted, 50: at[50][0], 75: at[75][0], "before": at[75][1]}


def table(corpus, learn, graphs, models):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda topic: corpus.measured(topic, learn, graphs, models), corpus.topics))
    print(f"\n`topic learn {learn}`, {len(corpus.topics)} topics, {len(corpus.labels)} pages ({corpus.language})\n")
    print("| model | graph | AP | P@50 | P@75 | better | natural | planted | others |")
    print("|---|---|---|---|---|---|---|---|---|")
    for model in models:
        for graph in [None, *graphs]:
            rows = [figures[model, graph] for figures in found]
            mean = [sum(row[what] for row in rows) / len(rows) for what in ("AP", 50, 75)]
            against = [row["AP"] - figures[model, None]["AP"] for row, figures in zip(rows, found)]
            better = f"{sum(it > 1e-12 for it in against)} : {sum(it < -1e-12 for it in against)}" if graph is not None else ""
            kinds = [sum(row["before"].get(kind, 0) for row in rows) for kind in ("natural", "planted", "others")]
            name = "none" if graph is None else f"`{graph}`"
            print(f"| `{model}` | {name} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | {better} | "
                  + " | ".join(map(str, kinds)) + " |")
    sys.stdout.flush()


def quality(program, language):
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(program, language, folder)
        given = "--topic TOPIC"
        table(corpus, "--method tfidf", [given, f"{given} --theta 0.5"], [VSM, SVSM, SVSM_TEXT, SVSM_NEAR, SVSM_SAME])
        shapes = [f"{given} --theta 0.5 --shape {shape} --importance {form}"
                  for shape in ("linear", "triangular", "gaussian") for form in ("printed", "text")]
        table(corpus, "--method tfidf", shapes, [VSM])
        printed = "--rarity pages --min-pages 1"
        table(corpus, "--method pages", [printed, "--min-pages 1", "--min-pages 1 --theta 0.5"], [VSM])
        table(corpus, "--method pages --min-df 2", ["--theta 1", "--theta 0.5"], [VSM])


def speed(program):
    import numpy
    from scipy.sparse import csr_array

    ours = json.loads(subprocess.run([program, "bench", "sdg", "--json"], capture_output=True, check=True).stdout)
    terms, pages, per_page = ours["terms"], ours["pages"], 30
    random = numpy.random.default_rng(7)
    columns = (random.random((pages, per_page)) ** 2 * terms).astype(numpy.int64)
    rows = numpy.repeat(numpy.arange(pages), per_page)
    matrix = csr_array((numpy.ones(columns.size), (rows, columns.ravel())), shape=(pages, terms))
    matrix.data[:] = 1.0
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        both = (matrix.T @ matrix).toarray()
        relevant = matrix[::10]
        together = (relevant.T @ relevant).toarray()
        alone = both.diagonal()
        either = alone[:, None] + alone[None, :] - both
        degrees = numpy.divide(together, either, out=numpy.zeros_like(together), where=either > 0)
        best = min(best, time.perf_counter() - start)
    assert 0 < degrees.max() <= 1
    print(f"\n{terms} terms, {pages} pages: Ontrail {ours['seconds_1']:.2f} s (counting and the whole graph, one thread; "
          f"{ours['seconds_n']:.2f} s with {ours['threads']}), SciPy {best:.2f} s (degrees from a ready matrix); "
          f"{best / ours['seconds_1']:.1f} times; {ours['judged_per_second']:.0f} pages judged a second")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--only"):
        raise SystemExit(__doc__)
    only = sys.argv[3] if len(sys.argv) == 4 else None
    for language in ("en", "zh"):
        if only in (None, language):
            quality(sys.argv[1], language)
    if only in (None, "speed"):
        speed(sys.argv[1])
