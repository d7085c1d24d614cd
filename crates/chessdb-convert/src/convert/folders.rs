//! Parquet tables in folders by year, decade, opening or database, in the Hive layout that query
//! engines read: `year=1985/part-00000.parquet`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use chessdb_core::model::Eco;
use chessdb_core::store::Origin;
use chessdb_core::{ErrorKind, Format, Game, GameWrite, Losses, WriteOptions};
use chessdb_files::error::{Error, Problem};
use chessdb_files::filesystem::{LOCK, Lock, WRITING, hidden, rename, while_held};
use chessdb_files::paths::{NO_FILE_NAME, leads_elsewhere};
use chessdb_files::snapshot::Snapshot;
use chessdb_owned::OwnedWriter;
use chessdb_parquet::PARQUET;

/// Maximum number of open tables; each keeps its row group in memory. If more are needed, the least
/// recently used one is finished, and its folder gets another part later.
const MAX_OPEN_TABLES: usize = 32;

/// How the games are divided into folders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartitionBy {
    /// By year of the game: `year=1985`.
    Year,
    /// By decade: `decade=1980`.
    Decade,
    /// By ECO code, the letter and two digits: `code=B90`. The column `ECO` is kept.
    Eco,
    /// By source database: `base=games.si4`.
    Base,
}

/// The standard folder name for a missing value.
const UNKNOWN_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

impl PartitionBy {
    /// Returns the variant for `year`, `decade`, `eco` or `base`.
    pub fn by_name(name: &str) -> Option<PartitionBy> {
        Some(match name {
            "year" => PartitionBy::Year,
            "decade" => PartitionBy::Decade,
            "eco" => PartitionBy::Eco,
            "base" => PartitionBy::Base,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            PartitionBy::Year => "year",
            PartitionBy::Decade => "decade",
            PartitionBy::Eco => "eco",
            PartitionBy::Base => "base",
        }
    }

    /// Returns the column with the same content as the folder name; engines refuse to read both.
    const fn column(self) -> Option<&'static str> {
        match self {
            PartitionBy::Year => Some("Year"),
            PartitionBy::Base => Some("base"),
            PartitionBy::Decade | PartitionBy::Eco => None,
        }
    }

    fn folder(self, game: &Game, base: Option<&str>) -> String {
        let (name, value) = match self {
            PartitionBy::Year => {
                let year = game.effective_date().year;
                ("year", (year > 0).then(|| year.to_string()))
            }
            PartitionBy::Decade => {
                let year = game.effective_date().year;
                let decade = (year > 0).then(|| (year / 10 * 10).to_string());
                ("decade", decade)
            }
            PartitionBy::Eco => {
                let code = game.eco().map(|eco| Eco::new(eco.code).to_string());
                ("code", code)
            }
            PartitionBy::Base => ("base", base.map(percent_encoded)),
        };
        format!("{name}={}", value.as_deref().unwrap_or(UNKNOWN_VALUE))
    }
}

