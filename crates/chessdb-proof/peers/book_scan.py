#!/usr/bin/env python3
"""Read Polyglot books, and count the moves of games for one, with python-chess.

    book_scan.py walk BOOK.bin
    book_scan.py entries BOOK.bin
    book_scan.py count FILE.pgn MAX_PLY MIN_GAMES MIN_SCORE

Each prints a line `KEY<TAB>MOVE<TAB>WEIGHT` for each move of a position, sorted; KEY has 16 hexadecimal
digits, MOVE is the number of sixteen bits that a book contains, with castling as the king taking the
rook.

`walk` prints the legal moves of all positions that the book's own moves lead to from the start, with
both spellings of castling counted as one. `entries` prints all entries. `count` gives each move two
points for a win and one for a draw of the side that plays it, and leaves out moves without a point,
with fewer games, or with a lower score in per cent. It scales the weights of a position if the
greatest needs more than 16 bits.
"""

import collections
import sys

import chess
import chess.pgn
import chess.polyglot


def bits(board, move):
    """Return the sixteen bits of a move in a book."""
    to = move.to_square
    if board.is_castling(move):
        file = 7 if chess.square_file(to) > chess.square_file(move.from_square) else 0
        to = chess.square(file, chess.square_rank(to))
    promotion = 0 if move.promotion is None else move.promotion - 1
    return to | move.from_square << 6 | promotion << 12


def walk(path):
    lines = set()
    with chess.polyglot.open_reader(path) as reader:
        start = chess.Board()
        todo = [start]
        seen = {chess.polyglot.zobrist_hash(start)}
        while todo:
            board = todo.pop()
            key = chess.polyglot.zobrist_hash(board)
            for entry in reader.find_all(board):
                lines.add((key, bits(board, entry.move), entry.weight))
                after = board.copy(stack=False)
                after.push(entry.move)
                number = chess.polyglot.zobrist_hash(after)
                if number not in seen:
                    seen.add(number)
                    todo.append(after)
    return lines


def entries(path):
    with chess.polyglot.open_reader(path) as reader:
        return [(entry.key, entry.raw_move, entry.weight) for entry in reader]


def count(path, most, least, score):
    counts = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0]))
    points = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            result = points.get(game.headers.get("Result"))
            for ply, move in enumerate(game.mainline_moves()):
                if ply >= most:
                    break
                of_move = counts[chess.polyglot.zobrist_hash(board)][bits(board, move)]
                of_move[0] += 1
                if result:
                    of_move[1] += 1
                    of_move[2] += result[0 if board.turn else 1]
                board.push(move)
    lines = []
    for key, moves in counts.items():
        kept = [
            (move, of_move[2]) for move, of_move in moves.items()
            if of_move[0] >= least and of_move[2] > 0
            and 50 * of_move[2] / of_move[1] >= score
        ]
        greatest = max((weight for _, weight in kept), default=0)
        for move, weight in kept:
            if greatest > 0xFFFF:
                weight = max(1, weight * 0xFFFF // greatest)
            lines.append((key, move, weight))
    return lines


def main(arguments):
    match arguments:
        case ["walk", path]:
            lines = walk(path)
        case ["entries", path]:
            lines = entries(path)
        case ["count", path, most, least, score]:
            lines = count(path, int(most), int(least), float(score))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    for key, move, weight in sorted(lines):
        print(f"{key:016x}\t{move}\t{weight}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
