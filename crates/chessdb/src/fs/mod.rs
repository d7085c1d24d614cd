//! Bases by path: finding their files, reading them, and replacing them safely.
//!
//! A path may be any file of a base, the name that its files share (the stem), or a folder that
//! holds one base. Names are found in any case, so `BASE.SI4` may lie beside `base.sg4`.

#[cfg(feature = "archives")]
mod archive;
mod commit;
mod error;
mod journal;
mod locate;
mod lock;
mod names;
mod open;
mod read;
mod recover;
mod sink;
mod stream;
mod unpack;

pub use error::{PathError, Problem};
pub use locate::{bases_in, suffix_format};
pub use open::{find, find_as, open, stdin};
pub use read::{Base, Found, Progress};
pub use recover::{Ending, Recovery, recover};
pub use sink::{DirSink, create};
pub use stream::{SpoolSink, StreamSink};
