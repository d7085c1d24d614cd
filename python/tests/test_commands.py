"""Tests of the functions that do what the commands of the program do."""

from __future__ import annotations

from pathlib import Path

import chess
import chessdb
import pytest

GAMES = """[Event "Candidates"]
[White "Tal, Mihail"]
[Black "Keres, Paul"]
[Date "1959.09.07"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 9. O-O-O Nbd7 10. g4 b5 1-0

[Event "Candidates"]
[White "Tal, M"]
[Black "Keres, P"]
[Date "1959.09.07"]
[Result "1-0"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 9. O-O-O Nbd7 10. g4 b5 1-0

[White "Smyslov, Vasily"]
[Black "Tal, Mihail"]
[Date "1958.01.01"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 1/2-1/2
"""


@pytest.fixture
def db() -> chessdb.Database:
    return chessdb.open_bytes({"games.pgn": GAMES})


def whites(path: Path) -> list[str]:
    return [game.white for game in chessdb.open(path)]


def test_copies(db: chessdb.Database, tmp_path: Path) -> None:
    copies = chessdb.duplicates(db)
    assert [(copy.source, copy.number, copy.kept_number) for copy in copies] == [(0, 2, 1)] and copies[0].evidence
    assert chessdb.duplicates(db, by="strict") == [] and chessdb.duplicates(db, where="result:1/2-1/2") == []
    assert [copy[:4] for copy in chessdb.duplicates([db, db[:1]], by="sure")][-1] == (1, 1, 0, 1)
    assert chessdb.dedupe(db, tmp_path / "a.pgn").written == 2
    assert whites(tmp_path / "a.pgn") == ["Tal, Mihail", "Smyslov, Vasily"]
    assert chessdb.merge([db, db], tmp_path / "b.pgn").written == 6
    assert chessdb.merge([db, list(db), GAMES], tmp_path / "c.si4", dedupe="strict").written == 3
    with pytest.raises(chessdb.ChessDbError, match="strict.*sure.*likely"):
        chessdb.duplicates(db, by="same")  # type: ignore[arg-type]


def test_orders(db: chessdb.Database, tmp_path: Path) -> None:
    assert chessdb.sort(db, tmp_path / "a.pgn", "date").written == 3
    assert whites(tmp_path / "a.pgn")[0] == "Smyslov, Vasily"
    chessdb.sort([db[1:], db[:1]], tmp_path / "b.pgn", "-date", limit=2)
    assert "Smyslov, Vasily" not in whites(tmp_path / "b.pgn") and len(whites(tmp_path / "b.pgn")) == 2
    chessdb.sort(list(db), tmp_path / "c.pgn", "white", where="result:1-0", format="pgn")
    assert whites(tmp_path / "c.pgn") == ["Tal, M", "Tal, Mihail"]
    assert chessdb.convert(db, tmp_path / "d.pgn", limit=1).written == 1
    assert chessdb.sort(db, tmp_path / "e.pgn", "date", games="1-2").written == 2
    with pytest.raises(chessdb.ChessDbError, match="ordered by"):
        chessdb.sort(db, tmp_path / "x.pgn", "beauty")
    assert not (tmp_path / "x.pgn").exists()


def test_new_games_samples_and_results(db: chessdb.Database, tmp_path: Path) -> None:
    base = tmp_path / "base.pgn"
    chessdb.convert(db[:1], base)
    before = base.read_bytes()
    report = chessdb.merge(db, tmp_path / "new.si4", only_new=base)
    assert report.written == 1 and whites(tmp_path / "new.si4") == ["Smyslov, Vasily"]
    assert base.read_bytes() == before
    assert chessdb.merge(db, tmp_path / "more.pgn", only_new=base, dedupe="strict").written == 2
    many = [f'[White "{n}"]\n\n1. e4 *\n\n' for n in range(100)]
    (tmp_path / "many.pgn").write_text("".join(many))
    samples = []
    for seed in (1, 1, 2):
        report = chessdb.convert(tmp_path / "many.pgn", tmp_path / "some.pgn", sample=5, seed=seed, replace=True)
        assert report.written == 5
        samples.append(whites(tmp_path / "some.pgn"))
    assert samples[0] == samples[1] != samples[2] and samples[0] == sorted(samples[0], key=int)
    mate = chessdb.open_bytes({"mate.pgn": "1. f3 e5 2. g4 Qh4# *\n\n1. e4 *\n"})
    chessdb.convert(mate, tmp_path / "mate.pgn", fix_result=True)
    assert [game.result for game in chessdb.open(tmp_path / "mate.pgn")] == ["0-1", "*"]
    rows = chessdb.stats(tmp_path / "many.pgn", "position:1")
    assert [(row.value, row.games) for row in rows] == [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -", 100)
    ]


def test_openings(db: chessdb.Database, tmp_path: Path) -> None:
    chessdb.eco(db, tmp_path / "a.pgn", names=True)
    first, _, last = chessdb.open(tmp_path / "a.pgn")
    assert first.eco is not None and first.eco.startswith("B9") and "Najdorf" in first.headers["Opening"]
    assert last.eco is not None and last.eco.startswith("D")
    wrong = GAMES.replace('[Date "1959.09.07"]', '[Date "1959.09.07"]\n[ECO "A00"]')
    chessdb.eco(wrong, tmp_path / "b.pgn")
    chessdb.eco(wrong, tmp_path / "c.pgn", all=True)
    assert (chessdb.open(tmp_path / "b.pgn")[0].eco, chessdb.open(tmp_path / "c.pgn")[0].eco) == ("A00", first.eco)


