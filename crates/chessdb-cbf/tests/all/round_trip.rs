//! Every valid record is restored byte for byte. Every game that the format can hold is restored
//! exactly, and of all others only the announced losses are missing.

use chessdb_cbf::raw::{Index, Position, RawHeader, Record, RecordFlags};
use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE};
use chessdb_core::compare::{first_difference, moves_difference};
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::{CbfNumbering, EpRegister, count};
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{Board, FileSet, Game, LossKind, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb_testkit::facts;
use chessdb_testkit::identity::{first_difference as set_difference, open_all, rewrite, write_all};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};
use proptest::prelude::*;

fn base_of(records: &[Record]) -> MemorySet {
    let mut games = Vec::new();
    let mut offsets = Vec::new();
    for record in records {
        offsets.push(games.len() as u64);
        games.extend(record.to_bytes());
    }
    let index = Index::new(&offsets, games.len() as u64).unwrap();
    let mut set = MemorySet::new();
    set.insert(CBF_FILE, games);
    set.insert(CBI_FILE, index.to_bytes());
    set
}

/// Returns random moves by number, including variations and ghosts, the number of moves with a
/// comment, and the length of the mainline.
fn random_moves(
    rng: &mut Rng,
    start: &Board,
    register: EpRegister,
    most: usize,
) -> (Vec<u8>, usize, u32) {
    let mut moves = Vec::new();
    let (mut commented, mut plies) = (0, 0);
    let mut here = (start.clone(), register);
    let mut before: Option<(Board, EpRegister)> = None;
    type Here = (Board, EpRegister);
    let mut open: Vec<(Here, Option<Here>)> = Vec::new();
    for _ in 0..most {
        match rng.below(12) {
            0 if before.is_some() && open.len() < 4 => {
                moves.push(0xFF);
                open.push((here, before.clone()));
                here = before.take().unwrap();
            }
            1 if !open.is_empty() => {
                moves.push(0x80);
                (here, before) = open.pop().unwrap();
            }
            _ => {
                let moves_here = count(&here.0, here.1);
                if moves_here == 0 {
                    continue;
                }
                let number = rng.below(usize::from(moves_here).min(126)) as u8 + 1;
                let Ok((mv, _)) = CbfNumbering.decode(&here.1, &here.0, &[number]) else {
                    continue; // The phantom.
                };
                let comment = rng.chance(20);
                moves.push(number | u8::from(comment) << 7);
                commented += usize::from(comment);
                plies += u32::from(open.is_empty());
                before = Some(here.clone());
                let played = here.0.play(mv);
                CbfNumbering.play(&mut here.1, &here.0, mv, &played);
            }
        }
    }
    moves.extend(open.iter().map(|_| 0x80));
    (moves, commented, plies)
}

fn random_comment(rng: &mut Rng, area: &mut Vec<u8>) {
    let code = |rng: &mut Rng, last: usize| {
        if rng.chance(50) { 0 } else { rng.below(last + 1) as u8 }
    };
    let codes = [code(rng, 9), code(rng, 15), code(rng, 7)];
    let text: Vec<u8> = match rng.below(6) {
        0 => b"[%clk 0:05:10] x".to_vec(),
        1 => b"[%eval 0.31]".to_vec(),
        2 => (0..rng.below(20))
            .map(|_| 1 + rng.below(254) as u8)
            .collect(),
        3 => b"plain text".to_vec(),
        _ => Vec::new(),
    };
    chessdb_cbf::raw::Comment {
        codes,
        text: (!text.is_empty() || rng.chance(20)).then_some(&text),
    }
    .write(area);
    area.push(0xFF);
}

