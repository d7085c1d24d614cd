#!/usr/bin/env python3
"""Measure the tree file and the index of a database: building them, and questions about positions.

tree_file.py PROGRAM DATABASE [POSITIONS] [build]: with `build`, it converts the database to PGN and writes
its index and its tree file first. Then it asks for POSITIONS (300) positions of random games, of half-moves
0 to 50: `tree`, `find --count` and `find --limit 50`, each in a process of its own. The same database and
number give the same positions. Memory is the peak that the operating system reports, with mapped files.
"""

import io
import json
import os
import random
import statistics
import subprocess
import sys
import time

import chess.pgn

SEED = 20261126
LAST_PLY = 50


def run(command):
    """Runs a command; returns the wall and processor seconds, the peak memory in MB and the output."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: exit {process.returncode}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output


def positions(program, database, count):
    """Returns positions of random games as FENs."""
    games = json.loads(run([program, "info", database, "--json"])[3])["bases"][0]["games"]
    rng = random.Random(SEED)
    fens = []
    while len(fens) < count:
        number = rng.randrange(games) + 1
        text = run([program, "cat", database, "-n", number])[3].decode(errors="replace")
        moves = list(chess.pgn.read_game(io.StringIO(text)).mainline_moves())
        board = chess.Board()
        for move in moves[: rng.randint(0, min(LAST_PLY, len(moves)))]:
            board.push(move)
        fens.append(board.fen())
    return fens


def build(program, database):
    print(f"{'':<28} {'wall s':>8} {'CPU s':>8} {'MB':>8}")
    for name, command in [
        ("to PGN", [program, "convert", "-q", "-t", "pgn", database, os.devnull]),
        ("index and tree file", [program, "index", database]),
    ]:
        wall, cpu, memory, _ = run(command)
        print(f"{name:<28} {wall:8.2f} {cpu:8.2f} {memory:8.0f}", flush=True)
    for suffix in ("", ".chessdb-index", ".chessdb-tree"):
        print(f"{os.path.getsize(database + suffix):14} {database + suffix}")


def main(program, database, count="300", *words):
    if "build" in words:
        for suffix in (".chessdb-index", ".chessdb-tree"):
            if os.path.exists(database + suffix):
                os.remove(database + suffix)
        build(program, database)
    fens = positions(program, database, int(count))
    print(f"{len(fens)} positions; wall milliseconds")
    print(f"{'':<28} {'median':>8} {'99 %':>8} {'most':>8} {'CPU, median':>12}")
    for name, command in [
        ("tree --json", lambda fen: [program, "tree", database, "--fen", fen, "--json"]),
        ("find --count", lambda fen: [program, "find", database, f'fen:"{fen}"', "--count"]),
        ("find --limit 50", lambda fen: [program, "find", database, f'fen:"{fen}"', "--limit", 50]),
    ]:
        ran = [run(command(fen)) for fen in fens]
        walls = sorted(wall * 1000 for wall, *_ in ran)
        cpu = statistics.median(cpu * 1000 for _, cpu, *_ in ran)
        most = walls[len(walls) * 99 // 100]
        print(f"{name:<28} {statistics.median(walls):8.1f} {most:8.1f} {walls[-1]:8.1f} {cpu:12.1f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
