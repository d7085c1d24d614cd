//! `diff`: what differs between two bases, game by game.

use std::io::{self, Write};
use std::ops::ControlFlow;

use chessdb::core::compare::Difference;
use chessdb::diff::{Diff, Matching, Pair, Summary};
use chessdb::{Database, Diagnostic, Error, Game, LossKind, Severity};

use crate::args;
use crate::exit::{Done, Outcome, say};
use crate::input::{self, Access};
use crate::json::{Json, Quoted, SCHEMA, line, list, object};
use crate::output::{count, plain, stdout};
use crate::progress::Progress;
use crate::unified::{hunks, lines_of};

/// What belongs to no game and is of one kind is printed so often.
const SHOWN: usize = 20;

pub(crate) fn run(args: &args::Diff) -> Outcome {
    // Both are read by this thread, one game of each after the other.
    let jobs = args::Jobs { jobs: Some(1) };
    let open = |path| input::open(path, &args.reading, jobs, Access::InOrder);
    let (a, b) = (open(&args.a)?, open(&args.b)?);
    let names = [&args.a, &args.b].map(|path| plain(&path.display().to_string()));
    for (name, db) in names.iter().zip([&a, &b]) {
        say_lost(name, db.diagnostics());
    }
    let mut diff = Diff::new(&a, &b);
    if let Some(matching) = args.matching {
        diff = diff.matching(matching.into());
    }
    let mut out = Printer {
        args,
        names: &names,
        out: stdout(),
        listed: 0,
    };
    if args.json {
        let [a, b] = names.each_ref().map(|name| Quoted(name));
        write!(
            out.out,
            "{{\"schema\":{SCHEMA},\"a\":{a},\"b\":{b},\"games\":["
        )?;
    }
    let mut failure = None;
    let mut progress = Progress::new(!args.quiet);
    let mut games = 0_u64;
    let summary = diff.run(|pair| {
        games += 1;
        progress.tick(games, &|| fraction(&a, games));
        match out.pair(&pair, &mut progress) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    progress.clear();
    if let Some(error) = failure {
        return Err(error.into());
    }
    let summary = summary?;
    out.end(&summary)?;
    say_lost(&names[0], &summary.lost.0);
    say_lost(&names[1], &summary.lost.1);
    if !args.quiet && !args.json {
        say(format_args!("chessdb: {}", in_words(&summary, &names)));
    }
    Ok(match summary.is_equal() && !summary.is_incomplete() {
        true => Done::Yes,
        false => Done::No,
    })
}

fn fraction(db: &Database, games: u64) -> Option<f64> {
    match (db.len(), db.stream_size()) {
        (Ok(all), _) => Some(games as f64 / f64::from(all.max(1))),
        (_, Some(size)) => Some(db.progress().bytes() as f64 / size.max(1) as f64),
        _ => None,
    }
}

fn say_lost(name: &str, found: &[Diagnostic]) {
    for lost in found
        .iter()
        .filter(|found| found.severity == Severity::Lost)
    {
        say(format_args!("{name}: {lost}"));
    }
}

struct Printer<'a, W> {
    args: &'a args::Diff,
    names: &'a [String; 2],
    out: W,
    listed: u64,
}

impl<W: Write> Printer<'_, W> {
    fn pair(&mut self, pair: &Pair<'_>, progress: &mut Progress) -> io::Result<()> {
        if !matches!(pair, Pair::Equal(..)) {
            progress.clear();
        }
        match pair {
            Pair::Equal(a, b) => {
                self.say_damage(Some(a), Some(b));
                Ok(())
            }
            Pair::Changed(a, b, found) => {
                self.say_damage(Some(a), Some(b));
                self.game("changed", Some(a), Some(b), found)
            }
            Pair::OnlyLeft(a) => {
                self.say_damage(Some(a), None);
                self.game("onlyA", Some(a), None, &[])
            }
            Pair::OnlyRight(b) => {
                self.say_damage(None, Some(b));
                self.game("onlyB", None, Some(b), &[])
            }
            Pair::UnreadLeft(error) => self.unread("unreadA", 0, error),
            Pair::UnreadRight(error) => self.unread("unreadB", 1, error),
        }
    }

    fn say_damage(&self, a: Option<&Game>, b: Option<&Game>) {
        for (name, game) in self.names.iter().zip([a, b]) {
            say_lost(name, game.map_or(&[], Game::diagnostics));
        }
    }

    fn game(
        &mut self,
        what: &str,
        a: Option<&Game>,
        b: Option<&Game>,
        found: &[Difference],
    ) -> io::Result<()> {
        if self.args.json {
            let number = |game: Option<&Game>| Json::from(game.map(Game::number));
            let shown = a.or(b).map(|game| game.to_string());
            return self.item(&object([
                ("change", what.into()),
                ("a", number(a)),
                ("b", number(b)),
                ("game", shown.into()),
                ("differences", list(found.iter().map(difference))),
            ]));
        }
        for (sign, name, game) in [("---", &self.names[0], a), ("+++", &self.names[1], b)] {
            match game {
                Some(game) => writeln!(
                    self.out,
                    "{sign} {name}, game {}: {}",
                    game.number(),
                    plain(&game.to_string())
                )?,
                None => writeln!(self.out, "{sign} {name}, no such game")?,
            }
        }
        let text = |game: Option<&Game>| game.map(lines_of).unwrap_or_default();
        let any = hunks(&text(a), &text(b), self.args.context, &mut self.out)?;
        for found in found {
            // What PGN does not show.
            if !any || found.kinds.contains(&LossKind::GameExtra) {
                writeln!(self.out, "\\ {}", plain(&found.to_string()))?;
            }
        }
        Ok(())
    }

    fn unread(&mut self, what: &str, side: usize, error: &Error) -> io::Result<()> {
        let [a, b] = &self.names;
        let name = if side == 0 { a } else { b };
        say(format_args!("{name}: {}", error.problem()));
        if !self.args.json {
            return Ok(());
        }
        let number = |of: usize| Json::from(error.game().filter(|_| of == side));
        self.item(&object([
            ("change", what.into()),
            ("a", number(0)),
            ("b", number(1)),
            ("game", Json::Null),
            ("error", error.problem().to_string().into()),
        ]))
    }

    fn item(&mut self, item: &Json) -> io::Result<()> {
        let comma = if self.listed == 0 { "" } else { "," };
        self.listed += 1;
        write!(self.out, "{comma}\n{}", line(item))
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if self.args.json {
            let matching = match summary.matching {
                Matching::Order => "order",
                Matching::Content => "content",
            };
            let base = list(summary.base.iter().map(difference));
            writeln!(
                self.out,
                "\n],\"base\":{},\"matching\":\"{matching}\",",
                line(&base)
            )?;
            let Summary {
                equal,
                spelled,
                changed,
                only_left,
                only_right,
                unread,
                damaged,
                ..
            } = summary;
            writeln!(
                self.out,
                "\"equal\":{equal},\"spelled\":{spelled},\"changed\":{changed},\
                 \"onlyA\":{only_left},\"onlyB\":{only_right},\
                 \"unreadA\":{},\"unreadB\":{},\"damagedA\":{},\"damagedB\":{}}}",
                unread.0, unread.1, damaged.0, damaged.1
            )?;
        } else if !summary.base.is_empty() {
            let [a, b] = self.names;
            writeln!(self.out, "--- {a}\n+++ {b}")?;
            for found in summary.base.iter().take(SHOWN) {
                let (what, left, right) = (&found.what, plain(&found.left), plain(&found.right));
                writeln!(self.out, "-{} {left}", plain(what))?;
                if !right.is_empty() && right != "\"\"" {
                    writeln!(self.out, "+{} {right}", plain(what))?;
                }
            }
            let more = summary.base.len().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(
                    self.out,
                    "\\ and {more} more that belong to no game; --json has them"
                )?;
            }
        }
        self.out.flush()
    }
}

fn difference(found: &Difference) -> Json {
    object([
        ("what", found.what.as_str().into()),
        ("a", found.left.as_str().into()),
        ("b", found.right.as_str().into()),
        ("kinds", list(found.kinds.iter().map(|kind| kind.code()))),
    ])
}

fn in_words(summary: &Summary, [a, b]: &[String; 2]) -> String {
    let mut parts = vec![format!("{} equal", count(summary.equal, "game"))];
    let mut add = |number: u64, what: String| {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    };
    add(summary.changed, "changed".into());
    add(summary.only_left, format!("only in {a}"));
    add(summary.only_right, format!("only in {b}"));
    add(summary.unread.0, format!("not readable in {a}"));
    add(summary.unread.1, format!("not readable in {b}"));
    add(summary.damaged.0, format!("damaged in {a}"));
    add(summary.damaged.1, format!("damaged in {b}"));
    if !summary.base.is_empty() {
        parts.push("the databases say other things of themselves".into());
    }
    parts.join(", ")
}
