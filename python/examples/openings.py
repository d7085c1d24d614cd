"""Computes the scores of openings: a database goes directly into polars, without a file."""

import sys

import chessdb.polars
import polars as pl


def openings(path: str) -> pl.DataFrame:
    points = pl.when(pl.col("Result") == "1-0").then(1.0).when(pl.col("Result") == "0-1").then(0.0).otherwise(0.5)
    return (
        chessdb.polars.scan(path)
        .filter(pl.col("ECO").is_not_null(), pl.col("Result") != "*")
        .group_by(pl.col("ECO").str.head(3).alias("code"))
        .agg(pl.len().alias("games"), points.mean().alias("score"))
        .sort("games", "code", descending=[True, False])
        .head(10)
        .collect()
    )


if __name__ == "__main__":
    print(openings(sys.argv[1]))
