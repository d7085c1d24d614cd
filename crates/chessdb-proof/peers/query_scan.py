#!/usr/bin/env python3
"""Answer queries by a plain scan with python-chess, for a comparison with `chessdb find --ids`.

    query_scan.py FILE.pgn [GAMES [tree]]

Reads the first GAMES games (default: all) and prints a line per query: `QUERY<TAB>IDS`, where IDS are
the numbers of the matching games, from 1, separated by commas. With `tree` it prints for 50 positions
`FEN<TAB>COUNTS`, where COUNTS are separated by spaces, each of the form `e4=7,3,2,2,120`: the move,
games, won, drawn, lost, and longest. The first one, `=…`, is the position itself. Queries for positions
are made from positions of the games, of all phases; each answer comes from a scan of every position of
every mainline.
"""

import io
import re
import sys

import chess
import chess.pgn

KINDS = ("pawns", "knights", "bishops", "rooks", "queens", "kings")


class Position:
    """The parts of a board that the queries need, as sets of squares."""

    __slots__ = ("kinds", "colors", "turn", "key", "castling", "ep")

    def __init__(self, board):
        self.kinds = tuple(getattr(board, kind) for kind in KINDS)
        self.colors = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
        self.turn = board.turn
        self.key = (self.kinds, self.colors, board.turn)
        self.castling = board.clean_castling_rights()
        # Only if a pawn is next to the one that has just moved; pins are ignored.
        self.ep = board.ep_square if board.ep_square is not None and any(
            True for _ in board.generate_pseudo_legal_ep()) else None

    def men(self, color, kind):
        return self.colors[0 if color else 1] & self.kinds[kind]

    def counts(self, color):
        return "".join(
            letter * bin(self.men(color, kind)).count("1")
            for letter, kind in (("K", 5), ("Q", 4), ("R", 3), ("B", 2), ("N", 1), ("P", 0)))


def endings(board):
    """Returns the ways in which a game that stops at this position ended by the rules."""
    tests = {
        "mate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "repetition": board.is_repetition(3),
        "fifty": board.is_fifty_moves(),
        "insufficient": board.is_insufficient_material(),
    }
    return {name for name, is_so in tests.items() if is_so}


class Game:
    def __init__(self, game):
        self.headers = game.headers
        board = game.board()
        self.moves = []
        self.positions = [Position(board)]
        node = game
        while node.next():
            node = node.next()
            self.moves.append(board.san(node.move))
            board.push(node.move)
            self.positions.append(Position(board))
        self.first = game.board().turn
        self.comment = node.comment
        self.endings = endings(board)

    def by(self, test):
        """Returns the players (True is White) with a move that passes the test on its SAN."""
        return {self.first == (ply % 2 == 0) for ply, san in enumerate(self.moves) if test(san.rstrip("+#"))}

    def number(self, tag):
        value = self.headers.get(tag, "")
        return int(value) if value.isdigit() and int(value) > 0 else None

    def year(self):
        year = self.headers.get("Date", "")[:4]
        return int(year) if year.isdigit() else 0

    def longest(self, test, first=0, last=10**9):
        """Returns the length of the longest sequence of positions that pass the test."""
        best = run = 0
        for ply, position in enumerate(self.positions):
            run = run + 1 if first <= ply <= last and test(position) else 0
            best = max(best, run)
        return best


def read(path, most):
    games = []
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        # For python-chess, two blank lines after the tags end a game.
        text = io.StringIO(re.sub("\n\n\n+", "\n\n", file.read()))
    while len(games) < most:
        game = chess.pgn.read_game(text)
        if game is None:
            break
        games.append(Game(game))
    return games


