//! Tests that the page's session reports the same findings and losses as the program's `--json`, for
//! damaged and incomplete databases and every target.

use std::collections::BTreeMap;

use chessdb::{Converter, Database, FORMATS};
use chessdb_testkit::fixtures;
use chessdb_web::{Receiver, Session};
use serde_json::{Value, json};

use crate::common::Lab;

type Set = Vec<(String, Vec<u8>)>;

/// Returns the files of a fixture by its stem.
fn set(stem: &str) -> Set {
    let stem = fixtures::root().join(stem);
    let files = fixtures::files(stem.parent().unwrap());
    let is_ours = |path: &std::path::PathBuf| path.file_stem() == stem.file_name();
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    files.into_iter().filter(is_ours).map(named).collect()
}

/// Returns the games of a fixture in another format.
fn converted(format: &str) -> Set {
    let db = Database::options()
        .open_files(set("scid/annotated"))
        .unwrap();
    let mut files = chessdb::core::MemorySet::new();
    let converter = Converter::to_sink(&mut files).format(format);
    converter.add_database(&db).run().unwrap();
    let named = |(role, bytes): (chessdb::core::files::Role, &[u8])| {
        (format!("set.{}", role.0), bytes.to_vec())
    };
    files.iter().map(named).collect()
}

/// Returns all cases, each with a name and its files.
fn cases() -> Vec<(String, Set)> {
    let mut cases = vec![
        (
            "letter".to_owned(),
            vec![(
                "letter.pgn".to_owned(),
                b"Dear friend,\n\nhow are you?\n".to_vec(),
            )],
        ),
        (
            "empty".to_owned(),
            vec![("empty.pgn".to_owned(), Vec::new())],
        ),
        (
            "wrong suffix".to_owned(),
            vec![(
                "games.si4".to_owned(),
                b"[White \"A\"]\n\n1. e4 *\n".to_vec(),
            )],
        ),
    ];
    let mut sets = vec![("si4", set("scid/annotated"))];
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let others = written.map(|format| format.id).filter(|id| *id != "si4");
    sets.extend(others.map(|format| (format, converted(format))));
    for (format, whole) in sets {
        cases.push((format!("{format} whole"), whole.clone()));
        for at in 0..whole.len() {
            let name = whole[at].0.clone();
            let mut missing = whole.clone();
            missing.remove(at);
            if !missing.is_empty() {
                cases.push((format!("{format} without {name}"), missing));
            }
            for (what, keep) in [("half of", 2), ("nothing of", usize::MAX)] {
                let mut cut = whole.clone();
                let length = cut[at].1.len() / keep;
                cut[at].1.truncate(length);
                cases.push((format!("{format} with {what} {name}"), cut));
            }
            let mut broken = whole.clone();
            for byte in broken[at].1.iter_mut().skip(8).step_by(7) {
                *byte ^= 0x5A;
            }
            cases.push((format!("{format} with broken {name}"), broken));
        }
        cases.push((format!("{format} alone"), vec![whole[0].clone()]));
    }
    cases
}

/// Every damaged PGN fixture, and one fixture of every other format as it is.
fn fixture_cases() -> Vec<(String, Set)> {
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name.clone(), vec![(name, std::fs::read(path).unwrap())])
    };
    let broken = fixtures::files(&fixtures::root().join("pgn/broken"));
    let mut cases: Vec<(String, Set)> = broken.into_iter().map(named).collect();
    for stem in ["cbh/text", "scid/annotated", "scid3/annotated", "dcx/games"] {
        let files = set(stem);
        if !files.is_empty() {
            cases.push((stem.to_owned(), files));
        }
    }
    cases
}

/// Drops the files of a saved database.
struct Nowhere;

impl Receiver for Nowhere {
    fn create(&mut self, _: &str) {}
    fn write(&mut self, _: u32, _: &[u8]) {}
    fn patch(&mut self, _: u32, _: u64, _: &[u8]) {}
    fn progress(&mut self, _: u64, _: u64) -> bool {
        true
    }
}

fn ask(session: &mut Session, request: &Value) -> Value {
    serde_json::from_str(&session.call(&request.to_string())).unwrap()
}

