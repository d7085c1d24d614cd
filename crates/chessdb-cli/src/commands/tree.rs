//! The command `tree`: the moves played in a position.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::iter::Peekable;
use std::vec;

use chessdb::core::{Board, Color};
use chessdb::fs::{IndexUse, PlayedMove};
use chessdb::query::{NodeId, OpeningTree, Tally, TreeLine, line_board, opening_at};
use chessdb::{Database, Error, Game, Selection};

use crate::args::Tree;
use crate::commands::book::{BookFile, MovesInBook};
use crate::commands::database_scan::DatabaseScan;
use crate::commands::game_label;
use crate::exit::{Completion, Failure, Outcome};
use crate::json::{Json, SCHEMA, line, list, object};
use crate::output::{bar, column, count, grouped, stdout};
use crate::query::split_query;

/// The width of the longest bar.
const BAR: usize = 8;

pub(crate) fn run(args: &Tree) -> Outcome {
    let start = position(args.fen.as_deref(), args.line.as_deref())?;
    let book_file = args.book.as_deref().map(BookFile::read).transpose()?;
    let mut book = book_file.as_ref().map(MovesInBook::open).transpose()?;
    let tree = OpeningTree::new(start, args.depth.into()).count_variants(args.variants);
    let lines = tree.clone();
    let scan = DatabaseScan {
        words: &args.words,
        options: &args.scan_options,
    };
    let line_of = |db: &Database, game: &mut Game| -> Result<Option<(u32, TreeLine)>, Error> {
        let index = game.index();
        if db.is_stream() {
            return Ok(lines.line(game).map(|line| (index, line)));
        }
        let known = db.signature(index);
        let may_have = |feature| db.may_have(index, feature);
        if known.is_some_and(|known| !lines.may_be_in(&known, &may_have)) {
            return Ok(None);
        }
        let mut observer = lines.observer(known.and_then(|known| known.plies));
        db.observe_mainline(index, game, &mut observer)?;
        Ok(observer.finish(game).map(|line| (index, line)))
    };
    // One half-move in all games may be in the tree file. More are not: it counts each position by
    // itself, whatever moves lead to it.
    let is_all = split_query(&args.words).1.is_empty() && args.scan_options.choice.games.is_all();
    let can_look_up = is_all && args.depth == 1 && !args.variants;
    let counted = RefCell::new(CountedTree {
        tree,
        known: Vec::new().into_iter().peekable(),
    });
    let choose = |db: &Database| {
        let mut counted = counted.borrow_mut();
        counted.add_known(u32::MAX);
        let board = lines.board(lines.root());
        let Some(found) = can_look_up.then(|| db.position_moves(&board)).flatten() else {
            let is_chosen = !args.scan_options.choice.games.is_all();
            return candidates(db, &lines).filter(|_| !is_chosen);
        };
        let games = found.unread();
        counted.tree.add_tallies(&found.ended, []);
        counted.known = found.moves.into_iter().peekable();
        Some(games)
    };
    let add = |db: &Database, line: Option<(u32, TreeLine)>| {
        let Some((index, mut line)) = line else {
            return Ok(());
        };
        let mut counted = counted.borrow_mut();
        counted.add_known(index);
        let tree = &mut counted.tree;
        if tree.needs_count(&line) {
            let game = db.game(index)?;
            line = lines.line(&game).unwrap_or(line);
        }
        tree.add(&line);
        Ok(())
    };
    let outcome = scan.each_of_chosen(true, choose, line_of, add)?;
    let mut counted = counted.into_inner();
    counted.add_known(u32::MAX);
    let tree = counted.tree;
    let mut out = stdout();
    if args.json {
        let mut json = object([
            ("schema", SCHEMA.into()),
            ("bases", list(outcome.bases)),
            ("fen", tree.board(tree.root()).to_string().into()),
        ]);
        if let (Json::Object(members), Json::Object(root)) =
            (&mut json, json_of(&tree, tree.root(), &mut book))
        {
            members.extend(root);
        }
        writeln!(out, "{}", line(&json))?;
    } else {
        let page = TreeText {
            tree: &tree,
            all: tree.tally(tree.root()).games,
            bars: io::stdout().is_terminal(),
            book: book.as_mut(),
            text: String::new(),
        };
        out.write_all(page.print().as_bytes())?;
    }
    out.flush()?;
    if let Some(book) = &book {
        book.report();
    }
    let found = tree.tally(tree.root()).games;
    Ok(outcome.done.max(Completion::of_search(found)))
}

/// Returns the games that may have the position according to the index. `None` without an index, and
/// if most games may have it. Damaged games may have any position.
fn candidates(db: &Database, tree: &OpeningTree) -> Option<Selection> {
    if !matches!(db.indexed(), IndexUse::Used | IndexUse::Partial(..)) {
        return None;
    }
    let games = db.len().ok()?;
    let mut numbers = Vec::new();
    for first in (0..games).step_by(64) {
        let mut left = tree.candidates(&|feature| db.may_have(first, feature));
        while left != 0 {
            let game = first.saturating_add(left.trailing_zeros());
            left &= left - 1;
            if game < games {
                numbers.push(game + 1);
            }
        }
        // A list takes more memory than all games are worth.
        if numbers.len() > games as usize / 8 + 64 {
            return None;
        }
    }
    Some(Selection::in_order(numbers))
}

