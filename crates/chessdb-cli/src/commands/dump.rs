//! The command `dump`: the meaning of every byte of a database.

use std::io::Write;
use std::path::Path;

use chessdb::core::dump::render;
use chessdb::formats::shown;

use crate::args::{Dump, InputOptions};
use crate::exit::{Completion, Outcome};
use crate::input;
use crate::inputs::Inputs;
use crate::output::stdout;

pub(crate) fn run(args: &Dump) -> Outcome {
    let input_options = InputOptions::as_format(args.from);
    let inputs = Inputs::new(&args.bases, &input_options);
    let mut out = stdout();
    let done = inputs.each(
        |base| {
            let base = input::find(&base.path, &input_options)?.read()?;
            let format = base.format();
            if inputs.are_several() {
                let name = base.path().unwrap_or(Path::new(""));
                writeln!(out, "{}: {}", shown(&name), format.name)?;
            }
            render(&base, format.roles, format.dump, &mut out)?;
            Ok(Completion::Success)
        },
        |_, _| {},
    )?;
    out.flush()?;
    Ok(done)
}
