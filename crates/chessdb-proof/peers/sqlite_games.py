"""Reads a database of En Croissant, Lucas Chess or OCGDB with Python's sqlite3 and python-chess, by
the rules of docs/formats, and compares every game with the PGN file that it was written from.

usage: sqlite_games.py PGN DATABASE

Prints the number of games and the games that differ. The exit code is 1 if any does."""

import io
import pickle
import re
import sqlite3
import sys

import chess
import chess.pgn

ABSENT = {"?", "????.??.??", "*", ""}


def order(board):
    """Returns the legal moves in the order of shakmaty."""
    check = board.is_check()

    def key(move):
        piece = board.piece_type_at(move.from_square)
        step = chess.square_file(move.to_square) - chess.square_file(move.from_square)
        if board.is_en_passant(move):
            return (1, move.from_square)
        if board.is_castling(move):
            return (12, 0 if board.is_kingside_castling(move) else 1)
        if piece == chess.KING:
            return (2 if check else 11, move.to_square)
        if piece == chess.PAWN:
            rank = abs(chess.square_rank(move.to_square) - chess.square_rank(move.from_square))
            group = 3 if step < 0 else 4 if step > 0 else 5 if rank == 1 else 6
            pieces = [None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT]
            return (group, move.promotion is not None, move.to_square, pieces.index(move.promotion))
        return (5 + piece, move.from_square, move.to_square)

    return sorted(board.legal_moves, key=key)


def plain(text):
    return " ".join(text.split())


def tree(node, has_null_moves):
    """Returns a game as nested lists of moves, comments, NAGs and variations. Where null moves cannot
    be stored (En Croissant, and XPV of Lucas Chess), a line ends before the first."""
    first = node.variations[0] if node.variations else None
    return [plain(node.comment)] + line(node, first, has_null_moves)


def line(parent, node, has_null_moves):
    def is_kept(node):
        return node is not None and (node.move or has_null_moves)

    found = []
    while is_kept(node):
        others = [
            [plain(other.starting_comment)] + line(None, other, has_null_moves)
            for other in (parent.variations[1:] if parent is not None else [])
            if is_kept(other)
        ]
        found.append((node.move.uci(), plain(node.comment), sorted(node.nags), others))
        parent, node = node, node.variations[0] if node.variations else None
    return found


def en_croissant_tree(board, blob):
    """Decodes the moves of En Croissant into a game of python-chess."""
    game = chess.pgn.Game()
    game.setup(board)
    node, stack, at, starting = game, [], 0, ""
    boards = {game: board}
    while at < len(blob):
        byte = blob[at]
        at += 1
        if byte in (0xFC, 0xFD):
            size = int.from_bytes(blob[at : at + 2], "little")
            text, at = blob[at + 2 : at + 2 + size], at + 2 + size
            while size == 0xFFFF:
                size = int.from_bytes(blob[at + 1 : at + 3], "little")
                text, at = text + blob[at + 3 : at + 3 + size], at + 3 + size
            text = text.decode()
            if byte == 0xFC:
                node.nags.add(int(text[1:]))
            elif stack and node is stack[-1][1]:
                starting += f" {text}"
            else:
                node.comment += f" {text}"
        elif byte == 0xFF:
            start = node.parent if node.parent is not None else node
            stack.append((node, start, starting))
            node, starting = start, ""
        elif byte == 0xFE:
            node, _, starting = stack.pop()
        else:
            own = boards[node]
            move = order(own)[byte]
            is_first = stack and node is stack[-1][1]
            node = node.add_variation(move)
            if is_first:
                node.starting_comment, starting = starting, ""
            after = own.copy(stack=False)
            after.push(move)
            boards[node] = after
    assert not stack, "an open variation"
    return game


def start(fen):
    if not fen:
        return chess.Board()
    board = chess.Board(fen)
    if board.status() & chess.STATUS_BAD_CASTLING_RIGHTS:
        board = chess.Board(fen, chess960=True)
    return board


def unescaped(text):
    return re.sub(r'\\(["\\])', r"\1", text)


def parse(tags, movetext):
    pgn = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return chess.pgn.read_game(io.StringIO(f"{pgn}\n{movetext}\n"))


def en_croissant(connection):
    names = {
        table: dict(connection.execute(f"SELECT ID, Name FROM {table}"))
        for table in ("Players", "Events", "Sites")
    }
    for table in names.values():
        assert table[0] == "Unknown"
    counts = dict(connection.execute("SELECT Name, Value FROM Info"))
    for name, table in [("Player", "Players"), ("Event", "Events"), ("Site", "Sites")]:
        assert counts[f"{name}Count"] == str(len(names[table])), name
    connection.row_factory = sqlite3.Row
    for row in connection.execute("SELECT * FROM Games ORDER BY ID"):
        tags = {
            "Event": unescaped(names["Events"][row["EventID"]]) if row["EventID"] else "",
            "Site": unescaped(names["Sites"][row["SiteID"]]) if row["SiteID"] else "",
            "White": names["Players"][row["WhiteID"]] if row["WhiteID"] else "",
            "Black": names["Players"][row["BlackID"]] if row["BlackID"] else "",
            "Date": row["Date"] or "",
            "Result": row["Result"] or "",
            "WhiteElo": str(row["WhiteElo"] or ""),
            "BlackElo": str(row["BlackElo"] or ""),
            "ECO": row["ECO"] or "",
        }
        game = en_croissant_tree(start(row["FEN"]), row["Moves"])
        assert row["PlyCount"] == len(list(game.mainline_moves())), row["ID"]
        yield tags, game, False


