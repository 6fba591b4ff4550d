"""What robots.txt files allow, against Protego, which follows the same standard.

Files and addresses are made up of a few pieces, so that rules meet addresses often: agents with and without groups of
their own, groups that come twice, wildcards, ends, percent-encoding, comments, lines that are none.
"""

import random

import protego

AGENTS = ["ontrail", "otherbot", "*"]
PIECES = ["/", "a", "b", "a/", "b/", "*", ".php", "?x=", "%7e", "~", "%C3%A9", "1"]
KEYS = ["Allow", "Disallow", "disallow", "ALLOW", "Disallow"]
FILES, ADDRESSES = 250, 24


def pattern(chance):
    # Protego counts a question mark as the three characters of `%3F`, which matters where rules are nearly as long.
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
