//! The command `tree`: the moves played in a position.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
#[cfg(feature = "parquet")]
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::vec;

use chessdb::core::{Board, Color};
use chessdb::explorer::PositionMoves;
#[cfg(feature = "parquet")]
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::advice::NameSpellings;
use chessdb::query::language::continues_line;
use chessdb::query::openings::opening_at;
use chessdb::query::tree::{NodeId, OpeningTree, Tally, TreeLine, line_board};
use chessdb::{Database, Error, Game, Selection};

use crate::args::{ScanOptions, Tree};
use crate::commands::book::{BookFile, MovesInBook};
#[cfg(feature = "parquet")]
use crate::commands::convert::end_when_interrupted;
use crate::commands::game_label;
use crate::csv;
#[cfg(feature = "parquet")]
use crate::exit::say;
use crate::exit::{Completion, Failure, Outcome};
#[cfg(feature = "parquet")]
use crate::input::{Access, open_for_search};
use crate::json::{Json, SCHEMA, list, object, rounded, with_first};
use crate::output::{bar, count, grouped, print_json, print_text};
#[cfg(feature = "parquet")]
use crate::query::split_query;
use crate::query::{say_spellings, spellings_json};
#[cfg(feature = "parquet")]
use crate::report_file::refuse_database;
use crate::table::{Table, percent, text_of};

/// The width of the longest bar.
const BAR: usize = 8;

pub(crate) fn run(args: &Tree) -> Outcome {
    if let Some(target) = &args.parquet {
        return table(args, target);
    }
    let (options, moves) = with_line(args);
    let start = position(args.fen.as_deref(), moves.as_deref())?;
    let book_file = args.book.as_deref().map(BookFile::read).transpose()?;
    let mut book = book_file.as_ref().map(MovesInBook::open).transpose()?;
    let tree = OpeningTree::new(start, args.depth.into()).count_variants(args.variants);
    let lines = tree.clone();
    let (_, query) = options.choice.databases_and_query()?;
    let spellings = spellings_of(&query);
    let line_of = |db: &Database, game: &mut Game| -> Result<Option<(u32, TreeLine)>, Error> {
        let line = db.tree_line(&lines, game)?;
        if let (Some(_), Some(Ok(mut spellings))) = (&line, spellings.as_ref().map(Mutex::lock)) {
            spellings.add(game);
        }
        Ok(line.map(|line| (game.index(), line)))
    };
    // One half-move in all games may be in the tree file. More are not: it counts each position by
    // itself, reached in any way.
    let is_all = query.is_empty() && options.choice.games.is_all();
    let can_look_up = is_all && args.depth == 1 && !args.variants;
    // Two closures change the tree, though never at the same time.
    let tree = RefCell::new(tree);
    let choose = |db: &Database| {
        let board = lines.board(lines.root());
        let from_file = can_look_up.then(|| db.position_moves(&board)).flatten();
        let games = from_file.as_ref().map(PositionMoves::unread);
        let mut tree = tree.borrow_mut();
        tree.begin_database();
        if let Some(moves) = &from_file {
            moves.add_to(&mut tree);
        }
        let is_chosen = !options.choice.games.is_all();
        // According to the index, no other game has the position.
        let candidates = || {
            let games = db.tree_candidates(&lines).filter(|_| !is_chosen)?;
            let numbers = games.into_iter().map(|game| game.saturating_add(1));
            Some(Selection::in_order(numbers.collect()))
        };
        games.or_else(candidates)
    };
    let add = |db: &Database, line: Option<(u32, TreeLine)>| match line {
        Some((index, line)) => db.add_line(&mut tree.borrow_mut(), index, &line),
        None => Ok(()),
    };
    let outcome = options.each_of_chosen(true, choose, line_of, add)?;
    let tree = tree.into_inner();
    let spellings = spellings.and_then(|spellings| spellings.into_inner().ok());
    if args.csv {
        let mut rows = Vec::new();
        push_rows(&tree, tree.root(), "", &mut book, &mut rows);
        csv::print(&rows)?;
    } else if args.json {
        let mut json = json_of(&tree, tree.root(), &mut book);
        if let (Some(spellings), Json::Object(members)) = (&spellings, &mut json) {
            members.insert("spellings".to_owned(), spellings_json(spellings));
        }
        let json = with_first("fen", tree.board(tree.root()).to_string(), json);
        let json = with_first("bases", list(outcome.bases), json);
        print_json(&with_first("schema", SCHEMA, json))?;
    } else {
        if let Some(spellings) = &spellings {
            say_spellings(spellings);
        }
        print_text(&TreeText::new(&tree, book.as_mut()).print())?;
    }
    if let Some(book) = &book {
        book.report();
    }
    let games = tree.tally(tree.root()).games;
    Ok(outcome.done.max(Completion::of_search(games)))
}

