"""Tables as sources: DataFrames of pandas and polars, Arrow tables, dictionaries of columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chessdb._chessdb import open_bytes

if TYPE_CHECKING:
    from chessdb import Database

#: The columns that may have the moves, in any capitals (docs/formats/text.md, section 4).
_MOVES = ("movetext", "pgn", "moves", "san", "an")


def is_table(source: Any) -> bool:
    """Returns whether the object is a table; a mapping is one of columns."""
    return isinstance(source, Mapping) or hasattr(source, "__arrow_c_stream__") or _is_pandas(source)


def games_of_table(table: Any) -> Database:
    """Returns the games in the rows of a table.

    Raises TypeError if no column has moves.
    """
    columns = {str(name): column for name, column in _columns(table).items()}
    if not any(name.casefold() in _MOVES for name in columns):
        names = ", ".join(columns) or "none"
        raise TypeError(
            f"a {type(table).__name__} as a source needs a column with the moves, named {', '.join(_MOVES[:-1])} or "
            f"{_MOVES[-1]} (White, Black, Result and others are optional); its columns: {names}"
        )
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise TypeError("the columns of a table must have the same number of rows")
    lines = (json.dumps(row, default=_plain, ensure_ascii=False) + "\n" for row in _rows(columns))
    return open_bytes({"table.ndjson": "".join(lines).encode()}, format="ndjson", encoding="utf-8")


def _columns(table: Any) -> dict[Any, Any]:
    if isinstance(table, Mapping):
        is_row = not any(_is_column(value) for value in table.values())
        return {name: [value] if is_row else list(value) for name, value in table.items()}
    if _is_pandas(table):
        return {name: column.tolist() for name, column in table.items()}
    if type(table).__module__.partition(".")[0] != "polars":
        import pyarrow

        arrow: dict[Any, Any] = pyarrow.table(table).to_pydict()
        return arrow
    columns: dict[Any, Any] = table.to_dict(as_series=False)
    return columns


def _rows(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for values in zip(*columns.values()):
        yield {name: value for name, value in zip(columns, values) if not _is_missing(value)}


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_missing(value: Any) -> bool:
    # pandas has a value of its own for missing ones, which is neither true nor false.
    return value is None or isinstance(value, float) and math.isnan(value) or type(value).__name__ in ("NAType", "NaTType")


def _is_pandas(table: Any) -> bool:
    return any(kind.__name__ == "DataFrame" and kind.__module__.startswith("pandas") for kind in type(table).__mro__)


def _plain(value: Any) -> Any:
    """Returns a value as JSON has it: numbers of numpy, arrays, dates."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
