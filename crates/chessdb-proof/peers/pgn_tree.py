#!/usr/bin/env python3
"""Compare two PGN files game by game, as trees.

    pgn_tree.py A.pgn B.pgn [MAX]        print the first MAX (20) differences; exit code 1 if there
                                         are any. SetUp is not compared if both have a FEN

Only the board of python-chess is used, to turn SAN into moves. Tokens and trees are made here, since
python-chess does not keep the order of NAGs and the exact place of comments.

A game has these parts:
    tags     name -> value (the last value of a name counts; escapes \\" and \\\\ are undone)
    pre      the comment before the first move
    line     a list of moves: [uci, [NAGs], comment, [variations], comment before the move]. A
             variation is a line too
    result   the result token of the movetext, "" if missing
    deleted  True if the ScidFlags tag contains D (`tags` never contains that tag)
    faults   a list of texts (at most 20); after an unreadable move the rest of the game is skipped
A comment after a variation belongs to the move that the variation replaces. Several comments at one
place are joined by one space. White space inside comments is kept, and collapsed for comparisons.
Each tag value and each comment is decoded separately: valid UTF-8 as UTF-8, anything else as
windows-1252 (Scid exports stored bytes unchanged, so one game may contain both).
"""

import itertools
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
# A value with unescaped quotes (Scid's export) ends at the last quote of the line.
LOOSE_TAG = re.compile(r'\s*\[\s*([^\s"\]]+)\s*"(.*)"\s*\][ \t]*$', re.M | re.A)


# The white space between tokens: ASCII only, since the text has one character per byte.
BLANKS = " \t\n\r\v\f"


def decode(text):
    """Decodes a part of the file, which has one character per byte."""
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
    """A move under construction."""

    def __init__(self, uci):
        self.uci, self.nags, self.comment, self.lines, self.before = uci, [], "", [], ""

    def plain(self):
        lines = [[move.plain() for move in line] for line in self.lines]
        return [self.uci, self.nags, fold(self.comment), lines, fold(self.before)]


def join(old, new):
    return (old + " " + new).strip(BLANKS) if old else new.strip(BLANKS)


class Reader:
    def __init__(self, text):
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.pos = 0

    def skip_escape(self):
        """Skips white space and escape lines (with % in the first column); returns the position."""
        while True:
            match = re.compile(r"\s*", re.A).match(self.text, self.pos)
            at = match.end()
            if self.text.startswith("%", at) and (at == 0 or self.text[at - 1] == "\n"):
                end = self.text.find("\n", at)
                self.pos = len(self.text) if end < 0 else end
            else:
                return at

    def game(self):
        """Returns the next game, or None at the end of the text."""
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
                    # The comment of a line without a move goes to the move that the line would replace.
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
        deleted = "D" in tags.pop("ScidFlags", "").upper()
        line = [node.plain() for node in main]
        return {"tags": tags, "pre": pre, "line": line, "result": result, "deleted": deleted,
                "faults": faults[:20]}


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


def games(text):
    """Yields the games; only one tree is in memory at a time."""
    reader = Reader(text)
    while game := reader.game():
        yield game


def pairs(*paths):
    """Yields pairs of games of two files.

    If two texts differ only in white space, including a space after a move number, their trees are
    equal; the text is then yielded twice instead of the trees.
    """
    pieces = []
    for path in paths:
        with open(path, "rb") as file:
            text = file.read().removeprefix(b"\xef\xbb\xbf").decode("latin-1")
        pieces.append(re.split(r"\n(?=\[Event )", text))
    if len(pieces[0]) != len(pieces[1]):
        pieces = [["\n".join(side)] for side in pieces]
    plain = lambda text: re.sub(r"(?<=\d\.) ", "", fold(text))
    for a, b in zip(*pieces):
        if plain(a) and plain(a) == plain(b):
            yield a, a
        else:
            yield from itertools.zip_longest(games(a), games(b))


def fold(text):
    """Collapses white space."""
    return " ".join(part for part in re.split(f"[{BLANKS}]+", text) if part)


def to_page(text):
    """Encodes a text in windows-1252; None if this code page lacks one of its characters."""
    data = bytearray()
    for c in text:
        try:
            data += c.encode("latin-1" if c in "\x81\x8d\x8f\x90\x9d" else "cp1252")
        except UnicodeEncodeError:
            return None
    return bytes(data)


def is_mixture(data, text):
    """Returns whether these bytes are this text in a mixture of windows-1252 and UTF-8."""
    ends = {0}
    for c in text:
        forms = [form for form in (c.encode(), to_page(c)) if form]
        ends = {at + len(form) for at in ends for form in forms if data.startswith(form, at)}
    return len(data) in ends


def same(a, b):
    """Returns whether two texts can be decoded from the same bytes.

    Scid exports texts that mix UTF-8 and windows-1252 unchanged, and readers may decode them differently.
    """
    if a == b or a is None or b is None or not isinstance(a, str) or not isinstance(b, str):
        return a == b
    sources = ((data, other) for text, other in ((a, b), (b, a)) for data in (text.encode(), to_page(text)))
    return any(data is not None and is_mixture(data, other) for data, other in sources)


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

    for n, (x, y) in enumerate(pairs(path_a, path_b), 1):
        total = [total[0] + (x is not None), total[1] + (y is not None)]
        if x is None or y is None or x is y:
            continue
        tags_x, tags_y = ({fold(k): fold(v) for k, v in game["tags"].items()} for game in (x, y))
        if "FEN" in tags_x and "FEN" in tags_y:
            # SetUp adds nothing to FEN, and some writers leave it out.
            tags_x.pop("SetUp", None)
            tags_y.pop("SetUp", None)
        for key in sorted(set(tags_x) | set(tags_y)):
            if not same(tags_x.get(key), tags_y.get(key)):
                report(f"game {n}: tag {key}: {tags_x.get(key)!r} / {tags_y.get(key)!r}")
        x["pre"], y["pre"] = fold(x["pre"]), fold(y["pre"])
        for key in ("pre", "deleted", "result"):
            if not same(x[key], y[key]):
                report(f"game {n}: {key}: {x[key]!r} / {y[key]!r}")
        found = first_difference(x["line"], y["line"])
        if found:
            report(f"game {n}: {found}")
        for side, game in (("first", x), ("second", y)):
            for fault in game["faults"]:
                report(f"game {n}: {side} file: {fault}")
    if total[0] != total[1]:
        report(f"games: {total[0]} / {total[1]}")
    print(f"{total[0]} / {total[1]} games compared, {count} differences")
    return 1 if count else 0


def main(args):
    sys.setrecursionlimit(20000)
    if len(args) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    return diff(*args[:2], int(args[2]) if len(args) == 3 else 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
