#![doc = include_str!("../README.md")]
// Not `forbid`: the macros of wasm-bindgen generate unsafe code in `skin`. There is no other.
#![deny(unsafe_code)]

mod base;
mod encodings;
mod failure;
mod game;
mod query;
mod rows;
mod save;
mod session;
mod shelf;
#[cfg(target_arch = "wasm32")]
mod skin;
mod tasks;
mod texts;

pub use save::Receiver;
pub use session::Session;
pub use shelf::{Shelf, Shelved};
