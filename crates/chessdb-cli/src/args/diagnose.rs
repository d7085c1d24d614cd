//! Arguments of the commands that check, compare, recover and dump databases.

use std::path::PathBuf;

use chessdb::Format;
use chessdb::diff::Matching;

use super::parse::one_of;
use super::{Encoding, InputOptions, Jobs, encoding, format};

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Reads every game and cross-checks all files. The exit code is 1 if anything is
wrong; notes (findings without data loss) do not count.

Example: chessdb check games.si4 && echo ok")]
pub(crate) struct Check {
    /// The databases
    #[arg(value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not print notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print every finding, not only the first five of each kind
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// The ways of pairing games.
const MATCHINGS: &[(&str, &str, Matching)] = &[
    (
        "order",
        "The first game with the first, and so on",
        Matching::Order,
    ),
    (
        "content",
        "Equal games wherever they are, then similar ones",
        Matching::Content,
    ),
];

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Compares headers, moves, variations, comments, NAGs, clocks and the databases'
metadata: everything that converting A to B could lose. The output is like that
of diff -u, with the games as PGN. The exit code is 0 if A and B are equal, 1 if
they differ or are partly unreadable; with --only-in, 0 if no game is only there.

  chessdb convert old.cbf new.si5 && chessdb diff old.cbf new.si5
  chessdb diff mine.pgn mega.si4 --only-in mine.pgn -o missing.pgn")]
pub(crate) struct Diff {
    /// A database, or a folder or archive with several
    pub(crate) a: PathBuf,
    /// Another one; databases in two folders are paired by name, ignoring extensions
    pub(crate) b: PathBuf,
    /// Pair games by order or by content [default: content]
    #[arg(
        long = "match",
        value_parser = one_of(MATCHINGS),
        value_name = "order|content",
        hide_possible_values = true
    )]
    pub(crate) matching: Option<Matching>,
    /// List only the games that the other lacks
    #[arg(long, value_name = "A|B", conflicts_with = "matching")]
    pub(crate) only_in: Option<PathBuf>,
    /// Write these games to a database
    #[arg(short, long, value_name = "OUT", requires = "only_in")]
    pub(crate) output: Option<PathBuf>,
    /// Format to write [default: by extension of OUT]
    #[arg(short, long, requires = "output", hide_short_help = true, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) to: Option<&'static Format>,
    /// Replace OUT if it exists
    #[arg(long, requires = "output", hide_short_help = true)]
    pub(crate) force: bool,
    /// Context lines around each change
    #[arg(short = 'U', long, value_name = "N", default_value = "3")]
    pub(crate) context: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Rebuilds missing files from the others where possible, and searches unindexed
bytes for games. Each game is written once, in source order as far as it is
known. The exit code is 0 if every game was recovered exactly, 1 if anything is
missing or uncertain, 3 if no game was found.

Example: chessdb salvage broken.si4 rescued.si4 --report rescued.tsv")]
pub(crate) struct Salvage {
    /// The damaged database: any file that is left of it
    pub(crate) base: PathBuf,
    /// The output; - is standard output
    pub(crate) out: PathBuf,
    /// Format to write [default: by extension of OUT]
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) to: Option<&'static Format>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Encoding to write if the format has a choice [default: auto]
    #[arg(long, hide_short_help = true, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) to_encoding: Option<Encoding>,
    /// Write how each game was found, and which bytes gave none, to this TSV file; - is standard
    /// output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print the summary as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Each line has an offset, a mark, up to 16 bytes in hexadecimal and as text, and
their meaning. Every byte of every file appears exactly once. Marks: none if the
byte is known, ? not understood, - left over, * unreferenced. If chessdb
misreads a database of yours, please send us this map and what the database
should contain.

Example: chessdb dump old.d00 > map.txt")]
pub(crate) struct Dump {
    /// The databases
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Dump the bytes in hexadecimal (the only kind of dump, so optional)
    #[arg(long)]
    pub(crate) raw: bool,
    /// Treat input as this format; do not detect
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) from: Option<&'static Format>,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
The report has the sizes of the files, the bytes of their headers with letters
masked, the number of records and annotations of each kind, and the faults with
their places. It has no names, texts or moves of the database, nor its file
name, so that you can send it to us if chessdb misreads the database.

Example: chessdb report games.2cbh > report.txt")]
pub(crate) struct StructureReport {
    /// The databases
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
