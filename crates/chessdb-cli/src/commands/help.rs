//! The commands `completions` and `man`.

use std::fs;
use std::io::Write;

use chessdb::formats::shown;
use clap::Command;
use clap_complete::{generate, shells};
use clap_complete_nushell::Nushell;
use clap_mangen::Man as Page;

use crate::args::{Completions, ManArgs, ShellArg, reference};
use crate::exit::{Completion, Failure, Outcome};
use crate::output::stdout;
use crate::report_file::ReportFile;

pub(crate) fn completions(args: &Completions) -> Outcome {
    let mut script = Vec::new();
    let mut program = reference();
    match args.shell {
        ShellArg::Bash => generate(shells::Bash, &mut program, "chessdb", &mut script),
        ShellArg::Elvish => generate(shells::Elvish, &mut program, "chessdb", &mut script),
        ShellArg::Fish => generate(shells::Fish, &mut program, "chessdb", &mut script),
        ShellArg::Nushell => generate(Nushell, &mut program, "chessdb", &mut script),
        ShellArg::PowerShell => generate(shells::PowerShell, &mut program, "chessdb", &mut script),
        ShellArg::Zsh => generate(shells::Zsh, &mut program, "chessdb", &mut script),
    }
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Completion::Success)
}

/// Prints the text of `help query`.
pub(crate) fn query() -> Outcome {
    let mut program = reference();
    let page = program
        .find_subcommand_mut("query")
        .map(Command::render_help);
    let mut out = stdout();
    write!(out, "{}", page.unwrap_or_default())?;
    out.flush()?;
    Ok(Completion::Success)
}

pub(crate) fn man(args: &ManArgs) -> Outcome {
    let mut program = reference();
    program.build();
    let commands: Vec<Command> = program
        .get_subcommands()
        // `help` is added by clap, and `open` is not typed by users.
        .filter(|command| !matches!(command.get_name(), "help" | "open"))
        .cloned()
        .collect();
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::Output(format!("{}: {error}", shown(&folder))))?;
        let pages = std::iter::once(program).chain(commands);
        for page in pages {
            let page = Page::new(named(page));
            let path = folder.join(page.get_filename());
            let error = |error| Failure::Output(format!("{}: {error}", shown(&path)));
            let mut roff = Vec::new();
            page.render(&mut roff).map_err(error)?;
            ReportFile::write(&path, args.force, &[], &roff)?;
        }
        return Ok(Completion::Success);
    }
    let wanted = match &args.command {
        None => program,
        Some(name) => {
            let command = commands
                .into_iter()
                .find(|command| command.get_name() == name);
            command.ok_or_else(|| Failure::Usage(format!("no such command: {name}")))?
        }
    };
    let mut out = stdout();
    Page::new(named(wanted)).render(&mut out)?;
    out.flush()?;
    Ok(Completion::Success)
}

/// Names a manual page `chessdb-convert` instead of `convert`.
fn named(command: Command) -> Command {
    match command.get_name() {
        "chessdb" => command,
        name => {
            let name = format!("chessdb-{name}");
            command.display_name(name)
        }
    }
}
