"""Chess databases of any format: open, search, convert, load into numpy, polars or DuckDB.

>>> import chessdb
>>> with chessdb.open("base.si4") as db:        # doctest: +SKIP
...     for game in db.find("white:Tal year:1960"):
...         print(game.white, game.black, game.san()[:6])
"""

from collections.abc import Sequence as _Sequence

from chessdb._chessdb import (
    Database,
    Diagnostic,
    Format,
    Game,
    GameIterator,
    Games,
    Info,
    Loss,
    Report,
    Schema,
    Stream,
    Writer,
    __version__,
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
)
from chessdb._date import Date
from chessdb._errors import ChessDbError, FormatError, LossError
from chessdb._scan import Split, scan, splits
from chessdb._tree import Node

_Sequence.register(Database)
_Sequence.register(Games)

__all__ = [
    "ChessDbError",
    "Database",
    "Date",
    "Diagnostic",
    "Format",
    "FormatError",
    "Game",
    "GameIterator",
    "Games",
    "Info",
    "Loss",
    "LossError",
    "Node",
    "Report",
    "Schema",
    "Split",
    "Stream",
    "Writer",
    "__version__",
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
]
