//! The plan of a conversion: which databases are written to which targets.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::convert::Strictness;
use chessdb::formats::{by_name, in_folder, portable_name, shown, target_format, unpacked_name};
use chessdb::{Format, OnError, Selection};

use crate::args::{OutputOptions, quoted};
use crate::commands::edit::missing_selection;
use crate::exit::{Failure, say};
use crate::input;
use crate::inputs::{InputDatabase, Inputs};
use crate::query::{self, split_query_at_term};

/// One conversion: several sources and one target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ConversionJob {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) target: PathBuf,
    /// The folder that the target must stay in, even if it contains links.
    pub(crate) below: Option<PathBuf>,
}

impl ConversionJob {
    /// Creates the folder of a target that is named after an input.
    ///
    /// # Errors
    ///
    /// Returns an error if a link in the output folder leads out of it to a place that the user has
    /// not named.
    pub(crate) fn create_folder(&self, format: &Format) -> Result<(), Failure> {
        let Some(root) = &self.below else {
            return Ok(());
        };
        refuse_links_out(root, &self.target, format)?;
        let folder = self.target.parent().unwrap_or(root);
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Output(format!("{}: {error}", shown(folder))))
    }
}

/// Returns an error if a link below `root` leads `target`, or another file of its set, out of
/// `root`.
pub(super) fn refuse_links_out(root: &Path, target: &Path, format: &Format) -> Result<(), Failure> {
    // A folder that does not exist yet has no links.
    let Ok(real) = root.canonicalize() else {
        return Ok(());
    };
    let leads_out = |path: &Path| {
        path.canonicalize()
            .is_ok_and(|path| !path.starts_with(&real))
    };
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
    // Databases that come from DOS or Windows often have extensions in capitals.
    let suffixes = format
        .roles
        .iter()
        .flat_map(|role| [role.0.to_owned(), role.0.to_uppercase()]);
    let files = suffixes.map(|suffix| target.with_extension(suffix));
    let folders = target
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != root);
    let folders = folders
        .map(Path::to_owned)
        .filter(|folder| folder.starts_with(root));
    let mut all = files.chain([target.to_owned()]).chain(folders);
    match all.find(|path| is_link(path) && leads_out(path)) {
        None => Ok(()),
        Some(link) => Err(Failure::Output(format!(
            "{}: link leads out of {}; remove it, or name the output database",
            shown(&link),
            shown(root)
        ))),
    }
}

/// All conversions of one run, and their output format.
#[derive(Debug)]
pub(crate) struct ConversionPlan {
    pub(crate) format: &'static Format,
    pub(crate) jobs: Vec<ConversionJob>,
    /// Found inputs that are not readable databases: name and message.
    pub(crate) others: Vec<(String, String)>,
    /// Whether each database is converted to a separate one in a folder.
    pub(crate) in_folder: bool,
    /// The databases that were found in a folder or archive.
    pub(crate) found_paths: HashSet<PathBuf>,
}

/// Plans the conversions. `paths` are the arguments without the query. Folders are read, databases
/// are not opened.
pub(crate) fn plan(
    command: &str,
    args: &OutputOptions,
    paths: &[PathBuf],
) -> Result<ConversionPlan, Failure> {
    let Some((target, sources)) = paths
        .split_last()
        .filter(|(_, sources)| !sources.is_empty())
    else {
        return Err(Failure::Usage(format!(
            "{command} needs input and output: chessdb {command} IN OUT (- is standard \
             output)"
        )));
    };
    let sources = &without_repeats(sources, args.quiet);
    let mut inputs = Inputs::new(sources, &args.input_options);
    #[cfg(feature = "parquet")]
    if args.by.is_some() {
        let format = args.to.or_else(|| by_name(Path::new(".parquet")));
        let Some(format) = format.filter(|format| format.id == "parquet") else {
            return Err(Failure::usage("--by is for tables: -t parquet"));
        };
        if !sources.contains(target) {
            inputs.bases.retain(|base| !base.path.starts_with(target));
        }
        let job = ConversionJob {
            sources: inputs.bases.into_iter().map(|base| base.path).collect(),
            target: target.components().collect(),
            below: None,
        };
        return Ok(ConversionPlan {
            format,
            jobs: vec![job],
            others: inputs.others,
            in_folder: false,
            found_paths: HashSet::new(),
        });
    }
    if is_folder(target, &inputs, args.to) {
        let Some(format) = args.to else {
            let name = shown(target);
            let message = format!(
                "{name} is a folder here; for an output select the format with -t, for the word \
                 write player:{name}"
            );
            return Err(Failure::Usage(message));
        };
        // The output of an earlier run is not read again.
        if !sources.contains(target) {
            inputs.bases.retain(|base| !base.path.starts_with(target));
        }
        return Ok(ConversionPlan {
            format,
            jobs: folder_jobs(target, &inputs.bases, format),
            others: inputs.others,
            in_folder: true,
            found_paths: HashSet::new(),
        });
    }
    let format = match args.to.or_else(|| target_format(target)) {
        Some(format) => format,
        None if target.as_os_str() == "-" => stdout_format()?,
        None => return Err(Failure::Usage(unknown_output(target, sources))),
    };
    if let ([], [(_, message), ..]) = (inputs.bases.as_slice(), inputs.others.as_slice()) {
        return Err(Failure::Input(message.clone()));
    }
    let found_bases = inputs.bases.iter().filter(|base| base.is_found);
    let found_paths = found_bases.map(|base| base.path.clone()).collect();
    let job = ConversionJob {
        sources: inputs.bases.into_iter().map(|base| base.path).collect(),
        target: target.clone(),
        below: None,
    };
    Ok(ConversionPlan {
        format,
        jobs: vec![job],
        others: inputs.others,
        in_folder: false,
        found_paths,
    })
}

