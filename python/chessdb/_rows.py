"""Games as rows: the fields of the dataclass that a game is for `dataclasses`, pandas and polars.

`pandas.DataFrame` knows no Arrow streams. It reads a database and a list of games one by one, and
asks each whether it is a dataclass.
"""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

from chessdb._chessdb import Game, row_fields

_TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    # An array, which polars would take for null in a column of lists.
    "list": object,
    "date": datetime.date,
    "datetime": datetime.datetime,
}


def register() -> None:
    """Gives games the attributes by which `dataclasses` knows a dataclass."""
    fields = [(name, _TYPES[kind] if kind == "list" else _TYPES[kind] | None) for name, kind in row_fields()]
    row: Any = dataclasses.make_dataclass("Row", fields, frozen=True)
    for name in ("__dataclass_fields__", "__dataclass_params__", "__annotations__"):
        setattr(Game, name, getattr(row, name))
