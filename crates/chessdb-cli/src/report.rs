//! Reports about conversions as text, as JSON, and line by line.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chessdb::convert::{
    DiagnosticCount, GameParts, GameRef, Observer, Progress as Bytes, Replacement, Report, Written,
};
use chessdb::core::loss::Loss;
use chessdb::core::text::CharsetGuess;
use chessdb::formats::shown;
use chessdb::{Database, Diagnostic, Error, Game, LossKind, Selection, Severity};

mod json;

pub(crate) use self::json::json;
use crate::exit::say;
use crate::findings::MAX_SHOWN;
use crate::loss_log::LossLog;
use crate::output::{count, grouped, plain};
use crate::progress::{Progress, rate};

/// From this number of games, the summary states the speed.
const MIN_GAMES_FOR_SPEED: u64 = 10_000;

/// Returns a note about the files that do not describe a changed database any more: index files, and
/// statistics of other programs.
pub(crate) fn index_note(old: &[PathBuf]) -> String {
    let is_index = |path: &&PathBuf| {
        let suffix = path.extension().unwrap_or_default();
        suffix.to_string_lossy().starts_with("chessdb-")
    };
    let (indexes, statistics): (Vec<_>, Vec<_>) = old.iter().partition(is_index);
    let mut note = match indexes.first() {
        None => String::new(),
        Some(index) if index.exists() => format!(
            "; {} is out of date; run `chessdb index` to build it again",
            shown(index)
        ),
        Some(index) => format!(
            "; removed {}, which was out of date; run `chessdb index` to build it again",
            shown(index)
        ),
    };
    for file in statistics {
        let _ = write!(
            note,
            "; {} was not changed; let its program build it again if results or moves changed",
            shown(file)
        );
    }
    note
}

/// Returns the summary of a conversion. `sources` are the names of the inputs.
pub(crate) fn summary(
    report: &Report,
    sources: &[String],
    target: &str,
    format: &str,
    elapsed: Duration,
) -> String {
    let from = match sources {
        [one] => one.clone(),
        many => format!("{} databases", many.len()),
    };
    // The database that is appended to is read last.
    let mut called = sources.to_vec();
    if report.is_appended() {
        called.push(target.to_owned());
    }
    let sources = &called[..];
    let mut text = format!("{from} → {target}: ");
    if report.is_refused() {
        let _ = write!(
            text,
            "nothing written, {} read",
            count(report.read(), "game")
        );
    } else {
        let _ = write!(text, "{}", count(report.written(), "game"));
        if report.is_appended() {
            text.push_str(" appended");
        }
        if report.is_rewritten() {
            text.push_str(", the database was rewritten");
        }
        if let Some(copy) = report.backups().first() {
            let _ = write!(text, "; backup: {}", shown(&copy));
        }
        text.push_str(&index_note(report.old_indexes()));
    }
    for (number, what) in [
        (report.cut(), "cut"),
        (report.skipped(), "skipped"),
        (report.dropped(), "left out as deleted"),
        (report.carried(), "damaged with moves kept byte for byte"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {} {what}", grouped(number));
        }
    }
    if report.read() >= MIN_GAMES_FOR_SPEED {
        let games_per_second = grouped(rate(report.read(), elapsed));
        let _ = write!(
            text,
            " in {:.1} s ({games_per_second}/s)",
            elapsed.as_secs_f64()
        );
    }
    text.push('\n');
    if let Some(written) = report.written_in() {
        page(written, report, &mut text);
    }
    losses(report, sources, format, &mut text);
    if !report.refused_by().is_empty() {
        let codes: Vec<&str> = report.refused_by().iter().map(|kind| kind.code()).collect();
        let _ = writeln!(
            text,
            "--strict refuses this; use --allow {} to accept it.",
            codes.join(",")
        );
    }
    for finding in report
        .diagnostics()
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
    {
        write_findings(finding, sources, &mut text);
    }
    let is_damaged = |finding: &DiagnosticCount| {
        // The database that is appended to is the last of the sources.
        let is_target = |(source, _): &(usize, String)| source + 1 == sources.len();
        finding.severity == Severity::Lost && finding.first.iter().any(is_target)
    };
    if report.is_refused() && report.is_appended() && report.diagnostics().iter().any(is_damaged) {
        let _ = writeln!(
            text,
            "Cannot append to {target}: it is damaged and would have to be rewritten, which would lose data. \
             Convert it to a new database first, then append to that one."
        );
    }
    for exceeded in report.exceeded() {
        let _ = writeln!(text, "Limits of old programs: {exceeded}.");
    }
    // Notes are no reason to worry, so they are only counted.
    let notes = report
        .diagnostics()
        .iter()
        .filter(|finding| finding.severity == Severity::Note);
    let notes: u64 = notes.map(|finding| finding.count).sum();
    if notes > 0 {
        let _ = writeln!(
            text,
            "{} without data loss; see `chessdb check`.",
            count(notes, "finding")
        );
    }
    if report.dropped_diagnostics() > 0 {
        let _ = writeln!(
            text,
            "{} more findings.",
            grouped(report.dropped_diagnostics())
        );
    }
    text
}

