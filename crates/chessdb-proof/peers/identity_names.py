"""The names part of identity.py: spellings of one person, and different persons, for `names --suggest`.

Each case has two or three names with games that give the evidence: years, ratings, FIDE numbers, opponents.
All cases are in one PGN file; surnames of different cases differ by three letters or more. A line of the output
joins two names; a line with the mark `# ambiguous` leaves the choice to the reader.
"""

import collections
import random
import re
import subprocess
import sys
from dataclasses import dataclass

from identity_copies import UMLAUTS
from identity_games import GIVEN, Game, Persons, are_alike

CASES = 100
FROM_FILE = 2000
# Syllables of invented surnames that several alphabets and languages write differently.
TRANSLITERATED = [("shch", "sch"), ("yev", "jew"), ("iy", "y"), ("kh", "ch"), ("zh", "sch"), ("tsov", "zov"),
                  ("chuk", "tschuk"), ("yan", "ian"), ("vich", "witsch"), ("ya", "ja"), ("yu", "ju"), ("ov", "ow")]
ACCENTED = [("a", "ä"), ("o", "ö"), ("u", "ü")]


@dataclass
class Entry:
    """A name as it is spelled, with the number of its games and what they state."""

    name: str
    games: int
    year: int = 2015
    rating: int = None
    number: int = None
    met: str = None


@dataclass
class Case:
    kind: str
    is_one: bool
    entries: list


class Maker:
    def __init__(self, rng):
        self.rng, self.persons = rng, Persons(rng)

    def name(self):
        return self.persons.surname(), self.rng.choice(GIVEN)

    def years(self):
        year = self.rng.randint(1985, 2020)
        return year, year + self.rng.randint(0, 3)

    def pair(self, name, alias, **evidence):
        """Two spellings of one person: the correct one is the more frequent."""
        first, second = self.years()
        rating = self.rng.randint(1800, 2600)
        known = evidence.get("number")
        return [Entry(name, self.rng.randint(4, 8), first, rating, known),
                Entry(alias, self.rng.randint(1, 2), second, rating + self.rng.randint(-30, 30), known)]


def accented(maker):
    """Returns a surname with a letter of another alphabet, and a given name."""
    while True:
        surname, given = maker.name()
        places = [(i, new) for i in range(1, len(surname) - 1) for old, new in ACCENTED if surname[i] == old]
        if places:
            i, new = maker.rng.choice(places)
            return surname[:i] + new + surname[i + 1:], given


def initial(maker):
    surname, given = maker.name()
    return maker.pair(f"{surname}, {given}", f"{surname}, {given[0]}" + maker.rng.choice(("", ".")))


def given_first(maker):
    surname, given = maker.name()
    return maker.pair(f"{surname}, {given}", f"{given} {surname}")


def no_blank(maker):
    surname, given = maker.name()
    return maker.pair(f"{surname}, {given}", f"{surname},{given}")


def capitals(maker):
    surname, given = maker.name()
    return maker.pair(f"{surname}, {given}", f"{surname.upper()}, {given}")


def digraph(maker):
    surname, given = accented(maker)
    return maker.pair(f"{surname}, {given}", f"{surname.translate(str.maketrans(UMLAUTS))}, {given}")


def without_accent(maker):
    surname, given = accented(maker)
    plain = surname.translate(str.maketrans("äöü", "aou"))
    return maker.pair(f"{surname}, {given}", f"{plain}, {given}")


def transliteration(maker):
    stem, given = maker.persons.surname(tails=[""]), maker.rng.choice(GIVEN)
    ours, theirs = maker.rng.choice(TRANSLITERATED)
    return maker.pair(f"{stem}{ours}enko, {given}", f"{stem}{theirs}enko, {given}")


def misprint(maker):
    """A letter doubled, missing, exchanged or wrong in the surname."""
    surname, given = maker.name()
    i = maker.rng.randrange(1, len(surname) - 1)
    wrong = maker.rng.choice((surname[:i] + surname[i:i + 1] + surname[i:], surname[:i] + surname[i + 1:],
                              surname[:i] + surname[i + 1] + surname[i] + surname[i + 2:],
                              surname[:i] + maker.rng.choice("aeioukmt") + surname[i + 1:]))
    if wrong == surname:
        wrong = surname + surname[-1]
    return maker.pair(f"{surname}, {given}", f"{wrong}, {given}")


def misprint_in_given(maker):
    surname, given = maker.name()
    while len(given) < 5:
        given = maker.rng.choice(GIVEN)
    i = maker.rng.randrange(2, len(given))
    return maker.pair(f"{surname}, {given}", f"{surname}, {given[:i] + given[i] + given[i:]}")


