//! Charset detection of databases, and the charset of new ones (docs/encodings.md).

use chessdb::convert::{Report, Written};
use chessdb::core::{Charset, FileSet, LossKind, MemorySet};
use chessdb::options::TextField;
use chessdb::{Converter, Database};

const RUSSIAN: [&str; 12] = [
    "Каспаров, Гарри",
    "Карпов, Анатолий",
    "Смыслов, Василий",
    "Петросян, Тигран",
    "Чемпионат Москвы",
    "Таль, Михаил",
    "Ботвинник, Михаил",
    "Геллер, Ефим",
    "Спасский, Борис",
    "Ленинград",
    "Холмов, Ратмир",
    "Щербаков, Руслан",
];

const GERMAN: [&str; 8] = [
    "Hübner, Robert",
    "Müller, Jürgen",
    "Göttingen",
    "Weiß, Günther",
    "Schröder, Jörg",
    "Württemberg",
    "Köln",
    "Größe",
];

/// Returns games with these players and events in turn.
fn pgn(names: &[&str]) -> String {
    let mut text = String::new();
    for n in 0..names.len() {
        let name = |more: usize| names[(n + more) % names.len()];
        text += &format!(
            "[Event \"{}\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"*\"]\n\n1. e4 {{{}}} *\n\n",
            name(2),
            name(0),
            name(1),
            name(3),
        );
    }
    text
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let charset = Charset::by_name(charset).unwrap();
    charset.encode_strict(text, &mut bytes).unwrap();
    bytes
}

fn open_pgn(bytes: impl Into<Vec<u8>>) -> Database {
    Database::options()
        .open_files([("a.pgn", bytes.into())])
        .unwrap()
}

fn convert(db: &Database, format: &str, to: Option<&str>) -> (MemorySet, Report) {
    let mut files = MemorySet::new();
    let converter = Converter::to_sink(&mut files)
        .format(format)
        .add_database(db);
    let converter = match to {
        Some(charset) => converter.encoding(charset),
        None => converter,
    };
    let report = converter.run().unwrap();
    (files, report)
}

fn page(db: &Database) -> &'static str {
    db.charset().unwrap().page.name()
}

/// Returns all names and comments, decoded.
fn texts(db: &Database) -> Vec<String> {
    let mut texts = Vec::new();
    for game in db.games() {
        let game = game.unwrap();
        let decoded = game
            .texts
            .iter()
            .map(|(_, text)| text.decode().into_owned());
        texts.extend(decoded.filter(|text| !text.is_ascii()));
    }
    texts.sort();
    texts.dedup();
    texts
}

