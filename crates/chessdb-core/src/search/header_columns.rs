//! Header values from an index, by column, for searches that skip games without reading them.

use crate::model::Eco;
use crate::text::TextId;
use crate::{Date, Outcome};

/// The header values of 64 games that an index of fixed entries contains, column by column.
///
/// A query checks one column for all games at once; the result is one bit per game. Each value is
/// the one that [`crate::GameStore::header_into`] puts into the header, unless it is open.
///
/// ```
/// use chessdb_core::Date;
/// use chessdb_core::search::HeaderColumns;
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
    /// The names of White, as text ids of [`crate::GameStore::base`]; [`TextId::NONE`] if the
    /// header has none.
    pub whites: [TextId; HeaderColumns::GAMES],
    /// The names of Black, in the same form.
    pub blacks: [TextId; HeaderColumns::GAMES],
    /// The events, in the same form.
    pub events: [TextId; HeaderColumns::GAMES],
    /// The sites, in the same form.
    pub sites: [TextId; HeaderColumns::GAMES],
    /// The rounds, in the same form.
    pub rounds: [TextId; HeaderColumns::GAMES],
    /// The results.
    pub outcomes: [Outcome; HeaderColumns::GAMES],
    /// The ECO codes.
    pub ecos: [Option<Eco>; HeaderColumns::GAMES],
    /// The dates.
    pub dates: [Date; HeaderColumns::GAMES],
    /// The rating points of White and of Black; 0 for none.
    pub ratings: [[u16; HeaderColumns::GAMES]; 2],
    /// The opening lines of the games ([`crate::search::Signature::opening`]); 0 without a
    /// signature.
    pub openings: [u8; HeaderColumns::GAMES],
    /// The games with an open date, one bit each: if a part of it is unknown here, the header may
    /// contain a value beyond [`HeaderColumns::MOST_YEAR`] or beyond any month or day, and without a
    /// year the date may be that of another tag ([`crate::Game::effective_date`]). The other parts
    /// are correct.
    pub open_dates: u64,
    /// The games with an open rating, of White and of Black: a missing rating means that it is
    /// unknown.
    pub open_ratings: [u64; 2],
    /// The games with headers that the columns describe completely, one bit each: nothing is open,
    /// and there is no other name or tag, such as an annotator.
    pub complete: u64,
}

impl HeaderColumns {
    /// The number of games per block.
    pub const GAMES: usize = 64;
    /// The last year that every index can store.
    pub const MOST_YEAR: u16 = 2047;

    /// Returns the games with any open value.
    pub fn open(&self) -> u64 {
        let [white, black] = self.open_ratings;
        self.open_dates | white | black
    }

    /// Marks these games as described completely.
    pub fn close(&mut self, games: u64) {
        self.complete |= games;
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
            complete: 0,
        }
    }
}

bitflags::bitflags! {
    /// A set of columns of [`HeaderColumns`]. Columns that are not requested are left unchanged,
    /// which saves time because the index is read for every game.
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
