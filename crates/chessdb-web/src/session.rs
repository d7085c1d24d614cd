//! A session: the added files, the open database, and requests about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chessdb::formats::{self, FormatHint};
use chessdb::{Database, Error, Problem};
use serde_json::{Value, json};

use crate::database_source::DatabaseSource;
use crate::failure::{Failure, RequestFields, Result};
use crate::open_database::OpenDatabase;
use crate::tasks::{self, RunningTask};
use crate::{encodings, game, query, rows, save, texts};

/// The state of one user: files, an open database and running tasks.
#[derive(Default)]
pub struct Session {
    files: Vec<(PathBuf, Vec<u8>)>,
    groups: Vec<FileGroup>,
    source: Option<Box<dyn DatabaseSource>>,
    base: Option<OpenDatabase>,
    tasks: BTreeMap<u32, RunningTask>,
    next: u32,
}

/// Files that may be a database.
struct FileGroup {
    format: Option<&'static str>,
    /// The indexes of the files in the session.
    files: Vec<usize>,
}

impl Session {
    /// Creates a session without files and database.
    pub fn new() -> Session {
        Session::default()
    }

    /// Creates a session without files, but with databases that the source opens.
    pub fn with_source(source: Box<dyn DatabaseSource>) -> Session {
        Session {
            source: Some(source),
            ..Session::default()
        }
    }

