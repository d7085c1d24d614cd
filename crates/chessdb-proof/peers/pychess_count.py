#!/usr/bin/env python3
"""Read PGN files with python-chess and print its complaints.

    pychess_count.py FILE.pgn…

Output, separated by tabs: a line `error<TAB>FILE<TAB>game number<TAB>text` per complaint, then a line
`file<TAB>FILE<TAB>games N<TAB>moves N<TAB>errors N` per file (moves include moves of variations).
Exit code 0: no complaints, 1: complaints, 2: wrong arguments.

A complaint is an entry in Game.errors (illegal or ambiguous move, bad FEN) or anything that
python-chess logs while reading.
"""

import logging
import sys

import chess.pgn


class Collect(logging.Handler):
    """Collects the log of python-chess, which reports some faults only there."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def count_moves(game):
    total, todo = 0, [game]
    while todo:
        node = todo.pop()
        total += len(node.variations)
        todo.extend(node.variations)
    return total


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    collect = Collect()
    logging.getLogger("chess.pgn").addHandler(collect)
    logging.getLogger("chess.pgn").propagate = False
    complaints = 0
    for path in paths:
        games = moves = errors = 0
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            while True:
                collect.texts.clear()
                game = chess.pgn.read_game(file)
                if game is None:
                    break
                games += 1
                moves += count_moves(game)
                texts = [str(error) for error in game.errors] + [
                    text for text in collect.texts
                    if not any(str(error) in text for error in game.errors)
                ]
                for text in texts:
                    errors += 1
                    print("error", path, games, " ".join(text.split()), sep="\t")
        print("file", path, f"games {games}", f"moves {moves}", f"errors {errors}", sep="\t")
        complaints += errors
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
