//! The command `names`: players, events, sites and annotators of databases, and replacing variant
//! spellings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chessdb::convert::NamesInUse;
use chessdb::core::Color;
use chessdb::formats::shown;
use chessdb::query::{NameUse, Query, Spelling, Spellings, suggest_names};
use chessdb::{Database, Game, Selection};

use crate::args::{Names, NamesOf, OutputOptions};
use crate::commands::convert::{ConversionSteps, run_all};
use crate::commands::database_scan::DatabaseScan;
use crate::commands::plan::in_place;
use crate::commands::players;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{Json, document, object};
use crate::output::{count, plain, stdout};

pub(crate) fn run(args: &Names) -> Outcome {
    if args.details || args.players.is_some() {
        return players::run(args);
    }
    let option = match args.apply {
        Some(_) => "names --apply",
        None => "names --rename OLD NEW",
    };
    if args.apply.is_some() || !args.rename.is_empty() {
        let (words, output_options) = in_place(option, &args.words, &args.output_options)?;
        let spellings = match &args.apply {
            Some(path) => read_spellings(path, args.of)?,
            None => renamed(&args.rename)?,
        };
        let mut renaming = Renaming {
            of: args.of,
            output_options: &output_options,
            spellings,
            names: 0,
            ambiguous: BTreeMap::new(),
            in_use: None,
        };
        let done = run_all(option, &words, &output_options, &mut renaming)?;
        return Ok(done.max(renaming.report_ambiguous()));
    }
    let of = args.of;
    let mut uses: BTreeMap<String, NameUse> = BTreeMap::new();
    let scan = DatabaseScan {
        words: &args.words,
        choice: &args.output_options.choice,
        input_options: &args.output_options.input_options,
        strict: args.output_options.strict.is_some(),
        jobs: args.output_options.jobs,
    };
    let outcome = scan.each(
        |game| names(game, of),
        |found| {
            for (name, seen) in found {
                uses.entry(name).or_default().add(&seen);
            }
        },
    )?;
    let uses: Vec<(String, NameUse)> = uses.into_iter().collect();
    let mut out = stdout();
    let done = match args.suggest {
        true => print_suggestions(&uses, args.output_options.json, &mut out)?,
        false => print_list(&uses, args.output_options.json, &mut out)?,
    };
    out.flush()?;
    Ok(outcome.done.max(done))
}

/// Returns the names of this kind in a game, each with its use there.
fn names(game: &Game, of: NamesOf) -> Vec<(String, NameUse)> {
    let year = game.date().year;
    let used = |name: &str, elo: Option<u16>| {
        let name = name.trim();
        let known = !matches!(name, "" | "?");
        known.then(|| (name.to_owned(), NameUse::of(year, elo)))
    };
    let names = match of {
        NamesOf::Players => vec![
            used(&game.white(), game.elo(Color::White)),
            used(&game.black(), game.elo(Color::Black)),
        ],
        NamesOf::Events => vec![used(&game.event(), None)],
        NamesOf::Sites => vec![used(&game.site(), None)],
        NamesOf::Rounds => vec![used(&game.round(), None)],
        NamesOf::Annotators => vec![used(&game.annotator().unwrap_or_default(), None)],
    };
    names.into_iter().flatten().collect()
}

fn print_list(
    uses: &[(String, NameUse)],
    json: bool,
    out: &mut dyn Write,
) -> Result<Completion, Failure> {
    let mut order: Vec<&(String, NameUse)> = uses.iter().collect();
    order.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
    if json {
        let list = order.into_iter().map(|(name, seen)| {
            object([
                ("name", name.as_str().into()),
                ("games", seen.games.into()),
                ("firstYear", year(seen.years.0)),
                ("lastYear", year(seen.years.1)),
            ])
        });
        writeln!(out, "{}", document("names", Json::Array(list.collect())))?;
    } else {
        for (name, seen) in order {
            writeln!(out, "{}\t{}\t{name}", seen.games, year_range(seen))?;
        }
    }
    Ok(Completion::of_search(uses.len() as u64))
}

