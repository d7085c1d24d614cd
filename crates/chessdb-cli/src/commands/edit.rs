//! The commands `tag`, `delete`, `undelete`, `flag`, `compact`: databases that are changed in
//! place.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use chessdb::convert::{Editor, NamesInUse, Replacement, Report};
use chessdb::core::model::GameFlags;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::cleaning::{CleaningCounts, HeaderChanges};
use chessdb::{Converter, Database, Error, Game, LossKind, Selection};

use crate::args::{Compact, Delete, EditOptions, Flag, InPlaceOptions, TagArgs, Undelete};
use crate::commands::arrange::{Needs, map_scan};
use crate::commands::convert::interrupts;
use crate::commands::database_scan::no_match;
use crate::commands::game_fixes::{ResultChange, cleaning_lines};
use crate::commands::preview::Preview;
use crate::commands::undo::command_line;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::json::{Json, list, object};
use crate::output::{count, print_list};
use crate::query::{self, QueryWords};
use crate::report::{self, ConversionObserver, EditGames, index_note};

pub(crate) fn tag(args: &TagArgs) -> Outcome {
    if args.clean_headers {
        let counts = Mutex::new(CleaningCounts::default());
        let differs = |game: &Game| {
            let changes = HeaderChanges::of_game(game);
            if let (false, Ok(mut counts)) = (changes.is_empty(), counts.lock()) {
                counts.add(&changes);
            }
            (!changes.is_empty()).then(String::new)
        };
        let mut change = |game: &mut Game| HeaderChanges::of_game(game).apply(game);
        let totals = || {
            let counts = counts.lock().map(|mut counts| std::mem::take(&mut *counts));
            cleaning_lines(&counts.unwrap_or_default())
        };
        let options = &args.edit_options;
        return change_games(options, Needs::Headers, &differs, &totals, &mut change);
    }
    if args.fix_result {
        let differs = |game: &Game| Some(ResultChange::of_game(game)?.text());
        let mut change = |game: &mut Game| {
            if let Some(change) = ResultChange::of_game(game) {
                change.apply(game);
            }
        };
        return change_games(
            &args.edit_options,
            Needs::Moves,
            &differs,
            &Vec::new,
            &mut change,
        );
    }
    if args.set.is_empty() && args.remove.is_empty() {
        let message = "specify --set NAME=VALUE, --remove NAME, --fix-result or --clean-headers";
        return Err(Failure::usage(message));
    }
    // PGN always has these tags, so they are set to `?` instead of removed.
    let always =
        |name: &&String| ["Event", "Site", "Round", "White", "Black"].contains(&name.as_str());
    let unknown = args.remove.iter().filter(always);
    let unknown = unknown.map(|name| (name.clone(), "?".to_owned()));
    let set: Vec<(String, String)> = unknown.chain(args.set.iter().cloned()).collect();
    let remove: Vec<&String> = args.remove.iter().filter(|name| !always(name)).collect();
    let differs = |game: &Game| {
        let mut set = set.iter();
        let mut remove = remove.iter();
        let differs = set.any(|(name, value)| game.tag(name).as_deref() != Some(value))
            || remove.any(|name| game.tag(name).is_some());
        differs.then(String::new)
    };
    let mut change = |game: &mut Game| {
        for name in &remove {
            while game.remove_tag(name) {}
        }
        for (name, value) in &set {
            game.set_tag(name, value);
        }
    };
    change_games(
        &args.edit_options,
        Needs::Headers,
        &differs,
        &Vec::new,
        &mut change,
    )
}

pub(crate) fn delete(args: &Delete) -> Outcome {
    let (none, deleted) = (GameFlags::empty(), GameFlags::DELETED);
    set_flags(&args.edit_options, deleted, none)
}

pub(crate) fn undelete(args: &Undelete) -> Outcome {
    let (none, deleted) = (GameFlags::empty(), GameFlags::DELETED);
    set_flags(&args.edit_options, none, deleted)
}

