//! Tests of ChessBase's old formats: file names, code pages, missing indexes, books, limits of old
//! programs, and reported losses.

#[path = "../../../chessdb/tests/all/cbf/losses.rs"]
mod losses;

use chessdb::core::Game;
use chessdb::{Database, LossKind, Losses};

use crate::common::{Lab, root};

/// Copies fixtures into the folder under other names.
fn with_fixtures(files: &[(&str, &str)]) -> Lab {
    let lab = Lab::empty();
    for (from, to) in files {
        lab.write(
            to,
            std::fs::read(root().join("fixtures").join(from)).unwrap(),
        );
    }
    lab
}

fn games(lab: &Lab, name: &str) -> Vec<Game> {
    let db = Database::open(lab.path(name)).unwrap();
    let games = db.games().map(|game| game.unwrap().into_model());
    games.collect()
}

/// Returns the losses of each game in a report.
fn reported(lab: &Lab, name: &str, games: usize) -> Vec<Losses> {
    let mut losses = vec![Losses::new(); games];
    for line in lab.text(name).lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[2] != "loss" || fields[1].is_empty() {
            continue;
        }
        let kind = LossKind::ALL.iter().find(|kind| kind.code() == fields[3]);
        let game: usize = fields[1].parse().unwrap();
        losses[game - 1].add_many(*kind.unwrap(), fields[4].parse().unwrap(), None);
    }
    losses
}

/// The losses that `--loss-report` lists for every game from SCID to ChessBase and back equal the
/// differences of the two SCID databases.
#[test]
fn loss_reports_agree_with_a_diff() {
    let folder = root().join("fixtures/scid");
    let mut kinds = Losses::new();
    let mut all = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|suffix| suffix != "si4") {
            continue;
        }
        let files = ["si4", "sg4", "sn4"].map(|suffix| format!("{stem}.{suffix}"));
        let copies: Vec<_> = files.iter().map(|name| format!("scid/{name}")).collect();
        let pairs: Vec<_> = copies.iter().zip(&files).collect();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        let lab = with_fixtures(&pairs);
        let name = format!("{stem}.si4");
        // Random texts, from which the code page cannot be guessed.
        let to = [
            "convert",
            "-q",
            &name,
            "x.cbf",
            "--to-encoding",
            "chessbase",
            "--loss-report",
            "to.tsv",
        ];
        assert!(lab.run(to).code <= 1, "{stem}");
        let back = [
            "convert",
            "-q",
            "x.cbf",
            "back.si4",
            "-e",
            "chessbase",
            "--loss-report",
            "back.tsv",
        ];
        assert!(lab.run(back).code <= 1, "{stem}");
        let (before, after) = (games(&lab, &name), games(&lab, "back.si4"));
        assert_eq!(before.len(), after.len(), "{stem}");
        let to = reported(&lab, "to.tsv", before.len());
        let back = reported(&lab, "back.tsv", before.len());
        for (n, (a, b)) in before.iter().zip(&after).enumerate() {
            // A new ChessBase database loses only the position of the round within its field.
            let more = back[n].iter().find(|loss| loss.kind != LossKind::GameExtra);
            assert_eq!(more, None, "{stem}, game {}", n + 1);
            if let Err(fault) = losses::compare(a, b, &to[n]) {
                panic!("{stem}, game {}: {fault}", n + 1);
            }
            kinds.merge(&to[n]);
        }
        all += before.len();
    }
    assert!(all > 500 && kinds.iter().count() > 20, "{all}: {kinds:?}");
}

