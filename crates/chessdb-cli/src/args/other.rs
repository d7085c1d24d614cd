//! Arguments of the commands that read no database.

use std::path::PathBuf;

use chessdb::Format;
use clap::ValueEnum;

use super::{InputOptions, format};

#[derive(clap::Args, Debug)]
#[command(
    override_usage = "chessdb [OPTIONS] <DATABASE>...",
    after_long_help = "Example: chessdb games.si4"
)]
pub(crate) struct Open {
    /// The databases
    #[arg(required = true, value_name = "DATABASE")]
    pub(crate) words: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) input_options: InputOptions,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "Example: chessdb formats si4 --limits")]
pub(crate) struct Formats {
    /// Only these formats, by ID, file extension or common name
    #[arg(value_name = "FORMAT", value_parser = format(), ignore_case = true, hide_possible_values = true)]
    pub(crate) formats: Vec<&'static Format>,
    /// Also list limits and what each format cannot store
    #[arg(long)]
    pub(crate) limits: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Example: chessdb completions bash > ~/.local/share/bash-completion/completions/chessdb")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: ShellArg,
}

#[derive(clap::Args, Debug)]
#[command(after_long_help = "Example: chessdb man convert | man -l -")]
pub(crate) struct ManArgs {
    /// The command to describe [default: chessdb itself]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) dir: Option<PathBuf>,
    /// Replace existing pages
    #[arg(long, requires = "dir")]
    pub(crate) force: bool,
}

/// The supported shells.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShellArg {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}