def double_surname(maker):
    surname, given = maker.name()
    second = maker.persons.surname()
    full, form = maker.rng.choice(((f"{surname}-{second}", f"{surname} {second}"),
                                   (f"{surname} {second}", f"{surname}-{second}")))
    return maker.pair(f"{full}, {given}", f"{form}, {given}")


def second_given_name(maker):
    surname, given = maker.name()
    second = maker.rng.choice(GIVEN)
    return maker.pair(f"{surname}, {given} {second}", f"{surname}, {given} {second[0]}")


def title(maker):
    surname, given = maker.name()
    return maker.pair(f"{surname}, {given}", f"{surname}, {given} ({maker.rng.choice(('GM', 'IM', 'GER'))})")


def marriage(maker):
    surname, given = maker.name()
    number = maker.rng.randrange(100_000, 30_000_000)
    return maker.pair(f"{surname}, {given}", f"{maker.persons.surname()}, {given}", number=number)


def two(maker, first, second, **changes):
    """Two different persons, with the same evidence except for the changes of the second."""
    year, rating = maker.rng.randint(1990, 2018), maker.rng.randint(2000, 2400)
    one = Entry(first, maker.rng.randint(3, 6), year, rating)
    other = Entry(second, maker.rng.randint(1, 3), year, rating)
    for key, value in changes.items():
        setattr(other, key, value)
    return [one, other]


def junior(maker):
    surname, given = maker.name()
    mark = maker.rng.choice((" jr.", " jr", " Jr", " jun.", " sen.", " Sr", " II", " III"))
    return two(maker, f"{surname}, {given}", f"{surname}, {given}{mark}")


def number_after(maker):
    surname, given = maker.name()
    mark = maker.rng.choice(("2", " 2", "1", " (2)"))
    return two(maker, f"{surname}, {given}", f"{surname}, {given}{mark}")


def letter_after(maker):
    surname, given = maker.name()
    first, second = maker.rng.sample("ABDKMS", 2)
    return two(maker, f"{surname}, {given} {first}", f"{surname}, {given} {second}")


def numbers_differ(maker):
    surname, given = maker.name()
    first, second = maker.rng.sample(range(100_000, 30_000_000), 2)
    pair = two(maker, f"{surname}, {given}", f"{surname}, {given[0]}", number=second)
    pair[0].number = first
    return pair


def numbers_differ_misprint(maker):
    pair = numbers_differ(maker)
    surname, _, given = pair[0].name.partition(", ")
    pair[1].name = f"{surname[:3]}{surname[2]}{surname[3:]}, {given}"
    return pair


def brothers(maker):
    surname, given = maker.name()
    other = maker.rng.choice([name for name in GIVEN if not are_alike(name, given)])
    return two(maker, f"{surname}, {given}", f"{surname}, {other}")


def same_initial(maker):
    """Two full given names that begin with the same letters."""
    pairs = [(a, b) for a in GIVEN for b in GIVEN if a < b and a[:2] == b[:2]] + [("Koen", "Konstantin")]
    surname, _ = maker.name()
    first, second = maker.rng.choice(pairs)
    return two(maker, f"{surname}, {first}", f"{surname}, {second}")


def met(maker):
    surname, given = maker.name()
    pair = two(maker, f"{surname}, {given}", f"{surname}, {given[0]}")
    pair[1].met = pair[0].name
    return pair


def met_misprint(maker):
    pair = met(maker)
    surname, _, given = pair[0].name.partition(", ")
    pair[1].name = f"{surname[:4]}{surname[3]}{surname[4:]}, {given}"
    return pair


def initial_of_two(maker):
    """An initial that two persons have: to join it with one of them is a guess."""
    surname, _ = maker.name()
    first, second = maker.rng.choice([(a, b) for a in GIVEN for b in GIVEN if a < b and a[0] == b[0]])
    pair = two(maker, f"{surname}, {first}", f"{surname}, {second}")
    return [*pair, Entry(f"{surname}, {first[0]}", 2, pair[0].year, pair[0].rating)]


def ratings_differ(maker):
    """600 points apart in one year."""
    surname, given = maker.name()
    return two(maker, f"{surname}, {given}", f"{surname}, {given[0]}", rating=maker.rng.randint(1250, 1399))


def centuries(maker):
    surname, given = maker.name()
    pair = two(maker, f"{surname}, {given}", f"{surname}, {given[0]}", year=maker.rng.randint(1860, 1895), rating=None)
    pair[0].year = max(1985, pair[0].year)
    return pair


ALIASES = [initial, given_first, no_blank, capitals, digraph, without_accent, transliteration, misprint,
           misprint_in_given, double_surname, second_given_name, title, marriage]
NAMESAKES = [junior, number_after, letter_after, numbers_differ, numbers_differ_misprint, brothers, same_initial, met,
             met_misprint, initial_of_two, ratings_differ, centuries]


