"""The location of the repository's fixtures."""

from __future__ import annotations

import os
from pathlib import Path

import chessdb
import pytest

ROOT = Path(os.environ.get("CHESSDB_ROOT", Path(__file__).parents[2]))
FIXTURES = ROOT / "fixtures"

#: Fixtures that cannot be opened without options: password-protected, or with a format to be named.
CLOSED = ("fuzz", "locked.cbz")


def bases() -> list[Path]:
    """Returns every fixture that is a database."""
    found = []
    for path in chessdb.survey(FIXTURES):
        if not any(part in CLOSED for part in path.parts):
            found.append(path)
    return found


def opened() -> list[Path]:
    """Returns every fixture that can be opened."""
    good = []
    for path in bases():
        try:
            chessdb.open(path).close()
        except chessdb.ChessDbError:
            continue
        good.append(path)
    return good


@pytest.fixture(scope="session")
def annotated() -> Path:
    return FIXTURES / "scid" / "annotated.si4"


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with every game of the SCID and PGN fixtures, three times, in one file."""
    folder = tmp_path_factory.mktemp("many")
    target = folder / "many.si4"
    sources = [path for path in opened() if path.parent.name in ("scid", "scid5", "cbf", "dcx")]
    chessdb.convert(sources * 3, target)
    return target
