//! Rules of chess for a [`Board`](crate::Board): attacks, legality, SAN.
//!
//! The board itself does not check rules; the functions of this module do. They work for every
//! board. If a colour has no king or several, no rule about check applies to it: it is never in
//! check, and all its pseudo-legal moves are legal.
//!
//! Only `shak.rs` uses the shakmaty package. Its attack tables work unchanged although our squares
//! are counted file by file and shakmaty's rank by rank: mirroring the board on its a1-h8 diagonal
//! maps the moves of all pieces except pawns onto themselves.

mod attacks;
mod legal;
mod ordered;
mod polyglot;
mod referee;
mod san_read;
mod san_signs;
mod san_write;
mod shak;

pub(crate) use attacks::between;
pub use attacks::{attackers_to, attacks_from, in_check};
pub use legal::{has_ep_capture, has_legal_move, is_legal, is_pseudo_legal, legal_moves};
pub use ordered::{move_at_place, place_of_move};
pub use referee::{PlainMove, Referee};
pub use san_read::{SanFault, read_san};
pub use san_signs::move_sign;
pub use san_write::{ShortSan, san, write_san};
pub use shak::{InvalidPosition, Position, is_playable_position, is_valid_position};
