"""Divides work among several processes. Splits are small and can also be sent by Dask or Ray."""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import chessdb
import pyarrow as pa


def results(split: chessdb.Split) -> Counter[str]:
    return Counter(pa.table(chessdb.scan(split, columns=["Result"]))["Result"].to_pylist())


def main(path: str) -> Counter[str]:
    with ProcessPoolExecutor(2) as pool:
        return sum(pool.map(results, chessdb.splits(path, games=1000)), Counter())


if __name__ == "__main__":
    print(main(sys.argv[1]))
