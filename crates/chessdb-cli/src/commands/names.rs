//! The command `names`: players, events, sites and annotators of databases, and replacing variant
//! spellings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use chessdb::convert::{NameKind, NamesInUse, Renaming};
use chessdb::core::model::NameRole;
use chessdb::formats::shown;
use chessdb::query::Query;
use chessdb::query::names::{NameUse, NamesAre, Spellings, Suggestion, suggest_names};
use chessdb::{Database, Game, Selection};

use crate::args::{Names, OutputOptions, ScanOptions};
use crate::commands::convert::{ConversionSteps, run_all};
use crate::commands::plan::in_place;
use crate::commands::players;
use crate::csv;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{Json, object};
use crate::output::{count, plain, print_list, stdout};
use crate::text_file;

pub(crate) fn run(args: &Names) -> Outcome {
    if args.details || args.players.is_some() {
        return players::run(args);
    }
    let option = match args.apply {
        Some(_) => "names --apply",
        None => "names --rename OLD NEW",
    };
    if args.apply.is_some() || !args.rename.is_empty() {
        let options = in_place(option, &args.output_options, true)?;
        let spellings = match &args.apply {
            Some(path) => read_spellings(path, args.of)?,
            None => renamed(&args.rename)?,
        };
        let mut renaming = RenamingSteps {
            output_options: &options,
            renaming: Renaming::default().with(args.of, spellings),
            in_use: None,
            edited: None,
        };
        let done = run_all(option, &options, &mut renaming)?;
        return Ok(done.max(report_ambiguous(&renaming.renaming)));
    }
    let of = args.of;
    let mut uses: BTreeMap<String, NameUse> = BTreeMap::new();
    let options = &args.output_options;
    let scan_options = ScanOptions {
        choice: options.choice.clone(),
        strict: options.strict.is_some(),
        quiet: options.quiet,
        input_options: options.input_options.clone(),
        jobs: options.jobs,
    };
    let outcome = scan_options.each(
        |game| of.uses(game),
        |names| {
            for (name, seen) in names {
                uses.entry(name).or_default().add(&seen);
            }
        },
    )?;
    let uses: Vec<(String, NameUse)> = uses.into_iter().collect();
    let mut out = stdout();
    let done = if args.suggest {
        print_suggestions(&uses, of.names_are(), args, &mut out)?
    } else {
        list_names(&uses, args, &mut out)?
    };
    out.flush()?;
    Ok(outcome.done.max(done))
}

fn list_names(
    uses: &[(String, NameUse)],
    args: &Names,
    out: &mut dyn Write,
) -> Result<Completion, Failure> {
    let mut order: Vec<&(String, NameUse)> = uses.iter().collect();
    order.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
    if args.output_options.json || args.csv {
        let list = order.into_iter().map(|(name, seen)| {
            object! {
                "name": name.as_str(), "games": seen.games, "firstYear": year(seen.years.0),
                "lastYear": year(seen.years.1),
            }
        });
        print_rows("names", list.collect(), args)?;
    } else {
        for (name, seen) in order {
            let (games, years) = (seen.games, year_range(seen));
            writeln!(out, "{games}\t{years}\t{}", plain(name))?;
        }
    }
    Ok(Completion::of_search(uses.len() as u64))
}

/// Prints a list as CSV or JSON.
fn print_rows(name: &str, rows: Vec<Json>, args: &Names) -> io::Result<()> {
    if args.csv { csv::print(&rows) } else { print_list(name, rows) }
}

fn print_suggestions(
    uses: &[(String, NameUse)],
    kind: NamesAre,
    args: &Names,
    out: &mut dyn Write,
) -> Result<Completion, Failure> {
    let suggestions = suggest_names(uses, kind);
    let name = |n: usize| uses.get(n).map_or("", |(name, _)| name.as_str());
    let better = |one: &Suggestion| {
        one.spelling
            .clone()
            .unwrap_or_else(|| name(one.better).to_owned())
    };
    if args.output_options.json || args.csv {
        let list = suggestions.iter().map(|one| {
            object! { "name": name(one.name), "better": better(one), "ambiguous": one.is_ambiguous }
        });
        print_rows("suggestions", list.collect(), args)?;
    } else {
        for one in &suggestions {
            let seen = |n: usize| {
                uses.get(n)
                    .map(|(_, seen)| format!("{}, {}", count(seen.games, "game"), year_range(seen)))
                    .unwrap_or_default()
            };
            // `--apply` treats a line with the mark as a comment.
            let mark = if one.is_ambiguous { AMBIGUOUS } else { "" };
            let (less, more) = (seen(one.name), seen(one.better));
            let (name, better) = (plain(name(one.name)), plain(&better(one)));
            writeln!(out, "{mark}{name}\t{better}\t# {less}; {more}")?;
        }
        let ambiguous = suggestions.iter().filter(|one| one.is_ambiguous);
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
    Ok(Completion::of_search(suggestions.len() as u64))
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
struct RenamingSteps<'a> {
    output_options: &'a OutputOptions,
    renaming: Renaming,
    /// The names that remain in use. Only for a single database.
    in_use: Option<NamesInUse>,
    /// The games with names to replace, if they are changed in their database.
    edited: Option<Selection>,
}

/// Returns the spellings of `--rename`: old and new names in turn.
fn renamed(names: &[String]) -> Result<Spellings, Failure> {
    // clap takes two names for each `--rename`.
    let (pairs, _) = names.as_chunks::<2>();
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(Failure::usage("--rename needs two names"));
    }
    let pairs = pairs.iter().map(|[old, new]| (old.as_str(), new.as_str()));
    Spellings::from_pairs(pairs).map_err(|fault| Failure::Usage(format!("--rename: {fault}")))
}