#[test]
fn names_of_files_in_any_case() {
    let lab = with_fixtures(&[
        ("cbf/examples.cbf", "BASE.CBF"),
        ("cbf/examples.cbi", "base.cbi"),
    ]);
    let mut texts = Vec::new();
    for name in ["BASE.CBF", "base.cbi", "Base.cbf", "base"] {
        lab.run(["convert", "--force", name, "out.pgn"]).expect(0);
        texts.push(lab.text("out.pgn"));
    }
    assert!(texts[0].contains("Rossolimo"));
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[test]
fn a_base_without_index_is_walked() {
    let lab = with_fixtures(&[
        ("cbf/examples.cbf", "alone.cbf"),
        ("cbf/examples.cbf", "a.cbf"),
    ]);
    lab.write(
        "a.cbi",
        std::fs::read(root().join("fixtures/cbf/examples.cbi")).unwrap(),
    );
    let ran = lab.run(["convert", "alone.cbf", "alone.pgn"]).expect(0);
    let missing = "alone.cbf: repaired: cbi file: the cbi file is missing\n";
    assert!(ran.err.ends_with(missing), "{}", ran.err);
    lab.run(["convert", "-q", "a.cbf", "a.pgn"]).expect(0);
    assert_eq!(lab.text("alone.pgn"), lab.text("a.pgn"));
    // A rewritten database has an index again, and the same bytes.
    lab.run(["convert", "-q", "alone.cbf", "new.cbf"]).expect(0);
    assert_eq!(lab.read("new.cbi"), lab.read("a.cbi"));
    assert_eq!(lab.read("new.cbf"), lab.read("a.cbf"));
    // A broken index is treated like a missing one.
    lab.write("alone.cbi", [0, 0, 0, 5, 9, 9, 9, 9, 8]);
    let ran = lab
        .run(["convert", "--force", "alone.cbf", "alone.pgn"])
        .expect(0);
    assert!(
        ran.err.contains("alone.cbf: repaired: cbi file"),
        "{}",
        ran.err
    );
    assert_eq!(lab.text("alone.pgn"), lab.text("a.pgn"));
    std::fs::remove_file(lab.path("alone.cbi")).unwrap();
    let ran = lab.run(["check", "alone.cbf"]).expect(1);
    assert!(ran.out.starts_with(missing), "{}", ran.out);
}

/// The database does not state its code page. A rewrite keeps every byte, with any code page for
/// reading.
#[test]
fn text_pages_can_be_named_and_bytes_survive() {
    let lab = Lab::empty();
    lab.write(
        "source.pgn",
        "[Event \"Malmö ¢\"]\n[White \"Müller, A\"]\n[Black \"Bj¢rn, B\"]\n\n1. e4 {♘f3 ¢ ß é} *\n",
    );
    lab.run(["convert", "-q", "source.pgn", "a.cbf"]).expect(0);
    let named = lab.run(["ls", "a.cbf", "-e", "chessbase"]).expect(0).out;
    assert!(
        named.contains("Müller, A") && named.contains("Bj¢rn, B"),
        "{named}"
    );
    for (page, white, black) in [
        ("cp850", "Müller, A", "Bjørn, B"),
        ("cp437", "Müller, A", "Bj¢rn, B"),
        ("cp866", "MБller, A", "BjЫrn, B"),
        ("cp1251", "MЃller, A", "Bj›rn, B"),
        ("chessbase", "Müller, A", "Bj¢rn, B"),
    ] {
        let listed = lab.run(["ls", "a.cbf", "--encoding", page]).expect(0).out;
        assert!(
            listed.contains(white) && listed.contains(black),
            "{page}: {listed}"
        );
        let args = [
            "convert",
            "--strict",
            "--force",
            "a.cbf",
            "b.cbf",
            "--encoding",
            page,
        ];
        lab.run(args).expect(0);
        assert_eq!(lab.read("b.cbf"), lab.read("a.cbf"), "{page}");
        assert_eq!(lab.read("b.cbi"), lab.read("a.cbi"), "{page}");
        lab.run(["convert", "-q", "--force", "a.cbf", "b.pgn", "-e", page])
            .expect(0);
        let text = lab.text("b.pgn");
        assert!(
            text.contains(white) && text.contains("{♘f3 "),
            "{page}: {text}"
        );
    }
}

/// The code page of the target can be chosen; a letter that it lacks is a loss.
#[test]
fn texts_are_written_in_the_page_asked_for() {
    let lab = Lab::new();
    let game = |name: &str| format!("[White \"{name}\"]\n[Black \"Bjørn, B\"]\n\n1. e4 *\n");
    lab.write("a.pgn", game("Müller, A").as_bytes());
    let write = |page, code| {
        let args = [
            "convert",
            "--strict",
            "--force",
            "a.pgn",
            "a.cbf",
            "--to-encoding",
            page,
        ];
        lab.run(args).expect(code)
    };
    write("cp850", 0);
    let listed = lab.run(["ls", "a.cbf", "-e", "cp850"]).expect(0).out;
    assert!(
        listed.contains("Müller, A") && listed.contains("Bjørn, B"),
        "{listed}"
    );
    let told = write("cp437", 1).err;
    assert!(
        told.contains("1  names in which unsupported characters were replaced"),
        "{told}"
    );

    let to_pgn = ["convert", "a.cbf", "b.pgn", "--to-encoding", "cp850"];
    let told = lab.run(to_pgn).expect(2).err;
    assert!(
        told.contains("--to-encoding is for si4, si5, si3, cbf, cbh, ca"),
        "{told}"
    );
}

/// A private game is reported. A rewrite keeps its byte, but PGN cannot store it.
#[test]
fn a_wrong_check_byte_is_a_warning_and_a_loss_elsewhere() {
    let lab = with_fixtures(&[
        ("cbf/x-private.cbf", "p.cbf"),
        ("cbf/x-private.cbi", "p.cbi"),
    ]);
    let ran = lab.run(["check", "p.cbf"]).expect(0);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(
        said.contains("game 1, byte 0xd: the check byte (perhaps of a private game)"),
        "{said}"
    );
    lab.run(["convert", "-q", "--strict", "p.cbf", "q.cbf"])
        .expect(0);
    assert_eq!(lab.read("p.cbf"), lab.read("q.cbf"));
    lab.run(["convert", "-q", "p.cbf", "p.pgn"]).expect(0);
    lab.run(["convert", "-q", "--strict", "p.cbf", "strict.pgn"])
        .expect(1);
    assert!(!lab.path("strict.pgn").exists());
}

#[test]
fn a_ghost_is_kept_or_told() {
    let lab = with_fixtures(&[("cbf/odd.cbf", "odd.cbf"), ("cbf/odd.cbi", "odd.cbi")]);
    lab.run(["convert", "-q", "--strict", "odd.cbf", "again.cbf"])
        .expect(0);
    assert_eq!(lab.read("odd.cbf"), lab.read("again.cbf"));
    let ran = lab.run(["convert", "odd.cbf", "odd.pgn"]).expect(1);
    assert!(
        ran.err.contains("odd.cbf → odd.pgn: 22 games, 1 cut\n"),
        "{}",
        ran.err
    );
    let ghost = "        1  illegal en passant moves of ChessBase left out; their line ends there (game 22)\n";
    assert!(ran.err.contains(ghost), "{}", ran.err);
    let text = lab.text("odd.pgn");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains("O-O {illegal en passant: exd6} *"),
        "{text}"
    );
}

