//! Tests that an index does not change the result of any command, and that an index of another
//! database is not used.

use crate::common::{Lab, Ran};

/// Position queries, and games by number.
const ASKED: [&[&str]; 11] = [
    &[
        "find",
        "BASE",
        "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w\"",
    ],
    &[
        "find",
        "BASE",
        "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\"",
        "--count",
    ],
    &[
        "find",
        "BASE",
        "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w\"",
        "--count",
    ],
    &[
        "find",
        "BASE",
        "material:KQRRBBNNPPPPPPPPKQRRBBNNPPPPPPPP",
        "--count",
        "-j1",
    ],
    &["tree", "BASE"],
    &["stats", "BASE", "line:1.e4"],
    &["cat", "BASE", "line:1.e4 c5"],
    &["cat", "BASE", "-n", "3,1"],
    &["ls", "BASE", "line:1.e4 c6"],
    &["ls", "BASE", "-n", "2-7"],
    &["show", "BASE", "-n", "2", "--ascii"],
];

fn ask(lab: &Lab, base: &str) -> Vec<Ran> {
    let one = |words: &&[&str]| {
        let word = |word: &&str| {
            if *word == "BASE" { base.to_owned() } else { (*word).to_owned() }
        };
        lab.run(words.iter().map(word))
    };
    ASKED.iter().map(one).collect()
}

fn assert_same(after: &[Ran], before: &[Ran]) {
    for ((words, after), before) in ASKED.iter().zip(after).zip(before) {
        let said = |ran: &Ran| (ran.code, ran.out.clone(), ran.err.clone());
        assert_eq!(said(after), said(before), "{words:?}");
    }
}

#[test]
fn an_index_changes_no_answer() {
    let lab = Lab::new();
    for base in [
        "games.cbf",
        "games.cdp",
        "games.dci",
        "games.cbh",
        "games.si4",
        "games.pgn",
    ] {
        if !base.ends_with("pgn") && !base.ends_with("si4") {
            lab.run(["convert", "-q", "games.pgn", base]).expect(0);
        }
        let before = ask(&lab, base);
        assert!(before.iter().all(|ran| ran.code == 0), "{before:?}");
        lab.run(["index", "-q", base]).expect(0);
        assert_same(&ask(&lab, base), &before);
    }
}

#[test]
fn an_index_of_text_that_has_changed_is_named_and_not_used() {
    let lab = Lab::new();
    lab.run(["index", "-q", "games.pgn"]).expect(0);
    let text = lab.text("games.pgn");
    let index = lab.read("games.pgn.chessdb-index");
    let mut old = index.clone();
    old[14] = b'1';
    let mut damaged = index.clone();
    *damaged.last_mut().unwrap() ^= 1;
    // The file keeps its length: the second game becomes a comment of the first.
    let same_length = text
        .replacen("1-0\n\n[", "{  \n\n[", 1)
        .replacen("1-1/2\n", "1-1/2}", 1);
    assert_eq!(same_length.len(), text.len());
    // The last game goes on.
    let appended = format!("{text} {{ more }}\n[White \"New\"]\n\n1. e4 *\n");
    for (text, index, why) in [
        (&same_length, &index, "the database has changed"),
        (&appended, &index, "it has a different number of games"),
        (&text, &old, "it is not an index of this version"),
        (&text, &damaged, "it is damaged"),
    ] {
        lab.write("games.pgn", text);
        lab.write("other.pgn", text);
        lab.write("games.pgn.chessdb-index", index);
        let without = ask(&lab, "other.pgn");
        for ((words, with), without) in ASKED.iter().zip(ask(&lab, "games.pgn")).zip(without) {
            let note = format!("ignoring games.pgn.chessdb-index: {why}");
            assert!(with.err.contains(&note), "{words:?}: {}", with.err);
            assert!(with.err.contains("run `chessdb index` to rebuild it"));
            assert_eq!(
                (with.code, with.out),
                (without.code, without.out),
                "{words:?}"
            );
        }
        // Reading all games does not use the index, so nothing is reported about it. The unclosed
        // comment is a loss.
        let code = if text == &same_length { 3 } else { 0 };
        let all = lab.run(["cat", "games.pgn", "--strict"]).expect(code);
        assert!(!all.err.contains("chessdb-index"), "{}", all.err);
    }
}

#[test]
fn what_of_an_index_is_damaged_is_named_when_it_is_asked_and_changes_no_answer() {
    let lab = Lab::new();
    let before = ask(&lab, "games.pgn");
    lab.run(["index", "-q", "games.pgn"]).expect(0);
    let mut index = lab.read("games.pgn.chessdb-index");
    // All columns and records, as if no feature occurred in any game.
    index[4096..4096 + 5120].fill(0);
    lab.write("games.pgn.chessdb-index", &index);
    for ((words, with), without) in ASKED.iter().zip(ask(&lab, "games.pgn")).zip(before) {
        assert_eq!(
            (with.code, &with.out),
            (without.code, &without.out),
            "{words:?}"
        );
        let note = "chessdb: games.pgn.chessdb-index is damaged; the games it does not cover were read directly; run `chessdb index` to rebuild it";
        // The other commands use only the offsets in the index; `tree` and counts of a position
        // use the tree file.
        let is_count =
            words.contains(&"--count") && words.iter().any(|word| word.starts_with("fen"));
        let asks = ["find", "stats"].contains(&words[0]) && !is_count
            || words.iter().any(|word| word.starts_with("line:"));
        let said: Vec<&str> = with.err.lines().collect();
        let mut expected: Vec<&str> = without.err.lines().collect();
        if asks {
            expected.push(note);
        }
        assert_eq!(said, expected, "{words:?}");
    }
}

