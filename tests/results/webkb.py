"""Makes from the WebKB archive what the comparison needs: the pages of one university in a folder per class, to train on, and the labels
and seeds of the others, to crawl.

usage: webkb.py WARC LABELS TRAINING_UNIVERSITY OUT
"""

import gzip
import pathlib
import sys

warc, labels, training, out = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
rows = [line.rstrip("\n").split("\t") for line in open(labels, encoding="utf-8")]
classes = {url: (label, university) for url, label, university in rows}


def responses(path):
    """The addresses and bodies of an archive."""
    with gzip.open(path, "rb") as stream:
        while line := stream.readline():
            if not line.startswith(b"WARC/"):
                continue
            head = {}
            while (line := stream.readline().strip()):
                name, _, value = line.partition(b":")
                head[name.lower()] = value.strip()
            block = stream.read(int(head[b"content-length"]))
            if head[b"warc-type"] == b"response":
                yield head[b"warc-target-uri"].decode(), block.partition(b"\r\n\r\n")[2]


number = 0
for url, body in responses(warc):
    label, university = classes.get(url, (None, None))
    if university == training:
        folder = out / "training" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:04}.html").write_bytes(body)
        number += 1

for university in sorted({university for _, _, university in rows} - {training, "misc"}):
    own = [(url, label) for url, label, of in rows if of == university]
    with open(out / f"{university}.labels.tsv", "w", encoding="utf-8") as file:
        file.writelines(f"{url}\t{label}\n" for url, label in own)
    seeds = [url for url, label in own if label == "department"]
    seeds += sorted(url for url, label in own if label == "faculty")[:5]
    (out / f"{university}.seeds.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
