"""Source games and invented persons of the labelled set (identity.py).

Source games come from a PGN file or are made by a seeded generator: opening lines that everyone plays,
then random legal moves that prefer captures and development, with the lengths of real games. Persons,
events and FIDE numbers are invented.
"""

import bisect
import difflib
import multiprocessing
import random
import re
from dataclasses import dataclass, field

import chess

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
UNKNOWN = {"Date": "????.??.??", "Result": "*"}
SIDES = ("White", "Black")
FINISHED = ("1-0", "0-1", "1/2-1/2")

# Lines that many games share. Games with a common opening are the raw material of hard negatives.
OPENINGS = [line.split() for line in """
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3
e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6 Bxc6 dxc6 dxe5 Nf5 Qxd8+ Kxd8
e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6
e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 d4 d5 Bd3 Nc6 O-O Be7
e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5 Qe7 Qe2 Nd5
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6
e4 c5 Nf3 Nc6 Bb5 g6 O-O Bg7 Re1 e5 Bxc6 dxc6 d3
e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5
e4 c5 c3 Nf6 e5 Nd5 d4 cxd4 Nf3 Nc6 cxd4 d6
e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7 Qg4 O-O
e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6 Ne2 cxd4 cxd4 f6
e4 c6 d4 d5 e5 Bf5 Nf3 e6 Be2 Nd7 O-O Ne7 Nbd2 h6
e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5 Ng3 Bg6 h4 h6 Nf3 Nd7 h5 Bh7
e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7 Be2 O-O O-O c6
d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7 Bd3 dxc4 Bxc4 b5 Bd3
d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 h6 Bh4 b6 cxd5
d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6 dxc5
d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7
d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7 Bc4 c5 Ne2
d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O Bd3 d5 Nf3 c5 O-O Nc6 a3
d4 Nf6 c4 e6 Nf3 b6 g3 Ba6 b3 Bb4+ Bd2 Be7 Bg2 c6
d4 Nf6 Nf3 d5 Bf4 c5 e3 Nc6 c3 e6 Nbd2 Bd6 Bg3
d4 f5 g3 Nf6 Bg2 g6 Nf3 Bg7 O-O O-O c4 d6 Nc3
c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5 cxd5 Nxd5 Bg2 Nb6 O-O Be7
c4 c5 Nf3 Nf6 Nc3 Nc6 g3 g6 Bg2 Bg7 O-O O-O d3
Nf3 d5 g3 Nf6 Bg2 c6 O-O Bg4 d3 Nbd7 Nbd2 e5 e4 dxe4 dxe4
""".strip().splitlines()]

HEADS = ("Bal Bren Cal Dar Dolm Est Fal Gar Grun Hal Hess Ivor Jarn Kal Korv Lam Lind Mar Mol Nar Nov "
         "Ol Ost Pal Pell Quar Rav Rost Sal Strub Tar Tolv Ul Var Vind Wal Weis Yar Zal Zim").split()
MIDDLES = "a an ar e el en er i in ir o ol om or u ul und asch ek isk".split()
TAILS = ("ba berg chuk dal dez dorf enko eira etti ev feld ger heim idze ijan kamp kov lund mann mets nen "
         "nik oglu ovic quist rian rup sen ski son stad sund tau thal vary veld vik witz zad zian").split()
GIVEN = ("Adrian Agnes Albert Alina Anders Anton Beatriz Bernd Boris Bruno Camille Carlos Clara Dagmar Daniel "
         "David Diego Dora Edgar Elena Emil Erik Esther Fabian Felix Frida Gabor Georg Greta Gustav Hanna Harald "
         "Helena Henrik Hugo Ida Igor Ines Ivan Jakob Jana Jonas Josef Julia Karin Karl Katja Klaus Lars Laura "
         "Leo Lukas Magda Marco Marta Mikhail Milan Nadia Nikola Nils Nora Olaf Olga Oskar Pablo Paula Pavel Petra "
         "Piotr Rafael Regina Robert Roman Rosa Samuel Sara Sergei Sofia Stefan Sven Tamara Teodor Thomas Tibor "
         "Ursula Vadim Vera Victor Viktoria Walter Wanda Xenia Yuri Yvonne Zoltan Zora").split()
FEDERATIONS = "ARG AUT BEL BRA CRO CZE DEN ENG ESP EST FIN FRA GEO GER HUN IND ISR ITA LAT NED NOR POL SWE UKR USA".split()
TOWNS = ("Almeria Bergen Brno Cordoba Debrecen Eupen Gdynia Graz Jurmala Kotka Linz Lviv Malmo Namur Odense Ostrava "
         "Pecs Rijeka Split Tartu Trento Ulm Vejle Zadar").split()
EVENTS = ("{town} Open", "{n}. {town} Open", "{town} Masters", "{town} Memorial", "{town} International",
          "{town} Team Championship", "{town} Club Championship", "{fed} Championship", "{town} Rapid")


