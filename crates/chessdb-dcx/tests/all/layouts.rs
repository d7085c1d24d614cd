//! Every layout of the index and the forms of the oldest writers (docs/formats/dcx.md, sections
//! 3.1, 5.1, 9).

use chessdb_core::compare::first_difference;
use chessdb_core::model::Named;
use chessdb_core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb_dcx::raw::{Base, Entry, EntrySize, HeaderSize, Layout, Length, LengthForm, Segment};
use chessdb_dcx::{DCE_FILE, DCG_FILE, DCI_FILE, DCS_FILE, DCX, Store};
use chessdb_testkit::strategy::GameOptions;
use chessdb_testkit::{identity, readings};

use crate::common::random_base;

/// Returns the database with its index in another layout.
fn in_layout(set: &MemorySet, layout: Layout) -> MemorySet {
    let base = Base::parse(set).unwrap();
    let mut index = b"SimpleCDbi".to_vec();
    if layout.file_header != HeaderSize::Magic {
        index.push(u8::from(layout.entry == EntrySize::Long));
    }
    if layout.file_header == HeaderSize::Full {
        index.extend([0; 8]);
    }
    for entry in &base.index.entries {
        entry.write(layout.entry, &mut index);
    }
    let mut changed = set.clone();
    changed.insert(DCI_FILE, index);
    if layout.entry == EntrySize::Short {
        changed.remove(DCE_FILE);
        // The magic byte of these writers.
        changed.get_mut(DCS_FILE).unwrap()[9] = b'n';
    }
    changed
}

fn without_event(game: &Game) -> Game {
    let mut game = game.clone();
    game.header.event = Named::default();
    game
}

#[test]
fn every_layout_is_read() {
    for games in [1, 3, 90] {
        let (whole, set) = random_base(games, &GameOptions::for_dcx());
        for layout in Layout::ALL {
            let set = in_layout(&set, layout);
            let store = Store::open(&set, ReadOptions::default()).unwrap();
            assert_eq!(store.layout(), layout, "{games} games");
            // Only layouts known from texts alone are reported; E also has another version.
            let said = match layout.letter() {
                'A' | 'B' | 'C' => 0,
                'D' => 1,
                _ => 2,
            };
            // Possibly nothing determines the numbering of the promotions.
            let found = store.diagnostics().iter().filter(|found| {
                let text = found.to_string();
                !text.contains("possible with both numberings")
            });
            assert_eq!(found.count(), said, "{layout:?}: {:?}", store.diagnostics());
            for (n, expected) in whole.iter().enumerate() {
                let mut game = Game::new();
                let mut scratch = Scratch::new();
                store.game_into(n as u32, &mut game, &mut scratch).unwrap();
                let expected = match layout.entry {
                    EntrySize::Short => without_event(expected),
                    _ => expected.clone(),
                };
                assert_eq!(first_difference(&game, &expected), None);
                assert!(scratch.diagnostics.is_empty());
            }
            readings::check(&DCX, &set, &ReadOptions::default());
            let raw = Base::parse(&set).unwrap().to_bytes();
            assert_eq!(identity::first_difference(&raw, &set), None);
        }
    }
}

