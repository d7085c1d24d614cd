#!/usr/bin/env python3
"""Add up scores by a plain loop over the headers that python-chess reads, for a comparison with
`chessdb stats`.

    stats_scan.py FILE.pgn

Prints a line per player, `player<TAB>NAME<TAB>GAMES,WON,DRAWN,LOST`, sorted by name; then for each of
the 25 largest events a line per player, `event<TAB>EVENT<TAB>SITE<TAB>YEAR<TAB>NAME<TAB>POINTS`. Only
names in ASCII are compared, in lower case. Games that occur twice count once in an event.
"""

import collections
import io
import sys

import chess.pgn


def blanks_collapsed(path):
    """Text for python-chess, which takes two blank lines for the end of a game without moves."""
    text = open(path, encoding="utf-8", errors="replace").read()
    return io.StringIO(text.replace("\n\n\n", "\n\n"))


POINTS = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (0.5, 0.5)}


def main():
    players = collections.defaultdict(lambda: [0, 0, 0, 0])
    events = collections.defaultdict(list)
    source = blanks_collapsed(sys.argv[1])
    while (game := chess.pgn.read_game(source)) is not None:
        tags = game.headers
        names = [tags[side].strip().lower() for side in ("White", "Black")]
        points = POINTS.get(tags["Result"])
        for side, name in enumerate(names):
            row = players[name]
            row[0] += 1
            if points:
                row[{1: 1, 0.5: 2, 0: 3}[points[side]]] += 1
        key = (tags["Event"], tags["Site"], tags["Date"][:4])
        moves = " ".join(str(move) for move in game.mainline_moves())
        events[key].append((tuple(names), tags["Round"], tags["Date"], tags["Result"], moves))
    for name in sorted(players):
        if name.isascii() and name not in ("?", ""):
            print("player", name, ",".join(map(str, players[name])), sep="\t")
    largest = sorted(events, key=lambda key: (-len(set(events[key])), key))
    for key in largest[:25]:
        points = collections.Counter()
        for names, _, _, result, _ in set(events[key]):
            for name, made in zip(names, POINTS.get(result, (0, 0))):
                points[name] += made
        for name in sorted(points):
            if "".join((*key, name)).isascii():
                print("event", *key, name, float(points[name]), sep="\t")


main()
