"""How good the classifier is and how fast it learns: Ontrail against scikit-learn and fastText, same run.

usage: bench_bcw.py PATH_TO_ONTRAIL NEWS_FOLDER [SECTION...]

needs: pip install scikit-learn scipy numpy jieba fasttext-numpy2-wheel
(with the packages fasttext and fasttext-wheel, predicting single texts fails with NumPy 2)

NEWS_FOLDER has headlines-train.tsv, headlines-dev.tsv and fulltext-dev.tsv, lines of a label, a tab and a text
without header or quotes. Sections, all of them unless some are named; figures are accuracies in percent:

    headlines   trained on headlines-train, tried on headlines-dev: 10 classes
    five        the same for the 5 classes realty, stocks, science, society, sports, of which the first 1,000 of
                headlines-train and the first 200 of headlines-dev are taken. The dataset has no class of
                rainstorms
    articles    fulltext-dev, 10 classes, 5-fold. scikit-learn and Ontrail cut folds of their own, so that the
                folds are not the same
    pages       articles as HTML pages. Of every class the first 70 % are trained on, as texts or as pages, and
                the rest tried, as texts and as pages. On a page, title and h1 have the article's first sentence
                (at most 30 characters), p has the article, a div before it has the same 12 links on all pages,
                and divs after it have as many links as the column says, all headlines of one wrong class (of
                those that headlines and articles share). All divs are "other labels". Pages of a greater number
                have the headlines of a smaller one and more. Pages to train on have 20 headlines, from the
                other half of headlines-dev. In the dataset that this was made for the last 30 % are easier than
                the first 70 %, so that figures are above those of `articles`. Learned weights are in brackets:
                title, heading, emphasis, body, other
    speed       seconds of training on headlines-train from raw text, segmentation included, the fastest of 3.
                Ontrail: the whole process, which loads its dictionary, trains once more to validate, and writes
                the model; with all cores and with one thread. scikit-learn: after imports and after
                jieba has loaded its dictionary, one thread, nothing validated or written

The rows of peers:

    words       what jieba.lcut gives, without blanks
    c1, c2      runs of one and of two characters
    tf-idf      TfidfVectorizer(sublinear_tf=True), a vector each for words and characters; else counts
    fastText    wordNgrams 2, dim 100, epoch 25, lr 0.5, thread 2, seed 42. With two threads its figures change
                by a tenth of a percent from run to run all the same

The rows of Ontrail are flags of `ontrail bcw train`. Eq. 8 and 9 of bcw-cc as printed are `--mode literal`; "eq. 8
repaired" is the nearest to it that works.
"""

import collections
import html
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import time

for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
    os.environ[name] = "1"

import fasttext
import jieba
import numpy
import sklearn
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

ROUNDS, SEED = 3, 42
FIVE, FIVE_TRAIN, FIVE_TEST = ["realty", "stocks", "science", "society", "sports"], 1000, 200
TRAIN_SHARE, HEADLINES, HEADLINES_IN_TRAINING, PARAGRAPH = 0.7, [0, 10, 20, 40], 20, 150
BAR = "财经 房产 教育 科技 时政 体育 游戏 娱乐 家居 时尚 首页 更多".split()

REPAIRED = "--mode exponent --term-weights none --smoothing laplace:1 --idf"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def show(title, head, rows):
    print(f"\n## {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def percent(share):
    return f"{100 * share:.2f}"


def read(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [tuple(line.rstrip("\n").split("\t", 1)) for line in file]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{label}\t{text}\n" for label, text in rows)
    return path


def segment(rows):
    """What peers are given of documents: pairs of a text and its words, so that texts are cut into words once."""
    return [(text, [word for word in jieba.lcut(text) if word.strip()]) for _, text in rows]


def labels(rows):
    return [label for label, _ in rows]


def words_of(document):
    return document[1]


def text_of(document):
    return document[0].lower()


def counted_words():
    return CountVectorizer(analyzer=words_of)


def weighted_words():
    return TfidfVectorizer(analyzer=words_of, sublinear_tf=True)


def counted_pairs():
    return CountVectorizer(analyzer="char", ngram_range=(2, 2), preprocessor=text_of)


def weighted_pairs():
    return TfidfVectorizer(analyzer="char", ngram_range=(2, 2), preprocessor=text_of, sublinear_tf=True)


def weighted_words_and_characters():
    characters = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), preprocessor=text_of, sublinear_tf=True)
    return make_union(weighted_words(), characters)


ON_WORDS = {
    "MultinomialNB, words": lambda: make_pipeline(counted_words(), MultinomialNB()),
    "ComplementNB, words, tf-idf": lambda: make_pipeline(weighted_words(), ComplementNB()),
    "LinearSVC, words, tf-idf": lambda: make_pipeline(weighted_words(), LinearSVC()),
}
ON_PAIRS = {
    "MultinomialNB, c2": lambda: make_pipeline(counted_pairs(), MultinomialNB()),
    "ComplementNB, c2, tf-idf": lambda: make_pipeline(weighted_pairs(), ComplementNB()),
}
ON_BOTH = {
    "LinearSVC, words and c1, c2, tf-idf": lambda: make_pipeline(weighted_words_and_characters(), LinearSVC()),
}


