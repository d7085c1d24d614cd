//! The files that were dropped, the base that is open, and the requests about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chessdb::core::Charset;
use chessdb::formats::{self, FormatHint};
use chessdb::{Database, Error, FORMATS, Problem};
use serde_json::{Value, json};

use crate::base::Base;
use crate::failure::{Failure, Fields, Result};
use crate::shelf::Shelf;
use crate::tasks::{self, Running};
use crate::{encodings, game, query, rows, save, texts};

/// One reader at work: files, an open base, tasks that take their time.
#[derive(Default)]
pub struct Session {
    files: Vec<(PathBuf, Vec<u8>)>,
    groups: Vec<Group>,
    shelf: Option<Box<dyn Shelf>>,
    base: Option<Base>,
    tasks: BTreeMap<u32, Running>,
    next: u32,
}

/// Files that may be a base.
struct Group {
    format: Option<&'static str>,
    /// Their places among the files.
    files: Vec<usize>,
}

impl Session {
    /// No files and no base.
    pub fn new() -> Session {
        Session::default()
    }

    /// Without files, but with bases that the shelf opens.
    pub fn with_shelf(shelf: Box<dyn Shelf>) -> Session {
        Session {
            shelf: Some(shelf),
            ..Session::default()
        }
    }

    /// One more file that was dropped. Its name may have folders.
    pub fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((PathBuf::from(name), bytes));
    }

    /// Answers a request, a JSON object whose member `op` says what it asks. An answer with the member
    /// `error` says why it came to nothing.
    ///
    /// | `op` | other members | answer |
    /// |---|---|---|
    /// | `clear` | | forgets files and base |
    /// | `bases` | `password` | the bases among the files that were added, and what is `lacking` in this module to read them all; or which archive is `locked`, and the files are forgotten |
    /// | `open` | `base`, `encoding`, `salvage` | what the base is |
    /// | `rows` | `from`, `count` | the list from there on |
    /// | `place` | `game` | where in the list the game stands |
    /// | `game` | `game` | head, moves and comments |
    /// | `pgn` | `game` | the game as text |
    /// | `query` | `text` | whether it is a query, or what is wrong where |
    /// | `keys` | | the keys of the query language |
    /// | `encodings` | | the doubtful names in several charsets |
    /// | `texts` | | the texts of the base beside its games |
    /// | `start` | `task` and what it asks | the number of the task |
    /// | `step` | `task`, `most` | how far it is, and its result at the end |
    /// | `stop` | `task` | forgets the task |
    ///
    /// Tasks are `filter` (`query`), `sort` (`column`, `down`), `tree` (`fen`), `stats`, `health` and
    /// `losses` (`scope` as in [`save`](Session::save), and `game`). Games are counted from 0 here.
    pub fn call(&mut self, request: &str) -> String {
        let answer = serde_json::from_str(request)
            .map_err(Failure::from)
            .and_then(|request| self.answer(&request));
        answer
            .unwrap_or_else(|failure| failure.to_json())
            .to_string()
    }

    /// Writes games into a new base, piece by piece; `request` has `format`, `scope` (`game`, `view` or
    /// `all`) and `game`. The answer is the report.
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
                    shelf: self.shelf.take(),
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
            other => Err(Failure::new("request", format!("no request `{other}`"))),
        }
    }

    fn opened(&mut self) -> Result<&mut Base> {
        let none = || Failure::new("closed", "no base is open");
        self.base.as_mut().ok_or_else(none)
    }

    /// Unpacks what was dropped and groups it.
    fn bases(&mut self, password: &str) -> Result<Value> {
        if let Some(shelf) = &self.shelf {
            let bases = shelf.bases().into_iter().map(
                |base| json!({ "name": base.name, "formatName": base.format, "size": base.size }),
            );
            return Ok(json!({ "bases": bases.collect::<Vec<Value>>() }));
        }
        let mut wanted = FormatHint::default();
        if !password.is_empty() {
            wanted = wanted.password(password);
        }
        self.files = match formats::unpack(std::mem::take(&mut self.files), wanted) {
            Err(error) if is_locked(&error) => {
                let name = error.path().map(Path::to_string_lossy);
                return Ok(json!({ "bases": [], "locked": name }));
            }
            unpacked => unpacked?,
        };
        let lacking = self.files.iter().find_map(|(name, bytes)| {
            let extension = name.extension().unwrap_or_default().to_string_lossy();
            formats::missing_feature(&extension, bytes)
        });
        let names: Vec<&Path> = self.files.iter().map(|(name, _)| name.as_path()).collect();
        let groups = formats::group(&names).into_iter().map(|group| Group {
            format: Some(group.format),
            files: group.files.into_iter().map(|(_, n)| n).collect(),
        });
        self.groups = groups.collect();
        if self.groups.is_empty() && !self.files.is_empty() {
            // No name says anything; what is in them may.
            self.groups.push(Group {
                format: None,
                files: (0..self.files.len()).collect(),
            });
        }
        let bases: Vec<Value> = self.groups.iter().map(|group| self.group(group)).collect();
        Ok(json!({ "bases": bases, "lacking": lacking }))
    }

    fn group(&self, group: &Group) -> Value {
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
        let none = || Failure::new("request", "no such base");
        if let Some(shelf) = &mut self.shelf {
            let base = shelf.bases().into_iter().nth(number).ok_or_else(none)?;
            self.tasks.clear();
            // Two at a time may be more than there is room for.
            self.base = None;
            let encoding = (!encoding.is_empty()).then_some(encoding);
            let db = shelf.open(number, encoding, request.is("salvage"))?;
            return Ok(self.base.insert(Base::new(db, Some(base.name))?).info());
        }
        let group = self.groups.get(number);
        let group = group.ok_or_else(none)?;
        let (mut mine, mut rest) = (Vec::new(), Vec::new());
        let wanted = group.files.clone();
        let named = wanted.first().and_then(|&n| self.files.get(n));
        let name = named.map(|(name, _)| name.to_string_lossy().into_owned());
        for (n, file) in std::mem::take(&mut self.files).into_iter().enumerate() {
            let to = match wanted.contains(&n) {
                true => &mut mine,
                false => &mut rest,
            };
            to.push(file);
        }
        // The rest is dropped: one base at a time is in memory, and the page can bring the files again.
        drop(rest);
        self.groups.clear();
        self.tasks.clear();
        self.base = None;
        let mut options = Database::options().salvage(request.is("salvage"));
        if !encoding.is_empty() {
            options = options.encoding(encoding);
        }
        let base = self
            .base
            .insert(Base::new(options.open_files(mine)?, name)?);
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

/// Whether an archive of ChessBase's wants a password, or another one.
fn is_locked(error: &Error) -> bool {
    let extension = error.path().and_then(Path::extension);
    let is_cbz = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("cbz"));
    is_cbz && matches!(error.problem(), Problem::Packed(words) if words.contains("password"))
}

