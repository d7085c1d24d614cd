//! Arguments that select the order, number and columns of printed games.

use chessdb::query::order::Order;

use crate::columns::ListColumns;

/// The order and number of games.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Arrangement {
    /// Sort as `sort --by`, such as -date,event
    #[arg(long, value_name = "KEY,...", value_parser = order, allow_hyphen_values = true)]
    pub(crate) sort: Option<Order>,
    /// At most N games, after sorting
    #[arg(short = 'm', long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

impl Arrangement {
    /// Returns whether the games are neither sorted nor limited.
    pub(crate) fn is_nothing(&self) -> bool {
        self.sort.is_none() && self.limit.is_none()
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