def boards_of(path, games):
    """Yields the ply and the board of positions of all phases, one per selected game."""
    step = max(1, len(games) // 60)
    for n in range(0, len(games), step):
        game = games[n]
        ply = min((7 * n // step) % 90, len(game.positions) - 1)
        board = chess.Board()
        for san in game.moves[:ply]:
            board.push_san(san)
        yield ply, board


def square(name):
    return 1 << chess.parse_square(name)


def contains(text, part):
    """Returns whether a text contains this part, with umlauts in any of their spellings."""
    merged = re.sub("a[ae]|([ou])e", lambda pair: pair[1] or "a", part)
    spelled = {"a": "a[ae]?", "o": "oe?", "u": "ue?"}
    pattern = "".join(spelled.get(letter, re.escape(letter)) for letter in merged)
    return part in text.lower() or re.search(pattern, text.lower()) is not None


def heads():
    def text(tag, part):
        return lambda game: contains(game.headers.get(tag, ""), part)

    def either(test):
        return lambda game: test(game, "White") or test(game, "Black")

    def elo(test):
        def fits(game):
            return any(test(elo) for elo in (game.number("WhiteElo"), game.number("BlackElo")) if elo)
        return fits

    def both(test):
        def fits(game):
            white, black = game.number("WhiteElo"), game.number("BlackElo")
            return bool(white and black) and test(white, black)
        return fits

    def eco(first, last):
        return lambda game: first <= game.headers.get("ECO", "")[:3] <= last

    def player(part):
        return either(lambda game, side: contains(game.headers[side], part))

    result = lambda *wanted: lambda game: game.headers["Result"] in wanted
    yield "player:son", player("son")
    yield "carl", player("carl")
    yield "white:an black:e", lambda game: text("White", "an")(game) and text("Black", "e")(game)
    yield "event:open", text("Event", "open")
    yield "-event:open", lambda game: not text("Event", "open")(game)
    yield "site:ger,rus", lambda game: text("Site", "ger")(game) or text("Site", "rus")(game)
    yield "event:/ 1st l/", text("Event", " 1st l")
    yield "round:1", lambda game: (
        int((re.match("[0-9]+", game.headers.get("Round", "").strip()) or [0])[0]) == 1)
    yield "player:/^[a-k].*v, /", either(
        lambda game, side: re.search("^[a-k].*v, ", game.headers[side].lower()))
    yield "year:2005..2010", lambda game: 2005 <= game.year() <= 2010
    yield "year:..1990", lambda game: 0 < game.year() <= 1990
    yield "elo:2600..", elo(lambda elo: elo >= 2600)
    yield "whiteelo>2500", lambda game: (game.number("WhiteElo") or 0) > 2500
    yield "minelo:2450", both(lambda white, black: min(white, black) >= 2450)
    yield "elodiff:-20..20", both(lambda white, black: abs(white - black) <= 20)
    yield "eco:B90-B99", eco("B90", "B99")
    yield "eco:C", eco("C00", "C99")
    yield "result:1-0", result("1-0")
    yield "result:draw,0-1", result("1/2-1/2", "0-1")
    yield "moves:..20", lambda game: (len(game.moves) + 1) // 2 <= 20
    yield "plies:80..100", lambda game: 80 <= len(game.moves) <= 100
    yield "(carl or event:open) -result:draw", lambda game: (
        player("carl")(game) or text("Event", "open")(game)) and not result("1/2-1/2")(game)


def lines(games):
    for n, plies in ((0, 2), (3, 3), (5, 5), (8, 8), (13, 12)):
        moves = games[n % len(games)].moves[:plies]
        yield f'line:"{" ".join(moves)}"', (
            lambda game, moves=moves: game.moves[:len(moves)] == moves)


def positions(path, games):
    for ply, board in boards_of(path, games):
        wanted = Position(board)
        turn = "w" if board.turn else "b"
        same = lambda position, wanted=wanted: position.key == wanted.key
        yield f'fen:"{board.board_fen()} {turn}"', lambda game, same=same: game.longest(same) > 0
        strict = lambda position, wanted=wanted: (
            position.key == wanted.key and position.castling == wanted.castling
            and position.ep == wanted.ep)
        if ply % 3 == 0:
            yield f'fen!:"{board.fen()}"', lambda game, strict=strict: game.longest(strict) > 0
        # The pawns alone, with anything on the other squares.
        rows = []
        for rank in range(7, -1, -1):
            row = ""
            for file in range(8):
                piece = board.piece_at(chess.square(file, rank))
                is_pawn = piece and piece.piece_type == chess.PAWN
                row += piece.symbol() if is_pawn else "[^Pp]"
            rows.append(row)
        pawns = lambda position, wanted=wanted: (
            position.men(True, 0) == wanted.men(True, 0)
            and position.men(False, 0) == wanted.men(False, 0))
        if ply % 2 == 0:
            yield "pattern:" + "/".join(rows), lambda game, pawns=pawns: game.longest(pawns) > 0
        white, black = wanted.counts(True), wanted.counts(False)
        if ply > 40:
            same = lambda position, white=white, black=black: (
                position.counts(True) == white and position.counts(False) == black)
            yield f"material:{white}{black.lower()}", lambda game, same=same: game.longest(same) > 0


def patterns():
    def sub(*men):
        return lambda position: all(
            position.men(letter.isupper(), "pnbrqk".index(letter.lower())) & square(name)
            for letter, name in men)

    def there(test, first=0, last=10**9, lasting=1):
        return lambda game: game.longest(test, first, last) >= lasting

    knight = sub(("N", "f5"), ("k", "g8"))
    yield 'sub:"Nf5 kg8"', there(knight)
    yield "sub:Nf5+kg8 at:30..50", there(knight, 30, 50)
    yield "sub:Nf5+kg8 for:4", there(knight, lasting=4)
    yield "-sub:Nf5+kg8", lambda game: not there(knight)(game)
    bishops = sub(("B", "b2"), ("B", "g2"))
    yield "sub:Bb2,Bg2 at:20..", there(
        lambda position: sub(("B", "b2"))(position) or sub(("B", "g2"))(position), 20)
    yield "sub:Bb2+Bg2 sub:kg8", there(lambda position: bishops(position) and sub(("k", "g8"))(position))
    yield "pattern:*/*/*/3Aa*/*/*/*/*", there(lambda position: (
        position.colors[0] & square("d5") and position.colors[1] & square("e5"))
        and not (position.colors[0] | position.colors[1]) & (square("a5") | square("b5") | square("c5")))
    yield '"no such player" or pattern:"*/*/??n*/*/??[NB]*/*/*/* b"', there(lambda position: (
        not position.turn and position.men(False, 1) & square("c6")
        and (position.men(True, 1) | position.men(True, 2)) & square("c4")))
    yield "pattern:*/*/*/*/*/*/________/*", there(lambda position: not (
        (position.colors[0] | position.colors[1]) & chess.BB_RANK_2))

    def material(one, other):
        def either(position):
            counts = position.counts(True), position.counts(False)
            return counts in ((one, other), (other, one))
        return either

    for one, other in (("KRP", "KR"), ("KRPP", "KRP"), ("KP", "K"), ("KQ", "KQ"), ("KBPPP", "KNPPP")):
        yield f"material:{one}{other}", there(material(one, other))
        yield f"material:{one}-{other} for:6", there(material(one, other), lasting=6)
        yield f"material:{one}{other.lower()}", there(
            lambda position, one=one, other=other: (
                position.counts(True), position.counts(False)) == (one, other))
    rook = re.compile("KRP{1,4}$")
    yield "material:KRP1-4KRP1-4", there(
        lambda position: rook.match(position.counts(True)) and rook.match(position.counts(False)))
    minor, queen = re.compile("K[BN]P*$"), re.compile("KQ+P*$")

    def uneven(position):
        counts = position.counts(True), position.counts(False)
        return any(minor.match(a) and queen.match(b) for a, b in (counts, counts[::-1]))

    yield "material:KMP*KQ1+P*", there(uneven)


def questions(games):
    """Endings, castling, promotions and material."""
    for ending in ("mate", "stalemate", "repetition", "fifty", "insufficient"):
        yield f"ending:{ending}", lambda game, ending=ending: ending in game.endings
    yield "ending:mate,repetition", lambda game: game.endings & {"mate", "repetition"}
    # The corpus has no reasons in tags.
    is_silent = lambda game: not game.comment and "Termination" not in game.headers
    if all(map(is_silent, games)):
        yield "ending:resigned", lambda game: (
            game.moves and game.headers["Result"] in ("1-0", "0-1")
            and not game.endings & {"mate", "stalemate"})
        yield "ending:agreed", lambda game: (
            game.moves and game.headers["Result"] == "1/2-1/2" and not game.endings - {"mate"})
    short = lambda game: game.by(lambda san: san == "O-O")
    long = lambda game: game.by(lambda san: san == "O-O-O")
    yield "castled:white-long", lambda game: True in long(game)
    yield "castled:black-short", lambda game: False in short(game)
    yield "castled:opposite", lambda game: len(short(game)) == 1 and len(long(game)) == 1 and (
        short(game) != long(game))
    yield "castled:same", lambda game: len(short(game)) == 2 or len(long(game)) == 2
    yield "castled:none", lambda game: not short(game) and not long(game)
    yield "castled:both", lambda game: len(short(game) | long(game)) == 2
    yield "promotion:any", lambda game: game.by(lambda san: "=" in san)
    yield "promotion:under", lambda game: game.by(lambda san: "=" in san and "=Q" not in san)
    yield "promotion:black-Q", lambda game: False in game.by(lambda san: "=Q" in san)

    count = lambda position, kind: (
        bin(position.men(True, kind)).count("1") - bin(position.men(False, kind)).count("1"))
    differences = lambda position: tuple(count(position, kind) for kind in range(5))
    points = lambda position: sum(map(lambda a, b: a * b, differences(position), (1, 3, 3, 5, 9)))
    negative = lambda numbers: tuple(-number for number in numbers)

    def either(test):
        return lambda position: test(differences(position)) or test(negative(differences(position)))

    def there(test, lasting=1):
        return lambda game: game.longest(test) >= lasting

    exchange = either(lambda d: d[3:] == (1, 0) and d[1] + d[2] == -1)
    yield "imbalance:R-M", there(exchange)
    yield "imbalance:R-M for:12", there(exchange, 12)
    yield "imbalance:Q-RR for:4", there(either(lambda d: d[1:] == (0, 0, -2, 1)), 4)
    yield "imbalance:BB-NN for:4", there(either(lambda d: d[1:] == (-2, 2, 0, 0)), 4)
    yield "imbalance:B-n for:10", there(lambda position: differences(position)[1:] == (-1, 1, 0, 0), 10)
    yield "imbalance:-q", there(lambda position: differences(position)[1:] == (0, 0, 0, -1))
    yield "imbalance:P2+ for:30", there(either(lambda d: d[0] >= 2 and not any(d[1:])), 30)
    yield "balance:3.. for:8", there(lambda position: points(position) >= 3, 8)
    yield "balance:..-6", there(lambda position: points(position) <= -6)

    def sacrifice(least, kind=None):
        def fits(game):
            sign = {"1-0": 1, "0-1": -1}.get(game.headers["Result"])
            if sign is None:
                return False
            behind = lambda position: sign * points(position) <= -least and (
                kind is None or sign * differences(position)[kind] < 0)
            return game.longest(behind) >= 6 or (
                len(game.positions) > 1 and all(map(behind, game.positions[-2:])))
        return fits

    yield "sacrifice:Q", sacrifice(1, 4)
    yield "sacrifice:R", sacrifice(1, 3)
    yield "sacrifice:3", sacrifice(3)
    yield "sacrifice:6", sacrifice(6)


def tree(path, games):
    """Prints the moves played in 50 positions, first in the start position."""
    boards = [chess.Board()]
    for ply, board in boards_of(path, games):
        # Most of them are early positions, which occur in many games.
        early = chess.Board()
        for move in board.move_stack[:len(boards) % 17]:
            early.push(move)
        boards.append(early if len(boards) % 4 else board)
    for board in boards[:50]:
        key, counts = Position(board).key, {}
        for game in games:
            ply = next((n for n, position in enumerate(game.positions) if position.key == key), None)
            if ply is None:
                continue
            left = len(game.moves) - ply
            moves = [""] + game.moves[ply:ply + 1]
            for depth, move in enumerate(moves):
                count = counts.setdefault(move, [0, 0, 0, 0, 0])
                results = ("1-0", "1/2-1/2", "0-1")
                count[0] += 1
                if game.headers["Result"] in results:
                    count[1 + results.index(game.headers["Result"])] += 1
                count[4] = max(count[4], left - depth)
        said = (f"{move}={','.join(map(str, count))}" for move, count in sorted(counts.items()))
        print(board.fen(), " ".join(said), sep="\t")


def main(arguments):
    if not 1 <= len(arguments) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    path = arguments[0]
    games = read(path, int(arguments[1]) if len(arguments) > 1 else 10**9)
    if arguments[2:] == ["tree"]:
        tree(path, games)
        return 0
    for asked in (heads(), lines(games), positions(path, games), patterns(), questions(games)):
        for query, test in asked:
            numbers = [str(n) for n, game in enumerate(games, 1) if test(game)]
            print(query, ",".join(numbers), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
