//! Losses of a converted book.

use std::fmt;

macro_rules! book_losses {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        /// A kind of data of a book that a target cannot store.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum BookLoss { $(#[doc = $text] $name,)* }

        impl BookLoss {
            /// All kinds, in a fixed order.
            pub const ALL: &'static [BookLoss] = &[$(BookLoss::$name,)*];

            /// Returns the constant name of the kind, for options and machine-readable output.
            pub const fn code(self) -> &'static str {
                match self { $(BookLoss::$name => $code,)* }
            }

            /// Returns the kind in words.
            pub const fn text(self) -> &'static str {
                match self { $(BookLoss::$name => $text,)* }
            }
        }
    };
}

book_losses! {
    Statistics = "book-statistics", "game counts and results of moves reduced to weights";
    Facts = "book-position", "game counts, ratings and values of positions left out";
    Ratings = "book-ratings", "ratings of positions left out";
    Nag = "nag", "NAGs of moves and positions left out";
    Recommendation = "book-recommendation", "recommendations of moves left out";
    Priority = "book-priority", "priorities of moves reduced to weights";
    Learn = "book-learn", "numbers for learning left out";
    Weight = "book-weight", "weights scaled to 16 bits";
    Deleted = "deleted-flag", "deleted moves that lost their mark and now have weight 0";
    Unreached = "book-unreached", "positions or moves left out because no line leads to them";
    Lines = "book-lines", "lines cut because a game cannot be longer or nest deeper";
}

impl fmt::Display for BookLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The number of losses of each kind.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BookLosses(Vec<(BookLoss, u64)>);

impl BookLosses {
    /// Counts several losses of one kind.
    pub fn add(&mut self, kind: BookLoss, count: u64) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => self.0.push((kind, count)),
        }
    }

    /// Returns whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the count of one kind.
    pub fn count(&self, kind: BookLoss) -> u64 {
        self.iter()
            .find(|(other, _)| *other == kind)
            .map_or(0, |(_, count)| count)
    }

    /// Returns the kinds with their counts, in the order of [`BookLoss::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (BookLoss, u64)> + '_ {
        BookLoss::ALL
            .iter()
            .filter_map(|kind| self.0.iter().find(|(other, _)| other == kind).copied())
    }
}
