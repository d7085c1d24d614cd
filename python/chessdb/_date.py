"""Dates with unknown parts."""

from __future__ import annotations

import datetime
from typing import NamedTuple


class Date(NamedTuple):
    """A date; unknown parts are None.

    Dates have a total order: an unknown part comes before every known one, so `????.??.??` is before
    `1959.??.??`, which is before `1959.01.??` and `1959.01.01`.
    """

    year: int | None
    month: int | None
    day: int | None

    def __str__(self) -> str:
        year = "????" if self.year is None else f"{self.year:04}"
        month = "??" if self.month is None else f"{self.month:02}"
        day = "??" if self.day is None else f"{self.day:02}"
        return f"{year}.{month}.{day}"

    def to_date(self) -> datetime.date | None:
        """Returns the date if all parts are known and it is a valid date."""
        if self.year is None or self.month is None or self.day is None:
            return None
        try:
            return datetime.date(self.year, self.month, self.day)
        except ValueError:
            return None

    # Equality and hash work as for tuples, which agree with this order.

    def __lt__(self, other: tuple[object, ...]) -> bool:
        return _key(self) < _key(other) if isinstance(other, tuple) else NotImplemented

    def __le__(self, other: tuple[object, ...]) -> bool:
        return _key(self) <= _key(other) if isinstance(other, tuple) else NotImplemented

    def __gt__(self, other: tuple[object, ...]) -> bool:
        return _key(self) > _key(other) if isinstance(other, tuple) else NotImplemented

    def __ge__(self, other: tuple[object, ...]) -> bool:
        return _key(self) >= _key(other) if isinstance(other, tuple) else NotImplemented


def _key(date: tuple[object, ...]) -> tuple[tuple[bool, object], ...]:
    return tuple((part is not None, part or 0) for part in date)
