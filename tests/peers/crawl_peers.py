"""The crawler against others.

What robots.txt files allow, against Protego, which follows the same standard. Files and addresses are made up of a few
pieces, so that rules meet addresses often: agents with and without groups of their own, groups that come twice,
wildcards, ends, percent-encoding, comments, lines that are none.

What broken robots.txt files allow, and which line decides, against Google's own matcher: misspelt keys, missing colons,
rules without a slash or with a leading star, agents that contain a star, lines between the agents of a group, line ends
of all kinds, byte order marks.

A crawl of an archive that warcio wrote: what comes out is read by warcio (digests checked) and by Arrow, the index leads
to the records, and the measures are computed again from the log with NumPy.

A crawl over TLS and HTTP/2 from Hypercorn, packed with gzip and brotli.
"""

import asyncio
import gzip
import io
import json
import random
import socket
import threading

import brotli
import hypercorn.asyncio
import hypercorn.config
import jwm.robotstxt.googlebot
import numpy
import protego
import pyarrow.parquet
import trustme
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

AGENTS = ["ontrail", "otherbot", "*"]
PIECES = ["/", "a", "b", "a/", "b/", "*", ".php", "?x=", "%7e", "~", "%C3%A9", "1"]
KEYS = ["Allow", "Disallow", "disallow", "ALLOW", "Disallow"]
FILES, ADDRESSES = 250, 24


def pattern(chance):
    # Protego counts a question mark as the three characters of `%3F`, which matters if two rules
    # are nearly of the same length.
    pieces = [piece for piece in PIECES if "?" not in piece]
    path = "/" + "".join(chance.choices(pieces, k=chance.randint(0, 4))).lstrip("/")
    return path + ("$" if chance.random() < 0.2 else "")


def robots(chance):
    lines = []
    for _ in range(chance.randint(1, 4)):
        for agent in chance.sample(AGENTS, chance.randint(1, 2)):
            lines.append(f"User-agent: {agent}")
        for _ in range(chance.randint(1, 4)):
            note = chance.choice(["", "", " # a note"])
            lines.append(f"{chance.choice(KEYS)}: {pattern(chance)}{note}")
        lines += chance.choice([[], [""], ["# nothing"], ["Host: example.org"]])
    return chance.choice(["\n", "\r\n"]).join(lines) + "\n"


def address(chance):
    path = "".join(chance.choices([piece for piece in PIECES if piece != "*"], k=chance.randint(0, 5)))
    return "http://www.example.org/" + path.lstrip("/")


def run(check, ontrail, folder):
    """All comparisons. check(what, found, expected) counts them; ontrail(*arguments) gives the JSON that
    Ontrail prints; files go to the folder."""
    check_robots(check, ontrail, folder)
    check_broken_robots(check, ontrail, folder)
    check_archive(check, ontrail, folder)
    check_https(check, ontrail, folder)


def check_robots(check, ontrail, folder):
    chance = random.Random(31)
    file = folder / "robots.txt"
    verdicts = set()
    for number in range(FILES):
        text = robots(chance)
        file.write_text(text, encoding="utf-8", newline="")
        peer = protego.Protego.parse(text)
        agent = chance.choice(["ontrail", "otherbot", "third"])
        addresses = [address(chance) for _ in range(ADDRESSES)]
        said = ontrail("crawl", "robots", file, "--agent", agent, *addresses)
        for asked in said["urls"]:
            expected = peer.can_fetch(asked["url"], agent)
            verdicts.add(expected)
            check(f"robots {number}, {agent}, {asked['url']}\n{text}", asked["allowed"], expected)
    assert verdicts == {True, False}, "all is allowed, or nothing"


BROKEN_AGENTS = [
    "ontrail", "Ontrail/1.0", "ONTRAIL (a crawler)", "ontrail-news", "otherbot", "*", "* all", "*bot*", "**", "", "(ontrail)",
]
BROKEN_KEYS = [
    "Allow", "Allowed", "Disallow", "Disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "Dis-allow",
    "DISALLOW ", "Noindex",
]
BROKEN_PIECES = ["/", "/", "a", "b", "*", "*", ".php", "?x=", "$", "%2f", "é", "%c3%a9", "1", ":", "index.html", "index.htm"]
BETWEEN = ["Crawl-delay: 5", "Sitemap: http://www.example.org/map.xml", "Host: x", "nonsense", "# a note", "", "Disallow:"]
BROKEN_FILES = 500


