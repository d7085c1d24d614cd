//! `completions` and `man`.

use std::fs;
use std::io::Write;

use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::args::{Args, Completions, Man};
use crate::exit::{Done, Failure, Outcome};
use crate::output::stdout;

pub(crate) fn completions(args: &Completions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "chessdb", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Done::Yes)
}

pub(crate) fn man(args: &Man) -> Outcome {
    let mut program = Args::command();
    program.build();
    let commands: Vec<Command> = program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .cloned()
        .collect();
    if let Some(folder) = &args.dir {
        let pages = std::iter::once(program).chain(commands);
        for page in pages {
            let page = Page::new(named(page));
            let path = folder.join(page.get_filename());
            let error = |error| Failure::Output(format!("{}: {error}", path.display()));
            let mut roff = Vec::new();
            page.render(&mut roff).map_err(error)?;
            fs::write(&path, roff).map_err(error)?;
        }
        return Ok(Done::Yes);
    }
    let wanted = match &args.command {
        None => program,
        Some(name) => {
            let found = commands
                .into_iter()
                .find(|command| command.get_name() == name);
            found.ok_or_else(|| Failure::Usage(format!("there is no command \"{name}\"")))?
        }
    };
    let mut out = stdout();
    Page::new(named(wanted)).render(&mut out)?;
    out.flush()?;
    Ok(Done::Yes)
}

/// `chessdb-convert` instead of `convert`, as manual pages are called.
fn named(command: Command) -> Command {
    match command.get_name() {
        "chessdb" => command,
        name => {
            let name = format!("chessdb-{name}");
            command.display_name(name)
        }
    }
}
