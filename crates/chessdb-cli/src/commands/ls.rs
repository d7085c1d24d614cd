//! The command `ls`: one line per game. `find` prints the same line and the matching position.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use chessdb::columns::{Column, names};
use chessdb::core::model::{GameFlags, evaluation_sign};
use chessdb::core::text::TextId;
use chessdb::explorer::PositionMoves;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::{Color, Database, Game, Selection};

use super::arrangement::{GameRequest, ReadDepth};
use crate::advice::SearchAdvice;
use crate::args::{Arrangement, ColumnChoice, Ls, ScanOptions};
use crate::columns::ListColumns;
use crate::csv;
use crate::exit::{Completion, Failure, Outcome, note};
use crate::findings::{Finding, FindingLog};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{DatabaseList, Json, Quoted, line, object};
use crate::output::{column, stdout, width};
use crate::query::QueryWords;

pub(crate) fn run(args: &Ls) -> Outcome {
    GameList {
        form: ListForm::Headers,
        columns: args.columns.as_ref(),
        arrangement: &args.arrangement,
        json: args.json,
        csv: args.csv,
        options: &args.scan_options,
    }
    .print()
}

/// The form in which matching games are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListForm {
    /// The headers.
    Headers,
    /// The headers and the matching position.
    Hits,
    /// The game numbers.
    Ids,
    /// The number of games.
    Count,
}

/// A list to print: the games and the form.
pub(super) struct GameList<'a> {
    pub(super) form: ListForm,
    pub(super) columns: Option<&'a ColumnChoice>,
    pub(super) arrangement: &'a Arrangement,
    pub(super) json: bool,
    pub(super) csv: bool,
    pub(super) options: &'a ScanOptions,
}

impl GameList<'_> {
    pub(super) fn print(&self) -> Outcome {
        let chosen = match self.columns {
            Some(ColumnChoice::Help) => return print_names(),
            Some(ColumnChoice::These(columns)) => Some(columns.clone()),
            None => None,
        };
        if self.options.choice.words.is_empty() {
            return Err(Failure::usage("missing database"));
        }
        let (paths, query) = self.options.choice.databases_and_query()?;
        let inputs = Inputs::new(paths, &self.options.input_options);
        let several = inputs.are_several();
        // Sorted games of several databases are one list.
        let is_mixed = several && self.arrangement.sort.is_some();
        let aligned = !self.json && !self.csv && io::stdout().is_terminal();
        let columns = chosen.clone().unwrap_or_default();
        let columns = if aligned && is_mixed || self.csv && several {
            columns.after_base()
        } else {
            columns
        };
        let has_hits = self.form == ListForm::Hits && chosen.is_none();
        let columns = if has_hits { columns.with_hit() } else { columns };
        // Numbers are printed without reading the headers.
        let has_headers = matches!(self.form, ListForm::Headers | ListForm::Hits);
        // Counting the kinds of words takes time, so it is done only where the result is read.
        let words = has_headers && (self.json || io::stderr().is_terminal());
        let words = words.then(|| QueryWords::new(&query));
        let mut out = stdout();
        let mut printer = Printer {
            list: self,
            query,
            widths: aligned.then(|| columns.widths(width(), chosen.is_none())),
            columns,
            is_chosen: chosen.is_some(),
            several,
            advice: SearchAdvice::default(),
            words,
            is_mixed,
            listed: 0,
            is_damaged: false,
            is_titled: false,
            document: DatabaseList::begin(several && self.json, &mut out)?,
            out,
            line: Vec::new(),
        };
        let mut arrangement = self.arrangement.clone();
        if self.form == ListForm::Count {
            // The order does not matter, and each database has its own count.
            arrangement.sort = None;
        }
        let query = Arc::clone(&printer.query);
        let request = GameRequest {
            games: &self.options.choice.games,
            query: &query,
            jobs: self.options.jobs,
            depth: printer.depth(),
            keeps_damaged: false,
            strict: self.options.strict,
        };
        let access = self.arrangement.access(match self.form {
            ListForm::Headers => Access::Random,
            _ => Access::InOrder,
        });
        let open = |path: &Path| {
            let (options, jobs) = (&self.options.input_options, self.options.jobs);
            input::open_for_search(query.needs_positions(), path, options, jobs, access)
        };
        let (done, unread) =
            arrangement.print_all(&inputs, &request, open, |path, db, games, is_first| {
                printer.base(path, db, games, is_first)
            })?;
        if !several {
            return printer.finish(done);
        }
        if self.json {
            let total = match self.form {
                ListForm::Count => format!(",\"total\":{}", printer.listed),
                _ => String::new(),
            };
            let more = total + &printer.words_member();
            printer.document.end(&unread, &more, &mut printer.out)?;
        } else if self.form == ListForm::Count {
            writeln!(printer.out, "total\t{}", printer.listed)?;
        }
        printer.finish(done)
    }
}

