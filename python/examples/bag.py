"""Computes results by decade with Dask. Each worker reads the part of the databases that it counts.

`python bag.py DATABASE...`; on a cluster, create a `dask.distributed.Client(...)` first.
"""

import sys
from collections import Counter

import chessdb
import dask.bag
import pyarrow as pa


def results(part: chessdb.Split) -> Counter[tuple[int | None, str]]:
    table = pa.table(chessdb.scan(part, columns=["Year", "Result"], jobs=1))
    years = (year and year // 10 * 10 for year in table["Year"].to_pylist())
    return Counter(zip(years, table["Result"].to_pylist()))


def main(paths: list[str]) -> None:
    parts = chessdb.splits(paths, games=1000)
    bag = dask.bag.from_sequence(parts, npartitions=min(len(parts), 8))  # type: ignore[no-untyped-call]
    counts = bag.map(results).fold(lambda one, other: one + other).compute()
    for (decade, result), games in sorted(counts.items(), key=lambda pair: (pair[0][0] or 0, pair[0][1])):
        print(decade or "????", result, games)


if __name__ == "__main__":
    main(sys.argv[1:])
