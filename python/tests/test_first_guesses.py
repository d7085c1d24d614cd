"""Tests of what people type first, and of the errors that tell them what to type instead."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chessdb
import pytest
from chessdb import _hints

ENDING = '[White "A"]\n[FEN "7r/8/8/4k3/8/2p5/p7/R3K3 w - - 0 50"]\n\n50. Rxa2 Rh7 51. Ra5+ Kd4 *\n'
OPEN = '[White "B"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n'


def test_a_match_knows_its_place() -> None:
    db = chessdb.open_bytes({"a.pgn": f"{OPEN}\n{ENDING}\n{OPEN}".encode()})
    found = db.find("material:KRKRP")
    assert [(game.number, game.ply) for game in found] == [(2, 1)]
    game = found[0]
    assert game.board().fen() == game.board(1).fen() and len(game.board().piece_map()) == 5
    assert game.fens()[game.ply or 0] == game.board().fen()
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"
    for query, ply in (('line:"1.e4 e5"', 2), (f'fen:"{fen}"', 2), ('line:"1.e4"', 1)):
        for games in (db.find(query), db.find(query)[::-1], db.find(query).headers()):
            plies = [game.ply for game in games]
            assert plies and set(plies) == {ply}, query
        assert db.find(query)[0].board() == db[0].board(ply)
        assert pickle.loads(pickle.dumps(db.find(query)[0])) == db[0]
    assert db.find("white:A")[0].ply is None and db[1].ply is None
    assert db[0].board() == chess.Board() and db[1].board().fen() == db[1].fen
    assert db[0].board(-1) == db[0].board(3) == list(db[0].mainline())[-1].board()
    for ply in (4, -5):
        with pytest.raises(IndexError):
            db[0].board(ply)


def test_matches_of_a_stream(many: Path, tmp_path: Path) -> None:
    packed = tmp_path / "many.pgn.zst"
    chessdb.convert(many, packed)
    query = "material:KPK"
    expected = [(game.number, game.ply) for game in chessdb.open(many).find(query)]
    assert expected and all(ply is not None for _, ply in expected)
    assert [(game.number, game.ply) for game in chessdb.open(packed, unpack=False).find(query)] == expected


def test_boards_of_nodes() -> None:
    game = chessdb.Game.from_pgn(OPEN)
    root = game.root()
    assert [node.san for node in game.mainline()] == ["e4", "e5", "Nf3"] == game.sans()
    assert root.next is not None
    side = root.next.variations[1].variations[0]
    theirs = game.to_chess().variations[0].variations[1].variations[0]
    assert side.board() == theirs.board() and root.board() == chess.Board()


def test_dates_have_an_order() -> None:
    parts = [chessdb.Date(*each) for each in itertools.product((None, 1850, 1959), (None, 1, 9), (None, 1, 30))]
    for one, other in itertools.product(parts, parts):
        assert (one < other) + (one == other) + (one > other) == 1
        assert (one <= other) == (one < other or one == other) and (one >= other) == (not one < other)
        assert one != other or hash(one) == hash(other)
    shuffled = parts.copy()
    random.Random(1).shuffle(shuffled)
    assert sorted(shuffled) == sorted(parts) and [str(date) for date in sorted(shuffled)] == sorted(
        (str(date) for date in parts), key=lambda text: text.replace("?", " ")
    ), "an unknown part comes first"
    assert max(parts) == (1959, 9, 30) and min(parts) == (None, None, None)
    assert chessdb.Date(1959, None, None) < (1959, 1, 1)
    with pytest.raises(TypeError):
        assert chessdb.Date(1959, 1, 1) < "1959"  # type: ignore[operator]
    assert pickle.loads(pickle.dumps(parts)) == parts


def test_games_sort_by_date(many: Path) -> None:
    dates = [game.date for game in sorted(chessdb.open(many).headers(), key=lambda game: game.date)]
    assert dates == sorted(dates) and len(set(dates)) > 20


@pytest.mark.parametrize("as_path", [str, Path])
def test_errors_of_the_system_are_those_of_open(tmp_path: Path, as_path: Any) -> None:
    there = tmp_path / "there.pgn"
    there.write_text("1. e4 *\n")
    missing = tmp_path / "missing.pgn"
    pairs: list[tuple[Any, Any]] = [
        (lambda: chessdb.open(as_path(missing)), lambda: open(as_path(missing))),
        (lambda: chessdb.read(as_path(missing)), lambda: open(as_path(missing))),
        (lambda: chessdb.check(as_path(missing)), lambda: open(as_path(missing))),
        (lambda: chessdb.convert(as_path(missing), tmp_path / "x.pgn"), lambda: open(as_path(missing))),
        (lambda: chessdb.convert(there, as_path(there)), lambda: open(as_path(there), "x")),
        (lambda: chessdb.create(as_path(there)), lambda: open(as_path(there), "x")),
    ]
    for ours, theirs in pairs:
        with pytest.raises(OSError) as expected:
            theirs()
        with pytest.raises(OSError) as found:
            ours()
        one, other = found.value, expected.value
        assert type(one) is type(other) and str(one) == str(other)
        assert (one.errno, one.strerror, one.filename) == (other.errno, other.strerror, other.filename)
        for again in (pickle.loads(pickle.dumps(one)), copy.copy(one)):
            assert type(again) is type(one) and str(again) == str(one) and again.errno == one.errno


def raised_without_rights(action: Callable[[], object]) -> OSError:
    """Returns the exception of a process that is not root."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            action()
        except OSError as error:
            os.write(target, pickle.dumps(error))
        os._exit(0)
    os.close(target)
    os.waitpid(child, 0)
    with open(source, "rb") as pipe:
        raised: OSError = pickle.load(pipe)
    return raised


