//! From a path to a base: find its files, judge their content, read them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::formats::best;
use crate::fs::locate::{self, Candidate};
use crate::fs::unpack::{Counted, Packing, Stream, fill};
use crate::fs::{PathError, Problem};
use crate::{
    FORMATS, FileSet, Finding, Format, GameRead, GameStore, MemorySet, ReadOptions, Role, Score,
};

/// How much of a file is enough to recognise a format that can be read as a stream.
const PROBED: usize = 64 << 10;

/// The most that packed files may grow to in memory.
const UNPACKED: u64 = 1 << 30;

/// How far the reading of a stream has come; clones share the count.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Bytes of the file, packed as it is, that have been read so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where the bytes of a base come from.
#[derive(Clone, Debug)]
enum Origin {
    /// Files as they are.
    Plain,
    /// One packed file.
    Packed(Packing),
    /// Members of this archive.
    #[cfg_attr(
        not(feature = "archives"),
        expect(dead_code, reason = "only archives make it")
    )]
    Zip(PathBuf),
    /// Standard input.
    Stdin,
    /// A pipe with a name, which can be read once.
    Pipe,
}

/// A base that was found, with its format known, and not read yet.
#[derive(Debug)]
pub struct Found {
    path: PathBuf,
    format: &'static Format,
    files: Vec<(Role, PathBuf)>,
    origin: Origin,
    /// What judging the content already read.
    content: Option<MemorySet>,
}

/// A base in memory.
#[derive(Debug)]
pub struct Base {
    path: PathBuf,
    format: &'static Format,
    files: Vec<(Role, PathBuf)>,
    content: MemorySet,
}

/// Finds the base that a path stands for: any of its files, their stem, or a folder or zip archive
/// that holds one base.
pub fn find(path: impl AsRef<Path>) -> Result<Found, PathError> {
    find_as(path, None)
}

/// The same, but only as this format if one is given; then the content is not judged.
pub fn find_as(
    path: impl AsRef<Path>,
    forced: Option<&'static Format>,
) -> Result<Found, PathError> {
    let path = path.as_ref();
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => {
            let bases = locate::bases_in(path, forced, false)?;
            let one = only(path, bases)?;
            find_as(one, forced)
        }
        Ok(data) if data.is_file() => find_file(path, forced),
        Ok(_) => piped(path.to_owned(), Origin::Pipe, forced),
        Err(error) if error.kind() == io::ErrorKind::NotFound => find_stem(path, forced),
        Err(error) => Err(PathError::new(path, error)),
    }
}

/// Games from standard input, in this format or the first that can be read as a stream.
pub fn stdin(forced: Option<&'static Format>) -> Result<Found, PathError> {
    piped(PathBuf::from("standard input"), Origin::Stdin, forced)
}

/// Reads the base that a path stands for; [`find`] says which that is.
pub fn open(path: impl AsRef<Path>) -> Result<Base, PathError> {
    find(path)?.read()
}

fn only(path: &Path, mut bases: Vec<PathBuf>) -> Result<PathBuf, PathError> {
    match (bases.pop(), bases.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(last), false) => {
            bases.push(last);
            Err(PathError::new(path, Problem::Several(bases)))
        }
        (None, _) => Err(PathError::new(path, Problem::NoBase)),
    }
}

fn piped(
    path: PathBuf,
    origin: Origin,
    forced: Option<&'static Format>,
) -> Result<Found, PathError> {
    let mut streaming = FORMATS
        .iter()
        .copied()
        .filter(|format| format.stream.is_some());
    let format = match forced {
        Some(format) if format.stream.is_none() => None,
        Some(format) => Some(format),
        None => streaming.next(),
    };
    let Some(format) = format else {
        let problem = Problem::Packed("several files cannot be read from a pipe");
        return Err(PathError::new(path, problem));
    };
    let files = format
        .required
        .iter()
        .map(|role| (*role, path.clone()))
        .collect();
    Ok(Found {
        path,
        format,
        files,
        origin,
        content: None,
    })
}

fn find_stem(path: &Path, forced: Option<&'static Format>) -> Result<Found, PathError> {
    let missing = || PathError::new(path, Problem::NotFound);
    let name = path.file_name().ok_or_else(missing)?;
    let all = locate::files_of(locate::folder_of(path)).map_err(|_| missing())?;
    // The name itself in other capitals, with its suffix.
    let same = |file: &&PathBuf| locate::same_name(file.file_name().unwrap_or_default(), name);
    if let Some(file) = all.iter().find(same) {
        return find_file(file, forced);
    }
    let candidates = locate::for_stem(name, &all, forced);
    let named: Vec<PathBuf> = candidates
        .iter()
        .map(|found| found.path().to_owned())
        .collect();
    if named.is_empty() {
        return Err(missing());
    }
    let one = only(path, named)?;
    choose(one, Origin::Plain, candidates, forced)
}

