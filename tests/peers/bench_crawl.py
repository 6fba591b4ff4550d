"""Speed of a best-first crawl, storing included: Ontrail against Scrapy, same run, same local server.

usage: bench_crawl.py --ontrail PATH [--pages N] [--scrapy-pages N] [--repeats N] [--queue heap|scrapy] [--json]

needs: pip install "scrapy>=2.13" warcio

Both crawl the site that `ontrail bench crawl` makes up, from a server that is a process of its own, and take the link
next that promises most. Ontrail times itself (`bench crawl`). The spider does the same with what Scrapy offers:

    fetch      64 requests at once, no delay, robots.txt obeyed, no cookies; all else as Scrapy has it
    page       text of title, headings, paragraphs, lists and anchors by Scrapy's selectors; relevance is the cosine of
               the topic's weights and the counts of the topic's words on the page
    link       every `a` with an address, likewise its text; priority is the mean of the page's and the anchor's
               relevance, in millionths; Scrapy's filter of duplicates
    store      every page a WARC response record of its own gzip member, by warcio

Scrapy's own queue keeps a list for each priority and goes through all of them for each request, so it gets slower
with every link it knows if priorities are fine. The spider therefore has a heap in its place, which is the faster of
the two; `--queue scrapy` measures Scrapy as it comes. A link that is found again keeps the priority it had first.

Time and processor are those of the crawling process, for Scrapy from the signal that the spider is open to the last
page stored and its links followed; starting Python is not counted. Memory is the peak of the whole process. Scrapy
crawls fewer pages than Ontrail because it takes long; its rate does not rise with more. The two take turns; medians
are reported, and all rates.
"""

import argparse
import heapq
import importlib.metadata
import importlib.util
import io
import json
import math
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter

TEXT = ", ".join(f"{name} ::text" for name in "title h1 h2 h3 h4 h5 h6 p li dt dd a".split())
WORD = re.compile("[a-z]+")
PRIORITIES = 1_000_000
CONCURRENT = 64


class Topic:
    """The weights of a topic's terms, and how near a text is to them."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as opened:
            terms = first_terms(json.load(opened))
        if not terms:
            raise SystemExit(f"{file}: no list of terms in it")
        self.weights = {entry["term"].lower(): float(entry["weight"]) for entry in terms}
        self.norm = math.sqrt(sum(weight * weight for weight in self.weights.values()))

    def relevance(self, text):
        """The cosine of the weights and the counts of the topic's words in the text; 0 without any."""
        weights = self.weights
        counts = Counter(word for word in WORD.findall(text.lower()) if word in weights)
        if not counts:
            return 0.0
        product = sum(weights[word] * count for word, count in counts.items())
        return product / (self.norm * math.sqrt(sum(count * count for count in counts.values())))


def first_terms(document):
    """The first list with the key "terms", however deep it lies."""
    if isinstance(document, dict):
        if isinstance(document.get("terms"), list):
            return document["terms"]
        document = list(document.values())
    if isinstance(document, list):
        return next(filter(None, map(first_terms, document)), None)
    return None


class HeapQueue:
    """The requests waiting, by priority, the newest of equals first as in Scrapy's own; in memory only."""

    @classmethod
    def from_crawler(cls, crawler, downstream_queue_cls, key, startprios=(), **more):
        return cls()

    def __init__(self):
        self.heap, self.pushed = [], 0

    def push(self, request):
        self.pushed += 1
        heapq.heappush(self.heap, (-request.priority, -self.pushed, request))

    def pop(self):
        return heapq.heappop(self.heap)[2] if self.heap else None

    def close(self):
        return []

    def __len__(self):
        return len(self.heap)


QUEUES = {"heap": HeapQueue, "scrapy": None}


def crawl(address, topic, pages, store, queue):
    """Crawls with Scrapy in this process, which can be done once, and prints what it took as JSON."""
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.exceptions import CloseSpider
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    topic = Topic(topic)
    figures = {}
    archive = open(store, "wb")
    writer = WARCWriter(archive, gzip=True)

    def processor():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    class BestFirst(scrapy.Spider):
        name = "best-first"
        allowed_domains = [urllib.parse.urlsplit(address).hostname]
        stored, done, relevance = 0, 0, 0.0

        @classmethod
        def from_crawler(cls, crawler, *args, **named):
            spider = super().from_crawler(crawler, *args, **named)
            crawler.signals.connect(spider.opened, scrapy.signals.spider_opened)
            return spider

        def opened(self):
            self.begun = time.perf_counter(), processor()

        async def start(self):
            # start_urls bypass the duplicate filter, so the root would be fetched twice.
            yield scrapy.Request(address)

        def parse(self, response):
            if self.stored == pages:
                return  # was under way when the last page came
            self.store(response)
            self.stored += 1
            page = topic.relevance(" ".join(response.css(TEXT).getall()))
            self.relevance += page
            for anchor in response.css("a[href]"):
                value = (page + topic.relevance(anchor.xpath("string()").get())) / 2
                yield response.follow(anchor.attrib["href"], priority=int(PRIORITIES * value))
            self.done += 1
            if self.done == pages:
                self.finish()
                raise CloseSpider("enough")

        def store(self, response):
            headers = [(name.decode("latin-1"), value.decode("latin-1"))
                       for name, values in response.headers.items() for value in values]
            head = StatusAndHeaders(f"{response.status} OK", headers, protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(response.url, "response", payload=io.BytesIO(response.body),
                                                          http_headers=head))

        def finish(self):
            archive.flush()
            seconds, cpu = time.perf_counter() - self.begun[0], processor() - self.begun[1]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            figures.update({
                "pages": self.stored,
                "seconds": seconds,
                "pages_per_second": self.stored / seconds,
                "cpu_ms_per_page": 1000 * cpu / self.stored,
                "peak_memory_bytes": peak if sys.platform == "darwin" else 1024 * peak,
                "known_links": self.crawler.stats.get_value("scheduler/enqueued"),
                "mean_relevance": self.relevance / self.stored,
            })

    settings = {
        "CONCURRENT_REQUESTS": CONCURRENT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENT,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "AUTOTHROTTLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "CLOSESPIDER_ERRORCOUNT": 1,
        "LOG_LEVEL": "WARNING",
    }
    if QUEUES[queue]:
        settings["SCHEDULER_PRIORITY_QUEUE"] = QUEUES[queue]
    process = CrawlerProcess(settings)
    process.crawl(BestFirst)
    process.start()
    archive.close()
    print(json.dumps(figures))


