#!/usr/bin/env python3
"""Measure the cost of large databases: the corpus repeated many times, in every format.

large.py TARGET [TIMES] [FORMAT]...: TARGET is cargo's target folder with the release build of the program.
By default the corpus is repeated 50 times, which makes 5 million games. The games are piped into PGN and
into each format. Then ten games in the middle of the database are listed, its headers are searched, and it
is converted to PGN. Only one database exists at a time, since all together have about 15 GB.
CHESSDB_TESTDATA names the folder with the corpus; `cargo xtask bench large` builds and starts this.

Memory is the peak of the program's anonymous pages, sampled every few milliseconds. Mapped files are not
included and are printed separately.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

# A book merges all games, scripts of SQL hold them in text, and tables have their own measurement.
LEFT_OUT = {"fbk", "sql", "parquet"}
# Exit codes of our program; 1: the source was damaged, or the conversion lost something.
ANSWERS = (0, 1)


class Stream:
    """Writes the corpus repeatedly to the standard input of a program."""

    def __init__(self, times):
        packed = pathlib.Path(os.environ["CHESSDB_TESTDATA"], "corpus", "games-100k.pgn.zst")
        self.text = subprocess.run(["zstd", "-dcq", packed], check=True, stdout=subprocess.PIPE).stdout
        self.times = times

    def size(self):
        return len(self.text) * self.times

    def into(self, pipe):
        try:
            for _ in range(self.times):
                pipe.write(self.text)
            pipe.close()
        except BrokenPipeError:
            pass


def peak(process, found):
    """Samples the memory of a process until it ends: anonymous pages and mapped files, in MiB."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    key, _, value = line.partition(":")
                    if key in ("RssAnon", "RssFile"):
                        found[key] = max(found.get(key, 0), int(value.split()[0]) / 1024)
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.005)


def measured(name, command, stream=None):
    """Runs a program and prints a line with its cost."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE if stream else None,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    found = {}
    threads = [threading.Thread(target=peak, args=(process, found))]
    if stream:
        threads.append(threading.Thread(target=stream.into, args=(process.stdin,)))
    for thread in threads:
        thread.start()
    said = process.stderr.read().decode(errors="replace")
    code = process.wait()
    wall = time.monotonic() - start
    for thread in threads:
        thread.join()
    if code not in ANSWERS:
        sys.exit(f"{command}: exit {code}, {said}")
    own, file = found.get("RssAnon", 0), found.get("RssFile", 0)
    print(f"{name:<34} {wall:8.2f} {own:12.1f} {file:12.1f}", flush=True)


def suffixes(program):
    """Yields the suffix of each format that the program reads and writes."""
    listed = subprocess.run([program, "formats", "--json"], check=True, stdout=subprocess.PIPE)
    for form in json.loads(listed.stdout)["formats"]:
        if form["reads"] and form["writes"] and form["files"][0] not in LEFT_OUT:
            yield form["files"][0]


def main(target, times=50, *formats):
    program = pathlib.Path(target, "release/chessdb")
    folder = pathlib.Path(target, "large")
    shutil.rmtree(folder, ignore_errors=True)
    stream = Stream(int(times))
    games = int(times) * 100_000
    middle = games * 4 // 5
    print(f"{games} games, {stream.size() >> 20} MiB of PGN; wall seconds, MiB of own memory, MiB of mapped files\n")
    print(f"{'':<34} {'s':>8} {'own':>12} {'mapped':>12}")
    measured("stream to PGN", [program, "convert", "-q", "--from", "pgn", "-t", "pgn", "-", "-"], stream)
    for suffix in formats or suffixes(program):
        folder.mkdir()
        base = folder / f"base.{suffix}"
        measured(f"stream to {suffix}", [program, "convert", "-q", "--from", "pgn", "-", base], stream)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{'  on disk':<34} {size >> 20} MiB")
        measured("  ten games in the middle", [program, "ls", "-n", f"{middle}-{middle + 9}", base])
        measured("  heads that fit a query", [program, "ls", base, "player:Kasparov", "year:1985"])
        measured("  to PGN", [program, "convert", "-q", "-t", "pgn", base, "-"])
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
