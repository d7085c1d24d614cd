"""Kinds of different games that look like copies (identity.py).

Each function changes `b`, a copy of the game `a`, into another game, and `a` where the kind needs that.
It returns False if the kind is impossible for this game, or a list of further games that are different
from both. `KINDS` gives the weights: how frequent the kind is in life.
"""

import chess

from identity_copies import shift, word
from identity_games import FEDERATIONS, FINISHED, SIDES, TOWNS, are_alike, split_name

SHORT_LINES = [line.split() for line in """
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O
d4 Nf6 c4 e6 Nf3 d5 g3 Be7 Bg2 O-O O-O dxc4
e4 c6 d4 d5 exd5 cxd5 Bd3 Nc6 c3 Nf6 Bf4
Nf3 Nf6 c4 g6 g3 Bg7 Bg2 O-O O-O d6
d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7 Bd3 Bd6 O-O O-O
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6
""".strip().splitlines()]
ENGINES = "Zephyros Kernwolf Argus Mnemon Talpa Quorra".split()


def number_of(game):
    digits = game["Round"].partition(".")[0]
    return int(digits) if digits.isdigit() else 3


def later(game, rng):
    """Returns a date some years after the game's, or before it."""
    year, rest = int(game["Date"][:4]), game["Date"][4:]
    years = rng.randint(1, 9)
    return f"{year + years if year + years < 2026 else year - years}{rest}".replace(".02.29", ".02.28")


def other_event(game, rng):
    game.set(Event=f"{rng.choice(TOWNS)} {rng.choice(('Masters', 'Cup', 'League'))}", Site=rng.choice(TOWNS),
             Round=rng.randint(1, 11), Date=later(game, rng))


def other_players(game, pool, sides=SIDES):
    for side in sides:
        person = pool.person()
        game.set(**{side: person, f"{side}Elo": person.rating})
        if f"{side}FideId" in game.tags:
            game.set(**{f"{side}FideId": person.number})


def next_round(a, b, rng, days=1):
    number = number_of(a)
    a.set(Round=number)
    b.set(Round=number + 1, Date=shift(a["Date"], days))
    return b["Date"] != "?"


def blitz_match(a, b, rng, pool, same=12):
    """Another game of a match on one day with the same opening."""
    moves = pool.other_line(a.moves, same)
    if not moves:
        return False
    number = rng.randint(1, 11)
    for game, turn in ((a, number), (b, number + 1)):
        game.set(Event="Blitz match", Round=rng.choice((turn, f"1.{turn}")))
    b.set(Result=rng.choice(FINISHED))
    b.moves = moves


def match_without_rounds(a, b, rng, pool):
    if blitz_match(a, b, rng, pool) is False:
        return False
    for game in (a, b):
        game.set(Round="?")


def short_then_long(a, b, rng, pool):
    """A short draw, and the next day a long game that begins with the same moves."""
    a.moves = a.moves[:rng.randint(12, 22)]
    a.set(Result="1/2-1/2")
    return len(b.moves) > 40 and next_round(a, b, rng)


def replayed_later(a, b, rng, pool):
    """The same players play the same moves at a later event."""
    other_event(b, rng)


def replayed_with_hash(a, b, rng, pool):
    other_event(b, rng)
    code = f"{rng.randrange(1 << 32):08x}"
    for game in (a, b):
        game.set(HashCode=code)


def replayed_with_number(a, b, rng, pool):
    other_event(b, rng)
    tag, number = rng.choice(("GameNumber", "GameNo")), rng.randint(1, 400)
    for game in (a, b):
        game.set(**{tag: number})


def famous_line(a, b, rng, pool):
    """Other players replay a whole game."""
    other_players(b, pool)
    other_event(b, rng)


def famous_line_one_player(a, b, rng, pool):
    other_players(b, pool, [rng.choice(SIDES)])
    other_event(b, rng)


def number_of_other_players(a, b, rng, pool):
    """Another game with the same number in another file."""
    famous_line(a, b, rng, pool)
    number = rng.randint(1, 400)
    for game in (a, b):
        game.set(GameNumber=number)


def forfeit(a, b, rng):
    for game in (a, b):
        game.moves = []
        game.set(Result=a["Result"], ECO=None)
        if rng.random() < 0.3:
            game.set(HashCode="00000000", PlyCount="0")


def forfeit_of_others(a, b, rng, pool):
    forfeit(a, b, rng)
    number = number_of(a)
    a.set(Round=f"{number}.1")
    b.set(Round=rng.choice((number, f"{number}.2")))
    other_players(b, pool)
    if rng.random() < 0.5:
        for game in (a, b):
            game.set(Site="https://chess-results.com/tnr412345.aspx")


def forfeit_of_other_round(a, b, rng, pool):
    forfeit(a, b, rng)
    return next_round(a, b, rng, rng.choice((0, 1, 2)))


def forfeit_of_other_day(a, b, rng, pool):
    forfeit(a, b, rng)
    for game in (a, b):
        game.set(Round="?")
    b.set(Date=shift(a["Date"], rng.randint(5, 40)))
    return b["Date"] != "?"


