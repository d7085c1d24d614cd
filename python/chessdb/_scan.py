"""Several databases as one table, and their division into parts for several processes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Union

from chessdb import _chessdb
from chessdb._chessdb import Database, Report, Stream, survey

StrPath = Union[str, "os.PathLike[str]"]

#: Larger databases are not divided by games, because every part would read the whole database.
_WHOLE = 500 << 20
#: The beginning of a game in PGN.
_EVENT = b'\n[Event "'


@dataclass(frozen=True)
class Split:
    """A part of a database, read by one task. It is small and picklable."""

    #: The absolute path of the database.
    path: str
    #: The format, if given.
    format: str | None = None
    #: The first and the last game, from 1; None for all.
    first: int | None = None
    last: int | None = None
    #: The byte range of a PGN file, or of whole frames of a packed one; None for all. Games are
    #: then counted from the first of the range.
    start: int | None = None
    stop: int | None = None

    @property
    def name(self) -> str:
        """A name for files made from this part, which is equal in every run."""
        stem = Path(self.path).name
        if self.first is not None:
            return f"{stem}-games-{self.first:010}"
        if self.start is not None:
            return f"{stem}-bytes-{self.start:014}"
        return stem


def scan(
    paths: StrPath | Split | Iterable[StrPath | Split],
    *,
    columns: str | Sequence[str] = "moves",
    where: str | None = None,
    batch_size: int = 16_384,
    jobs: int | None = None,
    on_error: str = "keep",
    encoding: str = "auto",
) -> Stream:
    """Returns the games of several databases as one table.

    `paths` are paths, folders, patterns like "games/**/*.si4", and splits. Databases are opened one
    after another, when their games are needed.
    """
    parts = []
    for path in _each(paths):
        if isinstance(path, Split):
            parts.append(_part(path))
        else:
            parts.extend((str(base), None, None, None) for base in _bases(path))
    return _chessdb.stream(
        parts,
        columns=columns,
        where=where,
        batch_size=batch_size,
        jobs=jobs,
        on_error=on_error,
        encoding=encoding,
    )


def _part(split: Split) -> tuple[str, str | None, str | None, tuple[int, int] | None]:
    games = None if split.first is None else f"{split.first}-{split.last or ''}"
    if split.start is None:
        return split.path, split.format, games, None
    stop = os.path.getsize(split.path) if split.stop is None else split.stop
    return split.path, split.format or "pgn", None, (split.start, stop)


def _each(paths: StrPath | Split | Iterable[StrPath | Split]) -> Iterator[StrPath | Split]:
    if isinstance(paths, (str, os.PathLike, Split)):
        yield paths
    else:
        yield from paths


def _bases(path: StrPath) -> Iterator[Path]:
    """Yields the databases at a path, in a folder or matching a pattern, each once."""
    text = os.fspath(path)
    if os.path.isdir(text):
        yield from survey(text)
    elif glob.has_magic(text) and not os.path.exists(text):
        found = [name for name in sorted(glob.glob(text, recursive=True)) if not os.path.isdir(name)]
        yield from _chessdb.group(found)
    else:
        yield Path(text)


def splits(
    paths: StrPath | Iterable[StrPath],
    *,
    games: int = 100_000,
    bytes: int = 256 << 20,
) -> list[Split]:
    """Divides databases into parts for several processes (Spark, Dask, Ray, multiprocessing).

    Plain PGN is divided by bytes, at the start of a game near each multiple of `bytes`. PGN packed
    with Zstandard is divided at the first frame after each multiple, so a file with one frame is
    one part. Other databases up to 500 MB are divided by `games`. Larger and packed ones are one
    part, because every part opens the whole database.
    """
    if games < 1 or bytes < 1:
        raise ValueError("a part has one game and one byte at least")
    parts: list[Split] = []
    for path in _each(paths):
        assert not isinstance(path, Split)
        for base in _bases(path):
            whole = Split(os.path.abspath(base))
            if not os.path.exists(base):
                parts.append(whole)
                continue
            size = os.path.getsize(base)
            name = base.name.lower()
            if name.endswith((".pgn", ".pgn.zst")):
                cuts = _cuts(base, size, bytes) if name.endswith(".pgn") else _chessdb.frames(base, bytes)
                if cuts:
                    ends = zip([0, *cuts], [*cuts, size])
                    parts.extend(Split(whole.path, start=start, stop=stop) for start, stop in ends)
                else:
                    parts.append(whole)
                continue
            if _is_packed(base):
                parts.append(whole)
                continue
            with _chessdb.open(base) as db:
                size = sum(size for _, size in db.info.files)
                count = 0 if db.is_stream else len(db)
            if count <= games or size > _WHOLE:
                parts.append(whole)
                continue
            for first in range(1, count + 1, games):
                last = min(first + games - 1, count)
                parts.append(Split(whole.path, first=first, last=last))
    return parts


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in {".zst", ".gz", ".bz2", ".xz", ".zip", ".tar", ".tgz", ".cbv", ".cbz"}


def _cuts(path: Path, size: int, step: int) -> list[int]:
    """Returns the starts of games near the multiples of `step`.

    A game starts with the tag Event at the beginning of a line, after a blank line or a result. A
    comment with such text would be split; programs do not write such comments.
    """
    cuts: list[int] = []
    with path.open("rb") as file:
        at = step
        while at < size:
            found = _game_after(file, at, size)
            if found is None:
                break
            if not cuts or found > cuts[-1]:
                cuts.append(found)
            at = max(at + step, found + 1)
    return cuts


def _game_after(file: BinaryIO, at: int, size: int) -> int | None:
    window = 1 << 16
    while at < size:
        file.seek(at)
        block = file.read(window + len(_EVENT))
        place = block.find(_EVENT)
        while place >= 0:
            before = block[:place].rstrip(b"\r\n \t")
            has_blank = block[:place].rstrip(b"\r \t").endswith(b"\n")
            if has_blank or before.endswith((b"1-0", b"0-1", b"1/2-1/2", b"*")):
                return at + place + 1
            place = block.find(_EVENT, place + 1)
        at += window
    return None


def convert_split(
    split: Split,
    target: StrPath,
    *,
    columns: str | None = None,
    positions: bool = False,
    zstd: int | None = None,
    encoding: str = "auto",
) -> Report:
    """Converts a part of a database on the calling thread."""
    path, format, games, part = _part(split)
    source: StrPath | Database = path
    if part is not None:
        source = _chessdb.open_part(path, part[0], part[1], format=format, encoding=encoding)
    return _chessdb.convert(
        source,
        target,
        source_format=format,
        encoding=encoding,
        games=games,
        columns=columns,
        positions=positions,
        zstd=zstd,
        jobs=1,
        replace=True,
    )
