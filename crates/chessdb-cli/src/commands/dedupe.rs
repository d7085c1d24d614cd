//! The commands `dedupe` and `merge`: databases joined into one, without duplicate games.

mod target;

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use chessdb::convert::{Duplicate, DuplicateSearch, FoundDuplicates, GamePlace};
use chessdb::core::model::GameFlags;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::duplicates::{Details, DuplicateRule};
use chessdb::{Database, Game, Selection};

use crate::args::{Dedupe, DuplicateOptions, Merge, OutputOptions, PreferArg};
use crate::commands::arrange::{Needs, map_games};
use crate::commands::convert::{ConversionSteps, PlainSteps, run_all};
use crate::commands::dedupe::target::Target;
use crate::commands::plan::in_place;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::inputs::Inputs;
use crate::json::{Json, object};
use crate::output::{count, stdout};
use crate::query;
use crate::report_file::{ReportFile, refuse, refuse_database};

pub(crate) fn merge(args: &Merge) -> Outcome {
    let by = match (args.dedupe, &args.only_new) {
        (None, None) => return run_all("merge", &args.output_options, &mut PlainSteps),
        (by, _) => by.unwrap_or(DuplicateRule::Sure),
    };
    let mut deduping = Deduping::new(by, &args.output_options, &args.duplicates);
    deduping.only_new = args.only_new.as_deref();
    deduping.run("merge")
}

pub(crate) fn dedupe(args: &Dedupe) -> Outcome {
    if args.output_options.dry_run {
        return dry_run_list(args);
    }
    let options = if args.mark {
        in_place("dedupe --mark", &args.output_options, false)?
    } else {
        args.output_options.clone()
    };
    if args.mark && !options.in_place {
        let message =
            "--mark changes one database and has no output: chessdb dedupe --mark DATABASE";
        return Err(Failure::usage(message));
    }
    let mut deduping = Deduping::new(args.by, &options, &args.duplicates);
    deduping.merges = args.merge_annotations;
    deduping.run("dedupe")
}

/// `--dry-run`: prints the games that would be removed. The real command reads the same inputs: of
/// several paths, the last is OUT.
fn dry_run_list(args: &Dedupe) -> Outcome {
    let (paths, terms) = query::split_query_at_term(&args.output_options.choice.words);
    let (paths, out_path) = match paths {
        [read @ .., out] if !read.is_empty() => (read, Some(out)),
        paths => (paths, None),
    };
    let mut deduping = Deduping::new(args.by, &args.output_options, &args.duplicates);
    deduping.explains = args.explain;
    if let Some(out) = out_path.filter(|_| args.output_options.append) {
        let target = input::find(out, &args.output_options.input_options)?;
        let options = input::options(&args.output_options.input_options);
        deduping.look_at_target(options.open_found(target)?)?;
    }
    let query = query::read(terms, args.output_options.choice.position_options)?;
    let inputs = Inputs::new(paths, &args.output_options.input_options);
    let opened = inputs.open_all(&args.output_options.input_options, false)?;
    deduping.find_copies(&opened.bases, &query)?;
    let mut out = stdout();
    deduping.write_map(&mut out)?;
    out.flush()?;
    if !args.output_options.quiet {
        say(deduping.summary_of("would leave out"));
        if let Some(path) = out_path {
            say(format!("{}: not written (--dry-run)", shown(&path)));
        }
    }
    let done = if deduping.removed.is_empty() {
        Completion::Negative
    } else {
        Completion::Success
    };
    Ok(done.max(opened.done))
}

struct Deduping<'a> {
    by: DuplicateRule,
    output_options: &'a OutputOptions,
    duplicates: &'a DuplicateOptions,
    /// The databases that the command reads and writes.
    databases: Vec<PathBuf>,
    names: Vec<String>,
    /// The number of games that are compared.
    games: usize,
    /// The games to remove.
    removed: Vec<Duplicate>,
    /// Whether annotations of removed games are merged into the kept ones, and the annotated games
    /// to remove, by the kept games.
    merges: bool,
    annotated: HashMap<GamePlace, Vec<Game>>,
    /// The games to keep, in the order in which they are written.
    kept_games: VecDeque<GamePlace>,
    merged: u64,
    merged_tags: u64,
    /// The database that is appended to, or the one with the games that are left out.
    target: Option<Target>,
    /// The database with the games that are left out. It is only read.
    only_new: Option<&'a Path>,
    /// Whether the evidence of each pair is printed.
    explains: bool,
}

