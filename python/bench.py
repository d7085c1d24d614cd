"""Compares games per CPU second with python-chess: `python bench.py DATABASE.si4 [GAMES]`.

Each line is the best of five runs, which alternate with runs of python-chess, so that other work on
the machine affects both alike. CPU seconds are those of the process, including its threads.
"""

import io
import sys
import time
from collections import deque
from collections.abc import Callable

import chess.pgn
import chessdb
import numpy as np
import pyarrow as pa

#: The speeds stated in docs/python.md, as multiples of python-chess.
BARS = {
    "names and ratings": 300,
    "uci": 120,
    "san": 120,
    "moves as numpy": 300,
    "Arrow, headers and moves": 400,
    "nodes of the mainline": 20,
    "to_chess": 10,
}


def rate(act: Callable[[], object], games: int) -> float:
    start = time.process_time()
    act()
    return games / (time.process_time() - start)


def rates(one: tuple[Callable[[], object], int], other: tuple[Callable[[], object], int]) -> tuple[float, float]:
    """Returns the best of five alternating runs of each."""
    pairs = [(rate(*one), rate(*other)) for _ in range(5)]
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


def main(path: str, games: int) -> None:
    text = "".join(game.pgn() for game in chessdb.open(path)[:games])

    def theirs() -> None:
        file = io.StringIO(text)
        while chess.pgn.read_game(file):
            pass

    db = chessdb.open(path)
    whole = len(db)
    all_of: dict[str, Callable[[], object]] = {
        "objects": lambda: deque(db, 0),
        "names and ratings": lambda: deque(((g.white, g.black, g.white_elo, g.black_elo) for g in db), 0),
        "headers, names and ratings": lambda: deque(
            ((g.white, g.black, g.white_elo, g.black_elo) for g in db.headers()), 0
        ),
        "headers": lambda: deque((dict(g.headers) for g in db), 0),
        "uci": lambda: deque((g.ucis() for g in db), 0),
        "san": lambda: deque((g.sans() for g in db), 0),
        "moves as numpy": lambda: deque((np.asarray(g.moves) for g in db), 0),
        "boards as numpy": lambda: deque((np.asarray(g.boards()) for g in db), 0),
        "Arrow, headers": lambda: pa.table(db.arrow("headers", jobs=1)),
        "Arrow, headers and moves": lambda: pa.table(db.arrow("moves", jobs=1)),
        "Arrow, everything": lambda: pa.table(db.arrow("all", jobs=1)),
    }
    few = db[:games]
    of_few: dict[str, Callable[[], object]] = {
        "nodes of the mainline": lambda: deque(
            (node.san for g in few for node in g.mainline()), 0
        ),
        "to_chess": lambda: deque((g.to_chess() for g in few), 0),
    }
    for name, act in (all_of | of_few).items():
        own, peer = rates((act, games if name in of_few else whole), (theirs, games))
        bar = f"  (at least {BARS[name]})" if name in BARS else ""
        print(f"{name:28} {own:>10,.0f} {own / peer:>7,.1f} x {peer:>5,.0f}{bar}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300)
