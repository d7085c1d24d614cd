"""What to write instead of names that other packages use."""

from __future__ import annotations

from typing import Any, NoReturn

_CHESS = "game.to_chess() makes a game of python-chess, which has it"
_TABLE = "db.df() and db.pl() make a table of pandas or polars, which has it"
_WRITE = "use chessdb.convert(db, path), whose extension is the format"

_DATABASE = {
    "games": "a database is the sequence of its games: use db[0], len(db), for game in db",
    "all": "a database is the sequence of its games: use for game in db",
    "read": "a database is the sequence of its games: use for game in db",
    "get": "use db[index], which counts from 0",
    "game": "use db[index], which counts from 0",
    "search": "use db.find(query)",
    "query": "use db.find(query)",
    "filter": "use db.find(query)",
    "where": "use db.find(query)",
    "select": "use db.find(query), or db.arrow(columns)",
    "size": "use len(db)",
    "length": "use len(db)",
    "num_games": "use len(db)",
    "to_pandas": "use db.df()",
    "to_df": "use db.df()",
    "to_polars": "use db.pl()",
    "to_arrow": "use db.arrow()",
    "to_pgn": _WRITE,
    "to_csv": _WRITE,
    "to_parquet": _WRITE,
    "to_json": _WRITE,
    "convert": _WRITE,
    "export": _WRITE,
    "save": _WRITE,
    "write": "use db.append(games), or chessdb.create(path) for a new database",
    "add": "use db.append(games)",
    "extend": "use db.append(games)",
    "insert": "use db.append(games)",
    "update": "use `with db.edit() as edit`, then edit.tag(index, White=\"Tal\") or edit.replace(index, game)",
    "delete": "use `with db.edit() as edit`, then edit.delete(index)",
    "undo": "use chessdb.undo(path), then open the database again",
    "head": "use db[:5], or " + _TABLE,
    "sample": "use random.sample(range(len(db)), n)",
    "sort": "use chessdb.sort(db, path, by), or sorted(db.headers(), key=lambda game: game.date)",
    "stats": "use chessdb.stats(db, by)",
    "crosstables": "use chessdb.crosstables(db)",
    "dedupe": "use chessdb.dedupe(db, path)",
    "diff": "use chessdb.diff(db, other)",
    "novelty": "use chessdb.novelty(db, game)",
    "sort_values": _TABLE,
    "groupby": _TABLE,
    "columns": "use db.arrow().schema.names",
    "shape": _TABLE,
    "sql": "use duckdb.sql(\"select … from db\")",
    "execute": "use duckdb.sql(\"select … from db\")",
    "errors": "use db.diagnostics, or chessdb.check(path)",
    "name": "use db.path or db.info.title",
}

_EXPLORE = {
    "opening": "use db.tree(position)",
    "openings": "use db.tree(position)",
    "moves": "use db.tree(position)",
    "explore": "use db.tree(position)",
    "explorer": "use db.tree(position)",
    "book": "use db.tree(position)",
}

_GAMES = {
    "tree": "use db.tree(position, query)",
    "position": "use db.position(position).games(query)",
}

_TREE_TABLE = {
    "moves": "a tree is the sequence of its moves: use for move in tree",
    "columns": "use tree[0]._fields",
    "filter": "use [move for move in tree if …], or tree.df() and tree.pl()",
    "to_pandas": "use tree.df()",
    "to_polars": "use tree.pl()",
    "to_arrow": "use pyarrow.table(tree)",
    "to_dict": "use [move._asdict() for move in tree]",
    "total": "use tree.games",
    "count": "use tree.games",
}

_POSITION = {
    "moves": "use position.tree()",
    "board": "use chess.Board(position.fen)",
    "find": "use position.games(query)",
    "search": "use position.games(query)",
}

