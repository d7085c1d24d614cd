"""Games as trees of moves: several games as one, the lines of a game, a repertoire, opening books."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from chessdb import _chessdb
from chessdb._chessdb import Game

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess.pgn

    from chessdb._chessdb import _Sources, _StrPath


class MissingMove(NamedTuple):
    """A move of games in a position of a repertoire."""

    #: The moves before it, and the position.
    line: str
    fen: str
    san: str
    #: The games with the move, and with any move in the position.
    games: int
    all: int
    #: White's points per game with a result, from 0 to 1.
    score: float | None
    #: The moves of the repertoire in the position.
    known: list[str]


class FollowedGame(NamedTuple):
    """A game and where it left a repertoire."""

    #: The index of the source and the number of the game in it, from 1.
    source: int
    number: int
    #: The half-moves up to the last position of the repertoire, and moves that lead there.
    plies: int
    line: str
    #: The side that left it, and its move with the move number; None if the game follows it to the end.
    left_by: Literal["white", "black"] | None
    move: str | None


class Repertoire(NamedTuple):
    """A repertoire next to games."""

    color: Literal["white", "black"]
    #: The games with a move of the repertoire: all, those that follow it to the end of a line, and those
    #: that either side left.
    games: int
    to_the_end: int
    left_by_opponent: int
    left_by_side: int
    #: The moves of opponents without an answer, and the moves of the side that are not in the repertoire.
    gaps: list[MissingMove]
    deviations: list[MissingMove]
    #: The games that follow it for the most half-moves, then the latest ones.
    followed: list[FollowedGame]


class MadeBook(NamedTuple):
    """A Polyglot book that was written."""

    moves: int
    positions: int
    #: The games that were counted; 0 for merged books.
    games: int
    #: The moves that the conditions left out.
    left_out: int
    #: The weights that were scaled to 16 bits.
    scaled: int


def lines(game: Game | chess.pgn.Game | str) -> list[Game]:
    """Returns a game for each line of a game: the mainline first, then each variation."""
    return _chessdb.lines(game)


def from_move(game: Game | chess.pgn.Game | str, number: int) -> Game | None:
    """Returns a game from a move number on, with the position there; None if it is shorter."""
    return _chessdb.from_move(game, number)


def one_game(
    games: _Sources, *, where: str | None = None, counts: bool = False, sources: bool = False
) -> list[Game]:
    """Returns games joined into one game with variations; one for each start position.

    The most frequent move continues a line. `counts` adds the number of games and White's score as
    comments, `sources` the players, place, year and result of each game.
    """
    return _chessdb.one_game(games, where, counts, sources)


def repertoire(
    lines: _Sources,
    sources: _Sources,
    *,
    color: Literal["white", "black"] | None = None,
    where: str | None = None,
    min_games: int = 2,
    top: int = 20,
) -> Repertoire:
    """Compares a repertoire with games: where they leave it, and which moves of opponents it lacks.

    Positions count for every order of moves. Without `color`, the tags of the repertoire decide, or
    the side that has a single move in more positions.
    """
    side, counts, gaps, deviations, followed = _chessdb.repertoire(lines, sources, color, where, min_games, top)
    return Repertoire(
        side,
        *counts,
        [MissingMove(*each) for each in gaps],
        [MissingMove(*each) for each in deviations],
        [FollowedGame(*place, plies, line, left_by, move) for place, plies, line, left_by, move in followed],
    )


def make_book(
    sources: _Sources,
    target: _StrPath,
    *,
    where: str | None = None,
    min_games: int = 1,
    min_score: float = 0,
    min_share: float = 0,
    max_ply: int = 60,
    color: Literal["white", "black"] | None = None,
    weights: Literal["points", "weighted", "uniform"] = "points",
    replace: bool = False,
) -> MadeBook:
    """Writes a Polyglot book of games, with the conditions and weights of `chessdb book make`."""
    conditions = (min_games, min_score, min_share)
    return MadeBook(*_chessdb.make_book(sources, target, where, conditions, max_ply, color, weights, replace))


def merge_books(books: Sequence[_StrPath], target: _StrPath, *, replace: bool = False) -> MadeBook:
    """Writes a Polyglot book with the moves of several books. The weights of a move are added."""
    return MadeBook(*_chessdb.merge_books(list(books), target, replace))