def xpv(text):
    """Decodes the start position and the mainline of Lucas Chess."""
    fen = None
    if text.startswith("|"):
        _, fen, text = text.split("|")
    board, moves = start(fen), []
    board.chess960 = False
    pieces = {"2": chess.QUEEN, "3": chess.ROOK, "4": chess.BISHOP, "5": chess.KNIGHT}
    while text:
        move = chess.Move(ord(text[0]) - 58, ord(text[1]) - 58)
        text = text[2:]
        if text[:1] in pieces:
            move.promotion = pieces[text[0]]
            text = text[1:]
        moves.append(move.uci())
    return fen, moves


def lucas_chess(connection):
    connection.row_factory = sqlite3.Row
    spellings = {}
    for key, value in connection.execute("SELECT KEY, VALUE FROM Config"):
        value = pickle.loads(value)
        if key == "dcabs":
            spellings = value
    usual = {"WHITEELO": "WhiteElo", "BLACKELO": "BlackElo", "ECO": "ECO", "FEN": "FEN", "SETUP": "SetUp"}
    for row in connection.execute("SELECT * FROM Games ORDER BY rowid"):
        names = [name for name in row.keys() if name not in ("XPV", "_DATA_", "PLYCOUNT")]
        tags = {
            usual.get(name) or spellings.get(name) or name.capitalize(): row[name]
            for name in names
            if row[name] is not None
        }
        fen, moves = xpv(row["XPV"])
        assert (fen or "") == tags.get("FEN", ""), fen
        assert row["PLYCOUNT"] == len(moves)
        body = row["_DATA_"]
        if body is None:
            board = start(fen)
            text = board.variation_san([chess.Move.from_uci(move) for move in moves]) if moves else ""
        else:
            assert body.startswith(b"BODY ")
            text = body[5:].decode()
        game = parse(tags, text + " *" if body is None else text)
        mainline = [move.uci() for move in game.mainline_moves()]
        assert mainline[: len(moves)] == moves, (mainline, moves)
        has_null_moves = body is not None
        yield {name: unescaped(value) for name, value in tags.items()}, game, has_null_moves


def ocgdb(connection):
    names = {
        table: dict(connection.execute(f"SELECT ID, Name FROM {table}"))
        for table in ("Players", "Events", "Sites")
    }
    connection.row_factory = sqlite3.Row
    links = {"EventID": "Events", "SiteID": "Sites", "WhiteID": "Players", "BlackID": "Players"}
    for row in connection.execute("SELECT * FROM Games ORDER BY ID"):
        tags = {name[:-2]: names[table][row[name]] for name, table in links.items() if row[name] != 1}
        for name in row.keys():
            if name not in links and name not in ("ID", "PlyCount", "Moves") and row[name] is not None:
                value = str(row[name])
                tags[name] = value.replace("-", ".") if "Date" in name else value
        game = parse(tags, row["Moves"])
        assert row["PlyCount"] == len(list(game.mainline_moves())), row["ID"]
        yield {name: unescaped(value) for name, value in tags.items()}, game, True


def expected(path):
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            yield {name: unescaped(value) for name, value in game.headers.items()}, game


def main():
    pgn, database = sys.argv[1:]
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    columns = {row[1] for row in connection.execute("PRAGMA table_info(Games)")}
    read = en_croissant if "PawnHome" in columns else lucas_chess if "XPV" in columns else ocgdb
    wanted, found = list(expected(pgn)), list(read(connection))
    differing = 0
    if len(wanted) != len(found):
        print(f"{len(found)} games instead of {len(wanted)}")
        differing += 1
    for number, ((tags, game), (own, stored, has_null_moves)) in enumerate(zip(wanted, found), 1):
        problems = [
            f"{name}: {value!r} instead of {tags.get(name)!r}"
            for name, value in own.items()
            if plain(value) != plain(tags.get(name, "")) and not {value, tags.get(name, "")} <= ABSENT
        ]
        trees = [tree(game, has_null_moves) for game in (stored, game)]
        if trees[0] != trees[1]:
            problems.append(f"moves: {trees[0]} instead of {trees[1]}")
        for problem in problems:
            print(f"game {number}: {problem}")
        differing += bool(problems)
    print(f"{len(found)} games, {differing} differ")
    sys.exit(differing > 0)


main()