/// Prints the names of the columns.
fn print_names() -> Outcome {
    let mut out = stdout();
    for name in names() {
        writeln!(out, "{name}")?;
    }
    out.flush()?;
    Ok(Completion::Success)
}

struct Printer<'a, W> {
    list: &'a GameList<'a>,
    query: Arc<Query>,
    out: W,
    columns: ListColumns,
    /// The widths of the columns on a terminal.
    widths: Option<Vec<usize>>,
    /// Whether the user named the columns.
    is_chosen: bool,
    /// Whether every line names its database.
    several: bool,
    /// Advice, if no game or few games match.
    advice: SearchAdvice,
    /// The words of the query in the games, if they are counted.
    words: Option<QueryWords>,
    /// Whether games of several databases are mixed.
    is_mixed: bool,
    listed: u64,
    /// Whether any data of a game or database was lost.
    is_damaged: bool,
    /// Whether the titles of the columns are printed.
    is_titled: bool,
    document: DatabaseList,
    /// A buffer for a line of output.
    line: Vec<u8>,
}

impl<W: Write> Printer<'_, W> {
    /// Returns whether any game was found. A list of all games of an empty database is complete.
    fn search_result(&self) -> Completion {
        let narrowed = !self.query.is_empty() || !self.list.options.choice.games.is_all();
        if narrowed || self.is_damaged {
            Completion::of_search(self.listed)
        } else {
            Completion::Success
        }
    }

    fn finish(mut self, done: Completion) -> Outcome {
        self.out.flush()?;
        let result = self.search_result();
        let is_listed = matches!(self.list.form, ListForm::Headers | ListForm::Hits);
        if result == Completion::Negative && is_listed {
            note("chessdb: no matching game");
        }
        self.advice.say(self.listed);
        if let (Some(words), false) = (&self.words, self.list.json) {
            words.say();
        }
        Ok(done.max(result))
    }

    /// Returns the member of a JSON object with the words of the query, if they are counted.
    fn words_member(&self) -> String {
        let words = self.words.as_ref();
        words.map_or_else(String::new, QueryWords::json_member)
    }

    fn depth(&self) -> ReadDepth {
        match self.list.form {
            ListForm::Headers | ListForm::Hits if self.columns.need_moves() => ReadDepth::Moves,
            ListForm::Headers | ListForm::Hits => ReadDepth::Headers,
            ListForm::Ids | ListForm::Count => ReadDepth::Numbers,
        }
    }

    /// Prints the matching games among `games` of a database. The findings about the database itself
    /// are reported only for the first of its runs.
    fn base(&mut self, path: &Path, db: &Database, games: &Selection, is_first: bool) -> Outcome {
        let list = self.list;
        let name = db.path().unwrap_or(path).display().to_string();
        if list.csv {
            if !std::mem::replace(&mut self.is_titled, true) {
                let mut titles = String::new();
                csv::push_row(&mut titles, self.columns.iter().map(Column::json));
                self.out.write_all(titles.as_bytes())?;
            }
        } else if list.json {
            let (base, format) = (Quoted(&name), Quoted(db.format().id));
            self.document.open(&mut self.out)?;
            write!(self.out, "\"base\":{base},\"format\":{format}")?;
            if list.form != ListForm::Count {
                write!(self.out, ",\"games\":[")?;
            }
        } else if let (Some(widths), ListForm::Headers | ListForm::Hits) = (&self.widths, list.form)
        {
            if self.several && !self.is_mixed {
                writeln!(self.out, "{}:", shown(&name))?;
            }
            if !self.is_mixed || !self.is_titled {
                let titles = self.columns.iter().map(Column::title);
                writeln!(self.out, "{}", align(titles, widths))?;
            }
            self.is_titled = true;
        }
        let start = Instant::now();
        let mut findings = FindingLog::from_name(shown(&path).to_string());
        if is_first {
            findings.add_all(Finding::lost(db.diagnostics()));
        }
        let shown_name = shown(&name).to_string();
        let mut failure = None;
        // The tree file may cover only the first games; the others are read.
        let from_tree = self.count_from_tree(db, games);
        let mut of_base = from_tree.as_ref().map_or(0, PositionMoves::games);
        let scan = db.scan();
        let scan = match &from_tree {
            Some(moves) => scan.select(moves.unread()),
            None => scan.select(games.clone()),
        };
        let scan = match self.depth() {
            // Damage in the moves is an error, so they are read.
            _ if list.options.strict => scan,
            ReadDepth::Moves => scan,
            ReadDepth::Headers => scan.headers(),
            ReadDepth::Numbers => scan.numbers(),
        };
        let result = scan
            .filter(Arc::clone(&self.query))
            .for_each(|game, result| {
                if let Err(error) = &result {
                    findings.add(error);
                    return ControlFlow::Continue(());
                }
                findings.add_all(Finding::lost(game.diagnostics()));
                of_base += 1;
                if let Some(words) = &mut self.words {
                    words.add(game);
                }
                match self.show(&shown_name, game, of_base == 1) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            });
        if let Some(error) = failure {
            return Err(error.into());
        }
        // Also after an error, which is returned below, so that the document is complete.
        match (list.form, list.json) {
            (ListForm::Count, true) => write!(self.out, ",\"count\":{of_base}")?,
            (_, true) if self.several => write!(self.out, "\n]")?,
            (_, true) => write!(self.out, "\n]{}", self.words_member())?,
            (ListForm::Count, false) if self.several && of_base == 0 => {}
            (ListForm::Count, false) if self.several => {
                writeln!(self.out, "{}\t{of_base}", shown(&name))?;
            }
            (ListForm::Count, false) => writeln!(self.out, "{of_base}")?,
            (_, false) => {}
        }
        if list.json {
            self.document.close(&mut self.out)?;
        }
        let diagnostics = result?;
        if is_first {
            findings.add_all(Finding::lost(&diagnostics));
        }
        self.listed += of_base;
        // Of a part of the games, few matches are no reason for advice.
        let is_limited = !list.arrangement.is_nothing() || !games.is_all();
        if !list.json && (self.listed == 0 || !is_limited) {
            let (searched, is_only) = (start.elapsed(), !self.several);
            self.advice
                .look(&self.query, db, self.listed, searched, is_only);
        }
        let is_damaged = findings.finish() > 0;
        self.is_damaged |= is_damaged;
        Ok(Completion::of_reading(is_damaged, list.options.strict))
    }

    /// Returns the games of the position, if only their number is wanted and the tree file has it.
    fn count_from_tree(&self, db: &Database, games: &Selection) -> Option<PositionMoves> {
        let is_count = self.list.form == ListForm::Count && games.is_all();
        let position = self.query.exact_position()?;
        // With --strict the games are read, to find damage.
        (is_count && !self.list.options.strict)
            .then(|| db.position_moves(position))
            .flatten()
    }

    fn show(&mut self, base: &str, game: &Game, is_first: bool) -> io::Result<()> {
        let form = self.list.form;
        if form == ListForm::Count {
            return Ok(());
        }
        if self.list.json {
            let comma = if is_first { "" } else { "," };
            let json = match form {
                ListForm::Ids => game.number().into(),
                _ if self.is_chosen => chosen_json(game, base, &self.columns),
                form => json(game, form),
            };
            return write!(self.out, "{comma}\n{}", line(&json));
        }
        let line = &mut self.line;
        line.clear();
        if self.list.csv {
            fields(&self.columns, base, game, line);
            let mut row = String::new();
            csv::push_row(&mut row, String::from_utf8_lossy(line).split('\t'));
            return self.out.write_all(row.as_bytes());
        }
        if self.several && self.widths.is_none() {
            line.extend_from_slice(base.as_bytes());
            line.push(b'\t');
        }
        match (form, &self.widths) {
            (ListForm::Ids, _) => write!(line, "{}", game.number())?,
            (_, Some(widths)) => {
                fields(&self.columns, base, game, line);
                let aligned = align(String::from_utf8_lossy(line).split('\t'), widths);
                line.clear();
                line.extend_from_slice(aligned.as_bytes());
            }
            _ => {
                fields(&self.columns, base, game, line);
                // The ply and position of no match are omitted, and the missing mark of deletion.
                let empty = match form {
                    _ if self.is_chosen => 0,
                    ListForm::Hits if game.found().hit().is_some() => 0,
                    ListForm::Hits => 3,
                    _ => 1,
                };
                for _ in 0..empty {
                    line.truncate(line.len() - usize::from(line.ends_with(b"\t")));
                }
            }
        }
        line.push(b'\n');
        self.out.write_all(line)
    }
}

