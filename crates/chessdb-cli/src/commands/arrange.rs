//! The commands `sort`, `dedupe`, `merge` and `eco`: conversions that select, order or change
//! games.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::convert::{Duplicate, DuplicateSearch, FoundDuplicates, GamePlace};
use chessdb::core::model::Tag;
use chessdb::formats::shown;
use chessdb::query::{Candidate, Details, DuplicateRule, Order, Query, opening, opening_of_moves};
use chessdb::{Database, Game, Scan, Selection};

use crate::args::{Arrangement, Dedupe, Eco, Merge, OutputOptions, SamenessArg, Sort};
use crate::commands::convert::{Arranging, ConversionSteps, run_all};
use crate::commands::plan::{InPlace, in_place, is_chosen};
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::inputs::Inputs;
use crate::output::{count, plain, stdout};
use crate::query;
use crate::report_file::{ReportFile, refuse};

pub(crate) fn sort(args: &Sort) -> Outcome {
    if args.by.is_none() {
        return Err(missing_key(&args.words));
    }
    let arrangement = Arrangement {
        sort: args.by.clone(),
        limit: None,
    };
    let InPlace { words, options, .. } =
        in_place("sort", &args.words, &args.output_options, false)?;
    let mut steps = Arranging {
        arrangement: &arrangement,
        output_options: &options,
    };
    run_all("sort", &words, &options, &mut steps)
}

/// Returns the error for a sort without a key. A key that is the last word is meant to be one.
fn missing_key(words: &[PathBuf]) -> Failure {
    let key = words.split_last().and_then(|(last, databases)| {
        let key = last.to_str()?;
        key.parse::<Order>().ok().map(|_| (key, databases))
    });
    let (key, databases) = key.unwrap_or(("date", words));
    let mut names: Vec<String> = databases
        .iter()
        .map(|path| shown(path).to_string())
        .collect();
    if names.len() < 2 {
        names.push("OUT".to_owned());
    }
    Failure::Usage(format!(
        "sort needs the option --by: chessdb sort {} --by {key}",
        plain(&names.join(" "))
    ))
}

/// The parts of a game that a scan reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    Headers,
    Moves,
}

/// Calls `make` on all threads for each matching game of a database, and `take` with the values in
/// order. For a game that cannot be read completely, `make` gets the readable part.
pub(super) fn map_games<T: Send>(
    db: &Database,
    output_options: &OutputOptions,
    query: &Arc<Query>,
    needs: Needs,
    make: impl Fn(&Game) -> T + Sync,
    take: impl FnMut(u32, T),
) -> Result<(), Failure> {
    let scan = db.scan().select(output_options.choice.games.clone());
    let scan = scan.filter(Arc::clone(query));
    map_scan(
        scan.jobs(output_options.jobs.thread_count()),
        needs,
        make,
        take,
    )
}

/// Calls `make` on all threads for each game of a scan, and `take` with the values in order.
fn map_scan<T: Send>(
    scan: Scan<'_>,
    needs: Needs,
    make: impl Fn(&Game) -> T + Sync,
    mut take: impl FnMut(u32, T),
) -> Result<(), Failure> {
    let scan = match needs {
        Needs::Headers => scan.headers(),
        Needs::Moves => scan,
    };
    scan.map_in_order(
        |game, _| (game.number(), make(game)),
        |(number, made)| {
            take(number, made);
            ControlFlow::Continue(())
        },
    )?;
    Ok(())
}

pub(crate) fn merge(args: &Merge) -> Outcome {
    match args.dedupe {
        None => run_all("merge", &args.words, &args.output_options, &mut PlainMerge),
        Some(by) => {
            let mut deduping = Deduping::new(by, &args.output_options, args.map.clone());
            deduping.databases = query::split_query_at_term(&args.words).0.to_owned();
            if let Some(map) = &args.map {
                refuse(map, args.output_options.force, &deduping.databases)?;
            }
            run_all("merge", &args.words, &args.output_options, &mut deduping)
        }
    }
}

struct PlainMerge;

impl ConversionSteps for PlainMerge {}

pub(crate) fn dedupe(args: &Dedupe) -> Outcome {
    let map = args.map.clone();
    if args.output_options.dry_run {
        return dry_run_list(args);
    }
    let mut deduping = Deduping::new(args.by, &args.output_options, map);
    deduping.merges = args.merge_annotations;
    deduping.databases = query::split_query_at_term(&args.words).0.to_owned();
    if let Some(map) = &args.map {
        refuse(map, args.output_options.force, &deduping.databases)?;
    }
    run_all("dedupe", &args.words, &args.output_options, &mut deduping)
}

