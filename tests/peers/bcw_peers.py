"""The classifier against scikit-learn and NumPy, on texts of made-up words that no analyzer changes.

Posteriors tell the scores: log(p_a / p_b) is the difference of the scores of two classes, divided by the
temperature, plus that of their log-priors. Weights are kept in single precision, so scores agree to about
seven digits.

- MultinomialNB, ComplementNB: `--mode exponent` with Laplace's smoothing and no term weights, `--mode complement`
- NumPy: absolute discounting and information exponents, the defaults of `--mode exponent`, written out again
- LinearSVC: `--mode linear` without log-odds
- sklearn.metrics: accuracy, macro F1, the confusion matrix and the log-loss of an evaluation
"""

import collections
import json
import math
import random

import numpy
from sklearn import metrics
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

CLASSES = ["ka", "lo", "mi"]
ALPHA, DISCOUNT = 0.7, 0.5


def made_up(chance, number):
    """Texts of three classes of unlike sizes. Words end in x, which no rule of stemming touches."""
    words = sorted({"".join(chance.choice("bdgkmprtvz") + chance.choice("aiou") for _ in range(3)) + "x"
                    for _ in range(160)})
    rows = []
    for n in range(number):
        label = CLASSES[[0, 0, 0, 1, 1, 2][n % 6]]
        own = words[CLASSES.index(label)::3]
        text = [chance.choice(own if chance.random() < 0.35 else words) for _ in range(chance.randint(4, 14))]
        rows.append((label, " ".join(text)))
    return rows


class Texts:
    def __init__(self, folder):
        chance = random.Random(5)
        rows = made_up(chance, 360)
        self.train, self.test = rows[:240], rows[240:]
        self.files = {}
        for name in ["train", "test"]:
            self.files[name] = folder / f"bcw-{name}.tsv"
            lines = "".join(f"{label}\t{text}\n" for label, text in getattr(self, name))
            self.files[name].write_text(lines, encoding="utf-8")
        vectors = CountVectorizer(token_pattern=r"\S+")
        self.counts = vectors.fit_transform(text for _, text in self.train).astype(float)
        self.tried = vectors.transform(text for _, text in self.test).astype(float)
        self.labels = numpy.array([CLASSES.index(label) for label, _ in self.train])
        self.truth = [CLASSES.index(label) for label, _ in self.test]
        self.priors = numpy.bincount(self.labels) / len(self.labels)


def scores(ontrail, texts, folder, name, *flags, priors):
    """What the classifier says of each text: scores of the second and third class less that of the first."""
    model = folder / f"bcw-{name}"
    ontrail("bcw", "train", texts.files["train"], "-o", model, *flags)
    temperature = json.loads((model / "model.json").read_text(encoding="utf-8"))["temperature"]
    answers = ontrail("bcw", "predict", model, texts.files["test"])["documents"]
    found = numpy.log([[answer["posteriors"][label] for label in CLASSES] for answer in answers])
    return model, answers, differences((found - numpy.log(priors)) * temperature)


def differences(scores):
    return scores[:, 1:] - scores[:, :1]


def discounted(texts):
    """The scores of absolute discounting with an exponent for each word."""
    counts = numpy.array([texts.counts[texts.labels == label].sum(axis=0).A1 for label in range(3)])
    taken = numpy.minimum(counts, DISCOUNT)
    spread = (counts > 0).sum(axis=0) / (counts > 0).sum()
    likely = (counts - taken + taken.sum(axis=1, keepdims=True) * spread) / counts.sum(axis=1, keepdims=True)
    holding = numpy.array([(texts.counts[texts.labels == label] > 0).sum(axis=0).A1 for label in range(3)])
    given = (holding + 0.5 * texts.priors[:, None]) / (holding.sum(axis=0) + 0.5)
    exponents = (given * numpy.log(given / texts.priors[:, None])).sum(axis=0)
    return texts.tried.multiply(exponents) @ numpy.log(likely).T


def check_scores(check, name, found, expected, tolerance):
    # If one posterior is nearly 1, the others have no exact digits left.
    for number, (one, other) in enumerate(zip(found.ravel(), numpy.asarray(expected).ravel())):
        if math.isfinite(one) and abs(other) < 300:
            is_close = abs(one - other) <= tolerance * max(1.0, abs(other))
            check(f"{name}: score {number}", other if is_close else one, other)


def check_evaluation(check, ontrail, texts, model, answers):
    said = ontrail("bcw", "eval", model, texts.files["test"])
    predicted = [CLASSES.index(answer["label"]) for answer in answers]
    posteriors = [[answer["posteriors"][label] for label in CLASSES] for answer in answers]
    expected = {
        "accuracy": metrics.accuracy_score(texts.truth, predicted),
        "macro_f1": metrics.f1_score(texts.truth, predicted, average="macro"),
        "log_loss": metrics.log_loss(texts.truth, posteriors),
    }
    for name, value in expected.items():
        check(f"evaluation: {name}", round(said[name], 9), round(value, 9))
    precision, recall, f1, support = metrics.precision_recall_fscore_support(texts.truth, predicted)
    matrix = metrics.confusion_matrix(texts.truth, predicted)
    for number, label in enumerate(CLASSES):
        figures = [precision[number], recall[number], f1[number], support[number]]
        found = [said["classes"][label][name] for name in ["precision", "recall", "f1", "support"]]
        check(f"evaluation: {label}", [round(float(x), 9) for x in found], [round(float(x), 9) for x in figures])
        row = collections.Counter(said["confusion"].get(label, {}))
        check(f"evaluation: confusion of {label}", [row[answer] for answer in CLASSES], list(map(int, matrix[number])))


def run(check, ontrail, folder):
    """All comparisons. check(what, found, expected) counts them; ontrail(*arguments) gives the JSON that
    Ontrail prints."""
    texts = Texts(folder)
    even = numpy.full(3, 1 / 3)
    plain = ["--term-weights", "none"]

    model, answers, found = scores(ontrail, texts, folder, "laplace", *plain, "--smoothing", f"laplace:{ALPHA}",
                                   priors=texts.priors)
    peer = MultinomialNB(alpha=ALPHA).fit(texts.counts, texts.labels)
    check_scores(check, "MultinomialNB", found, differences(texts.tried @ peer.feature_log_prob_.T), 1e-5)
    check_evaluation(check, ontrail, texts, model, answers)

    _, _, found = scores(ontrail, texts, folder, "complement", "--mode", "complement", "--smoothing",
                         f"laplace:{ALPHA}", "--priors", "uniform", priors=even)
    peer = ComplementNB(alpha=ALPHA).fit(texts.counts, texts.labels)
    check_scores(check, "ComplementNB", found, differences(peer.predict_joint_log_proba(texts.tried)), 1e-5)

    _, _, found = scores(ontrail, texts, folder, "discount", "--smoothing", f"discount:{DISCOUNT}", priors=texts.priors)
    check_scores(check, "discounting", found, differences(discounted(texts)), 1e-5)

    _, _, found = scores(ontrail, texts, folder, "linear", "--mode", "linear", "--blend", "0", *plain, priors=even)
    weigh = TfidfTransformer().fit(texts.counts)
    scaled = [counts.copy() for counts in (texts.counts, texts.tried)]
    for counts in scaled:
        counts.data = numpy.log2(1 + counts.data)
    train, tried = [weigh.transform(counts) for counts in scaled]
    peer = LinearSVC(C=1.0, tol=1e-8, max_iter=100000).fit(train, texts.labels)
    # A gradient tolerance of 0.1 means about 0.01 in the scores.
    check_scores(check, "LinearSVC", found, differences(peer.decision_function(tried)), 0.05)
