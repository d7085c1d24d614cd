"""Databases as lazy tables of polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import polars as pl
from polars.io.plugins import register_io_source

from chessdb._scan import Split, StrPath
from chessdb._scan import scan as _scan

if TYPE_CHECKING:
    from collections.abc import Sequence


def scan(
    paths: StrPath | Split | Iterable[StrPath | Split],
    *,
    columns: str | Sequence[str] = "all",
    where: str | None = None,
    jobs: int | None = None,
    encoding: str = "auto",
) -> pl.LazyFrame:
    """Returns a lazy table of databases.

    Only columns that are used are computed, and moves are decoded only if such a column needs them.

    `columns` selects the available columns: "headers", "lichess", "moves", "all", or names. `where`
    is a query in the language of chessdb, which supports names and positions better than a filter
    on columns.
    """
    kept = paths if isinstance(paths, (str, Split)) or not isinstance(paths, Iterable) else list(paths)

    def tables(names: str | Sequence[str], size: int) -> Iterator[pl.DataFrame]:
        stream = _scan(kept, columns=names, where=where, jobs=jobs, encoding=encoding, batch_size=size)
        try:
            import pyarrow
        except ImportError:
            # Without pyarrow, polars reads the whole stream at once.
            yield pl.DataFrame(stream)
            return
        for batch in pyarrow.RecordBatchReader.from_stream(stream):
            yield pl.DataFrame(pyarrow.Table.from_batches([batch]))

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        # A table without columns has no row count.
        names: str | Sequence[str] = columns if with_columns is None else with_columns or ["White"]
        left = n_rows
        for table in tables(names, batch_size or 16_384):
            if with_columns is not None:
                table = table.select(with_columns)
            if predicate is not None:
                table = table.filter(predicate)
            if left is not None:
                table = table.head(left)
                left -= table.height
            yield table
            if left == 0:
                return

    empty = pl.DataFrame(_scan([], columns=columns))
    return register_io_source(source, schema=empty.schema, is_pure=True)
