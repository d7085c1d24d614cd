"""Tests of cross-tables and bulletins."""

from __future__ import annotations

import pickle
from pathlib import Path

import chessdb
import pytest

#: A round robin, from the last round to the first: rounds, players and results.
PAIRINGS = [
    ("3.2", "Bea", "Dan", "1/2-1/2"),
    ("3.1", "Ann", "Cid", "1-0"),
    ("2.2", "Dan", "Ann", "0-1"),
    ("2.1", "Cid", "Bea", "1/2-1/2"),
    ("1.2", "Ann", "Bea", "1/2-1/2"),
    ("1.1", "Cid", "Dan", "1-0"),
]
RATINGS = {"Ann": 2400, "Bea": 2200, "Cid": 2300, "Dan": 2100}


def games(event: str = "Club") -> str:
    tags = '[Event "{}"]\n[Site "Here"]\n[Date "2024.05.0{}"]\n[Round "{}"]\n[White "{}"]\n[Black "{}"]\n'
    elos = '[WhiteElo "{}"]\n[BlackElo "{}"]\n[Result "{}"]\n\n1. e4 e5 {}\n\n'
    return "".join(
        (tags + elos).format(
            event, number[0], number, white, black, RATINGS[white], RATINGS[black], result, result
        )
        for number, white, black, result in PAIRINGS
    )


@pytest.fixture
def club(tmp_path: Path) -> chessdb.Database:
    (tmp_path / "club.pgn").write_text(games() + games("Other"))
    return chessdb.open(tmp_path / "club.pgn")


def test_the_table_of_an_event(club: chessdb.Database) -> None:
    table = club.crosstable("event:Club")
    assert (table.event, table.site, table.kind, table.games, table.byes) == ("Club", "Here", "grid", 6, 0)
    assert (table.first_date, table.last_date) == ("2024.05.01", "2024.05.03")
    assert table.ranked_by == ["sonneborn-berger"]
    rows = [(row.rank, row.name, row.rating, row.points) for row in table.players]
    assert rows == [(1, "Ann", 2400, 2.5), (2, "Bea", 2200, 1.5), (3, "Cid", 2300, 1.5), (4, "Dan", 2100, 0.5)]
    ann, _, cid, _ = table.players
    # By hand: half of Bea's points, Cid's and Dan's.
    assert ann.tie_breaks["sonneborn-berger"] == 2.75
    assert ann.tie_breaks["buchholz"] == 3.5 and ann.tie_breaks["wins"] == 2
    # FIDE's table: 0.76 of a game against 200 points less, 0.64 against 100, 0.85 against 300.
    assert ann.expected == pytest.approx(0.76 + 0.64 + 0.85)
    assert (ann.factor, ann.rating_change) == (10, pytest.approx(2.5))
    assert [(game.opponent, game.color, game.points, game.round) for game in cid.games] == [
        (4, "white", 1.0, "1.1"),
        (2, "white", 0.5, "2.1"),
        (1, "black", 0.0, "3.1"),
    ]
    assert pickle.loads(pickle.dumps(table)) == table


def test_kinds_tie_breaks_and_several_events(club: chessdb.Database) -> None:
    table = club.crosstable("event:Club", kind="rounds", tie_breaks="wins,DE", factor=40)
    assert table.kind == "rounds" and table.ranked_by == ["wins", "direct"]
    assert table.players[0].factor == 40
    assert [table.event for table in chessdb.crosstables(club)] == ["Club", "Other"]
    with pytest.raises(ValueError, match="2 events"):
        club.crosstable()
    with pytest.raises(ValueError, match="no game"):
        club.crosstable("event:None")
    with pytest.raises(ValueError, match="grid"):
        chessdb.crosstables(club, kind="swiss")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tie-breaks are"):
        chessdb.crosstables(club, tie_breaks=["elo"])


def test_a_bulletin_has_the_table_and_the_rounds(club: chessdb.Database, tmp_path: Path) -> None:
    page = tmp_path / "club.html"
    chessdb.convert(club, page, where="event:Club", bulletin=True)
    text = page.read_text()
    assert '<table class="cross"' in text
    rounds = [text.index(f'<h2 class="round">Round {number}</h2>') for number in (1, 2, 3)]
    assert rounds == sorted(rounds)
    chessdb.convert(club, page, where="event:Club", bulletin="wins", replace=True)
    assert ">Wins</th>" in page.read_text()
    chessdb.convert(club, page, bulletin=False, replace=True)
    assert '<table class="cross"' not in page.read_text()
    with pytest.raises(chessdb.ChessDbError, match="tie-breaks are"):
        chessdb.convert(club, page, bulletin="elo", replace=True)


def test_headers_are_cleaned(tmp_path: Path) -> None:
    (tmp_path / "old.pgn").write_text('[Event "Round 3: GM Tal, M - Keres, P"]\n\n1. e4 *\n\n[White "Plain"]\n\n1. d4 *\n')
    report = chessdb.convert(tmp_path / "old.pgn", tmp_path / "new.pgn", clean_headers=True)
    assert report.cleaned == {"event": 1, "round": 1, "players": 1, "title": 1}
    assert pickle.loads(pickle.dumps(report)).cleaned == report.cleaned
    game = chessdb.open(tmp_path / "new.pgn")[0]
    assert (game.headers["Round"], game.white, game.headers["WhiteTitle"]) == ("3", "Tal, M", "GM")
    plain = chessdb.convert(tmp_path / "old.pgn", tmp_path / "copy.pgn")
    assert plain.cleaned == {}
