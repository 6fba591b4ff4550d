"""Makes a gold standard of main content from the Chinese manuals in Debian packages.

usage: manuals_zh.py ROOT OUT [PAGES]

ROOT is the folder into which the packages were unpacked (`/` if they are installed):

    for p in debian-edu-doc-zh-cn debian-faq-zh-cn debian-handbook debian-reference-zh-cn \\
             debmake-doc gimp-help-zh-cn installation-guide-amd64 kicad-doc-zh maint-guide-zh-cn \\
             lilypond-doc-html-zh libreoffice-help-zh-cn; do
        apt-get download $p && dpkg -x $p*.deb ROOT
    done

Writes OUT/pages/MANUAL--NAME.html and OUT/gold.json (name -> main text). The rule of each manual
says which element holds the text and what in it is not text: navigation, tables of contents, and
the title of the page, which the title of the document repeats. The rules were written after looking
at pages of each manual, with no program of this comparison at hand. At most PAGES pages (12) of
each manual are taken, evenly over their names: those whose main text has at least 150 Chinese
characters, and more of them than of Latin words.
"""

import glob
import json
import os
import re
import sys
from pathlib import Path

import lxml.html

TITLE = "(.//div[@class='titlepage'])[1]"
DOCBOOK = ("/html/body/div[not(@class='navheader' or @class='navfooter')]", ["toc"], [TITLE])
# manual: files, (elements with the text, classes that are left out, paths that are left out)
RULES = {
    "handbook": (
        "usr/share/doc/debian-handbook/html/zh-CN/*.html",
        ("/html/body/div[not(@id='banner')]", ["toc"], [TITLE]),
    ),
    "installation": ("usr/share/doc/installation-guide-amd64/zh_CN/*.html", DOCBOOK),
    "faq": ("usr/share/doc/debian/FAQ/zh-cn/*.html", DOCBOOK),
    "maint-guide": ("usr/share/doc/maint-guide-zh-cn/html/*.html", DOCBOOK),
    "debmake": ("usr/share/doc/debmake-doc/html/*.zh-cn.html", DOCBOOK),
    "reference": ("usr/share/debian-reference/*.zh-cn.html", DOCBOOK),
    "edu": ("usr/share/doc/debian-edu-doc-zh-cn/*.html", DOCBOOK),
    "gimp": ("usr/share/gimp/2.0/help/zh_CN/*.html", DOCBOOK),
    "libreoffice": (
        "usr/share/libreoffice/help/zh-CN/text/s*/guide/*.html",
        ("//div[@id='DisplayArea']", ["howtoget", "related"], [".//h1[1]"]),
    ),
    "lilypond": (
        "usr/share/doc/lilypond/html/Documentation/*/*.zh.html",
        ("//div[@id='main']", ["nav_table", "menu"], [".//div[@id='footer']", "(.//h1|.//h2|.//h3)[1]"]),
    ),
    "kicad": ("usr/share/doc/kicad/help/zh/*.html", ("//div[@id='content']", [], [])),
}
BLOCKS = {
    "p", "div", "li", "dt", "dd", "td", "th", "tr", "table", "ul", "ol", "dl", "pre", "br", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "section",
}  # fmt: skip


def text_of(element, out):
    """Appends the text of an element, with line breaks around blocks."""
    if not isinstance(element.tag, str) or element.tag in ("script", "style"):
        out.append(element.tail or "")
        return
    is_block = element.tag in BLOCKS
    out.append("\n" if is_block else "")
    out.append(element.text or "")
    for child in element:
        text_of(child, out)
    out.append("\n" if is_block else "")
    out.append(element.tail or "")


def main_text(path, rule):
    place, classes, paths = rule
    raw = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", Path(path).read_bytes())
    raw = re.sub(rb'\sxmlns="[^"]*"', b"", raw)
    tree = lxml.html.document_fromstring(raw, parser=lxml.html.HTMLParser(encoding="utf-8"))
    out = []
    for element in tree.xpath(place):
        for name in classes:
            found = f".//*[contains(concat(' ', @class, ' '), ' {name} ')]"
            for useless in element.xpath(found):
                useless.drop_tree()
        for path in paths:
            for useless in element.xpath(path):
                useless.drop_tree()
        element.tail = None
        text_of(element, out)
    lines = (" ".join(line.split()) for line in "".join(out).splitlines())
    return "\n".join(line for line in lines if line)


def main():
    root, out = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    os.makedirs(f"{out}/pages", exist_ok=True)
    gold = {}
    for manual, (pattern, rule) in RULES.items():
        usable = []
        for path in sorted(glob.glob(f"{root}/{pattern}")):
            text = main_text(path, rule)
            chinese = len(re.findall(r"[\u3400-\u9fff]", text))
            if chinese >= 150 and chinese > len(re.findall(r"[A-Za-z]+", text)):
                usable.append((path, text))
        step = max(1, len(usable) / most)
        taken = [usable[int(at * step)] for at in range(min(most, len(usable)))]
        for path, text in taken:
            parts = Path(path).relative_to(root).parts[-3:]
            name = f"{manual}--{'-'.join(parts).removesuffix('.html').replace('.', '-')}"
            gold[name] = text
            Path(f"{out}/pages/{name}.html").write_bytes(Path(path).read_bytes())
        print(f"{manual:13} {len(taken):3} of {len(usable)} pages")
    Path(f"{out}/gold.json").write_text(json.dumps(gold, ensure_ascii=False), encoding="utf-8")
    print(f"{len(gold)} pages in {out}")


if __name__ == "__main__":
    main()