fn find_file(path: &Path, forced: Option<&'static Format>) -> Result<Found, PathError> {
    let mut start = [0; 4];
    let mut file = File::open(path).map_err(|error| PathError::new(path, error))?;
    let length = fill(&mut file, &mut start).map_err(|error| PathError::new(path, error))?;
    drop(file);
    match Packing::of(start.get(..length).unwrap_or_default()) {
        Packing::None => {
            // A folder that cannot be listed still has this file.
            let all = locate::files_of(locate::folder_of(path)).unwrap_or_default();
            choose(
                path.to_owned(),
                Origin::Plain,
                locate::for_file(path, &all, forced),
                forced,
            )
        }
        Packing::Zip => find_in_zip(path, forced),
        packing => {
            let (inner, extension) = locate::split(path.file_name().unwrap_or_default());
            let inner = if locate::is_packing(extension) {
                path.with_file_name(inner)
            } else {
                path.into()
            };
            let mut candidates = locate::for_file(&inner, &[], forced);
            // One packed file cannot be a set of several.
            candidates.retain(|candidate| candidate.format.required.len() == 1);
            for (_, file) in candidates
                .iter_mut()
                .flat_map(|candidate| &mut candidate.files)
            {
                path.clone_into(file);
            }
            choose(path.to_owned(), Origin::Packed(packing), candidates, forced)
        }
    }
}

#[cfg(not(feature = "archives"))]
fn find_in_zip(path: &Path, _forced: Option<&'static Format>) -> Result<Found, PathError> {
    Err(PathError::new(
        path,
        Problem::Packed("is packed, and this build cannot unpack"),
    ))
}

#[cfg(feature = "archives")]
fn find_in_zip(path: &Path, forced: Option<&'static Format>) -> Result<Found, PathError> {
    let members = super::archive::members(path)?;
    let mut bases = locate::group(&members, forced);
    if bases.is_empty() && members.len() == 1 {
        bases.clone_from(&members);
    }
    let one = only(path, bases)?;
    let beside = |member: &&PathBuf| member.parent() == one.parent();
    let all: Vec<PathBuf> = members.iter().filter(beside).cloned().collect();
    let candidates = locate::for_file(&one, &all, forced);
    choose(
        path.to_owned(),
        Origin::Zip(path.to_owned()),
        candidates,
        forced,
    )
}

/// Takes the candidate that fits best; a suffix outweighs the score unless the content says no.
fn choose(
    path: PathBuf,
    origin: Origin,
    candidates: Vec<Candidate>,
    forced: Option<&'static Format>,
) -> Result<Found, PathError> {
    let mut founds = candidates.into_iter().map(|candidate| {
        let Candidate {
            format,
            files,
            by_suffix,
        } = candidate;
        let (path, origin) = (path.clone(), origin.clone());
        (
            Found {
                path,
                format,
                files,
                origin,
                content: None,
            },
            by_suffix,
        )
    });
    if forced.is_some() {
        let first = founds.next().map(|(found, _)| found);
        return first.ok_or_else(|| PathError::new(path, Problem::Unrecognised));
    }
    let mut by_suffix = Vec::new();
    let mut by_content = Vec::new();
    for (mut found, suffix) in founds {
        // With a suffix that fits, plain content is looked at only if that disappoints.
        if suffix || by_suffix.iter().all(|&(_, score)| score == Score::No) {
            let score = found.probe()?;
            if suffix {
                &mut by_suffix
            } else {
                &mut by_content
            }
            .push((found, score));
        }
    }
    if by_suffix.iter().any(|&(_, score)| score > Score::No) || by_content.is_empty() {
        by_content.clear();
    }
    let bar = if by_suffix.is_empty() {
        Score::Maybe
    } else {
        Score::Likely
    };
    by_content.retain(|&(_, score)| score >= bar);
    if let Some(found) = best(by_content) {
        return Ok(found);
    }
    // Nothing fits: the format of the suffix will say what it misses.
    by_suffix.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
    let first = by_suffix.into_iter().next().map(|(found, _)| found);
    first.ok_or_else(|| PathError::new(path, Problem::Unrecognised))
}

impl Found {
    /// The path as it was given, or the file it led to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// The files of the base; of a packed one, its name or those of the archive's members.
    pub fn files(&self) -> &[(Role, PathBuf)] {
        &self.files
    }

    /// Bytes on disk, packed as they are; none for a pipe.
    pub fn size(&self) -> Option<u64> {
        let length = |path: &Path| fs::metadata(path).ok().map(|data| data.len());
        match &self.origin {
            Origin::Plain => self.files.iter().map(|(_, path)| length(path)).sum(),
            Origin::Packed(_) => length(&self.path),
            Origin::Zip(archive) => length(archive),
            Origin::Stdin | Origin::Pipe => None,
        }
    }

    /// Whether the bytes are there only once and in order.
    pub fn is_pipe(&self) -> bool {
        matches!(self.origin, Origin::Stdin | Origin::Pipe)
    }

    /// Whether the files have to be unpacked.
    pub fn is_packed(&self) -> bool {
        matches!(self.origin, Origin::Packed(_) | Origin::Zip(_))
    }

    /// Whether [`Found::stream`] works, so that games can be read without the whole base in
    /// memory.
    pub fn can_stream(&self) -> bool {
        self.format.stream.is_some()
    }

