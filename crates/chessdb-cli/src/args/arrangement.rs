//! Arguments that select the order, number and columns of printed games.

use std::hash::{BuildHasher, RandomState};

use chessdb::query::order::Order;
use chessdb::query::sample::Sample;

use crate::columns::ListColumns;
use crate::exit::note;

/// The order and number of games.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Arrangement {
    /// Sort as `sort --by`, such as -date,event
    #[arg(long, value_name = "KEY,...", value_parser = order, allow_hyphen_values = true)]
    pub(crate) sort: Option<Order>,
    /// N random games, before sorting; see --seed
    #[arg(long, alias = "random", value_name = "N", hide_short_help = true)]
    pub(crate) sample: Option<u32>,
    /// Choose the same random games again [default: a new number]
    #[arg(long, value_name = "N", requires = "sample", hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// At most N games, after sorting
    #[arg(short = 'm', long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

impl Arrangement {
    /// Returns whether all games are chosen, in their order.
    pub(crate) fn is_nothing(&self) -> bool {
        self.sort.is_none() && self.limit.is_none() && self.sample.is_none()
    }

    /// Returns an empty sample, if one is wanted. A seed that was not given is reported.
    pub(crate) fn new_sample<T>(&self) -> Option<Sample<T>> {
        let size = self.sample?;
        let seed = self.seed.unwrap_or_else(|| {
            // A hasher of the standard library has random keys.
            let seed = RandomState::new().hash_one(()) % 1_000_000;
            note(format_args!(
                "chessdb: for the same games again: --seed {seed}"
            ));
            seed
        });
        Some(Sample::new(size, seed))
    }
}

/// The columns of a list of games, or the request to name them.
#[derive(Clone, Debug)]
pub(crate) enum ColumnChoice {
    Help,
    These(ListColumns),
}

/// Parses names of columns separated by commas.
pub(super) fn columns(text: &str) -> Result<ColumnChoice, String> {
    if text.eq_ignore_ascii_case("help") {
        Ok(ColumnChoice::Help)
    } else {
        text.parse().map(ColumnChoice::These)
    }
}

pub(super) fn order(text: &str) -> Result<Order, String> {
    text.parse()
        .map_err(|error: chessdb::query::QueryError| error.message().to_owned())
}
