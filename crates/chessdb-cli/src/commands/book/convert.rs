//! The command `book convert`.

use std::fmt::Write as _;
use std::path::Path;

use chessdb::book::{BIN_FILE, Book, BookLoss, BookLosses, BookTree, polyglot, to_polyglot};
use chessdb::core::loss::Losses;
use chessdb::core::{Board, Game, MemorySet, Scratch};
use chessdb::formats::{shown, target_format};
use chessdb::options::CreateOptions;
use chessdb::{Allow, Writer};

use super::load::BookFile;
use crate::args::BookConvert;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{Json, SCHEMA, list, object};
use crate::output::{count, grouped, print_json};
use crate::report_file::ReportFile;

pub(super) fn run(args: &BookConvert) -> Outcome {
    let file = BookFile::read(&args.book)?;
    let mut scratch = Scratch::new();
    let book = file.open(&mut scratch)?;
    let converted = if is_polyglot(&args.out) {
        convert_to_polyglot(&book, &file, args, &mut scratch)?
    } else {
        convert_to_games(&book, &file, args, &mut scratch)?
    };
    let is_damaged = file.report(&scratch);
    let is_refused = args.strict && (converted.is_lossy() || is_damaged);
    if !is_refused {
        converted.write(args)?;
    }
    if args.json {
        print_json(&converted.json(is_refused))?;
    } else if !args.quiet || is_refused {
        say(converted.text(&file.name(), args, is_refused));
    }
    let is_cut = converted.losses.count(BookLoss::Unreached) > 0
        || converted.losses.count(BookLoss::Lines) > 0;
    if is_refused || is_cut || is_damaged {
        Ok(Completion::Negative)
    } else {
        Ok(Completion::Success)
    }
}

/// Returns whether a path ends as a Polyglot book does.
pub(super) fn is_polyglot(out: &Path) -> bool {
    out.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case(BIN_FILE.0))
}

/// A converted book before it is written.
struct Converted {
    content: Content,
    losses: BookLosses,
    /// The losses of the format of games.
    game_losses: Losses,
    moves: u64,
}

enum Content {
    Polyglot(Vec<u8>),
    Games(Vec<Game>),
}

fn convert_to_polyglot(
    book: &Book<'_>,
    file: &BookFile,
    args: &BookConvert,
    scratch: &mut Scratch,
) -> Result<Converted, Failure> {
    if args.max_ply.is_some() {
        return Err(Failure::usage(
            "--max-ply is for databases; a Polyglot book has no lines",
        ));
    }
    let converted = to_polyglot(book, scratch).map_err(|error| file.failure(&error))?;
    let (mut entries, losses) = converted;
    Ok(Converted {
        moves: entries.len() as u64,
        content: Content::Polyglot(polyglot::to_bytes(&mut entries)),
        losses,
        game_losses: Losses::new(),
    })
}

fn convert_to_games(
    book: &Book<'_>,
    file: &BookFile,
    args: &BookConvert,
    scratch: &mut Scratch,
) -> Result<Converted, Failure> {
    let Some(format) = target_format(&args.out) else {
        let name = shown(&args.out);
        let message =
            format!("{name}: not a format to write a book in; use .bin for Polyglot, or .pgn");
        return Err(Failure::Usage(message));
    };
    let max_ply = args.max_ply.unwrap_or(u32::MAX);
    let tree = BookTree::new(book, &Board::standard(), max_ply, scratch);
    let tree = tree.map_err(|error| file.failure(&error))?;
    let mut games = Vec::new();
    let losses = chessdb::book::tree_game(&tree, |game| games.push(game.clone()));
    // A sink in memory counts the losses; the games are written only if they are accepted.
    let mut game_losses = Losses::new();
    let options = Writer::options().format(format).allow(Allow::Everything);
    let failed = |error: chessdb::Error| Failure::target(&error, &file.name());
    let mut writer = options.create_in(MemorySet::new()).map_err(failed)?;
    for game in &games {
        game_losses.merge(&writer.assess(game).map_err(failed)?);
    }
    Ok(Converted {
        moves: tree.len() as u64,
        content: Content::Games(games),
        losses,
        game_losses,
    })
}

impl Converted {
    fn is_lossy(&self) -> bool {
        !self.losses.is_empty() || !self.game_losses.is_empty()
    }

    fn write(&self, args: &BookConvert) -> Result<(), Failure> {
        let target = args.out.display().to_string();
        match &self.content {
            Content::Polyglot(bytes) => ReportFile::write(
                &args.out,
                args.force,
                std::slice::from_ref(&args.book),
                bytes,
            ),
            Content::Games(games) => {
                let options = CreateOptions::default().allow(Allow::Everything);
                let writer = options.replace(args.force).create(&args.out);
                let mut writer = writer.map_err(|error| Failure::target(&error, &target))?;
                for game in games {
                    let written = writer.write(game);
                    written.map_err(|error| Failure::target(&error, &target))?;
                }
                let finished = writer.finish();
                finished.map_err(|error| Failure::target(&error, &target))?;
                Ok(())
            }
        }
    }

    /// Returns all losses: code, description and number.
    fn all_losses(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        let of_book = self.losses.iter();
        let of_book = of_book.map(|(kind, count)| (kind.code(), kind.text(), count));
        let of_games = self.game_losses.iter();
        let of_games = of_games.map(|loss| (loss.kind.code(), loss.kind.text(), loss.count.into()));
        of_book.chain(of_games)
    }

    fn text(&self, book: &str, args: &BookConvert, is_refused: bool) -> String {
        let moves = count(self.moves, "move");
        let mut text = format!("{book} → {}: ", shown(&args.out));
        text += &match (is_refused, &self.content) {
            (true, _) => "nothing written".to_owned(),
            (false, Content::Polyglot(_)) => moves,
            (false, Content::Games(games)) => {
                format!("{moves} in {}", count(games.len() as u64, "game"))
            }
        };
        if self.is_lossy() {
            text += "\nNot stored:";
        }
        for (_, what, number) in self.all_losses() {
            let _ = write!(text, "\n{:>9}  {what}", grouped(number));
        }
        if is_refused {
            text += "\n--strict refuses this.";
        }
        text
    }

    fn json(&self, is_refused: bool) -> Json {
        let losses = self.all_losses().map(|(code, text, number)| {
            object! { "kind": code, "text": text, "count": number }
        });
        let games = match &self.content {
            Content::Polyglot(_) => None,
            Content::Games(games) => Some(games.len() as u64),
        };
        object! {
            "schema": SCHEMA, "refused": is_refused, "moves": self.moves, "games": games,
            "losses": list(losses),
        }
    }
}
