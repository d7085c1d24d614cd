//! What `convert` is to do: which bases go into which.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use chessdb::Format;
use chessdb::formats::{by_name, shown, target_format, unpacked_name};

use crate::args::Writing;
use crate::exit::{Failure, say};
use crate::inputs::{Base, Inputs};

/// One conversion: several sources into one target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Job {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) target: PathBuf,
    /// The folder that the target must stay in, even if links are in it.
    pub(crate) below: Option<PathBuf>,
}

impl Job {
    /// Creates the folder of a target that is named after an input.
    ///
    /// # Errors
    ///
    /// A link in the output folder leads out of it: where it leads, the user named nothing.
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

/// Fails if a link below `root` leads `target`, or another file of its set, out of it.
pub(super) fn refuse_links_out(root: &Path, target: &Path, format: &Format) -> Result<(), Failure> {
    let Ok(real) = root.canonicalize() else {
        return Ok(());
    };
    let leads_out = |path: &Path| {
        path.canonicalize()
            .is_ok_and(|path| !path.starts_with(&real))
    };
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
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
            "{}: is a link that leads out of {}; remove it, or name the database to write",
            shown(&link),
            shown(root)
        ))),
    }
}

/// All conversions of one run, and the format they write.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) format: &'static Format,
    pub(crate) jobs: Vec<Job>,
    /// What was found and is no base that can be read: name, and what it is.
    pub(crate) others: Vec<(String, String)>,
    /// Whether each base becomes one of its own in a folder.
    pub(crate) in_folder: bool,
    /// The bases that were not named, but found in a folder or archive.
    pub(crate) found: HashSet<PathBuf>,
}

/// Decides what the arguments mean, of which `paths` are not the query; looks at folders, but not into
/// bases.
pub(crate) fn plan(command: &str, args: &Writing, paths: &[PathBuf]) -> Result<Plan, Failure> {
    let Some((target, sources)) = paths
        .split_last()
        .filter(|(_, sources)| !sources.is_empty())
    else {
        return Err(Failure::Usage(format!(
            "{command} needs what to read and what to write: chessdb {command} IN OUT (- is standard \
             output)"
        )));
    };
    let sources = &once(sources, args.quiet);
    let mut inputs = Inputs::of(sources, &args.reading);
    #[cfg(feature = "parquet")]
    if args.by.is_some() {
        let format = args.to.or_else(|| by_name(Path::new(".parquet")));
        let Some(format) = format.filter(|format| format.id == "parquet") else {
            return Err(Failure::Usage("--by is for tables: -t parquet".to_owned()));
        };
        if !sources.contains(target) {
            inputs.bases.retain(|base| !base.path.starts_with(target));
        }
        let job = Job {
            sources: inputs.bases.into_iter().map(|base| base.path).collect(),
            target: target.components().collect(),
            below: None,
        };
        return Ok(Plan {
            format,
            jobs: vec![job],
            others: inputs.others,
            in_folder: false,
            found: HashSet::new(),
        });
    }
    if is_folder(target, &inputs, args.to) {
        let Some(format) = args.to else {
            let message = format!("{} is a folder; say with -t what to write", shown(target));
            return Err(Failure::Usage(message));
        };
        // What an earlier run put into the target is not read again.
        if !sources.contains(target) {
            inputs.bases.retain(|base| !base.path.starts_with(target));
        }
        return Ok(Plan {
            format,
            jobs: folder_jobs(target, &inputs.bases, format),
            others: inputs.others,
            in_folder: true,
            found: HashSet::new(),
        });
    }
    let format = match args.to.or_else(|| target_format(target)) {
        Some(format) => format,
        None if target.as_os_str() == "-" => only_stream()?,
        None => return Err(Failure::Usage(no_format(target))),
    };
    if let ([], [(_, message), ..]) = (inputs.bases.as_slice(), inputs.others.as_slice()) {
        return Err(Failure::Input(message.clone()));
    }
    let found = inputs.bases.iter().filter(|base| base.is_found);
    let found = found.map(|base| base.path.clone()).collect();
    let job = Job {
        sources: inputs.bases.into_iter().map(|base| base.path).collect(),
        target: target.clone(),
        below: None,
    };
    Ok(Plan {
        format,
        jobs: vec![job],
        others: inputs.others,
        in_folder: false,
        found,
    })
}

