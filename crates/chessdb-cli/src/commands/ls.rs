//! The command `ls`: one line per game. `find` prints the same line and the matching position.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::core::model::{GameFlags, evaluation_sign};
use chessdb::core::text::{TextId, push_number};
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::{Color, Game};

use crate::args::{GameChoice, InputOptions, Jobs, Ls};
use crate::exit::{Completion, Outcome};
use crate::findings::{Finding, FindingLog};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::{Json, Quoted, SCHEMA, line, object};
use crate::output::{column, push_plain, stdout};
use crate::query;

/// The columns and their widths on a terminal.
const COLUMNS: [(&str, usize); 12] = [
    ("Game", 7),
    ("Date", 10),
    ("White", 22),
    ("Elo", 4),
    ("Black", 22),
    ("Elo", 4),
    ("Result", 7),
    ("ECO", 5),
    ("Event", 24),
    ("Site", 16),
    ("Round", 5),
    ("", 7),
];

pub(crate) fn run(args: &Ls) -> Outcome {
    GameList {
        words: &args.words,
        choice: &args.choice,
        form: ListForm::Headers,
        json: args.json,
        input_options: &args.input_options,
        strict: args.strict,
        jobs: args.jobs,
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
    /// The databases and the query.
    pub(super) words: &'a [PathBuf],
    pub(super) choice: &'a GameChoice,
    pub(super) form: ListForm,
    pub(super) json: bool,
    pub(super) input_options: &'a InputOptions,
    /// Whether damage is an error.
    pub(super) strict: bool,
    pub(super) jobs: Jobs,
}

impl GameList<'_> {
    pub(super) fn print(&self) -> Outcome {
        let (paths, terms) = query::split_query(self.words);
        let query = query::read(terms, self.choice.position_options)?;
        let inputs = Inputs::of(paths, self.input_options);
        let several = inputs.are_several();
        let mut printer = Printer {
            list: self,
            query,
            out: stdout(),
            aligned: !self.json && io::stdout().is_terminal(),
            several,
            listed: 0,
            is_damaged: false,
            bases: 0,
            line: Vec::new(),
        };
        if let ([base], false) = (inputs.bases.as_slice(), several) {
            let done = printer.base(&base.path)?;
            printer.out.flush()?;
            return Ok(done.max(printer.found()));
        }
        if self.json {
            write!(printer.out, "{{\"schema\":{SCHEMA},\"bases\":[")?;
        }
        let mut unread = Vec::new();
        let done = inputs.each(
            |base| printer.base(&base.path),
            |name, message| unread.push(failed_json(name, message)),
        )?;
        if self.json {
            for failed in unread {
                let comma = printer.comma();
                write!(printer.out, "{comma}\n{}", line(&failed))?;
            }
            writeln!(printer.out, "\n]}}")?;
        }
        printer.out.flush()?;
        Ok(done.max(printer.found()))
    }
}

struct Printer<'a, W> {
    list: &'a GameList<'a>,
    query: Arc<Query>,
    out: W,
    aligned: bool,
    /// Whether every line names its database.
    several: bool,
    listed: u64,
    /// Whether any data of a game or database was lost.
    is_damaged: bool,
    bases: u64,
    /// A buffer for a line of output.
    line: Vec<u8>,
}

