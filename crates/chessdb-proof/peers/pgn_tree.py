#!/usr/bin/env python3
"""Dump PGN files as JSON trees, so that two exports can be compared game by game.

    pgn_tree.py FILE.pgn [OUT.json]      dump (OUT default: stdout)
    pgn_tree.py --diff A B [MAX]         compare two files (.pgn, or .json of this form), print the
                                         first MAX (20) differences; exit code 1 if there are any.
                                         SetUp is not compared where both have a FEN

Only python-chess's board is used (to turn SAN into moves); tokens and trees are made here, because
python-chess itself forgets the order of NAGs and which comment stood where.

A JSON list with one object per game, each on a line of its own, written as soon as it is read:
    tags     object, name -> value (the last one of a name wins; escapes \\" and \\\\ undone)
    pre      comment before the first move
    line     list of moves: "e2e4", or [uci, [NAGs], comment, [variations]] with the comment before
             the move as a fifth element where there is one. A variation is again a line. Null move
             "0000", promotion "a7a8q", castling as the king's move (in Chess960 as king takes
             rook when the plain form would be ambiguous: what python-chess prints).
    result   the result token of the movetext, "" if missing
    deleted  true where the ScidFlags tag holds D (the tag itself is left out of `tags` then)
    faults   list of texts (at most 20), only where something could not be read; the rest of that
             game is skipped
A comment after a variation belongs to the move the variation replaces. Several comments at one
place are joined by one space. White space inside comments is left as found; --diff collapses it.
Each tag value and each comment is decoded by itself: valid UTF-8 as UTF-8, anything else as
windows-1252 (Scid exports stored bytes as they are, so one game may hold both).
"""

import contextlib
import itertools
import json
import re
import sys

import chess

TOKEN = re.compile(
    r"""\s*(?:
      (?P<comment>\{[^}]*\}?)
    | (?P<semi>;[^\n]*)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<nag>\$\d+)
    | (?P<result>1-0|0-1|1/2(?:-1/2)?|\*)
    | (?P<null>--|Z0|null|0000|@@@@)(?![\w-])
    | (?P<castle>(?:[O0o]-[O0o](?:-[O0o])?|OO(?:O)?)(?![\w-])[+\#]*)
    | (?P<number>\d+\s*\.*|\.+)
    | (?P<san>[A-Za-z][A-Za-z0-9=\-:]*(?:\([QRBN]\))?[+\#]*)
    | (?P<glyph>[!?]+|[^\s{}();$\w]+)
    )""",
    re.X | re.A,
)
GLYPHS = {
    "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "=": 10, "~": 13, "∞": 13, "+=": 14,
    "⩲": 14, "+/=": 14, "=+": 15, "⩱": 15, "=/+": 15, "+/-": 16, "±": 16, "-/+": 17, "∓": 17,
    "+-": 18, "-+": 19, "+--": 20, "N": 146, "D": 201,
}
TAG = re.compile(r'\s*\[\s*([^\s"\]]+)\s*"((?:[^"\\]|\\.)*)"\s*\]', re.S | re.A)
# Quotes inside the value that nobody escaped (Scid's export): up to the last one of the line.
LOOSE_TAG = re.compile(r'\s*\[\s*([^\s"\]]+)\s*"(.*)"\s*\][ \t]*$', re.M | re.A)


# What is a blank between tokens: ASCII only, since the text to cut holds one character per byte.
BLANKS = " \t\n\r\v\f"


def decode(text):
    """A piece of the file (one character per byte) as the text that its bytes mean."""
    data = text.encode("latin-1")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    # The five bytes without a character in windows-1252 are control characters, as on the Web.
    return "".join(
        chr(byte) if byte in b"\x81\x8d\x8f\x90\x9d" else bytes([byte]).decode("cp1252")
        for byte in data
    )


class Node:
    """One move under construction."""

    def __init__(self, uci):
        self.uci, self.nags, self.comment, self.lines, self.before = uci, [], "", [], ""

    def plain(self):
        if not (self.nags or self.comment or self.lines or self.before):
            return self.uci
        out = [self.uci, self.nags, self.comment, [[m.plain() for m in l] for l in self.lines]]
        return out + [self.before] if self.before else out


def join(old, new):
    return (old + " " + new).strip(BLANKS) if old else new.strip(BLANKS)


