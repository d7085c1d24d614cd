//! Texts in UTF-8, in a code page and in both, and meaningless bits of a database
//! (docs/formats/scid.md, sections 2 and 8).

use chessdb_core::compare::first_difference;
use chessdb_core::options::Allow;
use chessdb_core::{Charset, Event, FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb_scid::{Generation, SI3, SI4, SI5, Store, translate};
use chessdb_testkit::{fixtures, identity};

fn base(name: &str) -> MemorySet {
    fixtures::load_set(fixtures::path("scid").join(name), SI4.roles)
}

/// Returns the names, tags and comments of all games.
fn texts(files: &dyn FileSet, page: Option<Charset>) -> Vec<Vec<String>> {
    let mut options = ReadOptions::default();
    options.charset = page;
    let store = Store::open(files, options).unwrap();
    let texts = |game: &Game| {
        let header = &game.header;
        let names = [
            header.event,
            header.site,
            header.white.name,
            header.black.name,
            header.annotator,
        ];
        let mut found: Vec<_> = names
            .map(|name| game.text(name.text).decode().into())
            .into();
        found.extend(header.tags.iter().filter_map(|tag| match tag {
            chessdb_core::model::Tag::Other { value, .. } => {
                Some(game.text(*value).decode().into())
            }
            _ => None,
        }));
        found.extend(game.events().filter_map(|event| match event {
            Event::Comment(_, text) => Some(text.decode().into()),
            _ => None,
        }));
        found
    };
    assert!(store.len() > 0);
    identity::read_all(&store).iter().map(texts).collect()
}

const TEXTS: [&[&str]; 3] = [
    &[
        "Coupe d’été – œuvre",
        "Málaga",
        "Šmejkal, Jérôme",
        "Žižek, André",
        "Š. é",
        "Le début d’une manœuvre rampante",
        "café “x”",
    ],
    &[
        "„Weiß“ schön",
        "CAFÉ” é",
        "Weiß–Schwarz",
        "«Müller»",
        "",
        "Straß…",
        "für „Weiß“, grüß § 1",
    ],
    &[
        "Łódź – œuvre",
        "",
        "Žižka, Jérôme",
        "café",
        "",
        "Müller",
        "für",
    ],
];

/// Scid 4.7.4 imported them from windows-1252 and converted half of the bytes to UTF-8.
#[test]
fn what_scid_imports_from_windows_1252_is_read_as_it_was() {
    let files = base("charsets");
    assert_eq!(texts(&files, None), TEXTS);
    // The bytes are unchanged.
    let again = identity::rewrite(&SI4, &files, &Allow::Nothing)
        .unwrap()
        .set;
    assert_eq!(identity::first_difference(&files, &again), None);
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    for generation in [Generation::Si5, Generation::Si3] {
        let mut there = MemorySet::new();
        translate(&store, generation, &mut there, Allow::Nothing).unwrap();
        assert_eq!(texts(&there, None), TEXTS, "{generation:?}");
    }
    // In a new database they are UTF-8, without losses.
    for generation in Generation::ALL {
        let format = crate::common::format(generation);
        let games = identity::read_all(&store);
        let (new, losses) = identity::write_all(format, &games, Default::default()).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        for page in [None, Some(Charset::KOI8_R)] {
            assert_eq!(texts(&new, page), TEXTS, "{generation:?} {page:?}");
        }
    }
}

/// Stray bytes are decoded with the given code page; UTF-8 sequences are kept.
#[test]
fn a_named_page_is_that_of_stray_bytes() {
    let found = texts(&base("charsets"), Some(Charset::WINDOWS_1250));
    assert_eq!(found[2], TEXTS[2]);
    assert_eq!(found[0][3], "Žižek, André");
    assert_eq!(found[0][5], "Le début d’une manśuvre rampante");
}

/// Scid 4.7.4 stores meaningless bits for event dates out of range and for unknown rating types.
/// They survive rewriting.
#[test]
fn bits_without_a_meaning_come_back() {
    let files = base("remains");
    let again = identity::rewrite(&SI4, &files, &Allow::Nothing)
        .unwrap()
        .set;
    assert_eq!(identity::first_difference(&files, &again), None);
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let games = identity::read_all(&store);
    let spare: Vec<u16> = games.iter().map(|game| game.header.spare).collect();
    let year = 1 << 6;
    let dates = [year, year, year, year, 0, 0, year, 0, year, 0, 0, 0];
    let ratings = [4, 5 << 3, 0, 0, 4 | 2 << 3, 6 | 1 << 3, 0, 3 | 3 << 3];
    assert_eq!(spare, [&dates[..], &ratings].concat());
    // They are not part of the game, and dropping them elsewhere is no loss.
    let (_, losses) = identity::write_all(&SI4, &games, Default::default()).unwrap();
    assert!(losses.is_empty());
    let mut there = MemorySet::new();
    let mut back = MemorySet::new();
    translate(&store, Generation::Si3, &mut there, Allow::Nothing).unwrap();
    let si3 = Store::open(&there, ReadOptions::default()).unwrap();
    translate(&si3, Generation::Si4, &mut back, Allow::Nothing).unwrap();
    let ratings_of = |files: &MemorySet| {
        let store = Store::open(files, ReadOptions::default()).unwrap();
        let games = identity::read_all(&store);
        games
            .iter()
            .map(|game| game.header.spare & 63)
            .collect::<Vec<_>>()
    };
    assert_eq!(ratings_of(&files), ratings_of(&back));
    // A new game has none.
    let mut game = games[12].clone();
    game.header.clear();
    assert_eq!(game.header.spare, 0);
}

/// A database that is known to be intact is opened without its names; the first games find theirs in
/// the file.
#[test]
fn names_are_equal_read_or_searched() {
    let mut games = 0;
    for (folder, suffix, format) in [
        ("scid", "si4", SI4),
        ("scid3", "si3", SI3),
        ("scid5", "si5", SI5),
    ] {
        let folder = fixtures::path(folder);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != suffix) {
                continue;
            }
            let files = fixtures::load_set(path.with_extension(""), format.roles);
            let intact = || {
                let mut options = ReadOptions::default();
                options.known_intact = true;
                (format.open)(&files, options).unwrap()
            };
            let read = (format.open)(&files, ReadOptions::default()).unwrap();
            for n in 0..read.len().min(20) {
                // The fresh store has searched no name; the other one soon reads all of them.
                let (mut one, mut other) = (Game::new(), Game::new());
                let mut scratch = Scratch::new();
                read.header_into(n, &mut one, &mut scratch).unwrap();
                intact().header_into(n, &mut other, &mut scratch).unwrap();
                assert_eq!(first_difference(&one, &other), None, "{path:?} {n}");
                let keys = |game: &Game| {
                    let header = &game.header;
                    let names = [header.event, header.site, header.round, header.white.name];
                    names.map(|named| (named.key, game.text(named.text).decode().into_owned()))
                };
                assert_eq!(keys(&one), keys(&other), "{path:?} {n}");
                games += 1;
            }
            let searched = intact();
            let mut scratch = Scratch::new();
            for n in 0..read.len().min(10) {
                let (mut one, mut other) = (Game::new(), Game::new());
                read.game_into(n, &mut one, &mut scratch).unwrap();
                searched.game_into(n, &mut other, &mut scratch).unwrap();
                assert_eq!(first_difference(&one, &other), None, "{path:?} {n}");
            }
            assert_eq!(read.base().names, searched.base().names, "{path:?}");
            assert_eq!(read.diagnostics().len(), searched.diagnostics().len());
        }
    }
    assert!(games > 100, "{games}");
}
