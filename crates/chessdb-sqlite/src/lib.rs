#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Adds what writing needs to the description of a format, in builds that write.
#[cfg(feature = "write")]
macro_rules! with_writing {
    ($format:expr) => {
        super::write::with_writing($format)
    };
}
#[cfg(not(feature = "write"))]
macro_rules! with_writing {
    ($format:expr) => {
        $format
    };
}

pub mod encroissant;
mod extras;
pub mod file;
mod info;
#[cfg(feature = "jose")]
pub mod jose;
pub mod lucaschess;
mod moves;
pub mod ocgdb;
mod row_format;
mod row_store;
mod rows;
mod tags;
mod unused;
mod wide;
#[cfg(feature = "write")]
pub mod write;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use encroissant::EN_CROISSANT;
#[cfg(feature = "jose")]
pub use jose::JOSE;
pub use lucaschess::LUCAS_CHESS;
pub use ocgdb::OCGDB;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[
    &EN_CROISSANT,
    &LUCAS_CHESS,
    &OCGDB,
    #[cfg(feature = "jose")]
    &JOSE,
];