pub(crate) fn flag(args: &Flag) -> Outcome {
    let all = |flags: &[GameFlags]| flags.iter().copied().collect::<GameFlags>();
    let (set, remove) = (all(&args.set), all(&args.remove));
    if set.is_empty() && remove.is_empty() {
        return Err(Failure::usage("specify --set FLAG or --remove FLAG"));
    }
    set_flags(&args.edit_options, set, remove)
}

fn set_flags(args: &EditOptions, set: GameFlags, remove: GameFlags) -> Outcome {
    let wanted = |flags: GameFlags| flags.difference(remove).union(set);
    let differs = |game: &Game| (wanted(game.header.flags) != game.header.flags).then(String::new);
    let mut change = |game: &mut Game| {
        let flags = wanted(game.header.flags);
        // A special spelling of the source would contradict the new flags.
        game.remove_tag("ScidFlags");
        game.header.flags = flags;
    };
    change_games(args, Needs::Headers, &differs, &Vec::new, &mut change)
}

/// Changes the matching games that are not yet in the requested state: those for which `differs`
/// returns the change to report, or an empty text for a change that needs no report. `totals` returns
/// lines about all changes of a database.
fn change_games(
    args: &EditOptions,
    needs: Needs,
    differs: &(dyn Fn(&Game) -> Option<String> + Sync),
    totals: &dyn Fn() -> Vec<String>,
    change: &mut dyn FnMut(&mut Game),
) -> Outcome {
    let (paths, terms) = query::split_query(&args.choice.words);
    // A forgotten query must not change all games.
    if terms.is_empty() && !args.choice.is_given {
        return Err(missing_selection());
    }
    let query = query::read(terms, args.choice.position_options)?;
    let mut changes = ChangeReport::new(&args.in_place_options);
    for path in paths {
        let mut editor = open(path, &args.in_place_options)?;
        let mut matches = 0_u64;
        let mut numbers = Vec::new();
        let scan = editor.database().scan().select(args.choice.games.clone());
        let scan = scan.filter(Arc::clone(&query));
        let scan = scan.jobs(args.in_place_options.jobs.thread_count());
        let mut reports = Vec::new();
        map_scan(scan, needs, differs, |number, change| {
            matches += 1;
            let Some(change) = change else { return };
            numbers.push(number);
            if !change.is_empty() {
                reports.push(format!("game {number}: {change}"));
            }
        })?;
        if matches == 0 {
            let what = no_match(editor.database(), &args.choice.games, &query);
            changes.nothing(path, &what);
            continue;
        }
        refuse_twofold_words(editor.database(), args, &query)?;
        if numbers.is_empty() {
            let games = count(matches, "game");
            changes.already(
                path,
                &format!("nothing to do: {games} already as requested"),
            );
            continue;
        }
        for report in reports.iter().chain(&totals()) {
            changes.say(path, report);
        }
        if args.dry_run {
            changes.preview(path, editor.database(), &numbers, "changed")?;
            continue;
        }
        let changed = numbers.len() as u64;
        let games = count(changed, "game");
        let mut edit = |game: &mut Game| change(game);
        let numbers = Selection::in_order(numbers);
        let report = rewrite(&mut editor, path, &changes, &mut edit, None, |converter| {
            converter.edit_only(numbers)
        })?;
        changes.done(path, &editor, &report, changed, &games);
    }
    changes.finish()
}

/// Returns the error for a command that changes games without a selection.
pub(super) fn missing_selection() -> Failure {
    let message = "specify games with -n or a query; -n 1- selects all";
    Failure::usage(message)
}

