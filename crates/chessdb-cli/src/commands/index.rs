//! The command `index`: writes search indexes next to databases, or all positions as a table.

use std::fs;
use std::io::Write;
#[cfg(feature = "parquet")]
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::formats::shown;
#[cfg(feature = "parquet")]
use chessdb::{Selection, fs::Positions};

use crate::args::Index;
use crate::commands::convert::end_when_interrupted;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::object;
use crate::output::{count, grouped, print_list, stdout};
use crate::progress::{Progress, fraction_read};
#[cfg(feature = "parquet")]
use crate::report_file::refuse_database;

pub(crate) fn run(args: &Index) -> Outcome {
    end_when_interrupted();
    match &args.parquet {
        Some(target) => table(args, target),
        None => indexes(args),
    }
}

#[cfg(not(feature = "parquet"))]
fn table(_: &Index, _: &Path) -> Outcome {
    let why = "this chessdb was built without Parquet; the usual build has it (feature parquet)";
    Err(Failure::usage(why))
}

#[cfg(feature = "parquet")]
fn table(args: &Index, target: &Path) -> Outcome {
    refuse_database(target, &args.bases)?;
    let inputs = Inputs::new(&args.bases, &args.input_options);
    let name = target.display().to_string();
    let unwritten = |error| Failure::conversion(error, &name, "input");
    let mut table = Positions::create(target, args.force).map_err(unwritten)?;
    let mut games = 0;
    let mut failed = Vec::new();
    let mut progress = Progress::new(!args.quiet);
    let done = inputs.each(
        |base| {
            let db = input::open(&base.path, &args.input_options, args.jobs, Access::InOrder)?;
            let added = table.add(&db, &Selection::all(), args.jobs.thread_count(), |games| {
                progress.tick(games.into(), &|| fraction_read(&db, games.into()));
                ControlFlow::Continue(())
            });
            progress.clear();
            let (added, damaged) = added.map_err(unwritten)?;
            games += u64::from(added);
            if damaged > 0 {
                let (name, damaged) = (shown(&base.path), count(damaged.into(), "game"));
                say(format_args!(
                    "{name}: {damaged} not completely readable; the table contains the readable part; see `chessdb check`"
                ));
                return Ok(Completion::Negative);
            }
            Ok(Completion::Success)
        },
        |name, message| failed.push(failed_json(name, message)),
    )?;
    let positions = table.finish().map_err(unwritten)?;
    let bytes = fs::metadata(target).map_err(Failure::from)?.len();
    let mut out = stdout();
    if args.json {
        let mut tables = vec![object! {
            "table": name, "games": games, "positions": positions, "bytes": bytes,
        }];
        tables.append(&mut failed);
        print_list("tables", tables)?;
    } else if !args.quiet {
        let name = shown(&name);
        let (positions, bytes) = (count(positions, "position"), grouped(bytes));
        writeln!(
            out,
            "{name}: {}, {positions}, {bytes} bytes",
            count(games, "game")
        )?;
    }
    out.flush()?;
    Ok(done)
}

fn indexes(args: &Index) -> Outcome {
    let inputs = Inputs::new(&args.bases, &args.input_options);
    let mut out = stdout();
    let done = inputs.each_listed(args.json.then_some("bases"), Vec::new(), |base, bases| {
        let db = input::open(&base.path, &args.input_options, args.jobs, Access::Numbered)?;
        let mut progress = Progress::new(!args.quiet);
        let index = db.write_index(|games| {
            progress.tick(games.into(), &|| fraction_read(&db, games.into()));
        });
        let name = base.path.display().to_string();
        let index = match index.map_err(|error| Failure::conversion(error, &name, &name)) {
            // A read-only folder does not stop the indexes of other databases.
            Err(Failure::Output(message)) => {
                say(format_args!("chessdb: {message}"));
                bases.push(failed_json(&name, &message));
                return Ok(Completion::SomeUnwritten);
            }
            index => index?,
        };
        progress.clear();
        let games = db.len()?;
        let tree = index.with_extension("chessdb-tree");
        let size = |path: &Path| fs::metadata(path).map(|data| data.len());
        let bytes = size(&index).map_err(Failure::from)?;
        let tree_bytes = size(&tree).map_err(Failure::from)?;
        if args.json {
            bases.push(object! {
                "base": base.path.display().to_string(), "index": index.display().to_string(),
                "games": games, "bytes": bytes, "tree": tree.display().to_string(),
                "treeBytes": tree_bytes,
            });
        } else if !args.quiet {
            let games = count(games.into(), "game");
            for (path, bytes) in [(&index, bytes), (&tree, tree_bytes)] {
                writeln!(out, "{}: {games}, {} bytes", shown(path), grouped(bytes))?;
            }
        }
        Ok(Completion::Success)
    })?;
    out.flush()?;
    Ok(done)
}
