//! `ls`: one line per game.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

use chessdb::convert::{Executor, Item, Task};
use chessdb::fs::Progress;
use chessdb::{Color, Diagnostic, Game, GameFlags, Severity, TextId};

use crate::args::Ls;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::jobs::Threads;
use crate::json::{Json, Quoted, SCHEMA, line, object};
use crate::output::{column, plain, stdout};
use crate::query::Query;

/// The columns and their widths on a terminal.
const COLUMNS: [(&str, usize); 11] = [
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
];

pub(crate) fn run(args: &Ls) -> Outcome {
    let query = Query::parse(&args.query).map_err(Failure::Usage)?;
    let loaded = input::load(input::find(&args.base, &args.reading)?, Access::Random)?;
    let mut opened = loaded.open(&args.reading, &Progress::default())?;
    let mut out = stdout();
    let aligned = !args.json && io::stdout().is_terminal();
    if args.json {
        let format = loaded.format().id;
        let base = loaded.path().display().to_string();
        write!(
            out,
            "{{\"schema\":{SCHEMA},\"base\":{},\"format\":{},\"games\":[",
            Quoted(&base),
            Quoted(format)
        )?;
    } else if aligned {
        writeln!(out, "{}", align(COLUMNS.map(|(name, _)| name.to_owned())))?;
    }
    let task = Task {
        selection: args.games.clone(),
        heads_only: true,
    };
    let mut listed = 0_u64;
    // Oddities are for `check`, but what is not there at all must not be missing without a word.
    let say_lost = |found: &[Diagnostic]| -> u64 {
        let lost = found
            .iter()
            .filter(|found| found.severity == Severity::Lost);
        lost.map(|lost| say(format_args!("{}: {lost}", args.base.display())))
            .count() as u64
    };
    let mut unread = say_lost(opened.diagnostics());
    let mut failure = None;
    let mut show = |item: &Item| -> io::Result<()> {
        if args.json {
            let comma = if listed == 0 { "" } else { "," };
            write!(out, "{comma}\n{}", line(&json(item)))?;
        } else if aligned {
            writeln!(out, "{}", align(columns(item)))?;
        } else {
            writeln!(out, "{}", columns(item).join("\t"))?;
        }
        listed += 1;
        Ok(())
    };
    let result = Threads::new(args.jobs.jobs).run(opened.games(), &task, &mut |item| {
        if let Some(error) = &item.error {
            unread += 1;
            say(format_args!("{}: {error}", args.base.display()));
            return ControlFlow::Continue(());
        }
        unread += say_lost(&item.diagnostics);
        if !query.fits(&item.game) {
            return ControlFlow::Continue(());
        }
        match show(item) {
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
        writeln!(out, "\n]}}")?;
    }
    out.flush()?;
    let input = |error| Failure::Input(format!("{}: {error}", args.base.display()));
    unread += say_lost(&result.map_err(input)?);
    let narrowed = !query.is_empty() || !args.games.is_all();
    Ok(if unread > 0 || narrowed && listed == 0 {
        Done::No
    } else {
        Done::Yes
    })
}

fn columns(item: &Item) -> [String; 11] {
    let game = &item.game;
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
        item.number.to_string(),
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
    ]
}

fn align(columns: [String; 11]) -> String {
    let mut line = String::new();
    for (text, (_, width)) in columns.iter().zip(COLUMNS) {
        column(&mut line, text, width);
        line.push(' ');
    }
    line.truncate(line.trim_end().len());
    line
}

fn json(item: &Item) -> Json {
    let game: &Game = &item.game;
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
        ("game", item.number.into()),
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