/// `--dry-run`: prints the games that would be removed. The inputs are those of the real command: of
/// several paths, the last is OUT.
fn dry_run_list(args: &Dedupe) -> Outcome {
    let (paths, terms) = query::split_query_at_term(&args.words);
    let (paths, out_path) = match paths {
        [read @ .., out] if !read.is_empty() => (read, Some(out)),
        paths => (paths, None),
    };
    let mut deduping = Deduping::new(args.by, &args.output_options, None);
    deduping.explains = args.explain;
    if let Some(out) = out_path.filter(|_| args.output_options.append) {
        let found = input::find(out, &args.output_options.input_options)?;
        let options = input::options(&args.output_options.input_options);
        deduping.look_at_target(&options.open_found(found)?)?;
    }
    let query = query::read(terms, args.output_options.choice.position_options)?;
    let inputs = Inputs::of(paths, &args.output_options.input_options);
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
    let done = match deduping.removed.is_empty() {
        true => Completion::Negative,
        false => Completion::Success,
    };
    Ok(done.max(opened.done))
}

struct Deduping<'a> {
    by: DuplicateRule,
    output_options: &'a OutputOptions,
    map: Option<PathBuf>,
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
    /// The database that is appended to: its name and its games, which are all kept.
    target: Option<(String, Vec<(u32, Candidate)>)>,
    /// The number of games removed because the target has a copy.
    there: u64,
    /// Whether the evidence of each pair is printed.
    explains: bool,
}

