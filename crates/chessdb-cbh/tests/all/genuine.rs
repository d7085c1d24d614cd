//! Genuine databases and databases made for tests, compared with the results of other programs.
//! `CHESSDB_TESTDATA` is the folder.

use std::fs;
use std::io::Read as _;

use chessdb_cbh::{CBH, Store, raw};
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbh::{CbhPieces, Mode, codes};
use chessdb_core::model::Eco;
use chessdb_core::{Board, Game, GameStore as _, ReadOptions, Scratch};
use chessdb_testkit::{expected, fixtures, identity, readings};

use crate::common::{bases, line};

#[test]
fn raw_structs_hold_every_byte() {
    for base in bases() {
        let again = (CBH.raw.unwrap())(&base.files).unwrap();
        let difference = identity::first_difference(&base.files, &again);
        assert!(difference.is_none(), "{}: {difference:?}", base.name);
    }
}

/// Genuine databases give only the listed diagnostics.
#[test]
fn diagnostics_are_the_documented_ones() {
    let mut found = Vec::new();
    for base in bases() {
        let store = Store::open(&base.files, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
        }
        let all = store.diagnostics().iter().chain(&scratch.diagnostics);
        let all: Vec<String> = all.map(|d| format!("{}: {d}", base.name)).collect();
        println!(
            "{}: {} games, {} diagnostics",
            base.name,
            store.len(),
            all.len()
        );
        found.extend(all);
    }
    let expected = include_str!("genuine.txt");
    if fixtures::testdata("fixtures-real/cbh").is_some() {
        assert_eq!(found, expected.lines().collect::<Vec<_>>());
    }
}

/// Compares each move with the lists of expected games.
#[test]
fn moves_are_the_expected_ones() {
    let Some(folder) = fixtures::testdata("fixtures-real/cbh/expected") else {
        return;
    };
    let made = fixtures::testdata("fixtures-made/cbh/stress.uci").unwrap();
    let mut differences = Vec::new();
    let mut games = 0;
    for base in bases() {
        let list = folder.join(format!("{}.uci", base.name));
        let packed = folder.join(format!("{}.uci.gz", base.name));
        let text = match (list.exists(), packed.exists()) {
            (true, _) => fs::read_to_string(list).unwrap(),
            (_, true) => {
                let mut text = String::new();
                let bytes = fs::read(packed).unwrap();
                flate2::read::GzDecoder::new(&bytes[..])
                    .read_to_string(&mut text)
                    .unwrap();
                text
            }
            _ if base.name == "stress" => fs::read_to_string(&made).unwrap(),
            _ => continue,
        };
        let store = Store::open(&base.files, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let mut expected = text.lines();
        let mut equal = 0;
        for n in 0..store.len() {
            store.game_into(n, &mut game, &mut scratch).unwrap();
            let found = line(store.id(n).unwrap(), &game);
            let expected = expected.next().unwrap_or("nothing").trim_end();
            if found.trim_end() == expected {
                equal += 1
            } else {
                differences.push(format!("{}\n  {found}\n  {expected}", base.name))
            }
        }
        assert_eq!(expected.next(), None, "{}", base.name);
        println!("{}: {equal} of {} games equal", base.name, store.len());
        games += store.len();
    }
    println!("{games} games");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The codes of lines without variations are restored exactly when encoded again.
#[test]
fn codes_come_back() {
    let (mut games, mut plies, mut differences) = (0, 0, Vec::new());
    for base in bases() {
        let parsed = raw::Base::parse(&base.files).unwrap();
        let records = parsed.games.iter().flat_map(|games| &games.segments);
        for segment in records {
            let raw::Segment::Record { game, record, .. } = segment else {
                continue;
            };
            let is_text = parsed.index.records[*game as usize][0] & raw::Record::TEXT != 0;
            // Games with a start position are tested elsewhere.
            if is_text || record.flags != Mode::CHESS.number() {
                continue;
            }
            let numbering = Mode::CHESS.numbering();
            let mut board = Board::standard();
            let mut pieces = CbhPieces::from_board(&board, false);
            let (mut at, mut moves) = (0, 0);
            while at < record.body.len() {
                let next = |n: usize| {
                    let byte = record.body.get(at + n).copied().unwrap_or(0);
                    Mode::CHESS.code(byte, moves)
                };
                let code = [next(0), next(1), next(2)];
                if matches!(code[0], codes::NOTHING..) {
                    break;
                }
                // Garbage after the end of a game without an end mark.
                let Ok((mv, used)) = numbering.decode(&pieces, &board, &code) else {
                    break;
                };
                let mut again = Vec::new();
                numbering.encode(&pieces, &board, mv, &mut again).unwrap();
                if again != code[..used] {
                    let text = format!(
                        "{} {}: {mv} in {board}: {code:?}, not {again:?}",
                        base.name,
                        game + 1
                    );
                    differences.push(text);
                }
                let played = board.play(mv);
                numbering.play(&mut pieces, &board, mv, &played);
                moves += 1;
                at += used;
            }
            games += 1;
            plies += moves;
        }
    }
    println!("{games} games, {plies} half-moves");
    assert!(
        differences.is_empty(),
        "{} {}",
        differences.len(),
        differences.join("\n")
    );
}

/// The games of the common source.
#[test]
fn made_games_are_the_expected_ones() {
    let Some(folder) = fixtures::testdata("fixtures-made/cbh") else {
        return;
    };
    for base in expected::bases(&folder) {
        let files = fixtures::load_set(&base.stem, CBH.roles);
        let games = identity::open_all(&CBH, &files);
        assert_eq!(games.len(), base.games.len());
        // The format stores no half-move clock, move numbers up to 255, and ECO codes without
        // letters.
        let options = expected::CompareOptions {
            same_glyphs: base.same_glyphs.clone(),
            fen_fields: 4,
            ..expected::CompareOptions::default()
        };
        let mut base = base;
        for (_, eco) in base.games.iter_mut().flat_map(|game| &mut game.tags) {
            if eco.len() > 3 && Eco::from_ascii(eco.as_bytes()).is_some() {
                eco.truncate(3);
            }
        }
        let mut differences = Vec::new();
        for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
            if let Err(why) = expected::compare(game, expected, &options) {
                differences.push(format!("game {}: {why}", n + 1));
            }
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

#[test]
fn heads_and_games_agree() {
    for base in bases().iter().filter(|base| base.name != "twic1134") {
        readings::check(&CBH, &base.files, &ReadOptions::default());
    }
}
