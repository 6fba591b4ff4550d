#!/usr/bin/env python3
"""Makes general.tsv, the document frequencies that ship with Ontrail.

    make.py OUT SHARE:TOPIC.json … [--frequencies DICT TOPIC.json]

Each TOPIC.json is a topic made by `ontrail topic keywords x --background DATA`, whose background
counts the words of DATA as Ontrail counts them. SHARE is the weight of a source among those of its
language. DICT is jieba's dictionary (`word frequency tag` per line), and its TOPIC.json has the
words of the dictionary as texts: only words in it are forms that Ontrail counts.

The result has one line per word: the number of 10,000 texts that contain it. Words in fewer than two
of 10,000 are left out.
"""

import json
import math
import sys

DOCUMENTS = 10_000
# Weight of a dictionary's frequencies beside the texts of the same language, as a number of texts.
AS_TEXTS = 500


def background(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["content"]["background"]


def is_chinese(word):
    return any("\u4e00" <= char <= "\u9fff" for char in word)


def main(arguments):
    out, sources, frequencies = arguments[0], [], None
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "--frequencies":
            frequencies = (next(rest), next(rest))
        else:
            share, path = argument.split(":", 1)
            sources.append((float(share), background(path)))
    counted = {}
    lengths = []
    for chinese in (False, True):
        own = []
        for share, source in sources:
            of = {w: n for w, n in source["containing"].items() if is_chinese(w) == chinese}
            # A source is of the language that most of its words have.
            if sum(of.values()) * 2 > sum(source["containing"].values()):
                own.append((share, source["documents"], of))
                lengths.append(source["words"] / source["documents"])
        total = sum(share for share, _, _ in own)
        for share, documents, of in own:
            for word, number in of.items():
                counted[word] = counted.get(word, 0.0) + share / total * number / documents
    if frequencies:
        add_dictionary(counted, *frequencies, sources)
    words = {word: round(share * DOCUMENTS) for word, share in counted.items()}
    kept = sorted((word, number) for word, number in words.items() if number >= 2)
    mean = sum(lengths) / len(lengths)
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        file.write(f"{DOCUMENTS}\t{round(mean * DOCUMENTS)}\n")
        file.writelines(f"{word}\t{number}\n" for word, number in kept)
    print(f"{len(kept)} words, {sum(map(is_chinese, dict(kept)))} of them Chinese")


def add_dictionary(counted, path, topic, sources):
    """Completes the Chinese words: a word with the share f of all words is in a text of n words
    with the probability 1 - exp(-f n)."""
    forms = background(topic)["containing"]
    entries = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, number, *_ = line.split(" ")
            entries[word] = int(number)
    total = sum(entries.values())
    chinese = max((s for _, s in sources), key=lambda s: sum(map(is_chinese, s["containing"])))
    length = chinese["words"] / chinese["documents"]
    texts = chinese["documents"]
    for word, number in entries.items():
        if is_chinese(word) and word in forms:
            expected = 1 - math.exp(-number / total * length)
            seen = counted.get(word, 0.0)
            counted[word] = (seen * texts + expected * AS_TEXTS) / (texts + AS_TEXTS)


if __name__ == "__main__":
    main(sys.argv[1:])
