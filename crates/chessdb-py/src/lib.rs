//! The extension module `chessdb._chessdb`: databases, games and tables for the Python package in
//! `python/`.
//!
//! Doc comments of classes and methods are shown by `help()`. Unsafe code is denied, not forbidden,
//! because the macros of pyo3 need it.
#![deny(unsafe_code)]

mod analysis;
mod args;
mod arrays;
mod choice;
mod convert;
mod crosstables;
mod database;
mod edit;
mod errors;
mod events;
mod game;
mod games;
mod hints;
mod iterate;
mod metadata;
mod nodes;
mod opening;
mod progress;
mod report;
mod row;
mod sources;
mod stream;
mod trees;
mod writer;

use pyo3::prelude::*;

#[pymodule]
fn _chessdb(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<database::Database>()?;
    module.add_class::<database::Position>()?;
    module.add_class::<database::Tree>()?;
    module.add_class::<edit::Edit>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<games::Games>()?;
    module.add_class::<edit::in_place::RecordedChange>()?;
    module.add_class::<iterate::GameIterator>()?;
    module.add_class::<nodes::Node>()?;
    module.add_class::<nodes::NodeIterator>()?;
    module.add_class::<metadata::Diagnostic>()?;
    module.add_class::<metadata::Format>()?;
    module.add_class::<metadata::Info>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<report::Loss>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<stream::Schema>()?;
    module.add_class::<writer::Writer>()?;
    module.add_function(wrap_pyfunction!(database::open, module)?)?;
    module.add_function(wrap_pyfunction!(opening::open_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(opening::open_part, module)?)?;
    module.add_function(wrap_pyfunction!(opening::frames, module)?)?;
    module.add_function(wrap_pyfunction!(opening::read, module)?)?;
    module.add_function(wrap_pyfunction!(opening::check, module)?)?;
    module.add_function(wrap_pyfunction!(opening::survey, module)?)?;
    module.add_function(wrap_pyfunction!(opening::group, module)?)?;
    module.add_function(wrap_pyfunction!(convert::convert, module)?)?;
    module.add_function(wrap_pyfunction!(convert::index, module)?)?;
    module.add_function(wrap_pyfunction!(crosstables::crosstables, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::diff, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::duplicates, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::file_name, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::group_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::novelty, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::salvage, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::stats, module)?)?;
    module.add_function(wrap_pyfunction!(trees::from_move, module)?)?;
    module.add_function(wrap_pyfunction!(trees::lines, module)?)?;
    module.add_function(wrap_pyfunction!(trees::make_book, module)?)?;
    module.add_function(wrap_pyfunction!(trees::merge_books, module)?)?;
    module.add_function(wrap_pyfunction!(trees::one_game, module)?)?;
    module.add_function(wrap_pyfunction!(trees::repertoire, module)?)?;
    module.add_function(wrap_pyfunction!(edit::in_place::changes, module)?)?;
    module.add_function(wrap_pyfunction!(edit::in_place::undo, module)?)?;
    module.add_function(wrap_pyfunction!(writer::create, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stream, module)?)?;
    module.add_function(wrap_pyfunction!(stream::broken_stream, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::polyglot_key, module)?)?;
    module.add_function(wrap_pyfunction!(metadata::formats, module)?)?;
    module.add_function(wrap_pyfunction!(row::row_fields, module)?)?;
    module.add_function(wrap_pyfunction!(panic, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

/// Panics, so that tests can check that this raises an exception and does not end the interpreter.
#[pyfunction]
#[expect(clippy::panic, reason = "the purpose of the function")]
fn panic() {
    panic!("on purpose");
}
