"""Kinds of copies of one game (identity.py).

Each function changes a copy `b` of the game `a`, and `a` itself where the kind needs that. It returns
False if the kind is impossible for this game; the caller then takes another one. A first line of its
documentation describes the kind. `KINDS` gives the weights: how frequent the kind is in life.
"""

import datetime
import string

import chess

from identity_games import FEDERATIONS, FINISHED, GIVEN, SIDES, TOWNS, split_name

UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"}
PLAIN = str.maketrans("äöüøå", "aouoa")
ACCENTED = ("Müller Jäger König Schröder Björk Sørland Håland Groß Vögel Bühlmann Döring Kühn Lübeck Märtens Nørby "
            "Pöhl Rüdiger Schäfer Töpfer Wörner Åkesson Höfling Grünau Bäumler").split()
# Forms of one event and one site: English, another language, the abbreviation.
EVENT_FORMS = [
    ("{town} Open", "Offenes Turnier {town}", "{town} op"),
    ("{town} Championship", "Meisterschaft von {town}", "{town}-ch"),
    ("National Championship {fed}", "Landesmeisterschaft {fed}", "ch-{fed}"),
    ("{town} Memorial", "Gedenkturnier {town}", "{town} mem"),
    ("Olympiad Men", "Schacholympiade Herren", "Ol (Men)"),
    ("Women's Championship {fed}", "Championnat feminin {fed}", "{fed}-ch (Women)"),
    ("{town} International", "Torneo internacional {town}", "{town} int"),
    ("{town} Rapid", "Schnellschachturnier {town}", "{town} rpd"),
    ("World Youth Championship U16", "Jugendweltmeisterschaft U16", "Wch U16"),
    ("European Club Cup", "Europapokal der Vereine", "ECC"),
]
SITE_FORMS = [
    ("Moscow", "Moskau"), ("Munich", "München"), ("Vienna", "Wien"), ("Prague", "Praha"), ("Cologne", "Köln"),
    ("Copenhagen", "Kopenhagen"), ("Warsaw", "Warszawa"), ("The Hague", "Den Haag"), ("Geneva", "Genf"),
    ("Rome", "Roma"), ("Lisbon", "Lissabon"), ("Athens", "Athen"), ("Brussels", "Bruxelles"), ("Seville", "Sevilla"),
]
SPONSORS = "Energosat Bankhaus-Lund Telvia Kortex Solarium Nordhafen".split()
REMARKS = ("the main line", "a novelty", "better was the quiet move", "with the initiative", "time trouble",
           "the decisive error", "and White is better")
OPENING_NAMES = ("Sicilian", "Ruy Lopez", "Queen's Gambit Declined", "English Opening", "French")
LETTERS = string.ascii_letters + string.digits


def rename(game, form, sides=SIDES):
    """Writes names in another form: `form` gets surname and given name."""
    game.set(**{side: form(*split_name(game[side])) for side in sides})


def word(rng, length=8):
    return "".join(rng.choices(LETTERS, k=length))


def shift(date, days):
    year, month, day = map(int, date.split("."))
    try:
        return (datetime.date(year, month, day) + datetime.timedelta(days)).strftime("%Y.%m.%d")
    except ValueError:
        return None


def with_round(a, b, rng):
    """Gives both games one round with a board; returns round and board."""
    number, board = rng.randint(1, 9), rng.randint(1, 40)
    for game in (a, b):
        game.set(Round=f"{number}.{board}")
    return number, board


def identical(a, b, rng):
    pass


def annotated(a, b, rng):
    for ply in rng.sample(range(len(b.moves)), min(len(b.moves), rng.randint(1, 9))):
        b.comments[ply] = rng.choice(REMARKS)
    b.set(Annotator=rng.choice(GIVEN))


def initials(a, b, rng):
    dot = rng.choice(("", "."))
    rename(b, lambda surname, given: f"{surname}, {given[0]}{dot}")


def given_first(a, b, rng):
    rename(b, lambda surname, given: f"{given} {surname}")


def surname_only(a, b, rng):
    rename(b, lambda surname, given: surname)


