//! The sources of conversions and questions.

use std::path::PathBuf;
use std::sync::Arc;

use chessdb::convert::{Converter, GameList};
use chessdb::options::OpenOptions;
use chessdb::{Database, Selection};
use pyo3::prelude::*;

use crate::database;
use crate::errors::{to_exception, warn};
use crate::game::Game;
use crate::games::Games;

/// A source that does not need Python.
pub(crate) enum NativeSource {
    Open(Arc<Database>, Option<Selection>),
    Path(PathBuf),
    Held(Box<GameList>),
}

/// Converts one source or several, in order. A folder represents all databases in it.
pub(crate) fn native_sources(sources: &Bound<'_, PyAny>) -> PyResult<Vec<NativeSource>> {
    let py = sources.py();
    let listed = py
        .import("chessdb._sources")?
        .call_method1("listed", (sources,))?;
    let mut native = Vec::new();
    for source in listed.try_iter()? {
        let source = source?;
        if let Ok(game) = source.cast::<Game>() {
            // Successive games form one source.
            if !matches!(native.last(), Some(NativeSource::Held(_))) {
                native.push(NativeSource::Held(Box::default()));
            }
            if let Some(NativeSource::Held(games)) = native.last_mut() {
                let game = game.get();
                games.push(game.model(), game.is_damaged());
            }
        } else if let Ok(db) = source.cast::<database::Database>() {
            native.push(NativeSource::Open(db.get().get()?, None));
        } else if let Ok(games) = source.cast::<Games>() {
            let (db, selection) = games.get().source()?;
            native.push(NativeSource::Open(db, Some(selection)));
        } else {
            add_path(py, source.extract()?, &mut native)?;
        }
    }
    Ok(native)
}

fn add_path(py: Python<'_>, path: PathBuf, native: &mut Vec<NativeSource>) -> PyResult<()> {
    if !path.is_dir() {
        native.push(NativeSource::Path(path));
        return Ok(());
    }
    let survey = chessdb::fs::survey(&path, chessdb::formats::FormatHint::default())
        .map_err(to_exception)?;
    let shown = chessdb::formats::shown;
    let strangers = survey.strangers.iter();
    let strangers = strangers.map(|(path, what)| format!("{}: {what}", shown(path)));
    let unread = survey.unread.iter().map(ToString::to_string);
    for message in strangers.chain(unread) {
        warn(py, message)?;
    }
    native.extend(survey.bases.into_iter().map(NativeSource::Path));
    Ok(())
}

impl NativeSource {
    /// Adds the source to a conversion.
    pub(crate) fn add_to<'a>(
        &'a self,
        converter: Converter<'a>,
        options: &OpenOptions,
    ) -> Converter<'a> {
        match self {
            NativeSource::Open(db, None) => converter.add_database(db),
            NativeSource::Open(db, Some(selection)) => {
                converter.add_selected(db, selection.clone())
            }
            NativeSource::Path(path) => converter.add_path(path, options.clone()),
            NativeSource::Held(games) => converter.add_store(games.as_ref(), None),
        }
    }
}