/// Runs a task in steps of `most` games.
fn task(session: &mut Session, request: &Value, most: u32) -> Value {
    let begun = ask(session, request);
    let Some(number) = begun["task"].as_u64() else {
        return begun;
    };
    loop {
        let state = ask(
            session,
            &json!({ "op": "step", "task": number, "most": most }),
        );
        if state["done"] != json!(false) {
            return if state["error"].is_null() { state["result"].clone() } else { state };
        }
    }
}

/// Returns the page's session with these files, and its answer to `open`.
fn page(files: &Set) -> (Session, Value) {
    let mut session = Session::new();
    for (name, bytes) in files {
        session.add_file(name, bytes.clone());
    }
    let bases = ask(&mut session, &json!({ "op": "bases" }));
    let info = if bases["error"].is_null() {
        ask(&mut session, &json!({ "op": "open", "base": 0 }))
    } else {
        bases
    };
    (session, info)
}

/// Writes the files into a folder and returns the name of the file that names the database.
fn in_lab(files: &Set) -> (Lab, String) {
    let lab = Lab::empty();
    for (name, bytes) in files {
        lab.write(name, bytes);
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let groups = chessdb::formats::group(&names);
    let first = groups.first().and_then(|group| group.files.first());
    let main = first.map_or(names[0], |&(_, n)| names[n]).to_owned();
    (lab, main)
}

/// Losses by kind: their number, and the first games.
type Losses = BTreeMap<String, (u64, Vec<u64>)>;

fn losses_of_program(report: &Value) -> Losses {
    let losses = report["losses"].as_array().unwrap().iter();
    let losses = losses.map(|loss| {
        let games = loss["games"].as_array().into_iter().flatten();
        let games = games.map(|at| at["game"].as_u64().unwrap()).collect();
        let kind = loss["kind"].as_str().unwrap().to_owned();
        let key = format!("{kind} {}", loss["games"].is_null());
        (key, (loss["count"].as_u64().unwrap(), games))
    });
    losses.collect()
}

fn losses_of_page(report: &Value) -> Losses {
    let losses = report["losses"].as_array().unwrap().iter();
    let losses = losses.map(|loss| {
        let games = loss["first"].as_array().unwrap().iter();
        let games = games.map(|game| game.as_u64().unwrap()).collect();
        let kind = loss["code"].as_str().unwrap().to_owned();
        let key = format!("{kind} {}", loss["games"] == 0);
        (key, (loss["count"].as_u64().unwrap(), games))
    });
    losses.collect()
}

/// Returns the number of findings by severity and code.
fn findings<'a>(kinds: impl IntoIterator<Item = &'a Value>) -> BTreeMap<(String, String), u64> {
    let mut counts = BTreeMap::new();
    for kind in kinds {
        let text = |name: &str| kind[name].as_str().unwrap().to_owned();
        *counts.entry((text("severity"), text("code"))).or_default() +=
            kind["count"].as_u64().unwrap_or(1);
    }
    counts
}

#[test]
fn the_page_finds_what_check_finds() {
    let (mut damaged, mut refused) = (0, 0);
    for (name, files) in cases().into_iter().chain(fixture_cases()) {
        let (mut session, info) = page(&files);
        let (lab, main) = in_lab(&files);
        let checked = lab.run(["check", "--json", &main]);
        let json: Value = serde_json::from_str(&checked.out).unwrap();
        let base = &json["bases"][0];
        if !base["error"].is_null() || base.is_null() {
            assert!(info["error"].is_object(), "{name}: {json}: {info}");
            refused += 1;
            continue;
        }
        assert!(info["error"].is_null(), "{name}: {info}: {json}");
        let health = json!({ "op": "start", "task": "health" });
        let health = task(&mut session, &health, 7);
        for (program, page) in [
            ("games", "games"),
            ("notes", "notes"),
            ("repaired", "repaired"),
            ("lost", "lost"),
        ] {
            assert_eq!(base[program], health[page], "{name}: {program}: {health}");
        }
        assert_eq!(health["hasProblems"], checked.code == 1, "{name}: {health}");
        let lists = ["ofBase", "ofGames"].map(|list| health[list].as_array().unwrap());
        assert_eq!(
            findings(base["findings"].as_array().unwrap()),
            findings(lists.into_iter().flatten()),
            "{name}"
        );
        // The first answer has the findings of opening already.
        let missing = base["findings"].as_array().unwrap().iter();
        let missing =
            missing.filter(|found| found["code"] == "missing-file" && found["severity"] == "lost");
        let missing = missing.count();
        assert_eq!(info["missing"].as_array().unwrap().len(), missing, "{name}");
        damaged += usize::from(checked.code == 1);
    }
    assert!(damaged > 40 && refused > 5, "{damaged}, {refused}");
}

