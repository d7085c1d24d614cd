//! Questions about a [`Board`](crate::Board): attacks, legality, SAN.
//!
//! The board asks no rules, the functions here do. They answer for every board. Where a colour has
//! no king, or several, no rule about check applies to it: nothing is check, and every
//! pseudo-legal move is legal.
//!
//! Only `shak.rs` knows the shakmaty package; its attack tables serve us as they are, because
//! turning the board on its a1-h8 diagonal (our squares are counted file by file, shakmaty's rank
//! by rank) maps the moves of all pieces but pawns onto themselves.

mod attacks;
mod legal;
mod referee;
mod san_read;
mod san_signs;
mod san_write;
mod shak;

pub(crate) use attacks::between;
pub use attacks::{attackers_to, attacks_from, in_check};
pub use legal::{has_ep_capture, has_legal_move, is_legal, is_pseudo_legal, legal_moves};
pub use referee::{PlainMove, Referee};
pub use san_read::{SanFault, read_san};
pub use san_signs::move_sign;
pub use san_write::{ShortSan, write_san};
pub use shak::{InvalidPosition, Position, is_valid_position};
