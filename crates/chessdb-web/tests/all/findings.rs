//! Tests that the session reports the same findings for a damaged database as the library, and thus
//! as the program.

use chessdb::core::report::Finding;
use chessdb::core::{ReadOptions, Severity};
use chessdb::formats::{Files, FormatHint};
use chessdb::{Converter, Database, FORMATS};
use chessdb_testkit::fixtures;
use serde_json::{Value, json};

use crate::test_session::TestSession;

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
            cases.push((format!("{format} without {name}"), missing));
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

/// Returns the worst finding of the library, which opens and checks the files like `chessdb check`.
fn worst(files: &Set) -> Result<Option<Severity>, String> {
    let db = Database::options().open_files(files.clone());
    let db = db.map_err(|error| error.to_string())?;
    let files = Files::new(files.clone(), FormatHint::default()).unwrap();
    let mut worst = None;
    let mut add = |severity| worst = worst.max(Some(severity));
    files.check(&ReadOptions::default(), &mut |finding: Finding| {
        add(finding.severity)
    });
    for found in db.diagnostics() {
        add(found.severity);
    }
    Ok(worst)
}

#[test]
fn the_page_reports_what_the_program_does() {
    let mut with_loss = 0;
    for (name, files) in cases() {
        let mut session = TestSession::default();
        for (name, bytes) in &files {
            session.add(name, bytes.clone());
        }
        session.ask(json!({ "op": "bases" }));
        let info = session.ask(json!({ "op": "open", "base": 0 }));
        let worst = match worst(&files) {
            Ok(worst) => worst,
            Err(error) => {
                assert!(info["error"].is_object(), "{name}: {error}: {info}");
                continue;
            }
        };
        assert!(info["error"].is_null(), "{name}: {info}");
        let health = session.task(json!({ "task": "health" }), 1000);
        let is_lost = |fault: &Value| fault["lost"] == true;
        let faults = health["base"].as_array().unwrap();
        let damaged = health["damaged"]["count"] != 0;
        let lost = damaged || faults.iter().any(is_lost);
        assert_eq!(
            lost,
            worst == Some(Severity::Lost),
            "{name}: {worst:?} {health}"
        );
        let any = lost || !faults.is_empty() || health["odd"] != json!([]);
        assert_eq!(any, worst.is_some(), "{name}: {worst:?} {health}");
        with_loss += usize::from(lost);
        // A conversion by the page is incomplete exactly if one by the program is.
        let db = Database::options().open_files(files).unwrap();
        let mut target = chessdb::core::MemorySet::new();
        let report = Converter::to_sink(&mut target)
            .format("pgn")
            .add_database(&db)
            .run();
        let (answer, _) = session.save(json!({ "format": "pgn", "scope": "all" }));
        match report {
            Ok(report) => {
                let incomplete = &answer["report"]["incomplete"];
                assert_eq!(*incomplete, report.is_incomplete(), "{name}: {answer}");
            }
            Err(error) => assert!(answer["error"].is_object(), "{name}: {error}: {answer}"),
        }
    }
    assert!(with_loss > 20, "{with_loss}");
}
