//! Conversion between generations without decoding games (docs/formats/scid.md, section 16).

use chessdb_core::files::FileSink;
use chessdb_core::options::Allow;
use chessdb_core::report::GameReport;
use chessdb_core::{
    Diagnostic, ErrorKind, GameStore as _, GameWrite as _, Losses, Result, Scratch, WriteOptions,
};

use crate::entry::{GameEntry, NAME_LISTS};
use crate::{Generation, Store, Writer};

/// The outcome of a translation.
#[derive(Debug)]
pub struct Translated {
    /// The number of games in the new database.
    pub games: u32,
    /// The losses: what the new database cannot hold.
    pub losses: Losses,
    /// The findings about games of the old database. Findings of opening it are not repeated.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes a database again in another generation or in its own. The index and names are translated;
/// the game records are copied unchanged, in index order. Names keep their numbers, texts their
/// bytes.
///
/// A record that is not completely in the games file is copied as far as possible.
///
/// # Errors
///
/// Returns an error if writing fails or a loss is not allowed; in strict mode also for a missing
/// record and a number without a name.
pub fn translate(
    store: &Store<'_>,
    to: Generation,
    sink: &mut dyn FileSink,
    allow: Allow,
) -> Result<Translated> {
    let mut options = WriteOptions::default();
    options.allow = allow;
    options.base = store.base().clone();
    if store.spec.generation != Generation::Si5 {
        // In SCID 3 and SCID 4 every database has a type; 0 is the default and not written to a
        // log.
        options.base.kind = options.base.kind.filter(|&kind| kind != 0);
    }
    let mut writer = Box::new(Writer::create(to, sink, options)?);
    let mut losses = writer.base_losses().clone();
    let mut scratch = Scratch::new();
    for (n, mut entry) in (0..).zip(store.entries.iter()) {
        let mut report = store.report(n, &mut scratch);
        missing_names(store, &mut entry, &mut report)?;
        let record = store.record(&entry, &mut report)?.unwrap_or_default();
        let lost = writer
            .copy(entry, record)
            .map_err(|error| error.at(chessdb_core::error::Location::game(n + 1)))?;
        losses.merge(&lost);
    }
    let games = writer.finish()?;
    Ok(Translated {
        games,
        losses,
        diagnostics: scratch.diagnostics,
    })
}

/// Reports numbers that refer to no name.
fn missing_names(
    store: &Store<'_>,
    entry: &mut GameEntry,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let offsets = &store.spec.field_offsets;
    let places = [
        offsets.event,
        offsets.site,
        offsets.round,
        offsets.white,
        offsets.black,
    ];
    for ((id, list), place) in entry.names_mut().into_iter().zip(NAME_LISTS).zip(places) {
        if store.read_names().lookup.get(list, *id).is_none() {
            let kind = ErrorKind::bad_field("the number of a name", u64::from(*id));
            report.lost(kind, store.spec.in_entry(report, place))?;
        }
    }
    Ok(())
}
