//! The command `book`: opening books.

mod convert;
mod info;
mod load;
mod make;
mod merge;
mod moves;

pub(super) use info::{summary, text as info_text, value as info_json};
pub(super) use load::BookFile;
pub(super) use moves::MovesInBook;

use crate::args::BookCommand;
use crate::exit::Outcome;

pub(super) fn run(command: BookCommand) -> Outcome {
    match command {
        BookCommand::Info(args) => info::run(&args),
        BookCommand::Ls(args) => moves::ls(&args),
        BookCommand::Show(args) => moves::show(&args),
        BookCommand::Convert(args) => convert::run(&args),
        BookCommand::Make(args) => make::run(args),
        BookCommand::Merge(args) => merge::run(&args),
    }
}