#[test]
fn an_index_of_a_database_that_grew_is_used_for_its_games() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        lab.run(["index", "-q", base]).expect(0);
        let index = format!("{base}.chessdb-index");
        let tree = format!("{base}.chessdb-tree");
        for round in 1..3 {
            // The first time, as another program appends games.
            let is_followed = round > 1 || base != "games.pgn";
            let new = "[Event \"E\"]\n[Site \"S\"]\n[Date \"2001.02.03\"]\n[Round \"1\"]\n\
                       [White \"New\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 c5 2. Nf3 *\n";
            if is_followed {
                lab.write("more.pgn", new);
                lab.run(["convert", "-q", "--append", "more.pgn", base])
                    .expect(0);
            } else {
                let grown = format!("{}\n{new}", lab.text(base));
                lab.write(base, &grown);
            }
            // The same games without an index.
            let other = format!("other{}", &base[5..]);
            lab.run(["convert", "-q", "--force", base, other.as_str()])
                .expect(0);
            let note = format!(
                "chessdb: {index} covers the first {} games; later ones are read directly; run `chessdb index` to add them\n",
                2 + round
            );
            let without = ask(&lab, &other);
            for ((words, with), without) in ASKED.iter().zip(ask(&lab, base)).zip(&without) {
                assert_eq!(
                    with.err.starts_with(&note),
                    !is_followed,
                    "{words:?}: {}",
                    with.err
                );
                assert_eq!(
                    (with.code, &with.out),
                    (without.code, &without.out),
                    "{words:?}"
                );
            }
            // The same files as those of an index from the start.
            lab.run(["index", "-q", base]).expect(0);
            assert_same(&ask(&lab, base), &without);
            let [index, tree] = [&index, &tree].map(|name| lab.path(name));
            let added = std::fs::read(&index).unwrap();
            std::fs::remove_file(&index).unwrap();
            lab.run(["index", "-q", base]).expect(0);
            assert!(std::fs::read(&index).unwrap() == added && tree.is_file());
        }
    }
}

#[test]
fn an_index_stays_right_after_changes_in_place() {
    let lab = Lab::new();
    lab.run(["index", "-q", "games.si4"]).expect(0);
    let changes: [&[&str]; 5] = [
        &["tag", "games.si4", "-n", "1", "--set", "Result=1/2-1/2"],
        &["delete", "games.si4", "-n", "2"],
        &["undo", "games.si4"],
        &["undo", "games.si4"],
        &["tag", "games.si4", "-n", "1", "--set", "Site=Riga"],
    ];
    for words in changes {
        let ran = lab.run(words).expect(0);
        assert!(!ran.err.contains("chessdb-index"), "{}", ran.err);
        lab.run(["convert", "-q", "--force", "games.si4", "other.si4"])
            .expect(0);
        assert_same(&ask(&lab, "games.si4"), &ask(&lab, "other.si4"));
    }
    // Another program changes a byte.
    let mut bytes = lab.read("games.sg4");
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(lab.path("games.sg4"), bytes).unwrap();
    let err = lab.run(["find", "games.si4", "line:1.e4"]).err;
    assert!(err.contains("the database has changed"), "{err}");
    let err = lab.run(["delete", "games.si4", "-n", "1"]).err;
    assert!(err.contains("is out of date"), "{err}");
}

