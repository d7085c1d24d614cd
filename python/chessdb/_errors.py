"""What can go wrong. Where Python has an exception of its own (FileNotFoundError, FileExistsError, OSError),
that one is raised instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chessdb import Report


class ChessDbError(ValueError):
    """Something is wrong with a base or with what was asked; its place is in the attributes, as far as it is
    known."""

    def __init__(
        self,
        message: str = "",
        *,
        path: str | None = None,
        file: str | None = None,
        offset: int | None = None,
        game: int | None = None,
        ply: int | None = None,
    ) -> None:
        super().__init__(message)
        #: The path as it was given, or the file that is meant.
        self.path = path
        #: Which file of the base, by its usual extension.
        self.file = file
        #: The byte in that file, from 0.
        self.offset = offset
        #: The number of the game, from 1.
        self.game = game
        #: Half-moves before the place.
        self.ply = ply


class FormatError(ChessDbError):
    """The base is damaged, or in no format that is known."""


class LossError(ChessDbError):
    """Nothing was written, because something would have been lost."""

    #: What the conversion found before it was given up; None for a single game.
    report: Report | None = None
