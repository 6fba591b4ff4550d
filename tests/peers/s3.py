"""Uploads to a server that speaks S3 (moto), read back by boto3.

usage: s3.py PATH_TO_ONTRAIL

- A crawl with --upload: every object has the bytes of its file and the SHA-256 of its record, large ones sent in parts
  too; secrets and state are not there, and no credentials are in any file or message.
- export, status, report and explain read the crawl from the bucket as they read it from its folder.
- An object that was damaged is refused by name; `crawl upload` restores it, and one that was removed.
- A connection that breaks in the middle, and a server that stops in the middle: the crawl ends all the same, and
  `crawl upload` completes the upload.
"""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import boto3
import botocore.config

ONTRAIL = os.path.abspath(sys.argv[1])
SECRET, COOKIE = "shhh-the-key-of-the-store", "shhh-the-cookie"
passed = 0


def check(what, found, expected=True):
    global passed
    if found != expected:
        sys.exit(f"FAILED {what}\n  found:    {found!r}\n  expected: {expected!r}")
    passed += 1


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A moto server with a bucket. What it holds is gone when it stops."""

    def __init__(self, port=None):
        self.port = port or free_port()
        moto = pathlib.Path(sys.executable).parent / "moto_server"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([moto, "-H", "127.0.0.1", "-p", str(self.port)], **quiet)
        self.url = f"http://127.0.0.1:{self.port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url + "/moto-api/")
                break
            except OSError:
                time.sleep(0.1)
        config = botocore.config.Config(retries={"max_attempts": 1})
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
        self.s3 = boto3.client("s3", endpoint_url=self.url, config=config, **keys)
        self.s3.create_bucket(Bucket="crawls")

    def stop(self):
        self.process.kill()
        self.process.wait()

    def objects(self, prefix):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket="crawls", Prefix=prefix + "/")
        keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
        return {key[len(prefix) + 1:]: self.body(key) for key in keys}

    def body(self, key):
        return self.s3.get_object(Bucket="crawls", Key=key)["Body"].read()


class Proxy:
    """Passes connections on to a server, until it has passed on so many bytes."""

    def __init__(self, port, limit):
        self.port, self.target, self.left, self.seen = free_port(), port, limit, []
        self.url = f"http://127.0.0.1:{self.port}"
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if self.left <= 0:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.target))
            for pair in [(client, server), (server, client)]:
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, target):
        try:
            while self.left > 0 and (data := source.recv(65_536)):
                self.left -= len(data)
                self.seen.append(data)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def ontrail(*args, url, code=0, wait=True):
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}
    env = {**os.environ, **keys, "AWS_ENDPOINT": url, "AWS_ALLOW_HTTP": "true", "LC_ALL": "C"}
    process = subprocess.Popen([ONTRAIL, *args], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not wait:
        return process
    out, err = process.communicate()
    check(f"{args[:3]} says nothing secret", SECRET in out + err or COOKIE in out + err, False)
    if process.returncode != code:
        sys.exit(f"FAILED {' '.join(args)}: exit {process.returncode}, not {code}\n{out}\n{err}")
    return out, err


def pages(folder, number, size):
    """Writes pages of random text, which hardly compresses, each with links to three others."""
    chance = random.Random(7)
    folder.mkdir()
    for at in range(number):
        links = "".join(f"<a href=/p{to}.html>rain {to}</a> " for to in range(3 * at + 1, min(3 * at + 4, number)))
        text = chance.randbytes(size // 2).hex()
        folder.joinpath(f"p{at}.html").write_text(f"<title>page {at}</title><p>rain and storm {links} {text}")


def local(folder):
    """The files of a crawl that belong into a store."""
    names = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    keep = re.compile(r"(pages|log|links|models)/|(run|progress|summary)\.json$|commits$")
    return {name: path.read_bytes() for name, path in names.items() if keep.match(name)}


def check_upload(what, server, prefix, folder):
    """Compares every object with its file and with its record."""
    found, expected = server.objects(prefix), local(folder)
    records = {name[9:-5]: json.loads(body) for name, body in found.items() if re.match(r"uploaded/.*\.json$", name)}
    objects = {name: body for name, body in found.items() if not name.startswith("uploaded/")}
    check(f"{what}: objects", sorted(objects), sorted(expected))
    check(f"{what}: records", sorted(records), sorted(expected))
    for name, body in objects.items():
        check(f"{what}: {name}", body == expected[name])
        check(f"{what}: SHA-256 of {name}", records[name]["sha256"], hashlib.sha256(body).hexdigest())
        check(f"{what}: size of {name}", records[name]["bytes"], len(body))
    everything = b"".join(found.values()) + b"".join(path.read_bytes() for path in folder.glob("*.json")
                                                    if path.name != "secrets.json")
    check(f"{what}: no credentials", SECRET.encode() in everything or COOKIE.encode() in everything, False)
    return objects


class Slow(http.server.BaseHTTPRequestHandler):
    """A site of many pages, each of which takes a while."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.02)
        at = re.fullmatch(r"/p(\d+)", self.path)
        links = "".join(f"<a href=/p{int(at[1]) * 3 + n}>rain</a> " for n in (1, 2, 3)) if at else ""
        body = f"<title>{self.path}</title><p>rain and storm {links}{random.randbytes(2000).hex()}".encode()
        self.send_response(200 if at else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Site(http.server.ThreadingHTTPServer):
    """Serves the site. Crawls that are killed break connections off."""

    def handle_error(self, *_):
        pass


def live(folder, port, *more):
    """The command of a crawl of the slow site that takes some seconds."""
    folder.joinpath("live.toml").write_text("[output]\ncommit-seconds = 0.1\narchive-bytes = 50000\n")
    polite = ["--contact", "test@example.org", "--delay", "0", "--address-delay", "0", "--per-host", "2"]
    limits = ["--allow-private", "127.0.0.1", "--settings", str(folder / "live.toml"), "--budget", "300"]
    return ["crawl", "run", *polite, *limits, "--recipe", "bfs", *more, f"http://127.0.0.1:{port}/p0"]


def upload_and_read(folder, server):
    folder.joinpath("small.toml").write_text("[output]\ncommit-seconds = 0.05\narchive-bytes = 400000\n")
    pages(folder / "web", 60, 40_000)
    ontrail("topic", "keywords", "rain=2", "storm", "-o", str(folder / "t.json"), url=server.url)
    out, to = folder / "out", "s3://crawls/deep/rain"
    run = ["crawl", "run", "--web", str(folder / "web"), "--topic", str(folder / "t.json"), "--recipe", "vsm",
           "--header", f"Cookie: {COOKIE}", "--settings", str(folder / "small.toml")]
    proxy = Proxy(server.port, 1 << 40)
    _, err = ontrail(*run, "-o", str(out), "--upload", to, "http://localhost/p0.html", url=proxy.url)
    check("the crawl says what it uploaded", f"file(s) are uploaded to {to}" in err)
    check("the crawl has secrets", (out / "secrets.json").exists())
    objects = check_upload("crawl", server, "deep/rain", out)
    archives = [name for name in objects if name.endswith(".warc.gz")]
    check("several archives", len(archives) > 2)
    # Amazon refuses a body that differs from this header; moto does not look at it.
    given = re.findall(rb"x-amz-checksum-sha256: (\S+)", b"".join(proxy.seen), re.IGNORECASE)
    for name in archives:
        checksum = base64.b64encode(hashlib.sha256(objects[name]).digest())
        check(f"the store was given the checksum of {name}", checksum in given)
    again, _ = ontrail("crawl", "upload", str(out), "--json", url=server.url)
    check("nothing is left to upload", json.loads(again)["waiting"], 0)

    both = []
    for place in (str(out), to):
        exported, _ = ontrail("crawl", "export", place, "--all", url=server.url)
        explained, _ = ontrail("crawl", "explain", place, "http://localhost/p3.html", "--json", url=server.url)
        status = json.loads(ontrail("crawl", "status", place, "--json", url=server.url)[0])
        figures = {name: value for name, value in status.items() if name not in ("disk", "upload")}
        report = folder / f"report-{len(both)}.html"
        ontrail("crawl", "report", place, "-o", str(report), url=server.url)
        html = report.read_text().replace("Crawl rain", "Crawl out")
        both.append((exported, explained, figures, html))
    for what, here, there in zip(("export", "explain", "status", "report"), *both):
        check(f"{what} of the bucket is that of the folder", there == here)
    check("pages are exported", len(both[0][0].splitlines()), 60)
    ontrail(*run, "-o", str(folder / "other"), "--upload", to, "http://localhost/p0.html", url=server.url, code=2)
    check("a second crawl to the same address is not begun", (folder / "other").exists(), False)

    key = f"deep/rain/{archives[1]}"
    body = server.body(key)
    server.s3.put_object(Bucket="crawls", Key=key, Body=body[:-1] + bytes([body[-1] ^ 1]))
    _, err = ontrail("crawl", "export", to, "--all", url=server.url, code=2)
    check("the damaged object is named", f"{to}/{archives[1]}: is damaged: its SHA-256" in err)
    server.s3.delete_object(Bucket="crawls", Key=f"deep/rain/{archives[0]}")
    ontrail("crawl", "upload", str(out), to, url=server.url)
    check_upload("after the repair", server, "deep/rain", out)
    (out / "uploads.json").unlink()
    ontrail("crawl", "upload", str(out), to, "--check", url=server.url)
    check_upload("after a check without the list of uploads", server, "deep/rain", out)


def mistakes(folder, server):
    """Mistakes that the store notices are reported before the crawl begins, and at once."""
    started = time.time()
    run = ["crawl", "run", "--web", str(folder / "web"), "--recipe", "bfs", "-o", str(folder / "mistake")]
    _, err = ontrail(*run, "--upload", "s3://no-such-bucket/x", "http://localhost/p0.html", url=server.url, code=2)
    check("a bucket that does not exist is reported", "NoSuchBucket" in err)
    check("nothing was crawled", (folder / "mistake").exists(), False)
    _, err = ontrail("crawl", "upload", str(folder / "out"), "s3://no-such-bucket/x", url=server.url, code=2)
    check("nor is anything uploaded to it", "NoSuchBucket" in err)
    _, err = ontrail("crawl", "export", "s3://crawls/nothing", url=server.url, code=2)
    check("nothing is where nothing was uploaded", "holds no files that Ontrail uploaded" in err)
    check("nobody waits for that", time.time() - started < 30)


def parts(folder, server):
    """A large archive, and a connection that breaks while its parts are sent."""
    pages(folder / "large", 400, 120_000)
    out = folder / "large-out"
    run = ["crawl", "run", "--web", str(folder / "large"), "--recipe", "bfs", "--upload-wait", "1", "-o", str(out)]
    proxy = Proxy(server.port, 12_000_000)
    _, err = ontrail(*run, "--upload", "s3://crawls/large", "http://localhost/p0.html",
                     url=proxy.url)
    check("the crawl ends although the connection broke", re.findall("[1-9] file.s. are not uploaded yet", err) != [])
    names = server.objects("large")
    check("no record of what was not sent", "uploaded/pages/pages-00000.warc.gz.json" in names, False)
    status = json.loads(ontrail("crawl", "status", str(out), "--json", url=server.url)[0])
    check("the status shows what waits", status["upload"]["waiting"] > 0 and "error" in status["upload"])
    ontrail("crawl", "upload", str(out), url=server.url)
    objects = check_upload("in parts", server, "large", out)
    check("there is a large file", max(map(len, objects.values())) > 2 * 8 << 20)
    tag = server.s3.head_object(Bucket="crawls", Key="large/pages/pages-00000.warc.gz")["ETag"]
    check("it was sent in parts", re.fullmatch(r'"[0-9a-f]+-\d+"', tag) is not None)
    ontrail("crawl", "export", "s3://crawls/large", "--all", "-o", str(folder / "large.jsonl"), url=server.url)


def stops(folder):
    """A server that stops while the crawl runs, and comes back empty."""
    server = Server()
    site = Site(("127.0.0.1", 0), Slow)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    out = folder / "stops"
    command = live(folder, site.server_port, "--upload", "s3://crawls/stops", "--upload-wait", "2", "-o", str(out))
    crawl = ontrail(*command, url=server.url, wait=False)
    deadline = time.time() + 60
    while not any(name.endswith(".warc.gz") for name in server.objects("stops")) and time.time() < deadline:
        time.sleep(0.1)
    check("archives are uploaded while the crawl runs", crawl.poll() is None)
    server.stop()
    _, err = crawl.communicate(timeout=120)
    check("the crawl ends although the server is gone", crawl.returncode, 0)
    check("it says how to go on", f"go on with: ontrail crawl upload {out} s3://crawls/stops" in err)
    check("it fetched all pages", json.loads((out / "summary.json").read_text())["downloaded"], 300)
    _, err = ontrail("crawl", "upload", str(out), "--upload-wait", "1", url=server.url, code=2)
    check("the upload fails as long as the server is gone", "not uploaded to s3://crawls/stops" in err)
    waiting = ontrail("crawl", "upload", str(out), "--upload-wait", "3600", url=server.url, wait=False)
    time.sleep(3)
    check("it waits for the server as long as it may", waiting.poll() is None)
    waiting.send_signal(signal.SIGINT)
    waiting.communicate(timeout=10)
    check("Ctrl-C ends the waiting", waiting.returncode, 2)
    server = Server(server.port)
    ontrail("crawl", "upload", str(out), url=server.url)
    check_upload("after the stop", server, "stops", out)

    # Killed in the middle, then resumed: the crawl remembers where it is uploaded to.
    out = folder / "killed"
    command = live(folder, site.server_port, "--upload", "s3://crawls/killed", "-o", str(out))
    crawl = ontrail(*command, url=server.url, wait=False)
    deadline = time.time() + 60
    while not any(name.endswith(".warc.gz") for name in server.objects("killed")) and time.time() < deadline:
        time.sleep(0.1)
    crawl.kill()
    crawl.communicate()
    _, err = ontrail("crawl", "upload", str(out), url=server.url)
    check("what is not complete is not uploaded", "are not complete" in err)
    ontrail("crawl", "resume", str(out), url=server.url)
    check_upload("after the kill", server, "killed", out)
    server.stop()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = Server()
        try:
            upload_and_read(folder, server)
            mistakes(folder, server)
            parts(folder, server)
        finally:
            server.stop()
        stops(folder)
    print(f"{passed} checks of uploads passed")


main()
