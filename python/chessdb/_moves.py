"""The rows of a table of moves (`Database.tree`), and the table as text and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from chessdb import Tree


class TreeMove(NamedTuple):
    """A move played in a position. The fields are the columns of the table."""

    san: str
    uci: str
    #: The number of games, and their share of the games with the position.
    games: int
    share: float
    #: The numbers of games that White won, that were drawn, and that Black won.
    white: int
    draws: int
    black: int
    #: White's score in the games with a result, from 0 to 1.
    score: float | None
    #: The average rating and the performance of the players who made the move.
    rating: int | None
    performance: int | None
    last_year: int | None
    #: The largest number of half-moves that followed.
    longest: int
    #: The opening after the move.
    eco: str | None
    opening: str | None
    #: The numbers of up to three games with the highest ratings, from 1.
    best: list[int]

    @staticmethod
    def of(*parts: tuple[Any, ...]) -> TreeMove:
        """Makes a row of the parts of its values."""
        return TreeMove(*(value for part in parts for value in part))


_HEADINGS = ("Move", "Games", "Share", "Score", "Draws", "Rating", "Perf", "Last")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _cells(tree: Tree) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for move in tree:
        decided = move.white + move.draws + move.black
        rows.append(
            (
                move.san,
                f"{move.games:,}",
                _percent(move.share),
                _percent(move.score),
                _percent(move.draws / decided if decided else None),
                str(move.rating or ""),
                "" if move.performance is None else str(move.performance),
                str(move.last_year or ""),
                f"{move.eco} {move.opening}" if move.opening else "",
            )
        )
    return rows


def _title(tree: Tree) -> str:
    opening = f"  {tree.eco} {tree.opening}" if tree.opening else ""
    return f"{tree.fen}{opening}"


def text(tree: Tree) -> str:
    """Returns the table as `chessdb tree` prints it."""
    widths = (8, 12, 8, 8, 8, 7, 6, 6)
    lines = [_title(tree), f"{tree.games:,} games"]
    for *cells, opening in [(*_HEADINGS, ""), *_cells(tree)]:
        first, *others = cells
        line = first.ljust(widths[0]) + "".join(cell.rjust(width) for cell, width in zip(others, widths[1:]))
        lines.append(f"{line}  {opening}".rstrip())
    return "\n".join(lines)


def html(tree: Tree) -> str:
    """Returns the table for a notebook."""
    head = "".join(f"<th>{name}</th>" for name in (*_HEADINGS, "Opening"))
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in _cells(tree))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<div><p><b>{escape(_title(tree))}</b>, {tree.games:,} games</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
