"""The figures of tests/scale/run.sh and recipes.sh: looks at the Redis server, at the access log of
the web and at what workers found, and makes tables of what it saw. Needs nothing but Python's standard library.

usage: figures.py free-port
       figures.py ping PORT
       figures.py seeds LABELS.TSV PAGES_PER_HOST
       figures.py look PORT CRAWL ACCESS_LOG
       figures.py row FOLDER WORKERS DELAY
       figures.py table ROWS.JSONL
       figures.py found FOLDER RECIPE WORKERS
       figures.py harvest ROWS.JSONL
       figures.py test
"""

import json
import socket
import sys
import time
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit


class Redis:
    """A connection that speaks as much of the protocol as is needed here."""

    def __init__(self, port):
        self.file = socket.create_connection(("127.0.0.1", port), timeout=20).makefile("rwb")

    def ask(self, *words):
        self.send(*words)
        self.file.flush()
        return self.answer()

    def ask_all(self, commands):
        """Sends many commands together."""
        for words in commands:
            self.send(*words)
        self.file.flush()
        return [self.answer() for _ in commands]

    def send(self, *words):
        self.file.write(b"*%d\r\n" % len(words))
        for word in words:
            word = str(word).encode()
            self.file.write(b"$%d\r\n%s\r\n" % (len(word), word))

    def answer(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the Redis server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b":":
            return int(rest)
        if kind == b"$":
            length = int(rest)
            return None if length < 0 else self.file.read(length + 2)[:-2].decode()
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        raise RuntimeError(rest.decode())

    def info(self):
        lines = self.ask("INFO", "everything").splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)


def is_page(line):
    """Whether a line of an access log is about a page that there is."""
    fields = line.rstrip("\n").split("\t")
    return len(fields) == 7 and fields[5] == "200" and fields[3] != "/robots.txt"


def pages(access_log):
    with open(access_log, encoding="utf-8") as lines:
        return sum(map(is_page, lines))