/// Returns the guessed encoding of a database on one line.
pub(crate) fn guess_line(guess: &CharsetGuess) -> String {
    let percent = (guess.confidence * 100.0).floor();
    let words = count(guess.witnesses as u64, "word");
    let mut text = format!("{} ({percent} %), by {words}", guess.page);
    if let Some(next) = guess.runner_up {
        text += &format!("; next: {next}");
    }
    text
}

/// Appends the encoding that texts were written in, and a better one if there is one.
fn page(written: &Written, report: &Report, text: &mut String) {
    let fit = grouped(written.fit as u64);
    let texts = count(written.texts as u64, "text");
    let name = written.charset.name();
    let _ = writeln!(
        text,
        "Text encoding {name}: it can represent {fit} of {texts} checked."
    );
    let kinds = [LossKind::NameText, LossKind::CommentText, LossKind::TagText];
    let is_lost = kinds.into_iter().any(|kind| report.lost(kind) > 0);
    if written.fit < written.texts && is_lost {
        let samples: Vec<String> = written.samples.iter().map(|text| plain(text)).collect();
        let _ = writeln!(text, "  Not representable: {}", samples.join("; "));
        let help = match written.better {
            Some((page, fit)) => {
                format!(
                    "--to-encoding {} can represent {}",
                    page.name(),
                    grouped(fit as u64)
                )
            }
            None => "--ascii transliterates the letters it lacks".to_owned(),
        };
        let _ = writeln!(text, "  {help}.");
    }
}

fn losses(report: &Report, sources: &[String], format: &str, text: &mut String) {
    if report.game_losses().is_empty() && report.base_losses().is_empty() {
        return;
    }
    let _ = writeln!(text, "Not stored by {format}:");
    for loss in report.base_losses() {
        let _ = writeln!(
            text,
            "{:>9}  {}{}",
            grouped(loss.count.into()),
            loss.kind,
            extras(report, loss.kind)
        );
    }
    for loss in report.game_losses() {
        let games: Vec<String> = loss
            .first
            .iter()
            .map(|place| game_place(*place, sources))
            .collect();
        let more = if loss.games > games.len() as u64 { ", …" } else { "" };
        let word = if loss.games == 1 { "game" } else { "games" };
        let _ = writeln!(
            text,
            "{:>9}  {}{} ({word} {}{more})",
            grouped(loss.count),
            loss.kind,
            extras(report, loss.kind),
            games.join(", ")
        );
    }
}

/// Returns a list of the format-specific data that was lost.
fn extras(report: &Report, kind: LossKind) -> String {
    let of_base = match kind {
        LossKind::BaseExtra => true,
        LossKind::GameExtra => false,
        _ => return String::new(),
    };
    let all = report
        .extras()
        .iter()
        .filter(|extra| extra.of_base == of_base);
    let all: Vec<String> = all
        .map(|extra| match extra.count {
            1 => extra.what.to_owned(),
            count => format!("{} ({} times)", extra.what, grouped(count)),
        })
        .collect();
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}

/// Returns a game's number, with the source's name if there are several.
fn game_place(place: GameRef, sources: &[String]) -> String {
    match sources {
        [] | [_] => place.game.to_string(),
        many => {
            let name = many.get(place.source).map_or("", String::as_str);
            format!("{} of {name}", place.game)
        }
    }
}

/// Returns the first findings about damaged games.
pub(crate) fn damage(report: &Report) -> impl Iterator<Item = String> {
    let findings = report.diagnostics().iter();
    let lost = findings.filter(|finding| finding.severity == Severity::Lost);
    lost.flat_map(|finding| finding.first.iter().take(MAX_SHOWN as usize))
        .map(|(_, message)| plain(message))
}

fn write_findings(finding: &DiagnosticCount, sources: &[String], text: &mut String) {
    for (source, message) in finding.first.iter().take(MAX_SHOWN as usize) {
        let name = sources.get(*source).map_or("", String::as_str);
        let _ = writeln!(text, "{name}: {}", plain(message));
    }
    let more = finding.count.saturating_sub(MAX_SHOWN);
    if more > 0 {
        let _ = writeln!(
            text,
            "… and {} more of this kind ({finding})",
            grouped(more)
        );
    }
}

/// A change of games.
pub(crate) trait EditGames {
    /// Changes a game.
    fn edit(&mut self, game: &mut Game);

    /// Returns the games to write in place of a game ([`Observer::parts`]).
    fn parts<'g>(&mut self, _game: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        None
    }

    /// Takes the number of the source of the next games.
    fn source(&mut self, _source: usize) {}

    /// Forgets all games, because they are passed again.
    fn restart(&mut self) {}
}

impl<F: FnMut(&mut Game)> EditGames for F {
    fn edit(&mut self, game: &mut Game) {
        self(game);
    }
}