/// Returns a record with random header, texts, start position, moves and comments.
fn random_record(rng: &mut Rng) -> Record {
    let byte = |rng: &mut Rng| rng.below(256) as u8;
    let raw: [u8; RawHeader::SIZE] = std::array::from_fn(|_| byte(rng));
    let mut raw_header = RawHeader::parse(&raw);
    let fens = [
        "r3k2r/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/R3K2R w KQkq - 0 1",
        "8/P6p/8/3pP3/8/8/7P/8 w K d6 0 40",
        "4k3/8/8/8/3PpP2/8/8/4K3 b - d3 0 1",
    ];
    let mut start = Board::standard();
    let mut position = None;
    if rng.chance(40) {
        let fen = fens[rng.below(3)];
        let (setup, _) = chessdb_core::Setup::from_fen(fen.as_bytes()).unwrap();
        start = setup.board;
        let mut squares = [0u8; 64];
        for square in chessdb_core::Square::all() {
            if let Some(piece) = start.piece_at(square) {
                let letters = *b"kqnbrp";
                let letter = piece.letter().to_ascii_lowercase();
                let kind = letters.iter().position(|l| *l == letter).unwrap() as u8 + 1;
                let black = u8::from(piece.letter().is_ascii_lowercase()) * 8;
                squares[usize::from(square.rank_major())] = kind | black;
            }
        }
        position = Some(Position {
            squares,
            moves_before: byte(rng),
        });
        raw_header.players &= 0x3F;
        raw_header.source &= 0x3F;
        raw_header.extra &= 0x40;
        raw_header.extra |= start.ep_square().map_or(0, |square| square.file() + 1);
        let black = start.turn() == chessdb_core::Color::Black;
        raw_header.flags.set(RecordFlags::BLACK_FIRST, black);
    } else if rng.chance(90) {
        raw_header.set_eco(rng.below(512) as u16, rng.below(100) as u8);
    }
    let register = EpRegister(start.ep_square().map_or(0, |square| square.file() + 1));
    let most = rng.below(60);
    let (moves, commented, plies) = random_moves(rng, &start, register, most);
    let mut comments = Vec::new();
    let pre = rng.chance(30);
    if commented > 0 || pre {
        comments.push(0xFF);
        for _ in 0..commented + usize::from(pre) {
            random_comment(rng, &mut comments);
        }
    }
    let letters = b"abc,,--__  (3)[x]12/.?";
    let text = |rng: &mut Rng| -> Vec<u8> {
        (0..rng.below(24))
            .map(
                |_| {
                    if rng.chance(90) { rng.pick(letters) } else { byte(rng) }
                },
            )
            .collect()
    };
    let (players, source) = (text(rng), text(rng));
    let black = position.is_some() && raw_header.flags.contains(RecordFlags::BLACK_FIRST);
    raw_header.full_moves = (plies + u32::from(black)).div_ceil(2).min(255) as u8;
    if rng.chance(70) {
        raw_header.result = *b"\x00\x01\x02\x03\x10\x07\x13\x3B"
            .get(rng.below(8))
            .unwrap();
    }
    let mut record = Record {
        raw_header,
        text: [&players[..], &source].concat(),
        moves,
        comments,
        position,
    };
    assert!(record.set_lengths(players.len()));
    record.raw_header.check = match rng.below(4) {
        0 => byte(rng),
        1 => record.raw_header.check_old(),
        _ => record.raw_header.check_new(),
    };
    record
}

/// Records that strict reading accepts are restored byte for byte with no losses allowed. All
/// others keep their games.
#[test]
fn records_come_back() {
    let mut rng = Rng::new(2024);
    let (mut identical, mut others) = (0, 0);
    for n in 0..20_000 {
        let set = base_of(&[random_record(&mut rng)]);
        let mut strict = ReadOptions::default();
        strict.mode = Mode::Strict;
        let mut game = Game::new();
        let accepted =
            (CBF.open)(&set, strict)
                .unwrap()
                .game_into(0, &mut game, &mut Scratch::new());
        let rewritten = rewrite(&CBF, &set, &Allow::Nothing);
        match (accepted, rewritten) {
            (Ok(()), Ok(rewritten)) => {
                let difference = set_difference(&set, &rewritten.set);
                assert_eq!(difference, None, "record {n}: {game:?}");
                identical += 1;
            }
            (Ok(()), Err(error)) => panic!("record {n}: {error}: {game:?}"),
            (Err(fault), Ok(rewritten)) => {
                let (old, new) = (open_all(&CBF, &set), open_all(&CBF, &rewritten.set));
                let difference = first_difference(&old[0], &new[0]);
                assert_eq!(difference, None, "record {n}: {fault}");
                assert_eq!(
                    old[0].header.extras, new[0].header.extras,
                    "record {n}: {fault}"
                );
                others += 1;
            }
            (Err(fault), Err(error)) => panic!("record {n}: {fault}, then {error}"),
        }
    }
    println!("{identical} identical, {others} with deviations");
    assert!(identical > 5000 && others > 1000);
}

