#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(all(feature = "write", not(target_family = "wasm")))]
mod disk;
pub mod encroissant;
mod extras;
pub mod file;
mod info;
#[cfg(feature = "jose")]
pub mod jose;
pub mod lucaschess;
mod moves;
#[cfg(feature = "write")]
mod numeric;
pub mod ocgdb;
mod rows;
mod tags;
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