/// Returns the options of a command, with the only database as output if there is no other: the
/// database is then replaced by its changed games, if nothing is lost. A command that changes games
/// (`selects`) then needs a selection, and keeps the other games as they are.
///
/// # Errors
///
/// Returns an error if nothing is selected, or if games would be left out.
pub(super) fn in_place(
    command: &str,
    args: &OutputOptions,
    selects: bool,
) -> Result<OutputOptions, Failure> {
    let (paths, terms) = split_query_at_term(&args.choice.words);
    let mut options = args.clone();
    let is_same = |base: &PathBuf| {
        let database = args
            .input_options
            .finder
            .find(base, args.input_options.format_hint());
        let format = target_format(base);
        let same = |target: &Format| database.is_ok_and(|base| base.format().id == target.id);
        args.to.is_none() && format.is_some_and(same)
    };
    let [base] = paths else {
        return Ok(options);
    };
    let mut terms = terms;
    if base.as_os_str() != "-" {
        if args.append || !base.is_file() || !is_same(base) {
            return Ok(options);
        }
        let is_all = terms.is_empty() && args.choice.games.is_all();
        if selects {
            if is_all && !args.choice.is_given {
                return Err(missing_selection());
            }
            if !is_all {
                options.edited = Some(chosen_games(base, terms, args)?);
            }
            // The database must keep its other games, so all are written and only the chosen ones
            // changed.
            options.choice.games = Selection::all();
            terms = &[];
        } else if !is_all {
            return Err(Failure::Usage(format!(
                "{command} without an output changes {} and keeps all its games; for some of \
                 them name an output: chessdb {command} IN OUT QUERY",
                shown(base)
            )));
        }
        if args.on_error == OnError::Skip {
            return Err(Failure::Usage(format!(
                "{command} without an output keeps all games of {}, also damaged ones; to leave these \
                 out name an output: chessdb {command} IN OUT --on-error skip",
                shown(base)
            )));
        }
        let database = input::find(base, &args.input_options)?;
        input::refuse_read_only(&database, args.force)?;
        options.force = true;
        options.in_place = true;
        // A loss would be one of the only copy.
        options.strict = Some(args.strict.unwrap_or(Strictness::Everything));
    }
    // The database is also the output.
    options.choice.words = paths.iter().chain(paths).chain(terms).cloned().collect();
    Ok(options)
}

/// Returns the selected games of a database.
fn chosen_games(
    base: &Path,
    terms: &[PathBuf],
    args: &OutputOptions,
) -> Result<Selection, Failure> {
    let query = query::read(terms, args.choice.position_options)?;
    let database = input::find(base, &args.input_options)?;
    let db = input::options(&args.input_options).open_found(database)?;
    let mut numbers = Vec::new();
    let scan = db.scan().select(args.choice.games.clone());
    scan.filter(query).numbers().for_each(|game, _| {
        numbers.push(game.number());
        ControlFlow::Continue(())
    })?;
    // The games are read in the order of the database, whatever the order of the choice.
    numbers.sort_unstable();
    Ok(Selection::in_order(numbers))
}

/// Returns the sources without further files of the same database: `old.*` selects it once.
fn without_repeats(sources: &[PathBuf], quiet: bool) -> Vec<PathBuf> {
    let mut distinct: Vec<PathBuf> = Vec::new();
    let mut sets: HashMap<(OsString, &str), PathBuf> = HashMap::new();
    for source in sources {
        let set = by_name(source).filter(|format| format.roles.len() > 1);
        let Some(format) = set.filter(|_| source.is_file()) else {
            distinct.push(source.clone());
            continue;
        };
        let whole = format.roles.iter().any(|role| role.is_whole_name());
        let base = if whole { source.with_file_name("") } else { source.with_extension("") };
        let first = sets.entry((base.into_os_string(), format.id));
        let first = first.or_insert_with(|| source.clone());
        // A repeated name is intended, and upper and lower case may distinguish two databases.
        if first.extension().map(OsStr::to_ascii_lowercase)
            == source.extension().map(OsStr::to_ascii_lowercase)
            && !(whole && first != source)
        {
            distinct.push(source.clone());
        } else if !quiet {
            let (source, first) = (shown(source), shown(&*first));
            say(format_args!(
                "chessdb: {source} belongs to the same database as {first}; reading it once"
            ));
        }
    }
    distinct
}