def broken_line(chance, key, value):
    """A line with a colon, with a space in its place, with white space around it, or with a comment."""
    separator = chance.choice([": ", ": ", ":", " : ", "\t:\t", " "])
    return chance.choice(["", "", " ", "\t"]) + key + separator + value + chance.choice(["", "", "", " ", " # a note", "#"])


def broken_robots(chance):
    lines = []
    for _ in range(chance.randint(1, 5)):
        for _ in range(chance.randint(1, 3)):
            key = chance.choice(["User-agent", "user-agent", "useragent", "User Agent", "User-agents", "Agent"])
            lines.append(broken_line(chance, key, chance.choice(BROKEN_AGENTS)))
            if chance.random() < 0.3:
                lines.append(chance.choice(BETWEEN))
        for _ in range(chance.randint(0, 5)):
            start = chance.choice(["/", "/", "/", "", "*", "*/"])
            path = start + "".join(chance.choices(BROKEN_PIECES, k=chance.randint(0, 4)))
            lines.append(broken_line(chance, chance.choice(BROKEN_KEYS), path))
            if chance.random() < 0.2:
                lines.append(chance.choice(BETWEEN))
    ends = chance.choice([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]])
    mark = chance.choice(["", "", "", "\ufeff"])
    return mark + "".join(line + chance.choice(ends) for line in lines)


def broken_address(chance):
    pieces = ["/", "/", "a", "b", ".php", "?x=", "%2F", "%C3%A9", "1", ":", "index.html", "index.htm", "//"]
    # Google's matcher compares addresses as they are, so they are already in the form that a crawler has.
    return "http://www.example.org/" + "".join(chance.choices(pieces, k=chance.randint(0, 5)))


def check_broken_robots(check, ontrail, folder):
    chance = random.Random(9309)
    file = folder / "broken.txt"
    verdicts = set()
    for number in range(BROKEN_FILES):
        text = broken_robots(chance)
        file.write_text(text, encoding="utf-8", newline="")
        agent = chance.choice(["ontrail", "ontrail", "otherbot", "third"])
        said = ontrail("crawl", "robots", file, "--agent", agent, *(broken_address(chance) for _ in range(ADDRESSES)))
        for asked in said["urls"]:
            google = jwm.robotstxt.googlebot.RobotsMatcher()
            expected = google.OneAgentAllowedByRobots(text, agent, asked["url"])
            verdicts.add((expected, asked["line"] is None))
            check(f"broken robots {number}, {agent}, {asked['url']}\n{text!r}", asked["allowed"], expected)
            # Google names the line of an empty rule, too, which decides nothing.
            if asked["line"] is not None:
                check(f"line of broken robots {number}, {agent}, {asked['url']}", asked["line"], google.matching_line())
    assert len(verdicts) == 3, "all is allowed, or nothing, or no rule ever matches"


WORDS = "rain storm flood river city road bridge music theatre football market school".split()
PAGES = 400


def page(chance, number):
    """A page with words of the topic and others, and links to other pages."""
    words = chance.choices(WORDS, weights=[chance.random() for _ in WORDS], k=60)
    links = [chance.randrange(PAGES + 40) for _ in range(6)]
    anchors = " ".join(f'<a href="/p{to}.html">{" ".join(chance.choices(WORDS, k=2))}</a>' for to in links)
    return f"<html><title>{number} {words[0]}</title><body><h1>{words[1]}</h1><p>{' '.join(words)}</p>{anchors}</body></html>"


