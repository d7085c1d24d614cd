"""Tests of the documentation: examples, SQL statements, README."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import chessdb
import duckdb
import pytest
from conftest import FIXTURES, ROOT

EXAMPLES = ROOT / "python" / "examples"


def blocks(page: Path, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [str(block) for block in found]


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/python.md"])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the blocks in order, in a folder with the fixtures and a database."""
    (tmp_path / "fixtures").symlink_to(FIXTURES)
    chessdb.convert(FIXTURES / "scid" / "annotated.si4", tmp_path / "base.si4")
    chessdb.convert(tmp_path / "base.si4", tmp_path / "games.pgn")
    monkeypatch.chdir(tmp_path)
    code = blocks(ROOT / page, "python")
    assert code
    names: dict[str, Any] = {"__name__": "page"}
    for block in code:
        exec(compile(block, page, "exec"), names)


def test_the_translations_of_python_chess_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the second column of the table: each code span is a statement that follows the others."""
    page = ROOT / "docs" / "how-to" / "coming-from-python-chess.md"
    chessdb.convert(FIXTURES / "scid" / "masters.si4", tmp_path / "games.pgn")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    rows = [line.split(" | ")[1] for line in page.read_text().splitlines() if line.startswith("| ")]
    statements = [span for row in rows for span in re.findall(r"`([^`]+)`", row)]
    assert len(statements) > 30
    for statement in statements:
        exec(compile(statement, statement, "exec"), names)
    assert names["won"] == 8
    assert [game.number for game in names["games"]] == [3, 10]
    assert len(names["keys"]) == len(names["squares"]) == len(names["game"]) + 1
    assert (tmp_path / "out.pgn").stat().st_size > 500


def test_the_statements_about_tables_run(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chessdb.convert(many, tmp_path / "games.parquet", positions=True)
    assert chessdb.index(many, parquet=tmp_path / "positions.parquet") > 10_000
    monkeypatch.chdir(tmp_path)
    engine = duckdb.connect()
    chessdb.convert(many, tmp_path / "base.si4")
    chessdb.index(tmp_path / "base.si4")
    assert chessdb.open(tmp_path / "base.si4").write_tree(tmp_path / "moves.parquet") > 100
    for name in ("games", "positions", "moves"):
        engine.sql(f"create view {name} as from '{name}.parquet'")
    statements = blocks(ROOT / "docs" / "parquet.md", "sql")
    assert len(statements) > 7
    answers = [engine.execute(statement).fetchall() for statement in statements]
    assert all(answers)
    (statement,) = blocks(ROOT / "docs" / "how-to" / "query-with-sql.md", "sql")
    assert len(engine.execute(statement).fetchall()) == 5
    assert engine.sql("select count(*) from 'tree.parquet'").fetchall()[0][0] > 100
    # The tree has equal moves with and without a table of positions.
    tree = "select key, move, n, points from 'tree.parquet' order by n desc, key, move"
    assert engine.sql(tree).fetchall() == answers[-5]
    moves = [(move.san, move.games, move.last_year) for move in chessdb.open(many).tree("e4")]
    assert sorted(moves) == sorted((san, games, year) for san, games, _, year in answers[-4])
    # The numbers in the page are the keys of the position after 1. e4, with castling rights and without.
    page = (ROOT / "docs" / "parquet.md").read_text()
    keys = {int(number) for number in re.findall(r"(?:array_contains\(positions,|key =) (-?\d+)", page)}
    e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"
    known = [chessdb.polyglot_key(f"{e4} {castling} - 0 1") for castling in ("KQkq", "-")]
    assert keys == {key - (1 << 64) if key >> 63 else key for key in known}


@pytest.mark.parametrize("name", [path.stem for path in sorted(EXAMPLES.glob("*.py"))])
def test_examples_run(name: str, many: Path, tmp_path: Path) -> None:
    args = [sys.executable, str(EXAMPLES / f"{name}.py"), str(many)]
    if name in ("annotate", "pages"):
        args.append(str(tmp_path / "out.pgn"))
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
