//! What an index knows of heads, so that a search leaves games out without reading them.

use crate::{Date, Eco, Outcome, TextId};

/// What is known of the heads of 64 games without reading them: what stands in an index of fixed entries, column by
/// column, so that a question goes through one of them at once and answers by a bit for each game. Each value is the one that
/// [`crate::GameStore::header_into`] puts into the head, unless it is open.
///
/// ```
/// use chessdb_core::{HeaderColumns, Date};
///
/// let mut header_columns = HeaderColumns::default();
/// header_columns.dates[3] = Date::new(2000, 0, 0);
/// header_columns.open_dates = 1 << 3;
/// assert_eq!(header_columns.open(), 8);
/// header_columns.close(8);
/// assert_eq!(header_columns.open(), 0);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderColumns {
    /// The names of White, among the texts of [`crate::GameStore::base`]; [`TextId::NONE`] if the head has none.
    pub whites: [TextId; HeaderColumns::GAMES],
    /// The names of Black, in the same way.
    pub blacks: [TextId; HeaderColumns::GAMES],
    /// The events, in the same way.
    pub events: [TextId; HeaderColumns::GAMES],
    /// The sites, in the same way.
    pub sites: [TextId; HeaderColumns::GAMES],
    /// The rounds, in the same way.
    pub rounds: [TextId; HeaderColumns::GAMES],
    /// The results.
    pub outcomes: [Outcome; HeaderColumns::GAMES],
    /// The ECO codes.
    pub ecos: [Option<Eco>; HeaderColumns::GAMES],
    /// The dates.
    pub dates: [Date; HeaderColumns::GAMES],
    /// White's ratings in points, and Black's; 0 where there is none.
    pub ratings: [[u16; HeaderColumns::GAMES]; 2],
    /// The lines of moves that the games begin with ([`crate::Signature::opening`]); 0 where there is no signature.
    pub openings: [u8; HeaderColumns::GAMES],
    /// The games whose date is open, one bit for each: where a part of it is unknown, the head may have one that is greater
    /// than [`HeaderColumns::MOST_YEAR`], or than any month or day. The other parts are right.
    pub open_dates: u64,
    /// The same of ratings: of White's or Black's that is not there, nothing is known.
    pub open_ratings: [u64; 2],
}

impl HeaderColumns {
    /// So many games at once.
    pub const GAMES: usize = 64;
    /// The last year that every index has room for.
    pub const MOST_YEAR: u16 = 2047;

    /// The games of which something is open.
    pub fn open(&self) -> u64 {
        let [white, black] = self.open_ratings;
        self.open_dates | white | black
    }

    /// Of these games nothing is open any more: it is as it stands here.
    pub fn close(&mut self, games: u64) {
        self.open_dates &= !games;
        for open in &mut self.open_ratings {
            *open &= !games;
        }
    }
}

impl Default for HeaderColumns {
    fn default() -> HeaderColumns {
        HeaderColumns {
            whites: [TextId::NONE; HeaderColumns::GAMES],
            blacks: [TextId::NONE; HeaderColumns::GAMES],
            events: [TextId::NONE; HeaderColumns::GAMES],
            sites: [TextId::NONE; HeaderColumns::GAMES],
            rounds: [TextId::NONE; HeaderColumns::GAMES],
            outcomes: [Outcome::Unknown; HeaderColumns::GAMES],
            ecos: [None; HeaderColumns::GAMES],
            dates: [Date::UNKNOWN; HeaderColumns::GAMES],
            ratings: [[0; HeaderColumns::GAMES]; 2],
            openings: [0; HeaderColumns::GAMES],
            open_dates: 0,
            open_ratings: [0; 2],
        }
    }
}

bitflags::bitflags! {
    /// Columns of [`HeaderColumns`]. Those that are not asked for stay as they are, which is quicker: an index is asked of
    /// every game.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct HeaderColumnSet: u8 {
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
        /// The opening.
        const OPENING = 32;
    }
}