def busy():
    """The time that all processors have worked and the time that they could have, if known."""
    try:
        times = list(map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
    except (OSError, ValueError):
        return [0, 0]
    return [sum(times) - times[3] - times[4], sum(times)]


def count(field):
    """The number of calls in a line such as calls=12,usec=34."""
    return int(dict(part.split("=") for part in field.split(","))["calls"]) if field else 0


def look(port, crawl, access_log):
    redis = Redis(port)
    info = redis.info()
    partitions = int(redis.ask("HGET", f"ontrail:{{{crawl}}}:crawl", "partitions") or 0)
    links = [("HLEN", f"ontrail:{{{crawl}/{number}}}:links") for number in range(partitions)]
    scripts = sum(count(info.get(f"cmdstat_{name}")) for name in ("eval", "evalsha"))
    return {
        "time": time.monotonic(),
        "pages": pages(access_log),
        "links": sum(redis.ask_all(links)),
        "commands": int(info["total_commands_processed"]),
        "scripts": scripts,
        "memory": int(info["used_memory"]),
        "memory_at_start": int(info["used_memory_startup"]),
        "redis_cpu": float(info["used_cpu_user"]) + float(info["used_cpu_sys"]),
        "busy": busy(),
    }


def least_gap(access_log):
    """The least time in seconds between the end of a request to a host and the next request."""
    hosts = defaultdict(list)
    with open(access_log, encoding="utf-8") as lines:
        for line in lines:
            fields = line.split("\t")
            hosts[fields[2]].append((float(fields[0]), float(fields[1])))
    gaps = []
    for requests in hosts.values():
        requests.sort()
        gaps += [after[0] - before[1] for before, after in zip(requests, requests[1:])]
    return min(gaps) / 1000 if gaps else None


def row(folder, workers, delay):
    folder = Path(folder)
    before, after = (json.loads((folder / f"{name}.json").read_text()) for name in ("before", "after"))
    status = json.loads((folder / "status.json").read_text())
    seconds = after["time"] - before["time"]

    def per_second(name):
        return (after[name] - before[name]) / seconds

    worked, possible = (b - a for a, b in zip(before["busy"], after["busy"]))
    links = after["links"]
    return {
        "workers": workers,
        "alive": sum(worker["alive"] for worker in status["workers"]),
        "pages_per_second": per_second("pages"),
        "commands_per_second": per_second("commands"),
        "scripts_per_second": per_second("scripts"),
        "redis_cpu": per_second("redis_cpu"),
        "links": links,
        "bytes_per_link": (after["memory"] - after["memory_at_start"]) / links if links else None,
        "busy": worked / possible if possible else None,
        "least_gap": least_gap(folder / "access.tsv"),
        "delay": delay,
    }


def table(rows):
    """The rows as lines of a Markdown table, with remarks below."""
    titles = ["workers", "pages/s", "ratio", "Redis commands/s", "scripts/s", "Redis CPU", "links",
              "bytes/link", "processors busy", "least gap"]
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "--:|" * len(titles)
    base = next((row for row in rows if row["workers"] == 1), rows[0])
    alone = base["pages_per_second"] / base["workers"]

    def shown(value, form):
        return "–" if value is None else format(value, form)

    for row in rows:
        cells = [
            str(row["workers"]),
            shown(row["pages_per_second"], ".1f"),
            shown(row["pages_per_second"] / alone if alone else None, ".2f"),
            shown(row["commands_per_second"], ",.0f"),
            shown(row["scripts_per_second"], ",.0f"),
            shown(row["redis_cpu"], ".1%"),
            shown(row["links"], ",d"),
            shown(row["bytes_per_link"], ",.0f"),
            shown(row["busy"], ".0%"),
            shown(row["least_gap"], ".3f") + " s",
        ]
        yield "| " + " | ".join(cells) + " |"
    for row in rows:
        if row["alive"] != row["workers"]:
            yield f"Only {row['alive']} of {row['workers']} workers were alive at the end."
        # In the log a gap is a little longer than it was, and never shorter.
        if row["least_gap"] is not None and row["least_gap"] < row["delay"] - 0.001:
            yield f"{row['workers']} workers asked a host before its delay of {row['delay']} s was over."


def seeds(labels, most):
    """Up to `most` URLs of each host."""
    hosts = defaultdict(int)
    with open(labels, encoding="utf-8") as lines:
        for line in lines:
            url = line.split("\t")[0]
            host = urlsplit(url).netloc
            hosts[host] += 1
            if hosts[host] <= most:
                yield url


def found(folder, recipe, workers):
    """The pages that the workers of a crawl have fetched, and the relevant ones by their labels."""
    files = sorted(Path(folder).glob("worker-*/summary.json"))
    summaries = [json.loads(file.read_text()) for file in files]
    fetched = [summary["downloaded"] for summary in summaries]
    return {
        "recipe": recipe,
        "workers": workers,
        "pages": sum(fetched),
        "relevant": sum(summary["true"]["relevant"] for summary in summaries if summary["true"]),
        "least": min(fetched) if len(fetched) == workers else 0,
    }


def harvest(rows):
    """The harvest rates of recipes by the number of workers, as lines of a Markdown table."""
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        cell = sums[row["recipe"], row["workers"]]
        cell[0] += row["relevant"]
        cell[1] += row["pages"]
    workers = sorted({workers for _, workers in sums})
    yield "| recipe | " + " | ".join(f"{count} worker(s)" for count in workers) + " | ratio |"
    yield "|---|" + "--:|" * (len(workers) + 1)
    for recipe in dict.fromkeys(row["recipe"] for row in rows):
        rates = [sums[recipe, count][0] / max(sums[recipe, count][1], 1) for count in workers]
        ratio = f"{rates[-1] / rates[0]:.2f}" if rates[0] else "–"
        yield f"| {recipe} | " + " | ".join(f"{rate:.1%}" for rate in rates) + f" | {ratio} |"
    for row in rows:
        if row["least"] == 0:
            yield f"Not all of {row['workers']} workers have taken part in a crawl by {row['recipe']}."


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test():
    """Tests what can be tested without servers."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        log = ["0.000\t100.000\ta\t/robots.txt\t127.0.0.1:9\t404\tx\n",
               "600.000\t700.000\ta\t/\t127.0.0.1:9\t200\tx\n",
               "650.000\t750.000\tb\t/\t127.0.0.1:9\t200\tx\n",
               "1000.000\t1100.000\ta\t/2\t127.0.0.1:9\t200\tx\n"]
        (folder / "access.tsv").write_text("".join(log), encoding="utf-8")
        assert pages(folder / "access.tsv") == 3
        assert abs(least_gap(folder / "access.tsv") - 0.3) < 1e-9
        snapshot = {"time": 10.0, "pages": 0, "links": 5, "commands": 100, "scripts": 10,
                    "memory": 2_000, "memory_at_start": 1_000, "redis_cpu": 1.0, "busy": [10, 100]}
        later = {**snapshot, "time": 20.0, "pages": 400, "links": 10, "commands": 1_100,
                 "scripts": 60, "memory": 3_000, "redis_cpu": 1.5, "busy": [60, 200]}
        (folder / "before.json").write_text(json.dumps(snapshot))
        (folder / "after.json").write_text(json.dumps(later))
        (folder / "status.json").write_text(json.dumps({"workers": [{"alive": True}]}))
        one = row(folder, 1, 0.5)
        assert (one["pages_per_second"], one["commands_per_second"]) == (40.0, 100.0)
        assert (one["scripts_per_second"], one["bytes_per_link"]) == (5.0, 200.0)
        assert (one["redis_cpu"], one["busy"]) == (0.05, 0.5)
        two = {**one, "workers": 2, "pages_per_second": 76.0}
        lines = list(table([one, two]))
        assert lines[3].startswith("| 2 | 76.0 | 1.90 | 100 | 5 | 5.0% | 10 | 200 | 50% |"), lines
        assert lines[4] == "1 workers asked a host before its delay of 0.5 s was over.", lines
        assert lines[5] == "Only 1 of 2 workers were alive at the end.", lines
        (folder / "labels.tsv").write_text("http://a/1\tx\nhttp://a/2\tx\nhttp://b/1\tx\n")
        assert list(seeds(folder / "labels.tsv", 1)) == ["http://a/1", "http://b/1"]
        for worker, (fetched, relevant) in enumerate([(30, 10), (20, 5)], 1):
            (folder / f"worker-{worker}").mkdir()
            summary = {"downloaded": fetched, "true": {"relevant": relevant}}
            (folder / f"worker-{worker}/summary.json").write_text(json.dumps(summary))
        both = found(folder, "ops", 2)
        assert (both["pages"], both["relevant"], both["least"]) == (50, 15, 20)
        alone = {**both, "workers": 1, "relevant": 20}
        assert list(harvest([alone, both]))[2:] == ["| ops | 40.0% | 30.0% | 0.75 |"]
    assert count("calls=12,usec=34") == 12 and count(None) == 0
    assert 0 < free_port() < 65_536


def main():
    match sys.argv[1:]:
        case ["free-port"]:
            print(free_port())
        case ["ping", port]:
            assert Redis(int(port)).ask("PING") == "PONG"
        case ["seeds", labels, most]:
            print("\n".join(seeds(labels, int(most))))
        case ["look", port, crawl, access_log]:
            print(json.dumps(look(int(port), crawl, access_log)))
        case ["row", folder, workers, delay]:
            print(json.dumps(row(folder, int(workers), float(delay))))
        case ["table", rows]:
            rows = Path(rows).read_text().splitlines()
            print("\n".join(table([json.loads(row) for row in rows])))
        case ["found", folder, recipe, workers]:
            print(json.dumps(found(folder, recipe, int(workers))))
        case ["harvest", rows]:
            rows = Path(rows).read_text().splitlines()
            print("\n".join(harvest([json.loads(row) for row in rows])))
        case ["test"]:
            test()
            print("all figures are as expected")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
