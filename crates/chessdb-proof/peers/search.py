#!/usr/bin/env python3
"""Measure the cost of searches against Scid, in one run.

search.py TARGET [ROUNDS] [TIMES]: TARGET is cargo's target folder with the release build of the program.
It runs 5 rounds over the corpus, and over the corpus repeated TIMES (10) times. In each round every
program answers every question once, in turn. Scid's time is that of the search alone on an open database,
as measured by Scid. Our times are: the whole process, including its start and the opening of the
database, with one thread and with two; and the search alone on an open database, by the library's example
`ask` with all processors.
CHESSDB_TESTDATA names the folder with the corpus. `cargo xtask bench search` builds and starts this.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from bench import corpus

HERE = pathlib.Path(__file__).parent
NOTHING = "-flip 0 -range {1 999} -length 1"
MEN = lambda letters, side: " ".join(
    f"-{side}{kind} {{{letters.count(kind.upper())} {letters.count(kind.upper())}}}" for kind in "qrbnp")
BALANCE = lambda white, black: (
    f"material {MEN(white, 'w')} {MEN(black, 'b')} "
    f"-wm {{{sum(map(white.count, 'BN'))} {sum(map(white.count, 'BN'))}}} "
    f"-bm {{{sum(map(black.count, 'BN'))} {sum(map(black.count, 'BN'))}}} -flip 1 -range {{1 999}} -length 1")
ANY = " ".join(f"-{side}{kind} {{0 {most}}}" for kind, most in zip("qrbnmp", (9, 9, 9, 9, 9, 8)) for side in "wb")
MOVE_10 = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9"
FENS = {
    "exact, 1.Nf3": "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
    "exact, Ruy Lopez": "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "exact, Najdorf": "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "exact, King's Indian": "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "exact, move 10": MOVE_10,
}
# The name, the question for Scid, and our query.
QUESTIONS = [(name, f"Exact {fen}", f'fen:"{fen}"') for name, fen in FENS.items()] + [
    ("material, KRPKR", BALANCE("RP", "R"), "material:KRPKR"),
    ("material, KQPPPKQPPP", BALANCE("QPPP", "QPPP"), "material:KQP3KQP3"),
    ("pattern, knight on d4", f"material {ANY} {NOTHING} -pattern {{1 wn d 4}}", "sub:Nd4"),
    ("pattern, f5 and g8", f"material {ANY} {NOTHING} -pattern {{1 wn f 5}} -pattern {{1 bk g 8}}",
     'sub:"Nf5 kg8"'),
    ("head, player", "header -white Carlsen", "white:carlsen"),
    ("head, ratings", "header -welo {2700 4000} -belo {2700 4000}", "whiteelo:2700.. blackelo:2700.."),
    ("head, dates", "header -date {2000.01.01 2005.12.31}", "date:2000..2005"),
]


def run(command):
    """Runs a command; returns the seconds it took and the last line of its output."""
    start = time.monotonic()
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    took = time.monotonic() - start
    if ran.returncode not in (0, 1):
        sys.exit(f"{command}: exit {ran.returncode}, {ran.stderr}")
    return took, ran.stdout.strip().splitlines()[-1] if ran.stdout.strip() else ""


def ours(program, base, query, threads):
    return run([program, "find", base, query, "--count", "-j", threads])


def scid(tool, base, folder):
    """Returns the seconds and the result of each question."""
    questions = folder / "questions"
    questions.write_text("".join(f"{theirs}\n" for _, theirs, _ in QUESTIONS))
    ran = subprocess.run([tool, HERE / "scid_search.tcl", base, questions], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"Scid: {ran.stdout}{ran.stderr}")
    said = [line.split("\t")[1] for line in ran.stdout.splitlines()]
    return [(int(took) / 1e6, found) for found, took in zip(said[::2], said[1::2])]


def line(name, seconds, of=None):
    middle = statistics.median(seconds)
    ratio = f"{middle / statistics.median(of):6.2f}" if of else ""
    print(f"  {name:<44} {middle:7.3f} [{min(seconds):.3f} – {max(seconds):.3f}] {ratio}", flush=True)


def open_base(ask, base):
    """Returns the seconds and the number of matching games of each question."""
    ran = subprocess.run([ask, base, *(query for _, _, query in QUESTIONS)], capture_output=True, text=True, check=True)
    said = [line.split("\t") for line in ran.stdout.splitlines()]
    return [(int(took) / 1e6, count) for count, took, _ in said]


def beside_scid(program, ask, tool, base, folder, rounds):
    print(f"\n{base.name}: seconds, median [least – most], and ours by Scid's search alone")
    theirs, mine = [], {}
    for _ in range(rounds):
        answers = scid(tool, base, folder) if tool else [(0, None)] * len(QUESTIONS)
        theirs.append(answers)
        alone = open_base(ask, base)
        for (name, _, query), (_, found), answer in zip(QUESTIONS, answers, alone):
            kinds = [(f"-j{threads}", ours(program, base, query, threads)) for threads in (1, 2)]
            for kind, (took, count) in [*kinds, ("on an open base", answer)]:
                mine.setdefault((name, kind), []).append(took)
                if found not in (None, count):
                    sys.exit(f"{name}, {kind}: {count}, Scid {found}")
    empty = [run([program, "--version"])[0] for _ in range(rounds)]
    line("our program's start alone", empty)
    for n, (name, _, _) in enumerate(QUESTIONS):
        alone = [answers[n][0] for answers in theirs]
        if tool:
            line(f"{name}: Scid", alone)
        for kind in ("-j1", "-j2", "on an open base"):
            line(f"{name}: ours {kind}", mine[name, kind], alone if tool else None)


def with_index(program, bases, rounds):
    print("\nwith an index: seconds, and by si4")
    for base in bases[1:]:
        took, said = run([program, "index", base])
        print(f"  {said}, {took:.1f} s")
    for name, _, query in QUESTIONS:
        if name.startswith("head"):
            continue
        seconds = {base: [] for base in bases}
        counts = set()
        for _ in range(rounds):
            for base in bases:
                took, count = ours(program, base, query, 2)
                seconds[base].append(took)
                counts.add(count)
        if len(counts) != 1:
            sys.exit(f"{name}: {counts}")
        for base in bases:
            line(f"{name}: {base.suffix}", seconds[base], seconds[bases[0]])


def main(target, rounds=5, times=10):
    rounds, times = int(rounds), int(times)
    folder = pathlib.Path(target, "bench")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = pathlib.Path(target, "release/chessdb")
    ask = pathlib.Path(target, "release/examples/ask")
    tool = shutil.which("tkscid", path=os.environ["PATH"] + ":/usr/games")
    pgn, games = corpus(folder, 0)
    many = folder / "many.pgn"
    with open(many, "wb") as out:
        for _ in range(times):
            with open(pgn, "rb") as source:
                shutil.copyfileobj(source, out)
            out.write(b"\n")

    def made(source, suffix):
        base = source.with_suffix(suffix)
        subprocess.run([program, "convert", "-q", "--force", source, base], check=False)
        return base

    small, large = made(pgn, ".si4"), made(many, ".si4")
    print(f"{games} games, and {times} times these; {rounds} rounds")
    beside_scid(program, ask, tool, small, folder, rounds)
    beside_scid(program, ask, tool, large, folder, rounds)
    print("\ntree of the start position, and of the Najdorf")
    for words in ([], ["--fen", FENS["exact, Najdorf"]]):
        for threads in (1, 2):
            seconds = [run([program, "tree", large, *words, "-j", threads])[0] for _ in range(rounds)]
            line(f"tree -j{threads}", seconds)
    with_index(program, [large] + [made(many, suffix) for suffix in (".cbf", ".cdp")] + [many], rounds)
    print("\ndedupe --dry-run: seconds")
    for source in (small, large):
        for by in ("moves", "prefix", "similar"):
            seconds = [run([program, "dedupe", "-q", "--dry-run", "--by", by, source, folder / "none.si4"])[0]]
            line(f"{source.name} {by}", seconds)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
