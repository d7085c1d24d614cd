"""The commands of the program as functions: one call does what one command does.

The sources are those of `convert`. A keyword argument that is not listed is passed to `convert`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from chessdb import _chessdb
from chessdb._chessdb import Database, Game, convert
from chessdb._headers import tag_text

if TYPE_CHECKING:
    import chess.pgn

    from chessdb import Report
    from chessdb._chessdb import _Move, _Rule, _Source, _Sources, _StrPath, _TagValue


class Duplicate(NamedTuple):
    """A game that is a copy of another one."""

    #: The index of the source and the number of the game in it, from 1.
    source: int
    number: int
    #: The same of the game that is kept for it.
    kept_source: int
    kept_number: int
    #: The evidence for and against both being one game; empty if a third copy joins them.
    evidence: list[str]


class GroupScore(NamedTuple):
    """The games with one value: an opening, a player, a year."""

    value: str
    games: int
    #: The results of the player; of another value, the results of White.
    wins: int
    draws: int
    losses: int
    #: Points per game with a result, from 0 to 1.
    score: float | None
    rating: int | None
    performance: int | None


class Novelty(NamedTuple):
    """Where a game left all others."""

    #: The number of half-moves up to the last position that another game reached, and these moves.
    ply: int
    line: str
    #: That position.
    fen: str
    #: The new move; None if other games reached the end of the game.
    san: str | None
    #: The number of other games that reached the position.
    games: int
    #: The moves that were played there, the most frequent first, with their numbers of games.
    moves: list[tuple[str, int]]
    #: The latest of these games: the index of the source, and the number in it.
    latest: list[tuple[int, int]]


class Difference(NamedTuple):
    """Two games that differ, a game that only one database has (the other number is None), or a
    difference between the databases as a whole (both are None)."""

    left: int | None
    right: int | None
    what: list[str]


class Differences(NamedTuple):
    """The result of a comparison."""

    #: The number of equal games.
    equal: int
    differences: list[Difference]
    #: Whether something could not be read, so that its equality is unknown.
    incomplete: bool

    def __bool__(self) -> bool:
        """Whether there are differences."""
        return bool(self.differences)


class Salvage(NamedTuple):
    """What was recovered from a damaged database."""

    report: Report
    #: The number of games by the way they were found: "exact", "carved", "incomplete", "header-unknown",
    #: "moves-up-to-fault".
    found: dict[str, int]
    #: The number of bytes in which no game was found.
    barren_bytes: int


def merge(
    sources: _Sources,
    target: _StrPath,
    *,
    dedupe: _Rule | None = None,
    only_new: _StrPath | None = None,
    **options: Any,
) -> Report:
    """Joins databases, without copies if `dedupe` is "strict", "sure" or "likely".

    With `only_new`, games that this database has are left out. It is only read.
    """
    return convert(sources, target, dedupe=dedupe, only_new=only_new, **options)


def dedupe(sources: _Sources, target: _StrPath, *, by: _Rule = "sure", **options: Any) -> Report:
    """Writes the games without copies. Of copies the most complete one stays.

    Two games are one by the rule "strict" (same moves, players spelled the same), "sure" (no
    reasonable doubt) or "likely". `duplicates` lists the copies.
    """
    return convert(sources, target, dedupe=by, **options)


def duplicates(sources: _Sources, *, by: _Rule = "sure", where: str | None = None) -> list[Duplicate]:
    """Returns the games that `dedupe` would leave out."""
    found = _chessdb.duplicates(sources, by, where)
    return [Duplicate(*place, *kept, evidence) for place, kept, evidence in found]


def sort(sources: _Sources, target: _StrPath, by: str, *, limit: int | None = None, **options: Any) -> Report:
    """Writes the games in an order: keys such as "date", "white" or "-elo,date".

    A minus reverses a key. With `limit`, only that number of games is written.
    """
    return convert(sources, target, sort=by, limit=limit, **options)


def eco(sources: _Sources, target: _StrPath, *, all: bool = False, names: bool = False, **options: Any) -> Report:
    """Writes the games with ECO codes by their moves.

    `all` also replaces existing codes, `names` sets the tag Opening, too.
    """
    return convert(sources, target, eco="all" if all else "missing", opening_names=names, **options)


def stats(
    sources: _Sources, by: str = "player", *, where: str | None = None, limit: int | None = None
) -> list[GroupScore]:
    """Returns the scores of the games by a value of each, the most frequent first.

    The value is "player", "white", "black", "eco", "opening", "family", "event", "site", "year",
    "month", "time", "tag:NAME" and others, as in `chessdb stats --by`.
    """
    rows = _chessdb.stats(sources, by, where, limit)
    return [
        GroupScore(value, games, wins, draws, losses, score, rating, performance)
        for value, games, (wins, draws, losses), score, (rating, performance) in rows
    ]


def novelty(sources: _Sources, game: Game | chess.pgn.Game | str, *, earlier: bool = False) -> Novelty:
    """Returns where a game left all games of the sources.

    With `earlier` it is only compared with games that are certainly older.
    """
    return Novelty(*_chessdb.novelty(sources, game, earlier))


def diff(left: _Source, right: _Source, *, matching: Literal["content", "order"] = "content") -> Differences:
    """Compares two databases of any formats, game by game.

    Games are paired by their content, or in their order.
    """
    if matching not in ("content", "order"):
        raise ValueError(f'matching is "content" or "order", not {matching!r}')
    equal, differences, incomplete = _chessdb.diff(left, right, matching == "order")
    return Differences(equal, [Difference(*each) for each in differences], incomplete)


def salvage(
    path: _StrPath,
    target: _StrPath,
    *,
    format: str | None = None,
    source_format: str | None = None,
    encoding: str = "auto",
    replace: bool = False,
) -> Salvage:
    """Recovers as much as possible from a damaged database."""
    report, found, barren = _chessdb.salvage(path, target, format, source_format, encoding, replace)
    return Salvage(report, dict(found), barren)


def split(
    source: Database | _StrPath, folder: _StrPath, by: str, *, format: str | None = None, **options: Any
) -> dict[str, Report]:
    """Writes one database for each value of the games, and returns the reports by value.

    The values are those of `stats`; a game with several values, such as its players, is written to
    each of them. The format is that of the source unless `format` names another one.
    """
    db = source if isinstance(source, Database) else _chessdb.open(source)
    target = format or db.format.id
    extensions = {each.id: each.extensions[0] for each in _chessdb.formats()}
    if target not in extensions:
        raise ValueError(f"unknown format {target!r}")
    os.makedirs(folder, exist_ok=True)
    reports: dict[str, Report] = {}
    used: set[str] = set()
    for value, numbers in _chessdb.group_numbers(db, by).items():
        name = _chessdb.file_name(value)
        number = 1
        unique = name
        while unique.casefold() in used:
            number += 1
            unique = f"{name} {number}"
        used.add(unique.casefold())
        path = Path(folder) / f"{unique}.{extensions[target]}"
        games = ",".join(map(str, numbers))
        reports[value] = convert(db, path, format=target, games=games, **options)
    return reports


def game_of_moves(
    moves: str | Iterable[_Move], tags: Mapping[str, _TagValue] | None, named: Mapping[str, _TagValue] | None
) -> Game:
    """Makes a game of moves, each in SAN, UCI, as a number or a move of python-chess."""
    all_tags = {**(tags or {}), **(named or {})}
    words = moves.split() if isinstance(moves, str) else list(moves)
    # A text may have move numbers and a result.
    plain = [_NUMBER.sub("", word, count=1) if isinstance(word, str) else word for word in words if word not in _RESULTS]
    game = Game._from_moves(str(all_tags.pop("FEN", "") or ""), [move for move in plain if move != ""])
    for name, value in all_tags.items():
        if value is not None and name != "SetUp":
            game.headers[name] = tag_text(value)
    return game


_NUMBER = re.compile(r"\d+\.+")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
