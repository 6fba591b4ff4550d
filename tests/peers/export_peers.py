"""Exports of a crawl, read by the programs that people read them with.

A web with pages in Chinese and English, texts that look like formulas, quotation marks and line breaks is crawled and
exported. pandas, polars and DuckDB must find the same rows, columns and values in JSON Lines, CSV and Parquet; warcio
must find the same bodies in the archive; PyYAML must find the same values in the front matter of the Markdown files. The
conditions of --where must select the rows that DuckDB's SQL selects.
"""

import io
import json
import subprocess

import duckdb
import pandas
import polars
import yaml
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGES = 60
TITLES = ["=1+1", "-- rain", "\"quoted\", and 'more'", "暴雨预警:三级", "@home", "+86 10", "a | b", "# no heading", ""]
TEXTS = [
    "The rain began at night, and the river rose, first by a hand, then by a foot, until the dyke was wet to its top. ",
    "昨夜暴雨,河水上涨,堤坝告急,村民连夜转移到高处的学校,今天上午水位开始回落,道路仍然中断。",
    "Nothing happened in the theatre that evening, and the market was as quiet as the road that leads to it, they say. ",
]
WHERE = [
    ("relevance > 0.5", "relevance > 0.5"),
    ("not (depth < 3) and (relevance <= 0.9 or title contains 'rain')",
     "not (depth < 3) and (relevance <= 0.9 or contains(title, 'rain'))"),
    ("host = 'b.example' or url starts-with 'http://a.example/p1'",
     "final_url like 'http://b.example/%' or starts_with(url, 'http://a.example/p1')"),
    ("title is null or text contains '堤坝'", "title is null or contains(text, '堤坝')"),
    ("is_relevant and status = 200 and anchor != 'link 7'", "is_relevant and status = 200 and anchor <> 'link 7'"),
]


def page(number):
    title, text = TITLES[number % len(TITLES)], TEXTS[number % len(TEXTS)]
    links = "".join(f'<a href="{url(to)}">link {to}</a> ' for to in (2 * number + 1, 2 * number + 2) if to < PAGES)
    paragraphs = "".join(f"<p>{text * 2}</p>" for _ in range(number % 4 + 1))
    head = f"<title>{title}</title><meta name=author content='Ann Author'><meta name=date content=2024-07-18>"
    return f"<html><head>{head}</head><body><h1>Page {number}</h1>{paragraphs}<nav>{links}</nav></body></html>"


def url(number):
    return f"http://{'ab'[number % 2]}.example/p{number}"


def run(check, ontrail, folder, binary):
    web, topic, crawl = folder / "export.warc.gz", folder / "export.topic.json", folder / "export"
    bodies = {url(number): page(number).encode() for number in range(PAGES)}
    with web.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for address, body in bodies.items():
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            record = writer.create_warc_record(address, "response", payload=io.BytesIO(body), http_headers=head)
            writer.write_record(record)
    ontrail("topic", "keywords", "rain=3", "river=2", "dyke=1", "暴雨=3", "堤坝=1", "-o", topic)
    ontrail("crawl", "run", "--web", web, "--topic", topic, "--threshold", "0.3", "-o", crawl, url(0))
    files = {name: folder / f"all.{name}" for name in ("jsonl", "csv", "parquet", "md", "warc.gz", "txt")}
    counts = {ontrail("crawl", "export", crawl, "--all", "-o", file)["pages"] for file in files.values()}
    check("pages in every format", counts, {PAGES})

    lines = [json.loads(line) for line in files["jsonl"].read_text().splitlines()]
    columns = list(lines[0])
    check_tables(check, files, columns, lines)
    check_conditions(check, ontrail, folder, crawl, files["parquet"])
    check_markdown(check, files["md"], lines)
    with files["warc.gz"].open("rb") as opened:
        records = ArchiveIterator(opened, check_digests=True)
        found = [(it.rec_headers["WARC-Target-URI"], it.content_stream().read(), it.digest_checker.passed)
                 for it in records if it.rec_type == "response"]
    check("pages in the archive", found, [(row["final_url"], bodies[row["final_url"]], True) for row in lines])
    # The same bytes on standard output, and however many threads read the pages.
    for threads in ("1", "3"):
        command = [binary, "crawl", "export", crawl, "--all", "--format", "parquet", "--threads", threads]
        check(f"{threads} threads", subprocess.run(command, capture_output=True, check=True).stdout,
              files["parquet"].read_bytes())


