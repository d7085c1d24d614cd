//! The databases of the repository, and damaged input: no panic, no hang.

use std::time::Instant;

use chessdb_bytecode::raw::myisam::{ARCHIVE, TableFiles};
use chessdb_bytecode::{
    Encoded, JOSE_IO, JOSE_SQL, JoseNumbering, Layout, MoveColumns, SQL_FILE, TextColumn, decode,
    decode_into, encode_as,
};
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::limits::Limits;
use chessdb_core::options::Allow;
use chessdb_core::{Game, MemorySet, ReadOptions, Scratch, Severity, Start, WriteOptions};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::time::patience;
use chessdb_testkit::{fixtures, golden, identity};

fn script(bytes: impl Into<Vec<u8>>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(SQL_FILE, bytes.into());
    set
}

/// The scripts of the repository: their dumps equal the golden files, a rewrite returns the same
/// bytes, and nothing is reported.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let bases = golden::check_bases(&JOSE_SQL, "jose", golden);
    assert!(bases >= 4, "{bases}");
}

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

#[test]
fn damaged_scripts_end_in_errors_or_diagnostics() {
    let games: Vec<Game> = (0..6)
        .map(|seed| {
            strategy::game(
                seed,
                &GameOptions {
                    plies: 20,
                    ..GameOptions::all()
                },
            )
        })
        .collect();
    let mut everything = WriteOptions::default();
    everything.allow = Allow::Everything;
    let (set, _) = identity::write_all(&JOSE_SQL, &games, everything).unwrap();
    let mut read = 0u64;
    for variant in Corruptor::new(&set, 11).usual(400, 600) {
        read += u64::from(identity::survive(&JOSE_SQL, &variant, &small(), 20).games);
    }
    assert!(read > 1000, "{read}");
}

/// The genuine tables with all kinds of damage.
#[test]
fn damaged_tables_end_in_errors_or_diagnostics() {
    let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
        return;
    };
    let mut set = MemorySet::new();
    let roles = |table: &'static TableFiles| [(table, table.rows), (table, table.description)];
    for (table, role) in ARCHIVE.iter().flat_map(roles) {
        let name = role.0.replace("IO_Game.MYD", "IO_Game.first300.MYD");
        let path = folder.join(name);
        if path.exists() {
            let mut bytes = fixtures::read(path);
            if role == table.rows {
                // Enough for the first games and names.
                bytes.truncate(6000);
            }
            set.insert(role, bytes);
        }
    }
    let mut read = 0u64;
    let corruptor = Corruptor::new(&set, 12);
    for table in [
        "IO_Game.MYD",
        "IO_Game.frm",
        "IO_Player.MYD",
        "IO_Player.frm",
    ]
    .map(Role)
    {
        let variants = corruptor
            .some_truncations(table, 30, 30)
            .chain(corruptor.bit_flips(table, 20, 60))
            .chain(corruptor.noise(table, 60));
        for variant in variants {
            let start = Instant::now();
            read += u64::from(identity::survive(&JOSE_IO, &variant, &small(), 3).games);
            let spent = start.elapsed();
            assert!(spent < patience(10), "{variant:?}: {spent:?}");
        }
    }
    assert!(read > 500, "{read}");
}

/// Rows that share blocks cannot require more work than the file has bytes.
#[test]
fn rows_that_share_blocks_are_no_bomb() {
    let Some(folder) = fixtures::testdata("fixtures-real/bytecode/jose-10k-tables") else {
        return;
    };
    let mut set = MemorySet::new();
    set.insert(
        Role("IO_Game.frm"),
        fixtures::read(folder.join("IO_Game.frm")),
    );
    let mut rows = Vec::new();
    let chain = 200_000usize;
    let first = 400_000u64;
    // Every row continues in the first block of the same long chain.
    while (rows.len() as u64) < first {
        rows.extend([13, 0, 15, 0, 0, 0, 0, 4]);
        rows.extend(first.to_be_bytes());
        rows.extend([0; 4]);
    }
    for n in 1..=chain as u64 {
        rows.extend([12, 0, 0, 4]);
        rows.extend((first + n * 16).to_be_bytes());
        rows.extend([0; 4]);
    }
    set.insert(Role("IO_Game.MYD"), rows);
    let start = Instant::now();
    identity::survive(&JOSE_IO, &set, &small(), 20);
    let spent = start.elapsed();
    assert!(spent < patience(20), "{spent:?}");
}

