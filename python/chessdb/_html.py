"""The display of a game in a notebook: players, event, date, the last position and the moves."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chessdb import Game

_PIECES = " ♙♘♗♖♕♔♟♞♝♜♛♚"
_MOST = 6000


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
