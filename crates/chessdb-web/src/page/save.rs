//! Saving games to a new database, which is passed on in pieces so that it is never in memory as a
//! whole.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::convert::{Observer, Renaming, Report};
use chessdb::core::files::{FileId, FileSink, Role};
use chessdb::core::{Error, ErrorKind};
use chessdb::{Converter, Format, Game, Selection, formats};
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::page::renames;
use crate::page::report::report_json;
use crate::page::{abilities, edit};

/// The size in bytes at which a piece is passed on.
pub(crate) const PIECE: usize = 1 << 20;
/// The number of games between two progress reports.
const GAMES: u64 = 256;

/// Receives the files of a new database.
pub trait Receiver {
    /// Starts a file with this suffix. Files are numbered from 0.
    fn create(&mut self, suffix: &str);
    /// Appends bytes to a file.
    fn write(&mut self, file: u32, bytes: &[u8]);
    /// Replaces bytes that were written before.
    fn patch(&mut self, file: u32, offset: u64, bytes: &[u8]);
    /// Reports the numbers of games written and of games with losses. Returns whether to continue.
    fn progress(&mut self, games: u64, lost: u64) -> bool;
}

struct PieceSink<'r> {
    to: &'r mut dyn Receiver,
    files: Vec<(Role, Vec<u8>)>,
}

impl PieceSink<'_> {
    fn flush(&mut self, file: FileId) {
        if let Some((_, piece)) = self.files.get_mut(file.0 as usize)
            && !piece.is_empty()
        {
            self.to.write(file.0, piece);
            piece.clear();
        }
    }
}

impl FileSink for PieceSink<'_> {
    fn create(&mut self, role: Role) -> Result<FileId, Error> {
        let number = self.files.len() as u32;
        self.files.push((role, Vec::with_capacity(PIECE)));
        self.to.create(role.0);
        Ok(FileId(number))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<(), Error> {
        let Some((_, piece)) = self.files.get_mut(file.0 as usize) else {
            return Err(ErrorKind::Structure("a file that was not created").into());
        };
        piece.extend_from_slice(bytes);
        if piece.len() >= PIECE {
            self.flush(file);
        }
        Ok(())
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.flush(file);
        self.to.patch(file.0, offset, bytes);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Error> {
        for file in 0..self.files.len() as u32 {
            self.flush(FileId(file));
        }
        Ok(())
    }
}

/// Counts games, reports progress every [`GAMES`] games and replaces names.
pub(crate) struct ProgressObserver<'w> {
    games: u64,
    lost: u64,
    renaming: Renaming,
    report_progress: &'w mut dyn FnMut(u64, u64) -> bool,
}

impl ProgressObserver<'_> {
    pub(crate) fn new(
        renaming: Renaming,
        report_progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> ProgressObserver<'_> {
        ProgressObserver {
            games: 0,
            lost: 0,
            renaming,
            report_progress,
        }
    }
}

