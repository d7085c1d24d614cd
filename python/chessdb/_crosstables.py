"""Cross-tables of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from chessdb import _chessdb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chessdb._chessdb import _Sources, _TableKind


class TableGame(NamedTuple):
    """A game of an event, from one player's point of view."""

    #: The rank of the opponent, from 1; None for a point without an opponent.
    opponent: int | None
    color: Literal["white", "black"]
    #: The points of the player; None if the result is unknown.
    points: float | None
    #: The round as the games state it, its number, and the date.
    round: str
    round_number: int
    date: str


class TablePlayer(NamedTuple):
    """A player of an event."""

    rank: int
    name: str
    #: The rating that the games state first.
    rating: int | None
    points: float
    #: The tie-breaks by name: "direct", "buchholz", "buchholz-cut1", "sonneborn-berger", "progressive",
    #: "wins". The direct encounter is None if it does not decide.
    tie_breaks: dict[str, float | None]
    performance: int | None
    #: The expected points, the rating change and its factor (K).
    expected: float | None
    rating_change: float | None
    factor: int | None
    #: The games in the order of the rounds.
    games: list[TableGame]


class Crosstable(NamedTuple):
    """The table of an event."""

    event: str
    site: str
    first_date: str | None
    last_date: str | None
    kind: _TableKind
    #: The numbers of games, of points without an opponent, and of games that occur again.
    games: int
    byes: int
    repeated: int
    #: The tie-breaks by which players with equal points are ranked.
    ranked_by: list[str]
    #: The players, the best first.
    players: list[TablePlayer]


def crosstables(
    sources: _Sources,
    *,
    where: str | None = None,
    kind: _TableKind | None = None,
    tie_breaks: Sequence[str] = (),
    factor: int | None = None,
    limit: int = 10,
) -> list[Crosstable]:
    """Returns the cross-table of each event, as `chessdb stats --crosstable` prints it.

    `kind` is "grid" (round robins), "rounds" (Swiss events) or "pairs" (matches); the default fits the
    event. `tie_breaks` rank players with equal points, `factor` is K of the rating changes. Raises
    ValueError if there are more events than `limit`.
    """
    if isinstance(tie_breaks, str):
        tie_breaks = tie_breaks.split(",")
    return _chessdb.crosstables(sources, where, kind, list(tie_breaks), factor, limit)


def only_crosstable(sources: _Sources, **options: Any) -> Crosstable:
    """Returns the table of the only event. Raises ValueError if there is none, or several."""
    tables = crosstables(sources, limit=1, **options)
    if not tables:
        raise ValueError("no game of two named players matches")
    return tables[0]