def check_tables(check, files, columns, lines):
    plain = lambda cell: None if cell is None or cell != cell else cell.item() if hasattr(cell, "item") else cell
    expected = [[row[column] for column in columns] for row in lines]
    # In CSV, a text that looks like a formula has an apostrophe in front, and no text is a missing value.
    risky = lambda cell: isinstance(cell, str) and cell.startswith(("=", "+", "-", "@"))
    in_csv = [[f"'{cell}" if risky(cell) else None if cell == "" else cell for cell in row] for row in expected]
    assert any(risky(cell) for row in expected for cell in row)
    tables = {
        "pandas, jsonl": (pandas.read_json(files["jsonl"], lines=True, convert_dates=False, precise_float=True), expected),
        "pandas, csv": (pandas.read_csv(files["csv"]), in_csv),
        "pandas, parquet": (pandas.read_parquet(files["parquet"]), expected),
    }
    for name, (table, rows) in tables.items():
        check(f"{name}: columns", list(table.columns), columns)
        check(f"{name}: rows", [[plain(cell) for cell in row] for row in table.astype(object).values.tolist()], rows)
    tables = {
        "polars, jsonl": (polars.read_ndjson(files["jsonl"], infer_schema_length=None), expected),
        "polars, csv": (polars.read_csv(files["csv"], infer_schema_length=None), in_csv),
        "polars, parquet": (polars.read_parquet(files["parquet"]), expected),
    }
    for name, (table, rows) in tables.items():
        check(f"{name}: columns", table.columns, columns)
        check(f"{name}: rows", [list(row) for row in table.rows()], rows)
    as_text = "types = {'fetched_at': 'VARCHAR', 'date': 'VARCHAR'}"
    tables = {
        "DuckDB, jsonl": (f"read_json('{files['jsonl']}', sample_size = -1)", expected),
        "DuckDB, csv": (f"read_csv('{files['csv']}', {as_text}, sample_size = -1)", in_csv),
        "DuckDB, parquet": (f"read_parquet('{files['parquet']}')", expected),
    }
    for name, (source, rows) in tables.items():
        found = duckdb.sql(f"select * from {source}")
        check(f"{name}: columns", found.columns, columns)
        # DuckDB takes texts that look like dates for dates.
        dates = "strftime(fetched_at, '%Y-%m-%dT%H:%M:%SZ') as fetched_at, strftime(date, '%Y-%m-%d') as date"
        if name == "DuckDB, jsonl":
            found = duckdb.sql(f"set timezone = 'UTC'; select * replace ({dates}) from {source}")
        check(f"{name}: rows", [list(row) for row in found.fetchall()], rows)


def check_conditions(check, ontrail, folder, crawl, table):
    sizes = set()
    for number, (condition, sql) in enumerate(WHERE):
        out = folder / f"where{number}.parquet"
        ontrail("crawl", "export", crawl, "--all", "--where", condition, "-o", out)
        found = duckdb.sql(f"select url from read_parquet('{out}')").fetchall()
        expected = duckdb.sql(f"select url from read_parquet('{table}') where {sql}").fetchall()
        check(f"--where {condition}", found, expected)
        sizes.add(len(found))
    assert sizes.isdisjoint({0, PAGES}), "a condition selects nothing, or everything"


def check_markdown(check, folder, lines):
    pages = {}
    for path in folder.glob("*/*.md"):
        head, body = path.read_text().removeprefix("---\n").split("\n---\n", 1)
        values = yaml.safe_load(head)
        pages[values["number"]] = (path.parent.name, values, body)
    check("Markdown files", sorted(pages), sorted(row["number"] for row in lines))
    for row in lines:
        host, values, body = pages[row["number"]]
        check(f"folder of {row['url']}", host, row["final_url"].split("/")[2])
        expected = {name: value for name, value in row.items() if value is not None and name != "text"}
        check(f"front matter of {row['url']}", values, expected)
        check(f"text of {row['url']}", row["text"].splitlines()[-1] in body, True)
