"""Tests of tables as sources of games, and of other things that people open."""

from __future__ import annotations

import bz2
import datetime
import gzip
import hashlib
import io
import lzma
import zipfile
from pathlib import Path
from typing import Any

import chessdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

COLUMNS: dict[str, list[Any]] = {
    "White": ["Tal", "Кересъ", None],
    "black": ["A", 'B "C"', "D"],
    "WhiteElo": [2700, None, 2500],
    "Date": ["1960.05.07", None, "1961.??.??"],
    "Result": ["1-0", "1/2-1/2", "*"],
    "movetext": ["1. e4 {best} e5 1-0", "1. d4 d5 (1... Nf6) 1/2-1/2", "1. c4 *"],
}

TABLES: dict[str, Any] = {
    "dict": lambda: COLUMNS,
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy": lambda: pl.DataFrame(COLUMNS).lazy().collect(),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with missing numbers": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pyarrow": lambda: pa.table(COLUMNS),
    "batch": lambda: pa.table(COLUMNS).to_batches()[0],
    "reader": lambda: pa.table(COLUMNS).to_reader(),
    "arrays": lambda: {name: np.array(column, dtype=object) for name, column in COLUMNS.items()},
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_sources(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "games.pgn"
    assert chessdb.convert(TABLES[kind](), target).written == 3
    for games in (list(chessdb.open(target)), list(chessdb.open(TABLES[kind]()))):
        assert [game.white for game in games] == ["Tal", "Кересъ", "?"]
        assert [game.black for game in games] == ["A", 'B "C"', "D"]
        assert [game.white_elo for game in games] == [2700, None, 2500]
        assert [str(game.date) for game in games] == ["1960.05.07", "????.??.??", "1961.??.??"]
        assert [game.result for game in games] == ["1-0", "1/2-1/2", "*"]
        assert next(games[0].mainline()).comment == "best" and len(next(games[1].mainline()).variations) == 2
    writer = chessdb.open(target)
    assert writer.append([TABLES[kind](), "1. f4 *"]).read == 4 and len(writer) == 7


def test_own_tables_come_back(annotated: Path, tmp_path: Path) -> None:
    db = chessdb.open(annotated)
    for frame in (db.pl(["White", "Black", "GameDate", "Result", "movetext"]), db.df(["White", "movetext", "Date"])):
        again = chessdb.open(frame)
        assert [game.sans() for game in again] == [game.sans() for game in db if game.fen is None] or len(again) == len(db)
        assert [game.white for game in again] == [game.white for game in db]
    numbers = db.pl(["White", "Result", "FEN", "moves"])
    assert [game.ucis() for game in chessdb.open(numbers)] == [game.ucis() for game in db]
    dates = {"UTCDate": [datetime.date(1960, 5, 7)], "moves": ["e4 e5"]}
    assert chessdb.open(dates)[0].sans() == ["e4", "e5"]


def test_rows_are_sources(tmp_path: Path) -> None:
    rows = [{"White": "A", "movetext": "1. e4"}, {"White": "B", "moves": "d4 d5"}]
    assert chessdb.convert(rows, tmp_path / "rows.pgn").written == 2
    assert [game.white for game in chessdb.open(tmp_path / "rows.pgn")] == ["A", "B"]


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame, pa.table])
def test_tables_without_moves_are_refused(make: Any, tmp_path: Path) -> None:
    table = make({"White": ["A"], "Year": [1960]})
    for use in (lambda: chessdb.convert(table, tmp_path / "x.pgn"), lambda: chessdb.open(table)):
        with pytest.raises(TypeError, match="movetext, pgn, moves, san or an.*White, Year"):
            use()
    assert not (tmp_path / "x.pgn").exists()
    with pytest.raises(TypeError, match="same number of rows"):
        chessdb.open({"White": ["A", "B"], "movetext": ["1. e4"]})


def test_small_packed_files_have_a_length(tmp_path: Path) -> None:
    text = b'[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 *\n'
    packed = {"a.pgn.gz": gzip.compress(text), "a.pgn.bz2": bz2.compress(text), "a.pgn.xz": lzma.compress(text)}
    folder = io.BytesIO()
    with zipfile.ZipFile(folder, "w") as archive:
        archive.writestr("inner/games.pgn", text)
    packed["a.zip"] = folder.getvalue()
    chessdb.convert(chessdb.open_bytes({"a.pgn": text}), tmp_path / "b.pgn.zst")
    packed["a.pgn.zst"] = (tmp_path / "b.pgn.zst").read_bytes()
    for name, content in packed.items():
        path = tmp_path / name
        path.write_bytes(content)
        db = chessdb.open(path)
        assert (len(db), db.is_stream, db[1].white, db[-1].number) == (2, False, "B", 2), name
        assert db.path == path and db.find("white:B")[0].number == 2
        assert chessdb.convert(db, tmp_path / f"{name}.si4").written == 2
    cut = tmp_path / "cut.pgn.gz"
    lines = "".join(f'[White "{hashlib.md5(bytes([n])).hexdigest()}"]\n\n1. e4 *\n\n' for n in range(250))
    cut.write_bytes(gzip.compress(lines.encode())[:-200])
    damaged = chessdb.open(cut)
    # Without its end the file is read as far as it goes, and the damage is reported.
    assert damaged.is_stream
    with pytest.raises(chessdb.ChessDbError):
        list(damaged)
    large = tmp_path / "large.pgn.gz"
    large.write_bytes(gzip.compress(b"1. e4 {" + b"x" * 1000 + b"} *\n\n" * 1, 1) * 70_000)
    assert chessdb.open(large).is_stream


def test_folders_name_what_reads_them(tmp_path: Path) -> None:
    for name in ("a.pgn", "b.pgn"):
        (tmp_path / name).write_text("1. e4 *\n")
    with pytest.raises(chessdb.ChessDbError, match=r"chessdb\.scan.*chessdb\.survey"):
        chessdb.open(tmp_path)


def test_text_files_are_read() -> None:
    text = '[White "Müller"]\n[Black "Кересъ"]\n\n1. e4 e5 *\n\n1. d4 *\n'
    games = list(chessdb.read(io.StringIO(text)))
    assert [(game.white, game.black) for game in games] == [("Müller", "Кересъ"), ("?", "?")]
    assert [game.white for game in chessdb.read(io.BytesIO(text.encode()))] == ["Müller", "?"]
    assert chessdb.open_bytes({"a.pgn": text})[0].white == "Müller"
    for source, advice in ((io.StringIO(text), "read"), (text.encode(), "open_bytes"), (7, "a path")):
        with pytest.raises(TypeError, match=advice):
            chessdb.open(source)  # type: ignore[arg-type]


def test_progress_stops(annotated: Path, tmp_path: Path) -> None:
    db = chessdb.open(annotated)
    for target in ("a.pgn", "a.si4", "a.parquet"):
        report = chessdb.convert(db, tmp_path / target, progress=lambda done, total: False)
        assert report.stopped and report.written == 0 and report.target is None and "stopped" in str(report)
        assert not (tmp_path / target).exists()
    assert not chessdb.convert(db, tmp_path / "a.pgn", progress=lambda done, total: None).stopped
    assert chessdb.index(annotated, parquet=tmp_path / "p.parquet", progress=lambda *_: False) == 0
    assert not (tmp_path / "p.parquet").exists()