/// A tree, and the moves from the tree file of a database that are not in it yet.
struct CountedTree {
    tree: OpeningTree,
    known: Peekable<vec::IntoIter<PlayedMove>>,
}

impl CountedTree {
    /// Adds the known moves whose first game comes before this one: the order of moves with equally
    /// many games is that of their first games.
    fn add_known(&mut self, before: u32) {
        let is_before = |played: &PlayedMove| played.first_game < before;
        while let Some(played) = self.known.next_if(is_before) {
            let moves = [(played.mv, played.tally)];
            self.tree.add_tallies(&Tally::default(), moves);
        }
    }
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
    all: u64,
    bars: bool,
    book: Option<&'t mut MovesInBook<'b>>,
    text: String,
}

/// The moves of the games and of a book in one position.
struct TreeLevel {
    position: NodeId,
    moves: vec::IntoIter<NodeId>,
    /// The moves of the book that were not shown yet, each with its share.
    in_book: Vec<(String, f64)>,
}

impl TreeText<'_, '_> {
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
            let (score, draws) = (percent(score), percent(draws));
            let _ = write!(self.text, ": {score} for White, {draws} drawn");
        }
        self.text.push('\n');
        let first = self.level(root);
        if tree.moves(root).next().is_some() || !first.in_book.is_empty() {
            let _ = write!(
                self.text,
                "\n{:14}{:>10} {:>7} {:>7} {:>7} {:>6} {:>5} {:>5} {:>8}",
                "Move", "Games", "Share", "Score", "Draws", "Rating", "Perf", "Last", "Longest"
            );
            if self.book.is_some() {
                let _ = write!(self.text, " {:>7}", "Book");
            }
            self.text.push('\n');
        }
        // An explicit stack, so that a deep tree does not overflow the call stack.
        let mut open = vec![first];
        while let Some(level) = open.last_mut() {
            match level.moves.next() {
                Some(node) => {
                    let san = tree.san(node);
                    let at = level.in_book.iter().position(|(known, _)| *known == san);
                    let share = at.map(|at| level.in_book.remove(at).1);
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
                        let name = format!("{:indent$}{name}", "");
                        let _ = writeln!(self.text, "{name:14}{:>70}", percent(share));
                    }
                    open.pop();
                }
            }
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
        let share = tally.games as f64 / self.all.max(1) as f64;
        let name = format!("{:1$}{2}", "", 2 * depth, numbered(self.tree, node));
        let mut line = format!(
            "{name:14}{:>10} {:>7} {:>7} {:>7} {:>6} {:>5} {:>5} {:>8}",
            grouped(tally.games),
            percent(share),
            tally.score().map(percent).unwrap_or_default(),
            tally.draw_share().map(percent).unwrap_or_default(),
            or_blank(tally.rating()),
            or_blank(tally.performance()),
            or_blank(Some(tally.last_year).filter(|year| *year > 0)),
            tally.longest,
        );
        if self.book.is_some() {
            let share = in_book.map(percent).unwrap_or_default();
            let _ = write!(line, " {share:>7}");
        }
        if self.bars {
            line.push_str("  ");
            column(&mut line, &bar(share, BAR), BAR);
        }
        if let Some(opening) = opening_at(&self.tree.board(node)) {
            let _ = write!(line, "  {} {}", opening.eco, opening.name);
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
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

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn or_blank(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns a node with everything below it. The recursion is bounded by --depth.
fn json_of(tree: &OpeningTree, node: NodeId, book: &mut Option<MovesInBook<'_>>) -> Json {
    let tally: Tally = tree.tally(node);
    let rounded = |share: f64| (share * 10_000.0).round() / 10_000.0;
    let opening = opening_at(&tree.board(node));
    let mut json = object([
        ("eco", opening.map(|opening| opening.eco.to_string()).into()),
        ("opening", opening.map(|opening| opening.name).into()),
        ("games", tally.games.into()),
        ("white", tally.white.into()),
        ("draws", tally.draws.into()),
        ("black", tally.black.into()),
        ("score", tally.score().map(rounded).into()),
        ("rating", tally.rating().into()),
        ("performance", tally.performance().into()),
        (
            "lastYear",
            Some(tally.last_year).filter(|year| *year > 0).into(),
        ),
        ("longest", tally.longest.into()),
        (
            "moves",
            list(tree.moves(node).map(|node| json_of(tree, node, book))),
        ),
    ]);
    if let (Some(book), Json::Object(members)) = (book, &mut json) {
        let moves = book.moves(&tree.board(node)).into_iter();
        let moves = moves
            .map(|(san, share)| object([("san", san.into()), ("share", rounded(share).into())]));
        members.insert("book".to_owned(), list(moves));
    }
    if node != tree.root()
        && let Json::Object(members) = &mut json
    {
        members.shift_insert(0, "san".to_owned(), tree.san(node).into());
        members.shift_insert(1, "uci".to_owned(), tree.uci(node).into());
    }
    json
}
