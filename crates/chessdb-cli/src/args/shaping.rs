//! The arguments that say what of each game is written.

use chessdb::core::Parts;

/// What of each game is left out, and how lines are broken. The help has a line for all of it.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(crate) struct Shaping {
    /// No comments; -V variations, -N NAGs, -7 further tags; -w N: width
    #[arg(short = 'C', long)]
    pub(crate) no_comments: bool,
    /// Leave out variations
    #[arg(short = 'V', long, hide = true)]
    pub(crate) no_variations: bool,
    /// Leave out NAGs: ! and ? and the like
    #[arg(short = 'N', long, hide = true)]
    pub(crate) no_nags: bool,
    /// Leave out clocks, evaluations and arrows
    #[arg(long, hide = true)]
    pub(crate) no_clocks: bool,
    /// Only the seven tags that PGN always has, and a start position
    #[arg(short = '7', long, hide = true)]
    pub(crate) seven_tags: bool,
    /// Characters in a line of PGN; 0: each game's moves in one
    #[arg(short = 'w', long, value_name = "N", hide = true)]
    pub(crate) width: Option<u16>,
}

impl Shaping {
    /// What is left out of the moves.
    pub(crate) fn parts(self) -> Parts {
        let chosen = [
            (self.no_comments, Parts::COMMENTS),
            (self.no_variations, Parts::VARIATIONS),
            (self.no_nags, Parts::NAGS),
            (self.no_clocks, Parts::COMMANDS),
        ];
        let chosen = chosen.into_iter().filter(|(is_chosen, _)| *is_chosen);
        chosen.map(|(_, part)| part).collect()
    }

    /// Whether a game stays as it is.
    pub(crate) fn is_nothing(self) -> bool {
        self.parts().is_empty() && !self.seven_tags
    }
}