/// Returns the counts of the names for which the query's abbreviated names stand; `None` if it has
/// no such name.
fn spellings_of(query: &Query) -> Option<Mutex<NameSpellings>> {
    let spellings = query.name_spellings();
    (!spellings.is_empty()).then(|| Mutex::new(spellings))
}

/// Returns the options without moves among the words, and the line of `--line` with these moves: a
/// shell splits `--line 1.e4 c5`, and `tree games.si4 1.e4 c5` can only mean that position.
fn with_line(args: &Tree) -> (ScanOptions, Option<String>) {
    let are_moves = |word: &&PathBuf| {
        let text = word.to_str().unwrap_or_default();
        let mut moves = text.split_whitespace().peekable();
        moves.peek().is_some() && moves.all(continues_line) && !word.exists()
    };
    if args.fen.is_some() {
        return (args.scan_options.clone(), args.line.clone());
    }
    let words = args.scan_options.choice.words.iter();
    let (moves, words): (Vec<&PathBuf>, Vec<&PathBuf>) = words.partition(are_moves);
    let moves = moves.into_iter().filter_map(|word| word.to_str());
    let line: Vec<&str> = args.line.as_deref().into_iter().chain(moves).collect();
    let line = (!line.is_empty()).then(|| line.join(" "));
    let words = words.into_iter().cloned().collect();
    (args.scan_options.with_words(words), line)
}

#[cfg(not(feature = "parquet"))]
fn table(_: &Tree, _: &Path) -> Outcome {
    let why = "this chessdb was built without Parquet; the usual build has it (feature parquet)";
    Err(Failure::usage(why))
}

/// Writes the tree file as a table.
#[cfg(feature = "parquet")]
fn table(args: &Tree, target: &Path) -> Outcome {
    end_when_interrupted();
    let (paths, terms) = split_query(&args.scan_options.choice.words);
    let options = &args.scan_options;
    let [base] = paths else {
        let why = "--parquet takes one database, of which `chessdb index` wrote the tree file";
        return Err(Failure::usage(why));
    };
    if !terms.is_empty() || !options.choice.games.is_all() {
        let why = "--parquet writes all games of the tree file; leave out the query and -n";
        return Err(Failure::usage(why));
    }
    refuse_database(target, paths)?;
    let access = Access::Random;
    let db = open_for_search(true, base, &options.input_options, options.jobs, access)?;
    let name = target.display().to_string();
    let table = db.write_tree_table(target, args.force, |_| ControlFlow::Continue(()));
    let table = table.map_err(|error| Failure::conversion(error, &name, "input"))?;
    let Some(table) = table else {
        let base = shown(base);
        let why = format!("{base} has no tree file in use; run `chessdb index` first");
        return Err(Failure::Input(why));
    };
    if args.json {
        let json = object! {
            "schema": SCHEMA, "table": name, "games": table.games, "uncounted": table.uncounted,
            "positions": table.positions, "rows": table.rows,
        };
        print_json(&json)?;
    } else {
        let (games, positions) = (u64::from(table.games), u64::from(table.positions));
        let (games, positions) = (count(games, "game"), count(positions, "position"));
        let rows = count(table.rows, "row");
        print_text(&format!("{}: {games}, {positions}, {rows}\n", shown(&name)))?;
        if table.uncounted > 0 {
            let uncounted = count(table.uncounted.into(), "game");
            say(format_args!(
                "{}: {uncounted} not counted by the tree file and not in the table",
                shown(base)
            ));
        }
    }
    Ok(Completion::Success)
}

