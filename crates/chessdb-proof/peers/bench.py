#!/usr/bin/env python3
"""What conversions cost, ours and those of the reference programs, in the same run.

bench.py TARGET [ROUNDS] [GAMES]: TARGET is cargo's folder with the release builds of the program and
of the example `replay`; 5 rounds over the whole corpus by default. In each round every program runs
once, in turn, so that a slower minute of the machine hits all alike. CHESSDB_TESTDATA names the folder
with the corpus. `cargo xtask bench` builds and starts this.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
OWN = "chessdb"
# Our answer where a source was damaged; the corpus holds an illegal move.
DAMAGED_SOURCE = 1


def corpus(folder, games):
    """Unpacks the corpus, or its first games; the file and how many games it holds."""
    packed = pathlib.Path(os.environ["CHESSDB_TESTDATA"], "corpus/games-100k.pgn.zst")
    text = subprocess.run(["zstd", "-dcq", packed], check=True, stdout=subprocess.PIPE).stdout
    all_games = text.split(b"\n[Event ")
    kept = all_games[: games or None]
    file = folder / "corpus.pgn"
    file.write_bytes(b"\n[Event ".join(kept) + b"\n")
    return file, len(kept)


def runners(target, folder, pgn):
    """Task, program, command and output file of everything that can be run here."""
    program, replay = target / "release/chessdb", target / "release/examples/replay"
    find = lambda name: shutil.which(name, path=os.environ["PATH"] + ":/usr/games")
    scid, extract = find("tkscid"), find("pgn-extract")
    bases = {suffix: folder / f"base.{suffix}" for suffix in ("si4", "cbf")}
    for base in bases.values():
        made = subprocess.run([program, "convert", "-q", "--force", pgn, base])
        assert made.returncode <= DAMAGED_SOURCE
    tasks = [("PGN to si4", pgn, "own.si4"), ("si4 to PGN", bases["si4"], "own-si4.pgn"),
             ("cbf to PGN", bases["cbf"], "own-cbf.pgn"), ("PGN to PGN", pgn, "own.pgn")]
    for task, source, out in tasks:
        yield task, OWN, [program, "convert", "-q", source, folder / out], folder / out
        if task == "PGN to si4" and scid:
            script = HERE / "scid_import.tcl"
            yield task, "Scid", [scid, script, pgn, folder / "scid"], folder / "scid.si4"
        elif task == "PGN to PGN" and extract:
            out = folder / "extract.pgn"
            yield task, "pgn-extract", [extract, "-s", "-o", out, pgn], out
        elif task.endswith("to PGN") and scid and task != "PGN to PGN":
            # No other program reads ChessBase's old bases, so Scid has its own to work from.
            name, out = "Scid" if task[0] == "s" else "Scid, of si4", folder / "scid.pgn"
            command = [scid, HERE / "scid_export.tcl", bases["si4"], out, "menu", "noscan"]
            yield task, name, command, out
    for reader in (OWN, "pgn-reader"):
        yield "replay PGN", reader, [replay, reader, pgn], None
    for name, path in (("tkscid", scid), ("pgn-extract", extract)):
        if not path:
            print(name, "is not installed")


def run(name, command, output):
    """Processor seconds (user and system), seconds on the clock, largest memory in MiB."""
    for suffix in ("si4", "sg4", "sn4", "pgn") if output else ():
        output.with_suffix("." + suffix).unlink(missing_ok=True)
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if not 0 <= code <= (DAMAGED_SOURCE if name == OWN else 0):
        sys.exit(f"{command}: exit {code}, {said.decode(errors='replace')}")
    if output and not output.is_file():
        sys.exit(f"{command}: {output} was not written")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def main(target, rounds=5, games=0):
    folder = pathlib.Path(target, "bench")
    folder.mkdir(exist_ok=True)
    pgn, count = corpus(folder, int(games))
    jobs = list(runners(pathlib.Path(target), folder, pgn))
    costs = [[] for _ in jobs]
    for number in range(int(rounds)):
        print(f"round {number + 1} of {rounds}")
        for (_, name, command, output), cost in zip(jobs, costs):
            cost.append(run(name, command, output))
    print(f"\n{count} games, {rounds} rounds; median [least – most]; CPU = user + system")
    print("CPU x, wall x: how many times our own cost\n")
    row = "{:<11} {:<12} {:>24} {:>24} {:>9} {:>10} {:>8} {:>8}"
    print(row.format("task", "program", "CPU s", "wall s", "MiB", "games/s", "CPU x", "wall x"))
    spread = lambda v: f"{statistics.median(v):.2f} [{min(v):.2f} – {max(v):.2f}]"
    own = {}
    for (task, name, _, _), cost in zip(jobs, costs):
        cpu, wall, memory = zip(*cost)
        medians = statistics.median(cpu), statistics.median(wall)
        first = own.setdefault(task, medians)
        ratios = [f"{a / b:.2f}" if b else "-" for a, b in zip(medians, first)]
        rate = f"{count / medians[1]:.0f}"
        print(row.format(task, name, spread(cpu), spread(wall), f"{max(memory):.1f}", rate, *ratios))


if __name__ == "__main__":
    main(*sys.argv[1:])
