//! The command `book make`.

use chessdb::Color;
use chessdb::book::{BookMaker, BookWeights, MakeOptions, polyglot};
use chessdb::formats::shown;

use super::convert::is_polyglot;
use crate::args::BookMake;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{SCHEMA, list, object};
use crate::output::{count, print_json};
use crate::report_file::{ReportFile, refuse};

pub(super) fn run(args: BookMake) -> Outcome {
    let words = &args.scan_options.choice.words;
    // The first word names a database.
    let index = words.iter().skip(1).position(|word| is_polyglot(word));
    let split = index.and_then(|index| words.split_at_checked(index + 1));
    let Some((databases, [out, terms @ ..])) = split else {
        let message = "name the databases, then the book to write, which ends in .bin";
        return Err(Failure::usage(message));
    };
    refuse(out, args.force, databases)?;
    let since = args.since.map(|since| format!("year:{since}.."));
    let own = since.into_iter().collect();
    let games = args.scan_options.with_terms(databases, own, terms);
    let options = MakeOptions {
        max_ply: args.max_ply,
        min_games: args.min_games,
        min_score: args.min_score,
        min_share: args.min_share,
        side: match (args.white, args.black) {
            (true, _) => Some(Color::White),
            (false, true) => Some(Color::Black),
            (false, false) => None,
        },
        weights: match (args.uniform, args.weighted) {
            (true, _) => BookWeights::Uniform,
            (false, true) => BookWeights::RatingAndDate,
            (false, false) => BookWeights::Points,
        },
    };
    let mut maker = BookMaker::new(options);
    let outcome = games.each(|game| options.line(game), |line| maker.add_line(line))?;
    let mut book = maker.finish();
    let bytes = polyglot::to_bytes(&mut book.entries);
    if book.entries.is_empty() {
        let advice =
            if args.uniform { "" } else { "; --uniform also takes games without a result" };
        say(format_args!(
            "chessdb: no move fulfils the conditions; nothing was written{advice}"
        ));
        return Ok(outcome.done.max(Completion::Negative));
    }
    ReportFile::write(out, args.force, databases, &bytes)?;
    let moves = book.entries.len() as u64;
    if args.json {
        let document = object! {
            "schema": SCHEMA, "bases": list(outcome.bases), "games": book.games,
            "skipped": book.skipped, "positions": book.positions, "moves": moves,
            "leftOut": book.left_out, "scaled": book.scaled,
        };
        print_json(&document)?;
    } else {
        let mut text = format!(
            "{}: {} of {} from {}",
            shown(out),
            count(moves, "move"),
            count(book.positions, "position"),
            count(book.games, "game")
        );
        for (number, what) in [
            (
                book.left_out,
                "move left out (no point, or by the conditions)",
            ),
            (book.skipped, "game skipped (variants, Chess960)"),
            (book.scaled, "weight scaled to 16 bits"),
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
