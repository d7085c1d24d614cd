//! What `convert` is to do: which bases go into which.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use chessdb::formats::by_name;
use chessdb::fs::bases_in;
use chessdb::{Error, Format, Problem};

use crate::args::Convert;
use crate::exit::{Failure, say};

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
    /// Whether each base becomes one of its own in a folder.
    pub(crate) in_folder: bool,
}

/// Decides what the arguments mean; looks at folders, but not into bases.
pub(crate) fn plan(args: &Convert) -> Result<Plan, Failure> {
    let Some((target, sources)) = args
        .paths
        .split_last()
        .filter(|(_, sources)| !sources.is_empty())
    else {
        return Err(Failure::Usage(
            "convert needs what to read and what to write: chessdb convert IN OUT (- is standard \
             output)"
                .to_owned(),
        ));
    };
    let sources = &once(sources, args.quiet);
    if is_folder(target, sources, args.to) {
        let Some(format) = args.to else {
            let message = format!(
                "{} is a folder; say with -t what to write",
                target.display()
            );
            return Err(Failure::Usage(message));
        };
        let jobs = folder_jobs(target, sources, format, args.reading.from)?;
        return Ok(Plan {
            format,
            jobs,
            in_folder: true,
        });
    }
    let format = match args.to.or_else(|| by_name(target)) {
        Some(format) => format,
        None if target.as_os_str() == "-" => only_stream()?,
        None => return Err(Failure::Usage(no_format(target))),
    };
    let job = Job {
        sources: sources.to_vec(),
        target: target.clone(),
    };
    Ok(Plan {
        format,
        jobs: vec![job],
        in_folder: false,
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
    let packed = |suffix: &OsStr| ["gz", "zst", "zip"].iter().any(|known| suffix == *known);
    if target.extension().is_some_and(packed) {
        return format!("{name}: output is not packed; write it plain and pack it afterwards");
    }
    format!("{name}: its suffix names no format; say with -t what to write (`chessdb formats`)")
}

/// The format for standard output without -t.
fn only_stream() -> Result<&'static Format, Failure> {
    chessdb::format_by_id("pgn")
        .ok_or_else(|| Failure::Usage("say with -t what to write".to_owned()))
}

/// Whether every base is to get a target of its own: the target is a folder, or is to become one
/// because a folder is read and the name given names no format.
fn is_folder(target: &Path, sources: &[PathBuf], to: Option<&'static Format>) -> bool {
    let slash = target
        .as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&b| b == b'/' || b == b'\\');
    let from_folder = sources.iter().any(|source| source.is_dir());
    target.is_dir()
        || slash
        || from_folder && to.is_some() && by_name(target).is_none() && !is_stream(target)
}

/// Whether a target is standard output, or something like a pipe that cannot be replaced.
pub(crate) fn is_stream(target: &Path) -> bool {
    let special = |data: std::fs::Metadata| !data.is_file() && !data.is_dir();
    target.as_os_str() == "-" || std::fs::metadata(target).is_ok_and(special)
}

fn folder_jobs(
    target: &Path,
    sources: &[PathBuf],
    format: &'static Format,
    forced: Option<&'static Format>,
) -> Result<Vec<Job>, Failure> {
    // Each base, and where it lies below the folder that was named.
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for source in sources {
        if source.is_dir() {
            for base in bases_in(source, forced, true)? {
                // What an earlier run put into the target is not read again.
                if target != source && base.starts_with(target) {
                    continue;
                }
                let below = base.strip_prefix(source).unwrap_or(&base).to_owned();
                found.push((base, below));
            }
        } else if source.as_os_str() == "-" {
            found.push((source.clone(), PathBuf::from("stdin.pgn")));
        } else {
            let name = source.file_name().map(PathBuf::from).unwrap_or_default();
            found.push((source.clone(), name));
        }
    }
    if found.is_empty() {
        let folder = sources.first().map_or(Path::new("."), PathBuf::as_path);
        return Err(Error::new(folder, Problem::NoBase).into());
    }
    let mut uses: HashMap<PathBuf, u32> = HashMap::new();
    for (_, below) in &found {
        *uses.entry(stem(below)).or_default() += 1;
    }
    let suffix = format.roles.first().map_or("", |role| role.0);
    let jobs = found.into_iter().map(|(source, below)| {
        // Two bases that differ in their suffix only keep it as a part of the name.
        let unique = uses.get(&stem(&below)) == Some(&1);
        let name = if unique { stem(&below) } else { below };
        Job {
            sources: vec![source],
            target: target.join(with_suffix(&name, suffix)),
        }
    });
    Ok(jobs.collect())
}

/// The path without the suffix of the format, and that of the packing before it.
fn stem(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    if path
        .extension()
        .is_some_and(|suffix| suffix == "gz" || suffix == "zst" || suffix == "zip")
    {
        path.set_extension("");
    }
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
