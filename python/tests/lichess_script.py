"""A typical script for the data set Lichess/standard-chess-games, which uses its columns.

It does not use chessdb: `python lichess_script.py FILE.parquet`.
"""

import re
import sys

import duckdb
import polars as pl

path = sys.argv[1]
games = pl.scan_parquet(path)

# White's score by opening family among rated games.
points = pl.col("Result").replace_strict({"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}, default=None)
families = (
    games.filter(pl.col("WhiteElo").is_between(1500, 2800) & (pl.col("BlackElo") > 1500))
    .with_columns(family=pl.col("Opening").str.split(":").list.first(), points=points)
    .group_by("family")
    .agg(pl.len(), pl.col("points").mean(), (pl.col("WhiteRatingDiff") + pl.col("BlackRatingDiff")).sum().alias("drift"))
    .sort("family")
)
print(families.collect().rows())

# Results by time of day.
hours = games.group_by(pl.col("UTCTime").dt.hour().alias("hour"), pl.col("UTCDate").dt.weekday().alias("day")).len()
print(hours.sort("hour", "day").collect().rows())
print(
    duckdb.sql(f"""
        select Termination, split_part(TimeControl, '+', 1)::int // 60 as minutes, count(*) as n,
               count(*) filter (WhiteTitle = 'BOT' or BlackTitle = 'BOT') as bots, min(UTCDate + UTCTime) as first
        from '{path}' where Event like 'Rated%' and Site like 'https://lichess.org/%'
        group by all order by all""").fetchall()
)

# Clocks and evaluations from the movetext, with the expressions of the data set's documentation.
for row in games.select("White", "movetext").collect().iter_rows(named=True):
    clocks = re.findall(r"\[%clk (\d+):(\d+):(\d+)\]", row["movetext"])
    evals = re.findall(r"\[%eval (#?-?[\d.]+)\]", row["movetext"])
    first = re.sub(r"\{[^}]*\}|\d+\.+", " ", row["movetext"]).split()[:4]
    print(row["White"], first, [int(h) * 3600 + int(m) * 60 + int(s) for h, m, s in clocks], evals)