/// Prints for which names abbreviated names stand.
///
/// # Errors
///
/// Returns an error if the games that match have a word of the query in values of different kinds,
/// such as a player in some and an event in others.
fn refuse_twofold_words(
    db: &Database,
    args: &EditOptions,
    query: &Arc<Query>,
) -> Result<(), Failure> {
    let mut words = QueryWords::new(query);
    if words.is_empty() {
        return Ok(());
    }
    let mut all = 0;
    let scan = db.scan().select(args.choice.games.clone());
    scan.filter(Arc::clone(query))
        .headers()
        .for_each(|game, _| {
            words.add(game);
            all += 1;
            ControlFlow::Continue(())
        })?;
    if !args.in_place_options.quiet {
        words.say_spellings();
    }
    for word in words.counts.words() {
        // A kind that all games have explains the match of each, so the word is not ambiguous.
        let is_twofold = word.kinds.iter().all(|kind| kind.games < all);
        if let ([_, _, ..], true) = (word.kinds.as_slice(), is_twofold) {
            let kinds = word.kinds.iter();
            let counts = kinds
                .clone()
                .map(|kind| format!("{} {}", kind.kind.key(), kind.games));
            let counts: Vec<String> = counts.collect();
            let terms: Vec<&str> = kinds.map(|kind| kind.term.as_str()).collect();
            return Err(Failure::Usage(format!(
                "{} is a word of several kinds ({}), so nothing was changed; write {}",
                word.word,
                counts.join(", "),
                terms.join(" or ")
            )));
        }
    }
    Ok(())
}

pub(crate) fn compact(args: &Compact) -> Outcome {
    let mut changes = ChangeReport::new(&args.in_place_options);
    for path in &args.bases {
        let mut editor = open(path, &args.in_place_options)?;
        let db = editor.database();
        let mut names = NamesInUse::new(db.info());
        let mut deleted_games = Vec::new();
        db.scan().headers().for_each(|game, _| {
            if game.header.flags.contains(GameFlags::DELETED) {
                deleted_games.push(game.number());
            } else {
                names.see(game);
            }
            ControlFlow::Continue(())
        })?;
        if args.dry_run {
            changes.preview(path, db, &deleted_games, "removed")?;
            continue;
        }
        let deleted = deleted_games.len() as u64;
        let unused = u64::from(names.count());
        let report = rewrite(
            &mut editor,
            path,
            &changes,
            &mut |_: &mut Game| {},
            None,
            |converter| converter.drop_deleted(true).names_in_use(names),
        )?;
        let names = match unused {
            0 => String::new(),
            unused => format!(" and {}", count(unused, "name")),
        };
        let games = format!("{}{names} removed", count(deleted, "game"));
        changes.done(path, &editor, &report, deleted, &games);
    }
    changes.finish()
}

/// Opens a database for changing it.
pub(super) fn open(path: &Path, args: &InPlaceOptions) -> Result<Editor, Failure> {
    let failed = |error: Error| {
        if error.is_about_writing() {
            Failure::target(&error, &shown(path).to_string())
        } else {
            error.into()
        }
    };
    let database = input::find(path, &args.input_options)?;
    input::refuse_read_only(&database, args.force)?;
    let options = input::options(&args.input_options).jobs(args.jobs.thread_count());
    // The editor finds the database again, so it needs the format, too.
    let options = match args.input_options.from {
        Some(format) => options.format(format),
        None => options,
    };
    let mut editor = Editor::open(path, options).map_err(failed)?;
    editor.keep_old(args.backup);
    editor.keep_undo(!args.no_undo);
    Ok(editor)
}