def umlauts(a, b, rng):
    table = rng.choice((str.maketrans(UMLAUTS), PLAIN))
    names = {side: f"{rng.choice(ACCENTED)}, {rng.choice(GIVEN)}" for side in SIDES}
    a.set(**names)
    b.set(**{side: name.translate(table).replace("ß", "ss") for side, name in names.items()})


def one_letter(a, b, rng):
    def wrong(surname, given):
        if len(surname) < 5:
            return f"{surname}, {given}"
        place = rng.randrange(1, len(surname))
        how = rng.randrange(4)
        if how == 0:
            new = surname[:place] + surname[place + 1:]
        elif how == 1:
            new = surname[:place] + surname[place] + surname[place:]
        elif how == 2:
            new = surname[:place] + rng.choice("aeiouvwyksz") + surname[place + 1:]
        else:
            new = surname[:place - 1] + surname[place] + surname[place - 1] + surname[place + 1:]
        return f"{new.capitalize()}, {given}"
    rename(b, wrong, [rng.choice(SIDES)])
    return any(a[side] != b[side] for side in SIDES)


def no_blank(a, b, rng):
    rename(b, lambda surname, given: f"{surname},{given}")


def capitals(a, b, rng):
    rename(b, lambda surname, given: f"{surname.upper()}, {given}")


def transposed(a, b, rng):
    rename(b, lambda surname, given: f"{given}, {surname}")


def day_unknown(a, b, rng):
    b.set(Date=a["Date"][:8] + "??")


def month_unknown(a, b, rng):
    b.set(Date=a["Date"][:5] + "??.??")


def date_missing(a, b, rng):
    b.set(Date=rng.choice((None, "????.??.??")))


def one_day_off(a, b, rng):
    b.set(Date=shift(a["Date"], rng.choice((-1, 1))))
    return b["Date"] != "?" and len(a.moves) >= 24


def first_day(a, b, rng):
    first = shift(a["Date"], -rng.randint(2, 8))
    b.set(Date=first)
    a.set(EventDate=first)
    if rng.random() < 0.5:
        b.set(EventDate=first)
    return first is not None and len(a.moves) >= 24


def round_missing(a, b, rng):
    with_round(a, b, rng)
    b.set(Round=rng.choice(("?", "-", None)))


def round_without_board(a, b, rng):
    number, _ = with_round(a, b, rng)
    b.set(Round=number)


def round_with_zero(a, b, rng):
    number, board = with_round(a, b, rng)
    b.set(Round=rng.choice((f"0{number}.{board}", f"0{number}", f"{number}.{board:02}")))


def round_in_words(a, b, rng):
    number, _ = with_round(a, b, rng)
    b.set(Round=rng.choice((f"Round {number}", f"({number})", f"Rd {number}", f"R{number}")))


def other_board(a, b, rng):
    number, board = with_round(a, b, rng)
    b.set(Round=f"{number}.{board + rng.randint(1, 9)}")


def event_forms(a, b, rng, form):
    town, fed = rng.choice(TOWNS), rng.choice(FEDERATIONS)
    forms, sites = rng.choice(EVENT_FORMS), rng.choice(SITE_FORMS)
    year = rng.choice(("", " " + a["Date"][:4]))
    a.set(Event=forms[0].format(town=town, fed=fed) + year, Site=sites[0])
    b.set(Event=forms[form].format(town=town, fed=fed) + year)
    return sites


def other_language(a, b, rng):
    b.set(Site=event_forms(a, b, rng, 1)[1])


def abbreviated(a, b, rng):
    b.set(Site=event_forms(a, b, rng, 2)[0] + rng.choice(("", f" {rng.choice(FEDERATIONS)}")))


def sponsor(a, b, rng):
    name = rng.choice(SPONSORS)
    b.set(Event=rng.choice((f"{name} {a['Event']}", f"{a['Event']} - {name} Cup", f"{a['Event']} {a['Date'][:4]}")))


def event_missing(a, b, rng):
    b.set(Event=rng.choice(("?", None)), Site=rng.choice(("?", None)))


def without_last(game, share, rng):
    plies = max(1, round(len(game.moves) * share))
    del game.moves[-plies:]
    return len(game.moves) >= 20