def check_archive(check, ontrail, folder):
    """An archive of another program is crawled, and another program reads what was made of it."""
    chance = random.Random(8)
    web, labels = folder / "web.warc.gz", folder / "labels.tsv"
    bodies = {f"http://site{n % 5}.example/p{n}.html": page(chance, n).encode() for n in range(PAGES)}
    # Relative links stay on their host, so each host has all pages.
    bodies |= {f"http://site0.example/p{n}.html": page(chance, n).encode() for n in range(PAGES)}
    with web.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, body in bodies.items():
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))
    truth = {url: chance.choice(["weather", "sports", "weather|news"]) for url in bodies}
    labels.write_text("".join(f"{url}\t{label}\tmore\n" for url, label in truth.items()))
    topic, out = folder / "weather.topic.json", folder / "crawl"
    ontrail("topic", "keywords", "rain=3", "storm=2", "flood=2", "river=1", "-o", topic)
    summary = ontrail(
        "crawl", "run", "--web", web, "--topic", topic, "--threshold", "0.6", "--budget", "300", "--labels", labels,
        "--relevant", "weather", "--recipe", "fixed", "--set", "similarity.content=page",
        "--set", "priority.kind=page-anchor", "--set", "priority.page=0.5", "-o", out,
        "http://site0.example/p0.html",
    )
    log = pyarrow.parquet.read_table(out / "log").to_pylist()
    pages = [row for row in log if row["outcome"] in ("page", "duplicate")]
    check("pages in the log", len(pages), summary["downloaded"])
    check_measures(check, summary, pages, truth)
    check_records(check, out, pages, bodies)
    check_order(check, log, pyarrow.parquet.read_table(out / "links").to_pylist())
    check_recipes(check, ontrail, folder, web, topic)


def check_recipes(check, ontrail, folder, web, topic):
    """The priorities of eq. 4 and eq. 9, from the scores in the log; and the mean R(p) of a link, from the pages that it is on."""
    weights = {
        "fixed": {"page": 0.25, "anchor": 0.65, "context": 0.1},
        "fccbs": {"page": 0.5, "anchor": 0.3, "context": 0.2},
        "ops": {"pagerank": 0.55, "page": 0.25, "anchor": 0.20},
    }
    for recipe, parts in weights.items():
        out = folder / recipe
        ontrail(
            "crawl", "run", "--web", web, "--topic", topic, "--recipe", recipe, "--threshold", "0.1", "--budget", "200",
            "-o", out, "http://site0.example/p0.html",
        )
        log = pyarrow.parquet.read_table(out / "log").to_pylist()
        relevance = {row["number"]: row["relevance"] for row in log if row["relevance"] is not None}
        found = {}
        for link in pyarrow.parquet.read_table(out / "links").to_pylist():
            found.setdefault(link["url"], set()).add(link["page"])
        for row in (row for row in log if row["parent"] is not None and row["rule"] != "tunnel"):
            name = f"{recipe}: {row['final_url']}"
            sum_of = sum(weight * row[f"score_{part}"] for part, weight in parts.items())
            check(f"{name}: priority", abs(row["score_priority"] - sum_of) < 1e-9, True)
            pages = [relevance[page] for page in found[row["final_url"]] if page < row["number"]]
            check(f"{name}: mean of pages", abs(row["score_page"] - sum(pages) / len(pages)) < 1e-9, True)


def check_order(check, log, links):
    """At every step the link that was taken is the most promising of those known and not yet taken."""
    waiting, taken, of_page = {}, set(), {}
    for link in links:
        of_page.setdefault(link["page"], []).append(link)
    for row in (row for row in log if row["kind"] == "page"):
        if row["parent"] is not None:
            best = max(priority for url, priority in waiting.items() if url not in taken)
            check(f"priority of {row['final_url']}", abs(row["score_priority"] - best) < 1e-12, True)
        taken.add(row["final_url"])
        for link in of_page.get(row["number"], []):
            waiting[link["url"]] = max(link["priority"], waiting.get(link["url"], 0))


def check_measures(check, summary, pages, truth):
    """The measures of the papers, from the log."""
    relevance = numpy.array([row["relevance"] for row in pages])
    chosen = relevance > 0.6
    priority = numpy.array([numpy.nan if row["score_priority"] is None else row["score_priority"] for row in pages])
    own, real = summary["self"], summary["true"]
    near = lambda what, found, expected: check(what, abs(found - float(expected)) < 1e-9, True)
    check("LP", own["relevant"], int(chosen.sum()))
    near("AC", own["accuracy"], chosen.mean())
    near("AR", own["average_relevance"], relevance.mean())
    near("SD", own["sd"], relevance.std(ddof=0))
    near("AS", own["average_similarity"], relevance[chosen].mean())
    near("AE", own["average_error"], numpy.nanmean(abs(relevance - priority)))
    labelled = numpy.array(["weather" in truth[row["final_url"]].split("|") for row in pages])
    everything = sum("weather" in label.split("|") for label in truth.values())
    check("true LP", real["relevant"], int(labelled.sum()))
    near("true AC", real["accuracy"], labelled.mean())
    near("RC", real["recall"], labelled.sum() / everything)
    near("true AS", real["average_similarity"], relevance[labelled].mean())
    near("true AE", real["average_error"], numpy.nanmean(abs(labelled - priority)))


