//! A session that only reads the games of one open database, by their numbers.

use chessdb::{Database, Game};
use serde_json::{Value, json};

use crate::added_files::{AddedFiles, BaseFiles, options};
use crate::description::description;
use crate::failure::{Failure, RequestFields, Result, respond};
use crate::read_games;

/// The number of the open database in requests and answers.
const NUMBER: u32 = 1;

/// The state of one user of the lean build: the added files and one open database.
///
/// It answers a part of the requests of the page's session, with the same answers, and needs the
/// readers of the formats alone.
#[derive(Default)]
pub struct ReadingSession {
    files: AddedFiles,
    open: Option<Database>,
    /// A buffer for games that are read and dropped.
    game: Game,
}

impl ReadingSession {
    /// Creates a session without files and database.
    pub fn new() -> ReadingSession {
        ReadingSession::default()
    }

    /// Adds a file. Its name may contain folders.
    pub fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.add(name, bytes);
    }

    /// Answers a request, which is a JSON object with the operation in the member `op`. If the
    /// request fails, the answer has the member `error`.
    ///
    /// | `op` | other members | answer |
    /// |---|---|---|
    /// | `bases` | | the databases among the files that were added |
    /// | `open` | `base`, `encoding`, `salvage` | a description of the database |
    /// | `games` | `games`, or `from` and `count` | several games |
    /// | `pgn` | `game` | the game as PGN |
    pub fn call(&mut self, request: &str) -> String {
        respond(request, |request| self.answer(request))
    }

    fn answer(&mut self, request: &Value) -> Result<Value> {
        match request.text("op") {
            "bases" => self.files.bases("", |_| ()),
            "open" => self.open(request),
            "games" => read_games::games(opened(&self.open)?, &mut self.game, request),
            "pgn" => {
                let game = opened(&self.open)?.game(request.number("game")?)?;
                Ok(json!({ "text": game.to_pgn() }))
            }
            other => Err(Failure::new(
                "request",
                format!("unknown request `{other}`"),
            )),
        }
    }

    /// Opens one of the added databases in place of the open one.
    fn open(&mut self, request: &Value) -> Result<Value> {
        self.open = None;
        let base = request.number("base")? as usize;
        let BaseFiles { name, files, .. } = self.files.take_files(base, false)?;
        let db = options(request).open_files(files)?;
        let mut info = description(&db, &name, db.len()?);
        if let Some(members) = info.as_object_mut() {
            members.insert("in".to_owned(), NUMBER.into());
        }
        self.open = Some(db);
        Ok(info)
    }
}

/// Returns the open database.
fn opened(open: &Option<Database>) -> Result<&Database> {
    let none = || Failure::new("closed", "no database is open");
    open.as_ref().ok_or_else(none)
}