def test_statistics(db: chessdb.Database) -> None:
    years = {row.value: (row.games, row.wins, row.draws) for row in chessdb.stats(db, "year")}
    assert years == {"1959": (2, 2, 0), "1958": (1, 0, 1)}
    best = chessdb.stats(db, limit=1)[0]
    # "Tal, M" might be another person.
    assert best.value.startswith("Tal") and best.games == 2 and best.score == 0.75
    assert [row.value for row in chessdb.stats(db, "year", where="year:1958")] == ["1958"]
    with pytest.raises(chessdb.ChessDbError):
        chessdb.stats(db, "beauty")


def test_novelties(db: chessdb.Database) -> None:
    novelty = chessdb.novelty(db, "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. h4 *")
    assert (novelty.ply, novelty.san, novelty.games) == (10, "h4", 2) and novelty.moves == [("Bg5", 2)]
    assert novelty.line.endswith("5.Nc3 a6") and {number for _, number in novelty.latest} == {1, 2}
    assert chess.Board(novelty.fen).fullmove_number == 6
    again = chessdb.novelty(db, db[0].pgn().replace("Tal", "Petrosian"))
    assert (again.san, again.games) == (None, 2)


def test_differences(db: chessdb.Database, tmp_path: Path) -> None:
    assert not chessdb.diff(db, db) and chessdb.diff(db, db).equal == 3
    other = chessdb.open_bytes({"other.pgn": GAMES.replace("8. Qf3 Qc7", "8. Qf3 {!} Qc7", 1)})
    found = chessdb.diff(db, other, matching="order")
    assert found and found.equal == 2 and not found.incomplete
    assert [(each.left, each.right) for each in found.differences] == [(1, 1)] and found.differences[0].what
    fewer = chessdb.diff(db, GAMES[: GAMES.index('[White "Smyslov')])
    assert [(each.left, each.right) for each in fewer.differences] == [(3, None)]
    with pytest.raises(ValueError, match="content"):
        chessdb.diff(db, db, matching="name")  # type: ignore[arg-type]
    with pytest.raises(chessdb.ChessDbError, match="whole database"):
        chessdb.diff(db, db[:1])


def test_salvage(many: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.si4"
    for suffix in ("si4", "sg4", "sn4"):
        (tmp_path / f"damaged.{suffix}").write_bytes(many.with_suffix(f".{suffix}").read_bytes())
    content = bytearray((tmp_path / "damaged.sg4").read_bytes())
    content[1000:3000] = bytes(2000)
    (tmp_path / "damaged.sg4").write_bytes(content)
    result = chessdb.salvage(damaged, tmp_path / "new.pgn")
    assert 0 < result.found["exact"] < result.report.written and (tmp_path / "new.pgn").exists()
    assert sum(result.found.values()) == result.report.written
    with pytest.raises(FileExistsError):
        chessdb.salvage(damaged, tmp_path / "new.pgn")


def test_parts(db: chessdb.Database, tmp_path: Path) -> None:
    reports = chessdb.split(db, tmp_path / "years", "year")
    assert {value: report.written for value, report in reports.items()} == {"1958": 1, "1959": 2}
    assert sorted(path.name for path in (tmp_path / "years").iterdir()) == ["1958.pgn", "1959.pgn"]
    chessdb.split(db, tmp_path / "players", "white", format="si4")
    assert whites(tmp_path / "players" / "Smyslov, Vasily.si4") == ["Smyslov, Vasily"]


def test_games_of_moves() -> None:
    game = chessdb.Game.from_moves(["e4", "e5", "Nf3"], White="Tal", Date="1960", WhiteElo=2700)
    assert game.ucis() == ["e2e4", "e7e5", "g1f3"] and game.white == "Tal" and game.white_elo == 2700
    board = chess.Board()
    moves = [chess.Move.from_uci(uci) for uci in ("e2e4", "e7e5", "g1f3")]
    for same in (moves, game.moves, game.ucis(), "1. e4 e5 2. Nf3 *", "1.e4 e5 2.Nf3", (move for move in moves)):
        assert chessdb.Game.from_moves(same).sans() == ["e4", "e5", "Nf3"]
    fen = "8/P7/8/8/8/4k3/8/4K3 w - - 0 1"
    promoted = chessdb.Game.from_moves(["a8=N", "Kd3"], {"FEN": fen, "Event": "Study"})
    assert promoted.fen == fen and chessdb.Game.from_moves(promoted.moves, FEN=fen).ucis() == ["a7a8n", "e3d3"]
    castled = ["e4", "e5", "Nf3", "Nf6", "Bc4", "Bc5", "O-O", "O-O"]
    assert chessdb.Game.from_moves(chessdb.Game.from_moves(castled).moves).sans() == castled
    assert board.fen() == chess.STARTING_FEN and len(chessdb.Game.from_moves([])) == 0
    for wrong, kind in ((["e4", "e4"], ValueError), (["e2e5"], ValueError), ([1.5], TypeError)):
        with pytest.raises(kind):
            chessdb.Game.from_moves(wrong)  # type: ignore[arg-type]


def test_games_become_a_page(db: chessdb.Database, tmp_path: Path) -> None:
    assert chessdb.convert(db, tmp_path / "games.html", diagrams="3,5b").written == 3
    page = (tmp_path / "games.html").read_text(encoding="utf-8")
    assert (page.count("<article"), page.count("<figure>")) == (3, 6)
    assert "Tal, Mihail – Keres, Paul" in page
