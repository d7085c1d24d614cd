"""The exceptions of this package.

Where Python has a built-in exception (FileNotFoundError, FileExistsError, OSError), that one is
raised instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chessdb import Report


class ChessDbError(ValueError):
    """An error in a database or a request. The attributes contain its location, as far as known."""

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
        #: The given path, or the affected file.
        self.path = path
        #: The file of the database, by its standard extension.
        self.file = file
        #: The byte offset in that file, from 0.
        self.offset = offset
        #: The number of the game, from 1.
        self.game = game
        #: The ply.
        self.ply = ply


class FormatError(ChessDbError):
    """The database is damaged or has an unknown format."""


class LossError(ChessDbError):
    """Nothing was written, because information would have been lost."""

    #: The report of the aborted conversion; None for a single game.
    report: Report | None = None
