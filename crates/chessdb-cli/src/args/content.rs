//! Arguments that select which parts of each game are written.

use chessdb::core::model::Parts;

/// The parts of each game to leave out, and the line width.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct ContentOptions {
    /// Omit comments
    #[arg(short = 'C', long, hide_short_help = true)]
    pub(crate) no_comments: bool,
    /// Omit variations
    #[arg(short = 'V', long, hide_short_help = true)]
    pub(crate) no_variations: bool,
    /// Omit NAGs, such as ! and ?
    #[arg(short = 'N', long, hide_short_help = true)]
    pub(crate) no_nags: bool,
    /// Omit clocks, evaluations and arrows
    #[arg(long, hide_short_help = true)]
    pub(crate) no_clocks: bool,
    /// Omit evaluations only
    #[arg(long, hide_short_help = true)]
    pub(crate) no_evals: bool,
    /// Only the seven standard PGN tags and the start position
    #[arg(short = '7', long, hide_short_help = true)]
    pub(crate) seven_tags: bool,
    /// Line width of PGN; 0: all moves of a game on one line
    #[arg(short = 'w', long, value_name = "N", hide_short_help = true)]
    pub(crate) width: Option<u16>,
}

impl ContentOptions {
    /// Returns the parts of the moves to leave out.
    pub(crate) fn parts(self) -> Parts {
        let chosen = [
            (self.no_comments, Parts::COMMENTS),
            (self.no_variations, Parts::VARIATIONS),
            (self.no_nags, Parts::NAGS),
            (self.no_clocks, Parts::COMMANDS),
            (self.no_evals, Parts::EVALS),
        ];
        let chosen = chosen.into_iter().filter(|(is_chosen, _)| *is_chosen);
        chosen.map(|(_, part)| part).collect()
    }

    /// Returns whether games are written unchanged.
    pub(crate) fn is_nothing(self) -> bool {
        self.parts().is_empty() && !self.seven_tags
    }
}

/// The parts of each game that become separate games.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct PartOptions {
    /// Write a game for each variation, the mainline first
    #[arg(long, visible_alias = "splitvariants", hide_short_help = true)]
    pub(crate) split_variations: bool,
    /// Write each game from move N on, with its position there
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) from_move: Option<u16>,
}
