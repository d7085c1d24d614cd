"""The sources of `convert` and `append`, from everything that people pass."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from chessdb._chessdb import Database, Game, Games, open_bytes
from chessdb._table_source import games_of_table, is_table

_KINDS = (
    "a path, PGN text, a Database, its games, a Game, a game of python-chess, a table with a column of moves "
    "(a DataFrame, an Arrow table, a dictionary of columns), or several of these"
)
#: The beginning of a PGN: a tag, or the first move with its number.
_PGN = re.compile(r"\s*(\[|1\s*\.+\s*[a-hKQRBNO])")


def listed(sources: Any) -> list[Any]:
    """Returns the sources as databases, games and paths."""
    if isinstance(sources, (Database, Games, Game, os.PathLike)):
        return [sources]
    if isinstance(sources, str):
        return [_of_pgn(sources) if _is_pgn(sources) else sources]
    if _is_of_chess(sources):
        return [Game.from_chess(sources)]
    if is_table(sources):
        return [games_of_table(sources)]
    if isinstance(sources, (bytes, bytearray)) or not isinstance(sources, Iterable):
        raise TypeError(f"a source is {_KINDS}, not {type(sources).__name__}")
    found: list[Any] = []
    for source in sources:
        found.extend(listed(source))
    return found


def table(source: Any) -> Database | None:
    """Returns the games of a table; None for a path."""
    if isinstance(source, (str, os.PathLike)):
        return None
    if is_table(source) and not isinstance(source, (Database, Games)):
        return games_of_table(source)
    advice = ""
    if hasattr(source, "read"):
        advice = "; chessdb.read(file) reads an open file"
    elif isinstance(source, (bytes, bytearray, memoryview)):
        advice = "; chessdb.open_bytes({name: content}) opens files in memory"
    raise TypeError(f"a database is a path or a table with a column of moves, not {type(source).__name__}{advice}")


def game(source: Any) -> Game:
    """Returns a single game."""
    if isinstance(source, str):
        return Game.from_pgn(source)
    if _is_of_chess(source):
        return Game.from_chess(source)
    if isinstance(source, Game):
        return source
    raise TypeError(f"a game is a Game, PGN text or a game of python-chess, not {type(source).__name__}")


def _is_pgn(text: str) -> bool:
    return ("\n" in text or _PGN.match(text) is not None) and not _exists(text)


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        # The text contains a NUL.
        return False


def _of_pgn(text: str) -> Database:
    return open_bytes({"text.pgn": text.encode()}, format="pgn", encoding="utf-8")


def _is_of_chess(source: Any) -> bool:
    # Without an import of python-chess, which is optional.
    return any(kind.__module__ == "chess.pgn" and kind.__name__ == "Game" for kind in type(source).__mro__)
