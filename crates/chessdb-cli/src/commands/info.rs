//! The command `info`: a description of a database.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::core::Charset;
use chessdb::core::guiding::GuidingText;
use chessdb::core::model::{GameFlags, evaluation_sign};
use chessdb::core::store::{Remark, UnusedSpace};
use chessdb::core::text::{CharsetGuess, TextId};
use chessdb::formats::shown;
use chessdb::fs;
use chessdb::{BaseInfo, Format, Game, Outcome as Result, Severity};

use crate::args::{Info, InputOptions, Jobs};
use crate::commands::{book, texts};
use crate::exit::{Completion, Failure, Outcome};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{Json, list, object, remark};
use crate::output::{cells, column, count, grouped, plain, stdout};
use crate::report::guess_line;

/// The number of guiding texts that are listed.
const MAX_TEXTS: usize = 20;

pub(crate) fn run(args: &Info) -> Outcome {
    let is_book = |path: &PathBuf| args.input_options.from.is_none() && fs::is_book(path);
    let (books, bases): (Vec<_>, Vec<_>) = args.bases.iter().cloned().partition(is_book);
    let inputs = Inputs::new(&bases, &args.input_options);
    let mut out = stdout();
    let mut bases = Vec::new();
    for path in &books {
        if args.json {
            bases.push(book::info_json(path)?)
        } else {
            write!(out, "{}", book::info_text(path)?)?
        }
    }
    let done = inputs.each_listed(args.json.then_some("bases"), bases, |base, bases| {
        let facts = read_facts(&base.path, &args.input_options)?;
        match (args.json, inputs.searched) {
            (true, _) => bases.push(facts.json()),
            (false, true) => writeln!(out, "{}", facts.line())?,
            (false, false) => write!(out, "{}", facts.text())?,
        }
        Ok(Completion::Success)
    })?;
    out.flush()?;
    Ok(done)
}

/// Returns a description of a database in a few lines, and its number of games.
pub(super) fn summary(
    path: &Path,
    input_options: &InputOptions,
) -> std::result::Result<(String, u64), Failure> {
    let facts = read_facts(path, input_options)?;
    let mut text = format!(
        "{}: {}, {}",
        shown(&facts.name),
        facts.format.name,
        count(facts.games, "game")
    );
    if let Some(years) = facts.year_range() {
        text += &format!(", {years}");
    }
    if !facts.is_healthy() {
        text += &format!("\nhealth: {}; see `chessdb check`", facts.health());
    }
    Ok((text, facts.games))
}

fn verdict(verdict: &CharsetGuess) -> Json {
    let sample = |(best, next): &(String, String)| list([best.as_str(), next.as_str()]);
    let mixed = verdict.mixed.iter();
    let mixed = mixed.map(|(page, texts)| (page.name().to_owned(), Json::from(*texts as u64)));
    object! {
        "page": verdict.page.name(), "confidence": verdict.confidence,
        "witnesses": verdict.witnesses, "low": verdict.low,
        "strays": verdict.strays.map(Charset::name),
        "compared": verdict.compared.map(Charset::name),
        "runnerUp": verdict.runner_up.map(Charset::name),
        "samples": list(verdict.samples.iter().map(sample)), "mixed": Json::Object(mixed.collect()),
    }
}

/// The facts about a database.
struct Facts {
    name: String,
    format: &'static Format,
    files: Vec<(String, Option<u64>)>,
    games: u64,
    deleted: u64,
    unreadable: u64,
    results: [u64; 4],
    /// Evaluations stored in place of a result, by NAG.
    evaluations: BTreeMap<u8, u64>,
    years: Option<(u16, u16)>,
    /// The encodings of the header texts that are not plain ASCII, with their numbers of texts.
    charsets: Vec<(Charset, u64)>,
    /// The guessed encoding of the database.
    verdict: Option<CharsetGuess>,
    title: String,
    description: String,
    flags: Vec<String>,
    names: Vec<(String, u64)>,
    /// Format-specific facts.
    remarks: Vec<Remark>,
    /// What `compact` would remove besides deleted games, if the format has such parts.
    unused: Option<UnusedSpace>,
    /// The guiding texts.
    texts: Vec<GuidingText>,
    faults: Vec<String>,
    /// The number of findings with data loss in the headers.
    lost: u64,
    /// The number of other findings there.
    odd: u64,
}

fn read_facts(path: &Path, input_options: &InputOptions) -> std::result::Result<Facts, Failure> {
    let jobs = Jobs { jobs: None };
    let db = input::open(path, input_options, jobs, Access::Random)?;
    let format = db.format();
    let files = match db.files() {
        Some(files) => files
            .iter()
            .map(|(_, path, size)| (path.display().to_string(), Some(size)))
            .collect(),
        // A stream has no list of files.
        None => {
            let path = db.path().unwrap_or(path);
            vec![(path.display().to_string(), db.stream_size())]
        }
    };
    let mut facts = Facts {
        name: path.display().to_string(),
        format,
        files,
        games: 0,
        deleted: 0,
        unreadable: 0,
        results: [0; 4],
        evaluations: BTreeMap::new(),
        years: None,
        charsets: Vec::new(),
        verdict: None,
        title: String::new(),
        description: String::new(),
        flags: Vec::new(),
        names: Vec::new(),
        remarks: db.remarks(),
        unused: db.unused(),
        texts: Vec::new(),
        faults: db.diagnostics().iter().map(ToString::to_string).collect(),
        lost: 0,
        odd: 0,
    };
    facts.describe(db.info());
    let result = db.scan().headers().for_each(|game, result| {
        facts.count(game, result.is_ok());
        ControlFlow::Continue(())
    });
    facts.verdict = db.charset().cloned();
    facts.texts = db.guiding_texts();
    facts.faults.extend(result?.iter().map(ToString::to_string));
    Ok(facts)
}