/// The sources without those that are further files of the same base: `old.*` means it once.
fn once(sources: &[PathBuf], quiet: bool) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    let mut sets: HashMap<(OsString, &str), PathBuf> = HashMap::new();
    for source in sources {
        let set = by_name(source).filter(|format| format.roles.len() > 1);
        let Some(format) = set.filter(|_| source.is_file()) else {
            kept.push(source.clone());
            continue;
        };
        let whole = format.roles.iter().any(|role| role.is_whole_name());
        let base = match whole {
            true => source.with_file_name(""),
            false => source.with_extension(""),
        };
        let first = sets.entry((base.into_os_string(), format.id));
        let first = first.or_insert_with(|| source.clone());
        // The same name twice is meant, and capitals may tell two bases apart.
        if first.extension().map(OsStr::to_ascii_lowercase)
            == source.extension().map(OsStr::to_ascii_lowercase)
            && !(whole && first != source)
        {
            kept.push(source.clone());
        } else if !quiet {
            let (source, first) = (shown(source), shown(&*first));
            say(format_args!(
                "chessdb: {source} is of the same base as {first}, which is read once"
            ));
        }
    }
    kept
}

fn no_format(target: &Path) -> String {
    let name = shown(target);
    if unpacked_name(target) != *target {
        return format!(
            "{name}: only a format of one file is packed as it is written, as .gz or .zst; write it plain \
             and pack it afterwards"
        );
    }
    format!("{name}: its suffix names no format; say with -t what to write (`chessdb formats`)")
}

/// The format for standard output without -t.
fn only_stream() -> Result<&'static Format, Failure> {
    chessdb::formats::by_id("pgn")
        .ok_or_else(|| Failure::Usage("say with -t what to write".to_owned()))
}

/// Whether every base is to get a target of its own: the target is a folder, or is to become one
/// because a folder is read and the name given names no format.
fn is_folder(target: &Path, inputs: &Inputs, to: Option<&'static Format>) -> bool {
    let slash = target
        .as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&b| b == b'/' || b == b'\\');
    let is_file = || target_format(target).is_some() || is_stream(target);
    target.is_dir() || slash || inputs.searched && to.is_some() && !is_file()
}

/// Whether a target is standard output, or something like a pipe that cannot be replaced.
pub(crate) fn is_stream(target: &Path) -> bool {
    let special = |data: std::fs::Metadata| !data.is_file() && !data.is_dir();
    target.as_os_str() == "-" || std::fs::metadata(target).is_ok_and(special)
}

fn folder_jobs(target: &Path, bases: &[Base], format: &'static Format) -> Vec<Job> {
    let below = |base: &Base| match base.path.as_os_str() == "-" {
        true => PathBuf::from("stdin.pgn"),
        false => base.below.clone(),
    };
    let mut uses: HashMap<PathBuf, u32> = HashMap::new();
    for base in bases {
        *uses.entry(stem(&below(base))).or_default() += 1;
    }
    let suffix = format.roles.first().map_or("", |role| role.0);
    let mut taken = Taken::default();
    let jobs = bases.iter().map(|base| {
        let below = below(base);
        // Two bases that differ in their suffix only keep it as a part of the name.
        let unique = uses.get(&stem(&below)) == Some(&1);
        let name = if unique { stem(&below) } else { below };
        Job {
            sources: vec![base.path.clone()],
            target: target.join(taken.free(&name, suffix)),
            below: Some(target.to_owned()),
        }
    });
    jobs.collect()
}

/// The path without the suffix of the format, and that of the packing before it.
pub(super) fn stem(path: &Path) -> PathBuf {
    let mut path = unpacked_name(path);
    if by_name(&path).is_some() {
        path.set_extension("");
    }
    path
}

/// Names of targets. No two may differ in capitals only: many file systems take them for one.
#[derive(Default)]
pub(super) struct Taken {
    names: HashSet<String>,
    /// How often a name was wanted.
    wanted: HashMap<String, u32>,
}

impl Taken {
    /// The name with this suffix, and with a number if another target has it.
    pub(super) fn free(&mut self, name: &Path, suffix: &str) -> PathBuf {
        let key = |path: &Path| path.to_string_lossy().to_lowercase();
        let wanted = self.wanted.entry(key(name)).or_default();
        loop {
            *wanted = wanted.saturating_add(1);
            let mut file = name.file_name().unwrap_or_default().to_owned();
            if *wanted > 1 {
                file.push(format!(" ({wanted})"));
            }
            let free = with_suffix(&name.with_file_name(file), suffix);
            if self.names.insert(key(&free)) {
                return free;
            }
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}
