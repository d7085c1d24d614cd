"""Writes two pages like those of a notebook: openings by decade, and time on the clock.

`python pages.py DATABASE OUT` writes OUT/openings.md and OUT/clocks.md with their charts. polars
does the counting, and the charts are plain SVG, so no other package is needed.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import chessdb.polars
import polars as pl

COLORS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#566573")
WIDTH, HEIGHT, LEFT, TOP = 640, 320, 50, 20


def lines(title: str, x: Sequence[int], named: Mapping[str, Sequence[float]], unit: str) -> str:
    """Returns a line chart as SVG."""
    most = max((value for values in named.values() for value in values), default=0) or 1
    right, bottom = WIDTH - 110, HEIGHT - 40

    def place(at: int, value: float) -> str:
        first, last = x[0], max(x[-1], x[0] + 1)
        across = LEFT + (at - first) / (last - first) * (right - LEFT)
        return f"{across:.1f},{bottom - value / most * (bottom - TOP):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#888"/>',
        f'<text x="{LEFT - 6}" y="{TOP + 4}" text-anchor="end">{most:.0f}{unit}</text>',
        f'<text x="{LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
    ]
    for at in (x[0], x[len(x) // 2], x[-1]) if x else ():
        parts.append(f'<text x="{place(at, 0).split(",")[0]}" y="{bottom + 18}" text-anchor="middle">{at}</text>')
    for n, (name, values) in enumerate(named.items()):
        color = COLORS[n % len(COLORS)]
        points = " ".join(place(at, value) for at, value in zip(x, values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{right + 8}" y="{TOP + 14 + 18 * n}" fill="{color}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def openings(base: str, out: Path) -> None:
    """Computes the first moves of White by decade."""
    names = {12 | 28 << 6: "1. e4", 11 | 27 << 6: "1. d4", 6 | 21 << 6: "1. Nf3", 10 | 26 << 6: "1. c4"}
    first = pl.col("moves").list.first().replace_strict(names, default="others", return_dtype=pl.String)
    counts = (
        chessdb.polars.scan(base, columns=["Year", "moves"])
        .filter(pl.col("Year").is_not_null(), pl.col("moves").list.len() > 0)
        .select(decade=pl.col("Year") // 10 * 10, move=first)
        .group_by("decade", "move")
        .len()
        .with_columns(share=100 * pl.col("len") / pl.col("len").sum().over("decade"))
        .filter(pl.col("len").sum().over("decade") >= 20)
        .sort("decade")
        .collect()
    )
    decades = counts["decade"].unique().sort().to_list()
    shares: dict[str, Sequence[float]] = {}
    for name in [*names.values(), "others"]:
        known = dict(counts.filter(pl.col("move") == name).select("decade", "share").iter_rows())
        shares[name] = [known.get(decade, 0.0) for decade in decades]
    (out / "openings.svg").write_text(lines("First moves by decade", decades, shares, " %"))
    rows = [f"| {d} | " + " | ".join(f"{shares[name][n]:.0f}" for name in shares) + " |" for n, d in enumerate(decades)]
    head = "| decade | " + " | ".join(shares) + " |\n|" + "---|" * (len(shares) + 1)
    text = f"# First moves by decade\n\n![Lines: share of each first move by decade](openings.svg)\n\nPercentage of the games.\n\n{head}\n"
    (out / "openings.md").write_text(text + "\n".join(rows) + "\n\nMade by `python/examples/pages.py`.\n")


def clocks(base: str, out: Path) -> None:
    """Computes the remaining time of players by move."""
    left = (
        chessdb.polars.scan(base, columns=["clocks", "White"])
        .filter(pl.col("clocks").is_not_null())
        .with_row_index("id")
        .explode("clocks")
        .with_columns(ply=pl.int_range(pl.len()).over("id"))
        .drop_nulls("clocks")
        .with_columns(share=100 * pl.col("clocks") / pl.col("clocks").max().over("id"))
        .group_by(move=pl.col("ply") // 2 + 1)
        .agg(pl.col("share").mean(), pl.col("share").min().alias("least"), pl.col("id").n_unique().alias("games"))
        .sort("move")
        .collect()
    )
    text = "# Time on the clock\n\n"
    if left.is_empty():
        text += "No game of this base has clocks.\n"
    else:
        moves = left["move"].to_list()
        named = {"on average": left["share"].to_list(), "least": left["least"].to_list()}
        (out / "clocks.svg").write_text(lines("Time left by move", moves, named, " %"))
        text += "![Lines: time left by move, on average and least](clocks.svg)\n\n"
        text += "Percentage of the longest time on the clock of the game.\n\n| move | games | on average | least |\n|---|---|---|---|\n"
        for move, share, least, games in left.filter((pl.col("move") - 1) % 10 == 0).iter_rows():
            text += f"| {move} | {games} | {share:.0f} | {least:.0f} |\n"
    (out / "clocks.md").write_text(text + "\nMade by `python/examples/pages.py`.\n")


if __name__ == "__main__":
    base, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    openings(base, out)
    clocks(base, out)
    print("written:", *sorted(path.name for path in out.iterdir()))