def short_line(a, b, rng):
    line = rng.choice(SHORT_LINES)
    a.moves = line[:rng.randint(6, len(line))]
    b.moves = list(a.moves)
    for game in (a, b):
        game.set(Result="1/2-1/2")


def team_draw(a, b, rng, pool):
    """Four boards of a team match agree to a draw after the same moves."""
    short_line(a, b, rng)
    number = number_of(a)
    a.set(Round=f"{number}.1", Event="Team Championship")
    b.set(Event="Team Championship")
    games = [b, b.copy(), b.copy()]
    for board, game in enumerate(games, 2):
        game.set(Round=f"{number}.{board}")
        other_players(game, pool)
    return games[1:]


def short_draw_next_day(a, b, rng, pool):
    short_line(a, b, rng)
    return next_round(a, b, rng)


def short_draw_other_round(a, b, rng, pool):
    short_line(a, b, rng)
    return next_round(a, b, rng, 0)


def short_draw_other_year(a, b, rng, pool):
    short_line(a, b, rng)
    b.set(Date=later(a, rng), Round=rng.randint(1, 9))


def simul(a, b, rng, pool):
    """Three boards of an exhibition: one master, one day, the same opening."""
    games = [b, b.copy()]
    for game in games:
        other_players(game, pool, ["Black"])
        game.moves = pool.other_line(a.moves, 10)
        if not game.moves:
            return False
        game.set(Result=rng.choice(FINISHED))
    for game in (a, *games):
        game.set(Event=f"{split_name(a['White'])[0]} simul", Round=rng.choice(("?", "-")), BlackElo=None)
    return games[1:]


def simul_with_same_line(a, b, rng, pool):
    other_players(b, pool, ["Black"])
    for game in (a, b):
        game.set(Event="Simultaneous exhibition", Round="?", BlackElo=None)


def brothers(a, b, rng, pool):
    """A brother plays the same line against the same opponent in the next round."""
    side = rng.choice(SIDES)
    surname, given = split_name(a[side])
    brother = pool.person()
    b.set(**{side: f"{surname}, {brother.given}", f"{side}Elo": brother.rating, f"{side}FideId": None})
    return not are_alike(brother.given, given) and next_round(a, b, rng)


def brothers_same_day(a, b, rng, pool):
    """Two brothers play the same line in one round, against players who are not named."""
    surname, given = split_name(a["White"])
    brother = pool.person()
    a.set(Black="NN", Event="Youth Open", BlackElo=None, BlackFideId=None)
    b.set(White=f"{surname}, {brother.given}", Black="NN", Event="Youth Open", WhiteElo=brother.rating,
          BlackElo=None, WhiteFideId=None, BlackFideId=None)
    return not are_alike(brother.given, given)


def father_and_son(a, b, rng, pool):
    side = rng.choice(SIDES)
    b.set(**{side: a[side] + rng.choice((" jr.", " jr", " II", " sen."))})
    return next_round(a, b, rng)


def other_numbers(a, b, rng, pool):
    """Namesakes with other FIDE numbers."""
    side = rng.choice(SIDES)
    first, second = rng.sample(range(100_000, 30_000_000), 2)
    a.set(**{f"{side}FideId": first})
    b.set(**{f"{side}FideId": second})
    if rng.random() < 0.5:
        return next_round(a, b, rng, 0)
    for game in (a, b):
        game.set(Round="?")


def other_federations(a, b, rng, pool):
    """Namesakes of other federations, with ratings far apart, at another event."""
    side = rng.choice(SIDES)
    first, second = rng.sample(FEDERATIONS, 2)
    a.set(**{f"{side}Fed": first, f"{side}Elo": 2450})
    other_event(b, rng)
    b.set(**{f"{side}Fed": second, f"{side}Elo": 1800})


def rematch(a, b, rng, pool):
    """The same players and colours, another round of one event, the same opening."""
    b.moves = pool.other_line(a.moves, 14)
    b.set(Result=rng.choice(FINISHED))
    return bool(b.moves) and next_round(a, b, rng, rng.choice((0, 1, 2)))


def rematch_with_same_line(a, b, rng, pool):
    return next_round(a, b, rng, rng.choice((1, 2, 3)))


def return_leg(a, b, rng, pool):
    """The second half of a double round robin: colours reversed, the same moves."""
    for tag in ("", "Elo", "FideId"):
        b.set(**{f"White{tag}": a.tags.get(f"Black{tag}"), f"Black{tag}": a.tags.get(f"White{tag}")})
    number = rng.randint(1, 9)
    a.set(Round=number)
    b.set(Round=number + 9, Date=shift(a["Date"], 9))
    return b["Date"] != "?"