/// Appends the values of the columns, separated by tabs. No value contains a tab.
fn fields(columns: &ListColumns, base: &str, game: &Game, line: &mut Vec<u8>) {
    for (n, column) in columns.iter().enumerate() {
        if n > 0 {
            line.push(b'\t');
        }
        column.append(base, game, line);
    }
}

/// Returns the columns that have a width, each padded or shortened to it.
fn align<'t>(columns: impl Iterator<Item = &'t str>, widths: &[usize]) -> String {
    let mut line = String::new();
    for (text, width) in columns.zip(widths).filter(|(_, width)| **width > 0) {
        column(&mut line, text, *width);
        line.push(' ');
    }
    line.truncate(line.trim_end().len());
    line
}

/// Returns the chosen columns: those of [`json`] with its values, the others as texts.
fn chosen_json(game: &Game, base: &str, columns: &ListColumns) -> Json {
    let Json::Object(mut all) = json(game, ListForm::Hits) else {
        return Json::Null;
    };
    let value = |column: &Column| {
        let value = all.remove(column.json()).unwrap_or_else(|| {
            let mut text = Vec::new();
            column.append(base, game, &mut text);
            let text = String::from_utf8_lossy(&text);
            match text.parse::<u64>() {
                _ if text.is_empty() => Json::Null,
                Ok(number) if column.is_number() => number.into(),
                _ => text.into(),
            }
        });
        (column.json().to_owned(), value)
    };
    Json::Object(columns.iter().map(value).collect())
}

