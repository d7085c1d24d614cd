//! From a path to the bytes of a base.

mod bases;
mod found;
mod path;

pub use bases::bases_in;
pub use found::Found;
pub use path::{find, find_as, stdin};