def check_records(check, out, pages, bodies):
    """Every page is in an archive, whole, where the log and the index say."""
    stored = {}
    for archive in sorted((out / "pages").glob("*.warc.gz")):
        with archive.open("rb") as stream:
            records = ArchiveIterator(stream, check_digests="raise")
            for record in records:
                kind, url = record.rec_type, record.rec_headers.get_header("WARC-Target-URI")
                body = record.content_stream().read()
                if kind == "response":
                    check(f"{url} is stored once", url in stored, False)
                    stored[url] = (archive.name, records.get_record_offset(), records.get_record_length())
                    check(f"body of {url}", body, bodies[url])
                else:
                    check(f"kind of record, {kind}", kind in ("warcinfo", "request", "revisit"), True)
        lines = archive.with_name(archive.name.replace(".warc.gz", ".cdxj")).read_text().splitlines()
        check("index in order", lines, sorted(lines))
        for line in lines:
            surt, stamp, fields = line.split(" ", 2)
            fields = json.loads(fields)
            check("time", (len(stamp), stamp.isdigit()), (14, True))
            check("host turned round", surt.startswith("example,site"), True)
            place = (fields["filename"], int(fields["offset"]), int(fields["length"]))
            check(f"index of {fields['url']}", stored.get(fields["url"]), place)
    for row in pages:
        if row["outcome"] == "page":
            place = (row["warc"], row["warc_offset"], row["warc_length"])
            check(f"place of {row['final_url']}", stored.get(row["final_url"]), place)


def check_https(check, ontrail, folder):
    """Over TLS with a certificate of an authority of our own, HTTP/2 is spoken, and packed pages are read."""
    authority = trustme.CA()
    certificate = authority.issue_cert("secure.example")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    versions, text = [], "<title>storm</title><p>rain and storm " + "river " * 200

    async def site(scope, receive, send):
        if scope["type"] != "http":
            return
        versions.append(scope["http_version"])
        packed = {"/gzip": ("gzip", gzip.compress), "/br": ("br", brotli.compress)}
        name, pack = packed.get(scope["path"], ("identity", lambda body: body))
        link = '<a href="/gzip">gzip</a> <a href="/br">br</a>' if scope["path"] == "/" else scope["path"]
        status = 404 if scope["path"] == "/robots.txt" else 200
        headers = [(b"content-type", b"text/html"), (b"content-encoding", name.encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": pack((text + link).encode())})

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = hypercorn.config.Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.certfile, config.keyfile = str(folder / "cert.pem"), str(folder / "key.pem")
    config.errorlog = config.accesslog = None
    loop, ended = asyncio.new_event_loop(), asyncio.Event()
    serve = hypercorn.asyncio.serve(site, config, shutdown_trigger=ended.wait)
    server = threading.Thread(target=loop.run_until_complete, args=(serve,), daemon=True)
    server.start()
    address = f"https://secure.example:{port}/"
    common = ["crawl", "run", "--contact", "test@example.org", "--resolve", "secure.example=127.0.0.1", "--allow-private",
              "127.0.0.1", "--delay", "0", "--retries", "1"]
    trusting = ontrail(*common, "--ca-file", folder / "ca.pem", "-o", folder / "trusting", address)
    check("pages over TLS", (trusting["downloaded"], trusting["errors"]), (3, {}))
    check("HTTP/2", set(versions), {"2"})
    rows = pyarrow.parquet.read_table(folder / "trusting" / "log").to_pylist()
    check("titles of packed pages", [row["title"] for row in rows if row["outcome"] == "page"], ["storm"] * 3)
    wary = ontrail(*common, "-o", folder / "wary", address)
    check("a certificate of no one", (wary["downloaded"], wary["errors"]), (0, {"tls": 1}))
    loop.call_soon_threadsafe(ended.set)
    server.join(timeout=10)