class Reader:
    def __init__(self, text):
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        # Escape lines; a % inside a comment that happens to start a line is rare enough to be
        # forbidden in our texts.
        self.pos = 0

    def skip_escape(self):
        while True:
            match = re.compile(r"\s*", re.A).match(self.text, self.pos)
            at = match.end()
            if self.text.startswith("%", at) and (at == 0 or self.text[at - 1] == "\n"):
                end = self.text.find("\n", at)
                self.pos = len(self.text) if end < 0 else end
            else:
                return at

    def game(self):
        """The next game, or None at the end of the text."""
        tags, faults, pre = {}, [], ""
        while True:
            at = self.skip_escape()
            if at >= len(self.text):
                return None if not tags and not pre else self.finish(tags, pre, [], "", faults)
            if self.text[at] in "{;":
                token = TOKEN.match(self.text, self.pos)
                pre = join(pre, strip_comment(token))
                self.pos = token.end()
                continue
            if self.text[at] != "[":
                break
            match = TAG.match(self.text, self.pos) or LOOSE_TAG.match(self.text, self.pos)
            if not match:
                end = self.text.find("\n", at)
                self.pos = len(self.text) if end < 0 else end
                faults.append(f"not a tag: {self.text[at:self.pos]}")
                continue
            tags[decode(match[1])] = decode(re.sub(r'\\(["\\])', r"\1", match[2]))
            self.pos = match.end()
        return self.movetext(tags, pre, faults)

    def movetext(self, tags, pre, faults):
        chess960 = "960" in tags.get("Variant", "") or "fischer" in tags.get("Variant", "").lower()
        try:
            board = chess.Board(tags.get("FEN", chess.STARTING_FEN), chess960=chess960)
        except ValueError as error:
            faults.append(f"FEN: {error}")
            board = chess.Board()
        main, pending, result, broken = [], "", "", any(f.startswith("FEN") for f in faults)
        # Stack of (line, board after the line, board before its last move, pending comment).
        line, before_last, stack = main, None, []
        while True:
            at = self.skip_escape()
            if at >= len(self.text):
                break
            if self.text[at] == "[" and (at == 0 or self.text[at - 1] == "\n"):
                break
            token = TOKEN.match(self.text, self.pos)
            if not token:
                self.pos = at + 1
                if not broken:
                    faults.append(f"stray {self.text[at]!r}")
                continue
            kind, value = token.lastgroup, token[token.lastgroup]
            self.pos = token.end()
            if kind == "result":
                if stack and not broken:
                    faults.append("result inside a variation")
                result = "1/2-1/2" if value == "1/2" else value
                break
            if broken:
                continue
            if kind in ("comment", "semi"):
                text = strip_comment(token)
                if line:
                    line[-1].comment = join(line[-1].comment, text)
                else:
                    pending = join(pending, text)
            elif kind in ("nag", "glyph"):
                nag = int(value[1:]) if kind == "nag" else GLYPHS.get(decode(value))
                if nag is None or not line:
                    faults.append(f"NAG without a meaning: {value}")
                else:
                    line[-1].nags.append(nag)
            elif kind == "open":
                if not line:
                    faults.append("variation before any move")
                    broken = True
                    continue
                stack.append((line, board, before_last, pending))
                line, board, before_last, pending = [], before_last.copy(), None, ""
                stack[-1][0][-1].lines.append(line)
            elif kind == "close":
                if not stack:
                    faults.append("surplus )")
                    broken = True
                    continue
                if not line:
                    # A line without a move keeps its comment with the move it was to replace.
                    stack[-1][0][-1].lines.pop()
                    owner = stack[-1][0][-1]
                    owner.comment = join(owner.comment, pending)
                line, board, before_last, pending = stack.pop()
            elif kind in ("san", "null", "castle"):
                if value in ("N", "D") and line:
                    line[-1].nags.append(GLYPHS[value])
                    continue
                try:
                    move = parse_move(board, kind, value)
                except ValueError as error:
                    faults.append(str(error))
                    broken = True
                    continue
                before_last = board.copy(stack=False)
                node = Node(board.uci(move))
                if pending:
                    if line is main:
                        pre = join(pre, pending)
                    else:
                        node.before = pending
                    pending = ""
                board.push(move)
                line.append(node)
        if stack and not broken:
            faults.append("variation not closed")
        if pending and not main:
            pre = join(pre, pending)
        return self.finish(tags, pre, main, result, faults)

    @staticmethod
    def finish(tags, pre, main, result, faults):
        game = {}
        flags = tags.pop("ScidFlags", "")
        game["tags"], game["pre"] = tags, pre
        game["line"] = [node.plain() for node in main]
        game["result"] = result
        if "D" in flags.upper():
            game["deleted"] = True
        if faults:
            game["faults"] = faults[:20]
        return game


def strip_comment(token):
    if token.lastgroup == "semi":
        return decode(token["semi"][1:].strip(BLANKS))
    text = token["comment"][1:]
    return decode((text[:-1] if text.endswith("}") else text).strip(BLANKS))


def parse_move(board, kind, value):
    if kind == "null":
        return chess.Move.null()
    if kind == "castle":
        value = "-".join("O" * sum(value.upper().count(letter) for letter in "O0"))
    value = value.replace(":", "x")
    if re.match("P[a-h]", value):
        value = value[1:]
    try:
        return board.parse_san(value)
    except ValueError as error:
        # Long algebraic: piece letter, two squares, promotion.
        match = re.fullmatch(r"[KQRBNP]?([a-h][1-8])[-x]?([a-h][1-8])=?([QRBNqrbn])?[+#]*", value)
        if match:
            move = chess.Move.from_uci(match[1] + match[2] + (match[3] or "").lower())
            if board.is_legal(move):
                return move
        raise ValueError(f"{value}: {error}") from None


