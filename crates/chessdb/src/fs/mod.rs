//! Bases by path: finding their files, reading them, and replacing them safely.
//!
//! A path may be any file of a base, the name that its files share (the stem), or a folder that
//! holds one base. Names are found in any case, so `BASE.SI4` may lie beside `base.sg4`.
//!
//! [`crate::Database::open`] and [`crate::create`] are what most programs need; here are the steps
//! between a path and a base for those that want to look closer, and the places that new bases are
//! written to.

mod commit;
mod folder;
mod journal;
mod lock;
mod open;
mod read;
mod recover;
mod sink;

pub(crate) use crate::error::{Error as PathError, Problem};

pub use crate::names::suffix_format;
pub use folder::bases_in;
pub use open::{find, find_as, stdin};
pub use read::Found;
pub use recover::{Ending, Recovery, recover};
pub use sink::{DirSink, create};
