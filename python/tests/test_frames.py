"""Tests of data frames: what pandas, polars, pyarrow and DuckDB make of databases and games."""

from __future__ import annotations

import dataclasses
import datetime
import pickle
from pathlib import Path
from typing import Any

import chessdb
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

PGN = """[White "Tal"]
[Black "Smyslov"]
[Date "1959.09.13"]
[WhiteElo "2700"]
[UTCDate "1959.09.13"]
[UTCTime "12:30:01"]
[Result "1-0"]

1. e4 c6 2. d3 1-0

[White "Fischer"]
[Black "?"]
[Date "1959.??.??"]
[Result "0-1"]

1. d4 0-1

[White "Keres"]
[Result "1-0"]

1-0
"""


def test_shapes(many: Path) -> None:
    """Games are rows and columns are columns, however a frame is made."""
    db = chessdb.open(many)
    columns = db.arrow().schema.names
    wins = db.find("result:1-0")
    assert 0 < len(wins) < len(db) and len(columns) > 30
    for games in (db, wins, db[:7], db[::-1]):
        shape = (len(games), len(columns))
        numbers = [game.number for game in games]
        makers: dict[str, Any] = {
            "pl.DataFrame": pl.DataFrame,
            "pl": lambda games: games.pl(),
            "polars of a stream": lambda games: games.arrow().pl(),
            "pd.DataFrame": pd.DataFrame,
            "pd.DataFrame.from_arrow": pd.DataFrame.from_arrow,
            "df": lambda games: games.df(),
            "pandas of a stream": lambda games: games.arrow().df(),
            "pa.table": pa.table,
        }
        for name, make in makers.items():
            frame = make(games)
            assert frame.shape == shape, (name, frame.shape, shape)
            names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
            assert names == columns, name
            assert [int(number) for number in frame["game"].to_numpy()] == numbers, name
        assert duckdb.sql("select count(*) from games").fetchall() == [(len(games),)]
        assert duckdb.sql("from games").columns == columns
    assert db.pl(["White", "Black"]).shape == (len(db), 2)
    assert db.df("headers", where="result:1-0").shape == (len(wins), 31)
    assert wins.df(["White"]).shape == wins.pl("White").shape == (len(wins), 1)


def test_types() -> None:
    db = chessdb.open_bytes({"a.pgn": PGN.encode()})
    frame = db.df()
    assert str(frame["WhiteElo"].dtype) == "Int16" and str(frame["PlyCount"].dtype) == "Int32"
    assert str(frame["UTCTimestamp"].dtype) == "datetime64[us, UTC]"
    assert pd.api.types.is_datetime64_any_dtype(frame["GameDate"].dtype)
    assert pd.api.types.is_string_dtype(frame["White"].dtype)
    assert frame["WhiteElo"].tolist() == [2700, pd.NA, pd.NA] and frame["WhiteElo"].max() == 2700
    assert [list(moves) for moves in frame["moves"]] == [list(game.moves) for game in db]
    schema = db.pl().schema
    assert schema["WhiteElo"] == pl.Int16 and schema["moves"] == pl.List(pl.Int16)
    assert schema["GameDate"] == pl.Date and schema["White"] == pl.String
    direct = pd.DataFrame(db)
    assert direct["White"].tolist() == ["Tal", "Fischer", "Keres"]
    assert pd.api.types.is_numeric_dtype(direct["WhiteElo"].dtype)
    assert direct["WhiteElo"][0] == 2700 and direct["WhiteElo"].isna().tolist() == [False, True, True]


def test_lists_of_games(many: Path) -> None:
    db = chessdb.open(many)
    games = [game for game in db if len(game) > 60]
    columns = db.arrow().schema.names
    frame = pd.DataFrame(games)
    assert frame.shape == (len(games), len(columns)) and list(frame.columns) == columns
    lists = pl.DataFrame(games)
    assert lists.shape == (len(games), len(columns)) and lists.columns == columns
    assert lists["White"].to_list() == frame["White"].where(frame["White"].notna(), None).tolist()
    assert lists["moves"].null_count() == 0


def test_a_game_is_a_row() -> None:
    """A game as a dataclass equals the row of the table."""
    db = chessdb.open_bytes({"a.pgn": PGN.encode()})
    for game, row in zip(db, pa.table(db).to_pylist(), strict=True):
        found = dataclasses.asdict(game)
        found["moves"] = list(found["moves"])
        # A database in memory has no file name.
        assert found == row
    first = dataclasses.asdict(db[0])
    assert first["GameDate"] == datetime.date(1959, 9, 13)
    assert first["UTCTimestamp"] == datetime.datetime(1959, 9, 13, 12, 30, 1, tzinfo=datetime.timezone.utc)


def test_rows_of_all_fixtures(many: Path) -> None:
    db = chessdb.open(many)
    for game, row in zip(db, pa.table(db).to_pylist(), strict=True):
        found = dataclasses.asdict(game)
        found["moves"] = list(found["moves"])
        assert found == row, game


def test_numbers_can_be_copied() -> None:
    game = chessdb.Game.from_pgn("1. e4 e5 *")
    for values, kind in ((game.moves, np.int16), (game.hashes(), np.uint64)):
        assert pickle.loads(pickle.dumps(values)) == values
        array = np.asarray(values)
        assert array.dtype == kind and array.tolist() == list(values)


def test_counts(many: Path, tmp_path: Path) -> None:
    db = chessdb.open(many)
    for query in ("result:1-0", "Tal", "material:KRPKR", "", "white:nobody_at_all"):
        expected = len(db.find(query))
        assert db.count(query) == expected == db.find(query).count()
        assert db[:50].count(query) == sum(number <= 50 for number in db.find(query).game_numbers())
    assert db.count() == len(db) == db[:].count()
    with pytest.raises(chessdb.ChessDbError):
        db.count("result:7")
    with pytest.raises(TypeError):
        db.count(db[0])  # type: ignore[arg-type]
    packed = tmp_path / "many.pgn.zst"
    chessdb.convert(db, packed)
    stream = chessdb.open(packed, unpack=False)
    assert stream.is_stream and stream.count() == len(db)
    assert stream.count("result:1-0") == stream.find("result:1-0").count() == db.count("result:1-0")
