"""Games per CPU second beside python-chess, in one run: `python bench.py BASE.si4 [GAMES]`.

Every line is the best of three. A CPU second is one of the process, its threads included.
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

#: What docs/python.md promises, as multiples of python-chess.
BARS = {"names and ratings": 300, "uci": 120, "san": 120, "moves as numpy": 300, "Arrow, heads and moves": 400}


def rate(act: Callable[[], object], games: int) -> float:
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        act()
        best = max(best, games / (time.process_time() - start))
    return best


def main(path: str, games: int) -> None:
    text = "".join(game.pgn() for game in chessdb.open(path)[:games])

    def theirs() -> None:
        file = io.StringIO(text)
        while chess.pgn.read_game(file):
            pass

    peer = rate(theirs, games)
    print(f"{'python-chess, read_game':28} {peer:>10,.0f}")
    db = chessdb.open(path)
    whole = len(db)
    all_of: dict[str, Callable[[], object]] = {
        "objects": lambda: deque(db, 0),
        "names and ratings": lambda: deque(((g.white, g.black, g.white_elo, g.black_elo) for g in db), 0),
        "heads, names and ratings": lambda: deque(
            ((g.white, g.black, g.white_elo, g.black_elo) for g in db.heads()), 0
        ),
        "headers": lambda: deque((g.headers for g in db), 0),
        "uci": lambda: deque((g.uci() for g in db), 0),
        "san": lambda: deque((g.san() for g in db), 0),
        "moves as numpy": lambda: deque((np.asarray(g.moves) for g in db), 0),
        "boards as numpy": lambda: deque((np.asarray(g.boards()) for g in db), 0),
        "Arrow, heads": lambda: pa.table(db.arrow("headers", threads=1)),
        "Arrow, heads and moves": lambda: pa.table(db.arrow("moves", threads=1)),
        "Arrow, everything": lambda: pa.table(db.arrow("all", threads=1)),
    }
    for name, act in all_of.items():
        own = rate(act, whole)
        bar = f"  (at least {BARS[name]})" if name in BARS else ""
        print(f"{name:28} {own:>10,.0f} {own / peer:>7,.0f} x{bar}")
    few = db[:games]
    own = rate(lambda: deque((g.to_chess() for g in few), 0), games)
    print(f"{'to_chess':28} {own:>10,.0f} {own / peer:>7,.1f} x")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