fn json(game: &Game, form: ListForm) -> Json {
    let header = &game.header;
    let text = |id: TextId| -> Json {
        id.is_some()
            .then(|| game.text(id).decode().into_owned())
            .into()
    };
    let rating = |color: Color| -> Json {
        header
            .player(color)
            .rating
            .map(|rating| u32::from(rating.value))
            .into()
    };
    let mut json = object! {
        "game": game.number(), "date": game.effective_date().to_string(),
        "white": text(header.white.name.text), "whiteElo": rating(Color::White),
        "black": text(header.black.name.text), "blackElo": rating(Color::Black),
        "result": header.outcome.as_pgn(),
        "evaluation": header.line_evaluation(&game.texts).map(|nag| evaluation_sign(nag).into_owned()),
        "eco": header.eco.map(|eco| eco.to_string()), "event": text(header.event.text),
        "site": text(header.site.text), "round": text(header.round.text),
        "deleted": header.flags.contains(GameFlags::DELETED),
    };
    if form == ListForm::Hits
        && let Json::Object(members) = &mut json
    {
        let hit = game.found().hit();
        members.insert("ply".to_owned(), hit.map(|hit| hit.ply()).into());
        let fen = hit.map(|hit| hit.board().to_string());
        members.insert("fen".to_owned(), fen.into());
    }
    json
}