_GAME = {
    "san": "use game.sans()",
    "uci": "use game.ucis()",
    "mainline_moves": "use game.moves (numbers), game.ucis(), game.sans(), or game.to_chess().mainline_moves()",
    "to_pgn": "use game.pgn() or str(game)",
    "accept": _CHESS,
    "end": "use list(game.mainline())[-1], or game.board(-1) for the last position",
    "next": "use game.root().next",
    "variations": "use game.root().variations",
    "variation": "use game.root().variations[n]",
    "comment": "use game.root().comment; the comment of a move is node.comment for node in game.mainline()",
    "comments": "use node.comment for node in game.mainline()",
    "nags": "use node.nags for node in game.mainline()",
    "add_variation": "use game.root().add_variation(move)",
    "add_main_variation": "use game.root().add_main_variation(move)",
    "add_line": "use game.root().add_line(moves)",
    "remove_variation": "use game.root().remove_variation(move)",
    "promote_to_main": "use game.root().promote_to_main(move)",
    "setup": "use chessdb.Game.from_pgn(text)",
    "errors": "use game.error and game.diagnostics",
    "tags": "use game.headers",
    "tag": "use game.headers[name]",
    "header": "use game.headers[name]",
    "opening": 'use game.eco, or game.headers.get("Opening")',
    "year": "use game.date.year",
    "id": "use game.number",
    "index": "use game.number, which counts from 1",
    "turn": "use game.board(ply).turn",
    "positions": "use game.fens(), game.boards() or game.hashes()",
    "clocks": "use node.clock for node in game.mainline()",
    "evals": "use node.eval for node in game.mainline()",
    "plies": "use len(game)",
    "ply_count": "use len(game)",
    "write": "use writer.write(game) with chessdb.create(path)",
}

_NODE = {
    "evaluation": "use node.eval",
    "mainline_moves": "use node.mainline(), whose nodes have san and uci",
    "fen": "use node.board().fen()",
    "variation": "use node.variations[n]",
    "end": "use list(node.mainline())[-1]",
    "starting_comment": "use node.comment_before",
    "arrows": "use node.shapes",
    "emt": "use node.elapsed",
}

_MODULE = {
    "read_game": "use chessdb.read(path_or_file), or chessdb.Game.from_pgn(text)",
    "read_pgn": "use chessdb.open(path)",
    "read_headers": "use chessdb.open(path).headers()",
    "load": "use chessdb.open(path)",
    "connect": "use chessdb.open(path)",
    "loads": "use chessdb.Game.from_pgn(text)",
    "write": "use chessdb.create(path), or chessdb.convert(sources, path)",
    "save": "use chessdb.convert(sources, path)",
    "find": "use chessdb.open(path).find(query)",
    "Board": "use chess.Board of python-chess; game.board(ply) makes one",
    "pgn": "use chessdb.open(path), or chessdb.Game.from_pgn(text)",
}

_OF = {
    "Database": _DATABASE | _EXPLORE,
    "Games": _DATABASE | _GAMES,
    "Game": _GAME,
    "Node": _NODE,
    "Position": _POSITION,
    "Tree": _TREE_TABLE,
}


def missing(owner: Any, name: str) -> NoReturn:
    """Raises the error of an object without this attribute."""
    kind = type(owner).__name__
    known = (_OF.get(base.__name__, {}) for base in type(owner).__mro__)
    hint = next((hints[name] for hints in known if name in hints), None)
    text = f"{kind!r} object has no attribute {name!r}"
    raise AttributeError(f"{text}; {hint}" if hint else text, name=name, obj=owner)


_TAGS = "set a tag: game.headers[\"White\"] = \"Tal\""
_NEW_MOVE = "add the other move: node.parent.add_variation(move), then node.delete()"

_UNSET = {
    "Game": {
        "comment": "use game.root().comment = text",
        "variations": "use game.root().variations = nodes",
        "moves": "use game.root().add_line(moves) and node.delete()",
        "flags": "use `with db.edit() as edit`, then edit.flag(index, flags)",
        "deleted": "use `with db.edit() as edit`, then edit.delete(index)",
        "fen": "use chessdb.Game.from_pgn(text)",
        "number": "the database numbers its games",
    },
    "Node": {
        "move": _NEW_MOVE,
        "san": _NEW_MOVE,
        "uci": _NEW_MOVE,
        "next": "use node.promote_to_main(node.variations[n])",
        "parent": "use parent.add_variation(move), then node.delete()",
        "game": "use node.add_line(moves) in the other game",
        "ply": "it is the number of moves before the node",
    },
}


def cannot_set(owner: Any, name: str) -> NoReturn:
    """Raises the error of an object with an attribute that cannot be set."""
    kind = type(owner).__name__
    hints = _UNSET[kind] | {name: hint for name, hint in _OF[kind].items() if hint.startswith("use node.")}
    default = _TAGS if kind == "Game" else "a node has comment, comment_before, nags, clock, eval and others"
    raise AttributeError(f"cannot set {name!r} of a {kind}; {hints.get(name, default)}", name=name, obj=owner)


def missing_here(name: str) -> NoReturn:
    """Raises the error of the package without this attribute."""
    hint = _MODULE.get(name)
    text = f"module 'chessdb' has no attribute {name!r}"
    raise AttributeError(f"{text}; {hint}" if hint else text)