#[test]
fn the_page_names_the_losses_of_convert_before_and_after() {
    let targets: Vec<&str> = FORMATS
        .iter()
        .filter(|format| format.create.is_some())
        .map(|format| format.id)
        .collect();
    let mut with_losses = 0;
    for (n, (name, files)) in cases().into_iter().chain(fixture_cases()).enumerate() {
        let (mut session, info) = page(&files);
        if !info["error"].is_null() {
            continue;
        }
        let (lab, main) = in_lab(&files);
        // Every target for whole databases; two for each damaged one, in turn.
        let some = [targets[n % targets.len()], targets[(n + 5) % targets.len()]];
        let chosen = if name.ends_with("whole") { targets.as_slice() } else { some.as_slice() };
        for target in chosen {
            let begun = json!({ "op": "start", "task": "losses", "format": target });
            let mut before = task(&mut session, &begun, 3);
            let request = json!({ "format": target, "scope": "all" });
            let after: Value =
                serde_json::from_str(&session.save(&request.to_string(), &mut Nowhere)).unwrap();
            let suffix = chessdb::formats::by_id(target).unwrap().roles[0].0;
            let out = format!("out/new.{suffix}");
            std::fs::create_dir_all(lab.path("out")).unwrap();
            let arguments = [
                "convert", "-q", "--json", "--force", "--to", target, &main, &out,
            ];
            let ran = lab.run(arguments);
            let what = format!("{name} to {target}");
            if ran.code > 1 {
                assert!(after["error"].is_object(), "{what}: {after}: {ran:?}");
                assert!(before["error"].is_object(), "{what}: {before}: {ran:?}");
                continue;
            }
            // Only the table of losses has columns. No game counts twice in one.
            let columns = before.as_object_mut().unwrap().remove("columns").unwrap();
            let mut counts = columns.as_object().unwrap().values();
            assert!(
                counts.all(|games| games.as_u64() <= before["lossy"].as_u64()),
                "{what}: {columns}"
            );
            assert_eq!(before, after["report"], "{what}");
            let json: Value = serde_json::from_str(&ran.out).unwrap();
            let program = &json["conversions"][0];
            let page = &after["report"];
            assert_eq!(losses_of_program(program), losses_of_page(page), "{what}");
            for count in ["read", "written", "cut", "skipped"] {
                assert_eq!(program[count], page[count], "{what}: {count}");
            }
            let found = program["findings"].as_array().unwrap();
            let on_page = page["found"].as_array().unwrap();
            assert_eq!(findings(found), findings(on_page), "{what}");
            assert_eq!(page["incomplete"], ran.code == 1, "{what}: {ran:?}");
            with_losses += usize::from(page["hasLosses"] == true);
        }
    }
    assert!(with_losses > 60, "{with_losses}");
}

#[test]
fn the_largest_losses_come_first() {
    let (mut session, _) = page(&set("scid/annotated"));
    let begun = json!({ "op": "start", "task": "losses", "format": "cbf" });
    let report = task(&mut session, &begun, 9);
    let losses = report["losses"].as_array().unwrap().iter();
    let counts: Vec<u64> = losses.map(|loss| loss["count"].as_u64().unwrap()).collect();
    assert!(
        counts.len() > 4 && counts.is_sorted_by(|a, b| a >= b),
        "{counts:?}"
    );
    assert_eq!(report["lossy"], 70);
}

