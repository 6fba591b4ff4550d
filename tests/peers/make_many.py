"""Makes many short documents of ten classes over a million words, to try how much a classifier can learn.

usage: make_many.py NUMBER FILE.tsv

needs: pip install numpy

Eight words of a document follow Zipf's law, the ninth is one of a hundred of its class.
"""

import sys

import numpy

WORDS, BATCH = 1_000_000, 100_000


def main(number, path):
    chance = numpy.random.default_rng(1)
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, number, BATCH):
            size = min(BATCH, number - start)
            words = numpy.minimum((WORDS ** chance.random((size, 8))).astype(int), WORDS - 1)
            labels = chance.integers(0, 10, size)
            own = labels * 100 + chance.integers(0, 100, size)
            for label, row, last in zip(labels, words.tolist(), own):
                file.write(f"c{label}\t{' '.join(f'w{word}' for word in row)} k{last}\n")


main(int(sys.argv[1]), sys.argv[2])