    /// Reads the games one after another; `progress` counts the bytes.
    pub fn stream(
        &self,
        options: ReadOptions,
        progress: &Progress,
    ) -> Result<Box<dyn GameRead + Send>, PathError> {
        let error = |problem: Problem| PathError::new(&self.path, problem);
        let Some(stream) = self.format.stream else {
            return Err(error(Problem::Packed(
                "this format cannot be read as a stream",
            )));
        };
        let path = self
            .files
            .first()
            .map_or(self.path.as_path(), |(_, path)| path);
        let reader = self.reader(path, progress)?;
        stream(reader, options).map_err(|cause| error(Problem::Format(cause)))
    }

    /// Reads all files into memory.
    pub fn read(mut self) -> Result<Base, PathError> {
        let content = match self.content.take() {
            Some(content) => content,
            None => self.load(None)?,
        };
        let Found {
            path,
            format,
            files,
            ..
        } = self;
        Ok(Base {
            path,
            format,
            files,
            content,
        })
    }

    fn reader(&self, path: &Path, progress: &Progress) -> Result<Stream<'static>, PathError> {
        let error = |problem: Problem| PathError::new(&self.path, problem);
        let open = || File::open(path).map_err(|cause| PathError::new(path, cause));
        let count = |reader| Counted::new(reader, Arc::clone(&progress.0));
        match &self.origin {
            Origin::Plain => Ok(Box::new(count(open()?))),
            Origin::Packed(packing) => packing.undo(Box::new(count(open()?))).map_err(error),
            #[cfg(feature = "archives")]
            Origin::Zip(archive) => {
                let inner = super::archive::member(archive, path)?;
                Ok(Box::new(Counted::new(inner, Arc::clone(&progress.0))))
            }
            #[cfg(not(feature = "archives"))]
            Origin::Zip(_) => Err(error(Problem::Packed("this build cannot unpack"))),
            Origin::Stdin | Origin::Pipe => {
                let mut input: Stream<'static> = match self.origin {
                    Origin::Stdin => Box::new(io::stdin()),
                    _ => Box::new(open()?),
                };
                let mut start = [0; 4];
                let length = fill(&mut input, &mut start).map_err(|cause| error(cause.into()))?;
                let start = start.get(..length).unwrap_or_default();
                let packing = Packing::of(start);
                let whole = io::Cursor::new(start.to_vec()).chain(input);
                packing
                    .undo(Box::new(Counted::new(whole, Arc::clone(&progress.0))))
                    .map_err(error)
            }
        }
    }

    /// The content of the files, or of each no more than its first `most` bytes.
    fn load(&self, most: Option<usize>) -> Result<MemorySet, PathError> {
        let mut content = MemorySet::new();
        let mut left = if self.is_packed() { UNPACKED } else { u64::MAX };
        for (role, path) in &self.files {
            let fail =
                |cause| PathError::new(if self.is_packed() { &self.path } else { path }, cause);
            let mut bytes = Vec::new();
            if let (Origin::Plain, None, Ok(data)) = (&self.origin, most, fs::metadata(path)) {
                let length = usize::try_from(data.len()).unwrap_or(usize::MAX);
                let room = bytes.try_reserve_exact(length);
                room.map_err(|_| fail(Problem::TooLarge(data.len())))?;
            }
            let reader = self.reader(path, &Progress::default())?;
            let limit = most.map_or(left, |most| most as u64);
            reader
                .take(limit)
                .read_to_end(&mut bytes)
                .map_err(|cause| fail(Problem::Io(cause)))?;
            if most.is_none() && bytes.len() as u64 >= limit {
                return Err(fail(Problem::TooLarge(UNPACKED)));
            }
            left = left.saturating_sub(bytes.len() as u64);
            content.insert(*role, bytes);
        }
        Ok(content)
    }

    fn probe(&mut self) -> Result<Score, PathError> {
        if self.can_stream() {
            return Ok((self.format.probe)(&self.load(Some(PROBED))?));
        }
        let content = self.load(None)?;
        let score = (self.format.probe)(&content);
        self.content = Some(content);
        Ok(score)
    }
}

impl Base {
    /// The path as it was given, or the file it led to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// The files of the base and how many bytes each holds.
    pub fn files(&self) -> impl Iterator<Item = (Role, &Path, u64)> {
        let length = |role: Role| self.content.get(role).map_or(0, |bytes| bytes.len() as u64);
        self.files
            .iter()
            .map(move |(role, path)| (*role, path.as_path(), length(*role)))
    }

    /// The base as its format sees it.
    pub fn store(&self, options: ReadOptions) -> Result<Box<dyn GameStore + '_>, PathError> {
        let error = |cause| PathError::new(&self.path, Problem::Format(cause));
        (self.format.open)(self, options).map_err(error)
    }

    /// Looks for contradictions within and between the files.
    pub fn check(&self, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
        (self.format.check)(self, options, report);
    }
}

impl FileSet for Base {
    fn get(&self, role: Role) -> Option<&[u8]> {
        self.content.get(role)
    }
}
