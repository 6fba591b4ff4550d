"""Speed of word similarity and of scoring texts: Ontrail against NLTK, scikit-learn and NumPy, same run.

usage: bench_topic.py PATH_TO_ONTRAIL [WORDNET_FOLDER]

needs: pip install nltk numpy scikit-learn scipy

    load     NLTK's reader made and all noun synsets with their hypernyms read once: what Ontrail does when
             it reads WordNet
    pairs    Lin's similarity of two words, the greatest over all senses, of pairs never asked before; for
             NLTK with lin_similarity and the same information content, for Ontrail its own first_per_second
    vsm      TF-IDF and cosine of texts given as lists of words: TfidfVectorizer.transform and a product
             with the topic's vector, all texts in one call
    svsm     eq. 19 of sdvsm with NumPy, text by text, all similarities looked up in a matrix made before

The texts of the peers are made by the same law as Ontrail's (Zipf over the same words, 200 of 400 words) and
not the same texts. One thread each; the fastest of 5 rounds. Ontrail times itself (`bench topic`).
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
    os.environ[name] = "1"

import nltk
import numpy
from sklearn.feature_extraction.text import TfidfVectorizer

import topic_peers

ROUNDS, TEXTS, WORDS, PAIRS, TERMS = 5, 200, 400, 1000, 50


def fastest(work, rounds=ROUNDS):
    best = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main(program, wordnet):
    ours = json.loads(subprocess.run([program, "bench", "topic", "--wordnet", wordnet, "--rounds", "9", "--json"],
                                     capture_output=True, check=True).stdout)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        nouns = topic_peers.Nouns(folder)
        reader = nouns.reader

        def read():
            fresh = topic_peers.Reader(os.path.join(folder, "wordnet"), None)
            for synset in fresh.all_synsets("n"):
                synset.hypernyms() + synset.instance_hypernyms()

        load = fastest(read, 1)
        rows.append(("load WordNet (s)", ours["load_seconds"], load, load / ours["load_seconds"]))

        words = sorted({name for synset in reader.all_synsets("n") for name in synset.lemma_names()
                        if len(name) > 3 and name.isascii() and name.isalpha() and name.islower()})
        chance = random.Random(1)
        pairs = [(chance.choice(words), chance.choice(words)) for _ in range(PAIRS)]

        def compare():
            for a, b in pairs:
                max(nouns.lin(one, other) for one in reader.synsets(a, "n") for other in reader.synsets(b, "n"))

        rate = PAIRS / fastest(compare, 1)
        mine = ours["pairs"]["first_per_second"]
        rows.append(("word pairs, first asked (1/s)", mine, rate, mine / rate))

    chance.shuffle(words)
    draw = lambda: words[int(len(words) ** chance.random()) - 1]
    texts = [[draw() for _ in range(WORDS)] for _ in range(TEXTS)]
    topic = words[:: len(words) // TERMS][:TERMS]
    weights = numpy.array([1 / (1 + place) for place in range(TERMS)])
    vectorizer = TfidfVectorizer(analyzer=lambda text: text)
    vectorizer.fit(texts + [topic])
    places = [vectorizer.vocabulary_[word] for word in topic]
    vector = numpy.zeros(len(vectorizer.vocabulary_))
    vector[places] = weights / numpy.linalg.norm(weights)
    vsm = TEXTS / fastest(lambda: vectorizer.transform(texts) @ vector)

    sem = numpy.random.default_rng(1).random((len(vectorizer.vocabulary_), TERMS))

    def svsm():
        for row in vectorizer.transform(texts):
            near = sem[row.indices]
            text, other = row.data[:, None] * near, weights[None, :] * near
            (text * other).sum() / math.sqrt((text * text).sum() * (other * other).sum())

    rate = TEXTS / fastest(svsm)
    found = {it["model"]: it["texts_per_second"] for it in ours["models"] if it["terms"] == TERMS}
    rows.append(("vsm, tfidf (texts/s)", found["vsm, tfidf"], vsm, found["vsm, tfidf"] / vsm))
    rows.append(("svsm, tfidf (texts/s)", found["svsm, tfidf"], rate, found["svsm, tfidf"] / rate))
    print(f"{'':32}{'Ontrail':>12}{'peer':>12}{'times':>8}")
    for what, mine, peer, times in rows:
        print(f"{what:32}{mine:12.3g}{peer:12.3g}{times:8.0f}")
    print(f"nltk {nltk.__version__}, numpy {numpy.__version__}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "/usr/share/wordnet")
