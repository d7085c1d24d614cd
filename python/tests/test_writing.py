"""Tests of converting and creating."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chessdb
import pytest


def test_conversions_report(annotated: Path, tmp_path: Path) -> None:
    target = tmp_path / "games.cbf"
    report = chessdb.convert(annotated, target)
    assert report.read == report.written == len(chessdb.open(annotated))
    assert report.losses and all(loss.count > 0 and loss.what for loss in report.losses)
    assert str(report.written) in str(report) and report.target is not None
    with pytest.raises(FileExistsError):
        chessdb.convert(annotated, target)
    with pytest.raises(chessdb.LossError) as refused:
        chessdb.convert(annotated, tmp_path / "strict.cbf", strict=True)
    assert refused.value.report is not None and refused.value.report.losses
    assert not list(tmp_path.glob("strict*")) and not list(tmp_path.glob(".strict*"))


def test_parts_of_bases_are_converted(many: Path, tmp_path: Path) -> None:
    db = chessdb.open(many)
    wins = db.find("result:1-0")
    assert chessdb.convert(wins, tmp_path / "wins.pgn").written == len(wins)
    assert chessdb.convert(db, tmp_path / "wins2.pgn", where="result:1-0").written == len(wins)
    assert (tmp_path / "wins.pgn").read_bytes() == (tmp_path / "wins2.pgn").read_bytes()
    assert chessdb.convert([db, many, db[:5]], tmp_path / "all.si4").written == 2 * len(db) + 5
    assert chessdb.convert(db, tmp_path / "few.pgn", games="3-5").written == 3


def test_progress(many: Path, tmp_path: Path) -> None:
    db = chessdb.open(many)
    calls: list[tuple[int, int | None]] = []
    chessdb.convert(db, tmp_path / "a.pgn", progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (len(db), len(db))

    sources = [db] * 200

    assert chessdb.convert(sources, tmp_path / "b.pgn", progress=lambda *_: False).stopped

    def fail(done: int, total: int | None) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        chessdb.convert(sources, tmp_path / "b.pgn", progress=fail)
    assert not list(tmp_path.glob("*b.pgn*"))


def test_creating(annotated: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.si4"
    games = list(chessdb.open(annotated))
    with chessdb.create(target) as writer:
        losses = [writer.write(game) for game in games]
        assert not target.exists()
    assert list(chessdb.open(target)) == games and all(isinstance(loss, dict) for loss in losses)
    with pytest.raises(ValueError, match="finished"):
        writer.write(games[0])
    with pytest.raises(FileExistsError):
        chessdb.create(target)
    with pytest.raises(ZeroDivisionError), chessdb.create(tmp_path / "never.si4") as writer:
        writer.write(games[0])
        raise ZeroDivisionError
    assert not list(tmp_path.glob("*never*"))
    with pytest.raises(chessdb.LossError), chessdb.create(tmp_path / "strict.fbk", strict=True) as writer:
        for game in games:
            writer.write(game)
    with pytest.raises(chessdb.ChessDbError, match="extension"):
        chessdb.create(tmp_path / "new.doc")


def test_a_killed_writer_leaves_nothing(many: Path, tmp_path: Path) -> None:
    """No incomplete database, table, folder of tables or table of positions remains."""
    for target, how in (
        ("games.parquet", "convert([db] * 500, {!r}"),
        ("games.si4", "convert([db] * 500, {!r}"),
        ("games", "convert([db] * 500, {!r}, by='decade'"),
        ("positions.parquet", "index([db] * 500, parquet={!r}"),
    ):
        code = (
            "import chessdb, sys\n"
            f"db = chessdb.open({str(many)!r})\n"
            f"chessdb.{how.format(str(tmp_path / target))}, progress=lambda *_: print('on', flush=True))\n"
        )
        process = subprocess.Popen([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline() == b"on\n"
        time.sleep(0.2)
        process.kill()
        process.wait()
        assert not (tmp_path / target).exists()
        # The leftovers do not block a new conversion.
        if target == "positions.parquet":
            chessdb.index(many, parquet=tmp_path / target)
            continue
        chessdb.convert(many, tmp_path / target, by="decade" if target == "games" else None)
        again = chessdb.convert(tmp_path / target, tmp_path / "again.si4", replace=True)
        assert again.written == len(chessdb.open(many))


def test_what_another_program_added_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "base.pgn"
    path.write_text('[White "one"]\n\n1. e4 *\n')
    added = '[White "added"]\n\n1. d4 *\n'

    def add() -> None:
        with path.open("a") as file:
            file.write("\n" + added)

    # A change after the database was opened and before the writer is created.
    with chessdb.open(path) as db:
        games = list(db)
        add()
        writer = chessdb.create(path, replace=True)
        for game in games:
            writer.write(game)
        with pytest.raises(chessdb.ChessDbError, match="changed by another program"):
            writer.finish()
    assert "added" in path.read_text()
    # A change during writing.
    with chessdb.open(path) as db:
        games = list(db)
    writer = chessdb.create(path, replace=True)
    writer.write(games[0])
    add()
    with pytest.raises(chessdb.ChessDbError, match="changed by another program"):
        writer.finish()
    assert path.read_text().count("added") == 2
    # A conversion that replaces its source.
    with chessdb.open(path) as db:
        add()
        with pytest.raises(chessdb.ChessDbError, match="changed by another program"):
            chessdb.convert(db, path, replace=True)
    assert path.read_text().count("added") == 3
    # Writes by this process do not count as changes by others.
    with chessdb.open(path) as db:
        games = list(db)
        for _ in range(2):
            with chessdb.create(path, replace=True) as writer:
                writer.write(games[0])
    assert [game.white for game in chessdb.open(path)] == ["one"]


def test_a_source_that_is_none_is_named(tmp_path: Path) -> None:
    game = chessdb.open_bytes({"a.pgn": b"1. e4 *\n"})[0]
    with pytest.raises(TypeError, match="a source is a path"):
        chessdb.index([game], parquet=tmp_path / "out.parquet")
    wrong: list[Any] = [7, [7], None, [game, None], b"1. e4 *", 1.5, object()]
    for sources in wrong:
        with pytest.raises(TypeError, match="a source is a path"):
            chessdb.convert(sources, tmp_path / "out.pgn")
        with pytest.raises(TypeError, match="a source is a path"):
            chessdb.index(sources, parquet=tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())
