"""Tests of changes to the moves of a game."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chessdb
import pytest
from test_game import OPERA, tree_of


def movetext(game: chessdb.Game) -> str:
    return game.pgn(width=0).partition("\n\n")[2].strip()


def game_of(moves: str) -> chessdb.Game:
    return chessdb.Game.from_pgn(moves)


#: A movetext, a change of its second half-move, and the movetext after it.
CHANGES: list[tuple[str, Any, str]] = [
    ("1. e4 e5 *", lambda node: setattr(node, "comment", "hello"), "1. e4 e5 {hello} *"),
    ("1. e4 e5 {old} *", lambda node: setattr(node, "comment", ""), "1. e4 e5 *"),
    (
        "1. e4 e5 {[%clk 0:01:00] old} *",
        lambda node: setattr(node, "comment", "new"),
        "1. e4 e5 {[%clk 0:01:00] new} *",
    ),
    # Values that are text in the old comment stay.
    (
        "1. e4 e5 {see [%clk 00:01:00] this [%eval 0.3]} *",
        lambda node: setattr(node, "comment", "new"),
        "1. e4 e5 {[%clk 0:01:00] [%eval 0.30] new} *",
    ),
    ("1. e4 e5 {see [%clk 00:01:00]} *", lambda node: setattr(node, "comment", ""), "1. e4 e5 {[%clk 0:01:00]} *"),
    # Values in the new comment replace the old ones.
    (
        "1. e4 e5 {[%clk 0:01:00] [%eval 0.30] old} *",
        lambda node: setattr(node, "comment", "[%clk 0:02:00] new"),
        "1. e4 e5 {[%eval 0.30] [%clk 0:02:00] new} *",
    ),
    (
        "1. e4 e5 (1... c5) *",
        lambda node: setattr(node.parent.variations[1], "comment_before", "or"),
        "1. e4 e5 ({or} 1... c5) *",
    ),
    ("1. e4 e5 *", lambda node: setattr(node, "nags", [1, 14]), "1. e4 e5 $1 $14 *"),
    ("1. e4 e5 $2 *", lambda node: node.nags.append(14), "1. e4 e5 $2 $14 *"),
    ("1. e4 e5 $2 *", lambda node: node.nags.add(2), "1. e4 e5 $2 *"),
    ("1. e4 e5 $2 *", lambda node: node.nags.clear(), "1. e4 e5 *"),
    ("1. e4 e5 *", lambda node: setattr(node, "clock", 61_500), "1. e4 e5 {[%clk 0:01:01.5]} *"),
    ("1. e4 e5 {a [%clk 5] b} *", lambda node: setattr(node, "clock", None), "1. e4 e5 {a b} *"),
    ("1. e4 e5 {[%emt 5] b} *", lambda node: setattr(node, "elapsed", 2000), "1. e4 e5 {[%emt 0:00:02] b} *"),
    ("1. e4 e5 *", lambda node: setattr(node, "eval", -35), "1. e4 e5 {[%eval -0.35]} *"),
    ("1. e4 e5 {[%eval 0.10,20]} *", lambda node: setattr(node, "mate", 3), "1. e4 e5 {[%eval #3,20]} *"),
    ("1. e4 e5 {[%eval 0.10,20]} *", lambda node: setattr(node, "depth", None), "1. e4 e5 {[%eval 0.10]} *"),
    ("1. e4 e5 {[%eval 0.10,20]} *", lambda node: setattr(node, "eval", None), "1. e4 e5 *"),
    ("1. e4 e5 {[%eval #3] x} *", lambda node: setattr(node, "eval", None), "1. e4 e5 {[%eval #3] x} *"),
    ("1. e4 e5 {+0.20/20 0.5s} *", lambda node: setattr(node, "eval", 5), "1. e4 e5 {[%emt 0:00:00.5] [%eval 0.05,20]} *"),
    ("1. e4 e5 *", lambda node: setattr(node, "shapes", [("G", "e4", None)]), "1. e4 e5 {[%csl Ge4]} *"),
    (
        "1. e4 e5 {[%csl Ge4]} *",
        lambda node: node.shapes.append(("R", "e2", "e4")),
        "1. e4 e5 {[%csl Ge4] [%cal Re2e4]} *",
    ),
    ("1. e4 e5 {x [%csl Ge4]} *", lambda node: node.shapes.pop(), "1. e4 e5 {x} *"),
    ("1. e4 e5 *", lambda node: node.add_variation("Nf3"), "1. e4 e5 2. Nf3 *"),
    ("1. e4 e5 2. d4 *", lambda node: node.add_variation("g1f3", nags=[1]), "1. e4 e5 2. d4 (2. Nf3 $1) *"),
    (
        "1. e4 e5 2. d4 *",
        lambda node: node.add_main_variation(chess.Move.from_uci("g1f3"), comment="best"),
        "1. e4 e5 2. Nf3 {best} (2. d4) *",
    ),
    (
        "1. e4 e5 2. d4 *",
        lambda node: node.add_line(["Nf3", "Nc6"], starting_comment="or", comment="so", nags=[10]),
        "1. e4 e5 2. d4 ({or} 2. Nf3 Nc6 $10 {so}) *",
    ),
    ("1. e4 e5 2. d4 (2. Nf3 Nc6) *", lambda node: node.remove_variation(1), "1. e4 e5 2. d4 *"),
    ("1. e4 e5 2. d4 (2. Nf3 Nc6) *", lambda node: node.remove_variation("d4"), "1. e4 e5 2. Nf3 Nc6 *"),
    ("1. e4 e5 2. d4 (2. Nf3) (2. c4) *", lambda node: node.promote("c4"), "1. e4 e5 2. d4 (2. c4) (2. Nf3) *"),
    ("1. e4 e5 2. d4 (2. Nf3) (2. c4) *", lambda node: node.demote("d4"), "1. e4 e5 2. Nf3 (2. d4) (2. c4) *"),
    (
        "1. e4 e5 2. d4 (2. Nf3) (2. c4) *",
        lambda node: node.variations[2].promote_to_main(),
        "1. e4 e5 2. c4 (2. d4) (2. Nf3) *",
    ),
    (
        "1. e4 e5 2. d4 (2. Nf3) (2. c4) *",
        lambda node: node.variations.reverse(),
        "1. e4 e5 2. c4 (2. Nf3) (2. d4) *",
    ),
    ("1. e4 e5 2. d4 (2. Nf3) *", lambda node: setattr(node, "variations", []), "1. e4 e5 *"),
    ("1. e4 e5 (1... c5 2. Nf3) 2. d4 *", lambda node: node.delete(), "1. e4 c5 2. Nf3 *"),
    ("1. e4 e5 (1... c5 2. Nf3) 2. d4 *", lambda node: node.demote(), "1. e4 c5 (1... e5 2. d4) 2. Nf3 *"),
]


@pytest.mark.parametrize(("before", "change", "after"), CHANGES, ids=[after for _, _, after in CHANGES])
def test_changes(before: str, change: Any, after: str) -> None:
    game = game_of(before)
    node = list(game.mainline())[1]
    values = ("comment", "comment_before", "nags", "clock", "elapsed", "eval", "mate", "depth", "shapes")
    change(node)
    assert movetext(game) == after
    # The tree says the same as the game.
    again = game_of(movetext(game))
    for ours, theirs in zip(all_nodes(game.root()), all_nodes(again.root()), strict=True):
        assert (ours.san, ours.uci, ours.ply) == (theirs.san, theirs.uci, theirs.ply)
        for name in values:
            assert getattr(ours, name) == getattr(theirs, name), name


def all_nodes(root: chessdb.Node) -> list[chessdb.Node]:
    nodes, todo = [], [root]
    while todo:
        nodes.append(todo.pop())
        todo.extend(reversed(nodes[-1].variations))
    return nodes


def test_the_comment_of_the_game() -> None:
    game = game_of("{before} 1. e4 e5 *")
    root = game.root()
    assert root.comment == "before" and root.next is not None and root.next.comment_before == "before"
    root.comment = "début"
    assert movetext(game) == "{début} 1. e4 e5 *" and game.to_chess().comment == "début"
    empty = game_of("*")
    empty.root().comment = "nothing yet"
    empty.root().add_line(["d4", "d5"])
    assert movetext(empty) == "{nothing yet} 1. d4 d5 *" and empty.root().comment == "nothing yet"


def test_nodes_stay_themselves() -> None:
    game = game_of("1. e4 e5 (1... c5 2. Nf3 d6) 2. d4 *")
    e4, e5, d4 = game.mainline()
    c5 = e4.variations[1]
    d6 = list(c5.mainline())[-1]
    c5.promote_to_main()
    assert [node.san for node in game.mainline()] == ["e4", "c5", "Nf3", "d6"]
    assert (e5.san, d4.san, d6.san, d6.ply) == ("e5", "d4", "d6", 4)
    assert d6.parent is not None and d6.parent.parent == c5 and c5.parent == e4 and len({c5, e4.variations[0]}) == 1
    d6.comment = "there"
    assert "2. Nf3 d6 {there}" in movetext(game) and d6.board().piece_at(chess.D6) is not None
    e5.delete()
    assert movetext(game) == "1. e4 c5 2. Nf3 d6 {there} *" and repr(d4) == "<Node, deleted>"
    for use in (lambda: d4.san, lambda: setattr(e5, "comment", "x"), lambda: d4.add_variation("d5")):
        with pytest.raises(ValueError, match="deleted"):
            use()
    again = e4.add_variation("e5")
    assert again != e5 and again.san == "e5"


def test_what_python_chess_does() -> None:
    """Makes random changes to games of both packages, which stay equal."""
    moves = 0
    for seed in range(60):
        chance = random.Random(seed)
        game = chessdb.Game.from_pgn(OPERA)
        theirs = game.to_chess()
        for _ in range(12):
            ours: chessdb.Node = game.root()
            node: chess.pgn.GameNode = theirs
            for _ in range(chance.randrange(8)):
                if node.variations:
                    index = chance.randrange(len(node.variations))
                    ours, node = ours.variations[index], node.variations[index]
            board = node.board()
            legal = sorted(board.legal_moves, key=str)
            new = [move for move in legal if not node.has_variation(move)]
            match chance.randrange(8):
                case 0 if new:
                    move = chance.choice(new)
                    ours.add_variation(move)
                    node.add_variation(move)
                case 1 if new:
                    move = chance.choice(new)
                    ours.add_main_variation(board.san(move), nags=[3])
                    node.add_main_variation(move, nags=[3])
                case 2 if len(node.variations) > 1:
                    child = chance.choice(node.variations).move
                    ours.remove_variation(child)
                    node.remove_variation(child)
                case 3 | 4 if node.variations:
                    child = chance.choice(node.variations).move
                    name = chance.choice(["promote", "demote", "promote_to_main"])
                    getattr(ours, name)(child)
                    getattr(node, name)(child)
                case 5 if node.parent is not None and not node.comment:
                    ours.comment = node.comment = f"comment {seed}"
                case _ if node.parent is not None:
                    ours.nags = [chance.randrange(1, 20)]
                    node.nags = set(ours.nags)
                case _:
                    continue
            moves += 1
        assert tree_of(game.to_chess()) == tree_of(theirs), seed
    assert moves > 500


def test_changed_games_are_written(annotated: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "games.pgn", tmp_path / "new.si4"
    source.write_text('[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *\n')
    db = chessdb.open(source)
    game = db[1]
    next(game.mainline()).comment = "changed"
    game.headers["Black"] = "C"
    with db.edit() as edit:
        edit.replace(1, game)
    assert "1. d4 {changed} 1... d5" in source.read_text() and "1. e4 e5" in source.read_text()
    with chessdb.create(target) as writer:
        writer.write(game)
    assert [node.comment for node in chessdb.open(target)[0].mainline()] == ["changed", ""]
    report = chessdb.convert([game, game], tmp_path / "both.pgn")
    assert report.written == 2 and (tmp_path / "both.pgn").read_text().count("{changed}") == 2
    chessdb.undo(source)
    assert "changed" not in source.read_text()
    # Games whose moves are read when they are used can be changed, too.
    lazy = next(iter(chessdb.open(annotated).headers()))
    next(lazy.mainline()).comment = "lazy"
    assert "{lazy}" in " ".join(lazy.pgn().split()) or "lazy}" in lazy.pgn()


def test_refused_changes() -> None:
    game = game_of("1. e4 e5 *")
    before = str(game)
    e4, e5 = game.mainline()
    other = next(game_of("1. e4 e5 *").mainline())
    refused: list[tuple[Any, type[Exception], str]] = [
        (lambda: e4.add_variation("Ke4"), ValueError, "no piece can move there"),
        (lambda: e4.add_variation("rubbish"), ValueError, "not a move"),
        (lambda: e4.add_variation(chess.Move.from_uci("e2e4")), ValueError, "move"),
        (lambda: e4.add_variation(1.5), TypeError, "a move is text"),  # type: ignore[arg-type]
        (lambda: e4.remove_variation("d5"), ValueError, "does not follow"),
        (lambda: e4.remove_variation(7), IndexError, "1 moves"),
        (lambda: e5.remove_variation(e4), ValueError, "does not follow"),
        (lambda: setattr(e4, "variations", [other]), ValueError, "does not follow"),
        (lambda: e4.variations.append(e5), ValueError, "twice"),
        (lambda: game.root().delete(), ValueError, "start"),
        (lambda: setattr(e4, "depth", 3), ValueError, "before its depth"),
        (lambda: setattr(e4, "shapes", [("green", "e4", None)]), ValueError, "."),
        (lambda: setattr(e4, "shapes", [("G", "e9", None)]), ValueError, "a shape is"),
        (lambda: setattr(e4, "nags", "!"), TypeError, "."),
        (lambda: setattr(e4, "nags", [-1]), OverflowError, "."),
        (lambda: setattr(e4, "comment", None), TypeError, "."),
    ]
    for change, kind, message in refused:
        with pytest.raises(kind, match=message):
            change()
    assert str(game) == before


def test_no_assignment_is_silent(annotated: Path) -> None:
    """Each attribute of each object can be set, or raises an error."""
    db = chessdb.open(annotated)
    game = db[0]
    node = next(game.mainline())
    objects: list[Any] = [
        db, db[:2], game, game.headers, game.root(), node, game.date, db.format, db.info, db.tree(),
        db.tree()[0], db.position("1.e4"), db.arrow(), db.arrow().schema, iter(db), game.mainline(),
    ]
    objects += db.diagnostics[:1]
    settable = {"comment", "comment_before", "nags", "clock", "elapsed", "eval", "mate", "depth", "shapes", "variations"}
    for owner in objects:
        names = [name for name in dir(owner) if not name.startswith("_")]
        for name in [*names, "unknown_name", "starting_comment"]:
            if type(owner).__name__ == "Node" and name in settable:
                continue
            with pytest.raises(AttributeError):
                setattr(owner, name, "x")
    with pytest.raises(AttributeError, match="headers"):
        game.white = "Tal"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="add_variation"):
        node.san = "d4"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="comment_before"):
        node.starting_comment = "x"  # type: ignore[attr-defined]