#[test]
fn books_become_trees_and_books_again() {
    let lab = with_fixtures(&[("cbf/book.fbk", "book.fbk")]);
    lab.run(["convert", "--strict", "book.fbk", "tree.pgn"])
        .expect(0);
    let tree = lab.text("tree.pgn");
    assert!(tree.contains("1. e4 (1. d4 d5) 1... e5"), "{tree}");
    assert!(tree.contains("(1... f5 $6)"), "the weak move: {tree}");
    lab.run(["convert", "tree.pgn", "again.fbk"]).expect(0);
    assert_eq!(lab.read("again.fbk"), lab.read("book.fbk"));

    // Without its last moves the book lacks alternatives; with an additional one, the position of
    // that move is unknown.
    let whole = lab.read("book.fbk");
    lab.write("cut.fbk", &whole[..8]);
    lab.write("more.fbk", [&whole[..], &whole[whole.len() - 2..]].concat());
    for (name, what) in [
        (
            "cut.fbk",
            "cut.fbk: repaired: fbk file, byte 0x8: announced alternatives that are missing\n",
        ),
        ("more.fbk", "a move after the end of the last line\n"),
    ] {
        let ran = lab.run(["convert", "--force", name, "cut.pgn"]);
        assert!(ran.err.contains(what), "{name}: {}", ran.err);
        let ran = lab.run(["check", name]);
        assert!(format!("{}{}", ran.out, ran.err).contains(what), "{name}");
    }
    // A book has no names, and every promotion is to a queen.
    lab.write(
        "named.pgn",
        "[White \"Tal\"]\n[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N Kg7 *\n",
    );
    let ran = lab.run(["convert", "named.pgn", "named.fbk"]);
    assert!(
        ran.err
            .contains("Not stored by ChessBase FBK opening book (experimental):")
    );
}

/// Limits of old programs are listed by `formats`, and reported when a new database exceeds them.
/// They are not losses.
#[test]
fn limits_of_old_programs_are_warned_of() {
    let lab = Lab::empty();
    let listed = lab.run(["formats", "--limits"]).expect(0).out;
    for limit in [
        "at most 47 bytes of the players, or of the source (ChessBase for DOS)",
        "at most 180 moves of a game (ChessBase for DOS (CBASCII 1.6c))",
        "at most 250 moves of a game (ChessBase (H. Aurisch))",
        "at most 4,000 games in a database (Knight Stalker (Fritz 1))",
    ] {
        assert!(listed.contains(limit), "{limit}: {listed}");
    }
    let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(130);
    let mut text = format!(
        "[White \"A name of twenty-four let.\"]\n[Black \"And one of twenty-two\"]\n\n{knights}*\n\n"
    );
    text.push_str(&"[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n".repeat(4000));
    lab.write("many.pgn", text);
    let ran = lab
        .run(["convert", "--strict", "many.pgn", "many.cbf"])
        .expect(0);
    for warning in [
        "ChessBase for DOS: at most 47 bytes of the players, or of the source; exceeded by 1 \
         game, the first is game 1",
        "ChessBase for DOS (CBASCII 1.6c): at most 180 moves of a game; exceeded by 1 game, the \
         first is game 1",
        "ChessBase (H. Aurisch): at most 250 moves of a game; exceeded by 1 game, the first is \
         game 1",
        "Knight Stalker (Fritz 1): at most 4000 games in a database; exceeded by 1 game, the \
         first is game 4001",
    ] {
        assert!(ran.err.contains(warning), "{warning}: {}", ran.err);
    }
    let args = ["convert", "-q", "--json", "--force", "many.pgn", "many.cbf"];
    let json = lab.run(args).expect(0).json();
    let exceeded = json["conversions"][0]["exceeded"].as_array().unwrap();
    assert_eq!(exceeded.len(), 4);
    assert_eq!(exceeded[0]["limit"], 47);
    let ran = lab
        .run(["convert", "many.cbf", "few.cbf", "-n", "2-9"])
        .expect(0);
    assert!(!ran.err.contains("exceeded by"), "{}", ran.err);
}
