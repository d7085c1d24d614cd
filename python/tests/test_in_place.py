"""Tests of changing games and databases: tags, append, replace, edit, undo."""

from __future__ import annotations

import copy
import datetime
import io
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import chess.pgn
import chessdb
import pytest
from conftest import FIXTURES, opened

TWO = '[White "P"]\n\n1. d4 *\n\n[White "Q"]\n\n1. c4 *\n'


@pytest.fixture
def base(tmp_path: Path, annotated: Path) -> Path:
    target = tmp_path / "base.si4"
    chessdb.convert(annotated, target)
    return target


def test_tags_can_be_set(base: Path) -> None:
    db = chessdb.open(base)
    game = db[3]
    before, number = hash(game), game.number
    assert isinstance(game.headers, MutableMapping)
    game.headers["White"] = "Tal"
    game.headers["WhiteElo"] = 2700
    game.headers["Date"] = chessdb.Date(1959, None, None)
    game.headers.update(Annotator="Me", Opening="Philidor")
    assert (game.white, game.white_elo, str(game.date), game.annotator) == ("Tal", 2700, "1959.??.??", "Me")
    assert game.headers["Opening"] == "Philidor" and '[Opening "Philidor"]' in game.pgn()
    assert game.number == number and game != db[3] and hash(game) == before
    del game.headers["Opening"], game.headers["WhiteElo"]
    assert "Opening" not in game.headers and game.white_elo is None
    del game.headers["White"]
    assert game.white == game.headers["White"] == "?", "PGN requires this tag"
    assert json.loads(json.dumps(dict(game.headers))) == game.headers.copy() == game.headers
    game.headers.clear()
    assert set(game.headers) <= {"Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp"}
    assert db[3].white != "Tal", "only this object was changed"
    game, headers = db[4], db[4].headers
    one, other = game.headers, game.headers
    assert one == other == headers
    one["White"] = "Fischer"
    assert other["White"] == "Fischer" and headers["White"] != "Fischer", "two views of one game, and another game"


def test_tags_of_a_header_can_be_set(base: Path) -> None:
    db = chessdb.open(base)
    for head, game in zip(db.headers(), db):
        head.headers["Event"] = game.headers["Event"] = "X"
        assert head.event == "X" and head == game and head.ucis() == game.ucis()


def test_wrong_tags_are_errors() -> None:
    game = chessdb.Game.from_pgn("1. e4 *")
    headers: Any = game.headers
    for name in ("White Elo", "", "a]", 'a"', "x" * 10_000):
        with pytest.raises(ValueError, match="tag"):
            headers[name] = "x"
    for value in (None, b"x", 1.5, ["x"], True):
        with pytest.raises(TypeError, match="tag"):
            headers["White"] = value
    with pytest.raises(ValueError, match="start position"):
        headers["FEN"] = "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    with pytest.raises(KeyError):
        del headers["Opening"]
    with pytest.raises(AttributeError, match="headers"):
        game.white = "Tal"  # type: ignore[misc]
    setup = chessdb.Game.from_pgn('[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n\n1. Ka2 *')
    with pytest.raises(ValueError, match="FEN"):
        del setup.headers["FEN"]


@pytest.mark.parametrize("text", ["", " ", "\\", '"', "]", "a\nb", "\0", "ß Карпов 王", "x" * 5000, "1-0", "{", "\ud800"])
def test_hostile_values_are_values(text: str) -> None:
    game = chessdb.Game.from_pgn("1. e4 *")
    for name in ("White", "Event", "Date", "Result", "ECO", "WhiteElo", "Opening", "Annotator"):
        try:
            game.headers[name] = text
        except (ValueError, UnicodeError):
            continue
        again = chessdb.Game.from_pgn(game.pgn())
        assert again.ucis() == ["e2e4"] and again.headers == game.headers or text in ("", " ", "a\nb", "\0"), (name, text)


def test_replace(base: Path) -> None:
    db = chessdb.open(base)
    old = list(db)
    for index in (3, -1):
        game = db[index]
        game.headers["White"] = "Tal"
        report = db.replace(index, game)
        assert report.written == len(db) == len(old) and not report.losses
        assert db[index] == game and db[index].white == "Tal"
    kept = [game for n, game in enumerate(old) if n not in (3, len(old) - 1)]
    assert [game for n, game in enumerate(db) if n not in (3, len(old) - 1)] == kept
    db.replace(0, "1. b3 *")
    assert db[0].ucis() == ["b2b3"]
    theirs = chess.pgn.read_game(io.StringIO("1. g3 d5 *"))
    assert theirs is not None
    db.replace(1, theirs)
    assert chessdb.open(base)[1].ucis() == ["g2g3", "d7d5"]
    with pytest.raises(IndexError):
        db.replace(len(db), old[0])
    wrong: Any = 7
    with pytest.raises(TypeError, match="python-chess"):
        db.replace(0, wrong)