def engine_match(a, b, rng, same_names=False):
    names = rng.sample(ENGINES, 2)
    version, number = rng.randint(3, 17), rng.randint(1, 500)
    for turn, game in enumerate((a, b)):
        for side, name in zip(SIDES, [names[0]] * 2 if same_names else names):
            game.set(**{side: f"{name} {version}", f"{side}Elo": None, f"{side}FideId": None})
        game.set(Event="Engine match", Site="?", Round=number + turn * 2, TimeControl="40/60")


def engine_against_itself(a, b, rng, pool):
    engine_match(a, b, rng, same_names=True)
    b.moves = pool.other_line(a.moves, 14)
    return bool(b.moves)


def engines_same_opening(a, b, rng, pool):
    engine_match(a, b, rng)
    b.moves = pool.other_line(a.moves, 14)
    return bool(b.moves)


def engines_same_game(a, b, rng, pool):
    engine_match(a, b, rng, same_names=rng.random() < 0.3)


def event_address(a, b, rng, pool):
    """The site is the address of an event or a club match, not of a game."""
    number = rng.randrange(1000, 999_999)
    address, tag = rng.choice((
        (f"https://www.iccf.com/event?id={number}", "Site"), (f"https://chess-results.com/tnr{number}.aspx", "Site"),
        (f"https://www.chess.com/club/matches/{number}", "Site"), (f"https://lichess.org/tournament/{word(rng)}", "Site"),
        (f"https://www.chess.com/tournament/live/arena-{number}", "Event"), (f"https://lichess.org/swiss/{word(rng)}", "Site"),
        (f"https://www.chess.com/club/matches/team/{number}", "Link")))
    other_players(b, pool)
    for game in (a, b):
        game.set(**{tag: address}, Round="-")


def event_address_same_players(a, b, rng, pool):
    address = f"https://www.iccf.com/event?id={rng.randrange(1000, 999_999)}"
    for game, number in ((a, 1), (b, 2)):
        game.set(Site=address, Round=number)
    b.set(Date=shift(a["Date"], rng.randint(20, 90)))
    return b["Date"] != "?"


def other_result(a, b, rng, pool):
    """The same moves, but two finished games with different results."""
    b.set(Result=rng.choice([result for result in FINISHED if result != a["Result"]]))
    if rng.random() < 0.5:
        return next_round(a, b, rng, 0)


def other_time(a, b, rng, pool):
    """Two online games of one day with the same line and other times."""
    hour = rng.randint(1, 21)
    for game, start in ((a, hour), (b, hour + rng.randint(0, 1))):
        game.set(Event="Rated Blitz game", Site="?", Round="-", UTCDate=a["Date"],
                 UTCTime=f"{start:02}:{rng.randint(0, 29) if game is a else rng.randint(35, 59):02}:07")


def other_address(a, b, rng, pool):
    """Two online games of one day with the same line; the address of each is its own."""
    for game in (a, b):
        game.set(Event="Rated Bullet game", Site=f"https://lichess.org/{word(rng)}", Round="-", UTCDate=a["Date"])


def chess960(a, b, rng, pool):
    """The same moves from another start position."""
    for _ in range(50):
        # Not 518, which is the standard position.
        start = chess.Board.from_chess960_pos(rng.choice([n for n in range(960) if n != 518]))
        line = pawn_moves(start, rng)
        if line:
            a.moves, b.moves = list(line), list(line)
            b.set(Variant="Chess960", SetUp="1", FEN=start.fen())
            return True
    return False


def pawn_moves(start, rng):
    """Returns pawn moves that are legal from this position and from the standard one."""
    boards = (start, chess.Board())
    line = []
    for _ in range(rng.randint(10, 16)):
        common = set(boards[0].legal_moves) & set(boards[1].legal_moves)
        pawns = sorted((move for move in common if start.piece_type_at(move.from_square) == chess.PAWN
                        and not start.is_capture(move)), key=chess.Move.uci)
        if not pawns:
            return None
        move = rng.choice(pawns)
        sans = {board.san(move) for board in boards}
        if len(sans) > 1:
            return None
        line += sans
        for board in boards:
            board.push(move)
    for board in boards:
        while board.move_stack:
            board.pop()
    return line


KINDS = [
    (blitz_match, 4), (match_without_rounds, 1), (short_then_long, 1), (replayed_later, 2), (replayed_with_hash, 1),
    (replayed_with_number, 1), (famous_line, 4), (famous_line_one_player, 2), (number_of_other_players, 1),
    (forfeit_of_others, 8), (forfeit_of_other_round, 2), (forfeit_of_other_day, 1), (team_draw, 4),
    (short_draw_next_day, 2), (short_draw_other_round, 1), (short_draw_other_year, 2), (simul, 4),
    (simul_with_same_line, 1), (brothers, 1), (brothers_same_day, 1), (father_and_son, 1), (other_numbers, 1),
    (other_federations, 1), (rematch, 6), (rematch_with_same_line, 1), (return_leg, 1), (engine_against_itself, 2),
    (engines_same_opening, 4), (engines_same_game, 1), (event_address, 4), (event_address_same_players, 1),
    (other_result, 1), (other_time, 2), (other_address, 2), (chess960, 1),
]