fn sorted(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_pgn_file_in_an_old_page_is_read_as_it_was_meant() {
    for charset in [
        "cp1251",
        "cp866",
        "koi8-r",
        "iso-8859-5",
        "mac-cyrillic",
        "cp855",
        "utf-8",
    ] {
        let bytes = encoded(&pgn(&RUSSIAN), charset);
        for db in [
            open_pgn(bytes.clone()),
            Database::from_reader(std::io::Cursor::new(bytes.clone())).unwrap(),
        ] {
            assert_eq!(texts(&db), sorted(&RUSSIAN), "{charset}");
            assert_eq!(Charset::by_name(charset).unwrap().name(), page(&db));
            assert!(!db.charset().unwrap().low);
        }
    }
}

#[test]
fn a_name_that_might_be_anything_is_of_low_confidence() {
    let db = open_pgn(&b"[White \"Ko\x9Ea\"]\n\n*\n"[..]);
    let guess = db.charset().unwrap();
    assert!(guess.low && guess.witnesses == 1 && guess.runner_up.is_some());
    assert!(open_pgn(&b"[White \"Tal\"]\n\n*\n"[..]).charset().is_none());
    // A code page set by the caller is not guessed.
    let options = Database::options().encoding("cp1250");
    let db = options
        .open_files([("a.pgn", &b"[White \"Ko\x9Ea\"]\n\n*\n"[..])])
        .unwrap();
    assert!(db.charset().is_none());
    assert_eq!(texts(&db), ["Koža"]);
}

/// UTF-8 player names are written to a database with one code page without a question mark.
#[test]
fn a_target_of_one_page_takes_the_one_with_most_letters() {
    let db = open_pgn(pgn(&RUSSIAN));
    for (format, expected) in [("cbf", Charset::IBM866), ("ca", Charset::WINDOWS_1251)] {
        let (files, report) = convert(&db, format, None);
        let Written {
            charset,
            texts: all,
            fit,
            ..
        } = *report.written_in().unwrap();
        assert_eq!((charset, fit), (expected, all));
        assert_eq!(report.lost(LossKind::NameText), 0);
        let back = Database::from_files(files).unwrap();
        assert_eq!(texts(&back), sorted(&RUSSIAN), "{format}");
    }
    let (_, report) = convert(&db, "cbf", Some("cp850"));
    let written = report.written_in().unwrap();
    assert_eq!(written.fit, 0);
    assert_eq!(written.better.unwrap().0, Charset::IBM866);
    assert!(report.lost(LossKind::NameText) > 0 && written.samples.len() == 5);
    // German names keep the standard code page.
    let (_, report) = convert(&open_pgn(pgn(&GERMAN)), "cbf", None);
    assert_eq!(report.written_in().unwrap().charset, Charset::CHESSBASE);
    let (_, report) = convert(&open_pgn(pgn(&["Tal, Mihail"])), "cbf", None);
    assert_eq!(report.written_in(), None);
}

/// The code page is chosen for all sources, not only for the first.
#[test]
fn the_page_is_chosen_for_all_sources() {
    let (first, second) = (open_pgn(pgn(&GERMAN[..2])), open_pgn(pgn(&RUSSIAN)));
    let mut files = MemorySet::new();
    let converter = Converter::to_sink(&mut files).format("cbf");
    let report = converter
        .add_database(&first)
        .add_database(&second)
        .run()
        .unwrap();
    assert_eq!(report.written_in().unwrap().charset, Charset::IBM866);
}

/// Copying a database keeps every byte of its texts, whatever its code page.
#[test]
fn copying_changes_no_byte() {
    let czech = [
        "Štěpán, Řehoř",
        "Dvořák, Luděk",
        "Šimáček, Jiří",
        "Žďár",
        "Příbram",
    ];
    let cases: [(&str, &str, &[&str]); 8] = [
        ("cbf", "cp866", &RUSSIAN),
        ("cbf", "cp852", &czech),
        ("cbf", "cp850", &GERMAN),
        ("ca", "cp1251", &RUSSIAN),
        ("ca", "cp866", &RUSSIAN),
        ("ca", "cp1250", &czech),
        ("si4", "cp1251", &RUSSIAN),
        ("si5", "koi8-r", &RUSSIAN),
    ];
    for (format, charset, names) in cases {
        let (files, _) = convert(&open_pgn(pgn(names)), format, Some(charset));
        let db = Database::from_files(files.clone()).unwrap();
        assert_eq!(texts(&db), sorted(names), "{format} {charset}");
        let (again, report) = convert(&db, format, None);
        assert!(!report.has_losses(), "{format} {charset}");
        for role in db.format().roles {
            assert_eq!(
                files.get(*role),
                again.get(*role),
                "{format} {charset} {role:?}"
            );
        }
    }
}

/// Two code pages in one database: each text is decoded in the better one, and copying keeps it.
#[test]
fn texts_in_two_pages_are_told_apart() {
    let mut bytes = encoded(&pgn(&RUSSIAN), "cp1251");
    bytes.extend(encoded(&pgn(&RUSSIAN), "cp866"));
    let db = open_pgn(bytes);
    assert_eq!(texts(&db), sorted(&RUSSIAN));
    let mixed = &db.charset().unwrap().mixed;
    let mut pages: Vec<&str> = mixed.iter().map(|(page, _)| page.name()).collect();
    pages.sort_unstable();
    assert_eq!(pages, ["IBM866", "windows-1251"]);
}

#[test]
fn letters_can_be_put_into_others() {
    let db = open_pgn(pgn(&RUSSIAN));
    let mut files = MemorySet::new();
    let converter = Converter::to_sink(&mut files)
        .format("cbf")
        .add_database(&db);
    let report = converter.encoding("cp437").ascii(true).run().unwrap();
    assert_eq!(report.lost(LossKind::NameText), 0);
    assert!(report.lost(LossKind::Transliterated) > 0);
    let back = Database::from_files(files).unwrap();
    let game = back.game(0).unwrap();
    assert_eq!(game.white(), "Kasparov, Garri");
    // In strict mode it is a loss like any other.
    let mut files = MemorySet::new();
    let converter = Converter::to_sink(&mut files)
        .format("cbf")
        .add_database(&db);
    let strict = converter.encoding("cp437").ascii(true).strict(true).run();
    assert!(strict.is_err());
}

#[test]
fn a_field_can_have_its_own_charset() {
    let options = Database::options()
        .encoding("cp1252")
        .encoding_for(TextField::Player, "cp866");
    let db = options.open_files([(
        "a.pgn",
        encoded("[White \"Каспаров\"]\n\n1. e4 {x} *\n", "cp866"),
    )]);
    assert_eq!(texts(&db.unwrap()), ["Каспаров"]);
    let text = [
        encoded("[White \"Каспаров\"]\n", "cp866"),
        encoded("[Site \"Köln\"]\n\n1. e4 {Größe} *\n", "cp1252"),
    ];
    let db = options.open_files([("a.pgn", text.concat())]).unwrap();
    assert_eq!(texts(&db), ["Größe", "Köln", "Каспаров"]);
    // Texts with a charset set by the caller are not evidence, in any format.
    for format in ["cbf", "si4"] {
        let (files, _) = convert(&open_pgn(pgn(&RUSSIAN)), format, Some("cp866"));
        let told = [TextField::Player, TextField::Event, TextField::Comment];
        let options = told
            .into_iter()
            .fold(Database::options(), |options, field| {
                options.encoding_for(field, "cp866")
            });
        let files = files
            .iter()
            .map(|(role, bytes)| (format!("a.{}", role.0), bytes.to_vec()));
        let db = options.open_files(files).unwrap();
        assert_eq!(db.charset().map(|guess| guess.witnesses), None, "{format}");
        assert_eq!(texts(&db), sorted(&RUSSIAN), "{format}");
        // The index answers searches in the same charsets.
        for key in ["white", "black", "event"] {
            let query = format!("{key}:\"{}\"", RUSSIAN[3]);
            let query = query.parse::<chessdb::query::Query>().unwrap();
            assert_eq!(db.scan().filter(query).into_iter().count(), 1, "{key}");
        }
    }
    assert_eq!(TextField::by_name("Players"), Some(TextField::Player));
    assert_eq!(TextField::by_name("moves"), None);
}
