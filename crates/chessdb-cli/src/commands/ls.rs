//! `ls`: one line per game.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

use chessdb::core::{GameFlags, TextId};
use chessdb::{Color, Diagnostic, Game, Severity};

use crate::args::Ls;
use crate::exit::{Done, Failure, Outcome, say};
use crate::input::{self, Access};
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
    let db = input::open(&args.base, &args.reading, args.jobs, Access::Random)?;
    let mut out = stdout();
    let aligned = !args.json && io::stdout().is_terminal();
    if args.json {
        let format = db.format().id;
        let base = db.path().unwrap_or(&args.base).display().to_string();
        write!(
            out,
            "{{\"schema\":{SCHEMA},\"base\":{},\"format\":{},\"games\":[",
            Quoted(&base),
            Quoted(format)
        )?;
    } else if aligned {
        writeln!(out, "{}", align(COLUMNS.map(|(name, _)| name.to_owned())))?;
    }
    let mut listed = 0_u64;
    // Oddities are for `check`, but what is not there at all must not be missing without a word.
    let say_lost = |found: &[Diagnostic]| -> u64 {
        let lost = found
            .iter()
            .filter(|found| found.severity == Severity::Lost);
        lost.map(|lost| say(format_args!("{}: {lost}", args.base.display())))
            .count() as u64
    };
    let mut unread = say_lost(db.diagnostics());
    let mut failure = None;
    let mut show = |game: &Game| -> io::Result<()> {
        if args.json {
            let comma = if listed == 0 { "" } else { "," };
            write!(out, "{comma}\n{}", line(&json(game)))?;
        } else if aligned {
            writeln!(out, "{}", align(columns(game)))?;
        } else {
            writeln!(out, "{}", columns(game).join("\t"))?;
        }
        listed += 1;
        Ok(())
    };
    let scan = db.scan().select(args.games.clone()).heads();
    let result = scan.for_each(|game, result| {
        if let Err(error) = result {
            unread += 1;
            say(format_args!("{}: {}", args.base.display(), error.problem()));
            return ControlFlow::Continue(());
        }
        unread += say_lost(game.diagnostics());
        if !query.fits(game) {
            return ControlFlow::Continue(());
        }
        match show(game) {
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
    unread += say_lost(&result?);
    let narrowed = !query.is_empty() || !args.games.is_all();
    Ok(if unread > 0 || narrowed && listed == 0 {
        Done::No
    } else {
        Done::Yes
    })
}

fn columns(game: &Game) -> [String; 11] {
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