/// A tree file that is added with the files of its database answers the tree at once, and one of
/// another database changes nothing.
#[test]
fn the_page_uses_the_tree_file_of_its_database() {
    let text: String = ["1. e4 e5", "1. e4 c5", "1. d4 d5", "1. d4 Nf6"]
        .iter()
        .flat_map(|moves| std::iter::repeat_n(format!("{moves} 1-0\n\n"), 50))
        .collect();
    let files = vec![("games.pgn".to_owned(), text.clone().into_bytes())];
    let (lab, main) = in_lab(&files);
    lab.run(["index", "-q", &main]).expect(0);
    let tree = (
        "games.pgn.chessdb-tree".to_owned(),
        lab.read("games.pgn.chessdb-tree"),
    );
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let request = json!({ "op": "start", "task": "tree", "fen": fen });
    let answers = |files: &Set| {
        let (mut session, info) = page(files);
        assert!(info["error"].is_null(), "{info}");
        let begun = ask(&mut session, &request);
        let step = json!({ "op": "step", "task": begun["task"], "most": 1 });
        let is_at_once = ask(&mut session, &step)["done"] == json!(true);
        let answer = task(&mut session, &request, 1000);
        (
            is_at_once,
            answer["reached"].clone(),
            answer["moves"].clone(),
        )
    };
    let without = answers(&files);
    assert_eq!((without.0, &without.1), (false, &json!(200)));
    let with = answers(&[files.clone(), vec![tree.clone()]].concat());
    assert_eq!(with, (true, without.1, without.2));
    let other = text
        .replacen("1. e4 e5 1-0", "1. e4 e5 0-1", 1)
        .into_bytes();
    let mut other = vec![("games.pgn".to_owned(), other)];
    let expected = answers(&other);
    other.push(tree);
    assert_eq!(answers(&other), expected);
    assert_ne!(expected.2, with.2);
}

#[test]
fn a_line_of_an_engine_is_told_in_san() {
    let mut session = Session::new();
    let mut line = |fen: &str, moves: &str| {
        ask(
            &mut session,
            &json!({ "op": "line", "fen": fen, "moves": moves }),
        )
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let chess960 = "rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1";
    for (fen, moves, sans) in [
        (
            start,
            "e2e4 e7e5 g1f3 b8c6",
            &["e4", "e5", "Nf3", "Nc6"][..],
        ),
        (start, "", &[][..]),
        // The first illegal move ends the line.
        (start, "e2e4 e2e4 e7e5", &["e4"][..]),
        (start, "e2e5", &[][..]),
        (start, "nonsense \u{1F600} e2e4", &[][..]),
        (castles, "e1g1 e8c8", &["O-O", "O-O-O"][..]),
        (chess960, "b1a1 b8a8", &["O-O-O", "O-O-O"][..]),
        ("8/P7/8/8/8/4k3/8/4K3 w - - 0 1", "a7a8n", &["a8=N"][..]),
    ] {
        let found = line(fen, moves);
        let found: Vec<&str> = found["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| mv["san"].as_str().unwrap())
            .collect();
        assert_eq!(found, sans, "{fen} {moves}");
    }
    let black = line("4k3/8/8/8/8/8/8/4K3 b - - 3 9", "e8e7 e1e2");
    assert_eq!(black["moves"][0]["black"], true);
    assert_eq!(
        (&black["moves"][0]["number"], &black["moves"][1]["number"]),
        (&json!(9), &json!(10))
    );
    for (fen, valid, moves, is_chess960) in [
        (start, true, true, false),
        (chess960, true, true, true),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", true, false, false),
        ("8/8/8/8/8/8/8/8 w - - 0 1", false, false, false),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", false, true, false),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", false, true, false),
    ] {
        let found = line(fen, "");
        assert_eq!(found["isValid"], valid, "{fen}");
        assert_eq!(found["hasMove"], moves, "{fen}");
        assert_eq!(found["isChess960"], is_chess960, "{fen}");
        assert_eq!(
            line(found["fen"].as_str().unwrap(), "")["isChess960"],
            is_chess960,
            "{fen}"
        );
    }
    assert_eq!(line("no position", "")["error"]["code"], "request");
}
