"""Tests of the game object."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import chess
import chess.pgn
import chess.polyglot
import chessdb
import numpy as np
import pyarrow as pa
import pytest
from conftest import ROOT, opened

OPERA = """[Event "Opera"]
[Site "Paris"]
[Date "1858.??.??"]
[Round "?"]
[White "Morphy, Paul"]
[Black "Duke Karl / Count Isouard"]
[Result "1-0"]
[WhiteElo "2690"]
[ECO "C41"]

1. e4 e5 2. Nf3 d6 {[%clk 0:05:00] Philidor} 3. d4 Bg4?! $14 (3... exd4 4. Nxd4 (4. Qxd4 a6)) 4. dxe5
{[%eval 0.35,20]} Bxf3 {[%csl Gd4] [%cal Ge2e4] sad} 5. Qxf3 dxe5 1-0
"""


def test_attributes() -> None:
    game = chessdb.Game.from_pgn(OPERA)
    assert (game.white, game.result, game.eco) == ("Morphy, Paul", "1-0", "C41")
    assert (game.white_elo, game.black_elo) == (2690, None)
    assert game.date == (1858, None, None) and str(game.date) == "1858.??.??"
    assert game.date.to_date() is None
    assert list(game.headers)[:3] == ["Event", "Site", "Date"] and game.headers["WhiteElo"] == "2690"
    assert game.fen is None and not game.deleted and game.flags == ""
    assert len(game) == 10 and "Morphy" in repr(game) and str(game) == game.pgn()
    assert game == chessdb.Game.from_pgn(game.pgn(width=0)) and hash(game) == hash(chessdb.Game.from_pgn(OPERA))
    assert game != chessdb.Game.from_pgn(OPERA.replace("Philidor", "Lopez"))


def test_less_than_everything() -> None:
    game = chessdb.Game.from_pgn(OPERA)
    bare = game.pgn(width=0, comments=False, variations=False, nags=False).partition("\n\n")[2]
    assert bare.strip() == "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 1-0"
    assert "(" in game.pgn(comments=False) and "{" not in game.pgn(comments=False)


def test_trees() -> None:
    root = chessdb.Game.from_pgn(OPERA).root()
    nodes = list(root.mainline())
    assert [node.san for node in nodes[:4]] == ["e4", "e5", "Nf3", "d6"]
    d6, bishop, takes = nodes[3], nodes[5], nodes[6]
    assert d6.comment == "Philidor" and d6.clock == 300_000
    assert bishop.nags == [6, 14] and bishop.parent is not None
    side = bishop.parent.variations[1]
    assert side.uci == "e5d4" and side.ply == 6 and [node.san for node in side] == ["Nxd4", "Qxd4"]
    assert takes.eval == 35 and takes.depth == 20
    assert nodes[7].shapes == [("G", "d4", None), ("G", "e2", "e4")]


def test_values_in_texts_of_comments() -> None:
    moves = "1. e4 {+0.35/22 1.52s} e5 {+0.20/20 0.5s} 2. Nf3 {[%eval x] [%eval -0.4] [%clk 1:2:3]} Nc6 {-M5/9 1s} *"
    game = chessdb.Game.from_pgn(moves)
    e4, e5, nf3, nc6 = game.root().mainline()
    assert (e4.eval, e4.depth, e4.elapsed) == (35, 22, 1520)
    assert (e5.eval, e5.depth, e5.elapsed) == (-20, 20, 500)
    assert (nf3.eval, nf3.clock) == (-40, 3_723_000)
    assert (nc6.mate, nc6.eval) == (3, None)
    # What was read as a command is no part of the comment; the game keeps its text.
    assert e4.comment == "+0.35/22 1.52s" and nf3.comment == "[%eval x]"
    assert "{[%eval x] [%eval -0.4] [%clk 1:2:3]}" in " ".join(game.pgn().split())


def test_all_spellings_of_values() -> None:
    table = ROOT / "crates/chessdb-core/tests/values.json"
    for case in json.loads(table.read_text("utf-8")):
        after = case["after"]
        game = chessdb.Game.from_pgn(f"1. e4 {after} e5 *")
        node = next(game.mainline())
        read = {
            "clock": node.clock,
            "elapsed": node.elapsed,
            "eval": node.eval,
            "mate": node.mate,
            "depth": node.depth,
            "shapes": " ".join(color + start + (end or "") for color, start, end in node.shapes) or None,
            "text": node.comment or None,
        }
        assert read == {name: case.get(name) for name in read}, after
        # Tables have the same values.
        table = chessdb.open_bytes({"a.pgn": str(game)}).arrow(["clocks", "elapsed", "evals"])
        (row,) = pa.table(table).to_pylist()
        mate = case.get("mate")
        eval = case.get("eval") if mate is None else 32_768 - mate if mate > 0 else -32_769 - mate
        assert [(column or [None])[0] for column in row.values()] == [case.get("clock"), case.get("elapsed"), eval], after
        # Each value can be set, and stays if others are set.
        for name in ("clock", "elapsed", "eval", "mate", "shapes", "comment"):
            changed = next(chessdb.Game.from_pgn(str(game)).mainline())
            known = {other: getattr(changed, other) for other in read if other not in ("text", "depth")}
            value: Any = {"shapes": [("G", "a1", "h8")], "comment": "new"}.get(name, 7)
            setattr(changed, name, value)
            assert getattr(changed, name) == value, (after, name)
            again = next(chessdb.Game.from_pgn(str(changed.game)).mainline())
            for other in known.keys() - {name} - ({"eval", "mate"} if name in ("eval", "mate") else set()):
                assert getattr(changed, other) == getattr(again, other) == known[other], (after, name, other)


def test_deep_nesting_is_no_recursion() -> None:
    moves = "1. e4 " + "(1. d4 " * 200 + ")" * 200 + " *"
    game = chessdb.Game.from_pgn(moves)
    root = game.root()
    assert root.next is not None and len(root.variations) > 100
    assert game.to_chess().variations


def test_numbers_are_those_of_python_chess() -> None:
    games = 0
    for path in opened():
        for game in chessdb.open(path):
            if game.error or len(game.root().variations) == 0:
                continue
            theirs = game.to_chess()
            board = theirs.board()
            line = list(theirs.mainline_moves())
            ours = game.moves
            assert ours.typecode == "h"
            # Illegal moves end a line in PGN.
            for number, move in zip(ours, line):
                assert number == (move.from_square | move.to_square << 6 | (move.promotion or 0) << 12)
            if len(line) < len(ours) or not board.is_valid():
                continue
            games += 1
            assert game.ucis() == [move.uci() for move in line]
            hashes, boards, fens = game.hashes(), np.asarray(game.boards()), game.fens()
            assert boards.shape == (len(line) + 1, 8, 8) and boards.dtype == np.uint8
            for ply, move in enumerate([*line, None]):
                assert board.board_fen() == fens[ply].split()[0]
                if not board.chess960:
                    assert hashes[ply] == chess.polyglot.zobrist_hash(board), (path, game, ply)
                squares = [[0] * 8 for _ in range(8)]
                for square, piece in board.piece_map().items():
                    squares[square // 8][square % 8] = piece.piece_type + (0 if piece.color else 6)
                assert boards[ply].tolist() == squares
                if move is not None:
                    board.push(move)
    assert games > 300


def tree_of(game: chess.pgn.Game) -> list[object]:
    """Returns the whole content of a python-chess game, without recursion."""
    out: list[object] = [dict(game.headers)]
    todo: list[chess.pgn.GameNode] = [game]
    while todo:
        node = todo.pop()
        out.append((node.move, node.comment, node.starting_comment, sorted(node.nags), len(node.variations)))
        todo.extend(reversed(node.variations))
    return out


def test_the_bridge_makes_what_python_chess_reads() -> None:
    """Compares node by node, over all fixtures."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    games = refused = 0
    for path in opened():
        for game in chessdb.open(path):
            read = chess.pgn.read_game(io.StringIO(game.pgn(width=0)))
            assert read is not None
            # python-chess does not decode escapes in tags.
            for name, value in read.headers.items():
                read.headers[name] = value.replace('\\"', '"').replace("\\\\", "\\")
            if read.errors:
                # Positions that python-chess rejects: no king, a pawn on the first rank.
                refused += 1
                continue
            # PGN contains this evaluation twice, also as a NAG after the last move.
            if "LineEvaluation" in read.headers:
                continue
            games += 1
            assert tree_of(game.to_chess()) == tree_of(read), (path, game)
    assert games > 400 and refused < games // 10, (games, refused)


def test_back_from_python_chess() -> None:
    game = chessdb.Game.from_pgn(OPERA)
    again = chessdb.Game.from_chess(game.to_chess())
    assert tree_of(again.to_chess()) == tree_of(game.to_chess())
    # python-chess writes blanks between braces and text.
    assert again.pgn(width=0).replace("{ ", "{").replace(" }", "}") == game.pgn(width=0)


def test_hostile_texts_stay_text_in_notebooks() -> None:
    hostile = OPERA.replace("Morphy, Paul", "<img src=x onerror=alert(1)>")
    html = chessdb.Game.from_pgn(hostile)._repr_html_()
    assert "<img" not in html and "&lt;img" in html and "<table" in html and "♔" in html


def test_keys_of_positions() -> None:
    assert chessdb.polyglot_key(chess.STARTING_FEN) == 0x463B961816 << 24 | 0x91FC9C
    with pytest.raises(chessdb.ChessDbError):
        chessdb.polyglot_key("no position")