/// Reversed lengths of games above 126 bytes, as before 0c7bb4f: the same games, with a finding.
#[test]
fn scrambled_lengths_are_read() {
    let (whole, set) = random_base(40, &GameOptions::for_dcx());
    let base = Base::parse(&set).unwrap();
    let mut games = b"SimpleCDbg".to_vec();
    let mut scrambled = Vec::new();
    for segment in &base.games.as_ref().unwrap().segments {
        let Segment::Record { record, .. } = segment else {
            panic!("{segment:?}");
        };
        let mut record = *record;
        scrambled.push(record.length.value > 126);
        record.length = match Length::new(record.length.value) {
            Length {
                value,
                form: LengthForm::Long(n),
            } => Length {
                value,
                form: LengthForm::Reversed(n),
            },
            short => short,
        };
        record.write(&mut games);
    }
    assert!(scrambled.contains(&true) && scrambled.contains(&false));
    let mut set = in_layout(&set, Layout::OLD);
    assert_eq!(set.get(DCG_FILE).map(<[u8]>::len), Some(games.len()));
    set.insert(DCG_FILE, games);
    let store = Store::open(&set, ReadOptions::default()).unwrap();
    for (n, expected) in whole.iter().enumerate() {
        let mut game = Game::new();
        let mut scratch = Scratch::new();
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        assert_eq!(first_difference(&game, &without_event(expected)), None);
        assert_eq!(
            scratch.diagnostics.len(),
            usize::from(scrambled[n]),
            "game {n}"
        );
    }
    let raw = Base::parse(&set).unwrap().to_bytes();
    assert_eq!(identity::first_difference(&raw, &set), None);
}

/// The files that the reference writer leaves when it stops early, and those of an empty database.
#[test]
fn empty_bases_are_read() {
    let (_, set) = random_base(2, &GameOptions::for_dcx());
    for index in [&b""[..], b"SimpleCDbi", b"SimpleCDbi\0\0\0\0\0\0\0\0\0"] {
        for games in [&b""[..], b"SimpleCDbg"] {
            let mut set = set.clone();
            set.insert(DCI_FILE, index);
            set.insert(DCG_FILE, games);
            let store = Store::open(&set, ReadOptions::default()).unwrap();
            assert_eq!((store.len(), store.is_empty()), (0, true));
            let said = usize::from(index.is_empty());
            assert_eq!(store.diagnostics().len(), said, "{:?}", store.diagnostics());
            assert!((DCX.probe)(&set) >= chessdb_core::format::Score::Likely);
            let raw = Base::parse(&set).unwrap().to_bytes();
            assert_eq!(identity::first_difference(&raw, &set), None);
        }
    }
    let (empty, _) = identity::write_all(&DCX, [], Default::default()).unwrap();
    assert_eq!(empty.get(DCI_FILE).map(<[u8]>::len), Some(19));
    assert_eq!(empty.get(DCG_FILE), Some(&b"SimpleCDbg"[..]));
}

/// Several games may have promotions numbered as in the published text.
#[test]
fn the_published_numbering_is_found_from_two_games_on() {
    let fen = b"8/P6k/8/8/8/8/7K/8 w - - 0 1";
    let game = |code: u8| {
        let mut record = vec![fen.len() as u8 + 4, 1, fen.len() as u8];
        record.extend_from_slice(fen);
        record.extend([code << 4 | 0x0C, 0x38]);
        record
    };
    let base = |codes: &[u8]| {
        let (_, mut set) = random_base(0, &GameOptions::for_dcx());
        let mut games = b"SimpleCDbg".to_vec();
        let mut index = set.get(DCI_FILE).unwrap().to_vec();
        for &code in codes {
            let offset = games.len() as u64;
            let entry = Entry {
                offset,
                white: 10,
                black: 10,
                site: 10,
                event: 10,
                ..Entry::default()
            };
            index.extend(entry.to_bytes());
            games.extend(game(code));
        }
        set.insert(DCI_FILE, index);
        set.insert(DCG_FILE, games);
        set
    };
    let read = |codes: &[u8]| -> String {
        let set = base(codes);
        let games = identity::open_all(&DCX, &set);
        let moves = games.iter().map(|game| match game.moves.mainline().next() {
            Some(mv) => mv.to_string().pop().unwrap(),
            None => '-',
        });
        moves.collect()
    };
    assert_eq!(read(&[4, 3, 2]), "rbn");
    // One damaged game is no evidence for the others.
    assert_eq!(read(&[4, 1, 2]), "rnn");
    assert_eq!(read(&[4, 1, 2, 1, 3]), "qnbnr");
    assert_eq!(read(&[4, 1, 5, 1, 3]), "r-q-b");
}
