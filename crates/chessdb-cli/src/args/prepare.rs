//! Arguments of `prepare`.

use std::path::PathBuf;

use super::ScanOptions;

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb prepare [OPTIONS] <DATABASE> <PLAYER> [QUERY]",
    after_long_help = "\
PLAYER is a whole name, a part of names, or a regular expression between
slashes. QUERY selects among the player's games; they are compared with all
games of DATABASE.
A position counts for every order of moves that leads to it. The score and the
performance are those of the player.

  chessdb prepare games.si4 \"Carlsen, Magnus\" --black
  chessdb prepare games.si4 Tal --since 1960 -o tal.html
  chessdb prepare games.si4 Tal eco:B90-B99 -o tal.pgn",
    mut_arg("words", |words| {
        let words = words.required(true).value_name("DATABASE|PLAYER|QUERY");
        words.help("The database, the player, then a query")
    })
)]
pub(crate) struct Prepare {
    /// Only the games with White
    #[arg(long, conflicts_with = "black")]
    pub(crate) white: bool,
    /// Only the games with Black
    #[arg(long)]
    pub(crate) black: bool,
    /// Only the games from this year on
    #[arg(long, value_name = "YEAR")]
    pub(crate) since: Option<u16>,
    /// Write an .html, .pgn or .md file instead of printing Markdown
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the output file
    #[arg(long, hide_short_help = true)]
    pub(crate) force: bool,
    /// Leave out positions with fewer games [default: 2 % of the games with a colour]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) least: Option<u64>,
    /// Number of positions to show for each colour
    #[arg(long, hide_short_help = true, value_name = "N", default_value = "20")]
    pub(crate) positions: u16,
    /// Number of deviations, new moves and wins to list
    #[arg(long, hide_short_help = true, value_name = "N", default_value = "10")]
    pub(crate) top: u16,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}
