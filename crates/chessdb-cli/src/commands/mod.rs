//! The commands, one module each.

mod arrange;
mod arrangement;
mod book;
mod cat;
mod check;
mod chosen_player;
mod convert;
mod database_scan;
mod dedupe;
mod diff;
mod dump;
mod edit;
mod editor;
mod find;
mod formats;
mod game_fixes;
mod game_label;
mod help;
mod index;
mod info;
mod input_words;
mod ls;
mod names;
mod novelty;
mod one_game;
mod open;
mod plan;
mod players;
mod prepare;
mod preview;
mod repertoire;
mod report;
mod salvage;
mod show;
mod split;
mod spool;
mod stats;
mod texts;
mod tree;
mod undo;

use crate::args::Command;
use crate::exit::{Outcome, hide_notes};

/// Runs a command.
pub(crate) fn run(mut command: Command) -> Outcome {
    // The copy of standard input is kept until the end.
    let _input = input_words::complete(&mut command)?;
    hide_notes(command.scan_options().is_some_and(|options| options.quiet));
    if let Some(options) = command.reading_options() {
        options.is_read_only = true;
    }
    match command {
        Command::Info(args) => info::run(&args),
        Command::Ls(args) => ls::run(&args),
        Command::Find(args) => find::run(args),
        Command::Tree(args) => tree::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Novelty(args) => novelty::run(&args),
        Command::Prepare(args) => prepare::run(&args),
        Command::Repertoire(args) => repertoire::run(&args),
        Command::Book(args) => book::run(args.command),
        Command::Index(args) => index::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Convert(args) => convert::run(args),
        Command::Sort(args) => arrange::sort(&args),
        Command::Merge(args) if args.one_game => one_game::run(&args),
        Command::Merge(args) => dedupe::merge(&args),
        Command::Dedupe(args) => dedupe::dedupe(&args),
        Command::Split(args) => split::run(&args),
        Command::Eco(args) => arrange::eco(&args),
        Command::Names(args) => names::run(&args),
        Command::Tag(args) => edit::tag(&args),
        Command::Delete(args) => edit::delete(&args),
        Command::Undelete(args) => edit::undelete(&args),
        Command::Flag(args) => edit::flag(&args),
        Command::Compact(args) => edit::compact(&args),
        Command::Edit(args) => editor::run(&args),
        Command::Undo(args) => undo::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Salvage(args) => salvage::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Report(args) => report::run(&args),
        Command::View(args) => crate::view::run(args),
        Command::Open(args) => open::run(args),
        Command::Formats(args) => formats::run(&args),
        Command::Completions(args) => help::completions(&args),
        Command::Man(args) => help::man(&args),
        Command::Query => help::query(),
    }
}