/// Changes a database with the converter that `choose` returns, in place if possible.
pub(super) fn rewrite<'e>(
    editor: &'e mut Editor,
    path: &Path,
    changes: &ChangeReport<'_>,
    edit: &mut dyn EditGames,
    replacement: Option<(u32, Replacement)>,
    choose: impl FnOnce(Converter<'e>) -> Converter<'e>,
) -> Result<Report, Failure> {
    let args = changes.args;
    let name = shown(path).to_string();
    let names = [name.clone()];
    let format = editor.database().format().name;
    let mut watch = ConversionObserver::new(&names, args.quiet, &changes.interrupted);
    watch.replacement = replacement;
    watch.edit = Some(edit);
    let converter = editor
        .converter()
        .command(&command_line())
        .allow(args.allow.iter().copied());
    let converter = converter.jobs(args.jobs.thread_count());
    let result = choose(converter).run_observed(&mut watch);
    let elapsed = watch.progress.elapsed();
    drop(watch);
    let report = result.or_else(Error::into_report);
    let report = report.map_err(|error| {
        if error.is_interrupted() {
            say(format_args!("chessdb: interrupted: {name} is unchanged"));
        }
        Failure::in_place(error, &name)
    })?;
    if report.is_refused() {
        let summary = report::summary(&report, &names, &name, format, elapsed);
        // A change in place refuses losses also without --strict.
        say(summary
            .trim_end()
            .replace("--strict refuses this", "This is refused"));
        let lost = report.refused_by();
        let marks = [LossKind::Flags, LossKind::DeletedFlag];
        let why = if lost.iter().any(|kind| marks.contains(kind)) {
            format!(
                "{format} cannot store this mark; nothing was changed. To leave games out: chessdb \
                 convert {name} NEW with a query"
            )
        } else if lost.is_empty() {
            format!(
                "the database is damaged; nothing was changed. For a repaired copy: chessdb salvage {name} NEW"
            )
        } else if lost == [LossKind::BaseExtra] {
            "contains data that chessdb does not write; nothing was changed".to_owned()
        } else {
            "the format cannot store this; nothing was changed".to_owned()
        };
        return Err(Failure::Output(format!("{name}: {why}")));
    }
    Ok(report)
}

/// The results of the changed databases.
pub(super) struct ChangeReport<'a> {
    args: &'a InPlaceOptions,
    interrupted: Arc<AtomicBool>,
    bases: Vec<Json>,
    done: Completion,
}

impl<'a> ChangeReport<'a> {
    pub(super) fn new(args: &'a InPlaceOptions) -> ChangeReport<'a> {
        ChangeReport {
            args,
            interrupted: interrupts(),
            bases: Vec::new(),
            done: Completion::Success,
        }
    }

    fn say(&self, path: &Path, text: &str) {
        if !self.args.quiet {
            say(format_args!("{}: {text}", shown(&path)));
        }
    }

    fn note(&mut self, path: &Path, changed: u64, games: Json, backups: &[PathBuf]) {
        let backups = backups.iter().map(|path| path.display().to_string());
        self.bases.push(object! {
            "base": path.display().to_string().as_str(), "changed": changed, "games": games,
            "backup": list(backups),
        });
    }

    /// Prints and records which games would be changed.
    pub(super) fn preview(
        &mut self,
        path: &Path,
        db: &Database,
        numbers: &[u32],
        verb: &'static str,
    ) -> Result<(), Failure> {
        let preview = Preview {
            path,
            numbers,
            verb,
        };
        preview.print(db, self.args.json, self.args.quiet)?;
        self.bases.push(preview.json());
        Ok(())
    }

    /// Records that there is no such game.
    pub(super) fn nothing(&mut self, path: &Path, why: &str) {
        self.say(path, why);
        self.note(path, 0, Json::Null, &[]);
        self.done = Completion::Negative;
    }

    /// Records that the database needs no change.
    pub(super) fn already(&mut self, path: &Path, why: &str) {
        self.say(path, why);
        self.note(path, 0, Json::Null, &[]);
    }

    /// Records that the database was changed.
    pub(super) fn done(
        &mut self,
        path: &Path,
        editor: &Editor,
        report: &Report,
        changed: u64,
        what: &str,
    ) {
        if report.carried() > 0 && !self.args.quiet {
            for finding in report::damage(report) {
                self.say(path, &finding);
            }
            let games = count(report.carried(), "damaged game");
            self.say(path, &format!("{games} with moves kept byte for byte"));
        }
        let games = report.written();
        let all = count(games, "game");
        let old = match editor.backups().first() {
            Some(copy) => format!("; backup: {}", shown(&copy)),
            None => String::new(),
        };
        let old = old + &index_note(editor.old_indexes());
        let verb = if what.ends_with("removed") { "" } else { " changed" };
        self.say(path, &format!("{what}{verb}, {all} in total{old}"));
        self.note(path, changed, games.into(), editor.backups());
    }

    pub(super) fn finish(self) -> Outcome {
        if self.args.json {
            print_list("bases", self.bases)?;
        }
        Ok(self.done)
    }
}