/// The formats that only the larger module has (Cargo.toml, feature `full`): id, name, suffix.
const FULL: [(&str, &str, &str); 2] = [
    ("jose", "jose, SQLite", "sqlite"),
    ("parquet", "Parquet", "parquet"),
];

/// Those of them that this module lacks.
fn lacking() -> impl Iterator<Item = Value> {
    let lacking = FULL.iter().filter(|(id, ..)| formats::by_id(id).is_none());
    lacking.map(|(id, name, suffix)| {
        json!({ "id": id, "name": name, "suffix": suffix, "files": 1, "lacking": true })
    })
}

/// The formats that can be written, and every charset: what does not depend on a base.
pub(crate) fn abilities() -> Value {
    let writable = FORMATS.iter().filter(|format| format.create.is_some());
    let writable = writable.map(|format| {
        let roles = format.roles.iter().filter(|role| !role.is_whole_name());
        let first = format.roles.first();
        json!({
            "id": format.id,
            "name": format.name,
            "suffix": first.map(|role| role.0),
            "files": roles.count(),
        })
    });
    let writable: Vec<Value> = writable.chain(lacking()).collect();
    let charsets: Vec<&str> = Charset::all().map(Charset::name).collect();
    json!({ "formats": writable, "charsets": charsets })
}
