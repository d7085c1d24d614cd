#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod choices;
pub mod error;
pub mod files;
#[cfg(feature = "fs")]
pub mod filesystem;
pub mod format_hint;
pub mod names;
pub mod packed;
pub mod paths;
#[cfg(feature = "fs")]
pub mod recovery;
pub mod report;
pub mod sinks;
#[cfg(feature = "fs")]
pub mod snapshot;
