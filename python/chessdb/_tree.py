"""A game as a tree of moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import chess

    from chessdb import Game


class Node:
    """A position in a game and the move that led to it; the root has no move."""

    __slots__ = (
        "_game",
        "comment",
        "comment_before",
        "depth",
        "elapsed",
        "clock",
        "eval",
        "mate",
        "move",
        "nags",
        "parent",
        "ply",
        "san",
        "shapes",
        "variations",
    )

    def __init__(self, parent: Node | None = None, move: int | None = None, san: str = "") -> None:
        #: The previous node; None at the root.
        self.parent = parent
        #: The move as a number, as in `Game.moves`.
        self.move = move
        #: The move in standard algebraic notation.
        self.san = san
        #: Half-moves from the start.
        self.ply: int = 0 if parent is None else parent.ply + 1
        #: The comment after the move, without clocks, evaluations and shapes.
        self.comment = ""
        #: The comment before the move.
        self.comment_before = ""
        #: Numeric annotation glyphs: 1 is "!", 2 is "?", and so on.
        self.nags: list[int] = []
        #: Milliseconds left after the move.
        self.clock: int | None = None
        #: Milliseconds spent on the move.
        self.elapsed: int | None = None
        #: Centipawns, from White's point of view.
        self.eval: int | None = None
        #: The number of moves to mate; negative if Black mates.
        self.mate: int | None = None
        #: The depth of the evaluation in half-moves.
        self.depth: int | None = None
        #: Coloured squares and arrows: a letter, a square, and the square the arrow points to.
        self.shapes: list[tuple[str, str, str | None]] = []
        # The game, at its root.
        self._game: Game | None = None
        #: The continuations; the first is the main one.
        self.variations: list[Node] = []

    @property
    def uci(self) -> str | None:
        """The move in UCI notation: "e2e4"."""
        if self.move is None:
            return None
        if self.move == 0:
            return "0000"
        start, end, piece = self.move & 63, self.move >> 6 & 63, self.move >> 12
        return _square(start) + _square(end) + " .nbrq"[piece].strip(" .")

    @property
    def next(self) -> Node | None:
        """The node after the main move."""
        return self.variations[0] if self.variations else None

    def mainline(self) -> Iterator[Node]:
        """Yields the nodes of the mainline after this one."""
        node = self.next
        while node is not None:
            yield node
            node = node.next

    def board(self) -> chess.Board:
        """Returns the position as a board of python-chess."""
        import chess

        from chessdb import _bridge

        moves: list[int] = []
        node = self
        while node.parent is not None:
            moves.append(node.move or 0)
            node = node.parent
        board = _bridge.start(node._game) if node._game else chess.Board()
        for move in reversed(moves):
            board.push(_bridge.chess_move(move))
        return board

    def __getattr__(self, name: str) -> NoReturn:
        from chessdb._hints import missing

        missing(self, name)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.variations)

    def __repr__(self) -> str:
        return f"<Node {self.ply}: {self.san or 'start'}>"


def _square(number: int) -> str:
    return "abcdefgh"[number % 8] + str(number // 8 + 1)


def tree(game: Game) -> Node:
    """Returns the root of a game. Nested variations do not cause recursion."""
    events: list[tuple[Any, ...]] = game._events()
    root = Node()
    root._game = game
    node = root
    interrupted: list[Node] = []
    before: list[str] = []
    for event in events:
        match event:
            case ("m", move, san):
                child = Node(node, move, san)
                child.comment_before = " ".join(before)
                before.clear()
                node.variations.append(child)
                node = child
            case ("n", nag):
                node.nags.append(nag)
            case ("c", _, plain, is_before):
                if is_before and plain:
                    before.append(plain)
                elif plain:
                    node.comment = f"{node.comment} {plain}".strip()
            case ("k", milliseconds, spent):
                if spent:
                    node.elapsed = milliseconds
                else:
                    node.clock = milliseconds
            case ("e", centipawns, mate, depth):
                node.eval, node.mate, node.depth = centipawns, mate, depth
            case ("s", shapes):
                node.shapes.extend(shapes)
            case ("o",):
                interrupted.append(node)
                node = node.parent or node
            case ("x",):
                node = interrupted.pop()
    if before:
        node.comment = " ".join([node.comment, *before]).strip()
    return root