impl<'a> Deduping<'a> {
    fn new(
        by: DuplicateRule,
        output_options: &'a OutputOptions,
        duplicates: &'a DuplicateOptions,
    ) -> Deduping<'a> {
        Deduping {
            by,
            output_options,
            duplicates,
            databases: Vec::new(),
            names: Vec::new(),
            games: 0,
            removed: Vec::new(),
            merges: false,
            annotated: HashMap::new(),
            kept_games: VecDeque::new(),
            merged: 0,
            merged_tags: 0,
            target: None,
            only_new: None,
            explains: false,
        }
    }

    fn run(mut self, command: &'static str) -> Outcome {
        let options = self.output_options;
        self.databases = query::split_query_at_term(&options.choice.words)
            .0
            .to_owned();
        if let Some(base) = self.only_new {
            let base = base.to_owned();
            if let Some(out) = self.databases.last() {
                refuse_database(out, slice::from_ref(&base))?;
            }
            self.databases.push(base);
        }
        // An existing file is refused now, not after all games were compared.
        if let Some(map) = &self.duplicates.map {
            refuse(map, options.force, &self.databases)?;
        }
        let done = run_all(command, options, &mut self)?;
        match self.target {
            // Without the games that were appended, the copies in the target are all there is.
            Some(target) if done <= Completion::Negative => Ok(done.max(target.complete(options)?)),
            _ => Ok(done),
        }
    }

    /// Reads the games to remove that have annotations or tags for their kept copies.
    fn read_annotated(&mut self, bases: &[Database]) -> Result<(), Failure> {
        for Duplicate {
            place,
            kept,
            beyond,
            ..
        } in &self.removed
        {
            let (base, number) = place;
            // The target, which comes after the databases, is not written by this conversion.
            if kept.0 < bases.len()
                && let Some(db) = bases.get(*base)
            {
                let game = db.game(number.saturating_sub(1))?;
                // Every token that is no move is an annotation.
                let has_notes =
                    game.moves.len() > game.moves.plies() as usize || game.moves.has_variations();
                if has_notes || !beyond.is_empty() {
                    self.annotated.entry(*kept).or_default().push(game);
                }
            }
        }
        Ok(())
    }

    /// Finds the duplicates.
    fn find_copies(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<FoundDuplicates, Failure> {
        if let Some(base) = self.only_new {
            let options = &self.output_options.input_options;
            let base = input::options(options).open_found(input::find(base, options)?)?;
            self.target = Some(Target::new(base, PreferArg::Base));
        }
        let file = tempfile::tempfile().map_err(|error| {
            let folder = std::env::temp_dir();
            let folder = folder.display();
            Failure::Output(format!(
                "{folder}: no temporary file can be created: {error}; set TMPDIR to another folder"
            ))
        })?;
        let mut search = DuplicateSearch::new(self.by).with_file(file);
        if self.explains {
            search = search.explained();
        }
        let is_newer_better = self.duplicates.prefer == PreferArg::New;
        // A game that is marked already must not be the copy that stays.
        let marks = self.output_options.in_place;
        let candidate = |game: &Game| {
            if marks && game.header.flags.contains(GameFlags::DELETED) {
                return None;
            }
            let candidate = DuplicateSearch::candidate(game)?;
            Some(if is_newer_better { candidate.staying() } else { candidate })
        };
        for (number, base) in bases.iter().enumerate() {
            let name = base.path().map(Path::display);
            self.names
                .push(name.map_or("-".to_owned(), |name| name.to_string()));
            map_games(
                base,
                self.output_options,
                query,
                Needs::Moves,
                candidate,
                |n, candidate| search.add((number, n), candidate),
            )?;
        }
        if let Some(target) = &mut self.target {
            self.names.push(target.name());
            target.add_to(&mut search, bases.len(), self.output_options)?;
        }
        let mut duplicates = search.finish()?;
        self.games = duplicates.games();
        if let Some(target) = &mut self.target {
            target.keep_all(&mut duplicates, bases)?;
        }
        self.removed.clone_from(&duplicates.removed);
        Ok(duplicates)
    }

    fn write_map(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let name = |base: usize| self.names.get(base).map_or("", String::as_str);
        for duplicate in &self.removed {
            let ((base, game), (kept_base, kept_game)) = (duplicate.place, duplicate.kept);
            writeln!(
                out,
                "{}\t{game}\t{}\t{kept_game}",
                name(base),
                name(kept_base)
            )?;
            if self.explains && duplicate.evidence.is_empty() {
                writeln!(out, "\tboth are copies of a third game")?;
            }
            for evidence in &duplicate.evidence {
                writeln!(out, "\t{evidence}")?;
            }
        }
        Ok(())
    }
}

