"""Manuals with the DOM that their readers see. Labels come from the folder of a page, or from the
chapters that it belongs to by its links `up`."""

import re
from dataclasses import dataclass

import packages
from web import Web

UP = re.compile(r'accesskey="u"\s+href="([^"#]+)|rel="up"\s+href="([^"#]+)')


@dataclass
class Manual:
    """A manual: its package, the folder with its pages, its front page, how to label its pages."""

    package: str
    root: str
    front: str
    labels: str  # "folders" or "chapters"
    depth: int = 9  # greatest number of folders or chapters above each other
    within: str = ""  # folder that all labels are in
    max_share: float = 0.165  # greatest share of a topic


MANUALS = {
    "cppreference": Manual(
        "cppreference-doc-en-html", "usr/share/cppreference/doc/html", "en/index.html",
        "folders", within="en/",
    ),
    # A small manual: its chapters are large or tiny.
    "gimp-zh": Manual(
        "gimp-help-zh-cn", "usr/share/gimp/2.0/help/zh_CN", "index.html", "chapters", max_share=0.25
    ),
    # The names of the folders below the first level are numbers.
    "libreoffice-zh": Manual(
        "libreoffice-help-zh-cn", "usr/share/libreoffice/help", "zh-CN/text/shared/05/new_help.html",
        "folders", depth=1, within="zh-CN/text/",
    ),
    "linux": Manual(
        "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", "index.html", "folders"
    ),
    "postgresql": Manual(
        "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", "index.html", "chapters"
    ),
}


def folders(path, within, depth):
    """Returns the folders that a page is in: `a/b/c.html` is in `a` and `a/b`."""
    if not path.startswith(within):
        return []
    names = path.removeprefix(within).split("/")[:-1]
    return ["/".join(names[:count]) for count in range(1, min(len(names), depth) + 1)]


def chapters(path, ups, front):
    """Returns the chapters that a page is in, itself included: the pages on the way up."""
    found = []
    while path and path != front and path not in found:
        found.append(path)
        path = ups.get(path)
    return [it.removesuffix(".html") for it in reversed(found)]


def up(text):
    """Returns the page that a page of a DocBook manual calls the one above it."""
    found = UP.search(text)
    return found and (found[1] or found[2])


def web(name, folder):
    """Returns the web of an unpacked manual."""
    manual = MANUALS[name]
    found = packages.pages(folder / manual.root)
    pages = {path: text for path, text in found.items() if path.startswith(manual.within)}
    ups = {path: up(text) for path, text in pages.items()} if manual.labels == "chapters" else {}
    result = Web(name, front=[manual.front], max_share=manual.max_share)
    for path, text in pages.items():
        if manual.labels == "folders":
            labels = folders(path, manual.within, manual.depth)
        else:
            labels = chapters(path, ups, manual.front)[: manual.depth]
        result.add(path, text, labels)
    return result
