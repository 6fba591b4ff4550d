"""Turns FOLDOC, a dictionary of computing, into pages: an entry is a page, a {cross reference} is a
link, and the <subject> marks at the beginning of definitions are the labels."""

import gzip
import html
import re

from web import Web

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# A mark stands at the beginning of a paragraph, behind its number, a pronunciation between slashes
# or an abbreviation in parentheses.
MARK = re.compile(
    r"(\s*(?:(?:\d+\.|/[^/\n]{1,60}/|\([^()\n]{1,40}\))\s*)*)<([A-Za-z][^<>@=]{0,80})>\s*"
)
REFERENCE = re.compile(r"\{([^{}]+)\}")
OTHER_TEXT = re.compile(r"(.*?)\s*\(((?:[^()]|\([^()]*\))+)\)", re.DOTALL)
# The dictionary has no front page, and the entry about itself has no links. These two stand in.
FRONT = ["computer", "internet"]


def number(digits):
    """Reads a number of the index, which is written in base 64."""
    value = 0
    for digit in digits:
        value = value * 64 + DIGITS.index(digit)
    return value


def key(term):
    return " ".join(term.lower().split())


def entries(index, data):
    """Returns the entries of a dictionary in the format of dictd: (keys, text), in their order."""
    keys = {}
    for line in index.splitlines():
        term, start, length = line.split("\t")
        if not term.startswith("00-database"):
            keys.setdefault((number(start), number(length)), []).append(term)
    return [(sorted(keys[at]), data[at[0] : sum(at)].decode()) for at in sorted(keys)]


def split_entry(text):
    """Returns the headwords of an entry and the paragraphs below them."""
    head, _, body = text.strip("\n").partition("\n\n")
    words = head.replace("\n", " ").split("%%%") if "%%%" in head else head.split("\n")
    paragraphs = [it for it in re.split(r"\n\s*\n", body) if it.strip()]
    return [" ".join(word.split()) for word in words if word.strip()], paragraphs


def strip_marks(paragraphs):
    """Returns the paragraphs without their subject marks, and the subjects."""
    subjects, texts = set(), []
    for paragraph in paragraphs:
        while mark := MARK.match(paragraph):
            subjects.update(key(subject) for subject in mark[2].split(","))
            paragraph = mark[1] + paragraph[mark.end() :]
        texts.append(paragraph)
    return texts, sorted(subjects - {""})


def link(reference, paths):
    """Returns the HTML of a {cross reference}: `term`, `text (term)` or `text (address)`."""
    target = paths.get(key(reference))
    if target:
        return f'<a href="{target}">{html.escape(reference)}</a>'
    other = OTHER_TEXT.fullmatch(reference)
    if not other:
        return html.escape(reference)
    text, term = html.escape(other[1] or other[2]), " ".join(other[2].split())
    target = paths.get(key(term)) or (term if "://" in term else None)
    return f'<a href="{html.escape(target)}">{text}</a>' if target else text


def page(words, paragraphs, paths):
    """Returns the HTML of an entry."""
    title = html.escape(words[0])
    lines = ["<!DOCTYPE html>", '<html lang="en">', f"<head><title>{title}</title></head>"]
    lines += ["<body>", f"<h1>{title}</h1>"]
    lines += [f"<h2>{html.escape(word)}</h2>" for word in words[1:]]
    for paragraph in paragraphs:
        parts = REFERENCE.split(paragraph.strip())
        parts = [link(it, paths) if at % 2 else html.escape(it) for at, it in enumerate(parts)]
        lines.append(f"<p>{''.join(parts)}</p>")
    return "\n".join([*lines, "</body>", "</html>", ""])


def web(folder):
    """Returns the web of the unpacked package dict-foldoc."""
    files = folder / "usr/share/dictd"
    index = (files / "foldoc.index").read_text(encoding="utf-8")
    data = gzip.decompress((files / "foldoc.dict.dz").read_bytes())
    found = entries(index, data)
    paths = {}
    for at, (keys, _) in enumerate(found):
        for term in keys:
            paths.setdefault(key(term), f"/{at:05}.html")
    result = Web("foldoc", front=[paths[term].removeprefix("/") for term in FRONT])
    for at, (_, text) in enumerate(found):
        words, paragraphs = split_entry(text)
        paragraphs, subjects = strip_marks(paragraphs)
        result.add(f"{at:05}.html", page(words, paragraphs, paths), subjects)
    return result