fn print_suggestions(
    uses: &[(String, NameUse)],
    json: bool,
    out: &mut dyn Write,
) -> Result<Completion, Failure> {
    let found = suggest_names(uses);
    let name = |n: usize| uses.get(n).map_or("", |(name, _)| name.as_str());
    if json {
        let list = found.iter().map(|one| {
            object([
                ("name", name(one.name).into()),
                ("better", name(one.better).into()),
                ("ambiguous", one.is_ambiguous.into()),
            ])
        });
        writeln!(
            out,
            "{}",
            document("suggestions", Json::Array(list.collect()))
        )?;
    } else {
        for one in &found {
            let seen = |n: usize| {
                uses.get(n)
                    .map(|(_, seen)| format!("{}, {}", count(seen.games, "game"), year_range(seen)))
                    .unwrap_or_default()
            };
            // `--apply` treats a line with the mark as a comment.
            let mark = if one.is_ambiguous { AMBIGUOUS } else { "" };
            let (less, more) = (seen(one.name), seen(one.better));
            let (name, better) = (name(one.name), name(one.better));
            writeln!(out, "{mark}{name}\t{better}\t# {less}; {more}")?;
        }
        let ambiguous = found.iter().filter(|one| one.is_ambiguous);
        let ambiguous: BTreeSet<usize> = ambiguous.map(|one| one.name).collect();
        if !ambiguous.is_empty() {
            let names = count(ambiguous.len() as u64, "name");
            say(format_args!(
                "chessdb: {names} with several candidates: in the lines that begin with \"{}\", remove \
                 the mark from the correct one",
                AMBIGUOUS.trim_end()
            ));
        }
    }
    Ok(Completion::of_search(found.len() as u64))
}

/// The mark at the beginning of a line of `--suggest` that the user has to decide.
const AMBIGUOUS: &str = "# ambiguous: ";

fn year_range(seen: &NameUse) -> String {
    match seen.years {
        (0, _) => "-".to_owned(),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

fn year(year: u16) -> Json {
    match year {
        0 => Json::Null,
        year => u64::from(year).into(),
    }
}

/// The state of a renaming.
struct Renaming<'a> {
    of: NamesOf,
    output_options: &'a OutputOptions,
    spellings: Spellings,
    names: u64,
    /// The ambiguous names of the games, which are kept, each with its candidates.
    ambiguous: BTreeMap<String, Vec<String>>,
    /// The names that remain in use. Only for a single database.
    in_use: Option<NamesInUse>,
}

/// Returns the spellings of `--rename`: old and new names in turn.
fn renamed(names: &[String]) -> Result<Spellings, Failure> {
    let (pairs, _) = names.as_chunks::<2>();
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(Failure::Usage("--rename needs two names".to_owned()));
    }
    let pairs = pairs.iter().map(|[old, new]| (old.as_str(), new.as_str()));
    Spellings::of_pairs(pairs).map_err(|fault| Failure::Usage(format!("--rename: {fault}")))
}

/// Reads a list in the format of `--suggest`, or a Scid spelling file.
fn read_spellings(path: &Path, of: NamesOf) -> Result<Spellings, Failure> {
    let failed = |error| Failure::Input(format!("{}: {error}", shown(&path)));
    let bytes = fs::read(path).map_err(failed)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Scid's spelling file predates its use of UTF-8.
        Err(error) => error
            .as_bytes()
            .iter()
            .map(|&byte| char::from(byte))
            .collect(),
    };
    let section = match of {
        NamesOf::Players | NamesOf::Annotators => "PLAYER",
        NamesOf::Events => "EVENT",
        NamesOf::Sites => "SITE",
        NamesOf::Rounds => "ROUND",
    };
    let spellings = Spellings::read(&text, section)
        .map_err(|fault| Failure::Input(format!("{}: {fault}", path.display())))?;
    if let [first, ..] = spellings.skipped() {
        let (path, lines) = (path.display(), spellings.skipped().len());
        let lines = count(lines as u64, "line");
        say(format_args!(
            "chessdb: {path}: skipped {lines} that cannot be parsed, first line {first}"
        ));
    }
    Ok(spellings)
}

