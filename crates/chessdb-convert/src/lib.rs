#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod convert;
pub mod diff;
#[cfg(feature = "arrow")]
mod parts;

pub use convert::{Converter, OnError};
