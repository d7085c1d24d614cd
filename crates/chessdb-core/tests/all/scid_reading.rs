//! What is read and written of SCID's moves in one step, against the numbering asked step by step.

use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scid::{PieceLists, ReadLines, ScidNumbering};
use chessdb_core::line::Follow;
use chessdb_core::model::Start;
use chessdb_core::rules::Referee;
use chessdb_core::{Board, Color, Game, Lines, MoveKind, Setup, Square, rules};
use proptest::prelude::*;

use crate::common::{random_games, sharp_starts};

/// What comes next in a game.
#[derive(Clone, Debug)]
enum Next {
    Bytes([u8; 2]),
    Legal(u16),
    Open,
    Close,
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        3 => any::<[u8; 2]>().prop_map(Next::Bytes),
        12 => any::<u16>().prop_map(Next::Legal),
        2 => Just(Next::Open),
        1 => Just(Next::Close),
    ]
}

fn starts() -> impl Strategy<Value = Start> {
    let boards = sharp_starts().into_iter();
    let mut starts: Vec<Start> = boards
        .map(|board| Start::Setup(Box::new(Setup::from_board(board))))
        .collect();
    starts.push(Start::Standard);
    prop::sample::select(starts)
}

/// Every first byte means the same to both, so both stand at the same place with the same numbers.
fn assert_alike(quick: &ReadLines, slow: &Lines<ScidNumbering>) {
    assert_eq!(quick.board(), slow.board());
    assert_eq!(
        (quick.ply(), quick.depth(), Follow::at_line_start(quick)),
        (slow.ply(), slow.depth(), slow.at_line_start())
    );
    for byte in 0..=u8::MAX {
        for second in [64, 99, 127] {
            let bytes = [byte, second];
            let decoded = ScidNumbering.decode(slow.state(), slow.board(), &bytes);
            assert_eq!(quick.decode(&bytes), decoded, "{bytes:?}");
        }
    }
}

fn follow(start: Start, nexts: &[Next], facts: bool) {
    let mut game = Game::new();
    game.head.start = start;
    let has_open = nexts.iter().any(|next| matches!(next, Next::Open));
    let quick = ReadLines::new(&game.head.start, has_open, facts);
    let (Ok(mut quick), Ok(mut slow)) = (quick, Lines::new(ScidNumbering, &game)) else {
        return;
    };
    for next in nexts {
        let bytes = match next {
            Next::Open => {
                Follow::open(&mut quick);
                slow.open();
                assert_alike(&quick, &slow);
                continue;
            }
            Next::Close => {
                assert_eq!(quick.close(), slow.close());
                assert_alike(&quick, &slow);
                continue;
            }
            Next::Bytes(bytes) => bytes.to_vec(),
            Next::Legal(choice) => {
                let mut legal = Vec::new();
                rules::legal_moves(slow.board(), &mut legal);
                let Some(&mv) = legal.get(usize::from(*choice) % legal.len().max(1)) else {
                    continue;
                };
                let mut bytes = Vec::new();
                let encoded = ScidNumbering.encode(slow.state(), slow.board(), mv, &mut bytes);
                if encoded.is_err() {
                    continue;
                }
                bytes
            }
        };
        let decoded = ScidNumbering.decode(slow.state(), slow.board(), &bytes);
        let said = match quick.take_usual(&bytes) {
            Some((mv, facts, used)) => {
                assert_eq!(decoded, Ok((mv, used)));
                facts
            }
            None => match quick.decode(&bytes) {
                Ok((mv, _)) => quick.play(mv),
                Err(fault) => {
                    assert_eq!(decoded, Err(fault));
                    continue;
                }
            },
        };
        let (mv, _) = decoded.unwrap();
        if facts {
            let judged = slow.judge(mv);
            slow.play_known(mv, judged);
            assert_eq!(said, judged, "{mv:?}");
        } else {
            slow.play(mv);
            assert!(!said.are_known());
        }
        assert_alike(&quick, &slow);
    }
}

proptest! {
    #[test]
    fn lines_that_are_read_are_followed_as_others_are(
        start in starts(),
        nexts in prop::collection::vec(next(), 0..60),
        facts in any::<bool>(),
    ) {
        follow(start, &nexts, facts);
    }
}

/// Where every number and every piece stands.
fn told(lists: &PieceLists) -> Vec<(Option<Square>, Option<u8>)> {
    let squares = |color| (0..64).map(move |n| (color, n));
    let all = Color::ALL.into_iter().flat_map(squares);
    all.map(|(color, n)| {
        (
            lists.square(color, n),
            lists.number(color, Square::new(n).unwrap()),
        )
    })
    .collect()
}

#[test]
fn usual_moves_are_written_as_all_are() {
    let mut referee = Referee::default();
    let mut lists = PieceLists::standard();
    let (mut all, mut usual) = (0, 0);
    let mut starts = sharp_starts();
    starts.retain(|board| PieceLists::from_board(board).is_ok());
    starts.push(Board::standard());
    let mut start = Board::standard();
    random_games(&starts, 5, 30_000, |board, _, mv| {
        if referee.board() != board {
            referee = Referee::at(board);
            lists = PieceLists::from_board(board).unwrap();
            start = board.clone();
        }
        let color = board.turn();
        let facts = referee.judge(mv).unwrap();
        let before = told(&lists);
        let (mut quick, mut slow) = (lists.clone(), lists.clone());
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let encoded = slow.encode_known(color, mv, facts, &mut long);
        if encoded.is_ok() && mv.kind() == MoveKind::Normal {
            let moved = quick.write_usual(color, mv, facts, &mut short).unwrap();
            slow.play_known(color, mv, facts, &start);
            assert_eq!(short, long, "{mv:?}");
            assert_eq!(told(&quick), told(&slow), "{mv:?}");
            quick.take_back(color, moved);
            assert_eq!(told(&quick), before, "{mv:?}");
            usual += 1;
        } else {
            slow.play_known(color, mv, facts, &start);
        }
        lists = slow;
        referee.play(mv, facts);
        all += 1;
    });
    assert!(usual * 10 > all * 8, "{usual} of {all}");
}
