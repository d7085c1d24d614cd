"""Tests of tables: the stream of a database, and Parquet in DuckDB, polars and DataFusion."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import chessdb
import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import opened

LICHESS = [
    ("Event", pa.string()),
    ("Site", pa.string()),
    ("White", pa.string()),
    ("Black", pa.string()),
    ("Result", pa.string()),
    ("WhiteTitle", pa.string()),
    ("BlackTitle", pa.string()),
    ("WhiteElo", pa.int16()),
    ("BlackElo", pa.int16()),
    ("WhiteRatingDiff", pa.int16()),
    ("BlackRatingDiff", pa.int16()),
    ("UTCDate", pa.date32()),
    ("UTCTime", pa.time32("ms")),
    ("ECO", pa.string()),
    ("Opening", pa.string()),
    ("Termination", pa.string()),
    ("TimeControl", pa.string()),
    ("movetext", pa.string()),
]


@pytest.fixture(scope="module")
def parquet(many: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("tables") / "games.parquet"
    report = chessdb.convert(many, target, positions=True)
    assert report.written == len(chessdb.open(many)) > 1000
    return target


def test_streams_go_to_everybody(many: Path) -> None:
    db = chessdb.open(many)
    names = [(game.white, game.black) for game in db.headers()]
    table = pa.table(db)
    assert table.num_rows == len(db) and "moves" in table.column_names
    assert pl.DataFrame(db).height == len(db)
    assert duckdb.sql("select count(*) from db").fetchall() == [(len(db),)]
    columns = (table[column].to_pylist() for column in ("White", "Black"))
    # "?" in PGN is null in a table.
    assert list(zip(*columns)) == [tuple(None if name == "?" else name for name in pair) for pair in names]
    assert table["moves"].to_pylist() == [list(game.moves) for game in db]
    assert table["game"].to_pylist() == list(range(1, len(db) + 1))


def test_parts_of_a_table(many: Path) -> None:
    db = chessdb.open(many)
    assert db.arrow(["White", "Result"]).schema.names == ["White", "Result"]
    some = pa.table(db.arrow("all", where="result:1-0"))
    assert some["game"].to_pylist() == db.find("result:1-0").game_numbers()
    assert pa.table(db.find("result:1-0")).num_rows == some.num_rows
    assert pa.table(db.arrow("headers", games="2-4,9"))["game"].to_pylist() == [2, 3, 4, 9]
    one, two = (pa.table(db.arrow("all", jobs=n, batch_size=7)) for n in (1, 3))
    assert one.equals(two)
    stream = db.arrow("moves")
    assert pa.table(stream).equals(pa.table(stream)), "it can be taken again"
    assert pa.schema(stream.schema) == pa.table(stream).schema
    with pytest.raises(chessdb.ChessDbError, match="Bleck"):
        db.arrow(["White", "Bleck"])


def test_equal_main_lines_have_equal_ids(many: Path) -> None:
    db = chessdb.open(many)
    table = pa.table(db.arrow(["id", "FEN", "moves"]))
    ids, starts, lines = (table[name].to_pylist() for name in ("id", "FEN", "moves"))
    games = {(start, tuple(line)) for start, line in zip(starts, lines)}
    assert len(set(ids)) == len(games) == len(set(zip(ids, starts, map(tuple, lines))))
    for game, number in zip(db[:50], ids):
        key = game.hashes()[0]
        number_of = 0xCBF29CE484222325
        for word in [*(key >> bits & 0xFFFF for bits in (0, 16, 32, 48)), *game.moves]:
            number_of = (number_of ^ word) * 0x100000001B3 % (1 << 64)
        assert number % (1 << 64) == number_of


def test_unreadable_games_are_rows(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pgn"
    broken.write_text('[White "A"]\n\n1. e4 e5 2. Kd5 *\n\n[White "B"]\n\n1. d4 *\n')
    db = chessdb.open(broken)
    table = pa.table(db.arrow("all"))
    assert [error is None for error in table["error"].to_pylist()] == [False, True]
    assert table["PlyCount"].to_pylist() == [2, 1]
    assert pa.table(db.arrow("all", on_error="skip"))["White"].to_pylist() == ["B"]
    with pytest.raises(pa.ArrowException, match="game 1"):
        pa.table(db.arrow("all", on_error="raise"))


def test_a_reader_that_dies_is_an_error_and_no_empty_table() -> None:
    from chessdb._chessdb import broken_stream

    with pytest.raises(pa.ArrowException, match="ended early"):
        pa.table(broken_stream())
    with pytest.raises(Exception, match="ended early"):
        pl.DataFrame(broken_stream())
    stream = broken_stream()
    with pytest.raises(Exception, match="ended early"):
        duckdb.sql("select * from stream").fetchall()


def test_lazy_tables_of_polars(many: Path) -> None:
    import chessdb.polars

    db = chessdb.open(many)
    lazy = chessdb.polars.scan(many)
    wins = lazy.filter(pl.col("Result") == "1-0").select("game").collect()
    assert wins["game"].to_list() == db.find("result:1-0").game_numbers()
    assert lazy.select(pl.len()).collect().item() == len(db)
    assert lazy.head(3).collect().height == 3
    sql = "select Result, count(*) from games group by Result order by Result"
    counts = pl.SQLContext(games=lazy).execute(sql).collect()
    assert counts.rows() == duckdb.sql(sql.replace("from games", "from db")).fetchall()


QUESTIONS = {
    "results": "select \"Result\", count(*) as n from games group by \"Result\" order by \"Result\"",
    "openings": "select substr(\"ECO\", 1, 3) as code, count(*) as n, sum(case \"Result\" when '1-0' then 2 when '0-1' then 0"
    ' else 1 end) as points from games group by substr("ECO", 1, 3) order by n desc, code nulls last',
    "players": 'select "White", count(*) as n, max("WhiteElo") as best, min("Year") as since from games'
    ' group by "White" order by n desc, "White" limit 50',
    "lengths": 'select "PlyCount", count(*) as n from games group by "PlyCount" order by "PlyCount"',
    "texts": "select count(*) from games where movetext like '%O-O-O%'",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_engines_agree(parquet: Path, name: str) -> None:
    question = QUESTIONS[name]
    context = datafusion.SessionContext()
    context.register_parquet("games", str(parquet))
    theirs = context.sql(question).to_pylist()
    fusion = [tuple(row.values()) for row in theirs]
    duck = duckdb.sql(question.replace("from games", f"from '{parquet}'")).fetchall()
    polar = pl.SQLContext(games=pl.scan_parquet(parquet)).execute(question).collect().rows()
    assert duck == fusion == polar and duck


def test_engines_find_positions(parquet: Path, many: Path) -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    key = chessdb.polyglot_key(fen)
    signed = key - (1 << 64) if key >> 63 else key
    db = chessdb.open(many)
    expected = [game.number for game in db if key in game.hashes().tolist()]
    assert expected
    duck = duckdb.sql(f"select game from '{parquet}' where list_contains(positions, {signed}) order by game").fetchall()
    frame = pl.scan_parquet(parquet).filter(pl.col("positions").list.contains(signed)).select("game").sort("game")
    context = datafusion.SessionContext()
    context.register_parquet("games", str(parquet))
    fusion = context.sql(f"select game from games where array_has(positions, {signed}) order by game").to_pylist()
    assert [number for (number,) in duck] == expected
    assert frame.collect()["game"].to_list() == expected
    assert [row["game"] for row in fusion] == expected


def test_the_table_of_positions_answers_as_find_does(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "positions.parquet"
    db = chessdb.open(many)
    count = chessdb.index(many, parquet=target, progress=lambda done, total: True)
    assert count == sum(len(game.moves) + 1 for game in db)
    keys = pq.read_table(target, columns=["key"])["key"].to_pylist()
    assert keys == sorted(keys)
    engine = duckdb.connect()
    engine.sql(f"create view positions as from '{target}'")
    board = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
    boards = [board, *(" ".join(game.fens()[min(12, len(game.moves))].split()[:4]) for game in db[:40])]
    for fen in boards:
        number = chessdb.polyglot_key(f"{fen} 0 1")
        key = number - (1 << 64) if number >> 63 else number
        found = engine.sql(f"select distinct game from positions where key = {key} order by game").fetchall()
        # The key covers the whole position.
        expected = [game.number for game in db if number in game.hashes().tolist()]
        assert [number for (number,) in found] == expected and expected
        assert db.find(f'fen!:"{fen}"').game_numbers() == expected, fen
    wins = tmp_path / "wins.parquet"
    chessdb.index([db.find("result:1-0"), many], parquet=wins)
    question = f"select distinct Result from '{wins}' group by game, Result having count(*) > 1"
    assert ("1-0",) in duckdb.sql(question).fetchall()
    with pytest.raises(FileExistsError):
        chessdb.index(many, parquet=target)
    assert chessdb.index(many, parquet=target, replace=True) == count
    with pytest.raises(FileNotFoundError):
        chessdb.index(tmp_path / "none.si4", parquet=tmp_path / "none.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["positions.parquet", "wins.parquet"]


def test_columns_of_lichess(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "lichess.parquet"
    chessdb.convert(many, target, columns="lichess")
    schema = pq.read_schema(target)
    assert [(field.name, field.type) for field in schema] == LICHESS


def test_a_script_for_the_dataset_of_lichess_runs_on_ours(tmp_path: Path) -> None:
    """The script prints the same for a table in their schema and for converted PGN."""
    names = [name for name, _ in LICHESS]
    time, day = datetime.time, datetime.date
    moves = "{} 1. e4 {{ [%eval 0.17] [%clk 0:05:00] }} 1... c5 {{ [%eval #-3] [%clk 0:04:58] }} {}"
    rows: list[tuple[object, ...]] = [
        ("Rated Blitz game", "https://lichess.org/a", "A", "B", "1-0", "GM", None, 2400, 2300, 4, -4, day(2020, 7, 1))
        + (time(12, 34, 56), "B20", "Sicilian Defense", "Normal", "300+0", moves.format("", "1-0").strip()),
        ("Rated Blitz game", "https://lichess.org/b", "C", "D", "0-1", None, "BOT", 1900, 1850, -6, 6, day(2020, 7, 5))
        + (time(0, 0, 1), "B20", "Sicilian Defense: Odd", "Time forfeit", "180+2", moves.format("", "0-1").strip()),
        ("Casual game", "https://lichess.org/c", "E", "F", "1/2-1/2", None, None, None, None, None, None, day(2020, 8, 1))
        + (time(23, 59, 59), "C20", "King's Pawn Game", "Normal", "-", "1. e4 1... e5 1/2-1/2"),
    ]
    table = pa.table([pa.array(column, kind) for column, (_, kind) in zip(zip(*rows), LICHESS)], names=names)
    pq.write_table(table, tmp_path / "theirs.parquet")
    tags = ("WhiteRatingDiff", "BlackRatingDiff")
    with (tmp_path / "games.pgn").open("w") as file:
        for row in rows:
            for name, value in zip(names[:-1], row):
                if isinstance(value, day):
                    value = f"{value:%Y.%m.%d}"
                elif name in tags and isinstance(value, int):
                    value = f"{value:+}"
                if value is not None:
                    file.write(f'[{name} "{value}"]\n')
            file.write(f"\n{row[-1]}\n\n")
    chessdb.convert(tmp_path / "games.pgn", tmp_path / "ours.parquet", columns="lichess")
    script = Path(__file__).with_name("lichess_script.py")
    said = []
    for name in ("theirs", "ours"):
        args = [sys.executable, str(script), str(tmp_path / f"{name}.parquet")]
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1] and "[300, 298] ['0.17', '#-3']" in said[1]


def test_tables_come_back(tmp_path: Path) -> None:
    for path in opened():
        if path.parent.name not in ("scid", "pgn", "cbf"):
            continue
        by_table, by_text = tmp_path / "table.si4", tmp_path / "text.si4"
        chessdb.convert(path, tmp_path / "games.parquet", replace=True)
        chessdb.convert(path, tmp_path / "games.pgn", replace=True)
        chessdb.convert(tmp_path / "games.parquet", by_table, replace=True)
        chessdb.convert(tmp_path / "games.pgn", by_text, replace=True)
        # Everything except the order of tags, which a table does not store.
        pairs = zip(chessdb.open(by_table), chessdb.open(by_text), strict=True)
        for table, text in pairs:
            assert sorted(table._pgn_tags()) == sorted(text._pgn_tags()), (path, table)
            moves = (game.pgn(width=0).partition("\n\n")[2] for game in (table, text))
            assert len(set(moves)) == 1, (path, table)


def test_folders_are_partitions_to_every_engine(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "games"
    report = chessdb.convert(many, target, by="decade")
    assert report.written == len(chessdb.open(many)) and report.target == target
    question = "select decade, count(*) as n from games group by decade order by decade nulls last"
    files = f"read_parquet('{target}/**/*.parquet', hive_partitioning=true)"
    duck = duckdb.sql(question.replace("from games", f"from {files}")).fetchall()
    lazy = pl.scan_parquet(target / "**/*.parquet", hive_partitioning=True)
    years = [game.date.year for game in chessdb.open(many).headers()]
    decades = [None if year is None else year // 10 * 10 for year in years]
    expected = sorted({decade for decade in decades if decade is not None})
    assert duck == [(decade, decades.count(decade)) for decade in [*expected, None]]
    assert lazy.select(pl.len()).collect().item() == len(years)
    assert chessdb.convert(target, tmp_path / "again.si4").written == len(years)


def test_splits_are_the_whole(many: Path, tmp_path: Path) -> None:
    db = chessdb.open(many)
    parts = chessdb.splits(many, games=100)
    assert len(parts) == -(-len(db) // 100)
    whole = pa.table(chessdb.scan(many, columns="all"))
    assert pa.table(chessdb.scan(parts, columns="all")).equals(whole)
    pgn = tmp_path / "many.pgn"
    chessdb.convert(many, pgn)
    parts = chessdb.splits(pgn, bytes=20_000)
    assert len(parts) > 10 and len({part.name for part in parts}) == len(parts)
    assert parts[0].start == 0 and parts[-1].stop == pgn.stat().st_size
    table = pa.table(chessdb.scan(parts, columns=["movetext", "White", "base"]))
    expected = pa.table(chessdb.scan(pgn, columns=["movetext", "White"]))
    assert table.select(["White", "movetext"]).equals(expected.select(["White", "movetext"]))
    assert len(set(table["base"].to_pylist())) == len(parts)
    packed = tmp_path / "packed.pgn.zst"
    content = pgn.read_bytes()
    codec = pa.Codec("zstd")
    frames = [codec.compress(content[start : start + 9_000], asbytes=True) for start in range(0, len(content), 9_000)]
    packed.write_bytes(b"".join(frames))
    parts = chessdb.splits(packed, bytes=1)
    assert len(parts) == len(frames) > 10
    assert len(chessdb.splits(packed, bytes=8_000)) < len(parts)
    table = pa.table(chessdb.scan(parts, columns=["movetext", "White", "base"]))
    assert table.select(["White", "movetext"]).equals(expected.select(["White", "movetext"]))
    assert pa.table(chessdb.scan(packed, columns="headers")).num_rows == len(db)
    packed.write_bytes(codec.compress(content, asbytes=True))
    assert [part.start for part in chessdb.splits(packed, bytes=1)] == [None], "one frame is one part"
    packed.unlink()
    assert pa.table(chessdb.scan(tmp_path / "*.pgn", columns="headers")).num_rows == len(db)
    assert pa.table(chessdb.scan(tmp_path, columns="headers")).num_rows == len(db)