@dataclass
class Person:
    surname: str
    given: str
    rating: int
    number: int
    federation: str

    def __str__(self):
        return f"{self.surname}, {self.given}"


@dataclass
class Game:
    tags: dict
    moves: list
    comments: dict = field(default_factory=dict)

    def copy(self):
        return Game(dict(self.tags), list(self.moves), dict(self.comments))

    def __getitem__(self, tag):
        return self.tags.get(tag, "?")

    def set(self, **tags):
        """Sets these tags; None removes one."""
        for tag, value in tags.items():
            if value is None:
                self.tags.pop(tag, None)
            else:
                self.tags[tag] = str(value)

    def pgn(self):
        """Returns the text of the game, with all seven tags of the roster."""
        roster = {tag: self.tags.get(tag, UNKNOWN.get(tag, "?")) for tag in ROSTER}
        rest = {tag: value for tag, value in self.tags.items() if tag not in ROSTER}
        lines = [f'[{tag} "{value}"]' for tag, value in (roster | rest).items()]
        words = []
        for ply, move in enumerate(self.moves):
            if ply % 2 == 0:
                words.append(("\n" if ply % 16 == 0 else "") + f"{ply // 2 + 1}. {move}")
            else:
                words.append(f"{ply // 2 + 1}... {move}" if ply - 1 in self.comments else move)
            if ply in self.comments:
                words.append(f"{{ {self.comments[ply]} }}")
        return "\n".join(lines) + "\n" + " ".join([*words, "\n" + self["Result"]]) + "\n\n"


class Persons:
    """Invents persons. Surnames differ by three letters or more, so that a misprint fits one person only."""

    def __init__(self, rng):
        self.rng, self.near = rng, set()

    def surname(self, tails=TAILS):
        rng = self.rng
        while True:
            link = rng.choice("bdfgklmnprstvz") + rng.choice("aeiou")
            name = rng.choice(HEADS) + rng.choice(MIDDLES) + link + rng.choice(tails)
            # Names at a distance of two have a common form with two letters less, or with one.
            shorter = {name[:i] + name[i + 1:] for i in range(len(name))}
            forms = {name} | shorter | {form[:i] + form[i + 1:] for form in shorter for i in range(len(form))}
            if self.near.isdisjoint(forms):
                self.near |= forms
                return name

    def person(self):
        """Returns a person with a surname that others may have, too."""
        rng = self.rng
        surname = rng.choice(HEADS) + rng.choice(MIDDLES) + rng.choice(TAILS)
        rating = max(1200, min(2800, int(rng.gauss(2250, 220))))
        return Person(surname, rng.choice(GIVEN), rating, rng.randrange(100_000, 40_000_000), rng.choice(FEDERATIONS))


class Pool:
    """Source games in random order, and the games with the same opening as another."""

    def __init__(self, games, rng):
        rng.shuffle(games)
        self.rng, self.unused = rng, games
        self.persons = Persons(rng)
        self.lines = sorted(tuple(game.moves) for game in games)

    def take(self, least=0, most=1000):
        """Returns an unused game with this number of plies."""
        skipped = []
        while self.unused:
            game = self.unused.pop()
            if least <= len(game.moves) <= most:
                self.unused.extend(reversed(skipped))
                return game
            skipped.append(game)
        raise SystemExit("too few source games: use fewer --pairs or more --games")

    def person(self):
        return self.persons.person()

    def other_line(self, moves, same):
        """Returns other moves with at least the first `same` plies of these, or None."""
        begin = tuple(moves[:same])
        first = bisect.bisect_left(self.lines, begin)
        end = first
        while end < len(self.lines) and end - first < 200 and self.lines[end][:same] == begin:
            end += 1
        # Neither line may begin with the other: these could then be the moves of a cut copy.
        others = [line for line in self.lines[first:end]
                  if len(line) > same + 10 and line[:len(moves)] != tuple(moves[:len(line)])]
        # Not the whole line: the game that it comes from may be in the set, too.
        return list(self.rng.choice(others)[:-self.rng.randint(1, 6)]) if others else None


def are_alike(first, second):
    """Returns whether two given names could be forms of one: Elena, Helena."""
    return first[:1] == second[:1] or difflib.SequenceMatcher(None, first.lower(), second.lower()).ratio() > 0.5


TAG = re.compile(r'^\[(\w+) "(.*)"\]\s*$', re.M)
TOKEN = re.compile(r"\{[^}]*\}|;[^\n]*|\$\d+|\d+\.+|1-0|0-1|1/2-1/2|\*|[^\s]+")


def split_name(name):
    surname, _, given = name.partition(",")
    return surname.strip(), given.strip()