def test_replace_refuses_any_loss(tmp_path: Path) -> None:
    target = tmp_path / "base.cbf"
    chessdb.convert(chessdb.open_bytes({"a.pgn": TWO.encode()}), target)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    db = chessdb.open(target)
    game = db[0]
    game.headers["Opening"] = "not in this format"
    with pytest.raises(chessdb.LossError) as refused:
        db.replace(0, game)
    assert refused.value.report is not None and refused.value.report.losses
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert len(db) == 2


def test_replace_notices_other_writers(tmp_path: Path) -> None:
    path = tmp_path / "base.pgn"
    path.write_text(TWO)
    db = chessdb.open(path)
    game = db[1]
    path.write_text('[White "new"]\n\n1. a3 *\n\n' + TWO)
    with pytest.raises(chessdb.ChessDbError, match="changed by another program"):
        db.replace(1, game)
    assert path.read_text().startswith('[White "new"]')


SOURCES = {
    "a Game": (lambda db: db[0], 1),
    "PGN text": (lambda db: TWO, 2),
    "PGN without tags": (lambda db: "1. e4 e5 *", 1),
    "a Database": (lambda db: chessdb.open_bytes({"a.pgn": TWO.encode()}), 2),
    "games of a Database": (lambda db: db[:3], 3),
    "itself": (lambda db: db, None),
    "a list": (lambda db: [db[0], db[1].to_chess(), TWO, db[:2]], 6),
    "a generator": (lambda db: (game for game in db[:4]), 4),
    "python-chess": (lambda db: db[5].to_chess(), 1),
    "a path": (lambda db: FIXTURES / "scid" / "annotated.si4", 70),
    "a path as text": (lambda db: str(FIXTURES / "scid" / "annotated.si4"), 70),
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("extension", ["si4", "pgn", "cbh"])
def test_append(kind: str, extension: str, base: Path, tmp_path: Path) -> None:
    target = tmp_path / f"target.{extension}"
    chessdb.convert(base, target)
    db = chessdb.open(target)
    old = list(db)
    make, count = SOURCES[kind]
    count = len(old) if count is None else count
    report = db.append(make(db))
    assert report.written == count and report.read == count
    assert len(db) == len(old) + count and list(db)[: len(old)] == old
    assert list(chessdb.open(target)) == list(db)


def test_append_as_in_a_conversion(tmp_path: Path) -> None:
    """Single games of every format arrive as in a conversion of their databases."""
    for path in opened():
        games = list(chessdb.open(path))
        if path.parent.name not in ("scid", "cbf", "cbh", "dcx") or any(game.error for game in games):
            continue
        one, two = tmp_path / "one.si4", tmp_path / "two.si4"
        chessdb.convert(path, one, replace=True)
        chessdb.convert(games, two, replace=True)
        assert list(chessdb.open(one)) == list(chessdb.open(two)), path


def test_append_is_atomic_and_reports(tmp_path: Path) -> None:
    target = tmp_path / "base.cbf"
    chessdb.convert(chessdb.open_bytes({"a.pgn": TWO.encode()}), target)
    db = chessdb.open(target)
    rich = '[White "A"]\n[Opening "not in this format"]\n\n1. e4 *\n'
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(chessdb.LossError):
        db.append(rich, strict=True)
    with pytest.raises(FileNotFoundError):
        db.append([rich, tmp_path / "none.pgn"])
    with pytest.raises(TypeError, match="a source is"):
        db.append([rich, 7])  # type: ignore[list-item]

    def failing() -> Any:
        yield chessdb.Game.from_pgn(rich)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        db.append(failing())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before and len(db) == 2
    report = db.append(rich)
    assert report.losses and report.written == 1 and len(db) == 3
    damaged = chessdb.open_bytes({"a.pgn": b"1. e4 e5 2. Kd5 *"})
    for source in (damaged, damaged[0]):
        report = db.append(source)
        assert report.cut == 1, "the missing part is reported for a database and for a game"


def test_what_cannot_be_changed(tmp_path: Path) -> None:
    memory = chessdb.open_bytes({"a.pgn": TWO.encode()})
    for change in (lambda: memory.append(TWO), lambda: memory.replace(0, memory[1])):
        with pytest.raises(ValueError, match="in memory"):
            change()
    packed = tmp_path / "a.pgn.zst"
    chessdb.convert(memory, packed)
    with pytest.raises(chessdb.ChessDbError, match="packed"):
        chessdb.open(packed).append(TWO)
    closed = tmp_path / "a.pgn"
    chessdb.convert(memory, closed)
    db = chessdb.open(closed)
    db.close()
    with pytest.raises(ValueError, match="closed"):
        db.append(TWO)
    assert len(chessdb.open(closed)) == 2


def test_a_changed_database_travels(base: Path) -> None:
    db = chessdb.open(base)
    db.append("1. e4 *")
    other = copy.copy(db)
    assert len(other) == len(db) and other[-1] == db[-1]


def contents(folder: Path) -> dict[str, bytes]:
    """The visible files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.mark.parametrize("extension", ["si3", "si4", "si5", "pgn", "cbh"])
def test_edit(extension: str, base: Path, tmp_path: Path) -> None:
    """All changes of a block are saved together, in every format."""
    folder = tmp_path / "edited"
    folder.mkdir()
    target = folder / f"base.{extension}"
    chessdb.convert(base, target)
    db = chessdb.open(target)
    old = list(db)
    new = chessdb.Game.from_pgn('[White "New"]\n[Black "Other"]\n\n1. g3 d5 *')
    with db.edit() as edit:
        edit.tag(3, White="Tal, Mihail", WhiteElo=2700)
        edit.tag(3, {"Site": "Riga"}, Annotator=None)
        edit.replace(-1, "1. b3 *")
        edit.tag(-1, White="Larsen")
        edit.append(new)
        assert edit.report is None and list(chessdb.open(target)) == old, "nothing is saved before the end"
    assert edit.report is not None and not edit.report.losses
    assert edit.report.changed == 3 or not extension.startswith("si"), "other formats may be rewritten"
    assert len(db) == len(old) + 1
    assert (db[3].white, db[3].white_elo, db[3].site, db[3].annotator) == ("Tal, Mihail", 2700, "Riga", None)
    assert db[3].ucis() == old[3].ucis()
    last = len(old) - 1
    assert (db[last].ucis(), db[last].white, db[-1].white, db[-1].ucis()) == (["b2b3"], "Larsen", "New", ["g2g3", "d7d5"])
    assert [game for n, game in enumerate(db) if n not in (3, last, last + 1)] == [
        game for n, game in enumerate(old) if n not in (3, last)
    ]
    assert list(chessdb.open(target)) == list(db)


@pytest.mark.parametrize("extension", ["si3", "si4", "si5"])
def test_undo_takes_back_a_block(extension: str, base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "edited"
    folder.mkdir()
    target = folder / f"base.{extension}"
    chessdb.convert(base, target)
    before = contents(folder)
    assert chessdb.changes(target) == []
    with pytest.raises(chessdb.ChessDbError):
        chessdb.undo(target)
    db = chessdb.open(target)
    with db.edit() as edit:
        edit.delete(2)
        edit.flag(4, "brilliancy,endgame", remove="user")
        edit.tag(5, Event="A new event")
        edit.append(["1. e4 e5 *", db[0]])
    assert db[2].deleted and set("BE") <= set(db[4].flags) and db[5].event == "A new event"
    after = contents(folder)
    (change,) = chessdb.changes(target)
    assert (change.games, change.undone, change.command) == (5, False, "edit in Python")
    assert abs((datetime.datetime.now(datetime.timezone.utc) - change.time).total_seconds()) < 3600
    undone = chessdb.undo(target)
    assert undone is not None and undone.undone and contents(folder) == before
    repeated = chessdb.undo(target)
    assert repeated is not None and not repeated.undone and contents(folder) == after
    with chessdb.open(target).edit() as edit:
        edit.undelete(2)
    assert str(edit.report) == f"1 games changed in place, {len(db)} in all"
    assert not chessdb.open(target)[2].deleted
    assert [change.games for change in chessdb.changes(target)] == [1, 5]


def test_edit_saves_all_or_nothing(base: Path, tmp_path: Path) -> None:
    db = chessdb.open(base)
    before, old = contents(tmp_path), list(db)
    with pytest.raises(ZeroDivisionError), db.edit() as edit:
        edit.delete(0)
        raise ZeroDivisionError
    with db.edit() as nothing:
        pass
    assert nothing.report is None
    with pytest.raises(IndexError), db.edit() as edit:
        edit.delete(len(db))
    with pytest.raises(ValueError, match="tag"), db.edit() as edit:
        edit.tag(0, {"White Elo": 1})
    with pytest.raises(ValueError, match="moves"), db.edit() as edit:
        edit.tag(0, FEN="8/8/8/8/8/8/8/K1k5 w - - 0 1")
    wrong: Any = 1.5
    with pytest.raises(TypeError, match="tag"), db.edit() as edit:
        edit.tag(0, White=wrong)
    with pytest.raises(chessdb.ChessDbError), db.edit() as edit:
        edit.flag(0, "no such flag")
    with pytest.raises(ValueError, match="ended"):
        edit.delete(0)
    assert contents(tmp_path) == before and list(db) == old
    with pytest.raises(ValueError, match="in memory"):
        chessdb.open_bytes({"a.pgn": TWO.encode()}).edit()


def test_edit_notices_other_writers(tmp_path: Path) -> None:
    path = tmp_path / "base.pgn"
    path.write_text(TWO)
    db = chessdb.open(path)
    with pytest.raises(chessdb.ChessDbError, match="changed by another program"), db.edit() as edit:
        edit.tag(0, White="Tal")
        path.write_text('[White "new"]\n\n1. a3 *\n\n' + TWO)
    assert path.read_text().startswith('[White "new"]')
