//! A session for tests, with answers as JSON values.

use std::path::Path;

use chessdb_testkit::fixtures;
use chessdb_web::{Receiver, Session};
use serde_json::{Value, json};

/// A session with parsed answers.
#[derive(Default)]
pub(crate) struct TestSession(Session);

impl TestSession {
    /// Creates a session with the fixture files of this stem.
    pub(crate) fn with(stem: &str) -> TestSession {
        let mut session = TestSession::default();
        let stem = fixtures::root().join(stem);
        let folder = stem.parent().unwrap();
        let wanted = stem.file_name().unwrap().to_string_lossy().into_owned();
        for path in fixtures::files(folder) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if Path::new(&name).file_stem().unwrap().to_string_lossy() == wanted {
                session.add(&name, std::fs::read(&path).unwrap());
            }
        }
        session
    }

    /// Creates a session with an open fixture.
    pub(crate) fn opened(stem: &str) -> TestSession {
        let mut session = TestSession::with(stem);
        let bases = session.ask(json!({ "op": "bases" }));
        assert_eq!(bases["bases"].as_array().unwrap().len(), 1, "{bases}");
        let info = session.ask(json!({ "op": "open", "base": 0 }));
        assert!(info["error"].is_null(), "{info}");
        session
    }

    /// Wraps a session.
    pub(crate) fn of(session: Session) -> TestSession {
        TestSession(session)
    }

    /// Creates a session with an open database that has this PGN text.
    pub(crate) fn of_pgn(text: &str) -> TestSession {
        let mut session = TestSession::default();
        session.add("made.pgn", text.into());
        session.ask(json!({ "op": "bases" }));
        let info = session.ask(json!({ "op": "open", "base": 0 }));
        assert!(info["error"].is_null(), "{info}");
        session
    }

    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.add_file(name, bytes);
    }

    pub(crate) fn ask(&mut self, request: Value) -> Value {
        serde_json::from_str(&self.0.call(&request.to_string())).unwrap()
    }

    /// Runs a task to its end, in steps of `max_games` games.
    pub(crate) fn task(&mut self, mut request: Value, max_games: u32) -> Value {
        request["op"] = "start".into();
        let begun = self.ask(request);
        let Some(task) = begun["task"].as_u64() else {
            return begun;
        };
        loop {
            let state = self.ask(json!({ "op": "step", "task": task, "most": max_games }));
            if state["done"] != json!(false) {
                let gone = self.ask(json!({ "op": "step", "task": task, "most": max_games }));
                assert_eq!(gone["error"]["code"], "stopped");
                return state["result"].clone();
            }
        }
    }

    pub(crate) fn save(&mut self, request: Value) -> (Value, Files) {
        self.save_into(request, Files::default())
    }

    pub(crate) fn save_into(&mut self, request: Value, mut files: Files) -> (Value, Files) {
        let answer = self.0.save(&request.to_string(), &mut files);
        (serde_json::from_str(&answer).unwrap(), files)
    }
}

/// The files of a new database, assembled as in the worker.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) progress: Vec<(u64, u64)>,
    /// Whether to stop after the first progress report.
    pub(crate) is_hasty: bool,
}

impl Receiver for Files {
    fn create(&mut self, suffix: &str) {
        self.files.push((suffix.to_owned(), Vec::new()));
    }

    fn write(&mut self, file: u32, bytes: &[u8]) {
        self.files[file as usize].1.extend_from_slice(bytes);
    }

    fn patch(&mut self, file: u32, offset: u64, bytes: &[u8]) {
        let start = offset as usize;
        self.files[file as usize].1[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn progress(&mut self, games: u64, lost: u64) -> bool {
        self.progress.push((games, lost));
        !self.is_hasty
    }
}