/// Returns the position that the options `--fen` and `--line` name.
pub(super) fn position(fen: Option<&str>, line: Option<&str>) -> Result<Board, Failure> {
    match (fen, line) {
        (Some(fen), _) => {
            let setup = fen.parse::<Board>();
            setup.map_err(|fault| Failure::Usage(format!("--fen {fen}: {fault}")))
        }
        (None, Some(moves)) => line_board(moves).map_err(|error| Failure::Query {
            message: format!("--line: {}", error.message()),
            pointer: error.pointer(moves),
        }),
        (None, None) => Ok(Board::standard()),
    }
}

/// The tree as text.
struct TreeText<'t, 'b> {
    tree: &'t OpeningTree,
    book: Option<&'t mut MovesInBook<'b>>,
    text: String,
    table: Table,
}

/// The moves of the games and of a book in one position.
struct TreeLevel {
    position: NodeId,
    moves: vec::IntoIter<NodeId>,
    /// The moves of the book that were not shown yet, each with its share.
    in_book: Vec<(String, f64)>,
}

impl<'t, 'b> TreeText<'t, 'b> {
    fn new(tree: &'t OpeningTree, book: Option<&'t mut MovesInBook<'b>>) -> TreeText<'t, 'b> {
        let titles = "Games, Share, Score, Draws, Rating, Perf, Last, Longest, Book, , ";
        let of_book = if book.is_some() { 7 } else { 0 };
        // Bars and openings come after two spaces.
        let bars = if io::stdout().is_terminal() { 1 + BAR } else { 0 };
        let widths = [14, 10, 7, 7, 7, 6, 5, 5, 8, of_book, bars, 1];
        TreeText {
            tree,
            book,
            text: String::new(),
            table: Table::new("Move", titles).texts(&[""]).fixed(widths),
        }
    }

    fn print(mut self) -> String {
        let tree = self.tree;
        let root = tree.root();
        let tally = tree.tally(root);
        let _ = write!(self.text, "{}", tree.board(root));
        if let Some(opening) = opening_at(&tree.board(root)) {
            let _ = write!(self.text, "  {} {}", opening.eco, opening.name);
        }
        self.text.push('\n');
        let _ = write!(self.text, "{}", count(tally.games, "game"));
        if let (Some(score), Some(draws)) = (tally.score(), tally.draw_share()) {
            let (score, draws) = (percent(Some(score)), percent(Some(draws)));
            let _ = write!(self.text, ": {score} for White, {draws} drawn");
        }
        self.text.push('\n');
        let first = self.level(root);
        // An explicit stack, so that a deep tree does not overflow the call stack.
        let mut open = vec![first];
        while let Some(level) = open.last_mut() {
            match level.moves.next() {
                Some(node) => {
                    let san = tree.san(node);
                    let mut in_book = level.in_book.iter();
                    let index = in_book.position(|(book_san, _)| *book_san == san);
                    let share = index.map(|index| level.in_book.remove(index).1);
                    self.line(node, open.len() - 1, share);
                    open.push(self.level(node));
                }
                None => {
                    let position = level.position;
                    let rest = std::mem::take(&mut level.in_book);
                    // At the depth of the tree there are no games to compare with.
                    let is_compared = open.len() == 1 || tree.moves(position).next().is_some();
                    let board = tree.board(position);
                    let indent = 2 * (open.len() - 1);
                    for (san, share) in rest.into_iter().filter(|_| is_compared) {
                        let name = game_label::numbered(&board, &san);
                        let mut cells = [const { String::new() }; 11];
                        // The column `Book`: the move has no games.
                        cells[8] = percent(Some(share));
                        self.table.row(&format!("{:indent$}{name}", ""), cells);
                    }
                    open.pop();
                }
            }
        }
        if !self.table.is_empty() {
            self.text.push('\n');
            self.text += &self.table.text();
        }
        self.text
    }

    fn level(&mut self, position: NodeId) -> TreeLevel {
        let moves: Vec<NodeId> = self.tree.moves(position).collect();
        let board = self.tree.board(position);
        let in_book = self.book.as_mut().map(|book| book.moves(&board));
        TreeLevel {
            position,
            moves: moves.into_iter(),
            in_book: in_book.unwrap_or_default(),
        }
    }

