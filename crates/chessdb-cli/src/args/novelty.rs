//! Arguments of `novelty`.

use super::ScanOptions;

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb novelty [OPTIONS] <DATABASE> [GAMES] [QUERY]",
    after_long_help = "\
The games are those of DATABASE selected by -n or QUERY, or those of GAMES,
another database or - (stdin), with -n and QUERY. A game with the same players,
date and moves does not count as another game. Query syntax: chessdb help query

  chessdb novelty games.si4 -n 17
  chessdb novelty games.si4 my.pgn player:Smith --earlier
  chessdb novelty games.si4 - < game.pgn",
    mut_arg("words", |words| {
        let words = words.required(true).value_name("DATABASE|GAMES|QUERY");
        words.help("The database to compare with, the games, then a query")
    })
)]
pub(crate) struct Novelty {
    /// Compare each game only with older games
    #[arg(long)]
    pub(crate) earlier: bool,
    /// Number of moves to list
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: u16,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV: a row for each game
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) scan_options: ScanOptions,
}
