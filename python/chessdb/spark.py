"""Databases on a cluster: Spark distributes the work, chessdb reads and writes.

The package must be installed on every worker, and paths must lead to the same files everywhere.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chessdb
from chessdb._scan import Split, StrPath, convert_split, scan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_SPLIT = "path string, format string, first long, last long, start long, stop long"
_REPORT = "split string, file string, games long, losses map<string, long>, faults long, bytes long, error string"


def key(fen: str) -> int:
    """Returns the Polyglot key of a position, signed as in the column `positions`."""
    number = chessdb.polyglot_key(fen)
    return number - (1 << 64) if number >> 63 else number


def schema(columns: str | Sequence[str] = "moves") -> StructType:
    """Returns the columns as a Spark schema."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pa.schema(scan([], columns=columns).schema))


def _rows(splits: Iterable[Split]) -> list[tuple[object, ...]]:
    return [(split.path, split.format, split.first, split.last, split.start, split.stop) for split in splits]


def _distributed(spark: SparkSession, splits: Iterable[Split]) -> DataFrame:
    rows = _rows(splits)
    # One task for each split: otherwise Spark would combine small rows.
    return spark.createDataFrame(
        spark.sparkContext.parallelize(rows, max(1, len(rows))),
        _SPLIT,
    )


def _splits_in(batches: Iterable[pa.RecordBatch]) -> Iterator[Split]:
    for batch in batches:
        for row in batch.to_pylist():
            yield Split(**row)


def read(
    spark: SparkSession,
    splits: Iterable[Split],
    *,
    columns: str | Sequence[str] = "moves",
    where: str | None = None,
    encoding: str = "auto",
) -> DataFrame:
    """Returns the games as a DataFrame that is computed on the workers."""

    def games(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        for split in _splits_in(batches):
            stream = scan(split, columns=columns, where=where, jobs=1, encoding=encoding, batch_size=4096)
            yield from pyarrow.RecordBatchReader.from_stream(stream)

    return _distributed(spark, splits).mapInArrow(games, schema(columns))


def convert(
    spark: SparkSession,
    splits: Iterable[Split],
    target: StrPath,
    *,
    columns: str | Sequence[str] = "all",
    positions: bool = False,
    zstd: int = 3,
    encoding: str = "auto",
) -> list[dict[str, Any]]:
    """Converts each split to a separate Parquet file in the folder `target`.

    Returns one row for each split with the number of games, the losses, the number of faults, the
    bytes, and the error if the whole split could not be read. A task that runs twice, because a
    worker died or was slow, leaves one file: files are written under unique hidden names and
    renamed when they are complete.
    """
    folder = os.path.abspath(target)
    os.makedirs(folder, exist_ok=True)
    names = columns if isinstance(columns, str) else ",".join(columns)

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        for split in _splits_in(batches):
            row = _convert_one(split, folder, names, positions, zstd, encoding)
            yield pyarrow.RecordBatch.from_pylist(
                [row],
                schema=pyarrow.schema(
                    [
                        ("split", pyarrow.string()),
                        ("file", pyarrow.string()),
                        ("games", pyarrow.int64()),
                        ("losses", pyarrow.map_(pyarrow.string(), pyarrow.int64())),
                        ("faults", pyarrow.int64()),
                        ("bytes", pyarrow.int64()),
                        ("error", pyarrow.string()),
                    ]
                ),
            )

    done = _distributed(spark, splits).mapInArrow(write, _REPORT).collect()
    rows: list[dict[str, Any]] = [row.asDict() for row in done]
    _tidy(folder)
    return rows


def _name(split: Split) -> str:
    """Returns the name of a split's file, which does not depend on the writer."""
    digest = hashlib.sha256(repr(split).encode()).hexdigest()[:12]
    return f"part-{digest}.parquet"


def _convert_one(
    split: Split, folder: str, columns: str, positions: bool, zstd: int, encoding: str
) -> dict[str, Any]:
    final = os.path.join(folder, _name(split))
    hidden = os.path.join(folder, f".{_name(split)}-{uuid.uuid4().hex}.parquet")
    row: dict[str, Any] = {
        "split": split.name,
        "file": final,
        "games": 0,
        "losses": [],
        "faults": 0,
        "bytes": 0,
        "error": None,
    }
    try:
        report = convert_split(
            split, hidden, columns=columns, positions=positions, zstd=zstd, encoding=encoding
        )
        os.replace(hidden, final)
    except (chessdb.ChessDbError, OSError) as error:
        Path(hidden).unlink(missing_ok=True)
        return {**row, "error": str(error)}
    losses = [(loss.kind, loss.count) for loss in report.losses]
    faults = report.cut + report.skipped
    size = os.path.getsize(final)
    return {**row, "games": report.written, "losses": losses, "faults": faults, "bytes": size}


def _tidy(folder: str) -> None:
    """Removes leftovers of killed tasks: their hidden files and the writer's."""
    for path in Path(folder).iterdir():
        if path.name.startswith(".") and path.name.lstrip(".").startswith("part-"):
            path.unlink(missing_ok=True)


def tree(games: DataFrame, *, plies: int = 40, at_least: int = 2) -> DataFrame:
    """Returns every move from every position of the first `plies` half-moves.

    `games` must have the column `positions`.
    """
    games.createOrReplaceTempView("chessdb_games")
    return games.sparkSession.sql(f"""
        select z.positions as key, z.moves as move, count(*) as games,
               sum(case Result when '1-0' then 2 when '0-1' then 0 else 1 end) as points,
               avg(WhiteElo) as elo, min(Year) as first_year, max(Year) as last_year
        from (select posexplode(arrays_zip(moves, positions)) as (ply, z), Result, Year, WhiteElo from chessdb_games)
        where ply < {plies} and z.moves is not null
        group by z.positions, z.moves having count(*) >= {at_least}""")


def find(games: DataFrame, fen: str) -> DataFrame:
    """Returns the games in which a position occurred, with its ply."""
    games.createOrReplaceTempView("chessdb_games")
    number = key(fen)
    return games.sparkSession.sql(f"""
        select *, array_position(positions, {number}) - 1 as ply
        from chessdb_games where array_contains(positions, {number})""")