def from_file(path, rng):
    """Returns aliases of a Scid spelling file; an alias of two names is left out."""
    names, current, in_players = collections.defaultdict(set), None, True
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("@"):
            in_players = line.startswith("@PLAYER")
        elif in_players and line.strip().startswith("="):
            if current:
                names[line.strip()[1:].strip()].add(current)
        elif in_players and line[:1].isalpha():
            current = re.split(r"\s+#|\s{2,}", line)[0].strip()
    pairs = [(alias, *correct) for alias, correct in sorted(names.items())
             if len(correct) == 1 and "," in alias and not any(c in '"\\' for c in alias)]
    chosen = rng.sample(pairs, min(FROM_FILE, len(pairs)))
    return [Case("spelling file", True, [Entry(name, 5), Entry(alias, 1)]) for alias, name in chosen]


def games_of(case, opponents, rng):
    for entry in case.entries:
        rivals = [entry.met] * bool(entry.met) + rng.sample(opponents, min(entry.games, 8))
        for turn, rival in enumerate(rivals[:max(1, entry.games)], 1):
            game = Game({"Event": "Open", "Site": "Ulm", "Date": f"{entry.year}.{rng.randint(1, 12):02}.{turn:02}",
                         "Round": f"{turn}", "White": entry.name, "Black": rival, "Result": "1-0"},
                        ["e4", "e5", "Nf3", "Nc6", "Bb5"])
            if entry.rating:
                game.set(WhiteElo=entry.rating)
            if entry.number:
                game.set(WhiteFideId=entry.number)
            yield game


def suggestions(program, file):
    """Returns the pairs that the output joins, and those that it marks as ambiguous."""
    ran = subprocess.run([program, "names", file, "--suggest"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        sys.exit(f"names --suggest: exit {ran.returncode}\n{ran.stderr}")
    joined, marked = set(), set()
    for line in ran.stdout.splitlines():
        target = marked if line.startswith("#") else joined
        names = re.sub(r"^#[^:]*:\s*", "", line).split("\t")
        if len(names) >= 2:
            target.add(frozenset(name.strip() for name in names[:2]))
    return joined, marked


def groups(joined):
    """Returns, per name, a representative of all names that are joined with it."""
    parent = {}

    def root(name):
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for pair in joined:
        first, *rest = pair
        for other in rest:
            parent[root(first)] = root(other)
    return {name: root(name) for name in parent}


def measure(program, args, folder):
    """Prints the tables; returns whether the aims are reached, and the counts."""
    rng = random.Random(args.seed)
    maker = Maker(rng)
    cases = [Case(kind.__name__, is_one, kind(maker)) for kinds, is_one in ((ALIASES, True), (NAMESAKES, False))
             for kind in kinds for _ in range(CASES)]
    if args.names:
        cases += from_file(args.names, rng)
    rng.shuffle(cases)
    opponents = [f"{maker.persons.surname()}, {rng.choice(GIVEN)}" for _ in range(40)]
    file = folder / "names.pgn"
    games = [game for case in cases for game in games_of(case, opponents, rng)]
    rng.shuffle(games)
    file.write_text("".join(game.pgn() for game in games))
    joined, marked = suggestions(program, file)
    root, counts, owner = groups(joined), collections.defaultdict(collections.Counter), {}
    for case in cases:
        names = [entry.name for entry in case.entries]
        owner.update(dict.fromkeys(names, id(case)))
        together = len({root.get(name, name) for name in names}) < len(names)
        is_marked = any(pair <= set(names) for pair in marked) and not together
        counts[case.is_one, case.kind].update(cases=1, joined=together, marked=is_marked)
    strangers = [sorted(pair) for pair in joined if len({owner.get(name, name) for name in pair}) > 1]
    report(counts, strangers)
    aliases = sum((row for (is_one, _), row in counts.items() if is_one), collections.Counter())
    wrong = sum(row["joined"] for (is_one, _), row in counts.items() if not is_one) + len(strangers)
    rows = [{"one_person": is_one, "kind": kind, **row} for (is_one, kind), row in counts.items()]
    proposed = aliases["joined"] + aliases["marked"]
    return wrong == 0 and proposed >= 0.95 * aliases["cases"], {"kinds": rows, "strangers": strangers}


def report(counts, strangers):
    for is_one, title in ((True, "names of one person"), (False, "names of different persons")):
        print(f"\n{title:<28}{'cases':>7}{'joined':>8}{'marked':>8}")
        total = collections.Counter()
        for (of_one, kind), row in counts.items():
            if of_one == is_one:
                total.update(row)
        for kind, row in [*sorted((kind, row) for (of_one, kind), row in counts.items() if of_one == is_one),
                          ("all", total)]:
            print(f"{kind:<28}{row['cases']:>7}{row['joined']:>8}{row['marked']:>8}")
    print(f"names of unrelated persons joined: {len(strangers)}", *strangers[:5])
