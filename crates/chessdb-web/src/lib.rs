#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Not `forbid`: the macros of wasm-bindgen generate unsafe code in `bindings`. There is no other.
#![deny(unsafe_code)]

mod added_files;
#[cfg(target_arch = "wasm32")]
mod bindings;
mod description;
mod failure;
mod findings;
#[cfg(feature = "page")]
mod page;
mod read_games;
mod reading_session;
mod tokens;

#[cfg(feature = "page")]
pub use page::{DatabaseSource, OfferedDatabase, Receiver, Session};
pub use reading_session::ReadingSession;
