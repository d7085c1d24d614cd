"""Pickle support: opens a database again in another process."""

from __future__ import annotations

import os

from chessdb._chessdb import Database, open


def open_again(
    path: str | os.PathLike[str], format: str | None, encoding: str, strict: bool, dcx_promotions: str = "auto"
) -> Database:
    return open(path, format=format, encoding=encoding, strict=strict, dcx_promotions=dcx_promotions)
