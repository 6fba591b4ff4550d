"""Compares what Ontrail says of words and topics with other programs.

- NLTK reads WordNet's own files; pairs of senses and of words must be as alike as Ontrail finds them,
  by every measure that both know.
- SciPy correlates the same figures; Pearson's and Spearman's coefficients must be the same.
- scikit-learn counts the words of texts; the topics learned from them must have the same terms and
  weights, and pages the same cosines with them.
- NumPy adds up SSRM and SVSM pair by pair, with the meanings that NLTK finds; Ontrail, which goes
  another way, must come to the same relevance.
- SciPy and scikit-learn fit the map from R to P(relevant) (Platt's curve, isotonic regression) and count
  the AUC; a calibrated topic must have the same.

Without WordNet (Debian: wordnet-base) only what needs no meanings is compared.
"""

import collections
import functools
import json
import math
import pathlib
import random
import re
import shutil
import warnings

import nltk
import numpy
import scipy.optimize
import scipy.stats
import sklearn.metrics
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.stem.snowball import SnowballStemmer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics.pairwise import cosine_similarity

WORDNET = pathlib.Path("/usr/share/wordnet")
STEMMER = SnowballStemmer("english")

# Nouns that are their own stems and not stop words. The stemmers of NLTK and Ontrail agree on all of
# them; they differ in words such as "biologist", "emergency" and "evening".
WORDS = """
    rain flood storm wind cloud river snow frost hail drought thunder weather
    dam harbor road car truck train boat ship doctor king queen child teacher student
    bank stock market fund loan debt bond coin gold iron steel brick roof door
    dog cat wolf fish bird tree wood leaf plant fruit bread milk salt sugar meat book
""".split()
# Words on pages that are in no text that a topic is learned from: nouns and unknown words.
OTHERS = "zebra piano guitar mud lake fog monsoon tsunami cash hand foot".split() + ["xqzv", "zzyzx", "brrk"]
INFLECTED = "floods flooding storms raining lightning clouds rivers banks dogs doors zebras winds".split()

# Some of these words share a sense, some are more specific and share more, such as unit and whole;
# some are plurals.
WORD_PAIRS = """
    taxi cab, sofa couch, lorry truck, stone rock, sea ocean, hill mountain, nurse surgeon, oak pine,
    spoon fork, violin trumpet, cheese butter, pilot sailor, bridge tunnel, winter summer, glove boot,
    lawyer judge, eagle sparrow, copper silver, village town, letter parcel, onion carrot, clock watch,
    ladder rope, poem novel, kitchen bedroom, engine wheel, island desert, ticket passport, flame smoke,
    dog cat, rain snow, flood drought, storm wind,
    bank money, river bank, doctor nurse, teacher student, king queen, tiger jaguar, stock market,
    computer keyboard, love hate, sun moon, paris london, einstein physicist, hot_dog sausage,
    ice_cream dessert, entity thing, law lawyer, unit whole, act deed, idea thought,
    mice geese, wolves foxes, churches ladies, boxes teeth, children women
"""


def close(check, what, found, expected, tolerance=1e-9):
    """Checks a figure that may differ in its last digits."""
    is_close = isinstance(found, (int, float)) and abs(found - expected) <= tolerance
    check(what, expected if is_close else found, expected)


class Reader(WordNetCorpusReader):
    """NLTK's reader, for files that did not come with NLTK."""

    def map_wn(self, version="wordnet"):
        # The mapping to another version concerns words of other languages, which are not used here.
        return None