/// Scripts with very many items of one kind.
#[test]
fn long_scripts_are_no_bombs() {
    let columns: Vec<String> = (0..250).map(|n| format!("c{n} int")).collect();
    let mut wide = format!(
        "CREATE TABLE t ({});\nINSERT INTO t (c249) VALUES ",
        columns.join(",")
    );
    wide += &"(1),".repeat(300_000);
    wide += "(1);";
    let mut collections = "CREATE TABLE Collection (Id int, PId int, GameCount int);\n\
                           CREATE TABLE Game (Id int, WhiteId int, BlackId int, Bin blob);\n\
                           INSERT INTO Collection VALUES (0,0,0)"
        .to_owned();
    for n in 1..100_000 {
        collections += &format!(",({n},{},5)", n - 1);
    }
    collections += ";";
    let nested = format!("CREATE TABLE Game {}", "(".repeat(1_000_000));
    let open = format!("INSERT INTO Game VALUES ('{}", "x".repeat(1_000_000));
    for text in [wide, collections, nested, open] {
        let start = Instant::now();
        identity::survive(&JOSE_SQL, &script(text), &small(), 20);
        let spent = start.elapsed();
        assert!(spent < patience(20), "{spent:?}");
    }
}

/// Scripts of other programs are not detected as jose's.
#[test]
fn foreign_scripts_are_recognised() {
    for text in [
        "",
        "CREATE TABLE Game (id int, score int);",
        "SELECT * FROM moregame",
        "[Event \"?\"]\n\n1. e4 *",
    ] {
        let set = script(text);
        assert_eq!((JOSE_SQL.probe)(&set), Score::No, "{text}");
        assert!((JOSE_SQL.open)(&set, ReadOptions::default()).is_err());
    }
    // A binary file with the same words is no script. Bytes 0 after them are damage or values.
    let table = "CREATE TABLE Game (Id int, WhiteId int)";
    for (text, score) in [
        (format!("SQLite format 3\0{table}"), Score::No),
        (format!("{table};\0"), Score::Certain),
    ] {
        assert_eq!((JOSE_SQL.probe)(&script(text.clone())), score, "{text}");
    }
}

/// Cut or changed byte code gives an error in strict mode and diagnostics in lenient mode. Byte
/// code accepted in strict mode is rewritten byte for byte, except for the three things that the
/// format page lists (docs/formats/bytecode.md, section 10).
#[test]
fn damaged_columns() {
    let mut rng = Rng::new(77);
    let (mut accepted, mut same, mut cut) = (0, 0, 0);
    for seed in 0..300 {
        let game = strategy::game(
            seed,
            &GameOptions {
                plies: 60,
                ..GameOptions::all()
            },
        );
        let Ok(Encoded { bin, comments, .. }) =
            encode_as(&game, Layout::Separate, JoseNumbering::default())
        else {
            continue;
        };
        let texts = TextColumn::Separate(comments.as_deref());
        let start = &game.header.start;
        for length in 0..bin.len() {
            let cut_bin = &bin[..length];
            assert!(decode(cut_bin, texts, start.clone()).is_err());
            leniently(cut_bin, texts, start, true);
            cut += 1;
        }
        for _ in 0..100 {
            let mut changed = bin.clone();
            let at = rng.below(changed.len());
            changed[at] = rng.below(256) as u8;
            leniently(&changed, texts, start, false);
            leniently(&changed, TextColumn::Inline, start, false);
            let Ok(back) = decode(&changed, texts, start.clone()) else {
                continue;
            };
            accepted += 1;
            let forms = [false, true].map(|clears_tags| {
                let numbering = JoseNumbering { clears_tags };
                encode_as(&back, Layout::Separate, numbering).unwrap().bin
            });
            if forms.contains(&changed) {
                same += 1;
            } else {
                let [clean, _] = &forms;
                let place = format!("{changed:02x?} / {clean:02x?}");
                assert_eq!(unlisted(&changed, clean), None, "{place}");
            }
        }
    }
    println!("{cut} cut columns; {accepted} changed ones accepted, {same} of them the same again");
    assert!(cut > 5000 && accepted > 1000 && same * 10 > accepted * 9);
}

