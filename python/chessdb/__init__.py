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
    Node,
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
from chessdb._commands import (
    Difference,
    Differences,
    Duplicate,
    GroupScore,
    Novelty,
    Salvage,
    dedupe,
    diff,
    duplicates,
    eco,
    merge,
    novelty,
    salvage,
    sort,
    split,
    stats,
)
from chessdb._crosstables import Crosstable, TableGame, TablePlayer, crosstables
from chessdb._date import Date
from chessdb._errors import ChessDbError, FormatError, LossError
from chessdb._headers import Headers
from chessdb._moves import TreeMove
from chessdb._rows import register as _register_rows
from chessdb._scan import Split, scan, splits
from chessdb._trees import (
    FollowedGame,
    MadeBook,
    MissingMove,
    Repertoire,
    from_move,
    lines,
    make_book,
    merge_books,
    one_game,
    repertoire,
)

# Databases are not registered as `collections.abc.Sequence`: polars makes a table with one column of
# objects of every sequence, and never asks for its Arrow stream.
_register_rows()


def __getattr__(name: str) -> NoReturn:
    from chessdb._hints import missing_here

    missing_here(name)


__all__ = [
    "Change",
    "ChessDbError",
    "Crosstable",
    "Database",
    "Date",
    "Diagnostic",
    "Difference",
    "Differences",
    "Duplicate",
    "Edit",
    "FollowedGame",
    "Format",
    "FormatError",
    "Game",
    "GameIterator",
    "Games",
    "GroupScore",
    "Headers",
    "Info",
    "Loss",
    "LossError",
    "MadeBook",
    "MissingMove",
    "Node",
    "Novelty",
    "Position",
    "Repertoire",
    "Report",
    "Salvage",
    "Schema",
    "Split",
    "Stream",
    "TableGame",
    "TablePlayer",
    "Tree",
    "TreeMove",
    "Writer",
    "__version__",
    "changes",
    "check",
    "convert",
    "create",
    "crosstables",
    "dedupe",
    "diff",
    "duplicates",
    "eco",
    "formats",
    "from_move",
    "index",
    "lines",
    "make_book",
    "merge",
    "merge_books",
    "novelty",
    "one_game",
    "open",
    "open_bytes",
    "polyglot_key",
    "read",
    "repertoire",
    "salvage",
    "scan",
    "sort",
    "split",
    "splits",
    "stats",
    "survey",
    "undo",
]
