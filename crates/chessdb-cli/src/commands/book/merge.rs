//! The command `book merge`.

use chessdb::book::{BookLoss, BookLosses, MadeBook, polyglot, to_polyglot};
use chessdb::core::Scratch;
use chessdb::formats::shown;

use super::convert::is_polyglot;
use super::load::BookFile;
use crate::args::BookMerge;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{SCHEMA, list, object};
use crate::output::{count, grouped, print_json};
use crate::report_file::{ReportFile, refuse};

pub(super) fn run(args: &BookMerge) -> Outcome {
    let (sources, out) = match args.books.split_last() {
        Some((out, sources)) if is_polyglot(out) => (sources, out),
        _ => {
            return Err(Failure::usage(
                "name the books, then the one to write, which ends in .bin",
            ));
        }
    };
    refuse(out, args.force, sources)?;
    let (mut entries, mut losses) = (Vec::new(), BookLosses::default());
    let mut is_damaged = false;
    for path in sources {
        let file = BookFile::read(path)?;
        let mut scratch = Scratch::new();
        let book = file.open(&mut scratch)?;
        let converted = to_polyglot(&book, &mut scratch).map_err(|error| file.failure(&error))?;
        for (kind, number) in converted.1.iter() {
            losses.add(kind, number);
        }
        let learning = converted.0.iter().filter(|entry| entry.learn != 0);
        losses.add(BookLoss::Learn, learning.count() as u64);
        entries.extend(converted.0);
        is_damaged |= file.report(&scratch);
    }
    let mut book = MadeBook::merged(entries);
    ReportFile::write(
        out,
        args.force,
        sources,
        &polyglot::to_bytes(&mut book.entries),
    )?;
    let moves = book.entries.len() as u64;
    if args.json {
        let lost = losses.iter().map(|(kind, number)| {
            object! { "kind": kind.code(), "text": kind.text(), "count": number }
        });
        print_json(&object! {
            "schema": SCHEMA, "books": sources.len() as u64, "positions": book.positions,
            "moves": moves, "scaled": book.scaled, "losses": list(lost),
        })?;
    } else if !args.quiet {
        let mut text = format!(
            "{}: {} of {} from {}",
            shown(out),
            count(moves, "move"),
            count(book.positions, "position"),
            count(sources.len() as u64, "book")
        );
        if book.scaled > 0 {
            text += &format!("\n{} scaled to 16 bits", count(book.scaled, "weight"));
        }
        for (kind, number) in losses.iter() {
            text += &format!("\nnot stored: {} {}", grouped(number), kind.text());
        }
        say(text);
    }
    Ok(if is_damaged { Completion::Negative } else { Completion::Success })
}