def fast_text(folder, documents, classes, others, truth, spell):
    path = os.path.join(folder, "fasttext.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"__label__{label} {spell(it)}\n" for label, it in zip(classes, documents))
    model = fasttext.train_supervised(path, wordNgrams=2, dim=100, epoch=25, lr=0.5, thread=2, seed=SEED,
                                      verbose=0)
    answers = [it[0] for it in model.predict([spell(it) for it in others])[0]]
    return numpy.mean([it == f"__label__{label}" for it, label in zip(answers, truth)])


def spelled_words(document):
    return " ".join(document[1])


def spelled_characters(document):
    return " ".join("".join(document[0].split()))


def ontrail(program, *arguments):
    done = subprocess.run([program, "bcw", *arguments, "--json", "--quiet"], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"ontrail bcw {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def train(program, folder, data, flags):
    """The folder of a model and what `ontrail bcw train` reports of it."""
    model = os.path.join(tempfile.mkdtemp(dir=folder), "model")
    return model, ontrail(program, "train", data, "-o", model, *flags.split())


def accuracy(program, model, data):
    return ontrail(program, "eval", model, data)["accuracy"]


def note(flags, card):
    """What is to be said of a row: what Ontrail chose or learned."""
    if flags == REPAIRED:
        return " (eq. 8 repaired)"
    if "learn" in flags:
        return f" ({', '.join(f'{weight:.3g}' for weight in card['settings']['label_weights'])})"
    if "auto" in flags:
        features = card["features"]
        names = ["words"] * features["words"] + ["pairs"] * features["pairs"]
        names += [f"c{length}" for length in features["characters"]]
        return f" (chose {card['settings']['mode']}, {','.join(names)})"
    return ""


def compare(program, folder, title, known, asked, peers, spellings, flags):
    """One table: peers and Ontrail trained on the rows `known` and tried on the rows `asked`."""
    say(f"{title}: segmentation")
    documents, others = segment(known), segment(asked)
    rows = []
    for name, make in peers.items():
        say(name)
        rows.append((name, percent(make().fit(documents, labels(known)).score(others, labels(asked)))))
    for name, spell in spellings.items():
        say(name)
        rows.append((name, percent(fast_text(folder, documents, labels(known), others, labels(asked), spell))))
    known_path = write(os.path.join(folder, "known.tsv"), known)
    asked_path = write(os.path.join(folder, "asked.tsv"), asked)
    for flag in flags:
        say(f"Ontrail {flag}")
        model, report = train(program, folder, known_path, flag)
        right = accuracy(program, model, asked_path)
        rows.append((f"Ontrail `{flag}`{note(flag, report['card'])}", percent(right)))
    classes = len(set(labels(known)))
    show(f"{title}: {classes} classes, {len(known):,} to train on, {len(asked):,} to try", ["", "accuracy"], rows)


def headlines(program, news, folder):
    flags = ["--mode literal", REPAIRED, "--mode exponent", "--mode exponent --features auto", "--auto"]
    compare(program, folder, "Headlines", news["headlines-train"], news["headlines-dev"],
            {**ON_WORDS, **ON_PAIRS, **ON_BOTH},
            {"fastText, words": spelled_words, "fastText, characters": spelled_characters}, flags)


def first(rows, wanted, count):
    """The first `count` rows of every class of `wanted`, in the order of the file."""
    left = dict.fromkeys(wanted, count)
    kept = []
    for label, text in rows:
        if left.get(label, 0) > 0:
            left[label] -= 1
            kept.append((label, text))
    return kept


def five(program, news, folder):
    flags = ["--mode literal", "--mode exponent", "--auto"]
    compare(program, folder, "Five classes of headlines", first(news["headlines-train"], FIVE, FIVE_TRAIN),
            first(news["headlines-dev"], FIVE, FIVE_TEST), {**ON_WORDS, **ON_BOTH},
            {"fastText, words": spelled_words}, flags)


def articles(program, news, folder):
    rows = news["fulltext-dev"]
    say("Articles: segmentation")
    documents, classes = numpy.empty(len(rows), dtype=object), labels(rows)
    documents[:] = segment(rows)
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    table = []
    for name, make in ON_WORDS.items():
        say(name)
        table.append((name, percent(cross_val_score(make(), documents, classes, cv=folds).mean())))
    path = write(os.path.join(folder, "articles.tsv"), rows)
    for flags in ["--mode exponent", "--auto"]:
        say(f"Ontrail {flags}")
        report = ontrail(program, "eval", path, "--folds", "5", *flags.split())
        table.append((f"Ontrail `{flags}`", percent(report["accuracy"])))
    show(f"Articles: {len(set(classes))} classes, {len(rows):,} articles, 5-fold", ["", "accuracy"], table)


def links(texts):
    return "\n".join(f'<a href="/{place}.html">{html.escape(text)}</a>' for place, text in enumerate(texts))


def woven(article, beside):
    """A page with an article, a navigation bar and sidebars of ten headlines each."""
    title = html.escape(re.split("[。！？]", article, maxsplit=1)[0][:30])
    paragraphs = []
    for sentence in re.findall("[^。！？]*[。！？]+|[^。！？]+", article):
        if paragraphs and len(paragraphs[-1]) < PARAGRAPH:
            paragraphs[-1] += sentence
        else:
            paragraphs.append(sentence)
    body = "\n".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
    sidebars = [f"<div>\n{links(beside[at:at + 10])}\n</div>" for at in range(0, len(beside), 10)]
    head = f'<!DOCTYPE html>\n<html lang="zh"><head><meta charset="utf-8"><title>{title}</title></head><body>'
    bar = f"<div>\n{links(BAR)}\n</div>"
    return "\n".join([head, bar, f"<h1>{title}</h1>", body, *sidebars, "</body></html>\n"])


def weave(folder, rows, sidebars, count):
    """Writes articles as pages into a folder for each class, with the first `count` of their headlines."""
    numbers = dict.fromkeys(labels(rows), 0)
    for (label, text), beside in zip(rows, sidebars):
        numbers[label] += 1
        path = os.path.join(folder, label, f"{numbers[label]:04}.html")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(woven(text, beside[:count]))
    return folder


def pages(program, news, folder):
    say("Pages: weaving")
    totals = collections.Counter(labels(news["fulltext-dev"]))
    known, asked, seen = [], [], collections.Counter()
    for label, text in news["fulltext-dev"]:
        (known if seen[label] < round(TRAIN_SHARE * totals[label]) else asked).append((label, text))
        seen[label] += 1

    offered = collections.defaultdict(list)
    for label, text in news["headlines-dev"]:
        if label in totals:
            offered[label].append(text)
    half = min(map(len, offered.values())) // 2
    chance = random.Random(7)

    def draw(rows, part):
        for label, _ in rows:
            wrong = chance.choice([it for it in sorted(offered) if it != label])
            yield chance.sample(offered[wrong][part], HEADLINES[-1])

    beside_asked, beside_known = list(draw(asked, slice(half, None))), list(draw(known, slice(half)))
    tried = [write(os.path.join(folder, "asked.tsv"), asked)]
    tried += [weave(os.path.join(folder, f"asked{count}"), asked, beside_asked, count) for count in HEADLINES]
    known_texts = write(os.path.join(folder, "known.tsv"), known)
    known_pages = weave(os.path.join(folder, "known"), known, beside_known, HEADLINES_IN_TRAINING)

    exponent = ["--mode exponent", "--mode exponent --term-weights none"]
    modes = [*exponent, "--mode counts", "--mode linear --features words"]
    rows = []
    for kind, data in [("texts", known_texts), ("pages", known_pages)]:
        for mode in modes:
            # Plain texts have no label groups, and only mode exponent learns label weights.
            learn = ["learn"] if kind == "pages" and mode in exponent else []
            for weights in ["none", "table", *learn]:
                flags = f"{mode} --label-weights {weights}"
                say(f"Ontrail {flags}, trained on {kind}")
                model, report = train(program, folder, data, flags)
                right = [percent(accuracy(program, model, it)) for it in tried]
                rows.append((f"`{flags}`{note(flags, report['card'])}", kind, *right))
    show(f"Pages: {len(totals)} classes, {len(known):,} to train on, {len(asked):,} to try",
         ["Ontrail", "trained on", "texts", *(f"{count} headlines" for count in HEADLINES)], rows)


def fastest(work):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def speed(program, news, folder):
    rows = news["headlines-train"]
    path = write(os.path.join(folder, "speed.tsv"), rows)
    table = []
    for flags, name, make in [
        ("--mode exponent", "MultinomialNB, words", ON_WORDS["MultinomialNB, words"]),
        ("--mode linear --features words,c1,c2", *next(iter(ON_BOTH.items()))),
    ]:
        say(f"Speed: {name}")
        peer = fastest(lambda: make().fit(segment(rows), labels(rows)))
        for more in ["", " --threads 1"]:
            say(f"Speed: Ontrail {flags}{more}")
            mine = fastest(lambda: train(program, folder, path, flags + more))
            table.append((f"`{flags}{more}`", f"{mine:.2f}", name, f"{peer:.2f}", f"{peer / mine:.1f}"))
    show(f"Training on {len(rows):,} headlines, seconds", ["Ontrail", "s", "peer", "s", "times as fast"], table)


SECTIONS = {it.__name__: it for it in [headlines, five, articles, pages, speed]}


def main(program, source, wanted):
    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    news = {name: read(os.path.join(source, f"{name}.tsv"))
            for name in ["headlines-train", "headlines-dev", "fulltext-dev"]}
    print(f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, jieba {jieba.__version__}, "
          f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    for name in wanted or SECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            SECTIONS[name](program, news, folder)
    say("done")


if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(SECTIONS):
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