/// The observer of a conversion: shows the progress and writes the loss log.
pub(crate) struct ConversionObserver<'w> {
    pub(crate) progress: Progress,
    /// The selected games of the only source, so that the remaining work is known.
    pub(crate) selection: Option<Selection>,
    /// The number of games of all sources, if known.
    games: Option<u64>,
    /// The bytes read of the current stream, and its size.
    bytes: Option<(Bytes, u64)>,
    pub(crate) log: Option<&'w mut LossLog>,
    sources: &'w [String],
    /// The current source.
    pub(crate) current: usize,
    /// The sources in formats that `salvage` can recover games of.
    pub(crate) can_salvage: Vec<usize>,
    /// Changes games before they are written.
    pub(crate) edit: Option<&'w mut dyn EditGames>,
    /// The game with this number is replaced.
    pub(crate) replacement: Option<(u32, Replacement)>,
    interrupted: &'w AtomicBool,
    /// Collects sources that cannot be opened and are optional, by their numbers.
    pub(crate) unopened: Option<Unopened<'w>>,
}

/// The sources that were found in a folder, which are skipped if they cannot be read.
pub(crate) struct Unopened<'w> {
    pub(crate) may_fail: &'w [bool],
    pub(crate) failed: Vec<(usize, Error)>,
}

impl<'w> ConversionObserver<'w> {
    /// Creates the observer of a conversion of all games of the only source of these names.
    pub(crate) fn new(
        sources: &'w [String],
        quiet: bool,
        interrupted: &'w AtomicBool,
    ) -> ConversionObserver<'w> {
        ConversionObserver {
            progress: Progress::new(!quiet),
            selection: Some(Selection::all()),
            games: None,
            bytes: None,
            log: None,
            sources,
            current: 0,
            can_salvage: Vec::new(),
            edit: None,
            replacement: None,
            interrupted,
            unopened: None,
        }
    }

    fn name(&self, source: usize) -> &str {
        self.sources.get(source).map_or("", String::as_str)
    }
}

impl Observer for ConversionObserver<'_> {
    fn source(&mut self, source: usize, db: &Database) {
        self.current = source;
        if let Some(edit) = &mut self.edit {
            edit.source(source);
        }
        self.can_salvage
            .extend(db.format().salvages.then_some(source));
        // A wrong guess would be written into the new database for good.
        if let Some(guessed) = db.charset().filter(|guess| guess.low) {
            let (name, guessed) = (self.name(source), guess_line(guessed));
            say(format_args!(
                "chessdb: {name}: guessed encoding {guessed}; see `chessdb info` for samples, use -e to select"
            ));
        }
        if let Some(selection) = &self.selection {
            let games = db.len().ok();
            self.games = games.map(|len| selection.count_in(len).into());
            let size = db.stream_size();
            self.bytes = size.map(|size| (db.progress().clone(), size));
        }
    }

    fn unopened(&mut self, source: usize, error: Error) -> Result<(), Error> {
        let Some(unopened) = &mut self.unopened else {
            return Err(error);
        };
        // A database without any source is not written.
        let is_last = unopened.failed.len() + 1 == self.sources.len();
        if is_last || !unopened.may_fail.get(source).is_some_and(|&may| may) {
            return Err(error);
        }
        unopened.failed.push((source, error));
        Ok(())
    }

    fn replacement(&mut self, number: u32) -> Option<Replacement> {
        let replacement = self.replacement.as_ref();
        let replacement = replacement.filter(|(replaced, _)| *replaced == number);
        replacement.map(|(_, replacement)| replacement.clone())
    }

    fn edit(&mut self, game: &mut Game) {
        if let Some(edit) = &mut self.edit {
            edit.edit(game);
        }
    }

    fn parts<'g>(&mut self, game: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        self.edit.as_mut()?.parts(game)
    }

    fn restart(&mut self) {
        if let Some(edit) = &mut self.edit {
            edit.restart();
        }
    }

    fn edits(&self) -> bool {
        self.edit.is_some()
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        let (games, bytes) = (self.games, &self.bytes);
        self.progress.tick(report.read(), &|| match (games, bytes) {
            (Some(games), _) => Some(report.read() as f64 / games.max(1) as f64),
            (None, Some((bytes, all))) => Some(bytes.bytes() as f64 / (*all).max(1) as f64),
            _ => None,
        });
        if self.interrupted.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn loss(&mut self, place: GameRef, loss: &Loss) {
        let name = self.name(place.source).to_owned();
        let Some(log) = &mut self.log else { return };
        let (count, game) = (loss.count.to_string(), place.game.to_string());
        let ply = loss.ply.map(|ply| ply.to_string()).unwrap_or_default();
        log.line(
            &name,
            &game,
            ["loss", loss.kind.code(), &count, &ply],
            loss.kind.text(),
        );
    }

    fn diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        let name = self.name(source).to_owned();
        let Some(log) = &mut self.log else { return };
        let game = diagnostic
            .at
            .game
            .map(|game| game.to_string())
            .unwrap_or_default();
        let ply = diagnostic
            .at
            .ply
            .map(|ply| ply.to_string())
            .unwrap_or_default();
        let what = diagnostic.severity.to_string();
        let text = diagnostic.to_string();
        log.line(
            &name,
            &game,
            [&what, diagnostic.kind.code(), "1", &ply],
            &text,
        );
    }
}
