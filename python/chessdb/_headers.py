"""The tags of a game as a mapping."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from chessdb._date import Date

if TYPE_CHECKING:
    from chessdb import Game


def tag_text(value: object) -> str:
    """Returns the value of a tag as text."""
    if isinstance(value, datetime.date):
        value = Date(value.year, value.month, value.day)
    if isinstance(value, (int, Date)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        kind = type(value).__name__
        raise TypeError(f"the value of a tag is text, a number or a date, not {kind}; to remove it use del")
    return value


class Headers(MutableMapping[str, str]):
    """The tags of a game, in the order of PGN. Changes apply to the game, not to its database.

    `db.replace(index, game)` and `db.append(game)` write the game.
    """

    __slots__ = ("_changes", "_game", "_known")

    def __init__(self, game: Game) -> None:
        self._game = game
        self._changes = game._changes
        self._known: dict[str, str] | None = None

    def _tags(self) -> dict[str, str]:
        """Returns the tags, which are copied from the game only after a change."""
        changes = self._game._changes
        if self._known is None or self._changes != changes:
            self._known, self._changes = self._game._tags(), changes
        return self._known

    def __getitem__(self, name: str) -> str:
        return self._tags()[name]

    def __setitem__(self, name: str, value: str | int | datetime.date | Date) -> None:
        self._game._set_tag(name, tag_text(value))

    def __delitem__(self, name: str) -> None:
        """Removes a tag. Those that every PGN has (Event, Site, Date, …) become unknown instead."""
        self[name]
        if not self._game._remove_tag(name):
            raise ValueError(f"cannot remove {name}, because the moves depend on the start position")

    def __iter__(self) -> Iterator[str]:
        return iter(self._tags())

    def __len__(self) -> int:
        return len(self._tags())

    def clear(self) -> None:
        """Removes all tags, except those that every PGN has and the start position."""
        for name in self._game._tags():
            self._game._remove_tag(name)

    def copy(self) -> dict[str, str]:
        """Returns the tags as a new dictionary."""
        return self._game._tags()

    def __repr__(self) -> str:
        return f"Headers({self._tags()!r})"