/// Returns the first code in which two columns differ in a way that the page does not list.
fn unlisted(mut found: &[u8], mut clean: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
        let long = bytes
            .first()
            .is_some_and(|byte| (0xA0..=0xB0).contains(byte));
        bytes.split_at((1 + usize::from(long)).min(bytes.len()))
    }
    while !found.is_empty() || !clean.is_empty() {
        let ((a, rest_a), (b, rest_b)) = (split(found), split(clean));
        let listed = match (a, b) {
            _ if a == b => true,
            // A NAG in two bytes.
            (&[0xB0, nag @ 1..32], &[short]) => short == 0xB0 + nag,
            // Unused bits.
            (&[x @ 0xA0..=0xAF, _], &[y, _]) => x == y,
            // A promoted piece by its slot (quirk Q1).
            (&[0x20..=0x8F], &[0xA8..=0xAF, _]) => true,
            _ => false,
        };
        if !listed {
            return Some((a.to_vec(), b.to_vec()));
        }
        (found, clean) = (rest_a, rest_b);
    }
    None
}

fn leniently(bin: &[u8], texts: TextColumn<'_>, start: &Start, must_complain: bool) {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    game.header.start = start.clone();
    let columns = MoveColumns {
        bin,
        texts,
        eval: None,
    };
    decode_into(&columns, &mut game, &ReadOptions::default(), &mut scratch).unwrap();
    assert!(!must_complain || !scratch.diagnostics.is_empty());
}

/// If a script has lost its games but not their moves, they are read without headers.
#[test]
fn moves_without_a_head_are_games() {
    let bytes = std::fs::read(fixtures::path("jose/nesting.sql")).unwrap();
    let whole = script(bytes.clone());
    let text = String::from_utf8(bytes).unwrap();
    let start = text.find("INSERT INTO `Game` VALUES").unwrap();
    let length = text[start..].find(";\n").unwrap();
    let left = script(text[..start].to_owned() + &text[start + length + 2..]);
    let games = identity::open_all(&JOSE_SQL, &whole);
    let store = identity::open(&JOSE_SQL, &left);
    assert_eq!(store.len() as usize, games.len());
    for (n, whole) in games.iter().enumerate() {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        let said: Vec<String> = scratch.diagnostics.iter().map(|d| d.to_string()).collect();
        assert_eq!(
            said,
            [format!(
                "lost: sql file, game {}: the moves belong to a game without a header row",
                n + 1
            )]
        );
        assert_eq!(
            game.moves.mainline().count(),
            whole.moves.mainline().count()
        );
        assert_eq!(game.moves.tokens().count(), whole.moves.tokens().count());
        assert!(game.header.white.name.text.is_none());
    }
}

/// Text outside of statements is reported, wherever it is, and so is a comment that hides
/// statements.
#[test]
fn text_of_no_statement_is_lost_aloud() {
    let text = String::from_utf8(fixtures::read(fixtures::path("jose/nesting.sql"))).unwrap();
    let whole = identity::open_all(&JOSE_SQL, &script(text.clone())).len();
    let insert = text.rfind("INSERT INTO").unwrap();
    let (before, after) = text.split_at(insert);
    let note = "Game 2: White Fischer, Black Spassky, annotated by hand\n";
    for (changed, lost) in [
        (text.clone(), 0),
        (format!("{text}-- a comment\n# another\n/* a third */\n"), 0),
        (format!("{text}DROP TABLE `x`; UNLOCK TABLES;"), 0),
        (format!("\u{FEFF}{text}\u{FEFF}"), 0),
        (format!("{text}{note}"), 1),
        (format!("{text}{note};\n{note};"), 2),
        (format!("{note};{text}"), 1),
        (format!("{before}{note};{after}"), 1),
        (format!("{text}/* {note}"), 1),
        (format!("{text}UPDATE `Game` SET `Round` = '1';"), 1),
        // Without a semicolon it belongs to the statement before it.
        (
            text.replacen(");\nINSERT", &format!(")\n{note};\nINSERT"), 1),
            1,
        ),
    ] {
        let set = script(changed.clone());
        let store = identity::open(&JOSE_SQL, &set);
        let found = store.diagnostics().iter();
        let found = found.filter(|found| found.severity == Severity::Lost);
        assert_eq!(found.count(), lost, "{}", &changed[changed.len() - 200..]);
        assert_eq!(store.len() as usize, whole);
    }
}

/// Some shells write the output of a program in UTF-16.
#[test]
fn scripts_in_utf_16_are_read() {
    let text = String::from_utf8(fixtures::read(fixtures::path("jose/nesting.sql"))).unwrap();
    let utf_16 = format!("\u{FEFF}{text}");
    let utf_16: Vec<u8> = utf_16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (whole, utf_16) = (script(text), script(utf_16));
    assert_eq!((JOSE_SQL.probe)(&utf_16), (JOSE_SQL.probe)(&whole));
    assert_eq!(
        identity::open_all(&JOSE_SQL, &utf_16).len(),
        identity::open_all(&JOSE_SQL, &whole).len()
    );
}