    fn line(&mut self, node: NodeId, depth: usize, in_book: Option<f64>) {
        let tally = self.tree.tally(node);
        let all = self.tree.tally(self.tree.root()).games;
        let share = tally.games as f64 / all.max(1) as f64;
        let name = format!("{:1$}{2}", "", 2 * depth, numbered(self.tree, node));
        let opening = opening_at(&self.tree.board(node));
        let cells = [
            grouped(tally.games),
            percent(Some(share)),
            percent(tally.score()),
            percent(tally.draw_share()),
            text_of(tally.rating()),
            text_of(tally.performance()),
            text_of(Some(tally.last_year).filter(|year| *year > 0)),
            tally.longest.to_string(),
            percent(in_book),
            format!(" {}", bar(share, BAR)),
            text_of(opening.map(|opening| format!(" {} {}", opening.eco, opening.name))),
        ];
        self.table.row(&name, cells);
    }
}

/// Returns a move with its number: `1.e4`, `1...c5`.
fn numbered(tree: &OpeningTree, node: NodeId) -> String {
    let after = tree.board(node);
    let (number, dots) = match after.turn() {
        Color::Black => (after.fullmove_number(), "."),
        // The move number has been incremented after Black's move.
        Color::White => (after.fullmove_number().saturating_sub(1), "..."),
    };
    format!("{number}{dots}{}", tree.san(node))
}

/// Returns the numbers of a node, after its move.
fn numbers_of(tree: &OpeningTree, node: NodeId) -> Json {
    let tally: Tally = tree.tally(node);
    let opening = opening_at(&tree.board(node));
    let json = object! {
        "eco": opening.map(|opening| opening.eco.to_string()),
        "opening": opening.map(|opening| opening.name), "games": tally.games, "white": tally.white,
        "draws": tally.draws, "black": tally.black, "score": rounded(tally.score()),
        "rating": tally.rating(), "performance": tally.performance(),
        "lastYear": Some(tally.last_year).filter(|year| *year > 0), "longest": tally.longest,
    };
    if node == tree.root() {
        json
    } else {
        with_first(
            "san",
            tree.san(node),
            with_first("uci", tree.uci(node), json),
        )
    }
}

/// Returns a node with everything below it. The recursion is bounded by --depth.
fn json_of(tree: &OpeningTree, node: NodeId, book: &mut Option<MovesInBook<'_>>) -> Json {
    let mut json = numbers_of(tree, node);
    if let Json::Object(members) = &mut json {
        let moves = list(tree.moves(node).map(|node| json_of(tree, node, book)));
        members.insert("moves".to_owned(), moves);
        if let Some(book) = book {
            let moves = book.moves(&tree.board(node)).into_iter();
            let moves =
                moves.map(|(san, share)| object! { "san": san, "share": rounded(Some(share)) });
            members.insert("book".to_owned(), list(moves));
        }
    }
    json
}

/// Appends a row for each move below a node, and for each move that only the book has there. `line`
/// are the moves up to the node. The recursion is bounded by --depth.
fn push_rows(
    tree: &OpeningTree,
    node: NodeId,
    line: &str,
    book: &mut Option<MovesInBook<'_>>,
    rows: &mut Vec<Json>,
) {
    let board = tree.board(node);
    let extended = |san: &str| match (line, board.turn()) {
        ("", _) => game_label::numbered(&board, san),
        (line, Color::White) => format!("{line} {}", game_label::numbered(&board, san)),
        (line, Color::Black) => format!("{line} {san}"),
    };
    // At the depth of the tree there are no games to compare with.
    let is_compared = node == tree.root() || tree.moves(node).next().is_some();
    let in_book = book.as_mut().filter(|_| is_compared);
    let in_book = in_book.map(|book| book.moves(&board));
    for child in tree.moves(node) {
        let san = tree.san(child);
        let line = extended(&san);
        let mut row = with_first("line", line.as_str(), numbers_of(tree, child));
        if let (Some(in_book), Json::Object(row)) = (&in_book, &mut row) {
            let share = in_book.iter().find(|(book_san, _)| *book_san == san);
            let share = rounded(share.map(|(_, share)| *share));
            row.insert("book".to_owned(), share);
        }
        rows.push(row);
        push_rows(tree, child, &line, book, rows);
    }
    for (san, share) in in_book.into_iter().flatten() {
        if !tree.moves(node).any(|child| tree.san(child) == san) {
            rows.push(object! {
                "line": extended(&san), "san": san.as_str(), "games": 0,
                "book": rounded(Some(share)),
            });
        }
    }
}
