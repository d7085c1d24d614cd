#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "book")]
pub mod books;
pub mod choices;
pub mod error;
pub mod files;
pub mod filesystem;
pub mod format_hint;
pub mod names;
pub mod packed;
pub mod paths;
pub mod recovery;
pub mod report;
pub mod sinks;
pub mod snapshot;
#[cfg_attr(not(unix), path = "system_other.rs")]
mod system;
#[cfg_attr(target_family = "wasm", path = "temporary_memory.rs")]
pub mod temporary;