def games(path):
    """The games of a PGN file (one at a time) or of a JSON file of this form."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".json"):
        return json.loads(data)
    return read(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1"))


def read(text):
    """Game by game, so that only one tree is held at a time."""
    reader = Reader(text)
    while True:
        game = reader.game()
        if game is None:
            return
        yield game


def fold(value):
    """Collapses white space in every text of a game."""
    if isinstance(value, str):
        return " ".join(part for part in re.split(f"[{BLANKS}]+", value) if part)
    if isinstance(value, list):
        return [fold(item) for item in value]
    if isinstance(value, dict):
        return {key: fold(item) for key, item in value.items()}
    return value


def to_page(text):
    """The bytes of a text in windows-1252; none if it has characters that this page lacks."""
    data = bytearray()
    for c in text:
        try:
            data += c.encode("latin-1" if c in "\x81\x8d\x8f\x90\x9d" else "cp1252")
        except UnicodeEncodeError:
            return None
    return bytes(data)


def is_mixture(data, text):
    """Whether these bytes mean this text, each either by itself in windows-1252 or as a part of UTF-8."""
    ends = {0}
    for c in text:
        forms = [form for form in (c.encode(), to_page(c)) if form]
        ends = {at + len(form) for at in ends for form in forms if data.startswith(form, at)}
    return len(data) in ends


def same(a, b):
    """Whether two texts are one: Scid exports texts that are half UTF-8, half windows-1252 as they are,
    and which half is which the readers may judge differently."""
    if a == b or a is None or b is None or not isinstance(a, str) or not isinstance(b, str):
        return a == b
    sources = ((data, other) for text, other in ((a, b), (b, a)) for data in (text.encode(), to_page(text)))
    return any(data is not None and is_mixture(data, other) for data, other in sources)


def full(line):
    """A line with every move in its long form, built without recursion limits in mind."""
    out = []
    for move in line:
        if isinstance(move, str):
            move = [move, [], "", []]
        before = move[4] if len(move) > 4 else ""
        out.append([move[0], move[1], fold(move[2]), [full(l) for l in move[3]], fold(before)])
    return out


def first_difference(a, b, where="line"):
    for n, (x, y) in enumerate(zip(a, b)):
        for name, i in (("move", 0), ("NAGs", 1), ("comment", 2), ("comment before", 4)):
            if not same(x[i], y[i]):
                return f"{where}[{n}] {name}: {x[i]!r} / {y[i]!r}"
        if len(x[3]) != len(y[3]):
            return f"{where}[{n}] has {len(x[3])} / {len(y[3])} variations"
        for k, (s, t) in enumerate(zip(x[3], y[3])):
            found = first_difference(s, t, f"{where}[{n}].{k}")
            if found:
                return found
    if len(a) != len(b):
        return f"{where} has {len(a)} / {len(b)} moves"
    return None


def diff(path_a, path_b, limit):
    count = 0
    total = [0, 0]

    def report(text):
        nonlocal count
        count += 1
        if count <= limit:
            print(text)

    pairs = itertools.zip_longest(games(path_a), games(path_b))
    for n, (x, y) in enumerate(pairs, 1):
        total = [total[0] + (x is not None), total[1] + (y is not None)]
        if x is None or y is None:
            continue
        tags_x, tags_y = fold(x["tags"]), fold(y["tags"])
        if "FEN" in tags_x and "FEN" in tags_y:
            # SetUp says nothing that FEN does not say; some writers leave it out.
            tags_x.pop("SetUp", None)
            tags_y.pop("SetUp", None)
        for key in sorted(set(tags_x) | set(tags_y)):
            if not same(tags_x.get(key), tags_y.get(key)):
                report(f"game {n}: tag {key}: {tags_x.get(key)!r} / {tags_y.get(key)!r}")
        for key in ("pre", "deleted", "result"):
            if not same(fold(x.get(key)), fold(y.get(key))):
                report(f"game {n}: {key}: {x.get(key)!r} / {y.get(key)!r}")
        found = first_difference(full(x["line"]), full(y["line"]))
        if found:
            report(f"game {n}: {found}")
        for side, game in (("first", x), ("second", y)):
            for fault in game.get("faults", []):
                report(f"game {n}: {side} file: {fault}")
    if total[0] != total[1]:
        report(f"games: {total[0]} / {total[1]}")
    print(f"{total[0]} / {total[1]} games compared, {count} differences")
    return 1 if count else 0


def main(args):
    sys.setrecursionlimit(20000)
    if args[:1] == ["--diff"] and len(args) in (3, 4):
        return diff(args[1], args[2], int(args[3]) if len(args) == 4 else 20)
    if len(args) not in (1, 2) or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    with contextlib.ExitStack() as stack:
        out = sys.stdout
        if len(args) == 2:
            out = stack.enter_context(open(args[1], "w", encoding="utf-8"))
        out.write("[")
        for n, game in enumerate(games(args[0])):
            row = json.dumps(game, ensure_ascii=False, separators=(",", ":"))
            out.write(f"{',' if n else ''}\n{row}")
        out.write("\n]\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
