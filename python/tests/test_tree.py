"""Tests of the moves played in a position, compared with python-chess and with a search."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import chess
import chessdb
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest


def played(db: chessdb.Database, board: chess.Board, where: str = "") -> tuple[Counter[str], Counter[str]]:
    """Returns the moves, and the results, of the games with a position, as python-chess finds them."""
    moves: Counter[str] = Counter()
    results: Counter[str] = Counter()
    wanted = board.fen().split()[:2]
    for game in db.find(where):
        if game.headers.get("Variant", "Standard").lower() not in ("standard", "chess960", "chess 960"):
            continue
        ucis = [*game.ucis(), ""]
        for fen, uci in zip(game.fens(), ucis, strict=True):
            if fen.split()[:2] == wanted:
                moves[uci] += 1
                results[game.result] += 1
                break
    return moves, results


def compare(db: chessdb.Database, board: chess.Board, where: str | None = None) -> int:
    moves, results = played(db, board, where or "")
    tree = db.tree(board, where)
    assert tree.games == sum(moves.values())
    assert [tree.white, tree.draws, tree.black] == [results[one] for one in ("1-0", "1/2-1/2", "0-1")]
    assert {move.uci: move.games for move in tree} == {uci: n for uci, n in moves.items() if uci}
    for move in tree:
        assert board.parse_san(move.san) == board.parse_uci(move.uci)
        assert move.share == move.games / tree.games
        assert len(move.best) == min(3, move.games)
        for number in move.best:
            assert move.uci in db[number - 1].ucis()
    return tree.games


def boards(db: chessdb.Database) -> list[chess.Board]:
    found = [chess.Board()]
    for line in ("e4", "d4", "e4 e5", "e4 c5", "e4 e5 Nf3", "d4 Nf6 c4"):
        board = chess.Board()
        for san in line.split():
            board.push_san(san)
        found.append(board)
    found.extend(db[index].board(20) for index in range(0, len(db), 40) if len(db[index]) > 20)
    return found


def test_the_tree_counts_what_python_chess_counts(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "games.si4"
    chessdb.convert(many, target)
    with chessdb.open(target) as db:
        without = [(compare(db, board), compare(db, board, "result:1-0")) for board in boards(db)]
        again = [(compare(db, board), compare(db, board, "result:1-0")) for board in boards(db)]
    assert without == again and without[0][0] > 100
    assert chessdb.index(target) > 100
    assert {path.suffix for path in tmp_path.iterdir()} >= {".chessdb-index", ".chessdb-tree"}
    with chessdb.open(target) as db:
        assert without == [(compare(db, board), compare(db, board, "result:1-0")) for board in boards(db)]


def test_positions_list_and_count_their_games(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "games.si4"
    chessdb.convert(many, target)
    for has_files in (False, True):
        if has_files:
            chessdb.index(target)
        db = chessdb.open(target)
        for warm in (False, True):
            for board in boards(db):
                position = db.position(board)
                found = db.find(f'fen:"{board.fen()}"')
                games = position.games()
                assert games.game_numbers() == found.game_numbers(), (has_files, warm)
                assert position.count() == len(found)
                assert [game.ply for game in games] == [game.ply for game in found]
                wins = position.games("result:1-0").game_numbers()
                assert wins == db.find(f'fen:"{board.fen()}" result:1-0').game_numbers()
                assert position.count("result:1-0 or result:0-1") == len(
                    [game for game in found if game.result in ("1-0", "0-1")]
                )
            db.tree()
        # The position of a match is the one that was asked for.
        game = db.position("1.e4 e5").games()[0]
        assert game.board(game.ply).board_fen() == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"


def test_a_position_is_given_in_several_ways(many: Path) -> None:
    db = chessdb.open(many)
    board = chess.Board()
    board.push_san("e4")
    tables = [list(db.tree(given)) for given in ("1.e4", "e4", board.fen(), board)]
    assert all(table == tables[0] for table in tables) and tables[0]
    assert list(db.position("1.e4").tree()) == tables[0]
    assert list(db.tree()) == list(db.tree(chess.Board()))
    for text in ("", "1.e4 e9", "9/8/8/8/8/8/8/8 w", "Ke3"):
        with pytest.raises(chessdb.ChessDbError, match="is a FEN or moves from the start"):
            db.tree(text)
    with pytest.raises(TypeError, match="a position is a FEN"):
        db.tree(7)  # type: ignore[arg-type]
    with pytest.raises(chessdb.ChessDbError):
        db.tree("1.e4", "nosuchkey:1")
    with pytest.raises(AttributeError, match=r"use db\.tree"):
        db.openings  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"use tree\.df"):
        db.tree().to_pandas  # type: ignore[attr-defined]
    db.close()
    with pytest.raises(ValueError, match="closed"):
        db.tree()


def test_the_table_goes_everywhere(many: Path) -> None:
    tree = chessdb.open(many).tree()
    frame = tree.pl()
    assert frame.columns == list(chessdb.TreeMove._fields)
    assert frame["san"].to_list() == [move.san for move in tree]
    rows = [chessdb.TreeMove(**row) for row in frame.to_dicts()]
    assert rows == list(tree)
    assert pl.DataFrame(tree).equals(frame)
    assert pa.table(tree).num_rows == len(tree)
    assert list(tree.df()["games"]) == [move.games for move in tree]
    assert duckdb.sql("select sum(games) from tree").fetchall() == [(sum(move.games for move in tree),)]
    assert tree[-1] == list(tree)[-1]
    assert tree[1:3] == list(tree)[1:3]
    with pytest.raises(IndexError):
        tree[len(tree)]
    assert tree[0].san in str(tree) and f"{tree.games:,} games" in str(tree)
    assert f"<td>{tree[0].san}</td>" in tree._repr_html_()
    assert sum(move.share for move in tree) <= 1.0 + 1e-9


def test_a_stream_has_a_tree(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "many.pgn.zst"
    chessdb.convert(many, target)
    db = chessdb.open(target, unpack=False)
    assert db.is_stream
    assert [(move.san, move.games) for move in db.tree("1.e4")] == [
        (move.san, move.games) for move in chessdb.open(many).tree("1.e4")
    ]
    with pytest.raises(TypeError, match="stream"):
        db.tree("1.e4", "result:1-0")


def test_old_and_damaged_files_are_reported_and_change_nothing(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "games.si4"
    chessdb.convert(many, target)
    expected = list(chessdb.open(target).tree())
    chessdb.index(target)
    tree = tmp_path / "games.si4.chessdb-tree"
    good = tree.read_bytes()
    tree.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    db = chessdb.open(target)
    with pytest.warns(UserWarning, match="is not used"):
        assert list(db.tree()) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(db.tree()) == expected
    tree.write_bytes(good)
    # Appended games are counted in addition, before and after the index is written again.
    db = chessdb.open(target)
    before = db.tree("1.e4 e5").games
    db.append("1. e4 e5 1-0")
    assert db.tree("1.e4 e5").games == before + 1
    chessdb.index(target)
    assert chessdb.open(target).tree("1.e4 e5").games == before + 1
    # The files of another database.
    old = {path: path.read_bytes() for path in tmp_path.iterdir() if "chessdb-" in path.suffix}
    chessdb.convert(chessdb.open(many)[:20], target, replace=True)
    for path, content in old.items():
        path.write_bytes(content)
    with pytest.warns(UserWarning, match="is not used"):
        db = chessdb.open(target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert db.tree().games <= 20


def test_the_tree_file_is_a_table(many: Path, tmp_path: Path) -> None:
    target, table = tmp_path / "games.si4", tmp_path / "tree.parquet"
    chessdb.convert(many, target)
    with pytest.raises(chessdb.ChessDbError, match="no tree file"):
        chessdb.open(target).write_tree(table)
    assert not table.exists()
    chessdb.index(target)
    db = chessdb.open(target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = db.write_tree(table)
    with pytest.raises(FileExistsError):
        db.write_tree(table)
    frame = pl.DataFrame(pa.parquet.read_table(table))
    assert len(frame) == rows and frame["key"].is_sorted()
    known = frame.filter(pl.col("fen").is_not_null())
    positions = known.select("fen", "ply", "key").unique()
    assert len(positions) > 100 and len(positions) == len(known.select("key").unique())
    for fen, ply, key in positions.rows():
        board = chess.Board(fen)
        # After a null move in check, the side that is not to move is in check.
        assert board.status() in (chess.STATUS_VALID, chess.STATUS_OPPOSITE_CHECK)
        assert ply == board.ply()
        placement = chessdb.polyglot_key(f"{board.board_fen()} {'w' if board.turn else 'b'} - - 0 1")
        assert key == (placement - (1 << 64) if placement >> 63 else placement)
    # The numbers are those of the tree; a few games are not in the file, and counted there in addition.
    everywhere = 0
    for board in boards(db):
        mine = known.filter(pl.col("fen").str.starts_with(f"{board.board_fen()} {'w' if board.turn else 'b'} "))
        if mine.is_empty():
            continue
        tree = {move.uci: move for move in db.tree(board)}
        for row in mine.filter(pl.col("uci").is_not_null()).to_dicts():
            move = tree[row["uci"]]
            assert board.parse_san(row["san"]) == board.parse_uci(row["uci"])
            assert row["games"] <= move.games and row["last_year"] is None or row["last_year"] <= move.last_year
            if row["games"] == move.games:
                everywhere += 1
                for name in ("white", "draws", "black", "rating", "performance", "last_year", "longest", "best"):
                    assert row[name] == getattr(move, name), (board, row, name)
    assert everywhere > 10
    found = duckdb.sql(f"select sum(games) from '{table}' where ply = 0").fetchall()
    assert 0 < found[0][0] <= db.tree().games


def test_threads_share_what_is_kept(many: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    db = chessdb.open(many)
    questions = boards(db) * 4
    expected = [list(db.tree(board)) for board in questions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda board: list(db.tree(board)), questions)) == expected
        counts = list(pool.map(lambda board: db.position(board).count(), questions))
    assert counts == [len(db.find(f'fen:"{board.fen()}"')) for board in questions]
