//! The command `diff`: differences between two databases, game by game.

mod only_in;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::slice;

use chessdb::core::compare::Difference;
use chessdb::diff::{Diff, Matching, Pair, Summary};
use chessdb::formats::shown;
use chessdb::{Error, Game, LossKind, Problem};

use crate::args;
use crate::commands::diff::only_in::Side;
use crate::commands::plan::stem;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::findings::{Finding, FindingLog};
use crate::input::{self, Access};
use crate::inputs::{InputDatabase, Inputs, failed_json};
use crate::json::{Json, Quoted, SCHEMA, line, list, object};
use crate::output::{count, grouped, plain, stdout};
use crate::progress::{Progress, fraction_read};
use crate::unified_diff::{hunks, pgn_lines};

/// The number of differences printed that belong to no game.
const MAX_SHOWN: usize = 20;

pub(crate) fn run(args: &args::Diff) -> Outcome {
    let only_in = Side::from_args(args)?;
    only_in::check_output(args)?;
    let look = |path: &PathBuf| Inputs::new(slice::from_ref(path), &args.input_options);
    let [a, b] = [&args.a, &args.b].map(look);
    let is_one = |side: &Inputs| side.bases.len() == 1 && side.others.is_empty();
    if a.searched && b.searched && !(is_one(&a) && is_one(&b)) {
        if only_in.is_some() {
            return Err(Failure::usage(
                "--only-in compares two databases, not folders",
            ));
        }
        return compare_all(args, &a, &b);
    }
    let one = |side: &Inputs, named: &Path| match side.bases.as_slice() {
        [only] => Ok(only.path.clone()),
        bases if side.searched && !bases.is_empty() => {
            let all = bases.iter().map(|base| base.path.clone()).collect();
            let several = Problem::SeveralDatabases(all);
            let named = shown(&named);
            Err(Failure::Input(format!(
                "{named}: {several}; specify one of them, or a folder on both sides"
            )))
        }
        // Opening it reports the error.
        _ => Ok(named.to_owned()),
    };
    compare(args, &one(&a, &args.a)?, &one(&b, &args.b)?, false)
}

/// Compares the databases with equal names in two folders or archives, of any format.
fn compare_all(args: &args::Diff, a: &Inputs, b: &Inputs) -> Outcome {
    let (pairs, [only_a, only_b]) = by_name(&a.bases, &b.bases);
    let mut done = Completion::Success;
    let (mut equal, mut different) = (0_u64, 0_u64);
    let mut failed = Vec::new();
    if args.json {
        write!(stdout(), "{{\"schema\":{SCHEMA},\"pairs\":[")?;
    }
    for (n, (a, b)) in pairs.iter().enumerate() {
        if args.json {
            writeln!(stdout(), "{}", if n > 0 { "," } else { "" })?;
        }
        match compare(args, &a.path, &b.path, true) {
            Ok(Completion::Success) => equal += 1,
            // Its message is printed already, and its JSON object is complete.
            Ok(Completion::SomeUnread) => failed.push(None),
            Ok(came_to) => {
                different += 1;
                done = done.max(came_to);
            }
            Err(Failure::Input(message)) => {
                if args.json {
                    let [a, b] = [a, b].map(|base| base.path.display().to_string());
                    let item = object! { "a": a, "b": b, "error": message.as_str() };
                    write!(stdout(), "{}", line(&item))?;
                }
                failed.push(Some(message));
            }
            Err(failure) => return Err(failure),
        }
    }
    let others = || a.others.iter().chain(&b.others);
    let unread = failed.len() as u64 + others().count() as u64;
    let messages = failed.iter().flatten();
    for message in messages.chain(others().map(|(_, message)| message)) {
        say(format_args!("chessdb: {message}"));
    }
    let paths = |bases: &[&InputDatabase]| -> Vec<String> {
        let path = |base: &&InputDatabase| base.path.display().to_string();
        bases.iter().map(path).collect()
    };
    let (only_a, only_b) = (paths(&only_a), paths(&only_b));
    if args.json {
        let names = |paths: &[String]| line(&list(paths.iter().map(String::as_str)));
        let failed = others().map(|(name, message)| failed_json(name, message));
        let (only_a, only_b, unread) = (names(&only_a), names(&only_b), line(&list(failed)));
        let mut out = stdout();
        writeln!(
            out,
            "\n],\"onlyA\":{only_a},\"onlyB\":{only_b},\"unread\":{unread}}}"
        )?;
        out.flush()?;
    } else {
        for (mine, other) in [(&only_a, &args.b), (&only_b, &args.a)] {
            for path in mine {
                say(format_args!("{}: not in {}", shown(path), shown(other)));
            }
        }
    }
    let alone = (only_a.len() + only_b.len()) as u64;
    if !args.quiet && !args.json {
        let mut text = format!(
            "{} equal, {different} different or damaged",
            count(equal, "pair")
        );
        for (number, what) in [(alone, "on one side only"), (unread, "not read")] {
            if number > 0 {
                text += &format!("; {} {what}", count(number, "database"));
            }
        }
        say(format_args!("chessdb: {text}"));
    }
    if alone > 0 {
        done = done.max(Completion::Negative);
    }
    if unread > 0 {
        done = done.max(Completion::SomeUnread);
    }
    Ok(done)
}