def raised_here(action: Callable[[], object]) -> OSError:
    with pytest.raises(OSError) as found:
        action()
    return found.value


def test_missing_rights_and_odd_paths(tmp_path: Path) -> None:
    closed, loop = tmp_path / "closed.pgn", tmp_path / "loop.pgn"
    closed.write_text("1. e4 *\n")
    closed.chmod(0)
    loop.symlink_to(loop)
    long = tmp_path / ("x" * 300 + ".pgn")
    for path, kind, raised in (
        (closed, PermissionError, raised_without_rights),
        (loop, OSError, raised_here),
        (long, OSError, raised_here),
    ):
        ours, theirs = raised(lambda: chessdb.open(path)), raised(lambda: open(path))
        assert type(ours) is type(theirs) is kind and str(ours) == str(theirs)
        assert (ours.errno, ours.strerror, ours.filename) == (theirs.errno, theirs.strerror, theirs.filename)


def test_errors_with_a_report_travel(annotated: Path, tmp_path: Path) -> None:
    with pytest.raises(chessdb.LossError) as refused:
        chessdb.convert(annotated, tmp_path / "strict.cbf", strict=True)
    again = pickle.loads(pickle.dumps(refused.value))
    ours, theirs = refused.value.report, again.report
    assert ours is not None and str(theirs) == str(ours) and theirs.read == ours.read
    assert [loss.first for loss in theirs.losses] == [loss.first for loss in ours.losses]


def test_hints_name_what_exists(annotated: Path) -> None:
    db = chessdb.open(annotated)
    game = db[0]
    owners: list[tuple[Any, dict[str, str]]] = [
        (db, _hints._DATABASE),
        (db[:2], _hints._DATABASE),
        (game, _hints._GAME),
        (game.root(), _hints._NODE),
        (chessdb, _hints._MODULE),
    ]
    for owner, hints in owners:
        for name, hint in hints.items():
            with pytest.raises(AttributeError) as error:
                getattr(owner, name)
            assert str(error.value).endswith(hint)
    with pytest.raises(AttributeError, match="'whit'") as typo:
        game.whit  # type: ignore[attr-defined]
    assert typo.value.name == "whit" and typo.value.obj is game
    for name in ("__array__", "__dataframe__", "_ipython_display_", "_repr_mimebundle_"):
        assert not hasattr(db, name) and not hasattr(game, name)


def test_databases_in_notebooks(many: Path) -> None:
    hostile = "<script>alert('x')</script>&\""
    pgn = f'[White "{hostile}"]\n[Event "{hostile}"]\n[Black "B"]\n\n1. e4 *\n\n' * 12
    db = chessdb.open_bytes({f"{hostile[:8]}.pgn": pgn.replace('&"', "&").encode()})
    html = db._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html and "12 games" in html
    assert html.count("<tr>") == 11
    assert "<th>Ply</th>" not in html and "<th>Ply</th>" in db.find('line:"1.e4"')._repr_html_()
    assert f"{len(chessdb.open(many)):,} games" in chessdb.open(many)._repr_html_()
    assert "0 games" in db.find("white:nobody_here")._repr_html_()
    db.close()
    assert "closed" in db._repr_html_()


def test_findings_in_notebooks(annotated: Path, tmp_path: Path) -> None:
    shown = 0
    for path in annotated.parents[1].rglob("*.si4"):
        try:
            db = chessdb.open(path)
        except chessdb.ChessDbError:
            continue
        for found in db.diagnostics[:5]:
            shown += 1
            assert found.code and "<li>" in db._repr_html_()
    packed = tmp_path / "a.pgn.zst"
    chessdb.convert(annotated, packed)
    assert "a stream" in chessdb.open(packed, unpack=False)._repr_html_()


def test_every_target_of_the_program(annotated: Path, tmp_path: Path) -> None:
    """A conversion to each writable format, by its extension and by its name, with the report."""
    count = len(chessdb.open(annotated))
    formats = [format for format in chessdb.formats() if format.is_writable]
    assert {"csv", "ndjson", "parquet", "si4", "si5", "pgn", "cbh"} <= {format.id for format in formats}
    for format in formats:
        folder = tmp_path / format.id
        folder.mkdir()
        report = chessdb.convert(annotated, folder / f"games.{format.extensions[0]}", format=format.id)
        assert report.read == count and report.written > 0, format
        assert any(folder.iterdir()), format
