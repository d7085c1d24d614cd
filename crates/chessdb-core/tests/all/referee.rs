//! Tests of the referee: its incremental state equals the rules evaluated for each position.

use chessdb_core::board::{Facts, MoveKind, Piece};
use chessdb_core::rules::{self, PlainMove, Referee, ShortSan};
use chessdb_core::{Board, PackedMove, PieceType};
use proptest::prelude::*;

use crate::common::{any_board, any_move, chess960, legal_moves, random_games, san, sharp_starts};

fn read_plain(referee: &Referee, word: &str) -> Option<PlainMove> {
    let mut referee = referee.clone();
    let mut bytes = [b' '; 8];
    let length = word.len().min(8);
    bytes[..length].copy_from_slice(&word.as_bytes()[..length]);
    referee.read_plain_move(u64::from_le_bytes(bytes), word.len())
}

/// Returns the SAN text made from the facts.
fn san_of_facts(mv: PackedMove, facts: Facts) -> String {
    let san = ShortSan::new(mv, facts);
    let (text, rest) = (san.bytes(), san.length());
    assert!(text[rest..].iter().all(|&byte| byte == 0));
    String::from_utf8(text[..rest].to_vec()).unwrap()
}

fn code(piece: Option<Piece>) -> u8 {
    piece.map_or(0, |piece| piece.kind as u8 + 1)
}

/// Plays a legal move through every function and compares all results with the rules.
fn judge(referee: &Referee, mv: PackedMove) -> (Referee, bool) {
    let board = referee.board();
    let text = san(board, mv);
    let mut legal = referee.clone();
    let facts = legal.play_legal(mv);
    let mut after = board.clone();
    after.play(mv);
    assert_eq!(legal, Referee::at(&after), "{board:?} {mv:?}");
    assert_eq!(san_of_facts(mv, facts), text, "{board:?}");
    assert_eq!(referee.clone().judge(mv), Some(facts), "{board:?} {mv:?}");
    let mut played = referee.clone();
    played.play(mv, facts);
    assert_eq!(played, legal, "{board:?} {mv:?}");
    let mut both = referee.clone();
    let (judged, done) = both.judge_and_play(mv);
    assert_eq!(
        (judged, done),
        (facts, board.clone().play(mv)),
        "{board:?} {mv:?}"
    );
    assert_eq!(both, legal, "{board:?} {mv:?}");
    if mv.is_null() {
        assert!(!facts.are_known());
        return (legal, false);
    }
    assert_eq!(facts.piece(), code(board.piece_at(mv.from())));
    let taken = match mv.kind() {
        MoveKind::EnPassant => 1,
        MoveKind::CastleLong | MoveKind::CastleShort => 0,
        _ => code(board.piece_at(mv.to())),
    };
    assert_eq!(facts.taken(), taken, "{board:?} {mv:?}");
    let word = text.trim_end_matches(['+', '#']);
    let Some(plain) = read_plain(referee, word) else {
        return (legal, false);
    };
    assert_eq!(plain.mv(), mv, "{board:?} {word}");
    let mut quick = referee.clone();
    assert_eq!(quick.play_plain(plain), facts, "{board:?} {word}");
    assert_eq!(quick.before().as_ref(), Some(board), "{word}");
    assert_eq!(quick, legal, "{board:?} {word}");
    (legal, true)
}

#[test]
fn what_is_remembered_is_what_the_rules_say() {
    let mut starts = sharp_starts();
    starts.extend((0..960).step_by(100).map(chess960));
    let mut referee = Referee::default();
    let (mut all, mut quick, mut named, mut mates) = (0, 0, 0, 0);
    random_games(&starts, 7, 60_000, |board, moves, mv| {
        if referee.board() != board {
            referee = Referee::at(board);
        }
        for &other in moves.iter().step_by(7) {
            judge(&referee, other);
        }
        let (next, is_quick) = judge(&referee, mv);
        let text = san(board, mv);
        all += 1;
        quick += usize::from(is_quick);
        named += usize::from(text.trim_end_matches(['+', '#']).replace('x', "").len() == 4);
        mates += usize::from(text.ends_with('#'));
        referee = next;
    });
    assert!(
        quick * 10 > all * 8 && named > 1_000 && mates > 20,
        "{quick} of {all}, {named} {mates}"
    );
}

#[test]
fn a_null_move_may_leave_a_king_to_be_taken() {
    let mut referee = Referee::default();
    for word in ["e4", "f5", "Qh5"] {
        let mv = rules::read_san(referee.board(), word.as_bytes()).unwrap();
        referee.play_legal(mv);
    }
    referee.play_legal(PackedMove::NULL);
    assert_eq!(read_plain(&referee, "Qxe8"), None);
    let takes = rules::read_san(referee.board(), b"Qxe8").unwrap();
    let facts = referee.clone().play_legal(takes);
    assert_eq!(facts.taken(), PieceType::King as u8 + 1);
    judge(&referee, takes);
}

proptest! {
    /// Covers any position, including moves that no rules allow.
    #[test]
    fn moves_are_found_as_the_rules_find_them(board in any_board(), moves in prop::collection::vec(any_move(), 40)) {
        let mut referee = Referee::at(&board);
        for mv in moves {
            let plain = referee.find_plain_move(mv.from().index(), mv.to().index());
            if let Some(plain) = plain {
                let mv = PackedMove::normal(mv.from(), mv.to());
                prop_assert_eq!(plain.mv(), mv);
                prop_assert!(rules::is_legal(&board, mv), "{:?}", mv);
            }
            let (facts, played) = referee.clone().judge_and_play(mv);
            prop_assert_eq!(played, board.clone().play(mv));
            prop_assert_eq!(facts, referee.judge(mv).unwrap_or_default());
        }
        for side in chessdb_core::board::Side::ALL {
            let word: &[u8] = match side {
                chessdb_core::board::Side::Short => b"O-O",
                chessdb_core::board::Side::Long => b"O-O-O",
            };
            prop_assert_eq!(referee.find_castling(side), rules::read_san(&board, word).ok());
        }
    }

    /// In any position, the words that the referee reads are read by the tolerant reader in the
    /// same way.
    #[test]
    fn words_mean_what_they_mean_to_the_tolerant_reader(
        board in any_board(),
        words in prop::collection::vec("[a-hxNBRQKOP1-8+=-]{1,7}|[NBRQK]?[a-h1-8]?x?[a-h][1-8]", 40),
    ) {
        let referee = Referee::at(&board);
        for word in words {
            if let Some(plain) = read_plain(&referee, &word) {
                prop_assert_eq!(rules::read_san(&board, word.as_bytes()), Ok(plain.mv()), "{}", word);
            }
        }
    }

    #[test]
    fn any_position_is_judged(board in any_board(), mv in any_move()) {
        let mut referee = Referee::at(&board);
        for mv in legal_moves(&board) {
            judge(&referee, mv);
        }
        prop_assert_eq!(referee.judge(mv).is_some(), rules::is_legal(&board, mv));
        referee.play(mv, Facts::UNKNOWN);
        let mut after: Board = board;
        after.play(mv);
        prop_assert_eq!(referee, Referee::at(&after));
    }
}
