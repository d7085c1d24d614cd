#!/usr/bin/env python3
"""Count the instructions of conversions and compare them with the recorded counts.

instructions.py PROGRAM [--write]: PROGRAM is a release build. valgrind counts. The games are the
repository's fixtures, repeated, so the counts are the same on any machine with the same compiler. A job
fails if it takes over 3 % more instructions than recorded in instructions.txt; `--write` updates that file.
`cargo xtask instructions` builds and starts this.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
KNOWN = HERE / "instructions.txt"
FIXTURES = HERE.parents[2] / "fixtures/pgn/clean"
SOURCE_BYTES = 4 << 20
MOST = 1.03
# A book merges all games; si3 is written like si4, and sql like sqlite.
LEFT_OUT = {"fbk", "si3", "sql", "parquet"}
ANSWERS = (0, 1)


def compiler():
    said = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True)
    return said.stdout.strip()


def count(command):
    """Returns the number of instructions that a command executes."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run(valgrind + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode not in ANSWERS or not found:
        sys.exit(f"{command}: exit {run.returncode}, {run.stderr[-500:]}")
    return int(found[1])


def suffixes(program):
    """Yields the suffix of each format that the program reads and writes."""
    listed = subprocess.run([program, "formats", "--json"], check=True, stdout=subprocess.PIPE)
    for form in json.loads(listed.stdout)["formats"]:
        if form["reads"] and form["writes"] and form["files"][0] not in LEFT_OUT:
            yield form["files"][0]


def jobs(program, folder):
    """Yields the name and the command of each job."""
    games = b"\n\n".join(file.read_bytes() for file in sorted(FIXTURES.glob("*.pgn"))) + b"\n\n"
    source = folder / "source.pgn"
    source.write_bytes(games * (SOURCE_BYTES // len(games) + 1))
    convert = [program, "convert", "-q", "-j", "1", "--force"]
    for suffix in suffixes(program):
        base = folder / f"base.{suffix}"
        yield f"PGN to {suffix}", [*convert, source, base]
        if suffix != "pgn":
            yield f"{suffix} to PGN", [*convert, base, folder / "again.pgn"]
            yield f"check of {suffix}", [program, "check", "-q", "-j", "1", base]
            yield f"list of {suffix}", [program, "ls", base, "date:1900..1950"]


def read_known():
    """Returns the compiler of the recorded counts, and the counts by job."""
    if not KNOWN.exists():
        return None, {}
    by, *lines = KNOWN.read_text().splitlines()
    pairs = (line.rsplit(None, 1) for line in lines)
    return by.removeprefix("# "), {name: int(number) for name, number in pairs}


def main(program, *words):
    by, known = read_known()
    counted, worse = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, command in jobs(program, pathlib.Path(folder)):
            counted[name] = count([str(word) for word in command])
            ratio = counted[name] / known[name] if name in known else float("nan")
            worse += ratio > MOST
            print(f"{name:<20} {counted[name]:>14,} {ratio:>7.3f}{'  MORE' * (ratio > MOST)}", flush=True)
    if "--write" in words:
        lines = [f"# {compiler()}", *(f"{name} {number}" for name, number in counted.items())]
        KNOWN.write_text("\n".join(lines) + "\n")
    elif by != compiler():
        print(f"counted with {by}, this is {compiler()}: not comparable")
    elif worse or set(known) != set(counted):
        sys.exit(f"{worse} jobs take over 3 % more than {KNOWN.name} says, or jobs are new or gone; see --write")


if __name__ == "__main__":
    main(*sys.argv[1:])
