"""The display of a game and of a list of games in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chessdb import Database, Diagnostic, Game, Games

_PIECES = " ♙♘♗♖♕♔♟♞♝♜♛♚"
_MOST = 6000
#: Games in a table.
_ROWS = 10
#: Findings after a table.
_FINDINGS = 5


def board(squares: list[list[int]]) -> str:
    """Returns a board as an HTML table. The first list is rank 1."""
    rows = []
    for rank in range(7, -1, -1):
        cells = []
        for file in range(8):
            color = "#eee" if (rank + file) % 2 else "#aac"
            style = f"width:1.6em;height:1.6em;padding:0;text-align:center;background:{color};color:#000"
            cells.append(f'<td style="{style}">{_PIECES[squares[rank][file]].strip()}</td>')
        rows.append("<tr>" + "".join(cells) + "</tr>")
    return '<table style="border-collapse:collapse;font-size:150%">' + "".join(rows) + "</table>"


def game(game: Game) -> str:
    boards = game.boards()
    last: list[list[int]] = boards.tolist()[-1]  # type: ignore[assignment]
    players = f"<b>{escape(game.white)}</b> – <b>{escape(game.black)}</b>"
    rest = [text for text in (game.event, game.site, str(game.date), game.eco or "", game.result) if text]
    moves = game.pgn(width=0).partition("\n\n")[2].strip()
    if len(moves) > _MOST:
        moves = moves[:_MOST] + " …"
    return (
        f"<div><p>{players}<br>{escape(', '.join(rest))}</p>{board(last)}"
        f'<p style="max-width:50em">{escape(moves)}</p></div>'
    )


def games(games: Database | Games) -> str:
    """Returns the first games as a table, their number, and the findings on opening."""
    title = f"{escape(type(games).__name__)}"
    found: Sequence[Diagnostic] = ()
    try:
        if not hasattr(games, "game_numbers"):
            place = "in memory" if games.path is None else str(games.path)
            title = f"{escape(place)}: {escape(games.format.name)}"
            found = games.diagnostics
        shown = [game for game, _ in zip(games.headers(), range(_ROWS))]
    except ValueError as error:
        return f"<div><p><b>{title}</b>: {escape(str(error))}</p></div>"
    try:
        count = f"{len(games):,} games"
    except TypeError:
        count = "a stream of games"
    names = ("#", "White", "Elo", "Black", "Elo", "Result", "Date", "Event", "ECO", "Ply")
    # The column of the half-move where a query matched.
    width = len(names) if any(game.ply is not None for game in shown) else len(names) - 1
    rows = [
        (
            str(game.number),
            game.white,
            str(game.white_elo or ""),
            game.black,
            str(game.black_elo or ""),
            game.result,
            str(game.date),
            game.event,
            game.eco or "",
            "" if game.ply is None else str(game.ply),
        )
        for game in shown
    ]
    head = "".join(f"<th>{name}</th>" for name in names[:width])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row[:width]) + "</tr>" for row in rows)
    notes = [f"<li>{escape(f'{each.severity}: {each}')}</li>" for each in found[:_FINDINGS]]
    if len(found) > _FINDINGS:
        notes.append(f"<li>and {len(found) - _FINDINGS:,} more in <code>db.diagnostics</code></li>")
    findings = f"<ul>{''.join(notes)}</ul>" if notes else ""
    return (
        f"<div><p><b>{title}</b>, {count}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{findings}</div>"
    )