/// Returns the options for games that the format can hold.
fn held() -> GameOptions {
    GameOptions {
        comments: true,
        nags: false,
        depth: 4,
        first_alternatives: true,
        empty_variations: true,
        setups: true,
        newlines: true,
        commands: true,
        empty_comments: true,
        greatest_year: 2026,
        ..GameOptions::plain()
    }
}

fn write(games: &[Game]) -> (MemorySet, chessdb_core::Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    write_all(&CBF, games, options).unwrap()
}

/// The losses that still allow a comparison of the moves.
const OF_HEADS: [LossKind; 12] = [
    LossKind::SiteMerged,
    LossKind::EmptyTag,
    LossKind::NameCut,
    LossKind::NameText,
    LossKind::Tag,
    LossKind::Date,
    LossKind::Round,
    LossKind::Rating,
    LossKind::RatingRounded,
    LossKind::Flags,
    LossKind::Eco,
    LossKind::StartCounters,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Writing with known facts about the moves gives the same bytes and losses as playing the
    /// moves.
    #[test]
    fn what_is_known_changes_no_byte(
        any in prop::collection::vec(strategy::games(GameOptions::all()), 1..4),
    ) {
        facts::check(&CBF, &any);
    }

    /// The losses of a game are the same before and during writing. The written game is read
    /// without diagnostics, and rewriting it loses nothing more and changes nothing.
    #[test]
    fn what_was_written_once_is_held(game in strategy::games(GameOptions::all())) {
        let (set, _) = write(std::slice::from_ref(&game));
        let mut scratch = Scratch::new();
        let mut read = Game::new();
        let store = (CBF.open)(&set, ReadOptions::default()).unwrap();
        store.game_into(0, &mut read, &mut scratch).unwrap();
        prop_assert!(store.diagnostics().is_empty());
        prop_assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
        let again = rewrite(&CBF, &set, &Allow::Nothing);
        prop_assert!(again.is_ok(), "{}", again.unwrap_err());
        prop_assert_eq!(set_difference(&set, &again.unwrap().set), None);
    }
}

/// Removes empty, missing and `?` names, which all mean unknown.
fn forget_unknown_names(game: &mut Game) {
    let Game { header, texts, .. } = game;
    for name in [
        &mut header.white.name,
        &mut header.black.name,
        &mut header.event,
        &mut header.site,
        &mut header.round,
    ] {
        if matches!(texts.get(name.text).as_bytes(), b"" | b"?") {
            *name = chessdb_core::model::Named::default();
        }
    }
}

/// If no loss of a kind was announced, nothing of that kind differs: moves and comments without
/// losses that concern them, and whole games without losses.
#[test]
fn games_that_fit_come_back() {
    let (mut moves, mut whole, mut all) = (0, 0, 0);
    for seed in 0..3000 {
        // Every second game has no names that would be merged.
        let mut game = strategy::game(seed, &held());
        // The tag `SetUp`, which is redundant next to the start position, is not kept.
        game.header.tags.clear();
        if seed % 2 == 0 {
            game.header.site = chessdb_core::model::Named::default();
            game.header.round = chessdb_core::model::Named::default();
            game.header.date.month = 0;
            game.header.date.day = 0;
        }
        let (set, losses) = write(std::slice::from_ref(&game));
        let mut read = open_all(&CBF, &set).remove(0);
        all += 1;
        if losses.iter().all(|loss| OF_HEADS.contains(&loss.kind)) {
            let difference = moves_difference(&game, &read);
            assert_eq!(difference, None, "seed {seed}: {losses:?}");
            moves += 1;
        }
        if losses.is_empty() {
            forget_unknown_names(&mut game);
            forget_unknown_names(&mut read);
            assert_eq!(first_difference(&game, &read), None, "seed {seed}");
            whole += 1;
        }
    }
    println!("{moves} of {all} keep all moves and comments, {whole} everything");
    assert!(moves > all / 3 && whole > all / 10);
}

#[test]
fn sizes_of_sets_are_as_written() {
    let (set, losses) = write(&[Game::new(), Game::new()]);
    assert!(losses.is_empty());
    assert_eq!(set.get(CBF_FILE).unwrap().len(), 2 * RawHeader::SIZE);
    assert_eq!(set.get(CBI_FILE).unwrap().len(), 16);
    let (empty, _) = write(&[]);
    assert_eq!(empty.get(CBI_FILE).unwrap(), [0, 0, 0, 1, 0, 0, 0, 2]);
}
