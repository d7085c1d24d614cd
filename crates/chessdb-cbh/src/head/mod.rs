//! From a record of the index, and the tables that it names, to the head of a game.

mod nations;
mod read;
mod tags;

pub(crate) use read::{Sources, read_head};