/// The pairs, and the unpaired databases of each side.
type Pairs<'a> = (
    Vec<(&'a InputDatabase, &'a InputDatabase)>,
    [Vec<&'a InputDatabase>; 2],
);

/// Pairs the databases of both sides: first those with equal names, then those with names that
/// differ only in the extension. A single database on each side needs no matching name.
fn by_name<'a>(a: &'a [InputDatabase], b: &'a [InputDatabase]) -> Pairs<'a> {
    if let ([a], [b]) = (a, b) {
        return (vec![(a, b)], [Vec::new(), Vec::new()]);
    }
    let mut pairs = Vec::new();
    let (mut left, mut right): (Vec<&InputDatabase>, Vec<&InputDatabase>) =
        (a.iter().collect(), b.iter().collect());
    let whole: fn(&InputDatabase) -> PathBuf = |base| base.below.clone();
    let short: fn(&InputDatabase) -> PathBuf = |base| stem(&base.below);
    // `convert` creates `a.si4.pgn` from `a.si4` if there is also an `a.pgn`.
    let keys = [
        (whole, whole),
        (whole, short),
        (short, whole),
        (short, short),
    ];
    for (of_left, of_right) in keys {
        let mut named: BTreeMap<PathBuf, VecDeque<&InputDatabase>> = BTreeMap::new();
        for base in right.drain(..) {
            named.entry(of_right(base)).or_default().push_back(base);
        }
        let mut rest = Vec::new();
        for base in left.drain(..) {
            match named.get_mut(&of_left(base)).and_then(VecDeque::pop_front) {
                Some(other) => pairs.push((base, other)),
                None => rest.push(base),
            }
        }
        left = rest;
        right = named.into_values().flatten().collect();
    }
    // Four keys found the pairs, and a map has the rest: both get the order of the paths.
    pairs.sort_by(|x, y| x.0.path.cmp(&y.0.path));
    right.sort_by(|x, y| x.path.cmp(&y.path));
    (pairs, [left, right])
}

