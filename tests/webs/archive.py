"""Reads and writes web archives (WARC/1.1, a gzip member for each record)."""

import base64
import gzip
import hashlib
import uuid

# The same for every record, so that equal pages make equal archives.
DATE = "2024-01-01T00:00:00Z"


def response(url, body):
    """Returns the record of a page that was fetched, in UTF-8, compressed."""
    http = (
        "HTTP/1.1 200 OK\r\n"
        "Date: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
        "Content-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    head = (
        "WARC/1.1\r\n"
        "WARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
        f"WARC-Target-URI: {url}\r\n"
        f"WARC-Date: {DATE}\r\n"
        f"WARC-Payload-Digest: sha1:{digest}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http) + len(body)}\r\n\r\n"
    ).encode()
    return compressed(head + http + body + b"\r\n\r\n")


def compressed(record):
    return gzip.compress(record, 6, mtime=0)


def responses(path):
    """Yields the URL, the body and the whole record of each response in an archive."""
    with gzip.open(path, "rb") as stream:
        while line := stream.readline():
            if not line.startswith(b"WARC/"):
                continue
            record, head = [line], {}
            while (line := stream.readline()).strip():
                record.append(line)
                name, _, value = line.partition(b":")
                head[name.strip().lower()] = value.strip()
            block = stream.read(int(head[b"content-length"]))
            if head[b"warc-type"] == b"response":
                record += [line, block, b"\r\n\r\n"]
                url = head[b"warc-target-uri"].strip(b"<>").decode()
                yield url, block.partition(b"\r\n\r\n")[2], b"".join(record)
