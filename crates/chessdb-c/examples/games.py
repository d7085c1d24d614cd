"""Lists a database as an import dialog would, through the C library and ctypes.

games.py LIBRARY DATABASE [QUERY]

Opens the database, searches it, and reads pages of 40 rows from its beginning, middle and end as a
user would who drags the scroll bar. Prints the first page, the first game, and the times. A screen
with 60 frames a second leaves 16 ms for a page.
"""

import ctypes
import sys
import time
from contextlib import contextmanager

PAGE = 40
COLUMNS = "game,date,white,black,result,event"
INTERFACE = 1


class Move(ctypes.Structure):
    """chessdb_move"""

    _fields_ = [
        ("ply", ctypes.c_uint32),
        ("depth", ctypes.c_uint16),
        ("from_square", ctypes.c_uint8),
        ("to_square", ctypes.c_uint8),
        ("promotion", ctypes.c_char),
        ("san", ctypes.c_char * 15),
    ]


class ChessDb:
    """An open database."""

    def __init__(self, library, path):
        lib = self.lib = ctypes.CDLL(library)
        # Without these, ctypes passes handles as numbers of 32 bits.
        lib.chessdb_open.restype = ctypes.c_void_p
        lib.chessdb_last_error.restype = ctypes.c_char_p
        lib.chessdb_count.restype = ctypes.c_int64
        lib.chessdb_find.restype = ctypes.c_int64
        lib.chessdb_game_moves.restype = ctypes.c_int64
        lib.chessdb_free.argtypes = [ctypes.c_void_p]
        lib.chessdb_free.restype = None
        lib.chessdb_close.argtypes = [ctypes.c_void_p]
        lib.chessdb_close.restype = None
        if lib.chessdb_interface() != INTERFACE:
            raise RuntimeError("the library has another interface")
        handle = lib.chessdb_open(path.encode(), None)
        self.handle = ctypes.c_void_p(self.checked(handle, handle is not None))

    def checked(self, result, is_success):
        if not is_success:
            raise RuntimeError((self.lib.chessdb_last_error() or b"").decode())
        return result

    def close(self):
        self.lib.chessdb_close(self.handle)

    def count(self):
        count = self.lib.chessdb_count(self.handle)
        return self.checked(count, count >= 0)

    def find(self, query):
        """Returns the numbers of the games that match, as an array of C."""
        numbers = (ctypes.c_uint32 * self.count())()
        size = ctypes.c_size_t(len(numbers))
        count = self.lib.chessdb_find(self.handle, query.encode(), numbers, size, None)
        return numbers, self.checked(count, count >= 0)

    def rows(self, numbers, first, count):
        """Returns the rows of `count` games of an array, from the place `first`."""
        text = ctypes.c_char_p()
        place = ctypes.byref(numbers, first * ctypes.sizeof(ctypes.c_uint32))
        columns, size = COLUMNS.encode(), ctypes.c_size_t(count)
        result = self.lib.chessdb_rows(self.handle, place, size, columns, ctypes.byref(text))
        self.checked(result, result >= 0)
        rows = [line.split("\t") for line in text.value.decode().splitlines()]
        self.lib.chessdb_free(text)
        return rows

    def moves(self, number):
        """Returns the main line of a game in standard algebraic notation."""
        moves = (Move * 1000)()
        sizes = ctypes.c_size_t(len(moves)), ctypes.c_size_t(ctypes.sizeof(Move))
        count = self.lib.chessdb_game_moves(self.handle, number, moves, *sizes)
        self.checked(count, count >= 0)
        return [move.san.decode() for move in moves[:count] if move.depth == 0]


@contextmanager
def timed(what):
    begin = time.perf_counter()
    yield
    print(f"{what}: {(time.perf_counter() - begin) * 1000:.1f} ms")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: games.py LIBRARY DATABASE [QUERY]")
    library, path, query = (*sys.argv[1:], "")[:3]
    try:
        with timed("open"):
            db = ChessDb(library, path)
        with timed("search"):
            numbers, count = db.find(query)
        print(f"{count} of {db.count()} games")
        for first in sorted({0, count // 2, max(0, count - PAGE)}):
            with timed(f"page of {min(PAGE, count - first)} rows from row {first + 1}"):
                page = db.rows(numbers, first, min(PAGE, count - first))
            if first == 0:
                for row in page[:5]:
                    print(" | ".join(row))
        if count:
            with timed("moves of a game"):
                moves = db.moves(numbers[0])
            print(" ".join(moves[:10]))
        db.close()
    except RuntimeError as error:
        sys.exit(f"games.py: {error}")


if __name__ == "__main__":
    main()