impl Facts {
    fn describe(&mut self, base: &BaseInfo) {
        let text = |id: TextId| plain(&base.texts.get(id).decode());
        self.title = text(base.title);
        self.description = text(base.description);
        let flags = base
            .flag_names
            .iter()
            .enumerate()
            .map(|(n, &id)| (n + 1, text(id)));
        self.flags = flags
            .filter(|(_, name)| !name.is_empty())
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        let tables = base.names.iter();
        self.names = tables
            .map(|table| {
                (
                    format!("{:?}", table.role).to_lowercase(),
                    table.records.len() as u64,
                )
            })
            .collect();
    }

    fn count(&mut self, game: &Game, is_read: bool) {
        self.games += 1;
        let all = game.diagnostics();
        let lost = all.iter().filter(|one| one.severity == Severity::Lost);
        let lost = lost.count();
        self.lost += lost as u64;
        self.odd += (all.len() - lost) as u64 + u64::from(game.dropped_diagnostics());
        // The header may be wrong, so its result and year are not counted.
        if !is_read {
            self.unreadable += 1;
            return;
        }
        let header = &game.header;
        self.deleted += u64::from(header.flags.contains(GameFlags::DELETED));
        let result = Result::ALL
            .iter()
            .position(|result| *result == header.outcome);
        if let Some(count) = result.and_then(|index| self.results.get_mut(index)) {
            *count += 1;
        }
        if let Some(nag) = header.line_evaluation(&game.texts) {
            *self.evaluations.entry(nag).or_default() += 1;
        }
        let year = game.effective_date().year;
        if year != 0 {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
        // ASCII is the same in every encoding, so it proves none.
        let texts = game.texts.iter().map(|(_, text)| text);
        for text in texts.filter(|text| !text.as_bytes().is_ascii()) {
            let charset = text.charset();
            match self
                .charsets
                .iter_mut()
                .find(|(counted, _)| *counted == charset)
            {
                Some((_, number)) => *number += 1,
                None => self.charsets.push((charset, 1)),
            }
        }
    }

    /// Returns the limit on the number of games, if the format has one.
    fn max_games(&self) -> Option<u64> {
        self.format
            .limits
            .iter()
            .find(|limit| limit.what == "games")
            .map(|limit| limit.limit)
    }

    /// Returns a line for a list: name, format, games, years, health.
    fn line(&self) -> String {
        let mut line = String::new();
        let name = shown(&self.name).to_string();
        // A long name is never cut, because the other commands need it.
        column(&mut line, &name, cells(&name).max(40));
        line += "  ";
        column(&mut line, self.format.id, 12);
        let years = self.year_range().unwrap_or_default();
        let games = count(self.games, "game");
        let health = if self.is_healthy() { String::new() } else { self.health() };
        line += &format!("  {games:>16}  {years:<9}  {health}");
        line.truncate(line.trim_end().len());
        line
    }

    fn year_range(&self) -> Option<String> {
        self.years.map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}–{last}") }
            },
        )
    }

    fn is_healthy(&self) -> bool {
        self.faults.is_empty() && self.unreadable + self.lost + self.odd == 0
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{}: {}", shown(&self.name), self.format.name)];
        let mut line = |what: &str, text: String| lines.push(format!("  {what:<12} {text}"));
        let size = |size: Option<u64>| {
            size.map_or(String::new(), |size| format!(" ({})", count(size, "byte")))
        };
        for (file, bytes) in &self.files {
            line("file", format!("{}{}", shown(file), size(*bytes)));
        }
        let mut games = grouped(self.games);
        if self.deleted > 0 {
            games += &format!(" ({} deleted)", grouped(self.deleted));
        }
        if let Some(limit) = self.max_games() {
            games += &format!(" of at most {}", grouped(limit));
        }
        line("games", games);
        for (what, text) in [("title", &self.title), ("description", &self.description)] {
            if !text.is_empty() {
                line(what, text.clone());
            }
        }
        if !self.flags.is_empty() {
            line("flag names", self.flags.join(", "));
        }
        if !self.names.is_empty() {
            let names: Vec<String> = self
                .names
                .iter()
                .map(|(role, number)| count(*number, role))
                .collect();
            line("names", names.join(", "));
        }
        for remark in &self.remarks {
            line(remark.title, plain(&remark.text));
        }
        if let Some(unused) = self
            .unused
            .filter(|unused| *unused != UnusedSpace::default())
        {
            let (bytes, names) = (count(unused.bytes, "byte"), count(unused.names, "name"));
            let text = format!("{bytes}, {names}; `chessdb compact` removes them");
            line("unused", text);
        }
        for text in self.texts.iter().take(MAX_TEXTS) {
            line("text", texts::summary_line(text));
        }
        let more = self.texts.len().saturating_sub(MAX_TEXTS);
        if more > 0 {
            let more = count(more as u64, "text");
            line("", format!("… and {more} more; see `chessdb cat --texts`"));
        }
        if let Some(years) = self.year_range() {
            line("years", years);
        }
        let results = Result::ALL
            .iter()
            .zip(self.results)
            .filter(|(_, number)| *number > 0);
        let results: Vec<String> = results
            .map(|(result, number)| format!("{result} {}", grouped(number)))
            .collect();
        if !results.is_empty() {
            line("results", results.join(", "));
        }
        if !self.evaluations.is_empty() {
            let evaluations = self.evaluations.iter();
            let evaluations = evaluations
                .map(|(nag, number)| format!("{} {}", evaluation_sign(*nag), grouped(*number)));
            let evaluations: Vec<String> = evaluations.collect();
            line("evaluations", evaluations.join(", "));
        }
        let charsets: Vec<String> = self
            .charsets
            .iter()
            .map(|(charset, texts)| format!("{charset} in {}", count(*texts, "text")))
            .collect();
        line(
            "encoding",
            if charsets.is_empty() {
                "all headers are plain ASCII".to_owned()
            } else {
                format!(
                    "{} of the headers, otherwise plain ASCII",
                    charsets.join(", ")
                )
            },
        );
        if let Some(verdict) = &self.verdict {
            let mut guess = guess_line(verdict);
            if verdict.low {
                guess += "; use -e to select";
            }
            line("guessed", guess);
            for (page, texts) in &verdict.mixed {
                line(
                    "",
                    format!("{page}: {} of those checked", count(*texts as u64, "text")),
                );
            }
            if let Some(strays) = verdict.strays {
                line("", format!("bytes that are not UTF-8 are read as {strays}"));
            }
            if let (Some(page), Some(next)) = (verdict.compared, verdict.runner_up) {
                line("", format!("as {page} / as {next}:"));
            }
            for (best, next) in &verdict.samples {
                line("", format!("  {} / {}", plain(best), plain(next)));
            }
        }
        line("health", self.health());
        lines.push(String::new());
        lines.join("\n")
    }

    fn health(&self) -> String {
        let mut parts: Vec<String> = self
            .faults
            .iter()
            .take(3)
            .map(|fault| plain(fault))
            .collect();
        if self.faults.len() > 3 {
            parts.push(format!("{} more problems", self.faults.len() - 3));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} unreadable", count(self.unreadable, "game")));
        }
        if self.lost > 0 {
            parts.push(format!("{} with data loss", count(self.lost, "problem")));
        }
        if self.odd > 0 {
            parts.push(count(self.odd, "finding"));
        }
        if parts.is_empty() {
            "no problems in the headers; `chessdb check` reads everything".to_owned()
        } else {
            parts.join("; ")
        }
    }

    fn json(&self) -> Json {
        let file = |(path, size): &(String, Option<u64>)| {
            object! { "path": path.as_str(), "bytes": *size }
        };
        let named = |(name, number): (&str, u64)| object! { "name": name, "count": number };
        // A code page next to UTF-8 has both names.
        let charset = |(charset, texts): &(Charset, u64)| {
            object! { "name": charset.name(), "count": *texts, "besideUtf8": charset.is_mixed() }
        };
        let results = Result::ALL.iter().zip(self.results);
        object! {
            "base": self.name.as_str(), "format": self.format.id, "formatName": self.format.name,
            "files": list(self.files.iter().map(file)), "games": self.games,
            "deleted": self.deleted, "unreadable": self.unreadable, "mostGames": self.max_games(),
            "title": self.title.as_str(), "description": self.description.as_str(),
            "flags": list(self.flags.iter().map(String::as_str)),
            "names": list(self.names.iter().map(|(role, n)| named((role, *n)))),
            "remarks": list(self.remarks.iter().map(remark)),
            "unusedBytes": self.unused.map(|unused| unused.bytes),
            "unusedNames": self.unused.map(|unused| unused.names),
            "texts": list(self.texts.iter().map(texts::summary_json)),
            "firstYear": self.years.map(|years| u32::from(years.0)),
            "lastYear": self.years.map(|years| u32::from(years.1)),
            "results": list(results.map(|(result, n)| named((result.as_pgn(), n)))),
            "evaluations": list(self.evaluations.iter().map(|(nag, n)| named((&*evaluation_sign(*nag), *n)))),
            "charsets": list(self.charsets.iter().map(charset)),
            "charset": self.verdict.as_ref().map_or(Json::Null, verdict),
            "faults": list(self.faults.iter().map(String::as_str)), "lost": self.lost,
            "findings": self.odd, "error": Json::Null,
        }
    }
}