impl Renaming<'_> {
    fn better(&mut self, name: &str) -> Option<String> {
        match self.spellings.of(name) {
            Spelling::Kept => None,
            Spelling::Better(better) => {
                self.names += 1;
                Some(better.into_owned())
            }
            Spelling::Ambiguous(meant) => {
                if !self.ambiguous.contains_key(name) {
                    let meant = meant.into_iter().map(str::to_owned).collect();
                    self.ambiguous.insert(name.to_owned(), meant);
                }
                None
            }
        }
    }

    /// Reports ambiguous names, which were kept in the games.
    fn report_ambiguous(&self) -> Completion {
        const MAX_SHOWN: usize = 10;
        for (name, meant) in self.ambiguous.iter().take(MAX_SHOWN) {
            let (name, meant) = (plain(name), plain(&meant.join("; ")));
            say(format_args!(
                "chessdb: \"{name}\" not renamed: ambiguous between {meant}"
            ));
        }
        let more = self.ambiguous.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            let more = count(more as u64, "name");
            say(format_args!(
                "chessdb: {more} more not renamed for the same reason"
            ));
        }
        match self.ambiguous.is_empty() {
            true => Completion::Success,
            false => Completion::Negative,
        }
    }
}

impl ConversionSteps for Renaming<'_> {
    fn chooses(&self) -> bool {
        true
    }

    /// Chooses all matching games. For a single database the names that remain in use are
    /// collected, so that the old spellings do not remain in the name tables of a new one in the
    /// same format.
    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let all = query.is_empty();
        let mut chosen = Vec::new();
        for base in bases {
            let mut numbers = Vec::new();
            let mut names = NamesInUse::new(base.info());
            let scan = base.scan().select(self.output_options.choice.games.clone());
            let scan = scan.filter(Arc::clone(query)).headers();
            scan.for_each(|game, _| {
                if !all {
                    numbers.push(game.number());
                }
                let mut game = game.clone();
                self.edit(&mut game);
                names.see(&game);
                ControlFlow::Continue(())
            })?;
            chosen.push(match all {
                true => self.output_options.choice.games.clone(),
                false => Selection::in_order(numbers),
            });
            self.in_use = (bases.len() == 1).then_some(names);
        }
        self.names = 0;
        Ok(Some(chosen))
    }

    fn in_use(&mut self) -> Option<NamesInUse> {
        self.in_use.take()
    }

    fn edit(&mut self, game: &mut Game) {
        match self.of {
            NamesOf::Players => {
                for color in Color::ALL {
                    let name = match color {
                        Color::White => game.white(),
                        Color::Black => game.black(),
                    };
                    if let Some(better) = self.better(&name) {
                        let text = game.add_text(&better);
                        game.header.player_mut(color).name = text.into();
                    }
                }
            }
            NamesOf::Events => {
                if let Some(better) = self.better(&game.event()) {
                    game.header.event = game.add_text(&better).into();
                }
            }
            NamesOf::Sites => {
                if let Some(better) = self.better(&game.site()) {
                    game.header.site = game.add_text(&better).into();
                }
            }
            NamesOf::Rounds => {
                if let Some(better) = self.better(&game.round()) {
                    game.header.round = game.add_text(&better).into();
                }
            }
            NamesOf::Annotators => {
                if let Some(better) = self.better(&game.annotator().unwrap_or_default()) {
                    game.header.annotator = game.add_text(&better).into();
                }
            }
        }
    }

    fn summary(&self) -> Option<String> {
        Some(format!("renamed in {}", count(self.names, "place")))
    }
}