class Server:
    """The site that is crawled, served by a process that ends when its standard input does."""

    def __init__(self, program, pages):
        self.command = [program, "bench", "crawl", "--serve", "--pages", str(pages)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        try:
            return json.loads(line)
        except ValueError:
            self.__exit__()
            raise SystemExit(f"{' '.join(self.command)}: no address but {line!r}") from None

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def scrapy_run(program, site_pages, pages, queue):
    with tempfile.TemporaryDirectory() as folder, Server(program, site_pages) as site:
        store = os.path.join(folder, "pages.warc.gz")
        command = [sys.executable, __file__, "--spider", site["address"], site["topic"], str(pages), store, queue]
        found = printed(command)
        if not found:
            raise SystemExit(f"Scrapy ended before it had {pages} pages")
        check_store(store, pages)
    if not found["mean_relevance"]:
        raise SystemExit("no page has a word of the topic: this was no best-first crawl")
    return found


def ontrail_run(program, pages):
    return printed([program, "bench", "crawl", "--pages", str(pages), "--json"])


def printed(command):
    """The JSON that the program prints."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{' '.join(command)}: no JSON but {done.stdout[:200]!r}") from None


def check_store(store, pages):
    """As many pages as were counted are in the file, whole, and none twice."""
    from warcio.archiveiterator import ArchiveIterator

    found = Counter()
    with open(store, "rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            if record.http_headers.get_statuscode() != "200" or not record.content_stream().read():
                raise SystemExit(f"{record.rec_headers.get_header('WARC-Target-URI')}: no page")
            found[record.rec_headers.get_header("WARC-Target-URI")] += 1
    if len(found) != pages or found.total() != pages:
        raise SystemExit(f"{pages} pages counted, {found.total()} stored, {len(found)} of them distinct")


def summary(runs):
    """The medians of all figures, and the rates of all runs."""
    medians = {name: statistics.median(run[name] for run in runs)
               for name, value in runs[0].items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    return {**medians, "all_pages_per_second": [run["pages_per_second"] for run in runs]}


def show(result):
    ours, peer = result["ontrail"], result["scrapy"]
    print(f"{'':24}{'Ontrail':>12}{'Scrapy':>12}{'times':>8}")
    for what, name, unit, times in [
        ("pages", "pages", 1, None),
        ("pages/s", "pages_per_second", 1, result["ratio"]),
        ("processor, ms/page", "cpu_ms_per_page", 1, result["cpu_ratio"]),
        ("peak memory, MB", "peak_memory_bytes", 1e6, peer["peak_memory_bytes"] / ours["peak_memory_bytes"]),
        ("known links", "known_links", 1, None),
    ]:
        mine, other = (f"{side[name] / unit:12,.{0 if side[name] / unit >= 1000 else 1}f}" for side in (ours, peer))
        print(f"{what:24}{mine}{other}" + (f"{times:8.1f}" if times else ""))
    for who, side in (("Ontrail", ours), ("Scrapy", peer)):
        print(f"pages/s of all runs, {who}: " + ", ".join(f"{rate:.1f}" for rate in side["all_pages_per_second"]))
    print(f"{result['cores']} cores, queue: {result['queue']}, "
          + ", ".join(f"{name} {version}" for name, version in result["versions"].items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ontrail", required=True, metavar="PATH", help="the program")
    parser.add_argument("--pages", type=int, default=20_000, help="pages Ontrail crawls (%(default)s)")
    parser.add_argument("--scrapy-pages", type=int, default=2000, help="pages Scrapy crawls (%(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--queue", choices=QUEUES, default="heap", help="the spider's queue (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    asked = parser.parse_args()
    missing = [name for name in ("scrapy", "warcio") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}; pip install scrapy warcio", file=sys.stderr)
        raise SystemExit(2)

    peers, ours = [], []
    for number in range(asked.repeats):
        peers.append(scrapy_run(asked.ontrail, asked.pages, asked.scrapy_pages, asked.queue))
        ours.append(ontrail_run(asked.ontrail, asked.pages))
        print(f"run {number + 1}: Ontrail {ours[-1]['pages_per_second']:.1f} pages/s, "
              f"Scrapy {peers[-1]['pages_per_second']:.1f}", file=sys.stderr)
    result = {"ontrail": summary(ours), "scrapy": summary(peers)}
    result["ratio"] = result["ontrail"]["pages_per_second"] / result["scrapy"]["pages_per_second"]
    result["cpu_ratio"] = result["scrapy"]["cpu_ms_per_page"] / result["ontrail"]["cpu_ms_per_page"]
    result["cores"] = os.cpu_count()
    result["queue"] = asked.queue
    result["versions"] = {"Python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in ("Scrapy", "Twisted", "parsel", "lxml", "warcio")}
    if asked.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--spider"]:
        site, terms, count, file, kind = sys.argv[2:]
        crawl(site, terms, int(count), file, kind)
    else:
        main()