impl<'a> Deduping<'a> {
    fn new(
        by: SamenessArg,
        output_options: &'a OutputOptions,
        map: Option<PathBuf>,
    ) -> Deduping<'a> {
        Deduping {
            by: match by {
                SamenessArg::Strict => DuplicateRule::Strict,
                SamenessArg::Sure => DuplicateRule::Sure,
                SamenessArg::Likely => DuplicateRule::Likely,
            },
            output_options,
            map,
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
            there: 0,
            explains: false,
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
            if kept.0 < bases.len()
                && let Some(db) = bases.get(*base)
            {
                let game = db.game(number.saturating_sub(1))?;
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
        let mut search = DuplicateSearch::new(self.by);
        if self.explains {
            search = search.explained();
        }
        for (number, base) in bases.iter().enumerate() {
            let name = base.path().map(Path::display);
            self.names
                .push(name.map_or("-".to_owned(), |name| name.to_string()));
            map_games(
                base,
                self.output_options,
                query,
                Needs::Moves,
                DuplicateSearch::candidate,
                |n, candidate| search.add((number, n), candidate),
            )?;
        }
        if let Some((name, games)) = &mut self.target {
            self.names.push(name.clone());
            for (number, candidate) in games.drain(..) {
                search.add_compared((bases.len(), number), candidate);
            }
        }
        let mut found = search.finish();
        let is_there = |place: GamePlace| place.0 == bases.len();
        // The target keeps all its games.
        found.removed.retain(|game| !is_there(game.place));
        let there = found.removed.iter().filter(|game| is_there(game.kept));
        self.there = there.count() as u64;
        self.games = found.games.len();
        self.removed.clone_from(&found.removed);
        Ok(found)
    }

    fn write_map(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let name = |base: usize| self.names.get(base).map_or("", String::as_str);
        for duplicate in &self.removed {
            let ((base, game), (kept_base, kept)) = (duplicate.place, duplicate.kept);
            writeln!(out, "{}\t{game}\t{}\t{kept}", name(base), name(kept_base))?;
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

    /// Reads the games of a database that is appended to.
    fn look_at_target(&mut self, target: &Database) -> Result<(), Failure> {
        if self.merges {
            let message = "--merge-annotations cannot change games of the database appended to; \
                           write a new database";
            return Err(Failure::Usage(message.to_owned()));
        }
        let mut games = Vec::new();
        let make = |game: &Game| (!game.is_damaged()).then(|| Candidate::of(game).staying());
        let scan = target.scan().jobs(self.output_options.jobs.thread_count());
        map_scan(scan, Needs::Moves, make, |number, candidate| {
            games.extend(candidate.map(|candidate| (number, candidate)));
        })?;
        let name = target.path().map(Path::display);
        self.target = Some((name.map_or("-".to_owned(), |name| name.to_string()), games));
        Ok(())
    }

    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let found = self.find_copies(bases, query)?;
        if let Some(path) = &self.map {
            let force = self.output_options.force;
            let mut file = ReportFile::create(path, force, &self.databases)?;
            let written = self.write_map(&mut file);
            written.map_err(|error| file.failure(&error))?;
            file.finish()?;
        }
        self.kept_games.extend(found.kept());
        if self.merges {
            self.read_annotated(bases)?;
        }
        Ok(Some(found.selections(bases.len())))
    }

    fn edit(&mut self, game: &mut Game) {
        // Skip kept games that could not be written.
        while let Some(place) = self.kept_games.pop_front() {
            if place.1 == game.number() {
                for other in self.annotated.remove(&place).unwrap_or_default() {
                    self.merged += game.take_notes(&other) as u64;
                    self.merged_tags += take_tags(game, &other);
                }
                return;
            }
        }
    }

    fn summary(&self) -> Option<String> {
        Some(self.summary_of("left out"))
    }
}

impl Deduping<'_> {
    /// Returns what games that are removed have and the kept copies lack, after what was merged.
    fn lost_details(&self) -> String {
        let mergeable = Details::all() - Details::MOVES;
        let lost = |beyond: Details| match self.merges {
            true => beyond - mergeable,
            false => beyond,
        };
        let fuller = self
            .removed
            .iter()
            .filter(|game| !lost(game.beyond).is_empty());
        let number = fuller.clone().count();
        if number == 0 {
            return String::new();
        }
        let all = fuller.fold(Details::empty(), |all, game| all | lost(game.beyond));
        let named: Vec<&str> = all.names().collect();
        let way_out = match (&self.target, self.merges) {
            (Some(_), _) => "; merge into a new database to keep the better copies",
            (None, false) => "; --merge-annotations keeps these",
            (None, true) => "",
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
        let merged = match self.merges {
            true => format!(
                "; {} and {} merged from them",
                count(self.merged, "annotation"),
                count(self.merged_tags, "tag")
            ),
            false => String::new(),
        };
        let target = match &self.target {
            Some((name, _)) => format!("; {} already in {name}", self.there),
            None => String::new(),
        };
        let target = target + &self.lost_details();
        format!("{verb} {removed} of {all}{target}{merged}")
    }
}

pub(crate) fn eco(args: &Eco) -> Outcome {
    let in_place = in_place("eco", &args.words, &args.output_options, true)?;
    let mut naming = OpeningTagging {
        chosen: in_place.chosen,
        all: args.all,
        variants: args.variants,
        names: args.names,
        games: 0,
        known: 0,
        changed: 0,
        contrary: 0,
    };
    run_all("eco", &in_place.words, &in_place.options, &mut naming)
}

/// Sets the ECO code and the opening's name of games.
struct OpeningTagging {
    /// The games to change, if not all.
    chosen: Option<Vec<u32>>,
    all: bool,
    variants: bool,
    names: bool,
    games: u64,
    known: u64,
    changed: u64,
    /// The number of games with an ECO code that is not the one of their moves.
    contrary: u64,
}

impl ConversionSteps for OpeningTagging {
    fn edit(&mut self, game: &mut Game) {
        if !is_chosen(self.chosen.as_ref(), game.number()) {
            return;
        }
        self.games += 1;
        let found = match self.variants {
            true => opening_of_moves(game),
            false => opening(game),
        };
        let Some(opening) = found.filter(|_| game.has_known_start()) else {
            return;
        };
        self.known += 1;
        let had = game.eco();
        if self.all && had.is_none_or(|eco| eco.code != opening.eco.code) || had.is_none() {
            game.header.eco = Some(opening.eco);
            game.header
                .tags
                .retain(|tag| !matches!(tag, Tag::Verbatim(chessdb::core::model::Field::Eco, _)));
            self.changed += 1;
        }
        // A name next to the code of another opening would contradict it.
        let is_same = game.eco().is_some_and(|eco| eco.code == opening.eco.code);
        self.contrary += u64::from(!is_same);
        if self.names && is_same && (self.all || game.tag("Opening").is_none()) {
            set_tag(game, "Opening", opening.name);
        }
    }

    fn summary(&self) -> Option<String> {
        let (known, all) = (self.known, count(self.games, "game"));
        let mut summary = format!(
            "{all}, {known} with a known opening, {} written",
            count(self.changed, "ECO code")
        );
        if self.contrary > 0 {
            let contrary = count(self.contrary, "game");
            summary += &format!("; {contrary} kept a code that differs from the moves (--all)");
        }
        Some(summary)
    }
}

/// Gives a game the tags that only its copy has, and returns their number.
fn take_tags(game: &mut Game, copy: &Game) -> u64 {
    let is_known = |value: &str| !value.bytes().all(|byte| b"?.-*: ".contains(&byte));
    let mut taken = 0;
    for (name, value) in copy.tags() {
        let own = game.tag(&name);
        if is_known(&value) && !own.is_some_and(|own| is_known(&own)) {
            game.set_tag(&name, &value);
            taken += 1;
        }
    }
    taken
}

/// Sets a tag that is no typed field, replacing an existing one.
fn set_tag(game: &mut Game, name: &str, value: &str) {
    let value = game.add_text(value);
    let at = game.header.tags.iter().position(|tag| match *tag {
        Tag::Other { name: known, .. } => game.text(known).as_bytes() == name.as_bytes(),
        _ => false,
    });
    let name = game.add_text(name);
    let tag = Tag::Other { name, value };
    match at.and_then(|at| game.header.tags.get_mut(at)) {
        Some(place) => *place = tag,
        None => game.header.tags.push(tag),
    }
}