/// Compares two databases. If they are one of several pairs, the summary names them.
fn compare(args: &args::Diff, a: &Path, b: &Path, is_pair: bool) -> Outcome {
    // This thread reads both, alternating between them.
    let jobs = args::Jobs { jobs: Some(1) };
    let only_in = Side::from_args(args)?;
    let matching = only_in::matching(args);
    let access = match matching {
        Some(Matching::Order) => Access::InOrder,
        // Matching by content may read a game a second time.
        _ => Access::Twice,
    };
    let open = |path| input::open(path, &args.input_options, jobs, access);
    let paths = [a, b];
    let names = paths.map(|path| shown(path).to_string());
    let (a, b) = (open(a)?, open(b)?);
    let mut findings = names.each_ref().map(FindingLog::from_name);
    for (findings, db) in findings.iter_mut().zip([&a, &b]) {
        findings.add_all(Finding::lost(db.diagnostics()));
    }
    let mut diff = Diff::new(&a, &b);
    if let Some(matching) = matching {
        diff = diff.matching(matching);
    }
    let mut out = Printer {
        args,
        names: &names,
        findings,
        out: stdout(),
        listed: 0,
        only_in,
        numbers: Vec::new(),
    };
    if args.json {
        let [a, b] = names.each_ref().map(|name| Quoted(name));
        let schema = if is_pair { String::new() } else { format!("\"schema\":{SCHEMA},") };
        write!(out.out, "{{{schema}\"a\":{a},\"b\":{b},\"games\":[")?;
    }
    let mut failure = None;
    let mut progress = Progress::new(!args.quiet);
    let mut games = 0_u64;
    let summary = diff.run(|pair| {
        // Games that come again are not counted twice.
        games += u64::from(matches!(pair, Pair::Equal(..) | Pair::Undecided));
        progress.tick(games, &|| fraction_read(&a, games));
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
    let summary = match summary {
        Ok(summary) => summary,
        // Complete the JSON document that has been started.
        Err(error) if args.json => {
            let message = Failure::from(error).into_message();
            say(format_args!("chessdb: {message}"));
            write!(out.out, "\n],\"error\":{}}}", Quoted(&message))?;
            if !is_pair {
                writeln!(out.out)?;
            }
            out.out.flush()?;
            return Ok(Completion::SomeUnread);
        }
        Err(error) => return Err(error.into()),
    };
    out.end(&summary)?;
    if args.json && !is_pair {
        writeln!(out.out)?;
        out.out.flush()?;
    }
    let lost = [&summary.lost.0, &summary.lost.1];
    let numbers = out.numbers;
    for (mut findings, lost) in out.findings.into_iter().zip(lost) {
        findings.add_all(Finding::lost(lost));
        findings.finish();
    }
    if !args.quiet && !args.json {
        let words = summary_text(&summary, &names);
        say(if is_pair {
            format!("{} {}: {words}", names[0], names[1])
        } else {
            format!("chessdb: {words}")
        });
    }
    if let Some(side) = only_in {
        let mut done = side.completion(&summary);
        if let Some(target) = &args.output {
            let source = (side.pick(paths).to_owned(), side.pick([&a, &b]));
            done = done.max(only_in::write(args, target, source, numbers)?);
        }
        return Ok(done);
    }
    Ok(if summary.is_equal() && !summary.is_incomplete() {
        Completion::Success
    } else {
        Completion::Negative
    })
}

struct Printer<'a, W> {
    args: &'a args::Diff,
    names: &'a [String; 2],
    findings: [FindingLog; 2],
    out: W,
    listed: u64,
    /// The side with the games that are listed, instead of all differences.
    only_in: Option<Side>,
    /// The numbers of these games.
    numbers: Vec<u32>,
}

impl<W: Write> Printer<'_, W> {
    fn pair(&mut self, pair: &Pair<'_>, progress: &mut Progress) -> io::Result<()> {
        // Nothing else is printed for equal games, so that the progress stays visible.
        if !matches!(pair, Pair::Equal(..) | Pair::Undecided) {
            progress.clear();
        }
        match pair {
            Pair::Equal(a, b) => {
                self.report_damage(Some(a), Some(b));
                Ok(())
            }
            Pair::Changed(a, b, differences) => {
                self.report_damage(Some(a), Some(b));
                self.game("changed", Some(a), Some(b), differences)
            }
            Pair::OnlyLeft(a) => {
                self.report_damage(Some(a), None);
                self.game("onlyA", Some(a), None, &[])
            }
            Pair::OnlyRight(b) => {
                self.report_damage(None, Some(b));
                self.game("onlyB", None, Some(b), &[])
            }
            Pair::UnreadLeft(error) => self.unread("unreadA", 0, error),
            Pair::UnreadRight(error) => self.unread("unreadB", 1, error),
            Pair::Undecided => Ok(()),
        }
    }

    fn report_damage(&mut self, a: Option<&Game>, b: Option<&Game>) {
        for (findings, game) in self.findings.iter_mut().zip([a, b]) {
            findings.add_all(Finding::lost(game.map_or(&[], Game::diagnostics)));
        }
    }

    fn game(
        &mut self,
        what: &str,
        a: Option<&Game>,
        b: Option<&Game>,
        differences: &[Difference],
    ) -> io::Result<()> {
        if let Some(side) = self.only_in {
            if what != side.pick(["onlyA", "onlyB"]) {
                return Ok(());
            }
            self.numbers.extend(a.or(b).map(Game::number));
        }
        if self.args.json {
            let number = |game: Option<&Game>| Json::from(game.map(Game::number));
            let shown = a.or(b).map(|game| game.to_string());
            return self.item(&object! {
                "change": what, "a": number(a), "b": number(b), "game": shown,
                "differences": list(differences.iter().map(difference)),
            });
        }
        if self.only_in.is_some() {
            if let Some(game) = a.or(b).filter(|_| self.args.output.is_none()) {
                writeln!(self.out, "{}\t{}", game.number(), plain(&game.to_string()))?;
            }
            return Ok(());
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
        let text = |game: Option<&Game>| game.map(pgn_lines).unwrap_or_default();
        let any = hunks(&text(a), &text(b), self.args.context, &mut self.out)?;
        for difference in differences {
            // Differences that PGN does not show.
            if !any || difference.kinds.contains(&LossKind::GameExtra) {
                writeln!(self.out, "\\ {}", plain(&difference.to_string()))?;
            }
        }
        Ok(())
    }

    fn unread(&mut self, what: &str, side: usize, error: &Error) -> io::Result<()> {
        if let Some(findings) = self.findings.get_mut(side) {
            findings.add(error);
        }
        if !self.args.json {
            return Ok(());
        }
        let number = |of: usize| Json::from(error.game().filter(|_| of == side));
        self.item(&object! {
            "change": what, "a": number(0), "b": number(1), "game": Json::Null,
            "error": error.problem().to_string(),
        })
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
                moved,
                changed,
                only_left,
                only_right,
                unread,
                damaged,
                ..
            } = summary;
            write!(
                self.out,
                "\"equal\":{equal},\"spelled\":{spelled},\"moved\":{moved},\
                 \"changed\":{changed},\"onlyA\":{only_left},\"onlyB\":{only_right},\
                 \"unreadA\":{},\"unreadB\":{},\"damagedA\":{},\"damagedB\":{}}}",
                unread.0, unread.1, damaged.0, damaged.1
            )?;
        } else if !summary.base.is_empty() && self.only_in.is_none() {
            let [a, b] = self.names;
            writeln!(self.out, "--- {a}\n+++ {b}")?;
            for difference in summary.base.iter().take(MAX_SHOWN) {
                let (what, left, right) = (
                    &difference.what,
                    plain(&difference.left),
                    plain(&difference.right),
                );
                writeln!(self.out, "-{} {left}", plain(what))?;
                // A value that the other side lacks has no line there.
                if !right.is_empty() && right != "\"\"" {
                    writeln!(self.out, "+{} {right}", plain(what))?;
                }
            }
            let more = summary.base.len().saturating_sub(MAX_SHOWN);
            if more > 0 {
                writeln!(
                    self.out,
                    "\\ and {more} more that belong to no game; --json lists them"
                )?;
            }
        }
        self.out.flush()
    }
}

fn difference(difference: &Difference) -> Json {
    object! {
        "what": difference.what.as_str(), "a": difference.left.as_str(), "b": difference.right.as_str(),
        "kinds": list(difference.kinds.iter().map(|kind| kind.code())),
    }
}

fn summary_text(summary: &Summary, [a, b]: &[String; 2]) -> String {
    let mut parts = vec![format!("{} equal", count(summary.equal, "game"))];
    let mut add = |number: u64, what: String| {
        if number > 0 {
            parts.push(format!("{} {what}", grouped(number)));
        }
    };
    add(summary.moved, "of them in another order".into());
    add(summary.changed, "changed".into());
    add(summary.only_left, format!("only in {a}"));
    add(summary.only_right, format!("only in {b}"));
    add(summary.unread.0, format!("unreadable in {a}"));
    add(summary.unread.1, format!("unreadable in {b}"));
    add(summary.damaged.0, format!("damaged in {a}"));
    add(summary.damaged.1, format!("damaged in {b}"));
    if !summary.base.is_empty() {
        parts.push("the databases' metadata differ".into());
    }
    parts.join(", ")
}
