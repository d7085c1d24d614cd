//! Help texts: a short one for `-h` that fits a screen, and the complete one for `--help`.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Args;

/// The commands by purpose.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Look", &["info", "ls", "show", "cat", "view"]),
    (
        "Ask",
        &[
            "find",
            "tree",
            "book",
            "stats",
            "novelty",
            "prepare",
            "repertoire",
            "names",
        ],
    ),
    (
        "Convert",
        &["convert", "merge", "split", "sort", "dedupe", "eco"],
    ),
    (
        "Change",
        &[
            "edit", "tag", "flag", "delete", "undelete", "undo", "compact",
        ],
    ),
    ("Repair", &["check", "salvage", "diff", "dump", "report"]),
    ("Other", &["index", "formats", "completions", "man", "help"]),
];

const USAGE: &str = "\
chessdb <COMMAND> ...
       chessdb <DATABASE>...  (what it is, and its first games)";

const EXAMPLES: &str = "
  chessdb convert old.si4 games.pgn      a SCID database as PGN
  chessdb find games.pgn player:Tal year:1957..1961 material:KRPKR";

const SHORT: &str = "
More: chessdb COMMAND -h, chessdb --help, chessdb help query (query syntax)";

const LONG: &str = "
DATABASE: any file of a database, the name its files share, a folder or archive
(all in it), coll.zip:games.si4, or - (games on stdin); files may be compressed.
Without a DATABASE, commands that read games read them from a pipe.

Options of a command: chessdb COMMAND -h (common ones), COMMAND --help (all).
Query syntax: chessdb help query
Exit codes: 0 success; 1 no match, problems found, or games of a new database
skipped or cut; 2 usage error; 3 unreadable input, or damage with --strict;
4 unwritable output; 5 internal error.";

/// Returns the program with the complete help texts, for manual pages and completions.
pub(crate) fn reference() -> Command {
    with_help(Args::command(), true)
}

/// Adds the help texts to the program. `full` selects those of `--help`, otherwise those of `-h`.
pub(super) fn with_help(program: Command, full: bool) -> Command {
    let mut commands = String::new();
    let about = |name: &str| {
        let command = program.get_subcommands().find(|c| c.get_name() == name);
        let about = command
            .and_then(Command::get_about)
            .map(ToString::to_string);
        about.unwrap_or_else(|| "Print the help of a command".to_owned())
    };
    for (purpose, names) in GROUPS {
        if full {
            let _ = writeln!(commands, "\n{purpose}:");
            for name in names {
                let _ = writeln!(commands, "  {name:11} {}", about(name));
            }
        } else {
            let _ = writeln!(commands, "  {purpose:8} {}", names.join(", "));
        }
    }
    let (title, after) = if full { ("", LONG) } else { ("\nCommands:\n", SHORT) };
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{title}{commands}\nOptions:\n{{options}}\n{EXAMPLES}\n{after}\n"
    );
    let program = program.override_usage(USAGE).help_template(template);
    program.mut_subcommands(|command| with_command_help(command, full))
}

fn with_command_help(command: Command, full: bool) -> Command {
    let Some(long) = command.get_after_long_help().map(ToString::to_string) else {
        return command;
    };
    if full {
        // Without long texts of its own, `--help` has the compact layout of `-h`.
        let command = command.mut_args(|arg| {
            if arg.is_hide_short_help_set() {
                arg.hide_short_help(false).help_heading("More options")
            } else {
                arg
            }
        });
        return command.after_long_help(None).after_help(long);
    }
    match example(&long) {
        Some(example) => command.after_help(format!("Example: {example}")),
        None => command,
    }
}

/// Returns the first example of a help text.
fn example(help: &str) -> Option<&str> {
    let lines = help.lines().map(|line| line.trim_start());
    let mut lines = lines.map(|line| line.strip_prefix("Example: ").unwrap_or(line));
    lines.find(|line| line.starts_with("chessdb "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What no help shows, with the reason.
    const HIDDEN: [(&str, &str); 2] = [
        ("open", "`chessdb DATABASE` means it, as the usage states"),
        ("query", "a page of help, listed by `help`"),
    ];

    /// The most lines and columns of a short help: a small terminal.
    const SCREEN: (usize, usize) = (24, 80);

    fn pages(full: bool) -> Vec<(String, String)> {
        let mut program = with_help(Args::command(), full).term_width(SCREEN.1);
        program.build();
        let own = ("chessdb".to_owned(), program.render_help().to_string());
        let commands = program.get_subcommands_mut();
        let commands = commands.filter(|command| command.get_name() != "help");
        let pages = commands.map(|command| {
            let page = command.render_help().to_string();
            (command.get_name().to_owned(), page)
        });
        let all: Vec<_> = [own].into_iter().chain(pages.collect::<Vec<_>>()).collect();
        all.into_iter()
            .filter(|(name, _)| name != "query")
            .collect()
    }

    #[test]
    fn every_short_help_fits_a_small_terminal() {
        let mut longer = Vec::new();
        for (name, page) in pages(false) {
            let lines = page.lines().count();
            if lines > SCREEN.0 {
                longer.push(format!("{name} has {lines} lines:\n{page}"));
            }
        }
        assert!(longer.is_empty(), "{}", longer.join("\n"));
    }

    #[test]
    fn every_help_fits_the_width_and_has_an_example() {
        let mut wider = Vec::new();
        for (name, page) in [pages(false), pages(true)].concat() {
            for line in page.lines() {
                let width = line.chars().count();
                if width > SCREEN.1 {
                    wider.push(format!("{name}: {width} columns: {line}"));
                }
            }
            assert!(
                page.contains("  chessdb ") || page.contains("Example: chessdb"),
                "{page}"
            );
        }
        assert!(wider.is_empty(), "{}", wider.join("\n"));
    }

    #[test]
    fn nothing_is_hidden_without_a_reason() {
        let mut program = Args::command();
        program.build();
        let pages = pages(true);
        for command in program.get_subcommands() {
            let name = command.get_name();
            let reason = HIDDEN.iter().find(|(hidden, _)| *hidden == name);
            assert_eq!(command.is_hide_set(), reason.is_some(), "{name}");
            let Some((_, page)) = pages.iter().find(|(known, _)| known == name) else {
                continue;
            };
            for arg in command.get_arguments() {
                // An option of a feature that this program lacks.
                let is_missing = matches!(name, "index" | "tree") && cfg!(not(feature = "parquet"));
                let is_shown = match (arg.get_long(), arg.get_short()) {
                    (Some(long), _) => page.contains(&format!("--{long}")),
                    (None, Some(short)) => page.contains(&format!("-{short},")),
                    (None, None) => true,
                };
                assert!(is_shown || is_missing, "{name}: {arg}");
            }
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let program = Args::command();
        let listed = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        let mut listed: Vec<&str> = listed.filter(|name| *name != "help").collect();
        let shown = program.get_subcommands().filter(|c| !c.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        listed.sort_unstable();
        shown.sort_unstable();
        assert_eq!(listed, shown);
    }
}
