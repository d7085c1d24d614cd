//! The words and games of a command that takes databases and a query.

use std::path::PathBuf;

use super::{Command, GameChoice};

/// How a command uses the databases among its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordUse {
    /// Reads them; a query may follow.
    Read,
    /// Reads all except the last one, which it writes.
    Write,
    /// As [`WordUse::Write`], but changes the only one in place.
    WriteOrChange,
    /// Changes them in place.
    Change,
}

impl Command {
    /// Returns the words and the choice of games of a command that takes databases and a query, and
    /// how it uses them.
    pub(crate) fn selection(&mut self) -> Option<(&mut Vec<PathBuf>, &mut GameChoice, WordUse)> {
        use WordUse::{Change, Read, Write, WriteOrChange};
        Some(match self {
            Command::Ls(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Find(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Tree(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Stats(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Novelty(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Cat(args) => (&mut args.words, &mut args.scan_options.choice, Read),
            Command::Show(args) => (&mut args.words, &mut args.choice, Read),
            Command::Names(args) => {
                let is_list = args.apply.is_none() && args.rename.is_empty();
                let word_use = if is_list { Read } else { WriteOrChange };
                (&mut args.words, &mut args.output_options.choice, word_use)
            }
            Command::Split(args) => (&mut args.words, &mut args.output_options.choice, Read),
            Command::Convert(args) => (&mut args.words, &mut args.output_options.choice, Write),
            Command::Sort(args) => (&mut args.words, &mut args.output_options.choice, Write),
            Command::Merge(args) => (&mut args.words, &mut args.output_options.choice, Write),
            Command::Dedupe(args) => (&mut args.words, &mut args.output_options.choice, Write),
            Command::Eco(args) => (
                &mut args.words,
                &mut args.output_options.choice,
                WriteOrChange,
            ),
            Command::Tag(args) => (&mut args.words, &mut args.edit_options.choice, Change),
            Command::Delete(args) => (&mut args.words, &mut args.edit_options.choice, Change),
            Command::Undelete(args) => (&mut args.words, &mut args.edit_options.choice, Change),
            Command::Flag(args) => (&mut args.words, &mut args.edit_options.choice, Change),
            _ => return None,
        })
    }
}
