#!/usr/bin/env python3
"""What large bases cost: the corpus many times over, in every format.

large.py TARGET [TIMES] [FORMAT]...: TARGET is cargo's folder with the release build of the program; the
corpus 50 times over by default, which is 5 million games. A stream of so many games goes through a pipe
into PGN and into each format, then the base is opened, ten games in its middle are listed, and it goes to
PGN. One base after another, since together they are some 15 GB. CHESSDB_TESTDATA names the folder with the
corpus; `cargo xtask bench large` builds and starts this.

Memory is the peak of what is the program's own (anonymous pages, looked at every few milliseconds); mapped
files are not in it, and are given beside it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

FORMATS = ["si4", "si5", "si3", "cbf", "cbh", "cdp", "dci", "sqlite", "pgn"]
# Our answers where a source was damaged, and for a conversion that loses something.
ANSWERS = (0, 1)


class Stream:
    """The corpus, over and over, into the standard input of a program."""

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
    """Looks at a program's memory until it has ended: its own, and with mapped files."""
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
    """Runs a program and prints a line about it."""
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
    for suffix in formats or FORMATS:
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
