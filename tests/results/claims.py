"""What the papers claim of pairs of crawlers, put to Wilcoxon's test over the blocks of a comparison.

usage: claims.py ONTRAIL COMPARED MEASURE     (such as recall_area; COMPARED is the folder of `ontrail lab compare`)
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ontrail, compared, measure = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
# The better one first, as the papers have it.
CLAIMS = [
    ("fcits-oh", "bfs"), ("fcits-oh", "ops"), ("fcits-oh", "fcsa"), ("fcits-oh", "fcwseo"), ("fcits-oh", "olmoaco"),
    ("fcits", "fcts"), ("fcoits", "fcits"), ("fcits-oh", "fcoits"),
    ("bcw-cc", "bfs"), ("bcw-cc", "ops"), ("bcw-cc", "fcits-oh"), ("bcw-cc", "fcpso"), ("bcw-cc", "fccbs"), ("bcw-cc", "fcbcw"),
    ("gafc", "hits"), ("gafc", "ops"), ("gafc", "vsm"),
    ("sdvsm", "bfs"), ("sdvsm", "vsm"), ("sdvsm", "ssrm"),
]
values = {}
for row in csv.DictReader(open(compared / "measures.csv", encoding="utf-8")):
    if row["by"] == "true" and row["measure"] == measure:
        values.setdefault(row["recipe"], {}).setdefault(row["block"], []).append(float(row["value"]))
means = {recipe: {block: sum(runs) / len(runs) for block, runs in blocks.items()} for recipe, blocks in values.items()}
print("| claim | better one | other | blocks in which it is better | Wilcoxon p | |\n|---|---|---|---|---|---|")
for better, other in CLAIMS:
    if better not in means or other not in means:
        continue
    blocks = sorted(means[better])
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
        file.write(f"block,{better},{other}\n")
        file.writelines(f"{block},{means[better][block]},{means[other][block]}\n" for block in blocks)
        file.flush()
        done = subprocess.run([ontrail, "lab", "test", file.name, "--control", better, "--json"], capture_output=True, check=False)
    p = json.loads(done.stdout)["against_control"][0]["wilcoxon"]["p"]
    a = sum(means[better].values()) / len(blocks)
    b = sum(means[other].values()) / len(blocks)
    wins = sum(means[better][block] > means[other][block] for block in blocks)
    verdict = "not decided" if p >= 0.05 else "holds" if a > b else "the opposite holds"
    shown = "<0.0001" if p < 0.0001 else f"{p:.4f}"
    print(f"| {better} > {other} | {a:.3f} | {b:.3f} | {wins} of {len(blocks)} | {shown} | {verdict} |")
