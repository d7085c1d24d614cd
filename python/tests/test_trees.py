"""Tests of games as trees: joined games, lines, repertoires and books."""

from __future__ import annotations

import os
from pathlib import Path

import chess.polyglot
import chessdb
import pytest

GAMES = """[White "Tal, Mihail"]
[Black "Keres, Paul"]
[Site "Moscow"]
[Date "1959.09.07"]
[Result "1-0"]

1. e4 {Best} c5 2. Nf3 d6 1-0

[White "Tal, Mihail"]
[Black "Geller"]
[Result "0-1"]

1. e4 {Best} c5 2. Nc3 (2. c3 d5) Nc6 0-1

[White "Smyslov"]
[Black "Tal, Mihail"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""


def test_games_become_one_and_lines() -> None:
    (tree,) = chessdb.one_game(GAMES)
    assert tree.pgn(width=0).strip().splitlines()[-1] == (
        "1. e4 {Best} (1. d4 d5) 1... c5 2. Nf3 (2. Nc3 Nc6) (2. c3 d5) 2... d6 *"
    )
    assert (tree.white, tree.result) == ("?", "*")
    (tree,) = chessdb.one_game(GAMES, where="white:Tal", counts=True, sources=True)
    assert tree.white == "Tal, Mihail" and "{2 games, 50 %}" in tree.pgn()
    assert "Tal - Keres, Moscow 1959, 1-0" in tree.pgn().replace("\n", " ")
    lines = chessdb.lines(GAMES.split("\n\n[")[0])
    assert [line.result for line in lines] == ["1-0"]
    lines = chessdb.lines(chessdb.open_bytes({"a.pgn": GAMES})[1])
    assert [line.sans() for line in lines] == [["e4", "c5", "Nc3", "Nc6"], ["e4", "c5", "c3", "d5"]]
    end = chessdb.from_move(lines[0], 2)
    assert end is not None and end.sans() == ["Nc3", "Nc6"] and end.board(0).fullmove_number == 2
    assert chessdb.from_move(lines[0], 3) is None


def test_repertoire() -> None:
    report = chessdb.repertoire('[Event "Black"]\n\n1. e4 c5 2. Nf3 d6 *', GAMES, min_games=1)
    assert (report.color, report.games, report.to_the_end, report.left_by_opponent) == ("black", 2, 1, 1)
    gaps = [(gap.line, gap.san, gap.games, gap.all) for gap in report.gaps]
    assert gaps == [("", "d4", 1, 3), ("1.e4 c5", "Nc3", 1, 2)]
    assert report.gaps[1].known == ["Nf3"] and report.deviations == []
    assert [(game.number, game.left_by, game.move) for game in report.followed] == [
        (1, None, None),
        (2, "white", "2.Nc3"),
    ]
    with pytest.raises(chessdb.ChessDbError, match="color"):
        chessdb.repertoire("1. e4 e5 *", GAMES)


def test_books(tmp_path: Path) -> None:
    def moves(path: Path) -> dict[str, int]:
        with chess.polyglot.open_reader(path) as book:
            return {entry.move.uci(): entry.weight for entry in book.find_all(chess.Board())}

    book = chessdb.make_book(GAMES, tmp_path / "a.bin")
    assert (book.games, moves(tmp_path / "a.bin")) == (3, {"e2e4": 2, "d2d4": 1})
    chessdb.make_book(GAMES, tmp_path / "b.bin", weights="uniform", color="white", min_share=50)
    assert moves(tmp_path / "b.bin") == {"e2e4": 1}
    merged = chessdb.merge_books([tmp_path / "a.bin", tmp_path / "b.bin"], tmp_path / "c.bin")
    assert moves(tmp_path / "c.bin") == {"e2e4": 3, "d2d4": 1} and merged.scaled == 0
    with pytest.raises(FileExistsError):
        chessdb.make_book(GAMES, tmp_path / "a.bin")
    with pytest.raises(chessdb.ChessDbError, match="uniform"):
        chessdb.make_book(GAMES, tmp_path / "x.bin", weights="best")  # type: ignore[arg-type]


def test_books_are_replaced_when_they_are_complete(tmp_path: Path) -> None:
    chessdb.make_book(GAMES, tmp_path / "a.bin")
    before = (tmp_path / "a.bin").read_bytes()
    with pytest.raises(FileExistsError):
        chessdb.merge_books([tmp_path / "a.bin"], tmp_path / "a.bin")
    (tmp_path / "none.bin").write_text("no book")
    (tmp_path / "text.txt").write_text("no book")
    for wrong in ("none.ctg", "text.txt"):
        with pytest.raises((chessdb.FormatError, FileNotFoundError)):
            chessdb.merge_books([tmp_path / "a.bin", tmp_path / wrong], tmp_path / "a.bin", replace=True)
    assert (tmp_path / "a.bin").read_bytes() == before
    chessdb.merge_books([tmp_path / "a.bin", tmp_path / "a.bin"], tmp_path / "a.bin", replace=True)
    assert len((tmp_path / "a.bin").read_bytes()) == len(before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "none.bin", "text.txt"]


def test_the_files_of_a_book_have_names_in_any_capitals(tmp_path: Path) -> None:
    source = Path(os.environ.get("CHESSDB_TESTDATA", "")) / "fixtures-real/books/made-ctg"
    if not source.is_dir():
        pytest.skip("without the genuine books")
    for name in ("made.ctg", "made.cto", "made.ctb"):
        (tmp_path / name.upper()).write_bytes((source / name).read_bytes())
    one = chessdb.merge_books([source / "made.ctg"], tmp_path / "one.bin")
    other = chessdb.merge_books([tmp_path / "MADE.CTO"], tmp_path / "other.bin")
    assert one == other and one.moves > 0


def test_a_query_finds_the_games_that_follow_a_book(tmp_path: Path) -> None:
    """The half-moves in the book are counted by python-chess."""
    lines = ["1. e4 c5 2. Nf3 d6 *", "1. d4 d5 *"]
    chessdb.make_book("\n\n".join(lines), tmp_path / "a.bin", weights="uniform")
    played = ["1. e4 c5 2. Nf3 d6 3. d4", "1. e4 c5 2. Nc3", "1. d4", "1. a3", "1. e4 e5 2. Nf3 d6"]
    db = chessdb.open_bytes({"games.pgn": "\n\n".join(f'[Round "{n}"]\n\n{moves} *' for n, moves in enumerate(played))})
    plies = []
    with chess.polyglot.open_reader(tmp_path / "a.bin") as book:
        for game in db:
            board = chess.Board()
            count = 0
            for uci in game.ucis():
                if uci not in {entry.move.uci() for entry in book.find_all(board)}:
                    break
                board.push_uci(uci)
                count += 1
            plies.append(count)
    assert plies == [4, 2, 1, 0, 1]
    path = tmp_path / "a.bin"
    for limit in range(6):
        rounds = [int(game.round) for game in db.find(f"book:{path},{limit}..")]
        assert rounds == [n for n, count in enumerate(plies) if count >= limit]
    assert [int(game.round) for game in db.find(f"book:{path}")] == [0, 2]
    assert [int(game.round) for game in db.find(f"-book:{path}")] == [1, 3, 4]
    with pytest.raises(chessdb.ChessDbError, match="no such file"):
        db.find("book:none.bin")
