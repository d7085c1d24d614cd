//! A session: the added files, the open database, and requests about them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::added_files::{AddedFiles, BaseFiles, no_such_database, options};
use crate::failure::{Failure, RequestFields, Result, respond};
use crate::page::books::Books;
use crate::page::database_source::DatabaseSource;
use crate::page::open_database::OpenDatabase;
use crate::page::open_databases::{OpenDatabases, given_number};
use crate::page::tasks::{self, RunningTask};
use crate::read_games;

use super::{collect, edit, encodings, game, legal, line, query, rows, save, store, texts};

/// The state of one user: files, open databases and running tasks.
#[derive(Default)]
pub struct Session {
    files: AddedFiles,
    source: Option<Box<dyn DatabaseSource>>,
    open: OpenDatabases,
    books: Books,
    /// The tasks, each with the number of its database.
    tasks: BTreeMap<u32, (u32, RunningTask)>,
    next: u32,
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
        self.files.add(name, bytes);
    }

    /// Answers a request, which is a JSON object with the operation in the member `op`. If the
    /// request fails, the answer has the member `error`.
    ///
    /// | `op` | other members | answer |
    /// |---|---|---|
    /// | `clear` | | none; forgets files and databases |
    /// | `unload` | | none; forgets the files that are not open |
    /// | `bases` | `password` | the databases among the files that were added |
    /// | `books` | `fen` | the opening books, and their moves in a position |
    /// | `closebook` | `book` | none; forgets an opening book |
    /// | `open` | `base`, `encoding`, `salvage`, `in`, `keep` | a description of the database |
    /// | `close` | `in` | the open databases |
    /// | `opened` | | the open databases, and the memory that they use |
    /// | `rows` | `from`, `count`, `columns` | a part of the list, with values of `columns` of `open` |
    /// | `place` | `game` | the index of the game in the list |
    /// | `game` | `game` | header, moves and comments |
    /// | `games` | `games`, or `from` and `count` | several games, for programs |
    /// | `pgn` | `game` | the game as PGN |
    /// | `line` | `fen`, `moves` | an engine's line in SAN; whether chess allows the position |
    /// | `query` | `text` | whether it is a valid query, or the position of the error |
    /// | `keys` | | the keys of the query language |
    /// | `suggest` | `field`, `text` | names that begin so, after the task `namecounts` |
    /// | `encodings` | | names with non-ASCII letters in several charsets |
    /// | `texts` | | the guiding texts of the database |
    /// | `start` | `task` and its parameters | the number of the task |
    /// | `step` | `task`, `most` | the progress, and at the end the result |
    /// | `stop` | `task` | none; forgets the task |
    /// | `moves` | `fen`, `text` | the legal moves of a position, or the one in the text |
    /// | `edit` | `game`, `node`, `change` | the current half-move afterwards |
    /// | `change` | `edits` | the numbers of changed and of new games, and findings about the new ones |
    /// | `add` | `text`, `join` | the first new game and the number of new games |
    /// | `undo`, `redo` | | the game and its current half-move |
    /// | `settle` | `games` | none; marks `[[first, last]]` as saved |
    /// | `store` | | the report about saving all changes in the files of the database |
    /// | `restore` | | the last saved change, which was undone, or repeated if it was undone before |
    ///
    /// Edits change games in memory only; all other requests then see the edited games. `node` is
    /// the number of a half-move in the tokens of `game`, or 0 for the start. A `change` is `move`
    /// (`text`: SAN or coordinates), `delete`, `delete-variation`, `promote`, `mainline`, `annotate`
    /// (`before`, `after`, `nags`), `shapes` (`shapes` as in the tokens), or `tags` (`tags`:
    /// `[[name, value]]`, `flags`: letters of `ScidFlags`). The answers have the state in `edits`:
    /// the numbers of `unsaved`, of all (`games`) and of `listed` games, the `first` unsaved games,
    /// and whether `undo` and `redo` are possible. `same` means that nothing changed, `sort` that
    /// the list should be sorted again. An edit ends all tasks except `health`.
    ///
    /// `change` makes several edits as one step, or none of them. They are arrays that begin with a
    /// word: `tags`, a game, `[[name, value or null]]`; `flags`, a game, the names of flags to set and
    /// to remove; `replace`, a game, the PGN of one intact game; `append`, PGN; or `append-one`, the
    /// PGN of one intact game. Games are those from before the edits.
    ///
    /// `store` and `restore` need a host that can write ([`DatabaseSource::stores`]): `stores` in the
    /// answer to `open`. `store` ends the steps of `undo`. After `restore`, the database must be opened
    /// again with `in`.
    ///
    /// Several databases can be open. The answer to `open` contains the number of the database as
    /// `in`. Every other request may contain this number; without it, the request is about the
    /// database that was opened last. `open` with `in` replaces that database. With `keep`, other
    /// databases among the added files can be opened afterwards; otherwise their files are dropped.
    ///
    /// Opening books among the added files are opened by `bases`, and its answer lists them as `books`.
    /// They belong to no database.
    ///
    /// The answer to `bases` also contains the feature that is `lacking` in this module to read all
    /// files, and the archives that are `unread`: damaged, or locked by a password. If nothing else
    /// is there, the answer contains the name of a locked archive as `locked`.
    ///
    /// Tasks are `filter` (`query`; with `count` or `indices` the list stays unchanged and the result
    /// is the number, or the indices as `games` and the half-moves before the matching positions as
    /// `plies`), `advice` (`query`: other queries for one that matches nothing;
    /// with `rare`, also names that are near to one that games have), `namecounts` (counts the names that `suggest` returns), `player` (`name`: a report on the
    /// listed games), `sort` (`column`, `down`), `tree` (`fen`; with `games` only these), `stats`, `health`
    /// (the counts and findings of `chessdb check`), `losses` (the report of a conversion that is
    /// not done, with the members of [`save`](Session::save)), `salvage` (the report of `chessdb
    /// salvage`), `duplicates` (`rule`; lists the games that `chessdb dedupe` compares as equal,
    /// next to each other; with `indices` the list stays unchanged and the result has the indices of
    /// each group of equal games, first of the one that stays) and `names` (`of`; the suggestions of `chessdb names`). Games are counted
    /// from 0.
    pub fn call(&mut self, request: &str) -> String {
        respond(request, |request| self.answer(request))
    }

    /// Writes games to a new database, piece by piece. `request` has the members `format`, and
    /// `games` (indices) or `scope` (`game`, `view`, `unique` or `all`) and `game`. `unique` leaves out the duplicates of the last
    /// task `duplicates`. With `order`, the games are written in the order of the list. `names`
    /// replaces names: a list of `of` (the kind of names) and `pairs` of an old and a new name.
    /// Returns the report, and in `settled` the changed games that are saved by it.
    ///
    /// With the member `into`, the games of several open databases are joined in memory, and the
    /// result is opened: `from` lists them, each with `in`, `scope` and `game`; `dedupe` is the rule
    /// by which duplicates are left out; `into` has the `name` of the new database, or the number
    /// `in` of one that was made so and gets the games in addition, and `bytes` if the pieces are
    /// wanted too. The answer contains its description as `info`.
    pub fn save(&mut self, request: &str, to: &mut dyn save::Receiver) -> String {
        respond(request, |request| match request.get("into") {
            Some(_) => self.collect(request, to),
            None => save::save(self.opened(request)?, request, to),
        })
    }

    fn collect(&mut self, request: &Value, to: &mut dyn save::Receiver) -> Result<Value> {
        let answer = collect::collect(&mut self.open, request, to)?;
        // Tasks of the smaller database would miss games.
        let number = answer.get("info").and_then(|info| info.number("in").ok());
        self.tasks.retain(|_, (base, _)| Some(*base) != number);
        Ok(answer)
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
            "unload" => {
                self.files.clear();
                Ok(Value::Null)
            }
            "bases" => self.bases(request.text("password")),
            "books" => self.books.moves(request.text("fen")),
            "closebook" => {
                self.books.close(request.number("book")?);
                Ok(Value::Null)
            }
            "open" => self.open(request),
            "close" => {
                let number = self.open.number(request)?;
                self.close(number);
                Ok(self.open.list())
            }
            "opened" => Ok(self.open.list()),
            "rows" => rows::rows(self.opened(request)?, request),
            "place" => {
                let number = request.number("game")?;
                Ok(json!({ "place": self.opened(request)?.place(number) }))
            }
            "game" => game::game(self.opened(request)?, request.number("game")?),
            "games" => {
                let (db, game) = self.opened(request)?.db_and_buffer();
                read_games::games(db, game, request)
            }
            "pgn" => {
                let game = self.opened(request)?.db().game(request.number("game")?)?;
                Ok(json!({ "text": game.to_pgn() }))
            }
            "line" => line::line(request.text("fen"), request.text("moves")),
            "query" => Ok(query::check(request.text("text"))),
            "keys" => Ok(query::keys()),
            "suggest" => {
                let (field, text) = (request.text("field"), request.text("text"));
                Ok(query::suggest(self.opened(request)?, field, text))
            }
            "encodings" => encodings::preview(self.opened(request)?),
            "texts" => Ok(texts::texts(self.opened(request)?)),
            "moves" => legal::moves(request),
            "edit" | "change" | "add" | "undo" | "redo" | "settle" => self.edit(request),
            "store" | "restore" => {
                let number = self.open.number(request)?;
                let base = self.open.get_mut(number)?;
                let source = self.source.as_deref_mut().ok_or_else(no_such_database)?;
                match request.text("op") {
                    "store" => store::store(base, source),
                    _ => store::restore(base, source),
                }
            }
            "start" => {
                let number = self.open.number(request)?;
                let task = tasks::start(self.open.get_mut(number)?, request)?;
                self.next = self.next.wrapping_add(1);
                self.tasks.insert(self.next, (number, task));
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

    /// Changes games of a database.
    fn edit(&mut self, request: &Value) -> Result<Value> {
        let number = self.open.number(request)?;
        let answer = edit::answer(self.open.get_mut(number)?, request)?;
        if !answer.flag("same") {
            // They would mix games from before and after the change.
            let tasks = &mut self.tasks;
            tasks.retain(|_, (base, task)| *base != number || task.survives_edits());
        }
        Ok(answer)
    }

    /// Returns the database that a request is about.
    fn opened(&mut self, request: &Value) -> Result<&mut OpenDatabase> {
        let number = self.open.number(request)?;
        self.open.get_mut(number)
    }

    /// Closes a database and ends its tasks.
    fn close(&mut self, number: u32) {
        self.open.remove(number);
        self.tasks.retain(|_, (base, _)| *base != number);
    }

    /// Returns the databases of the source, or those among the added files.
    fn bases(&mut self, password: &str) -> Result<Value> {
        if let Some(source) = &self.source {
            let bases = source.bases().into_iter().map(
                |base| json!({ "name": base.name, "formatName": base.format, "size": base.size }),
            );
            return Ok(json!({ "bases": bases.collect::<Vec<Value>>() }));
        }
        let (books, mut unread) = (&mut self.books, Vec::new());
        let room = self.open.room();
        let before = books.len();
        let take = |files: &mut Vec<_>| unread = books.take_from(files, room);
        let mut answer = self.files.bases(password, take)?;
        if let Some(list) = answer.get_mut("unread").and_then(Value::as_array_mut) {
            list.append(&mut unread);
        }
        if self.books.len() > before
            && let Some(answer) = answer.as_object_mut()
        {
            answer.insert("books".to_owned(), self.books.list_from(before));
        }
        Ok(answer)
    }

    fn open(&mut self, request: &Value) -> Result<Value> {
        let base = request.number("base")? as usize;
        let place = given_number(request)?;
        if let Some(number) = place {
            // Both may not fit into memory.
            self.close(number);
        }
        if let Some(source) = &mut self.source {
            let offered = source
                .bases()
                .into_iter()
                .nth(base)
                .ok_or_else(no_such_database)?;
            self.open.check_room(0)?;
            let encoding = request.text("encoding");
            let encoding = (!encoding.is_empty()).then_some(encoding);
            let db = source.open(base, encoding, request.flag("salvage"))?;
            let can_store = source.stores() && !request.flag("salvage");
            let can_store = can_store && db.format().create.is_some();
            let mut opened = OpenDatabase::new(db, Some(offered.name))?;
            let encoding = encoding.unwrap_or_default().to_owned();
            opened.origin = can_store.then_some((base, encoding));
            let number = self.open.insert(place, opened, 0);
            return self.open.info(number);
        }
        let BaseFiles { name, files, tree } = self.files.take_files(base, request.flag("keep"))?;
        let sizes = files.iter().map(|(_, bytes)| bytes.len());
        let bytes = sizes.chain(tree.as_ref().map(Vec::len)).sum::<usize>() as u64;
        self.open.check_room(bytes)?;
        let mut db = options(request).open_files(files)?;
        if let Some(tree) = tree {
            db.use_tree_file(tree);
        }
        let opened = OpenDatabase::new(db, Some(name))?;
        let number = self.open.insert(place, opened, bytes);
        if request.flag("isNew") {
            self.open.mark_new(number);
        }
        self.open.info(number)
    }

    fn step(&mut self, number: u32, max_games: u32) -> Result<Value> {
        let none = || Failure::new("stopped", "no such task");
        let (base, mut task) = self.tasks.remove(&number).ok_or_else(none)?;
        let answer = task.step(self.open.get_mut(base)?, max_games.max(1))?;
        if !task.is_done() {
            self.tasks.insert(number, (base, task));
        }
        Ok(answer)
    }
}