class Nouns:
    """WordNet's nouns as NLTK reads them, with the measures."""

    def __init__(self, folder):
        # NLTK reads no files outside its data folders, and follows no symbolic links out of them.
        folder = pathlib.Path(folder) / "wordnet"
        folder.mkdir()
        for path in WORDNET.iterdir():
            if path.name.startswith(("data.", "index.")) or path.suffix == ".exc":
                shutil.copyfile(path, folder / path.name)
        # NLTK needs this list of lexicographer files as well, but no measure uses it.
        (folder / "lexnames").write_text("".join(f"{number:02}\tfile{number}\t1\n" for number in range(45)))
        nltk.data.path.append(str(folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other languages are not there
            self.reader = Reader(str(folder), None)
        self.synsets = list(self.reader.all_synsets("n"))
        self.levels = max(synset.max_depth() for synset in self.synsets) + 1
        self.content = self.seco()
        # NLTK takes information content to be −ln(count / count of all). The offset 0 stands for all.
        self.counts = {"n": {offset: math.exp(-content) for offset, content in self.content.items()} | {0: 1.0}}
        self.above = functools.cache(self.above)
        self.senses = functools.cache(self.senses)
        self.measures = {
            "path": self.path, "lch": self.lch, "lin": self.lin, "resnik": self.resnik, "jcn": self.jcn,
        }

    def seco(self):
        """Seco's information content of each noun by its offset: 1 − ln(hypo + 1) / ln(all)."""
        below = {
            synset.offset(): [child.offset() for child in synset.hyponyms() + synset.instance_hyponyms()]
            for synset in self.synsets
        }
        content = {}
        for offset in below:
            seen, open_ends = {offset}, [offset]
            while open_ends:
                for child in below[open_ends.pop()]:
                    if child not in seen:
                        seen.add(child)
                        open_ends.append(child)
            content[offset] = 1.0 - math.log(len(seen)) / math.log(len(below))
        return content

    def above(self, synset):
        """The ancestors of a synset, itself included, with the shortest way to each."""
        ways, level, way = {}, [synset], 0
        while level:
            ways.update((one, way) for one in level if one not in ways)
            parents = [parent for one in level for parent in one.hypernyms() + one.instance_hypernyms()]
            level, way = [parent for parent in parents if parent not in ways], way + 1
        return ways

    def path(self, a, b):
        """Eq. 5 of sdvsm, which NLTK lacks: its own Wu and Palmer take the depth by the longest way."""
        above_a, above_b = self.above(a), self.above(b)
        common = above_a.keys() & above_b.keys()
        way = min(above_a[one] + above_b[one] for one in common)
        # The shortest path to a root, in nodes.
        depth = max(
            1 + min(up for top, up in self.above(one).items() if not top.hypernyms() + top.instance_hypernyms())
            for one in common
        )
        return 1.0 - way / (way + 2.0 * depth)

    # NLTK's paths and common ancestors include instance hypernyms, as Ontrail's do, so all nouns can
    # be compared.

    def lch(self, a, b):
        """NLTK counts the levels by the edges between them, one fewer."""
        return a.lch_similarity(b) - math.log(2 * (self.levels - 1)) + math.log(2 * self.levels)

    def lin(self, a, b):
        return 1.0 if a == b else a.lin_similarity(b, self.counts)

    def resnik(self, a, b):
        return a.res_similarity(b, self.counts)

    def jcn(self, a, b):
        """NLTK has one over the distance, and gives up where one of the two has no content."""
        if self.content[a.offset()] and self.content[b.offset()]:
            return 1.0 - 1.0 / a.jcn_similarity(b, self.counts) / 2.0
        distance = self.content[a.offset()] + self.content[b.offset()] - 2.0 * self.resnik(a, b)
        return 1.0 - distance / 2.0

    @staticmethod
    def key(synset):
        """What Ontrail calls a synset: dog.n.01 is dog#1."""
        word, _, number = synset.name().rsplit(".", 2)
        return f"{word}#{int(number)}"

    def senses(self, word):
        """The senses of a word as it stands; of one that is not listed, those of what it is the plural of."""
        listed = [lemma.synset() for lemma in self.reader.lemmas(word, "n")]
        return listed or self.reader.synsets(word, "n")

    def by_stem(self, stems):
        """The senses of all words without a space or a hyphen that have one of these stems."""
        found = collections.defaultdict(set)
        for lemma in self.reader.all_lemma_names("n"):
            if re.fullmatch("[a-z0-9']{2,}", lemma) and STEMMER.stem(lemma) in stems:
                found[STEMMER.stem(lemma)].update(self.senses(lemma))
        return found


def pairs_of_senses(nouns):
    """Pairs of synsets: some at random, of which most have little in common, and some near each other."""
    chance = random.Random(11)
    pairs = [tuple(chance.choices(nouns.synsets, k=2)) for _ in range(150)]
    for _ in range(150):
        first = chance.choice(nouns.synsets)
        near = first
        for step in ["up"] * chance.randint(1, 3) + ["down"] * chance.randint(0, 3):
            up, down = near.hypernyms() + near.instance_hypernyms(), near.hyponyms() + near.instance_hyponyms()
            near = chance.choice((up if step == "up" else down) or [near])
        pairs.append((first, near))
    return pairs + [(nouns.synsets[0], first) for first, _ in pairs[:5]]


def check_similarity(check, ontrail, folder, nouns):
    chance = random.Random(12)
    senses = pairs_of_senses(nouns)
    words = [pair.split() for pair in WORD_PAIRS.split(",")]
    # Scores with many ties.
    scores = [chance.choice([0, 0.5, 1, 2, 2.25, 3, 3.5, 4]) for _ in senses + words]
    rows = [(nouns.key(a), nouns.key(b)) for a, b in senses] + [(a, b) for a, b in words]
    file = folder / "pairs.tsv"
    file.write_text("".join(f"{a}\t{b}\t{score}\n" for (a, b), score in zip(rows, scores)))
    by_key = {nouns.key(synset): synset for synset in nouns.synsets}
    for name, measure in nouns.measures.items():
        # From 0 to 1 (only Leacock and Chodorow needs another scale), and 1 for a sense with itself.
        scale = math.log(2 * nouns.levels) if name == "lch" else 1.0

        def similarity(one, other):
            return 1.0 if one == other else measure(one, other) / scale

        said = ontrail("topic", "similarity", "--pairs", file, "--measure", name)
        found = said["pairs"]
        check(f"{name}: pairs", [(pair["a"], pair["b"]) for pair in found], rows)
        check(f"{name}: unknown words", said["unknown"], [])
        for (a, b), pair in zip(senses, found):
            what = f"{name} of {pair['a']} and {pair['b']}"
            close(check, what, pair["value"], measure(a, b))
            close(check, f"{what}, from 0 to 1", pair["similarity"], similarity(a, b))
            check(f"{what}: senses", pair["senses"], [nouns.key(a), nouns.key(b)])
        for (a, b), pair in zip(words, found[len(senses):]):
            of_a, of_b = nouns.senses(a), nouns.senses(b)
            what = f"{name} of {a} and {b}"
            both = [(one, other) for one in of_a for other in of_b]
            close(check, what, pair["value"], max(measure(*two) for two in both))
            close(check, f"{what}, from 0 to 1", pair["similarity"], max(similarity(*two) for two in both))
            # Several pairs of senses may be equally similar; the reported pair must be one of them.
            one, other = (by_key[key] for key in pair["senses"])
            check(f"{what}: senses are theirs", (one in of_a, other in of_b), (True, True))
            close(check, f"{what}: the senses named", pair["value"], measure(one, other))
        values = [pair["value"] for pair in found]
        check(f"{name}: scores", [pair["human"] for pair in found], scores)
        close(check, f"{name}: Pearson", said["pearson"], float(scipy.stats.pearsonr(values, scores)[0]))
        close(check, f"{name}: Spearman", said["spearman"], float(scipy.stats.spearmanr(values, scores)[0]))


class Texts:
    """Texts of known words, some of them on a topic, and how often each word is in each text."""

    # With a prime number of texts, and no two words in equally many of them, no two terms of a text
    # have the same weight: f · ln(N / a) = g · ln(N / b) has no solution in whole numbers but f = g, a = b.
    NUMBER = 199
    ON_TOPIC = 61

    def __init__(self):
        chance = random.Random(13)
        texts = [[] for _ in range(self.NUMBER)]
        words = WORDS[:]
        chance.shuffle(words)
        step = self.NUMBER // len(words)
        for place, word in enumerate(words):
            # The first word is in all texts, so its weight is 0.
            for text in chance.sample(range(self.NUMBER), self.NUMBER - place * step):
                texts[text] += [word] * chance.choice([1, 1, 1, 2, 2, 3, 5])
        for text in texts:
            chance.shuffle(text)
        self.texts = [" ".join(text) for text in texts]
        counter = CountVectorizer()
        self.counts = counter.fit_transform(self.texts).toarray()
        self.terms = list(counter.get_feature_names_out())
        self.topic = self.counts[: self.ON_TOPIC]
        self.containing = (self.counts > 0).sum(axis=0)
        assert len(set(self.containing)) == len(self.terms) == len(WORDS)

    def write(self, path):
        labels = ["weather"] * self.ON_TOPIC + ["other"] * (self.NUMBER - self.ON_TOPIC)
        path.write_text("".join(f"{label}\t{text}\n" for label, text in zip(labels, self.texts)))

    def best(self, weights, number):
        """The terms of most weight, as a topic file has them."""
        order = sorted(weights, key=weights.get, reverse=True)[:number]
        return [[term, f"{weights[term]:.6g}"] for term in order]

    def by_tf_idf(self, number):
        """Eq. 1 of bcw-cc."""
        counts = self.topic.sum(axis=0)
        weights = counts / counts.sum() * numpy.log(self.NUMBER / self.containing + 0.01)
        return self.best(dict(zip(self.terms, weights)), number)

    def by_pages(self, number, smooth):
        """Eq. 9 of sdvsm: the two best terms of each text, then the next two, with their mean weights."""
        # scikit-learn adds 1 to ln(N / N_i); in the smooth form this 1 is part of the formula.
        rarity = TfidfTransformer(smooth_idf=smooth).fit(self.counts).idf_ - (0 if smooth else 1)
        weights = self.topic / self.topic.max(axis=1, keepdims=True) * rarity
        ranked = [[place for place in numpy.argsort(-text) if text[place] > 1e-12] for text in weights]
        mean = weights.mean(axis=0)
        chosen = set()
        for start in range(0, len(self.terms), 2):
            fresh = {place for text in ranked for place in text[start : start + 2]} - chosen
            # If a round gives more terms than needed, the heaviest are taken.
            chosen |= set(sorted(fresh, key=lambda place: -mean[place])[: number - len(chosen)])
        return self.best({self.terms[place]: mean[place] for place in chosen}, number)


def check_learning(check, ontrail, folder, texts):
    """Topics learned from the texts; the files of two."""
    data = folder / "texts.tsv"
    texts.write(data)
    learned = {}
    cases = [("tfidf", number, []) for number in (1, 12, 40, 1000)]
    cases += [("pages", number, idf) for number in (1, 2, 7, 12, 40, 1000) for idf in ([], ["--idf", "smooth"])]
    for method, number, idf in cases:
        file = folder / "-".join([method, str(number), *idf[1:], "topic.json"])
        said = ontrail("topic", "learn", data, "--label", "weather", "--method", method, "-n", number, *idf, "-o", file)
        expected = texts.by_tf_idf(number) if method == "tfidf" else texts.by_pages(number, bool(idf))
        content = json.loads(file.read_text(encoding="utf-8"))["content"]
        for where, terms in (("printed", said["terms"]), ("written", content["terms"])):
            found = [[term["term"], f"{term['weight']:.6g}"] for term in terms]
            check(f"{file.name}: terms {where}", found, expected)
        check(f"{file.name}: texts", (said["texts"], said["texts_on_topic"]), (texts.NUMBER, texts.ON_TOPIC))
        background = content["background"]
        check(f"{file.name}: N", background["documents"], texts.NUMBER)
        check(f"{file.name}: words", background["words"], int(texts.counts.sum()))
        # A word that is in only one text is not listed.
        common = {term: int(number) for term, number in zip(texts.terms, texts.containing) if number > 1}
        check(f"{file.name}: N_i", background["containing"], common)
        if number == 12 and not idf:
            learned[file] = {term["term"]: term["weight"] for term in content["terms"]}
    return learned


def pages_of_words(folder):
    """Pages, and how often each term is on them."""
    chance = random.Random(14)
    all_words = WORDS + OTHERS
    words = [["rain"], ["zebra", "xqzv"], OTHERS, WORDS, INFLECTED + ["storm", "flood"]]
    for length in [2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]:
        few = chance.sample(all_words, chance.randint(2, len(all_words)))
        words.append(chance.choices(few, k=length))
    pages = {}
    for number, page in enumerate(words):
        path = folder / f"page-{number}.html"
        path.write_text(f"<p>{' '.join(page)}</p>")
        pages[path] = collections.Counter(map(STEMMER.stem, page))
    return pages


def page_weights(counts, texts):
    """Eq. 9 of sdvsm: f / max f · ln(N / N_i), with 1 for N_i of a term that is in no text."""
    containing = dict(zip(texts.terms, map(int, texts.containing)))
    most = max(counts.values())
    return {term: f / most * math.log(texts.NUMBER / containing.get(term, 1)) for term, f in counts.items()}


def vsm(page, topic):
    """The cosine over all terms of either (eq. 17 of sdvsm)."""
    terms = sorted(page.keys() | topic.keys())
    vectors = numpy.array([[side.get(term, 0.0) for term in terms] for side in (page, topic)])
    return float(cosine_similarity(vectors[:1], vectors[1:])[0, 0])


def sides(page, topic, sem):
    """For every pair of a page's term and a topic's: their weights, and how alike they are."""
    of_page, of_topic = numpy.meshgrid(list(page.values()), list(topic.values()), indexing="ij")
    alike = numpy.array([[sem(i, j) for j in topic] for i in page])
    # Pairs with a low similarity are left out.
    return of_page, of_topic, numpy.where(alike >= 0.1, alike, 0.0)


def ssrm(page, topic, sem):
    """Eq. 18 of sdvsm."""
    of_page, of_topic, alike = sides(page, topic, sem)
    return float((alike * of_page * of_topic).sum() / (of_page * of_topic).sum())


def svsm(page, topic, sem):
    """Eq. 19 of sdvsm: the cosine of two vectors with a coordinate for each pair."""
    of_page, of_topic, alike = sides(page, topic, sem)
    vectors = (of_page * alike).reshape(1, -1), (of_topic * alike).reshape(1, -1)
    return float(cosine_similarity(*vectors)[0, 0])


def check_scores(check, ontrail, topics, pages, texts, name, relevance):
    """Pages by one model and each topic; relevance says what a page's weights and a topic's come to."""
    options = ["--model", name, "--weights", "tfidf", *([] if name == "vsm" else ["--measure", "lin"])]
    for file, topic in topics.items():
        said = ontrail("topic", "score", file, *pages, *options)["pages"]
        check(f"{name}: pages", [page["page"] for page in said], [str(path) for path in pages])
        for (path, counts), page in zip(pages.items(), said):
            weights = page_weights(counts, texts)
            close(check, f"{name} of {path.name} and {file.name}", page["relevance"], relevance(weights, topic))
            check(f"{path.name}: words", page["words"], counts.total())


def check_calibration(check, ontrail, folder):
    """The map from R to P(relevant), fitted to the same scores by other programs: Platt's curve with his
    targets by SciPy's minimiser, isotonic regression and the AUC by scikit-learn."""
    chance = random.Random(15)
    words = ["rain", "flood", "storm", "hail"]
    topic = folder / "calibrated.topic.json"
    ontrail("topic", "keywords", "rain=4", "flood=3", "storm=2", "hail=1", "-o", topic)
    for number, (on, off) in enumerate([(12, 40), (150, 260)]):
        for name, pages, share in (("on", on, 0.7), ("off", off, 0.35)):
            place = folder / f"{name}{number}"
            place.mkdir()
            for page in range(pages):
                text = " ".join(word for word in words if chance.random() < share)
                (place / f"{page:03}.html").write_text(f"<p>page {text}", encoding="utf-8")
        paths = [folder / f"on{number}", folder / f"off{number}"]
        scores = [[page["relevance"] for page in ontrail("topic", "score", topic, path)["pages"]] for path in paths]
        said = ontrail("topic", "calibrate", topic, "--on", paths[0], "--off", paths[1])["calibrations"]
        said = next(it for it in said if it["scoring"]["content"] == "page" and "labels" in it["scoring"]["weights"])
        truth = numpy.array([1] * on + [0] * off)
        found = numpy.array([round(score, 6) for part in scores for score in part])
        close(check, "AUC", said["quality"]["auc"]["value"], sklearn.metrics.roc_auc_score(truth, found))
        targets = numpy.where(truth == 1, (on + 1) / (on + 2), 1 / (off + 2))
        if "platt" in said["map"]:
            def loss(line):
                x = line[0] * found + line[1]
                return numpy.sum(numpy.logaddexp(0, x) - targets * x)
            best = scipy.optimize.minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9})
            for name, value in zip(("slope", "intercept"), best.x):
                check(f"Platt's {name}", math.isclose(said["map"]["platt"][name], value, rel_tol=1e-4), True)
        else:
            least = 1 / (on + off + 2)
            curve = IsotonicRegression(y_min=least, y_max=1 - least).fit(found, truth)
            for r, p in said["map"]["isotonic"]["points"]:
                close(check, f"isotonic at {r}", p, float(curve.predict([r])[0]))