/// Percent-encodes a text for a folder name, so that engines can decode it.
fn percent_encoded(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            name.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

/// The pseudo-format of tables in folders, with the properties of Parquet. It writes to the folder
/// given in its settings and nothing into the sink.
pub(super) static FOLDERS: LazyLock<Format> = LazyLock::new(|| {
    let tables = PARQUET;
    tables
        .with_settings(&["columns", "positions", "zstd", "by", "folder"])
        .with_create(|_, options| Ok(Box::new(PartitionedWriter::create(options)?)))
});

/// The target folder of a conversion, written under a hidden name, and its lock.
pub(super) struct TargetFolder {
    target: PathBuf,
    hidden: PathBuf,
    replace: bool,
    /// The state of the tables to be replaced before anything was read.
    before: Snapshot,
    _lock: Lock,
}

impl TargetFolder {
    /// Prepares to write a folder. Leftovers of an interrupted conversion are removed.
    pub(super) fn new(target: &Path, replace: bool) -> Result<TargetFolder, Error> {
        let failed = |error: io::Error| Error::new(target, Problem::from(error));
        if leads_elsewhere(target) {
            return Err(Error::new(target, Problem::NotReplaceable(NO_FILE_NAME)));
        }
        // The lock comes first: an interrupted writer may be another one that is still at work.
        let lock = Lock::take(hidden(target, LOCK), target)?;
        let place = hidden(target, WRITING);
        finish_interrupted(&place, target).map_err(failed)?;
        match fs::symlink_metadata(target) {
            Ok(existing) if !existing.is_dir() || !replace => {
                return Err(Error::new(target, Problem::AlreadyExists));
            }
            Ok(_) if !contains_only_tables(target).map_err(failed)? => {
                let what = "the folder contains files that are not tables written by chessdb, so it was not replaced";
                return Err(Error::new(target, Problem::NotReplaceable(what)));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        remove(&place).map_err(failed)?;
        fs::create_dir(&place).map_err(failed)?;
        let before = Snapshot::of(tables_in(target).map_err(failed)?);
        Ok(TargetFolder {
            before,
            target: target.to_owned(),
            hidden: place,
            replace,
            _lock: lock,
        })
    }

    /// Returns the settings for [`FOLDERS`].
    pub(super) fn settings(&self, by: PartitionBy) -> Vec<(&'static str, String)> {
        let folder = self.hidden.to_string_lossy().into_owned();
        vec![("by", by.name().to_owned()), ("folder", folder)]
    }

    /// Makes the whole folder visible.
    pub(super) fn commit(self) -> Result<(), Error> {
        let failed = |error: io::Error| Error::new(&self.target, Problem::from(error));
        let old_path = old_path(&self.hidden);
        let existing = fs::symlink_metadata(&self.target).is_ok();
        let now = tables_in(&self.target).map_err(failed)?;
        let is_new = |file: &PathBuf| !self.before.contains(file);
        if self.before.changed().is_some()
            || now.iter().any(is_new)
            || existing && !contains_only_tables(&self.target).map_err(failed)?
        {
            return Err(Error::new(&self.target, Problem::Changed));
        }
        let replaces = self.replace && existing;
        if replaces {
            rename(&self.target, &old_path).map_err(failed)?;
        }
        let renamed = rename(&self.hidden, &self.target);
        // The old folder must be back under its name before the error is reported.
        if renamed.is_err() && replaces {
            rename(&old_path, &self.target).map_err(failed)?;
        }
        renamed.map_err(failed)?;
        if replaces {
            // The new folder is complete; the next conversion removes what is left of the old one.
            let _ = remove(&old_path);
        }
        Ok(())
    }
}

impl Drop for TargetFolder {
    fn drop(&mut self) {
        // The folder no longer exists after a commit.
        let _ = fs::remove_dir_all(&self.hidden);
    }
}

/// Returns the temporary name of the folder being replaced.
fn old_path(hidden: &Path) -> PathBuf {
    hidden.with_extension("chessdb-old")
}

/// Completes or undoes an interrupted replacement: restores the name of the old folder, or removes
/// it if the new one already has that name.
fn finish_interrupted(hidden: &Path, target: &Path) -> io::Result<()> {
    let old_path = old_path(hidden);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
    if fs::symlink_metadata(target).is_err() && is_folder(&old_path) {
        rename(&old_path, target)
    } else {
        remove(&old_path)
    }
}

/// Removes a folder, if it exists. Waits while another program holds a file in it for a moment.
fn remove(folder: &Path) -> io::Result<()> {
    match while_held(&mut || fs::remove_dir_all(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether a folder contains only what this module writes: folders such as `year=1985` with
/// tables.
fn contains_only_tables(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !is_partition(&entry.file_name()) || !entry.file_type()?.is_dir() {
            return Ok(false);
        }
        for inner in fs::read_dir(entry.path())? {
            let inner = inner?;
            if !is_part(&inner.file_name()) || !inner.file_type()?.is_file() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns whether this is the name of a folder of tables.
fn is_partition(name: &OsStr) -> bool {
    let names = ["year", "decade", "code", "base"];
    let name = name.to_str().and_then(|name| name.split_once('='));
    name.is_some_and(|(name, _)| names.contains(&name))
}

/// Returns whether this is the name of a table in such a folder: `part-00000.parquet`.
fn is_part(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix("part-"));
    let number = name.and_then(|name| name.strip_suffix(".parquet"));
    number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the tables in a folder written by this module; empty if the folder does not exist.
fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    let folders = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(tables),
        folders => folders?,
    };
    for entry in folders {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            for inner in fs::read_dir(entry.path())? {
                tables.push(inner?.path());
            }
        }
    }
    Ok(tables)
}

/// An open table.
struct OpenTable {
    writer: OwnedWriter,
    used: u64,
}

/// A writer that divides games into tables.
struct PartitionedWriter {
    by: PartitionBy,
    folder: PathBuf,
    options: WriteOptions,
    open: HashMap<String, OpenTable>,
    /// The number of tables per folder.
    parts: HashMap<String, u32>,
    /// A writer that receives no games and only determines losses.
    judge: Mutex<OwnedWriter>,
    base_losses: Losses,
    base: Option<String>,
    number: Option<u32>,
    fault: Option<String>,
    games: u32,
    clock: u64,
}

impl PartitionedWriter {
    fn create(mut options: WriteOptions) -> chessdb_core::Result<PartitionedWriter> {
        let (mut by, mut folder) = (None, None);
        options.settings.retain(|(name, value)| match *name {
            "by" => {
                by = PartitionBy::by_name(value);
                false
            }
            "folder" => {
                folder = Some(PathBuf::from(value));
                false
            }
            _ => true,
        });
        let missing =
            || ErrorKind::Unsupported("writing tables in folders to a target that is not a folder");
        let (by, folder) = by.zip(folder).ok_or_else(missing)?;
        // Query engines add the column of the folder names, and would then have it twice.
        if let Some(column) = by.column() {
            options.settings.push(("without", column.to_owned()));
        }
        let sink = Box::new(chessdb_core::MemorySet::new());
        let mut judge = OwnedWriter::create(sink, &PARQUET, options.clone())?;
        Ok(PartitionedWriter {
            base_losses: judge.with(|writer| writer.base_losses().clone())?,
            judge: Mutex::new(judge),
            by,
            folder,
            options,
            open: HashMap::new(),
            parts: HashMap::new(),
            base: None,
            number: None,
            fault: None,
            games: 0,
            clock: 0,
        })
    }

    /// Returns the open table of a folder.
    fn part(&mut self, name: String) -> chessdb_core::Result<&mut OwnedWriter> {
        self.clock += 1;
        let used = self.clock;
        if !self.open.contains_key(&name) {
            // Each open table has the columns of its current rows in memory.
            if self.open.len() >= MAX_OPEN_TABLES {
                let oldest = self.open.iter().min_by_key(|(_, part)| part.used);
                if let Some(part) = oldest
                    .map(|(name, _)| name.clone())
                    .and_then(|name| self.open.remove(&name))
                {
                    part.writer.finish()?;
                }
            }
            let folder = self.folder.join(&name);
            fs::create_dir_all(&folder).map_err(ErrorKind::Io)?;
            let count = self.parts.entry(name.clone()).or_default();
            let file = folder.join(format!("part-{count:05}.parquet"));
            *count += 1;
            let sink = chessdb_files::filesystem::create(&file, &PARQUET, false);
            let sink = sink.map_err(|error| ErrorKind::Other(error.to_string().into()))?;
            let writer = OwnedWriter::create(Box::new(sink), &PARQUET, self.options.clone())?;
            self.open.insert(name.clone(), OpenTable { writer, used });
        }
        match self.open.get_mut(&name) {
            Some(part) => {
                part.used = used;
                Ok(&mut part.writer)
            }
            None => Err(ErrorKind::Structure("a table that was just opened").into()),
        }
    }
}

impl GameWrite for PartitionedWriter {
    fn note_origin(&mut self, origin: Origin<'_>) {
        self.base = origin.base.map(str::to_owned);
        self.number = origin.number;
        self.fault = origin.fault.map(str::to_owned);
    }

    fn assess(&self, game: &Game) -> Losses {
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        let losses = judge.with(|writer| writer.assess(game));
        losses.unwrap_or_default()
    }

    fn write(&mut self, game: &Game) -> chessdb_core::Result<Losses> {
        let base = self.base.clone();
        let fault = self.fault.take();
        self.games = self.games.saturating_add(1);
        let number = self.number.take().unwrap_or(self.games);
        let name = self.by.folder(game, base.as_deref());
        let writer = self.part(name)?;
        writer.with(|writer| {
            let origin = Origin::new(number).of_base(base.as_deref());
            writer.note_origin(origin.with_fault(fault.as_deref()));
            writer.write(game)
        })?
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(self: Box<Self>) -> chessdb_core::Result<u32> {
        for part in self.open.into_values() {
            part.writer.finish()?;
        }
        Ok(self.games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_names_that_engines_undo() {
        let game = Game::builder().date("1985.06.??").eco("B90a").build();
        let name = |by: PartitionBy| by.folder(&game, Some("my games/ä.si4"));
        assert_eq!(name(PartitionBy::Year), "year=1985");
        assert_eq!(name(PartitionBy::Decade), "decade=1980");
        assert_eq!(name(PartitionBy::Eco), "code=B90");
        assert_eq!(name(PartitionBy::Base), "base=my%20games%2F%C3%A4.si4");
        assert_eq!(
            PartitionBy::Year.folder(&Game::new(), None),
            format!("year={UNKNOWN_VALUE}")
        );
    }
}
