"""Conversion to and from python-chess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import chess
import chess.pgn
from chess.pgn import ChildNode

from chessdb._chessdb import Game

if TYPE_CHECKING:
    from chess.pgn import Game as ChessGame
    from chess.pgn import GameNode


def to_chess(game: Game) -> ChessGame:
    """Returns the result of `chess.pgn.read_game` for `game.pgn(width=0)`, without parsing text."""
    theirs = chess.pgn.Game()
    for name, value in game._pgn_tags():
        try:
            theirs.headers[name] = value
        except ValueError:
            # A tag name that python-chess rejects; its reader skips such lines, too.
            continue
    if theirs.headers.get("Result", "*") == "*":
        theirs.headers["Result"] = game.result
    events = game._events()
    node: GameNode = theirs
    moves = [event for event in events if isinstance(event, int)]
    if len(moves) == len(events):
        # Most games have moves only.
        for move in moves:
            node = ChildNode(node, _MOVES[move])
        return theirs
    starting_comment = ""
    # Whether the last move belongs to this line; whether the mainline has a move.
    in_line = has_main_move = False
    interrupted: list[GameNode] = []
    comments = _comments(game)
    for event in events:
        if isinstance(event, int):
            node = ChildNode(node, _MOVES[event], starting_comment=starting_comment)
            starting_comment = ""
            in_line = True
            if not has_main_move and not interrupted:
                has_main_move = True
                # Some sources have variations before the first move.
                theirs.variations.insert(0, theirs.variations.pop())
            continue
        match event:
            case ("n", nag):
                node.nags.add(nag)
            case ("c", text):
                text = next(comments, text)
                if in_line or (node.parent is None and not node.variations):
                    node.comment = f"{node.comment} {text}" if node.comment and text else node.comment or text
                else:
                    starting_comment = f"{starting_comment} {text}" if starting_comment and text else starting_comment or text
            case ("o",):
                interrupted.append(node)
                node = node.parent or node
                in_line = False
            case ("x",):
                node = interrupted.pop()
    return theirs


def start(game: Game) -> chess.Board:
    """Returns the start position."""
    chess960 = game.headers.get("Variant") == "Chess960"
    return chess.Board(game.fen or chess.STARTING_FEN, chess960=chess960)


def board(game: Game, ply: int | None) -> chess.Board:
    """Returns the position after `ply` half-moves, or the one that a query found."""
    found = game._found_fen() if ply is None else None
    if found is not None:
        return chess.Board(found, chess960=start(game).chess960)
    moves = game.moves
    if ply is not None and ply < 0:
        ply += len(moves) + 1
    if ply is not None and not 0 <= ply <= len(moves):
        raise IndexError(f"the game has {len(moves)} half-moves")
    return played(game, list(moves[: ply or 0]))


def played(game: Game, moves: list[int]) -> chess.Board:
    """Returns the position after these moves from the start."""
    position = start(game)
    for move in moves:
        position.push(_MOVES[move])
    return position


def _comments(game: Game) -> Iterator[str]:
    """Returns the exact comments of the PGN, without the blanks that python-chess strips."""
    movetext = game.pgn(width=0).partition("\n\n")[2]
    for comment in re.findall(r"\{([^}]*)\}", movetext):
        yield comment.removeprefix(" ").removesuffix(" ")


class _Moves(dict[int, chess.Move]):
    """The moves of python-chess by their numbers. There are few distinct ones."""

    def __missing__(self, number: int) -> chess.Move:
        promotion = number >> 12 or None
        move = chess.Move(number & 63, number >> 6 & 63, promotion) if number else chess.Move.null()
        return self.setdefault(number, move)


_MOVES = _Moves()


def from_chess(game: ChessGame) -> Game:
    exporter = chess.pgn.StringExporter(columns=None, headers=True, variations=True, comments=True)
    return Game.from_pgn(game.accept(exporter))
