//! What `convert` is to do: which bases go into which.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use chessdb::Format;
use chessdb::formats::{by_name, target_format, unpacked_name};

use crate::args::Writing;
use crate::exit::{Failure, say};
use crate::inputs::{Base, Inputs};

/// One conversion: several sources into one target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Job {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) target: PathBuf,
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
    let mut inputs = Inputs::of(sources, args.reading.wanted());
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
            let message = format!(
                "{} is a folder; say with -t what to write",
                target.display()
            );
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
            let (source, first) = (source.display(), first.display());
            say(format_args!(
                "chessdb: {source} is of the same base as {first}, which is read once"
            ));
        }
    }
    kept
}

fn no_format(target: &Path) -> String {
    let name = target.display();
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
    let jobs = bases.iter().map(|base| {
        let below = below(base);
        // Two bases that differ in their suffix only keep it as a part of the name.
        let unique = uses.get(&stem(&below)) == Some(&1);
        let name = if unique { stem(&below) } else { below };
        Job {
            sources: vec![base.path.clone()],
            target: target.join(with_suffix(&name, suffix)),
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

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}
