#!/usr/bin/env python3
"""Measure the moves of a position against Scid and DuckDB, in one run.

tree.py PROGRAM BASE.si4 FOLDER [POSITIONS]: PROGRAM is the release build of chessdb, for tables with the
feature `parquet`; FOLDER gets links to the database, its index and tables. 50 positions, from the start to 24
half-moves, are asked in turn:

  scid, cache off    the search and the counting in an open database, as measured by Scid
  scid, cache on     the same with its default cache; the second time is that of a position asked before
  tree, no files     the whole process `chessdb tree`, without index and tree file
  tree, index        with the files of `chessdb index`
  python, first      Database.tree of an open database without files: the first position, and the others
  duckdb, positions  a query on the table of `chessdb index --parquet`, in an open connection
  duckdb, tree       a query on the table of `chessdb tree --parquet`

DuckDB and the Python package are left out if they are not installed. The numbers of games of each move must
be equal, with these exceptions, which are counted: Scid's table has no moves that Scid does not accept, and
the table of positions compares castling rights and en passant, and counts every occurrence.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import chess
from chess.polyglot import zobrist_hash

HERE = pathlib.Path(__file__).parent


def run(*command):
    """Returns the seconds that a command took, and its output."""
    start = time.monotonic()
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    took = time.monotonic() - start
    if ran.returncode not in (0, 1):
        sys.exit(f"{command}: exit {ran.returncode}, {ran.stderr}")
    return took, ran.stdout


def tree(program, base, fen):
    took, out = run(program, "tree", base, "--fen", fen, "--json")
    answer = json.loads(out)
    return took, answer["games"], {move["san"].rstrip("+#"): move["games"] for move in answer["moves"]}


def positions(program, base, number):
    """Returns positions on the lines that are played most often."""
    fens = []
    for n in range(number):
        board = chess.Board()
        for ply in range(n * 25 // number):
            _, _, moves = tree(program, base, board.fen())
            if not moves:
                break
            board.push_san(list(moves)[(n * 7 + ply * 3) % min(3, len(moves))])
        fens.append(board.fen())
    return fens


def scid(tool, base, fens, cache):
    """Returns the seconds, games and moves of each position, for both rounds."""
    questions = base.parent / "fens"
    questions.write_text("".join(f"{fen}\n" for fen in fens))
    _, out = run(tool, HERE / "scid_tree.tcl", base, questions, cache)
    answers = []
    for line in out.splitlines():
        key, value = line.split("\t")
        if key == "position":
            answers.append([0.0, 0, {}])
        elif key == "games":
            answers[-1][1] = int(value)
        elif key == "move":
            san, games = value.split()
            answers[-1][2][san.rstrip("+#")] = int(games)
        else:
            answers[-1][0] = int(value) / 1e6
    return answers[: len(fens)], answers[len(fens) :]


def line(name, seconds):
    ordered = sorted(seconds)
    middle, high = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    times = "".join(f"{1000 * value:9.2f}" for value in (middle, high, ordered[-1]))
    print(f"  {name:<28} {times} ms: median, 95th of 100, most", flush=True)


def compare(name, expected, found, fens):
    """Prints how many positions have equal numbers, and the first other one."""
    others = [n for n in range(len(fens)) if expected[n] != found[n]]
    print(f"  {name:<28} {len(fens) - len(others)} of {len(fens)} answers are equal")
    if others:
        print(f"    {fens[others[0]]}\n    {expected[others[0]]}\n    {found[others[0]]}")
    return others


def duckdb_times(folder, fens):
    """Returns for each table the seconds and the moves of each position."""
    import duckdb

    engine = duckdb.connect()
    tables = {"duckdb, positions": [], "duckdb, tree": []}
    for fen in fens:
        board = chess.Board(fen)
        exact = zobrist_hash(board)
        placement = zobrist_hash(chess.Board(f"{fen.split()[0]} {fen.split()[1]} - - 0 1"))
        queries = {
            "duckdb, positions": (f"select move, count(*) from '{folder}/positions.parquet'"
                                  " where key = ? and move is not null group by move", exact),
            "duckdb, tree": (f"select uci, games from '{folder}/tree.parquet'"
                             " where key = ? and uci is not null", placement),
        }
        for name, (query, key) in queries.items():
            start = time.monotonic()
            rows = engine.execute(query, [key - (1 << 64) if key >> 63 else key]).fetchall()
            took = time.monotonic() - start
            if name == "duckdb, positions":
                rows = [(chess.Move(move & 63, move >> 6 & 63, move >> 12 or None), games) for move, games in rows]
            else:
                rows = [(chess.Move.from_uci(uci), games) for uci, games in rows]
            moves = {board.san(move).rstrip("+#"): games for move, games in rows if board.is_legal(move)}
            tables[name].append((took, moves))
    return tables


def in_python(plain, indexed, fens):
    """Measures the Python package."""
    import chessdb

    for name, path in (("python, no files", plain), ("python, index", indexed)):
        db = chessdb.open(path)
        seconds = []
        for fen in fens:
            start = time.monotonic()
            db.tree(fen)
            seconds.append(time.monotonic() - start)
        print(f"  {name + ', first':<28} {1000 * seconds[0]:9.2f} ms")
        line(f"{name}, others", seconds[1:])


def main(program, base, folder, number=50):
    base, folder, number = pathlib.Path(base), pathlib.Path(folder), int(number)
    for name in ("plain", "indexed"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
        for suffix in (".si4", ".sg4", ".sn4"):
            os.link(base.with_suffix(suffix), folder / name / f"base{suffix}")
    plain, indexed = folder / "plain/base.si4", folder / "indexed/base.si4"
    took, said = run(program, "index", indexed)
    print(f"{said.strip()}\n{took:.1f} s")
    fens = positions(program, indexed, number)
    with_files = [tree(program, indexed, fen) for fen in fens]
    without = [tree(program, plain, fen) for fen in fens]
    expected = [moves for _, _, moves in without]
    print("times")
    tool = shutil.which("tkscid", path=os.environ["PATH"] + ":/usr/games")
    scids = []
    if tool:
        for name, cache in (("scid, cache off", 0), ("scid, cache on", 250)):
            first, again = scid(tool, plain, fens, cache)
            line(name, [took for took, _, _ in first])
            line(f"{name}, again", [took for took, _, _ in again])
            scids.append((name, first))
    line("tree, no files", [took for took, _, _ in without])
    line("tree, index", [took for took, _, _ in with_files])
    line("start of the program", [run(program, "--version")[0] for _ in fens])
    tables = {}
    try:
        in_python(plain, indexed, fens)
    except ImportError as missing:
        print(f"  not measured: {missing}")
    try:
        if "--parquet" in run(program, "tree", "--help")[1]:
            for command, name in (("index", "positions"), ("tree", "tree")):
                target = folder / f"{name}.parquet"
                took, said = run(program, command, indexed, "--parquet", target, "--force")
                print(f"  {said.strip()}: {took:.1f} s, {target.stat().st_size:,} bytes")
            tables = duckdb_times(folder, fens)
        for name, answers in tables.items():
            line(name, [took for took, _ in answers])
    except ImportError as missing:
        print(f"  not measured: {missing}")
    print("answers")
    bad = compare("tree, index", expected, [moves for _, _, moves in with_files], fens)
    for name, answers in scids:
        compare(name, expected, [moves for _, _, moves in answers], fens)
        totals = [games for _, games, _ in answers]
        compare(f"{name}, games", [games for _, games, _ in without], totals, fens)
    for name, answers in tables.items():
        compare(name, expected, [moves for _, moves in answers], fens)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
