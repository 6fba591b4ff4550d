"""A web with labels, the topics that are chosen from it, and its examples and seeds."""

import hashlib
import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

import links

# Examples of a topic, and of everything else, from which the models are made.
ON, OFF = 12, 120
SEEDS = 10
# A topic has at least this many pages, and at least this share of the pages of its web.
MIN_PAGES, MIN_SHARE = 60, 0.01
# Least share of the relevant pages that links must lead to from the seeds.
REACHABLE = 0.6


def in_hash_order(items, salt):
    """Returns items in an order that looks random and is always the same."""
    return sorted(items, key=lambda it: hashlib.sha256(f"{salt}\0{it}".encode()).digest())


@dataclass
class Web:
    """Pages by their paths, and the labels of each."""

    name: str
    front: list
    max_share: float = 0.165  # greatest share of a topic
    pages: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)

    def add(self, path, text, labels):
        self.pages[path] = text
        self.labels[path] = labels

    def with_label(self, label):
        return {path for path, labels in self.labels.items() if label in labels}

    def url(self, path):
        return f"http://{self.name}.test/{quote(path)}"

    def served(self, opaque):
        """Returns the same web as it is served: with URLs that say nothing, or with its own."""
        new_path = opaque_path if opaque else str
        new_paths = {path: new_path(path) for path in self.pages}
        if len(set(new_paths.values())) < len(new_paths):
            raise SystemExit(f"error: {self.name}: two pages have the same opaque URL")
        new_urls = {unquote(self.url(path)): f"/{quote(it)}" for path, it in new_paths.items()}
        for url, new in list(new_urls.items()):
            new_urls.setdefault(url.removesuffix("index.html"), new)
        result = Web(self.name, [new_paths[path] for path in self.front], self.max_share)
        for path, text in self.pages.items():
            text = links.rewrite(text, self.url(path), new_urls)
            result.add(new_paths[path], text, self.labels[path])
        return result

    def graph(self):
        """Returns the pages that each page links to, itself left out."""
        paths = {self.url(path): path for path in self.pages}
        return {
            path: [
                paths[target]
                for target in links.targets(text, self.url(path))
                if target in paths and paths[target] != path
            ]
            for path, text in self.pages.items()
        }


def opaque_path(path):
    return f"p/{hashlib.sha256(path.encode()).hexdigest()[:10]}.html"


def reached(graph, seeds):
    """Returns the pages to which links lead from the seeds, the seeds included."""
    found, waiting = set(seeds), list(seeds)
    while waiting:
        new = [path for path in graph[waiting.pop()] if path not in found]
        found.update(new)
        waiting += new
    return found


def candidates(web):
    """Returns the labels that are fit for topics, largest first.

    They have neither too few pages nor too many. Of labels inside each other the innermost is
    taken.
    """
    sets = {}
    for label in sorted({label for labels in web.labels.values() for label in labels}):
        pages = frozenset(web.with_label(label))
        least = max(MIN_PAGES, MIN_SHARE * len(web.pages))
        if least <= len(pages) <= web.max_share * len(web.pages) and pages not in sets.values():
            sets[label] = pages
    found = [it for it in sets if not any(other < sets[it] for other in sets.values())]
    return sorted(found, key=lambda label: (-len(sets[label]), label))


def spread(items, count):
    """Returns at most `count` items, evenly from the first to the last."""
    if len(items) <= count:
        return items
    return [items[round(at * (len(items) - 1) / (count - 1))] for at in range(count)]


@dataclass
class Topic:
    """A topic of a web: its relevant pages, the examples for its models, its seeds.

    No example is counted as relevant or used as a seed, so that no crawler is measured by pages
    that its models were made from.
    """

    name: str
    relevant: set
    on: list
    off: list
    seeds: dict

    @classmethod
    def of(cls, web, label):
        salt = f"{web.name}/{label}"
        labelled = web.with_label(label)
        # A page without a label may well be on the topic, so it is no example of the others.
        others = {path for path, labels in web.labels.items() if labels} - labelled
        front = [path for path in web.front if path not in labelled]
        on = in_hash_order(labelled - set(web.front), f"{salt}/on")[:ON]
        off = in_hash_order(others - set(web.front), f"{salt}/off")[:OFF]
        relevant = labelled - set(on)
        usable = set(web.pages) - set(on) - set(off) - set(front)
        strangers = in_hash_order(usable - labelled, f"{salt}/front")[: SEEDS - len(front)]
        some = in_hash_order(relevant, f"{salt}/some")[: SEEDS // 2]
        mixed = in_hash_order(usable - set(some), f"{salt}/mixed")[: SEEDS - len(some)]
        name = re.sub(r"[^A-Za-z0-9]+", "-", label)
        return cls(name, relevant, on, off, {"front": front + strangers, "some": some + mixed})

    def reach(self, graph):
        """Returns the share of the relevant pages that links lead to, for each set of seeds."""
        found = {kind: reached(graph, seeds) & self.relevant for kind, seeds in self.seeds.items()}
        return {kind: len(pages) / len(self.relevant) for kind, pages in found.items()}

    def label(self, path):
        """Returns the true label of a page with regard to this topic."""
        if path in self.on or path in self.off:
            return "example"
        return "yes" if path in self.relevant else "no"
