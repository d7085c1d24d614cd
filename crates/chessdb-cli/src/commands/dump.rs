//! `dump`: what every byte of a base is.

use std::io::Write;

use chessdb::core::dump::render;

use crate::args::{Dump, Reading};
use crate::exit::{Done, Outcome};
use crate::input;
use crate::output::stdout;

pub(crate) fn run(args: &Dump) -> Outcome {
    let reading = Reading {
        from: args.from,
        encoding: None,
    };
    let base = input::find(&args.base, &reading)?.read()?;
    let format = base.format();
    let mut out = stdout();
    render(&base, format.roles, format.dump, &mut out)?;
    out.flush()?;
    Ok(Done::Yes)
}