def last_move_cut(a, b, rng):
    return without_last(b, 0.01, rng)


def twentieth_cut(a, b, rng):
    return without_last(b, 0.05, rng)


def third_cut(a, b, rng):
    return without_last(b, 0.3, rng)


def longer(a, b, rng):
    return without_last(a, rng.uniform(0.02, 0.15), rng)


def unfinished(a, b, rng):
    running, finished = (a, b) if rng.random() < 0.5 else (b, a)
    running.set(Result="*")
    return without_last(running, rng.uniform(0.02, 0.4), rng) and finished["Result"] in FINISHED


def wrong_moves(a, b, rng, count):
    """Replaces moves by others of a piece of the same kind, such that all that follow stay legal."""
    board = chess.Board()
    line = [board.push_san(move) for move in a.moves]
    changed = 0
    for ply in rng.sample(range(12, max(13, len(line))), max(0, min(40, len(line) - 13))):
        board = chess.Board()
        for move in line[:ply]:
            board.push(move)
        kind = board.piece_type_at(line[ply].from_square)
        for move in board.legal_moves:
            if move != line[ply] and board.piece_type_at(move.from_square) == kind:
                sans = replay(board, [move, *line[ply + 1:]])
                if sans:
                    b.moves[ply:] = sans
                    line[ply] = move
                    changed += 1
                    break
        if changed == count:
            return True
    return False


def replay(board, line):
    """Returns the moves in SAN, or None if one is illegal."""
    board = board.copy(stack=False)
    sans = []
    for move in line:
        if not board.is_legal(move):
            return None
        sans.append(board.san_and_push(move))
    return sans


def one_wrong_move(a, b, rng):
    return wrong_moves(a, b, rng, 1)


def two_wrong_moves(a, b, rng):
    return wrong_moves(a, b, rng, 2)


def ratings_missing(a, b, rng):
    for game in (b, a) if rng.random() < 0.1 else (b,):
        game.set(WhiteElo=None, BlackElo=None)


def other_list(a, b, rng):
    for side in SIDES:
        if a[f"{side}Elo"].isdigit():
            b.set(**{f"{side}Elo": int(a[f"{side}Elo"]) + rng.choice((-1, 1)) * rng.randint(1, 60)})


def twic_form(a, b, rng):
    """Changes a game to the form of The Week in Chess."""
    rename(b, lambda surname, given: f"{surname},{rng.choice((given, given[0]))}")
    b.set(Event=f"{rng.randint(2, 40)}th {a['Event']} {a['Date'][:4]}", EventDate=shift(a["Date"], -rng.randint(0, 3)),
          Site=f"{a['Site']} {rng.choice(FEDERATIONS)}", WhiteTitle="GM", BlackTitle="IM")


def chessbase_form(a, rng):
    a.set(Round=a["Round"].partition(".")[0], EventDate=a["Date"][:8] + "??", EventType="swiss", EventRounds="9",
          EventCountry=rng.choice(FEDERATIONS), SourceTitle="Magazine 118", SourceDate=a["Date"][:8] + "28",
          SourceVersion="1", SourceQuality="1", PlyCount=len(a.moves))


def twic_and_chessbase(a, b, rng):
    twic_form(a, b, rng)
    chessbase_form(a, rng)


def chess_com_form(a, b, rng):
    chessbase_form(a, rng)
    rename(b, lambda surname, given: f"{given} {surname}")
    time = f"{rng.randint(9, 20)}:{rng.randint(10, 59)}:{rng.randint(10, 59)}"
    b.set(Event=f"Live Chess - {a['Event']}", Site="Chess.com", Round="-", UTCDate=a["Date"], UTCTime=time,
          TimeControl="5400+30", Termination="by resignation",
          Link=f"https://www.chess.com/game/live/{rng.randrange(10**9, 10**11)}")


