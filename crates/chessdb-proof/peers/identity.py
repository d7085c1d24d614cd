#!/usr/bin/env python3
"""Measure how well games and persons are distinguished, on a labelled set, next to Scid and pgn-extract.

identity.py TARGET [--seed N] [--pairs N] [--games FILE.pgn] [--names SPELLINGFILE] [--levels WORD,...]
            [--program FILE] [--keep FOLDER] [--json FILE] [--skip games|names|peers]...

TARGET is cargo's target folder with the release build of the program. The set consists of pairs: copies of
one game, different games that look alike, and unrelated games, with shares as in life; and a hard part, the
same number of pairs of each hard kind, which is reported separately. All games of one side are in base.pgn,
the others in new.pgn; no tag tells which belong together. Every program gets both files as one input and
removes duplicates.

* recall: of the copies, the share of which exactly one game is removed. Our program also says of which game
  it is a copy; another than the right one does not count.
* precision: of the removed games, the share that are copies of a game that stays.

Source games come from --games, or the corpus of CHESSDB_TESTDATA, or are generated (--games none).
Names: pairs of spellings of one person and of different persons, for `names --suggest` (identity_names.py).
Exit code 1: precision of the default level is below 1, its recall below 0.90, or no level has a recall of
0.99 with a precision of 0.9999 (precision of all pairs, recall of those with shares as in life); a dry run
and a real run give different counts; two persons are joined without a mark, or fewer than 95 of 100 aliases
are proposed. `cargo xtask bench identity` builds and starts this; it needs python-chess.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import identity_copies
import identity_games
import identity_names
import identity_others
from bench import corpus

HERE = pathlib.Path(__file__).parent
# Shares in life: copies, different games that look alike; the rest is unrelated.
COPIES, OTHERS = 0.60, 0.15
HARD_PAIRS = 100
TARGET = re.compile(r"[a-h][1-8](?![a-hx1-8])|O-O(?:-O)?")
SCID = {
    "Scid": [],
    "Scid strict": "event Yes result Yes day Yes players Yes colors Yes".split(),
    "Scid loose": "site No round No month No skipshort No".split(),
}
EXTRACT = {"pgn-extract -D": ["-D"], "-D --fuzzydepth 40": ["-D", "--fuzzydepth", "40"]}


@dataclass
class Unit:
    """Games that belong together: two copies of one game, or different games that look alike."""

    part: str
    kind: str
    is_copy: bool
    games: list
    numbers: list = None


def build(pool, rng, pairs):
    """Returns the units of the set."""
    units = []

    def add(part, kind, count):
        for _ in range(count):
            units.append(copy_of(pool, rng, part, kind) if kind in copies else other(pool, rng, part, kind))

    copies = {function for function, _, _ in identity_copies.KINDS}
    weights = {function: weight for function, weight, _ in identity_copies.KINDS}
    for kind, count in shares(weights, round(pairs * COPIES)).items():
        add("life", kind, count)
    for kind, count in shares(dict(identity_others.KINDS), round(pairs * OTHERS)).items():
        add("life", kind, count)
    hard = [function for function, _, is_hard in identity_copies.KINDS if is_hard]
    for kind in hard + [function for function, _ in identity_others.KINDS]:
        add("hard", kind, HARD_PAIRS)
    for _ in range(pairs - sum(unit.part == "life" for unit in units)):
        units.append(Unit("life", "unrelated", False, [pool.take(), pool.take()]))
    rng.shuffle(units)
    return units


def shares(weights, total):
    whole = sum(weights.values())
    return {kind: max(1, round(total * weight / whole)) for kind, weight in weights.items()}


def copy_of(pool, rng, part, kind):
    while True:
        # Shorter games have too little evidence for a sure label.
        source = pool.take(least=20)
        a, b = source.copy(), source.copy()
        if kind(a, b, rng) is not False:
            return Unit(part, kind.__name__, True, [a, b])


def other(pool, rng, part, kind):
    while True:
        source = pool.take(least=24)
        a, b = source.copy(), source.copy()
        more = kind(a, b, rng, pool)
        if more is not False:
            return Unit(part, kind.__name__, False, [a, b, *(more if isinstance(more, list) else [])])


def write(units, rng, folder):
    """Writes base.pgn, new.pgn, both as all.pgn, and the labels; returns the unit of each number in all.pgn."""
    files = ([], [])
    for unit in units:
        order = list(unit.games)
        rng.shuffle(order)
        unit.numbers = []
        for place, game in enumerate(order):
            files[place > 0].append((unit, game))
    for file in files:
        rng.shuffle(file)
    owners, number = {}, 0
    with open(folder / "all.pgn", "w") as both:
        for name, file in zip(("base.pgn", "new.pgn"), files):
            with open(folder / name, "w") as out:
                for unit, game in file:
                    number += 1
                    owners[number] = unit
                    unit.numbers.append(number)
                    for target in (out, both):
                        target.write(game.pgn())
    with open(folder / "labels.tsv", "w") as labels:
        for index, unit in enumerate(units):
            label = "one game" if unit.is_copy else "different games"
            labels.write(f"{index}\t{unit.part}\t{unit.kind}\t{label}\t{' '.join(map(str, unit.numbers))}\n")
    return owners, len(files[0])


def run(command, codes=(0, 1)):
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace")
    if ran.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran


def levels_of(program):
    """Returns the words of `--by`, and the default one, as the help shows them."""
    text = run([program, "dedupe", "--help"]).stdout
    line = re.search(r"--by <\w+>(.*?)\n\s+(?:-\w, )?--", text, re.S)[1]
    words = re.findall(r"([\w-]+)(?: \((default)\))?(?:,|\s*$|\])", line.rpartition(":")[2] + "\n")
    default = next((word for word, is_default in words if is_default), words[0][0])
    return [word for word, _ in words], default


def ours(program, level, folder, first, faults):
    """Returns the removed games, each with the game that it is a copy of."""
    gone, out = folder / "gone.tsv", folder / "once.pgn"
    sources = [folder / "base.pgn", folder / "new.pgn"]
    # OUT exists, and would be replaced: the dry run must not read it either.
    shutil.copyfile(sources[0], out)
    command = [program, "dedupe", "--force", "--by", level, *sources, out]
    dry = run([*command, "--dry-run"])
    gone.unlink(missing_ok=True)
    real = run([*command, "--map", gone])
    counts = [re.search(r"([\d,]+) duplicates?", answer.stdout + answer.stderr) for answer in (dry, real)]
    words = [count and count[0] for count in counts]
    if len(set(words)) > 1:
        faults.append(f"--by {level}: the dry run leaves out {words[0]}, the real run {words[1]}")
    removed = {}
    for line in gone.read_text().splitlines() if gone.exists() else ():
        file, number, other_file, other_number = line.split("\t")[:4]
        numbers = [int(n) + (first if name.endswith("new.pgn") else 0)
                   for name, n in ((file, number), (other_file, other_number))]
        removed[numbers[0]] = numbers[1]
    return removed


def scid(tool, settings, folder):
    """Scid reads no Chess960 games, so it gets the others."""
    for file in folder.glob("twins.*"):
        file.unlink()
    source, numbers = folder / "twins.pgn", []
    with open(source, "w") as out:
        for number, text in enumerate(texts(folder / "all.pgn"), 1):
            if '[Variant "Chess960"]' not in text:
                numbers.append(number)
                out.write(text)
    ran = run([tool, HERE / "scid_twins.tcl", source, folder / "twins", *settings], codes=(0,))
    rows = [line.split("\t") for line in ran.stdout.splitlines()]
    if ["games", str(len(numbers))] not in rows:
        sys.exit(f"Scid does not read all {len(numbers)} games: {rows[:1]}")
    return {numbers[int(number) - 1]: None for key, number in rows if key == "deleted"}


def extract(tool, options, folder, total):
    """pgn-extract numbers no games: the games of its output are recognized by all tags and moves."""
    kept = folder / "extract.pgn"
    ran = run([tool, *options, "--allownullmoves", "-o", kept, folder / "all.pgn"])
    if not re.search(rf"matched out of {total}\.", ran.stderr):
        sys.exit(f"pgn-extract does not read all {total} games: {ran.stderr[-200:]}")
    waiting = collections.defaultdict(list)
    for number, content in enumerate(contents(folder / "all.pgn"), 1):
        waiting[content].append(number)
    for content in contents(kept):
        if not waiting.get(content):
            sys.exit(f"pgn-extract wrote a game that is not in its input: {content}")
        waiting[content].pop(0)
    return {number: None for numbers in waiting.values() for number in numbers}


def texts(file):
    """Returns the text of each game."""
    return re.split(r"(?m)^(?=\[Event )", file.read_text(errors="replace"))[1:]


def contents(file):
    """Yields a value per game that depends on all known tags and all moves, however the file spells them."""
    for part in texts(file):
        tags = {(tag, value) for tag, value in identity_games.TAG.findall(part)
                # pgn-extract writes its own sum of the moves as HashCode.
                if value not in ("?", "????.??.??", "") and tag != "HashCode"}
        movetext = re.sub(r"\{[^}]*\}", " ", part.rpartition('"]')[2])
        # The targets: programs write `Nge2` and `Ne2` for the same move.
        yield frozenset(tags), " ".join(TARGET.findall(movetext))


def score(units, owners, removed):
    """Returns, per part and kind: pairs, copies that were recognized, games removed rightly and wrongly."""
    rows = collections.defaultdict(collections.Counter)
    gone = collections.defaultdict(list)
    for number, original in removed.items():
        is_right = original is None or owners[original] is owners[number]
        gone[id(owners[number])].append(is_right)
    for unit in units:
        row, answers = rows[unit.part, unit.kind], gone[id(unit)]
        right = unit.is_copy and any(answers)
        row.update(pairs=1, copies=unit.is_copy, right=right, wrong=len(answers) - right,
                   recognized=right and len(answers) == 1)
    return rows


def figures(rows, part):
    """Returns precision and recall of a part of the set."""
    total = collections.Counter()
    for (name, _), row in rows.items():
        if part in (name, "all"):
            total.update(row)
    removed = total["right"] + total["wrong"]
    return total["right"] / removed if removed else 1.0, total["recognized"] / total["copies"], total["wrong"]


def judges(program, levels, folder, first, total, with_peers, faults):
    """Yields a name and a function that returns the removed games."""
    find = lambda name: shutil.which(name) or shutil.which(name, path="/usr/games")
    for level in levels:
        yield level, lambda: ours(program, level, folder, first, faults)
    tkscid, tool = find("tkscid"), find("pgn-extract")
    for name, settings in SCID.items() if with_peers and tkscid else ():
        yield name, lambda: scid(tkscid, settings, folder)
    for name, options in EXTRACT.items() if with_peers and tool else ():
        yield name, lambda: extract(tool, options, folder, total)


def table(units, results):
    """Prints precision and recall per program, then each kind with the pairs that it gets right or wrong."""
    names = list(results)
    width = max(len(name) for name in names) + 2
    parts = ("life", "hard", "all")
    print("\n" + "".ljust(width) + "".join(f"{part + ': precision':>17}{'recall':>9}{'wrong':>7}" for part in parts))
    for name in names:
        cells = [figures(results[name], part) for part in parts]
        print(name.ljust(width) + "".join(f"{precision:17.4f}{recall:9.4f}{wrong:7}" for precision, recall, wrong in cells))
    kinds = collections.Counter((unit.part, not unit.is_copy, unit.kind) for unit in units)
    for part in ("life", "hard"):
        for is_other, title in ((False, "copies, of 100 recognized"), (True, "different games, removed in all")):
            print(f"\n{part}: {title}")
            print(f"{'kind':<28}{'pairs':>6}  " + "  ".join(f"{name:>10}" for name in names))
            for (_, other_kind, kind), count in sorted(kinds.items()):
                if (_, other_kind) != (part, is_other):
                    continue
                rows = [results[name][part, kind] for name in names]
                cells = [f"{row['wrong']:d}" if is_other else f"{100 * row['recognized'] / count:.1f}" for row in rows]
                print(f"{kind:<28}{count:>6}  " + "  ".join(
                    f"{cell:>{max(10, len(name))}}" for cell, name in zip(cells, names)))


def sources(args, rng, folder):
    """Returns the source games: real ones, or generated ones."""
    needed = 4 * args.pairs + 60 * HARD_PAIRS * 3
    path = args.games
    if not path:
        try:
            path = corpus(folder, 0)[0]
        except (KeyError, subprocess.CalledProcessError, FileNotFoundError):
            path = "none"
    if str(path) != "none":
        return identity_games.read(path, rng, needed), path
    return identity_games.generate(rng, round(1.4 * args.pairs) + 75 * HARD_PAIRS), "generated"


def measure_games(args, program, folder):
    rng = random.Random(args.seed)
    games, origin = sources(args, rng, folder)
    pool = identity_games.Pool(games, rng)
    count = len(games)
    units = build(pool, rng, args.pairs)
    owners, first = write(units, rng, folder)
    levels, default = levels_of(program)
    levels = args.levels.split(",") if args.levels else levels
    default = default if default in levels else levels[0]
    print(f"seed {args.seed}, {count} source games ({pathlib.Path(origin).name}): {len(units)} pairs, "
          f"{sum(unit.is_copy for unit in units)} of them copies, {len(owners)} games; default level: {default}")
    results, faults = {}, []
    for name, judge in judges(program, levels, folder, first, len(owners), "peers" not in args.skip, faults):
        start = time.monotonic()
        results[name] = score(units, owners, judge())
        print(f"  {name}: {time.monotonic() - start:.1f} s", flush=True)
    table(units, results)
    print("", *faults, sep="\n")
    all_parts = {level: figures(results[level], "all") for level in levels}
    precision = all_parts[default][0]
    fine = not faults and precision == 1 and figures(results[default], "life")[1] >= 0.90
    fine &= any(figures(results[level], "life")[1] >= 0.99 and all_parts[level][0] >= 0.9999 for level in levels)
    report = {name: {"figures": {part: figures(rows, part) for part in ("life", "hard", "all")},
                     "kinds": [{"part": part, "kind": kind, **row} for (part, kind), row in rows.items()]}
              for name, rows in results.items()}
    return fine, report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--games")
    parser.add_argument("--names", type=pathlib.Path)
    parser.add_argument("--levels")
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--skip", action="append", default=[], choices=("games", "names", "peers"))
    args = parser.parse_args()
    program = args.program or args.target / "release/chessdb"
    report = {"seed": args.seed, "pairs": args.pairs}
    fine = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if "games" not in args.skip:
            is_fine, report["games"] = measure_games(args, program, folder)
            fine &= is_fine
        if "names" not in args.skip:
            is_fine, report["names"] = identity_names.measure(program, args, folder)
            fine &= is_fine
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    print("\nthe aims are reached" if fine else "\nbelow the aims")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
