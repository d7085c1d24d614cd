#!/usr/bin/env python3
"""Measure the cost of the program against the reference programs and an older build, in one run.

bench.py TARGET [ROUNDS] [GAMES] [WORD]...: TARGET is cargo's target folder with the release builds of
the program and of the example `replay`. The default is 7 rounds over the whole corpus; words select the
jobs with names that contain one of them. Each round runs every program once, in turn, so that load on
the machine affects all of them alike. Our program runs with one thread and with two, which must write
the same bytes. CHESSDB_TESTDATA names the folder with the corpus. CHESSDB_BEFORE, if set, names an older
build of the program, which takes part in the jobs with annotated games. `cargo xtask bench` builds and
starts this.
"""

import hashlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
OURS = "chessdb"
# Exit codes of our program; 1: the source was damaged, or the conversion lost something.
ANSWERS = (0, 1)
# Formats other than SCID's: the suffix of the main file, and the name of the format.
FORMATS = {"cbf": "CBF", "cdp": "Chess Assistant", "dci": "DC*", "sqlite": "jose", "cbh": "CBH"}
ANNOTATED = 50 << 20


@dataclass
class Run:
    """A program running a job. `against` is the job and the program to compare its cost with."""

    job: str
    program: str
    command: list
    output: pathlib.Path = None
    against: tuple = None
    cost: list = field(default_factory=list)


def data(*names):
    return pathlib.Path(os.environ["CHESSDB_TESTDATA"], *names)


def corpus(folder, games):
    """Unpacks the corpus, or its first games; returns the file and its number of games."""
    packed, file = data("corpus", "games-100k.pgn.zst"), folder / "corpus.pgn"
    subprocess.run(["zstd", "-dqf", packed, "-o", file], check=True)
    count = 0
    # Line by line: the peak memory of this process counts for the programs it starts.
    with open(file, "r+b") as pgn:
        while line := pgn.readline():
            if line.startswith(b"[Event "):
                if games and count == games:
                    pgn.truncate(pgn.tell() - len(line))
                    break
                count += 1
    return file, count


def annotated(folder):
    """Writes a file of annotated, foreign and damaged games, repeated up to 50 MB."""
    files = sorted(data("zoo").rglob("*.pgn")) + sorted(data("fixtures-made").rglob("*.pgn"))
    file = folder / "annotated.pgn"
    with open(file, "wb") as out:
        while out.tell() < ANNOTATED:
            for pgn in files:
                out.write(pgn.read_bytes() + b"\n\n")
    return file


def jobs(target, folder, pgn):
    """Yields the runs possible on this machine; a run comes after the one it is compared with."""
    program, replay = target / "release/chessdb", target / "release/examples/replay"
    find = lambda name: shutil.which(name, path=os.environ["PATH"] + ":/usr/games")
    scid, extract, before = find("tkscid"), find("pgn-extract"), os.environ.get("CHESSDB_BEFORE")

    def made(source, name):
        base = folder / name
        answer = subprocess.run([program, "convert", "-q", "--force", source, base])
        assert answer.returncode in ANSWERS, name
        return base

    def ours(job, source, suffix, against):
        for threads in (1, 2):
            out = folder / f"ours{threads}.{suffix}"
            command = [program, "convert", "-q", "-j", str(threads), source, out]
            yield Run(job, f"{OURS} -j{threads}", command, out, against)

    si4 = made(pgn, "base.si4")
    if scid:
        out = folder / "scid.si4"
        yield Run("PGN to si4", "Scid", [scid, HERE / "scid_import.tcl", pgn, out.with_suffix("")], out)
    yield from ours("PGN to si4", pgn, "si4", ("PGN to si4", "Scid"))
    if scid:
        out = folder / "scid.pgn"
        command = [scid, HERE / "scid_export.tcl", si4, out, "menu", "noscan"]
        yield Run("si4 to PGN", "Scid", command, out)
    yield from ours("si4 to PGN", si4, "pgn", ("si4 to PGN", "Scid"))
    if extract:
        out = folder / "extract.pgn"
        yield Run("PGN to PGN", "pgn-extract", [extract, "-s", "-o", out, pgn], out)
    yield from ours("PGN to PGN", pgn, "pgn", ("PGN to PGN", "pgn-extract"))

    text = annotated(folder)
    base = made(text, "annotated.si4")
    for job, source, suffix in (
        ("annotated: PGN to PGN", text, "pgn"),
        ("annotated: PGN to si4", text, "si4"),
        ("annotated: si4 to PGN", base, "pgn"),
    ):
        if before:
            out = folder / f"before.{suffix}"
            command = [before, "convert", "-q", "-j", "1", source, out]
            yield Run(job, "before", command, out)
        yield from ours(job, source, suffix, (job, "before"))

    reading = "PGN read and checked"
    yield Run(reading, "pgn-reader", [replay, "pgn-reader", pgn])
    yield Run(reading, OURS, [replay, "chessdb", pgn], None, (reading, "pgn-reader"))
    for threads in (1, 2):
        command = [program, "check", "-q", "-j", str(threads), si4]
        yield Run("check of si4", f"{OURS} -j{threads}", command, None, ("si4 to PGN", f"{OURS} -j1"))
    listing = "list of si4, filtered"
    if scid:
        yield Run(listing, "Scid", [scid, HERE / "scid_header.tcl", si4, "-date", "2000.01.01 2005.12.31"])
    command = [program, "ls", si4, "date:2000..2005"]
    yield Run(listing, OURS, command, None, (listing, "Scid"))

    for suffix, name in FORMATS.items():
        base = made(pgn, f"base.{suffix}")
        yield from ours(f"{name} to PGN", base, "pgn", ("si4 to PGN", f"{OURS} -j1"))
        yield from ours(f"PGN to {name}", pgn, suffix, ("PGN to si4", f"{OURS} -j1"))
    for name, path in (("tkscid", scid), ("pgn-extract", extract)):
        if not path:
            print(name, "is not installed")