def run(check, ontrail, folder):
    """All comparisons. check(what, found, expected) counts them; ontrail(*arguments) gives the JSON that
    Ontrail prints; files go to the folder."""
    changed = [word for word in WORDS + OTHERS if STEMMER.stem(word) != word]
    assert not changed, f"not their own stems: {changed}"
    folder = pathlib.Path(folder) / "topics"
    folder.mkdir()
    texts = Texts()
    topics = check_learning(check, ontrail, folder, texts)
    pages = pages_of_words(folder)
    check_scores(check, ontrail, topics, pages, texts, "vsm", vsm)
    check_calibration(check, ontrail, folder)
    if not (WORDNET / "data.noun").is_file():
        print(f"skipped: WordNet is not in {WORDNET} (Debian: wordnet-base), so no meanings are compared")
        return
    nouns = Nouns(folder)
    check_similarity(check, ontrail, folder, nouns)
    senses = nouns.by_stem({term for counts in pages.values() for term in counts} | set(WORDS))

    @functools.cache
    def sem(i, j):
        if i == j:
            return 1.0
        return max((nouns.lin(a, b) for a in senses[i] for b in senses[j]), default=0.0)

    check_scores(check, ontrail, topics, pages, texts, "ssrm", functools.partial(ssrm, sem=sem))
    check_scores(check, ontrail, topics, pages, texts, "svsm", functools.partial(svsm, sem=sem))
