//! Arguments of the commands that look after databases: damage, differences, bytes.

use std::path::PathBuf;

use chessdb::Format;
use chessdb::diff::Matching;
use clap::ValueEnum;

use super::{Encoding, Jobs, Reading, encoding, format};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every game is read and every file compared with the others. The exit code is 1 if anything is
wrong; notes alone, oddities that cost nothing, leave it 0.

Example: chessdb check games.si4 && echo sound")]
pub(crate) struct Check {
    /// The databases
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not print notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print every finding, not the first five of each kind
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// [`Matching`] as an argument.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatchArg {
    /// The first game with the first, and so on
    Order,
    /// Games that are alike
    Content,
}

impl From<MatchArg> for Matching {
    fn from(arg: MatchArg) -> Matching {
        match arg {
            MatchArg::Order => Matching::Order,
            MatchArg::Content => Matching::Content,
        }
    }
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Heads, moves, variations, comments, NAGs and clocks are compared, and what the databases say of
themselves: all that a conversion of A into B would have to report as lost. The output is that of
diff -u, with the games as PGN. The exit code is 0 if A and B are equal, 1 if they are not or not all
of them can be read.

Example: chessdb convert old.cbf new.si5 && chessdb diff old.cbf new.si5")]
pub(crate) struct Diff {
    /// A database, or a folder or archive of several
    pub(crate) a: PathBuf,
    /// Another one; of two folders those databases are compared whose names differ in their suffix at most
    pub(crate) b: PathBuf,
    /// Compare games in their order, or those whose content is alike [default: in their order if
    /// there are as many in A as in B]
    #[arg(
        long = "match",
        value_enum,
        value_name = "order|content",
        hide_possible_values = true
    )]
    pub(crate) matching: Option<MatchArg>,
    /// Lines to print around each change
    #[arg(short = 'U', long, value_name = "N", default_value = "3")]
    pub(crate) context: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Files that are missing are rebuilt where the others allow it, and bytes that no index leads to are
searched for games; each game comes once, in the order of the source as far as it is known. The exit
code is 0 if every game was found exactly, 1 if anything is missing or not sure, 3 if there is none.

Example: chessdb salvage broken.si4 rescued.si4 --report rescued.tsv")]
pub(crate) struct Salvage {
    /// The damaged database: any of its files that is left
    pub(crate) base: PathBuf,
    /// What to write; - is standard output
    pub(crate) out: PathBuf,
    /// Format to write [default: by the suffix of OUT]
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) to: Option<&'static Format>,
    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Charset to write, where the format takes any [default: auto]
    #[arg(long, value_name = "CHARSET", value_parser = encoding)]
    pub(crate) to_encoding: Option<Encoding>,
    /// Write how each game was found, and which bytes gave none, to this file, tab-separated; - is
    /// standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print the summary as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither progress nor summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each line has an offset, a mark, up to sixteen bytes, the same as text, and what they are. Marks:
none known, ? not understood, - left over, * no structure refers to it. Every byte of every file is
there once. If chessdb misreads a database of yours, this map and what the database should say are
what we need.

Example: chessdb dump old.d00 > map.txt")]
pub(crate) struct Dump {
    /// The databases
    #[arg(required = true, value_name = "BASE")]
    pub(crate) bases: Vec<PathBuf>,
    /// Print the bytes of the files, in hexadecimal; the only kind of dump, so it may be left out
    #[arg(long)]
    pub(crate) raw: bool,
    /// Take the input for this format instead of judging its content
    #[arg(short, long, value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) from: Option<&'static Format>,
}
