//! From one generation to another without decoding a game (docs/formats/scid.md, section 16).

use chessdb_core::{
    Allow, Diagnostic, ErrorKind, FileSink, GameReport, GameStore as _, GameWrite as _, Losses,
    Result, Scratch, Severity, WriteOptions,
};

use crate::entry::{GameEntry, NAME_LISTS};
use crate::{Generation, Store, Writer};

/// What a translation did.
#[derive(Debug)]
pub struct Translated {
    /// Games in the new base.
    pub games: u32,
    /// What the new base cannot hold.
    pub losses: Losses,
    /// What was wrong with games of the old one; what opening it found is not repeated.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes a base again in another generation, or in its own: index and names are translated, the
/// records of games copied as they are, in the order of the index. Names keep their numbers, texts
/// their bytes.
///
/// A record of which the games file does not have everything is copied as far as it goes.
///
/// # Errors
///
/// What the sink says, and a loss that is not allowed; in strict mode also a record that is not
/// there and a number without a name.
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
        // There every base has a type; in the log 0 is what nobody said.
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
            .map_err(|error| error.at(chessdb_core::Location::game(n + 1)))?;
        losses.merge(&lost);
    }
    let games = writer.finish()?;
    Ok(Translated {
        games,
        losses,
        diagnostics: scratch.diagnostics,
    })
}

/// Reports the numbers that name nothing.
fn missing_names(
    store: &Store<'_>,
    entry: &mut GameEntry,
    report: &mut GameReport<'_>,
) -> Result<()> {
    let places = &store.spec.places;
    let places = [
        places.event,
        places.site,
        places.round,
        places.white,
        places.black,
    ];
    for ((id, list), place) in entry.names_mut().into_iter().zip(NAME_LISTS).zip(places) {
        if store.names.get(list, *id).is_none() {
            let kind = ErrorKind::BadField {
                field: "the number of a name",
                value: u64::from(*id),
            };
            report.add(Severity::Lost, kind, store.spec.in_entry(report, place))?;
        }
    }
    Ok(())
}