/// Returns the message about an output without a known extension. After an output that is written,
/// it is probably a word of a query.
fn unknown_output(target: &Path, sources: &[PathBuf]) -> String {
    let word = target.to_str().filter(|_| target.extension().is_none());
    match (word, sources) {
        (Some(word), [_, .., output]) if target_format(output).is_some() => {
            let term = quoted(format!("player:{word}"));
            format!(
                "{}: neither an output nor a term; write a word of the query with its key: {term}",
                shown(target)
            )
        }
        _ => unknown_extension(target),
    }
}

fn unknown_extension(target: &Path) -> String {
    let name = shown(target);
    if unpacked_name(target) != *target {
        return format!(
            "{name}: only single-file formats can be written compressed (.gz, .zst); write it uncompressed \
             and compress it afterwards"
        );
    }
    if let Some(feature) = target.extension().and_then(lacking_feature) {
        return format!(
            "{name}: this chessdb was built without the feature {feature}; the usual build has it"
        );
    }
    let extension = target.extension().unwrap_or_default().to_ascii_lowercase();
    let advice = match extension.to_str().unwrap_or_default() {
        "pdf" | "doc" | "docx" | "odt" => {
            "write a page (.html), which a browser prints or saves as PDF"
        }
        "xls" | "xlsx" | "ods" => "write a table (.csv), which spreadsheets open",
        "bin" => "`chessdb book make` writes Polyglot books",
        _ => "select the format with -t (see `chessdb formats`)",
    };
    format!("{name}: unknown file extension; {advice}")
}

/// Returns the feature that this build lacks to write a file with this extension.
fn lacking_feature(extension: &OsStr) -> Option<&'static str> {
    let extension = extension.to_str()?;
    let is_table = ["arrow", "csv", "ndjson"].contains(&extension.to_ascii_lowercase().as_str());
    if cfg!(not(feature = "tables")) && is_table {
        return Some("tables");
    }
    chessdb::formats::missing_feature(extension, &[])
}

/// Returns the format for standard output without -t.
fn stdout_format() -> Result<&'static Format, Failure> {
    chessdb::formats::by_id("pgn").ok_or_else(|| Failure::usage("select the format with -t"))
}

/// Returns whether each database gets a separate target: the target is a folder, or will become one
/// because a folder is read and the target's name has no known extension.
fn is_folder(target: &Path, inputs: &Inputs, to: Option<&'static Format>) -> bool {
    let slash = target
        .as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&b| b == b'/' || b == b'\\');
    let is_file = || target_format(target).is_some() || is_stream(target);
    target.is_dir() || slash || inputs.searched && to.is_some() && !is_file()
}

/// Returns whether a target is standard output, or a special file such as a pipe, which cannot be
/// replaced.
pub(crate) fn is_stream(target: &Path) -> bool {
    let special = |data: std::fs::Metadata| !data.is_file() && !data.is_dir();
    target.as_os_str() == "-" || std::fs::metadata(target).is_ok_and(special)
}

fn folder_jobs(
    target: &Path,
    bases: &[InputDatabase],
    format: &'static Format,
) -> Vec<ConversionJob> {
    let below = |base: &InputDatabase| {
        if base.path.as_os_str() == "-" {
            PathBuf::from("stdin.pgn")
        } else {
            base.below.clone()
        }
    };
    let mut uses: HashMap<PathBuf, u32> = HashMap::new();
    for base in bases {
        *uses.entry(stem(&below(base))).or_default() += 1;
    }
    let suffix = format.roles.first().map_or("", |role| role.0);
    let mut taken = TargetNames::default();
    let jobs = bases.iter().map(|base| {
        let below = below(base);
        // Databases with names that differ only in the extension keep it as part of the name.
        let unique = uses.get(&stem(&below)) == Some(&1);
        let name = if unique { stem(&below) } else { below };
        ConversionJob {
            sources: vec![base.path.clone()],
            target: in_folder(target, taken.free(&portable_name(&name), suffix)),
            below: Some(target.to_owned()),
        }
    });
    jobs.collect()
}

/// Returns the path without the format's extension and without a preceding compression extension.
pub(super) fn stem(path: &Path) -> PathBuf {
    let mut path = unpacked_name(path);
    if by_name(&path).is_some() {
        path.set_extension("");
    }
    path
}

/// The file names of targets. No two names differ only in case, because many file systems treat
/// them as equal.
#[derive(Default)]
pub(super) struct TargetNames {
    names: HashSet<String>,
    /// How often each name was requested.
    wanted: HashMap<String, u32>,
}

impl TargetNames {
    /// Returns the name with this extension, and with a number if another target has that name.
    pub(super) fn free(&mut self, name: &Path, suffix: &str) -> PathBuf {
        let key = |path: &Path| path.to_string_lossy().to_lowercase();
        let wanted = self.wanted.entry(key(name)).or_default();
        loop {
            *wanted = wanted.saturating_add(1);
            let mut file = name.file_name().unwrap_or_default().to_owned();
            if *wanted > 1 {
                file.push(format!(" ({wanted})"));
            }
            file.push(".");
            file.push(suffix);
            let free = in_folder(name.parent().unwrap_or(Path::new("")), file);
            if self.names.insert(key(&free)) {
                return free;
            }
        }
    }
}
