//! Conversion between the body of a game and its moves (docs/formats/dcx.md, sections 5.2 to 5.7,
//! 12 and 14).
//!
//! Squares alone do not show whether a move castles or captures en passant, so decoding follows a
//! position: [`boards`] with the rules of chess, [`pieces`] without them.

mod boards;
mod decode;
mod encode;
mod pieces;
mod position;
mod promotions;

pub(crate) use boards::Boards;
pub(crate) use decode::{GameBody, decode};
pub(crate) use encode::MoveEncoder;
pub(crate) use pieces::Pieces;
pub(crate) use position::Position;
pub use promotions::Promotions;
pub(crate) use promotions::{PromotionEvidence, PromotionSurvey, SETTING};