impl ConversionSteps for Deduping<'_> {
    fn chooses(&self) -> bool {
        true
    }

    fn compares_target(&self) -> bool {
        true
    }

    fn look_at_target(&mut self, target: Database) -> Result<(), Failure> {
        if self.merges {
            let message = "--merge-annotations cannot change games of the database appended to; \
                           write a new database";
            return Err(Failure::usage(message));
        }
        self.target = Some(Target::new(target, self.duplicates.prefer));
        Ok(())
    }

    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let duplicates = self.find_copies(bases, query)?;
        if let Some(path) = &self.duplicates.map {
            let force = self.output_options.force;
            let mut file = ReportFile::create(path, force, &self.databases)?;
            let written = self.write_map(&mut file);
            written.map_err(|error| file.failure(&error))?;
            file.finish()?;
        }
        if self.merges {
            self.read_annotated(bases)?;
        }
        if self.output_options.in_place {
            return Ok(Some(vec![Selection::all()]));
        }
        self.kept_games.extend(duplicates.kept());
        Ok(Some(duplicates.selections(bases.len())))
    }

    fn edited(&mut self) -> Option<Selection> {
        if !self.output_options.in_place {
            return None;
        }
        let removed = self.removed.iter().map(|duplicate| duplicate.place);
        let places = removed.chain(self.annotated.keys().copied());
        let mut numbers: Vec<u32> = places.map(|(_, number)| number).collect();
        numbers.sort_unstable();
        Some(Selection::in_order(numbers))
    }

    fn restart(&mut self) {
        (self.merged, self.merged_tags) = (0, 0);
    }

    fn edit(&mut self, game: &mut Game) {
        if self.output_options.in_place {
            return self.mark_or_complete(game);
        }
        // Skip kept games that could not be written.
        while let Some(place) = self.kept_games.pop_front() {
            if place.1 == game.number() {
                return self.complete(game, place);
            }
        }
    }

    fn facts(&self) -> Vec<(&'static str, Json)> {
        let of_base = self.target.as_ref().map(Target::copies);
        let facts = object! {
            "compared": self.games, "leftOut": self.removed.len(), "inBase": of_base,
        };
        vec![("duplicates", facts)]
    }

    fn summary(&self) -> Option<String> {
        let is_marked = self.output_options.in_place;
        Some(self.summary_of(if is_marked { "marked as deleted" } else { "left out" }))
    }
}

impl Deduping<'_> {
    /// Marks a duplicate as deleted, or adds to a kept game what its duplicates have more.
    fn mark_or_complete(&mut self, game: &mut Game) {
        let place = (0, game.number());
        let removed = self
            .removed
            .binary_search_by_key(&place, |duplicate| duplicate.place);
        if removed.is_ok() {
            // A special spelling of the source would contradict the new mark.
            game.remove_tag("ScidFlags");
            game.header.flags |= GameFlags::DELETED;
        } else {
            self.complete(game, place);
        }
    }

    /// Adds to a kept game what its duplicates have more.
    fn complete(&mut self, game: &mut Game, place: GamePlace) {
        for other in self.annotated.get(&place).into_iter().flatten() {
            self.merged += game.take_notes(other) as u64;
            self.merged_tags += game.take_tags(other) as u64;
        }
    }

    /// Returns what games that are removed have and the kept copies lack, after what was merged.
    fn lost_details(&self) -> String {
        // Moves are the only details that cannot be joined.
        let mergeable = Details::all() - Details::MOVES;
        let lost = |beyond: Details| if self.merges { beyond - mergeable } else { beyond };
        // The target takes what these copies have more.
        let is_joined = |game: &&Duplicate| {
            let target = self.target.as_ref();
            target.is_some_and(|target| target.takes(game.place))
        };
        let fuller = self.removed.iter().filter(|game| !is_joined(game));
        let fuller = fuller.filter(|game| !lost(game.beyond).is_empty());
        let number = fuller.clone().count();
        if number == 0 {
            return String::new();
        }
        let all = fuller.fold(Details::empty(), |all, game| all | lost(game.beyond));
        let named: Vec<&str> = all.names().collect();
        let way_out = match (&self.target, self.duplicates.prefer, self.merges) {
            (Some(_), ..) if self.only_new.is_some() => "; merge --append --dedupe adds these",
            (Some(_), PreferArg::Base, _) => "; --prefer better keeps those of better copies",
            (Some(_), ..) => "; --prefer new keeps these",
            (None, _, false) => "; --merge-annotations keeps these",
            (None, _, true) => "",
        };
        format!(
            "; {number} of them had {}, which the kept copies lack{way_out}",
            named.join(", ")
        )
    }

    /// Returns the numbers of games; `verb` states what happened, or would happen, to duplicates.
    fn summary_of(&self, verb: &str) -> String {
        let removed = count(self.removed.len() as u64, "duplicate");
        let all = count(self.games as u64, "game");
        let merged = match (self.merges, self.merged_tags) {
            (false, _) => String::new(),
            (true, 0) => format!("; {} merged from them", count(self.merged, "annotation")),
            (true, tags) => format!(
                "; {} and {} merged from them",
                count(self.merged, "annotation"),
                count(tags, "tag")
            ),
        };
        let target = match &self.target {
            Some(target) => target.summary(),
            None => String::new(),
        };
        let target = target + &self.lost_details();
        format!("{verb} {removed} of {all}{target}{merged}")
    }
}
