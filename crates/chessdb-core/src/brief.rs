//! What an index knows of a game's head, so that a search leaves games out without reading their heads.

use crate::{Date, Eco, Outcome, Rating, TextId};

/// What is known of a head without reading it: what stands in an index of fixed entries. Each value that is
/// known is the one that [`crate::GameStore::head_into`] puts into the head; of others nothing is said.
///
/// ```
/// use chessdb_core::{Brief, Outcome};
///
/// let brief = Brief { outcome: Some(Outcome::Draw), ..Brief::default() };
/// assert_eq!(brief.white, None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Brief {
    /// The name of White, among the texts of [`crate::GameStore::base`]; [`TextId::NONE`] if the head has none.
    pub white: Option<TextId>,
    /// The name of Black, in the same way.
    pub black: Option<TextId>,
    /// The event, in the same way.
    pub event: Option<TextId>,
    /// The site, in the same way.
    pub site: Option<TextId>,
    /// The round, in the same way.
    pub round: Option<TextId>,
    /// The result.
    pub outcome: Option<Outcome>,
    /// The ECO code, or that there is none.
    pub eco: Option<Option<Eco>>,
    /// The date.
    pub date: Option<Date>,
    /// White's rating and Black's, or that there is none.
    pub ratings: [Option<Option<Rating>>; 2],
}

bitflags::bitflags! {
    /// What of a [`Brief`] is asked for. The rest may be left out, which is quicker: an index is asked of every game.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct BriefParts: u8 {
        /// The names of White and Black.
        const PLAYERS = 1;
        /// Event, site and round.
        const EVENT = 2;
        /// Result and ECO code.
        const RESULT = 4;
        /// The date.
        const DATE = 8;
        /// Both ratings.
        const RATINGS = 16;
    }
}