    /// Adds a file. Its name may contain folders.
    pub fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((PathBuf::from(name), bytes));
    }

    /// Answers a request, which is a JSON object with the operation in the member `op`. If the
    /// request fails, the answer has the member `error`.
    ///
    /// | `op` | other members | answer |
    /// |---|---|---|
    /// | `clear` | | none; forgets files and database |
    /// | `bases` | `password` | the databases among the files that were added |
    /// | `open` | `base`, `encoding`, `salvage` | a description of the database |
    /// | `rows` | `from`, `count` | a part of the list |
    /// | `place` | `game` | the index of the game in the list |
    /// | `game` | `game` | header, moves and comments |
    /// | `pgn` | `game` | the game as PGN |
    /// | `query` | `text` | whether it is a valid query, or the position of the error |
    /// | `keys` | | the keys of the query language |
    /// | `encodings` | | names with non-ASCII letters in several charsets |
    /// | `texts` | | the guiding texts of the database |
    /// | `start` | `task` and its parameters | the number of the task |
    /// | `step` | `task`, `most` | the progress, and at the end the result |
    /// | `stop` | `task` | none; forgets the task |
    ///
    /// The answer to `bases` also contains the feature that is `lacking` in this module to read all
    /// files, and the archives that are `unread`: damaged, or locked by a password. If nothing else
    /// is there, the answer contains the name of a locked archive as `locked`.
    ///
    /// Tasks are `filter` (`query`), `sort` (`column`, `down`), `tree` (`fen`), `stats`, `health`
    /// (the counts and findings of `chessdb check`) and `losses` (the report of a conversion that
    /// is not done, with the members of [`save`](Session::save)). Games are counted from 0.
    pub fn call(&mut self, request: &str) -> String {
        let answer = serde_json::from_str(request)
            .map_err(Failure::from)
            .and_then(|request| self.answer(&request));
        answer
            .unwrap_or_else(|failure| failure.to_json())
            .to_string()
    }

    /// Writes games to a new database, piece by piece. `request` has the members `format`, `scope`
    /// (`game`, `view` or `all`) and `game`. Returns the report.
    pub fn save(&mut self, request: &str, to: &mut dyn save::Receiver) -> String {
        let answer = serde_json::from_str(request)
            .map_err(Failure::from)
            .and_then(|request: Value| save::save(self.opened()?, &request, to));
        answer
            .unwrap_or_else(|failure| failure.to_json())
            .to_string()
    }

    fn answer(&mut self, request: &Value) -> Result<Value> {
        match request.text("op") {
            "clear" => {
                *self = Session {
                    source: self.source.take(),
                    ..Session::default()
                };
                Ok(Value::Null)
            }
            "bases" => self.bases(request.text("password")),
            "open" => self.open(request),
            "rows" => {
                let base = self.opened()?;
                rows::rows(base, request.number("from")?, request.number("count")?)
            }
            "place" => {
                let number = request.number("game")?;
                Ok(json!({ "place": self.opened()?.place(number) }))
            }
            "game" => game::game(self.opened()?, request.number("game")?),
            "pgn" => {
                let game = self.opened()?.db().game(request.number("game")?)?;
                Ok(json!({ "text": game.to_pgn() }))
            }
            "query" => Ok(query::check(request.text("text"))),
            "keys" => Ok(query::keys()),
            "encodings" => encodings::preview(self.opened()?),
            "texts" => Ok(texts::texts(self.opened()?)),
            "start" => {
                let task = tasks::start(self.opened()?, request)?;
                self.next = self.next.wrapping_add(1);
                self.tasks.insert(self.next, task);
                Ok(json!({ "task": self.next }))
            }
            "step" => self.step(request.number("task")?, request.number("most")?),
            "stop" => {
                self.tasks.remove(&request.number("task")?);
                Ok(Value::Null)
            }
            other => Err(Failure::new(
                "request",
                format!("unknown request `{other}`"),
            )),
        }
    }

    fn opened(&mut self) -> Result<&mut OpenDatabase> {
        let none = || Failure::new("closed", "no database is open");
        self.base.as_mut().ok_or_else(none)
    }

    /// Unpacks the added files and groups them into databases.
    fn bases(&mut self, password: &str) -> Result<Value> {
        if let Some(source) = &self.source {
            let bases = source.bases().into_iter().map(
                |base| json!({ "name": base.name, "formatName": base.format, "size": base.size }),
            );
            return Ok(json!({ "bases": bases.collect::<Vec<Value>>() }));
        }
        let mut hint = FormatHint::default();
        if !password.is_empty() {
            hint = hint.password(password);
        }
        let (files, errors) = formats::unpack_each(std::mem::take(&mut self.files), hint);
        self.files = files;
        let lacking = self.files.iter().find_map(|(name, bytes)| {
            let extension = name.extension().unwrap_or_default().to_string_lossy();
            formats::missing_feature(&extension, bytes)
        });
        let names: Vec<&Path> = self.files.iter().map(|(name, _)| name.as_path()).collect();
        let groups = formats::group(&names).into_iter().map(|group| FileGroup {
            format: Some(group.format),
            files: group.files.into_iter().map(|(_, n)| n).collect(),
        });
        self.groups = groups.collect();
        if self.groups.is_empty() && !errors.is_empty() {
            // Without a database the errors are the answer.
            self.files.clear();
            let locked = errors.iter().find(|error| is_locked(error));
            let Some(locked) = locked else {
                return Err(errors
                    .into_iter()
                    .next()
                    .map_or_else(|| Failure::new("unknown", "no files"), Failure::from));
            };
            let name = locked.path().map(Path::to_string_lossy);
            return Ok(json!({ "bases": [], "locked": name }));
        }
        if self.groups.is_empty() && !self.files.is_empty() {
            // The names are inconclusive; the contents may not be.
            self.groups.push(FileGroup {
                format: None,
                files: (0..self.files.len()).collect(),
            });
        }
        let bases: Vec<Value> = self.groups.iter().map(|group| self.group(group)).collect();
        let unread: Vec<Value> = errors
            .iter()
            .map(|error| {
                let name = error.path().map(Path::to_string_lossy);
                json!({ "name": name, "locked": is_locked(error), "text": error.to_string() })
            })
            .collect();
        Ok(json!({ "bases": bases, "lacking": lacking, "unread": unread }))
    }

    fn group(&self, group: &FileGroup) -> Value {
        let files = group.files.iter().filter_map(|&n| self.files.get(n));
        let files: Vec<Value> = files
            .map(|(name, bytes)| json!({ "name": name.to_string_lossy(), "size": bytes.len() }))
            .collect();
        let sizes = group.files.iter().filter_map(|&n| self.files.get(n));
        let size: usize = sizes.map(|(_, bytes)| bytes.len()).sum();
        let format = group.format.and_then(formats::by_id);
        json!({
            "name": files.first().map(|file| file.text("name")),
            "format": group.format,
            "formatName": format.map(|format| format.name),
            "size": size,
            "files": files,
        })
    }

    fn open(&mut self, request: &Value) -> Result<Value> {
        let number = request.number("base")? as usize;
        let encoding = request.text("encoding");
        let none = || Failure::new("request", "no such database");
        if let Some(source) = &mut self.source {
            let base = source.bases().into_iter().nth(number).ok_or_else(none)?;
            self.tasks.clear();
            // Two databases may not fit into memory.
            self.base = None;
            let encoding = (!encoding.is_empty()).then_some(encoding);
            let db = source.open(number, encoding, request.flag("salvage"))?;
            return Ok(self
                .base
                .insert(OpenDatabase::new(db, Some(base.name))?)
                .info());
        }
        let group = self.groups.get(number);
        let group = group.ok_or_else(none)?;
        let (mut mine, mut rest) = (Vec::new(), Vec::new());
        let selected = group.files.clone();
        let named = selected.first().and_then(|&n| self.files.get(n));
        let name = named.map(|(name, _)| name.to_string_lossy().into_owned());
        for (n, file) in std::mem::take(&mut self.files).into_iter().enumerate() {
            let to = match selected.contains(&n) {
                true => &mut mine,
                false => &mut rest,
            };
            to.push(file);
        }
        // The other files are dropped: only one database is in memory at a time, and the page can
        // add the files again.
        drop(rest);
        self.groups.clear();
        self.tasks.clear();
        self.base = None;
        let mut options = Database::options().salvage(request.flag("salvage"));
        if !encoding.is_empty() {
            options = options.encoding(encoding);
        }
        let base = self
            .base
            .insert(OpenDatabase::new(options.open_files(mine)?, name)?);
        Ok(base.info())
    }

    fn step(&mut self, number: u32, most: u32) -> Result<Value> {
        let none = || Failure::new("stopped", "no such task");
        let mut task = self.tasks.remove(&number).ok_or_else(none)?;
        let base = self.opened()?;
        let answer = task.step(base, most.max(1))?;
        if !task.is_done() {
            self.tasks.insert(number, task);
        }
        Ok(answer)
    }
}

/// Returns whether a ChessBase archive needs a password, or another one.
fn is_locked(error: &Error) -> bool {
    matches!(
        error.problem(),
        Problem::PasswordRequired | Problem::WrongPassword
    )
}
