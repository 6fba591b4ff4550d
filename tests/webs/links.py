"""Finds the links of HTML pages and rewrites them, leaving every other character as it is."""

import html
import re
from urllib.parse import unquote, urldefrag, urljoin

# Comments, scripts and style sheets hold no links; tags may have a > between quotes.
TOKEN = re.compile(
    r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<(a|area|link|base|iframe|frame)\s"
    r"((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.IGNORECASE | re.DOTALL,
)
ADDRESS = re.compile(
    r"(?<![^\s\"'/])(href|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)


def tags(text):
    """Yields (tag name, match of its address) for every tag that refers to another page."""
    for token in TOKEN.finditer(text):
        if token[2]:
            address = ADDRESS.search(text, token.start(3), token.end(3))
            if address:
                yield token[2].lower(), address


def written(address):
    """Returns the value of an address attribute and its place in the text."""
    group = next(number for number in (2, 3, 4) if address[number] is not None)
    return html.unescape(address[group]).strip(), address.span(group)


def base_of(text, url):
    """Returns the URL to which the relative addresses of a page refer."""
    for tag, address in tags(text):
        if tag == "base":
            return urljoin(url, written(address)[0])
    return url


def join(base, value):
    """Returns the URL that an address stands for, without its fragment, and the fragment."""
    try:
        return urldefrag(urljoin(base, value))
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return "", ""


def targets(text, url):
    """Returns the URLs that the <a> and <area> elements of a page point to, each once."""
    base = base_of(text, url)
    found = (join(base, written(it)[0])[0] for tag, it in tags(text) if tag in ("a", "area"))
    return list(dict.fromkeys(it for it in found if it))


def rewrite(text, url, new_urls):
    """Replaces the addresses of pages by those in `new_urls`, whose keys are percent-decoded URLs.

    `url` is the address that the page had. Addresses of pages that are not in `new_urls`, such as
    images and other sites, stay as they are.
    """
    base = base_of(text, url)
    parts, done = [], 0
    for tag, address in tags(text):
        value, (start, end) = written(address)
        # A bare fragment would change its meaning if it were resolved against <base>.
        if tag == "base" or not value or value.startswith("#") and base == url:
            continue
        target, fragment = join(base, value)
        new = new_urls.get(unquote(target))
        if new:
            new += f"#{fragment}" if fragment else ""
            parts += [text[done:start], html.escape(new)]
            done = end
    return "".join(parts) + text[done:]
