"""Tests that the interpreter survives damaged databases and many threads."""

from __future__ import annotations

import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chessdb
import pyarrow as pa
from conftest import FIXTURES, opened

#: The number of damaged databases to try.
BASES = int(os.environ.get("CHESSDB_DAMAGED", "300"))


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Returns the content with one to five faults."""
    out = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        if not out:
            break
        at = rng.randrange(len(out))
        match rng.randrange(6):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at : at + rng.randint(1, 600)] = bytes(rng.randint(0, 200))
            case 2:
                del out[at:]
            case 3:
                out[at:at] = rng.randbytes(rng.randint(1, 64))
            case 4:
                end = at + rng.randint(1, 16)
                out[at:end] = b"\xff" * (end - at)
            case 5:
                other = rng.randrange(len(out))
                out[at : at + 64] = out[other : other + 64]
    return bytes(out)


def everything(db: chessdb.Database) -> None:
    for number, game in enumerate(db):
        if number > 60:
            break
        game.pgn(width=0), game.ucis(), game.sans(), game.headers, game.diagnostics, repr(game)
        game.root(), game.boards(), game.hashes(), game.fens(), game._repr_html_()
        if number < 5:
            game.to_chess()
    table = pa.table(db.arrow("all", games="1-200"))
    assert table.num_rows <= 200


def test_damaged_bases() -> None:
    """Any bytes lead to a database or to an exception of this package."""
    rng = random.Random(1987)
    groups = []
    for path in opened():
        files = [path, *(other for other in path.parent.glob(path.stem + ".*") if other != path)]
        content = {file.name: file.read_bytes() for file in files if file.suffix.lower() != ".json"}
        if sum(map(len, content.values())) < 300_000:
            groups.append((path, content))
    read = refused = 0
    for n in range(BASES):
        path, content = groups[n % len(groups)]
        name = rng.choice(sorted(content))
        files = {**content, name: damaged(rng, content[name])}
        try:
            db = chessdb.open_bytes(files, format=None)
        except (chessdb.ChessDbError, FileNotFoundError, OSError):
            refused += 1
            continue
        everything(db)
        read += 1
    assert read > BASES // 4, (read, refused)


def test_eight_threads_on_one_database(many: Path) -> None:
    db = chessdb.open(many)
    expected = [game.ucis() for game in db]
    shared = iter(db)
    start = threading.Barrier(8)

    def work(number: int) -> tuple[bool, int, int]:
        start.wait()
        rng = random.Random(number)
        same = all(db[at].ucis() == expected[at] for at in rng.sample(range(len(db)), 200))
        rows: int = pa.table(db.arrow("moves", jobs=2)).num_rows
        wins = len(db.find("result:1-0"))
        taken = sum(1 for _ in shared)
        assert [game.ucis() for game in db] == expected
        return same and wins == len(db.find("result:1-0")), rows, taken

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert all(same and rows == len(db) for same, rows, _ in results)
    assert sum(taken for *_, taken in results) == len(db), "each game went to one thread"


def test_other_threads_run_meanwhile(many: Path, tmp_path: Path) -> None:
    """The global interpreter lock is released while games are read."""
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    db = chessdb.open(many)
    before = ticks
    chessdb.convert([db] * 40, tmp_path / "many.si4")
    during = ticks - before
    done.set()
    thread.join()
    assert during > 10


def test_panics_are_exceptions() -> None:
    """An internal error must not end the interpreter."""
    from chessdb import _chessdb

    try:
        _chessdb.panic()
    except BaseException as error:
        assert type(error).__name__ == "PanicException" and "on purpose" in str(error)
    else:
        raise AssertionError("it did not panic")
    assert len(chessdb.open(FIXTURES / "scid" / "annotated.si4")) > 10
