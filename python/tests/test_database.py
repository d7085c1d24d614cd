"""Tests of opening, searching and iterating."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import chessdb
import pytest
from conftest import FIXTURES, opened


def test_a_database_is_a_sequence(annotated: Path) -> None:
    with chessdb.open(annotated) as db:
        assert db.format.id == "si4" and db.path == annotated and not db.is_stream
        games = list(db)
        assert len(games) == len(db) > 10
        assert db[0] == games[0] and db[-1] == games[-1] and db[-1].number == len(db)
        assert [game.number for game in db[2:7:2]] == [3, 5, 7]
        assert [game.number for game in db[::-1]][:2] == [len(db), len(db) - 1]
        assert db.index(games[3]) == 3 and games[3] in db
        assert [game.number for game in reversed(db)][0] == len(db)
        with pytest.raises(IndexError):
            db[len(db)]
        with pytest.raises(TypeError):
            db["1"]  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="closed"):
        len(db)
    assert games[0].sans()


def test_promotions_of_dcx_can_be_numbered_otherwise(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[FEN "8/P6k/8/8/8/8/7K/8 w - - 0 1"]\n\n1. a8=R Kg6 *\n')
    target = tmp_path / "x.dci"
    chessdb.convert(games, target)
    for numbering, expected in [("auto", "a8=R"), ("program", "a8=R"), ("seed", "a8=Q")]:
        with chessdb.open(target, dcx_promotions=numbering) as db:
            assert expected in db[0].pgn()
            assert expected in pickle.loads(pickle.dumps(db))[0].pgn()
    with pytest.raises(chessdb.ChessDbError):
        chessdb.open(target, dcx_promotions="queen")


def test_iterators_know_their_length(annotated: Path) -> None:
    import operator

    db = chessdb.open(annotated)
    games = iter(db)
    assert operator.length_hint(games) == len(db)
    next(games)
    assert operator.length_hint(games) == len(db) - 1


def test_heads_have_moves_when_asked(annotated: Path) -> None:
    db = chessdb.open(annotated)
    for head, game in zip(db.headers(), db, strict=True):
        assert (head.white, head.date, head.number) == (game.white, game.date, game.number)
        assert head.ucis() == game.ucis()
        assert head == game


def test_queries(many: Path) -> None:
    db = chessdb.open(many)
    found = db.find("result:1-0")
    assert 0 < len(found) < len(db)
    assert found.game_numbers() == [game.number for game in db if game.result == "1-0"]
    assert [game.number for game in found[1:3]] == found.game_numbers()[1:3]
    assert len(db.find("")) == len(db)
    assert not db.find("white:NobodyIsCalledThis")
    with pytest.raises(chessdb.ChessDbError):
        db.find("nosuchkey:1")


def test_streams_have_no_length(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "many.pgn.zst"
    chessdb.convert(many, target)
    db = chessdb.open(target, unpack=False)
    assert db.is_stream
    with pytest.raises(TypeError):
        len(db)
    with pytest.raises(TypeError):
        db[0]
    numbers = [game.number for game in db]
    assert numbers == list(range(1, len(chessdb.open(many)) + 1))
    # The file can be opened again, so iterating twice works.
    assert len(list(db)) == len(numbers)
    wins = [game.number for game in db.find("result:1-0")]
    assert wins == chessdb.open(many).find("result:1-0").game_numbers()
    assert [game.number for game in chessdb.read(target)] == numbers


def test_reading_from_files_of_python(many: Path, tmp_path: Path) -> None:
    pgn = tmp_path / "many.pgn"
    chessdb.convert(many, pgn)
    with pgn.open("rb") as file:
        games = chessdb.read(file)
        assert next(games) == chessdb.open(many)[0]
        assert sum(1 for _ in games) == len(chessdb.open(many)) - 1

    class Broken(io.RawIOBase):
        def __init__(self) -> None:
            self.times = 0

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            self.times += 1
            if self.times > 1:
                raise RuntimeError("the line is dead")
            return pgn.read_bytes()[:2000]

    with pytest.raises(RuntimeError, match="the line is dead"):
        list(chessdb.read(Broken()))  # type: ignore[arg-type]


def test_bases_in_memory(annotated: Path) -> None:
    files = {path.name: path.read_bytes() for path in annotated.parent.glob("annotated.s?4")}
    db = chessdb.open_bytes(files)
    assert list(db) == list(chessdb.open(annotated))
    views: dict[str, memoryview[int]] = {name: memoryview(content) for name, content in files.items()}
    assert len(chessdb.open_bytes(views)) == len(db)
    with pytest.raises(TypeError):
        pickle.dumps(db)


def test_everything_can_be_opened_and_iterated() -> None:
    paths = opened()
    assert len(paths) > 40
    formats = set()
    for path in paths:
        with chessdb.open(path) as db:
            formats.add(db.format.id)
            for game in db:
                assert game.pgn(width=0)
                assert len(game.ucis()) == len(game.sans()) == len(game.moves) == len(game)
    assert {"si4", "si5", "cbf", "cbh", "dcx", "ca", "pgn", "jose"} <= formats


def test_errors_name_the_place(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        chessdb.open(tmp_path / "nothing.si4")
    junk = tmp_path / "junk.si4"
    junk.write_bytes(b"no base at all" * 100)
    with pytest.raises(chessdb.FormatError) as damaged:
        chessdb.open(junk)
    assert damaged.value.path is not None and "junk.si4" in damaged.value.path
    assert isinstance(damaged.value, ValueError)
    again = pickle.loads(pickle.dumps(damaged.value))
    assert again.path == damaged.value.path and str(again) == str(damaged.value)
    broken = tmp_path / "broken.pgn"
    broken.write_text('[White "A"]\n\n1. e4 e5 2. Kd5 *\n')
    with pytest.raises(chessdb.FormatError) as illegal:
        list(chessdb.open(broken, strict=True))
    assert illegal.value.game == 1 and illegal.value.ply == 2 and illegal.value.file == "pgn"
    broken.write_text('[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. e4 e5 2. Kd5 *\n\n[White "C"]\n\n1. d4 *\n')
    games = iter(chessdb.open(broken, strict=True))
    assert next(games).white == "A"
    with pytest.raises(chessdb.FormatError):
        next(games)
    assert next(games).white == "C", "the next one is read all the same"
    with broken.open("rb") as file, pytest.raises(chessdb.FormatError):
        list(chessdb.read(file, strict=True))
    with pytest.raises(chessdb.ChessDbError, match="charset"):
        chessdb.open(broken, encoding="klingon")
    with pytest.raises(chessdb.ChessDbError, match="format"):
        chessdb.open(broken, format="doc")
    with pytest.raises(chessdb.FormatError):
        chessdb.Game.from_pgn("1. e4 e9 *")


def test_damaged_games_say_so(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pgn"
    broken.write_text('[White "A"]\n\n1. e4 e5 2. Kd5 *\n\n[White "B"]\n\n1. d4 *\n')
    first, second = chessdb.open(broken)
    assert first.error and first.diagnostics[0].severity == "lost" and first.ucis() == ["e2e4", "e7e5"]
    assert second.error is None and second.ucis() == ["d2d4"]
    found = chessdb.check(broken)
    assert [diagnostic.game for diagnostic in found if diagnostic.severity == "lost"] == [1]


def test_formats() -> None:
    formats = {format.id: format for format in chessdb.formats()}
    assert formats["si4"].extensions == ["si4", "sg4", "sn4"]
    assert formats["pgn"].is_streamable and formats["parquet"].is_writable
    assert formats["jose"].is_writable, "the wheel has SQLite"
    with chessdb.open(FIXTURES / "scid" / "annotated.si4") as db:
        assert db.format == formats["si4"]
        assert db.info.files and db.info.names["player"] > 0


def test_bases_travel(annotated: Path) -> None:
    db = pickle.loads(pickle.dumps(chessdb.open(annotated)))
    games = list(chessdb.open(annotated))
    assert list(db) == games
    game = pickle.loads(pickle.dumps(games[5]))
    assert game == games[5] and game.number == 6
