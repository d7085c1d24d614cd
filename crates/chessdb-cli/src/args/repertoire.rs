//! Arguments of `repertoire`.

use super::ScanOptions;

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb repertoire [OPTIONS] <REPERTOIRE> <DATABASE>... [QUERY]",
    after_long_help = "\
REPERTOIRE is a database whose games and variations are the lines of one colour.
Without --white or --black its tags decide, or the colour that has a single move
in more positions. A position counts for every order of moves that leads to it.
Gaps are moves of opponents that have no answer in the repertoire.

  chessdb repertoire white.pgn games.si4 elo:2400..
  chessdb repertoire black.pgn mine.pgn --player \"Smith, John\" --since 2024",
    mut_arg("words", |words| {
        let words = words.required(true).value_name("REPERTOIRE|DATABASE|QUERY");
        words.help("The repertoire, the databases to compare with, then a query")
    })
)]
pub(crate) struct RepertoireArgs {
    /// The repertoire is one for White
    #[arg(long, conflicts_with_all = ["black", "color"])]
    pub(crate) white: bool,
    /// The repertoire is one for Black
    #[arg(long, conflicts_with = "color")]
    pub(crate) black: bool,
    /// The colour of the repertoire: white or black
    #[arg(
        long,
        visible_alias = "colour",
        value_name = "COLOR",
        value_parser = ["white", "black"],
        hide_short_help = true
    )]
    pub(crate) color: Option<String>,
    /// Only the games of this player with its colour
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
    /// Only the games from 2024 or 2024-05-01 on
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Leave out moves with fewer games
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) min_games: u64,
    /// Number of entries of each list
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) top: u16,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}