impl<W: Write> Printer<'_, W> {
    /// Returns whether any game was found. A list of all games of an empty database is complete.
    fn found(&self) -> Completion {
        let narrowed = !self.query.is_empty() || !self.list.choice.games.is_all();
        match narrowed || self.is_damaged {
            true => Completion::of_search(self.listed),
            false => Completion::Success,
        }
    }

    fn comma(&mut self) -> &'static str {
        self.bases += 1;
        if self.bases == 1 { "" } else { "," }
    }

    fn base(&mut self, path: &Path) -> Outcome {
        let list = self.list;
        let access = match list.form {
            ListForm::Headers => Access::Random,
            _ => Access::InOrder,
        };
        let positions = self.query.needs_positions();
        let db = input::open_for_search(positions, path, list.input_options, list.jobs, access)?;
        let name = db.path().unwrap_or(path).display().to_string();
        if list.json {
            let (base, format) = (Quoted(&name), Quoted(db.format().id));
            let opening = format!("\"base\":{base},\"format\":{format}");
            match self.several {
                true => {
                    let comma = self.comma();
                    write!(self.out, "{comma}\n{{{opening}")?;
                }
                false => write!(self.out, "{{\"schema\":{SCHEMA},{opening}")?,
            }
            if list.form != ListForm::Count {
                write!(self.out, ",\"games\":[")?;
            }
        } else if self.aligned && matches!(list.form, ListForm::Headers | ListForm::Hits) {
            if self.several {
                writeln!(self.out, "{}:", shown(&name))?;
            }
            let mut titles = align(COLUMNS.into_iter().map(|(name, _)| name));
            if list.form == ListForm::Hits {
                titles.push_str("         Ply Position");
            }
            writeln!(self.out, "{titles}")?;
        }
        let mut findings = FindingLog::of(shown(&path).to_string());
        findings.add_all(Finding::lost(db.diagnostics()));
        let shown_name = shown(&name).to_string();
        let mut failure = None;
        let mut of_base = 0;
        let scan = db.scan().select(list.choice.games.clone());
        let scan = match list.form {
            // Damage in the moves is an error, so they are read.
            _ if list.strict => scan,
            ListForm::Headers | ListForm::Hits => scan.headers(),
            ListForm::Ids | ListForm::Count => scan.numbers(),
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
        match (list.form, list.json) {
            (ListForm::Count, true) => write!(self.out, ",\"count\":{of_base}}}")?,
            (_, true) => write!(self.out, "\n]}}")?,
            (ListForm::Count, false) if self.several => {
                writeln!(self.out, "{}\t{of_base}", shown(&name))?;
            }
            (ListForm::Count, false) => writeln!(self.out, "{of_base}")?,
            (_, false) => {}
        }
        if list.json && !self.several {
            writeln!(self.out)?;
        }
        findings.add_all(Finding::lost(&result?));
        self.listed += of_base;
        let is_damaged = findings.finish() > 0;
        self.is_damaged |= is_damaged;
        Ok(Completion::of_reading(is_damaged, list.strict))
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
                form => json(game, form),
            };
            return write!(self.out, "{comma}\n{}", line(&json));
        }
        let line = &mut self.line;
        line.clear();
        if self.several && !self.aligned {
            line.extend_from_slice(base.as_bytes());
            line.push(b'\t');
        }
        match form {
            ListForm::Ids => write!(line, "{}", game.number())?,
            form if self.aligned => {
                columns(game, line);
                let aligned = align(String::from_utf8_lossy(line).split('\t'));
                line.clear();
                match game.found().hit() {
                    Some(hit) if form == ListForm::Hits => {
                        write!(line, "{aligned:WIDTH$} {:3} {}", hit.ply(), hit.board())?;
                    }
                    _ => line.extend_from_slice(aligned.as_bytes()),
                }
            }
            form => fields(game, form, line)?,
        }
        line.push(b'\n');
        self.out.write_all(line)
    }
}

/// The width of a line before the position.
const WIDTH: usize = 135;

/// Appends the columns, separated by tabs. Empty columns at the end are omitted.
fn fields(game: &Game, form: ListForm, line: &mut Vec<u8>) -> io::Result<()> {
    columns(game, line);
    match game.found().hit() {
        Some(hit) if form == ListForm::Hits => write!(line, "\t{}\t{}", hit.ply(), hit.board())?,
        _ if line.ends_with(b"\t") => line.truncate(line.len() - 1),
        _ => {}
    }
    Ok(())
}

/// Appends all columns, separated by tabs. No text contains a tab.
fn columns(game: &Game, line: &mut Vec<u8>) {
    let header = &game.header;
    let text = |id: TextId, line: &mut Vec<u8>| {
        push_plain(game.text(id), line);
        line.push(b'\t');
    };
    let player = |color: Color, line: &mut Vec<u8>| {
        let player = header.player(color);
        text(player.name.text, line);
        if let Some(rating) = player.rating {
            push_number(rating.value.into(), line);
        }
        line.push(b'\t');
    };
    push_number(game.number(), line);
    line.push(b'\t');
    header.date.write_pgn(line);
    line.push(b'\t');
    player(Color::White, line);
    player(Color::Black, line);
    line.extend_from_slice(header.shown_result(&game.texts).as_bytes());
    line.push(b'\t');
    if let Some(eco) = header.eco {
        eco.write_ascii(line);
    }
    line.push(b'\t');
    text(header.event.text, line);
    text(header.site.text, line);
    text(header.round.text, line);
    if header.flags.contains(GameFlags::DELETED) {
        line.extend_from_slice(b"deleted");
    }
}

/// Returns the columns aligned with their headings.
fn align<'t>(columns: impl Iterator<Item = &'t str>) -> String {
    let mut line = String::new();
    for (text, (_, width)) in columns.zip(COLUMNS) {
        column(&mut line, text, width);
        line.push(' ');
    }
    line.truncate(line.trim_end().len());
    line
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
    let mut json = object([
        ("game", game.number().into()),
        ("date", header.date.to_string().into()),
        ("white", text(header.white.name.text)),
        ("whiteElo", rating(Color::White)),
        ("black", text(header.black.name.text)),
        ("blackElo", rating(Color::Black)),
        ("result", header.outcome.as_pgn().into()),
        (
            "evaluation",
            header
                .line_evaluation(&game.texts)
                .map(|nag| evaluation_sign(nag).into_owned())
                .into(),
        ),
        ("eco", header.eco.map(|eco| eco.to_string()).into()),
        ("event", text(header.event.text)),
        ("site", text(header.site.text)),
        ("round", text(header.round.text)),
        ("deleted", header.flags.contains(GameFlags::DELETED).into()),
    ]);
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
