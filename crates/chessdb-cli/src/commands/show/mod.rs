//! The command `show`: a game on a board.

#[cfg_attr(
    not(feature = "show"),
    allow(
        dead_code,
        reason = "moves are not stepped through without the feature"
    )
)]
mod moves;
#[cfg(feature = "show")]
mod screen;

#[cfg(feature = "show")]
use std::io::IsTerminal;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use chessdb::core::board::Piece;
use chessdb::core::{Board, Color, Square};
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::openings::opening_label;
use chessdb::{Database, Game};

use crate::advice::SearchAdvice;
use crate::args::Show;
use crate::commands::database_scan::{first_game, no_match};
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::output::{plain, stdout};
use crate::query;

use moves::GameMoves;

pub(crate) fn run(args: &Show) -> Outcome {
    let (paths, query) = args.choice.databases_and_query()?;
    let [path] = paths else {
        let message = query::wrong_order(paths).unwrap_or_else(|| {
            "show takes one database, and a game number or a query after it: chessdb show \
             games.pgn 17"
                .to_owned()
        });
        return Err(Failure::Usage(message));
    };
    // The index also has the moves played in a position.
    let db = input::open_for_search(true, path, &args.input_options, args.jobs, Access::Random)?;
    let name = shown(path).to_string();
    #[cfg(feature = "show")]
    if args.ply.is_none() && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return screen::run(args, &name, &db, query);
    }
    let games = args.choice.games.clone();
    let Some(game) = first_game(db.scan().select(games).filter(Arc::clone(&query)))? else {
        return Ok(nothing(&name, &db, args, &query));
    };
    print(args, &game, &query)?;
    Ok(Completion::Success)
}

/// Reports that there is no such game.
fn nothing(name: &str, db: &Database, args: &Show, query: &Query) -> Completion {
    let what = no_match(db, &args.choice.games, query);
    say(format_args!("chessdb: {name}: {what}"));
    SearchAdvice::print(query, db, Duration::ZERO);
    Completion::Negative
}

/// Returns the heading of a game: the players, place and date, and the opening.
fn heading(game: &Game) -> [String; 3] {
    let elo = |color| match game.elo(color) {
        Some(elo) => format!(" ({elo})"),
        None => String::new(),
    };
    let (white, black) = (game.white(), game.black());
    let (of_white, of_black) = (elo(Color::White), elo(Color::Black));
    let players = format!(
        "{white}{of_white} – {black}{of_black}  {}",
        game.header.shown_result(&game.texts)
    );
    let mut places = vec![game.event(), game.site()];
    // Many sources repeat the event as the site.
    places.dedup();
    let mut place: Vec<String> = places
        .iter()
        .filter(|text| !matches!(text.trim(), "" | "?"))
        .map(|text| text.to_string())
        .collect();
    if !game.effective_date().is_unknown() {
        place.push(game.effective_date().to_string().replace(".??", ""));
    }
    if !matches!(&*game.round(), "" | "?" | "-") {
        place.push(format!("round {}", game.round()));
    }
    [players, place.join(", "), opening_label(game)].map(|line| plain(line.trim()))
}

/// Returns the character of the piece on a square. `None` for an empty square.
fn piece_char(piece: Option<Piece>, ascii: bool) -> Option<char> {
    let piece = piece?;
    let letter = char::from(piece.letter());
    if ascii {
        return Some(letter);
    }
    let index = "KQRBNPkqrbnp".find(letter)?;
    "♔♕♖♗♘♙♚♛♜♝♞♟".chars().nth(index)
}

/// Returns the squares of a board in screen order, rank by rank from the top.
fn squares(from_black: bool) -> [[Square; 8]; 8] {
    let mut ranks = [[Square::new_masked(0); 8]; 8];
    for (down, rank) in ranks.iter_mut().enumerate() {
        for (right, square) in rank.iter_mut().enumerate() {
            let (file, rank) = if from_black { (7 - right, down) } else { (right, 7 - down) };
            // Squares are numbered by files first (docs/decisions/0002).
            *square = Square::new_masked((file * 8 + rank) as u8);
        }
    }
    ranks
}

/// Returns a board as text, with rank and file labels.
fn board_text(board: &Board, from_black: bool, ascii: bool) -> String {
    let mut text = String::new();
    for rank in squares(from_black) {
        let [first, ..] = rank;
        text.push(char::from(b'1' + first.rank()));
        for square in rank {
            let empty = if (square.file() + square.rank()).is_multiple_of(2) { '·' } else { ' ' };
            let empty = if ascii { '.' } else { empty };
            text.push(' ');
            text.push(piece_char(board.piece_at(square), ascii).unwrap_or(empty));
        }
        text.push('\n');
    }
    let files = if from_black { "h g f e d c b a" } else { "a b c d e f g h" };
    text.push_str("  ");
    text.push_str(files);
    text
}

fn print(args: &Show, game: &Game, query: &Query) -> Result<(), Failure> {
    let moves = GameMoves::from_game(game);
    let hit = query
        .find(game)
        .and_then(|matches| matches.hit().map(|hit| hit.ply()));
    let ply = args.ply.or(hit).unwrap_or(u32::MAX);
    let current = moves.at_ply(ply);
    let board = moves.board(current);
    let mut out = stdout();
    for line in heading(game).iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "\n{}\n", board_text(&board, args.black, args.ascii))?;
    let last = match current {
        Some(index) => {
            let word = moves.word(index);
            // A black move within a line has no number of its own; that of the board has been
            // incremented by it.
            let number = match (word.contains('.'), board.turn()) {
                (false, Color::White) => {
                    format!("{}...", board.fullmove_number().saturating_sub(1))
                }
                _ => String::new(),
            };
            format!("After {number}{word}")
        }
        None => "Before the first move".to_owned(),
    };
    let turn = board.turn().pick("White", "Black");
    let shown = current
        .and_then(|index| moves.nodes.get(index))
        .map_or(0, |node| node.ply);
    writeln!(
        out,
        "{last} (ply {shown} of {}); {turn} to move",
        moves.plies()
    )?;
    writeln!(out, "{board}")?;
    out.flush()?;
    Ok(())
}
