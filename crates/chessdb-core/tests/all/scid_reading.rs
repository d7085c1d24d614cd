//! Tests of reading and writing SCID's moves in one step, compared with the numbering applied step
//! by step.

use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scid::{PieceLists, ReadLines, ScidNumbering};
use chessdb_core::line::{LineTracker, Lines};
use chessdb_core::model::Start;
use chessdb_core::rules::Referee;
use chessdb_core::{Board, Color, Game, PackedMove, Square, rules};
use proptest::prelude::*;

use crate::common::{random_games, sharp_starts, starts};

/// The next element of a game.
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

/// Checks that both decode every first byte alike, so they are at the same place with the same
/// numbers.
fn assert_alike(quick: &ReadLines, slow: &Lines<ScidNumbering>) {
    assert_eq!(quick.board(), slow.board());
    assert_eq!(
        (
            quick.ply(),
            quick.depth(),
            LineTracker::at_line_start(quick)
        ),
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

/// A move or marker of a game that was followed step by step.
struct FollowedStep {
    offset: usize,
    mv: Option<PackedMove>,
    facts: Facts,
    after: Lines<ScidNumbering>,
}

const OPEN: u8 = 13;
const CLOSE: u8 = 14;

/// Returns the bytes of the game that these elements make, and its steps.
fn script(game: &Game, nexts: &[Next]) -> Option<(Vec<u8>, Vec<FollowedStep>)> {
    let mut slow = Lines::new(ScidNumbering, game).ok()?;
    let (mut bytes, mut steps) = (Vec::new(), Vec::new());
    for next in nexts {
        let offset = bytes.len();
        let mv = match next {
            Next::Open => {
                slow.open();
                bytes.push(OPEN);
                None
            }
            Next::Close if slow.close() => {
                bytes.push(CLOSE);
                None
            }
            Next::Close => continue,
            Next::Bytes(random) => {
                let read = ScidNumbering.decode(slow.state(), slow.board(), random);
                // A marker would end the game or begin something else here.
                let is_mark = (11..16).contains(&random[0]);
                let Some((mv, used)) = read.ok().filter(|_| !is_mark) else {
                    continue;
                };
                bytes.extend_from_slice(&random[..used]);
                Some(mv)
            }
            Next::Legal(choice) => {
                let mut legal = Vec::new();
                rules::legal_moves(slow.board(), &mut legal);
                let Some(&mv) = legal.get(usize::from(*choice) % legal.len().max(1)) else {
                    continue;
                };
                let (state, board) = (slow.state(), slow.board());
                let encoded = ScidNumbering.encode_readable(state, board, mv, &mut bytes);
                if encoded.is_err() {
                    bytes.truncate(offset);
                    continue;
                }
                Some(mv)
            }
        };
        let mut facts = Facts::UNKNOWN;
        if let Some(mv) = mv {
            facts = slow.judge(mv);
            slow.play_known(mv, facts);
        }
        let after = slow.clone();
        steps.push(FollowedStep {
            offset,
            mv,
            facts,
            after,
        });
    }
    Some((bytes, steps))
}

fn follow(start: Start, nexts: &[Next], facts: bool) {
    let mut game = Game::new();
    game.header.start = start;
    let Some((bytes, steps)) = script(&game, nexts) else {
        return;
    };
    let has_open = bytes.contains(&OPEN);
    let mut quick = ReadLines::new(&game.header.start, has_open, facts).unwrap();
    let mut steps = steps.into_iter();
    let mut offset = 0;
    while let Some(&byte) = bytes.get(offset) {
        let rest = &bytes[offset..];
        let mut ran = Vec::new();
        let run = quick.run(rest, |mv| {
            ran.push(mv);
            ran.len() < 5
        });
        if run > 0 {
            assert!(!facts);
            // The fifth was not taken.
            ran.truncate(4);
            let passed: Vec<FollowedStep> = steps.by_ref().take(ran.len()).collect();
            let moves: Vec<PackedMove> = passed.iter().filter_map(|step| step.mv).collect();
            assert_eq!(ran, moves);
            offset += run;
            assert_alike(&quick, &passed.last().unwrap().after);
            continue;
        }
        let step = steps.next().unwrap();
        assert_eq!(step.offset, offset);
        let (mv, reported, used) = match byte {
            OPEN => {
                LineTracker::open(&mut quick);
                (None, Facts::UNKNOWN, 1)
            }
            CLOSE => {
                assert!(quick.close());
                (None, Facts::UNKNOWN, 1)
            }
            _ => match quick.take_plain(rest) {
                Some((mv, reported, used)) => (Some(mv), reported, used),
                None => {
                    let (mv, used) = quick.decode(rest).unwrap();
                    (Some(mv), quick.play(mv), used)
                }
            },
        };
        let expected = if facts { step.facts } else { Facts::UNKNOWN };
        assert_eq!((mv, reported), (step.mv, expected));
        offset += used;
        assert_alike(&quick, &step.after);
    }
    assert!(steps.next().is_none());
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

/// Returns the squares of all numbers and the numbers of all squares.
fn all_numbers(lists: &PieceLists) -> Vec<(Option<Square>, Option<u8>)> {
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
        let before = all_numbers(&lists);
        let (mut quick, mut slow) = (lists.clone(), lists.clone());
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let encoded = slow.encode_known(color, mv, facts, &mut long);
        if encoded.is_ok() && mv.kind() == MoveKind::Normal {
            let moved = quick.write_usual(color, mv, facts, &mut short).unwrap();
            slow.play_known(color, mv, facts, &start);
            assert_eq!(short, long, "{mv:?}");
            assert_eq!(all_numbers(&quick), all_numbers(&slow), "{mv:?}");
            quick.take_back(color, moved);
            assert_eq!(all_numbers(&quick), before, "{mv:?}");
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
