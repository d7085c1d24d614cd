//! `ls`: one line per game.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::core::{GameFlags, TextId};
use chessdb::fs::in_archive;
use chessdb::{Color, Diagnostic, Game, Severity};

use crate::args::Ls;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::inputs::{Inputs, failed_json};
use crate::json::{Json, Quoted, SCHEMA, line, object};
use crate::output::{column, plain, stdout};
use crate::query::Query;

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
    let (paths, terms) = arguments(args);
    let query = Query::parse(terms).map_err(Failure::Usage)?;
    let inputs = Inputs::of(&paths, args.reading.wanted());
    let several = inputs.are_several();
    let mut list = List {
        args,
        query: &query,
        out: stdout(),
        aligned: !args.json && io::stdout().is_terminal(),
        several,
        listed: 0,
        bases: 0,
    };
    if let ([base], false) = (inputs.bases.as_slice(), several) {
        let done = list.base(&base.path)?;
        list.out.flush()?;
        return Ok(if list.is_empty() { Done::No } else { done });
    }
    if args.json {
        write!(list.out, "{{\"schema\":{SCHEMA},\"bases\":[")?;
    }
    let mut unread = Vec::new();
    let done = inputs.each(
        |base| list.base(&base.path),
        |name, message| unread.push(failed_json(name, message)),
    )?;
    if args.json {
        for failed in unread {
            let comma = list.comma();
            write!(list.out, "{comma}\n{}", line(&failed))?;
        }
        writeln!(list.out, "\n]}}")?;
    }
    list.out.flush()?;
    Ok(if list.is_empty() {
        done.max(Done::No)
    } else {
        done
    })
}

/// Bases and terms: the first word is a base, and so are those after it that are there.
fn arguments(args: &Ls) -> (Vec<PathBuf>, &[String]) {
    let is_there =
        |word: &&String| Path::new(word).exists() || in_archive(Path::new(word)).is_some();
    let more = args.query.iter().take_while(is_there).count();
    let (more, terms) = args.query.split_at(more);
    let bases = std::iter::once(args.base.clone()).chain(more.iter().map(PathBuf::from));
    (bases.collect(), terms)
}

struct List<'a, W> {
    args: &'a Ls,
    query: &'a Query,
    out: W,
    aligned: bool,
    /// Whether every line says of which base it is.
    several: bool,
    listed: u64,
    bases: u64,
}

impl<W: Write> List<'_, W> {
    /// Whether nothing was found that was looked for.
    fn is_empty(&self) -> bool {
        let narrowed = !self.query.is_empty() || !self.args.games.is_all();
        narrowed && self.listed == 0
    }

    fn comma(&mut self) -> &'static str {
        self.bases += 1;
        if self.bases == 1 { "" } else { "," }
    }

    fn base(&mut self, path: &Path) -> Outcome {
        let args = self.args;
        let db = input::open(path, &args.reading, args.jobs, Access::Random)?;
        let name = db.path().unwrap_or(path).display().to_string();
        if args.json {
            let (base, format) = (Quoted(&name), Quoted(db.format().id));
            let head = format!("\"base\":{base},\"format\":{format},\"games\":[");
            match self.several {
                true => {
                    let comma = self.comma();
                    write!(self.out, "{comma}\n{{{head}")?;
                }
                false => write!(self.out, "{{\"schema\":{SCHEMA},{head}")?,
            }
        } else if self.aligned {
            if self.several {
                writeln!(self.out, "{}:", plain(&name))?;
            }
            writeln!(
                self.out,
                "{}",
                align(COLUMNS.map(|(name, _)| name.to_owned()))
            )?;
        }
        // Oddities are for `check`, but what is not there at all must not be missing without a word.
        let say_lost = |found: &[Diagnostic]| -> u64 {
            let lost = found
                .iter()
                .filter(|found| found.severity == Severity::Lost);
            lost.map(|lost| say(format_args!("{}: {lost}", path.display())))
                .count() as u64
        };
        let mut unread = say_lost(db.diagnostics());
        let mut failure = None;
        let mut of_base = 0;
        let scan = db.scan().select(args.games.clone()).heads();
        let result = scan.for_each(|game, result| {
            if let Err(error) = result {
                unread += 1;
                say(format_args!("{}: {}", path.display(), error.problem()));
                return ControlFlow::Continue(());
            }
            unread += say_lost(game.diagnostics());
            if !self.query.fits(game) {
                return ControlFlow::Continue(());
            }
            of_base += 1;
            match self.show(&name, game, of_base == 1) {
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
        if args.json {
            write!(self.out, "\n]}}{}", if self.several { "" } else { "\n" })?;
        }
        unread += say_lost(&result?);
        self.listed += of_base;
        Ok(if unread > 0 { Done::No } else { Done::Yes })
    }

    fn show(&mut self, base: &str, game: &Game, is_first: bool) -> io::Result<()> {
        if self.args.json {
            let comma = if is_first { "" } else { "," };
            write!(self.out, "{comma}\n{}", line(&json(game)))
        } else if self.aligned {
            writeln!(self.out, "{}", align(columns(game)))
        } else if self.several {
            writeln!(self.out, "{}\t{}", plain(base), fields(game))
        } else {
            writeln!(self.out, "{}", fields(game))
        }
    }
}

/// The columns divided by tabs. The last one is there only if there is something to say.
fn fields(game: &Game) -> String {
    let mut fields = columns(game).join("\t");
    if fields.ends_with('\t') {
        fields.pop();
    }
    fields
}

fn columns(game: &Game) -> [String; 12] {
    let text = |id: TextId| plain(&game.text(id).decode());
    let rating = |color: Color| {
        game.head
            .player(color)
            .rating
            .map(|rating| rating.value.to_string())
            .unwrap_or_default()
    };
    let head = &game.head;
    [
        game.number().to_string(),
        head.date.to_string(),
        text(head.white.name.text),
        rating(Color::White),
        text(head.black.name.text),
        rating(Color::Black),
        head.outcome.to_string(),
        head.eco.map(|eco| eco.to_string()).unwrap_or_default(),
        text(head.event.text),
        text(head.site.text),
        text(head.round.text),
        match head.flags.contains(GameFlags::DELETED) {
            true => "deleted".to_owned(),
            false => String::new(),
        },
    ]
}

fn align(columns: [String; 12]) -> String {
    let mut line = String::new();
    for (text, (_, width)) in columns.iter().zip(COLUMNS) {
        column(&mut line, text, width);
        line.push(' ');
    }
    line.truncate(line.trim_end().len());
    line
}

fn json(game: &Game) -> Json {
    let head = &game.head;
    let text = |id: TextId| -> Json {
        id.is_some()
            .then(|| game.text(id).decode().into_owned())
            .into()
    };
    let rating = |color: Color| -> Json {
        head.player(color)
            .rating
            .map(|rating| u32::from(rating.value))
            .into()
    };
    object([
        ("game", game.number().into()),
        ("date", head.date.to_string().into()),
        ("white", text(head.white.name.text)),
        ("whiteElo", rating(Color::White)),
        ("black", text(head.black.name.text)),
        ("blackElo", rating(Color::Black)),
        ("result", head.outcome.as_pgn().into()),
        ("eco", head.eco.map(|eco| eco.to_string()).into()),
        ("event", text(head.event.text)),
        ("site", text(head.site.text)),
        ("round", text(head.round.text)),
        ("deleted", head.flags.contains(GameFlags::DELETED).into()),
    ])
}