/// Reads a list in the format of `--suggest`, or a Scid spelling file.
fn read_spellings(path: &Path, of: NameKind) -> Result<Spellings, Failure> {
    let failed = |error| Failure::Input(format!("{}: {error}", shown(&path)));
    let bytes = fs::read(path).map_err(failed)?;
    // Scid's spelling file predates its use of UTF-8.
    let latin1 = |_| bytes.iter().map(|&byte| char::from(byte)).collect();
    let text = text_file::decode(&bytes).unwrap_or_else(latin1);
    let section = match of {
        NameKind::Players | NameKind::Annotators => "PLAYER",
        NameKind::Events => "EVENT",
        NameKind::Sites => "SITE",
        NameKind::Rounds => "ROUND",
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

/// Reports ambiguous names, which were kept in the games.
fn report_ambiguous(renaming: &Renaming) -> Completion {
    const MAX_SHOWN: usize = 10;
    for (name, meant) in renaming.ambiguous.iter().take(MAX_SHOWN) {
        let (name, meant) = (plain(name), plain(&meant.join("; ")));
        say(format_args!(
            "chessdb: \"{name}\" not renamed: ambiguous between {meant}"
        ));
    }
    let more = renaming.ambiguous.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        let more = count(more as u64, "name");
        say(format_args!(
            "chessdb: {more} more not renamed for the same reason"
        ));
    }
    if renaming.ambiguous.is_empty() {
        Completion::Success
    } else {
        Completion::Negative
    }
}

impl ConversionSteps for RenamingSteps<'_> {
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
        let options = self.output_options;
        for base in bases {
            let mut numbers = Vec::new();
            let mut renamed = Vec::new();
            let scan = base.scan().select(options.choice.games.clone());
            let scan = scan.filter(Arc::clone(query));
            let names = self
                .renaming
                .names_in_use(base, scan, |number, is_renamed| {
                    if !all {
                        numbers.push(number);
                    }
                    let is_edited = || {
                        options
                            .edited
                            .as_ref()
                            .is_none_or(|some| some.contains(number))
                    };
                    if options.in_place && is_renamed && is_edited() {
                        renamed.push(number);
                    }
                })?;
            self.edited = options.in_place.then(|| Selection::in_order(renamed));
            // Without a query, a list of all numbers would be memory for nothing.
            chosen.push(if all {
                options.choice.games.clone()
            } else {
                Selection::in_order(numbers)
            });
            // Games that keep their names may use the old ones.
            self.in_use = (bases.len() == 1 && options.edited.is_none()).then_some(names);
        }
        Ok(Some(chosen))
    }

    fn edited(&mut self) -> Option<Selection> {
        self.edited.take()
    }

    fn renames(&mut self) -> Vec<(NameRole, String, String)> {
        let options = self.output_options;
        if !options.in_place || options.edited.is_some() {
            return Vec::new();
        }
        let pairs = self.renaming.replaced.iter();
        pairs
            .map(|((role, old), new)| (*role, old.clone(), new.clone()))
            .collect()
    }

    fn in_use(&mut self) -> Option<NamesInUse> {
        self.in_use.take()
    }

    fn edit(&mut self, game: &mut Game) {
        self.renaming.edit(game);
    }

    fn restart(&mut self) {
        self.renaming.names = 0;
    }

    fn summary(&self) -> Option<String> {
        // Without changed games, the table of names was changed.
        let Renaming { names, found, .. } = self.renaming;
        let places = if names == 0 && self.output_options.in_place { found } else { names };
        Some(format!("renamed in {}", count(places, "place")))
    }
}
