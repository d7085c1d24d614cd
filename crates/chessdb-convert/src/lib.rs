#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod convert;
pub mod diff;
#[cfg(feature = "arrow")]
mod parts;

pub use convert::{Converter, OnError};
