//! The command `book make`.

use std::io::Write;
use std::path::PathBuf;

use chessdb::book::{BIN_FILE, BookMaker, MakeOptions, polyglot};
use chessdb::formats::shown;

use crate::args::BookMake;
use crate::commands::database_scan::DatabaseScan;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{SCHEMA, line, list, object};
use crate::output::{count, stdout};
use crate::report_file::{ReportFile, refuse};

pub(super) fn run(args: BookMake) -> Outcome {
    let is_book = |word: &PathBuf| {
        word.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case(BIN_FILE.0))
    };
    // The first word names a database.
    let at = args.words.iter().skip(1).position(is_book);
    let at = at.map(|at| at + 1);
    let split = at.and_then(|at| args.words.split_at_checked(at));
    let Some((databases, [out, terms @ ..])) = split else {
        let message = "name the databases, then the book to write, which ends in .bin";
        return Err(Failure::usage(message));
    };
    refuse(out, args.force, databases)?;
    let mut words = databases.to_vec();
    if let Some(since) = args.since {
        words.push(format!("year:{since}..").into());
    }
    if !terms.is_empty() {
        // An `or` must not reach beyond the query.
        words.push("(".into());
        words.extend_from_slice(terms);
        words.push(")".into());
    }
    let options = MakeOptions {
        max_ply: args.max_ply,
        min_games: args.min_games,
        min_score: args.min_score,
    };
    let mut maker = BookMaker::new(options);
    let scan = DatabaseScan::new(&words, &args.scan_options);
    let outcome = scan.each(|game| options.line(game), |line| maker.add_line(line))?;
    let mut made = maker.finish();
    let bytes = polyglot::to_bytes(&mut made.entries);
    if made.entries.is_empty() {
        say("chessdb: no move fulfils the conditions; nothing was written");
        return Ok(outcome.done.max(Completion::Negative));
    }
    ReportFile::write(out, args.force, databases, &bytes)?;
    let moves = made.entries.len() as u64;
    if args.json {
        let document = object! {
            "schema": SCHEMA, "bases": list(outcome.bases), "games": made.games,
            "skipped": made.skipped, "positions": made.positions, "moves": moves,
            "leftOut": made.left_out, "scaled": made.scaled,
        };
        let mut out = stdout();
        writeln!(out, "{}", line(&document))?;
        out.flush()?;
    } else {
        let mut text = format!(
            "{}: {} of {} from {}",
            shown(out),
            count(moves, "move"),
            count(made.positions, "position"),
            count(made.games, "game")
        );
        for (number, what) in [
            (
                made.left_out,
                "move left out (no point, or by the conditions)",
            ),
            (made.skipped, "game skipped (variants, Chess960)"),
            (made.scaled, "weight scaled to 16 bits"),
        ] {
            if number > 0 {
                let (noun, rest) = what.split_once(' ').unwrap_or((what, ""));
                text += &format!("\n{} {rest}", count(number, noun));
            }
        }
        say(text);
    }
    Ok(outcome.done)
}