def broadcast_form(a, b, rng):
    number = a["Round"].partition(".")[0]
    address = f"https://lichess.org/broadcast/{word(rng)}/round-{number}/{word(rng)}"
    b.set(Event=f"Round {number}: {a['White']} - {a['Black']}", Site=f"{address}/{word(rng)}", Round=a["Round"],
          BroadcastName=a["Event"], BroadcastURL=address, GameURL=f"{address}/{word(rng)}", UTCDate=a["Date"],
          UTCTime=f"{rng.randint(9, 20)}:{rng.randint(10, 59)}:00", Variant="Standard")
    for ply in range(0, len(b.moves)):
        b.comments[ply] = f"[%clk 1:{59 - ply % 60:02}:{rng.randint(10, 59)}]"


def accounts(a, b, rng):
    """The same game with account names and with real ones; the address is the game's."""
    address = f"https://lichess.org/{word(rng)}"
    a.set(Site=address, Event="Rated Blitz game", Round="-", UTCDate=a["Date"], TimeControl="180+2")
    b.set(Site=address, Event="Online Blitz", Round=rng.choice(("-", "4")),
          White=f"{word(rng, 5)}_{rng.randint(1, 99)}", Black=word(rng, 9))


def marriage(a, b, rng):
    side = rng.choice(SIDES)
    number = rng.randrange(100_000, 30_000_000)
    for game in (a, b):
        game.set(**{f"{side}FideId": number})
    new = rng.choice(ACCENTED).translate(str.maketrans(UMLAUTS)) + rng.choice(("", "ova", "sen"))
    rename(b, lambda surname, given: rng.choice((f"{new}, {given}", f"{surname}-{new}, {given}")), [side])


def other_opening(a, b, rng):
    a.set(ECO=f"{rng.choice('ABCDE')}{rng.randint(10, 99)}")
    b.set(ECO=f"{rng.choice('ABCDE')}{rng.randint(10, 99)}", Opening=rng.choice(OPENING_NAMES))


def extra_tags(a, b, rng):
    b.set(WhiteTitle="FM", BlackTeam=rng.choice(TOWNS), WhiteTeam=rng.choice(TOWNS), Source=rng.choice(SPONSORS),
          Remark="from the score sheet")


def time_in_one(a, b, rng):
    b.set(UTCDate=a["Date"], UTCTime=f"{rng.randint(9, 20)}:{rng.randint(10, 59)}:{rng.randint(10, 59)}")


def source_tags(a, b, rng):
    b.set(HashCode=f"{rng.randrange(1 << 32):08x}", GameNumber=rng.randint(1, 9000), PlyCount=len(b.moves),
          TotalPlyCount=len(b.moves))
    if rng.random() < 0.5:
        a.set(GameNumber=rng.randint(1, 9000))


def several(a, b, rng):
    """Changes that come together in life: initials, a date without day, no round, no ratings."""
    initials(a, b, rng)
    day_unknown(a, b, rng)
    round_missing(a, b, rng)
    b.set(WhiteElo=None, BlackElo=None)
    return len(a.moves) >= 24


# The function, its weight in life, and whether the kind is hard.
KINDS = [
    (identical, 20, False), (annotated, 8, False), (initials, 6, False), (given_first, 4, False),
    (surname_only, 1, True), (umlauts, 2, True), (one_letter, 2, True), (no_blank, 8, False), (capitals, 1, False),
    (transposed, 0.5, True), (day_unknown, 3, False), (month_unknown, 3, True), (date_missing, 2, True),
    (one_day_off, 1.5, True), (first_day, 1.5, True), (round_missing, 5, False), (round_without_board, 3, True),
    (round_with_zero, 1, True), (round_in_words, 1, True), (other_board, 0.5, True), (other_language, 1.5, True),
    (abbreviated, 3, True), (sponsor, 2, True), (event_missing, 2, True), (last_move_cut, 2, True),
    (twentieth_cut, 1, True), (third_cut, 0.3, True), (longer, 1, True), (unfinished, 1, True),
    (one_wrong_move, 1, True), (two_wrong_moves, 0.3, True), (ratings_missing, 4, False), (other_list, 3, False),
    (twic_and_chessbase, 4, True), (chess_com_form, 1, True), (broadcast_form, 1.5, True), (accounts, 0.5, True),
    (marriage, 0.3, True), (other_opening, 3, False), (extra_tags, 4, False), (time_in_one, 1.5, False),
    (source_tags, 3, False), (several, 1, True),
]