def files_of(output):
    """Returns all files of a written database, given one of them."""
    return sorted(output.parent.glob(output.stem + ".*"))


def measure(run):
    """Runs a job; records CPU seconds (user and system), wall-clock seconds and peak memory in MiB."""
    for file in files_of(run.output) if run.output else ():
        file.unlink()
    start = time.monotonic()
    process = subprocess.Popen(run.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in ANSWERS:
        sys.exit(f"{run.command}: exit {code}, {said.decode(errors='replace')}")
    if run.output and not files_of(run.output):
        sys.exit(f"{run.command}: {run.output} was not written")
    run.cost.append((usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024))


def digest(run):
    """Returns the hashes of all files written by a run."""
    digests = []
    for file in files_of(run.output):
        with open(file, "rb") as content:
            digests.append(hashlib.file_digest(content, "blake2b").hexdigest())
    return digests


def medians(run):
    cpu, wall, _ = zip(*run.cost)
    return statistics.median(cpu), statistics.median(wall)


def table(runs):
    """Prints one line per run."""
    known = {(run.job, run.program): medians(run) for run in runs}
    row = "{:<23} {:<12} {:>22} {:>22} {:>8} {:>7} {:>7}  {}"
    print(row.format("job", "program", "CPU s", "wall s", "MiB", "CPU x", "wall x", "of"))
    spread = lambda v: f"{statistics.median(v):.2f} [{min(v):.2f} – {max(v):.2f}]"
    for run in runs:
        cpu, wall, memory = zip(*run.cost)
        ratios, of = ("", ""), ""
        if run.against in known:
            pairs = zip(medians(run), known[run.against])
            ratios = [f"{a / b:.2f}" if b else "-" for a, b in pairs]
            of = run.against[1] if run.against[0] == run.job else ", ".join(run.against)
        cells = spread(cpu), spread(wall), f"{max(memory):.1f}", *ratios, of
        print(row.format(run.job, run.program, *cells))


def main(target, rounds=7, games=0, *words):
    folder = pathlib.Path(target, "bench")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pgn, count = corpus(folder, int(games))
    runs = list(jobs(pathlib.Path(target), folder, pgn))
    if words:
        runs = [run for run in runs if any(word in run.job for word in words)]
    for number in range(int(rounds)):
        print(f"round {number + 1} of {rounds}", flush=True)
        written = {}
        for run in runs:
            measure(run)
            if run.output and run.program.startswith(OURS) and number == 0:
                first = written.setdefault(run.job, digest(run))
                if digest(run) != first:
                    sys.exit(f"{run.job}: other bytes with another number of threads")
    print(f"\n{count} games, {rounds} rounds; median [least – most]; CPU = user + system\n")
    table(runs)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