/// Whenever `index` is killed, an old index, a new one, or none remains: never a wrong answer.
/// `CHESSDB_KILLS` sets the number of kills.
#[test]
fn a_killed_index_leaves_no_wrong_answer() {
    let lab = Lab::new();
    let mut text = lab.text("games.pgn").repeat(3000);
    lab.write("many.pgn", &text);
    let start = std::time::Instant::now();
    lab.run(["index", "-q", "many.pgn"]).expect(0);
    let whole = start.elapsed().as_micros() as u64;
    let kills = std::env::var("CHESSDB_KILLS").map_or(6, |kills| kills.parse().unwrap());
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut interrupted = 0;
    for kill in 0..kills {
        match kill % 3 {
            // A new index, one after games were appended, and one after a game was changed.
            0 => {
                for name in ["many.pgn.chessdb-index", "many.pgn.chessdb-tree"] {
                    let _ = std::fs::remove_file(lab.path(name));
                }
            }
            1 => text += &"[White \"New\"]\n\n1. e4 c5 2. Nf3 *\n\n".repeat(2000),
            _ => text = text.replacen("2. d3 d5", "2. d4 d5", 400),
        }
        lab.write("many.pgn", &text);
        lab.write("plain.pgn", &text);
        let mut child = lab
            .command()
            .args(["index", "-q", "many.pgn"])
            .spawn()
            .unwrap();
        // Adding games takes a part of the time only.
        let most = if kill % 3 == 1 { whole / 8 } else { whole };
        std::thread::sleep(std::time::Duration::from_micros(random(most)));
        child.kill().unwrap();
        interrupted += u32::from(!child.wait().unwrap().success());
        for options in [
            &["tree"][..],
            &["tree", "--line", "1.e4 c6"],
            &["find", "line:1.e4 c5 2.Nf3", "--count"],
            &[
                "find",
                "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\"",
                "--count",
            ],
        ] {
            let ask = |base| {
                let (command, rest) = options.split_first().unwrap();
                let ran = lab.run([*command, base].iter().chain(rest));
                (ran.code, ran.out)
            };
            assert_eq!(ask("many.pgn"), ask("plain.pgn"), "{kill} {options:?}");
        }
    }
    assert!(interrupted * 3 > kills, "{interrupted} of {kills}");
}

/// Positions of frequent and rare games, and options with which the tree file is not asked.
const TREES: [&[&str]; 8] = [
    &[],
    &["--line", "1.e4"],
    &["--line", "1.e4 c5 2.Nf3"],
    &["--line", "1.h4 h5"],
    &["--depth", "2"],
    &["--variants"],
    &["-n", "2-"],
    &["result:1-0"],
];

fn trees(lab: &Lab, bases: &[&str]) -> Vec<Ran> {
    let run = |options: &&[&str]| {
        let text = lab.run(["tree"].iter().chain(bases).chain(options.iter()));
        let json = ["tree", "--json"];
        let json = lab.run(json.iter().chain(bases).chain(options.iter()));
        [text, json]
    };
    TREES.iter().flat_map(run).collect()
}

#[test]
fn a_tree_file_changes_no_answer() {
    let lab = Lab::new();
    let games = lab.text("games.pgn");
    // The first two of these moves are equally frequent in both databases together, and the first
    // game with one of them is damaged, so it is not in the tree file.
    let more = [
        "1. d4 d5 2. Qh5xh9 e9 *",
        "1. c4 *",
        "1. d4 *",
        "1. c4 e5 *",
        "[Variant \"Atomic\"]\n\n1. Nf3 *",
        "*",
        "1. e4 c5 2. Nf3 d6 1-0",
        "1. e4 c5 2. Nf3 Nc6 0-1",
    ];
    let more: String = more.iter().map(|game| format!("{game}\n\n")).collect();
    lab.write("more.pgn", &more);
    lab.write("both.pgn", format!("{games}\n{more}"));
    for bases in [
        &["more.pgn"][..],
        &["both.pgn"],
        &["games.pgn", "more.pgn"],
        &["more.pgn", "games.si4", "both.pgn"],
    ] {
        for base in bases {
            let tree = lab.path(&format!("{base}.chessdb-tree"));
            let _ = std::fs::remove_file(tree);
        }
        let before = trees(&lab, bases);
        let is_found = |ran: &&Ran| ran.code == 0 && ran.out.contains("d4");
        assert!(before.iter().filter(is_found).count() > 5, "{before:?}");
        for base in bases {
            lab.run(["index", "-q", base]).expect(0);
        }
        for (after, before) in trees(&lab, bases).iter().zip(&before) {
            let said = |ran: &Ran| (ran.code, ran.out.clone(), ran.err.clone());
            assert_eq!(said(after), said(before), "{bases:?}");
        }
    }
    // Damage is reported where it matters. The blocks follow the header.
    let mut tree = lab.read("both.pgn.chessdb-tree");
    let before = trees(&lab, &["both.pgn"]);
    let (start, length) = (
        4096,
        u32::from_le_bytes(tree[40..44].try_into().unwrap()) as usize,
    );
    assert!(length > 100);
    tree[start..start + length]
        .iter_mut()
        .for_each(|byte| *byte ^= 1);
    lab.write("both.pgn.chessdb-tree", &tree);
    let note = "chessdb: both.pgn.chessdb-tree is damaged; games were counted instead; run `chessdb index` to rebuild it";
    for (n, (after, before)) in trees(&lab, &["both.pgn"]).iter().zip(&before).enumerate() {
        assert_eq!((after.code, &after.out), (before.code, &before.out));
        // A lookup of a rare position may also come upon a damaged block.
        if n / 2 != 3 {
            assert_eq!(after.err.contains(note), n < 2 * 3, "{n}: {}", after.err);
        }
    }
    tree[20] ^= 1;
    lab.write("both.pgn.chessdb-tree", &tree);
    let ran = lab.run(["tree", "both.pgn"]).expect(0);
    let note = "chessdb: ignoring both.pgn.chessdb-tree: it is damaged: ";
    assert!(ran.err.contains(note), "{}", ran.err);
    assert_eq!(ran.out, before[0].out);
}
