//! `index`: what is known of each game, written beside the base for searches.

use std::fs;
use std::io::Write;

use crate::args::Index;
use crate::exit::{Done, Failure, Outcome};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::{Json, document, object};
use crate::output::{count, grouped, plain, stdout};
use crate::progress::Progress;

pub(crate) fn run(args: &Index) -> Outcome {
    let inputs = Inputs::of(&args.bases, args.reading.wanted());
    let mut out = stdout();
    let mut bases = Vec::new();
    let mut failed = Vec::new();
    let done = inputs.each(
        |base| {
            let db = input::open(&base.path, &args.reading, args.jobs, Access::Random)?;
            let mut progress = Progress::new(!args.quiet);
            let all = db.len().ok();
            let index = db.write_index(|games| {
                let share = || all.map(|all| f64::from(games) / f64::from(all.max(1)));
                progress.tick(games.into(), &share);
            })?;
            progress.clear();
            let games = db.len()?;
            let bytes = fs::metadata(&index).map_err(Failure::from)?.len();
            if args.json {
                bases.push(object([
                    ("base", base.path.display().to_string().into()),
                    ("index", index.display().to_string().into()),
                    ("games", games.into()),
                    ("bytes", bytes.into()),
                ]));
            } else if !args.quiet {
                let name = plain(&index.display().to_string());
                let games = count(games.into(), "game");
                writeln!(out, "{name}: {games}, {} bytes", grouped(bytes))?;
            }
            Ok(Done::Yes)
        },
        |name, message| failed.push(failed_json(name, message)),
    )?;
    if args.json {
        bases.append(&mut failed);
        writeln!(out, "{}", document("bases", Json::Array(bases)))?;
    }
    out.flush()?;
    Ok(done)
}
