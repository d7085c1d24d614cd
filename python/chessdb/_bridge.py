"""Conversion to and from python-chess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import chess
import chess.pgn

from chessdb._chessdb import Game

if TYPE_CHECKING:
    from chess.pgn import Game as ChessGame


def to_chess(game: Game) -> ChessGame:
    """Returns the result of `chess.pgn.read_game` for `game.pgn(width=0)`, without parsing text."""
    builder: chess.pgn.GameBuilder[ChessGame] = chess.pgn.GameBuilder()
    builder.begin_game()
    builder.begin_headers()
    for name, value in game._pgn_tags():
        try:
            builder.visit_header(name, value)
        except ValueError:
            # A tag name that python-chess rejects; its reader skips such lines, too.
            continue
    builder.end_headers()
    comments = _comments(game)
    board = chess.Board()
    played = [0]
    for event in game._events():
        match event:
            case ("m", number, _):
                builder.visit_move(board, chess_move(number))
                if len(played) == 1 and played[0] == 0:
                    # Some sources have variations before the first move.
                    builder.game.variations.insert(0, builder.game.variations.pop())
                played[-1] += 1
            case ("n", nag):
                builder.visit_nag(nag)
            case ("c", text, _, _):
                builder.visit_comment(next(comments, text))
            case ("o",):
                if builder.variation_stack[-1].parent is None:
                    builder.variation_stack.append(builder.game)
                    builder.in_variation = False
                else:
                    builder.begin_variation()
                played.append(0)
            case ("x",):
                builder.end_variation()
                played.pop()
    builder.visit_result(game.result)
    builder.end_game()
    return builder.result()


def start(game: Game) -> chess.Board:
    """Returns the start position."""
    chess960 = game.headers.get("Variant") == "Chess960"
    return chess.Board(game.fen or chess.STARTING_FEN, chess960=chess960)


def board(game: Game, ply: int | None) -> chess.Board:
    """Returns the position after `ply` half-moves, or the one that a query found."""
    found = game._found_fen() if ply is None else None
    if found is not None:
        return chess.Board(found, chess960=start(game).chess960)
    position = start(game)
    moves = game.moves
    if ply is not None and ply < 0:
        ply += len(moves) + 1
    if ply is not None and not 0 <= ply <= len(moves):
        raise IndexError(f"the game has {len(moves)} half-moves")
    for move in moves[:ply or 0]:
        position.push(chess_move(move))
    return position


def _comments(game: Game) -> Iterator[str]:
    """Returns the exact comments of the PGN, without the blanks that python-chess strips."""
    movetext = game.pgn(width=0).partition("\n\n")[2]
    for comment in re.findall(r"\{([^}]*)\}", movetext):
        yield comment.removeprefix(" ").removesuffix(" ")


def chess_move(number: int) -> chess.Move:
    """Converts a move number to a move of python-chess."""
    if number == 0:
        return chess.Move.null()
    return chess.Move(number & 63, number >> 6 & 63, number >> 12 or None)


def from_chess(game: ChessGame) -> Game:
    exporter = chess.pgn.StringExporter(columns=None, headers=True, variations=True, comments=True)
    return Game.from_pgn(game.accept(exporter))
