"""Chess databases of any format: open, search, convert, load into numpy, polars or DuckDB.

>>> import chessdb
>>> with chessdb.open("base.si4") as db:        # doctest: +SKIP
...     for game in db.find("white:Tal year:1960"):
...         print(game.white, game.black, game.sans()[:6])
"""

from typing import NoReturn

from chessdb._chessdb import (
    Change,
    Database,
    Diagnostic,
    Edit,
    Format,
    Game,
    GameIterator,
    Games,
    Info,
    Loss,
    Position,
    Report,
    Schema,
    Stream,
    Tree,
    Writer,
    __version__,
    changes,
    check,
    convert,
    create,
    formats,
    index,
    open,
    open_bytes,
    polyglot_key,
    read,
    survey,
    undo,
)
from chessdb._date import Date
from chessdb._errors import ChessDbError, FormatError, LossError
from chessdb._headers import Headers
from chessdb._moves import TreeMove
from chessdb._rows import register as _register_rows
from chessdb._scan import Split, scan, splits
from chessdb._tree import Node

# Databases are not registered as `collections.abc.Sequence`: polars makes a table with one column of
# objects of every sequence, and never asks for its Arrow stream.
_register_rows()


def __getattr__(name: str) -> NoReturn:
    from chessdb._hints import missing_here

    missing_here(name)


__all__ = [
    "Change",
    "ChessDbError",
    "Database",
    "Date",
    "Diagnostic",
    "Edit",
    "Format",
    "FormatError",
    "Game",
    "GameIterator",
    "Games",
    "Headers",
    "Info",
    "Loss",
    "LossError",
    "Node",
    "Position",
    "Report",
    "Schema",
    "Split",
    "Stream",
    "Tree",
    "TreeMove",
    "Writer",
    "__version__",
    "changes",
    "check",
    "convert",
    "create",
    "formats",
    "index",
    "open",
    "open_bytes",
    "polyglot_key",
    "read",
    "scan",
    "splits",
    "survey",
    "undo",
]