impl Observer for ProgressObserver<'_> {
    fn edit(&mut self, game: &mut Game) {
        self.renaming.edit(game);
    }

    fn edits(&self) -> bool {
        !self.renaming.is_empty()
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        self.games += 1;
        if self.games.is_multiple_of(GAMES) {
            self.lost = report
                .game_losses()
                .iter()
                .map(|loss| loss.games)
                .max()
                .unwrap_or(0);
            if !(self.report_progress)(self.games, self.lost) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the requested format, which can be written.
pub(crate) fn target(request: &Value) -> Result<&'static Format> {
    let id = request.text("format");
    let format = formats::by_id(id).filter(|format| format.create.is_some());
    format.ok_or_else(|| Failure::new("request", format!("unknown format `{id}`")))
}

/// The games to save.
pub(crate) enum GameScope {
    All,
    /// The games with these indices, in this order.
    Chosen(Vec<u32>),
    /// The listed games, in the order of the database.
    Listed,
    /// The listed games, in the order of the list.
    Ordered,
    /// All games without the duplicates that were found.
    Unique,
    One(u32),
}

impl GameScope {
    /// Returns the requested games.
    pub(crate) fn parse(request: &Value) -> Result<GameScope> {
        if let Some(games) = request.numbers("games")? {
            return Ok(GameScope::Chosen(games));
        }
        Ok(match request.text("scope") {
            "game" => GameScope::One(request.number("game")?),
            "unique" => GameScope::Unique,
            "view" | "" | "all" if request.flag("order") => GameScope::Ordered,
            "view" => GameScope::Listed,
            _ => GameScope::All,
        })
    }

    /// Returns the games of this scope that were changed since the last save.
    fn unsaved(&self, base: &OpenDatabase) -> Vec<u32> {
        let unsaved = base.edits.unsaved().iter().copied();
        let chosen: HashSet<u32> = match self {
            GameScope::Chosen(games) => games.iter().copied().collect(),
            _ => HashSet::new(),
        };
        let is_saved = |index: &u32| match self {
            GameScope::All => true,
            GameScope::Chosen(_) => chosen.contains(index),
            GameScope::Listed | GameScope::Ordered => base.is_listed(*index),
            GameScope::Unique => base.duplicates.binary_search(index).is_err(),
            GameScope::One(one) => index == one,
        };
        unsaved.filter(is_saved).collect()
    }

    /// Returns the number of these games of a database.
    pub(crate) fn len(&self, base: &OpenDatabase) -> u32 {
        match self {
            GameScope::All => base.len(),
            GameScope::Chosen(games) => games.len() as u32,
            GameScope::Listed | GameScope::Ordered => base.listed(),
            GameScope::Unique => base.len().saturating_sub(base.duplicates.len() as u32),
            GameScope::One(_) => 1,
        }
    }

    /// Returns these games of a database as a selection.
    pub(crate) fn selection(&self, base: &OpenDatabase) -> Result<Selection> {
        match self {
            GameScope::All => Ok(Selection::all()),
            _ => self.part(base, 0, self.len(base)),
        }
    }

    /// Returns the `from`th of these games up to, but not including, the `to`th.
    pub(crate) fn part(&self, base: &OpenDatabase, from: u32, to: u32) -> Result<Selection> {
        let number = |index: u32| index.saturating_add(1);
        match self {
            GameScope::All => Ok(Selection::from(from.saturating_add(1)..=to)),
            GameScope::Chosen(games) => {
                let games = games.get(from as usize..to as usize).unwrap_or_default();
                Ok(Selection::in_order(
                    games.iter().map(|&index| number(index)).collect(),
                ))
            }
            GameScope::Listed => base.selection(from, to),
            GameScope::Ordered => {
                let games = (from..to).filter_map(|place| base.game_at(place));
                Ok(Selection::in_order(games.map(number).collect()))
            }
            GameScope::Unique => {
                // The list of duplicates is ascending.
                let stays = |index: &u32| base.duplicates.binary_search(index).is_err();
                let games = (0..base.len()).filter(stays);
                let games = games.skip(from as usize).take((to - from) as usize);
                Ok(Selection::in_order(games.map(number).collect()))
            }
            GameScope::One(index) => Ok(Selection::from(number(*index)..=number(*index))),
        }
    }
}

/// Converts games like `chessdb convert`.
pub(crate) fn save(
    base: &mut OpenDatabase,
    request: &Value,
    to: &mut dyn Receiver,
) -> Result<Value> {
    let format = target(request)?;
    let scope = GameScope::parse(request)?;
    let selection = scope.selection(base)?;
    let games = selection.count_in(base.len());
    let mut renaming = renames::parse(request)?;
    let in_use = if renaming.is_empty() {
        None
    } else {
        let scan = base.db().scan().select(selection.clone());
        Some(renaming.names_in_use(base.db(), scan, |_, _| {})?)
    };
    let shared = std::cell::RefCell::new(to);
    let mut report_progress = |games, lost| shared.borrow_mut().progress(games, lost);
    let mut watch = ProgressObserver::new(renaming, &mut report_progress);
    let mut relay = SharedReceiver(&shared);
    let mut pieces = PieceSink {
        to: &mut relay,
        files: Vec::new(),
    };
    let mut converter = Converter::to_sink(&mut pieces)
        .format(format.id)
        .add_database(base.db())
        .select(selection)
        .observer(&mut watch);
    if let Some(names) = in_use {
        converter = converter.names_in_use(names);
    }
    let report = converter.run()?;
    let stem = Path::new(base.name()).file_stem();
    let stem = stem.map_or("games".into(), |stem| stem.to_string_lossy());
    let stem = stem.into_owned();
    let files: Vec<Value> = pieces
        .files
        .iter()
        .map(|(role, _)| Value::from(role.0))
        .collect();
    // Only what was written counts as saved.
    let is_export = format.id == abilities::EXPORT;
    let saved = if is_export { Vec::new() } else { scope.unsaved(base) };
    base.mark_saved(&saved);
    Ok(json!({
        "stem": stem, "suffixes": files, "games": games, "report": report_json(&report),
        "settled": edit::ranges(&saved), "edits": edit::state(base),
    }))
}

/// Lets the sink and the progress report share one receiver.
struct SharedReceiver<'r, 't>(&'r std::cell::RefCell<&'t mut dyn Receiver>);

impl Receiver for SharedReceiver<'_, '_> {
    fn create(&mut self, suffix: &str) {
        self.0.borrow_mut().create(suffix);
    }

    fn write(&mut self, file: u32, bytes: &[u8]) {
        self.0.borrow_mut().write(file, bytes);
    }

    fn patch(&mut self, file: u32, offset: u64, bytes: &[u8]) {
        self.0.borrow_mut().patch(file, offset, bytes);
    }

    fn progress(&mut self, games: u64, lost: u64) -> bool {
        self.0.borrow_mut().progress(games, lost)
    }
}