def read(path, rng, limit):
    """Returns up to `limit` games of a PGN file without variations, no two of the same players and month
    or with the same moves."""
    text = open(path, encoding="utf-8", errors="replace").read()
    parts = re.split(r"(?m)^(?=\[Event )", text)
    rng.shuffle(parts)
    games, keys = [], set()
    for part in parts:
        game = parse(part)
        if not game:
            continue
        surnames = tuple(sorted(split_name(game[side])[0].lower() for side in SIDES))
        month, line = (surnames, game["Date"][:7]), tuple(game.moves[:50])
        if month in keys or line in keys:
            continue
        keys |= {month, line}
        for side in SIDES:
            surname, given = split_name(game[side])
            if len(given) < 3:
                # Invented, with the initial: most kinds of spellings need a given name.
                names = [name for name in GIVEN if name[0] == given[:1]] or GIVEN
                given = names[hash_of(game[side]) % len(names)]
            game.set(**{side: f"{surname}, {given}"})
        if rng.random() < 0.3:
            for side in SIDES:
                game.set(**{f"{side}FideId": 100_000 + hash_of(game[side]) % 30_000_000})
        games.append(game)
        if len(games) == limit:
            break
    return games


def hash_of(text):
    """Returns a number that is the same in every process."""
    return random.Random(text).randrange(1 << 40)


def parse(part):
    tags = dict(TAG.findall(part))
    movetext = part.rpartition("]")[2]
    if any('"' in value or "\\" in value or "\ufffd" in value for value in tags.values()) or "(" in movetext:
        return None
    tokens = [token for token in TOKEN.findall(movetext) if token[0] not in "{;$*" and not token[0].isdigit()]
    moves = [token.rstrip("!?") for token in tokens]
    known = (re.fullmatch(r"\d{4}\.\d\d\.\d\d", tags.get("Date", "")) and tags.get("Result") in FINISHED
             and all("," in tags.get(side, "") for side in SIDES))
    if not known or len(moves) < 12 or "FEN" in tags or "Variant" in tags:
        return None
    return Game({tag: tags.get(tag, "?") for tag in ROSTER} | tags, moves)


def generate(rng, count):
    """Makes games: rounds of invented tournaments between invented persons."""
    games = []
    with multiprocessing.Pool() as workers:
        while len(games) < count:
            # Seeds of texts: the same games with any number of processors.
            seeds = [f"{rng.random()}" for _ in range(max(1, (count - len(games)) // 45))]
            games = distinct(games + sum(workers.map(tournament, seeds, chunksize=1), []))
    return games


def tournament(seed):
    rng = random.Random(seed)
    persons = Persons(rng)
    players = [persons.person() for _ in range(rng.choice((10, 12, 16)))]
    town, year = rng.choice(TOWNS), rng.randint(1975, 2024)
    event = rng.choice(EVENTS).format(town=town, n=rng.randint(2, 40), fed=rng.choice(FEDERATIONS))
    has_numbers = year > 2005 and rng.random() < 0.6
    month, day = rng.randint(1, 12), rng.randint(1, 18)
    games = []
    for turn in range(rng.randint(5, 9)):
        # Everyone meets everyone once: the first stays, the others move on by one place.
        players = [players[0], players[-1], *players[1:-1]]
        for board in range(len(players) // 2):
            white, black = rng.sample((players[board], players[-1 - board]), 2)
            moves, result = play(rng)
            game = Game({
                "Event": event, "Site": town, "Date": f"{year}.{month:02}.{day + turn:02}",
                "Round": f"{turn + 1}.{board + 1}", "White": str(white), "Black": str(black), "Result": result,
                "WhiteElo": str(white.rating), "BlackElo": str(black.rating), "ECO": "A00"}, moves)
            if has_numbers:
                game.set(WhiteFideId=white.number, BlackFideId=black.number)
            games.append(game)
    return games


def distinct(games):
    """Leaves out a game of two players who have met already, and a line that was played already."""
    keys, rest = set(), []
    for game in games:
        mine = {frozenset((game["White"], game["Black"])), tuple(game.moves)}
        if keys.isdisjoint(mine):
            keys |= mine
            rest.append(game)
    return rest


def play(rng):
    """Returns the moves and the result of a random game."""
    board, moves = chess.Board(), []
    line = rng.choice(OPENINGS)
    plies = min(220, max(14, int(rng.lognormvariate(4.25, 0.45))))
    for san in line[:rng.randint(6, len(line))]:
        board.push_san(san)
        moves.append(san)
    while len(moves) < plies:
        legal = list(board.legal_moves)
        if not legal:
            break
        move = max(rng.sample(legal, min(3, len(legal))), key=lambda move: appeal(board, move, rng))
        moves.append(board.san_and_push(move))
    if board.is_checkmate():
        return moves, "0-1" if board.turn else "1-0"
    return moves, rng.choices(FINISHED, (38, 28, 34))[0]


def appeal(board, move, rng):
    taken = board.piece_type_at(move.to_square) or 0
    piece = board.piece_type_at(move.from_square)
    quiet_king = piece == chess.KING and not board.is_castling(move)
    return 2 * taken - piece / 2 * bool(taken) - 2 * quiet_king + move.to_square % 8 % 5 / 4 + rng.random()
