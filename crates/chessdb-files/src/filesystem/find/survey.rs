//! Surveys: the databases in a folder or archive.

use std::fs::File;
use std::path::{Path, PathBuf};

use chessdb_core::Format;
use chessdb_formats::{by_extension, lacking};

use super::content::{ContentKind, LOOKED_AT, looks_like};
use super::finder::{ArchiveContents, Finder};
use crate::error::{Error, Problem};
use crate::filesystem::commit::pending_files_in;
use crate::filesystem::need_files;
use crate::format_hint::FormatHint;
use crate::names::{
    has_shared_suffix, incomplete_sets, is_archive, is_known, is_packing, naming_files,
};
use crate::packed::{self, Container, NO_UNPACKING};
use crate::paths::split;

/// The databases and related files in a folder with its subfolders, or in an archive.
///
/// A file counts as a database by its name. If the name is inconclusive, the first bytes of its
/// content decide, so games in files without a suffix or with `.txt` are found.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The databases, sorted by path. [`find`](crate::filesystem::find) accepts these paths; one of several
    /// databases in an archive is `archive.zip:base.si4`.
    pub bases: Vec<PathBuf>,
    /// Files of chess programs that are not read, each with the reason.
    pub strangers: Vec<(PathBuf, &'static str)>,
    /// Errors for folders and files that could not be read.
    pub unread: Vec<Error>,
    /// Members of archives that are read under another name, each with its name in the archive. A
    /// member is renamed if its name leads out of the archive or is also the name of another
    /// member.
    pub renamed: Vec<(PathBuf, String)>,
}

/// Finds the databases in a folder with its subfolders or in an archive; any other path counts as
/// one database.
///
/// If the file that names a set is missing, another file of the set is listed; opening it reports
/// the missing file. Links to folders are not followed.
///
/// [`Finder::survey`] does the same and caches what it saw, so that the databases are then found
/// faster.
///
/// # Errors
///
/// Returns an error if the folder itself cannot be listed.
pub fn survey(path: impl AsRef<Path>, hint: impl Into<FormatHint>) -> Result<Survey, Error> {
    Finder::new().survey(path, hint)
}

pub(super) fn survey_with(finder: &Finder, path: &Path, hint: FormatHint) -> Result<Survey, Error> {
    need_files(path)?;
    let mut survey = Survey::default();
    if path.is_dir() {
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            match survey.add_folder(finder, &folder, hint, false) {
                Ok(below) => folders.extend(below),
                Err(error) if folder == path => return Err(error),
                Err(error) => survey.unread.push(error),
            }
        }
    } else if path.is_file() {
        survey.add_archive(finder, path, hint);
    } else {
        survey.bases.push(path.to_owned());
    }
    survey.bases.sort();
    survey.strangers.sort();
    Ok(survey)
}

/// Returns the databases directly in a folder, sorted by path. A set without the file that names it
/// is listed, by another of its files, only if the folder has no other database.
pub(super) fn bases_of(
    finder: &Finder,
    folder: &Path,
    hint: FormatHint,
) -> Result<Vec<PathBuf>, Error> {
    let mut survey = Survey::default();
    survey.add_folder(finder, folder, hint, true)?;
    survey.bases.sort();
    Ok(survey.bases)
}

impl Survey {
    /// Adds the databases of a folder and returns its subfolders. With `whole_first`, sets without
    /// the file that names them count only if there are no others.
    fn add_folder(
        &mut self,
        finder: &Finder,
        folder: &Path,
        hint: FormatHint,
        whole_first: bool,
    ) -> Result<Vec<PathBuf>, Error> {
        let forced = hint.format;
        let seen = finder.folder(folder)?;
        let mut files = seen.listing.files.clone();
        if seen.has_journals {
            // Files that do not have their final names yet; opening the database completes the
            // commit.
            let awaited = pending_files_in(folder).into_iter();
            files.extend(awaited.filter(|file| seen.listing.files.binary_search(file).is_err()));
        }
        let mut named = naming_files(&files, forced);
        named.retain(|file| !has_shared_suffix(file));
        if !whole_first || named.is_empty() {
            self.bases.extend(incomplete_sets(&files, forced));
        }
        self.bases.extend(named);
        for file in &files {
            if is_archive(file) {
                self.add_archive(finder, file, hint);
            } else if is_packed_base(file, forced) && !has_shared_suffix(file) {
                self.bases.push(file.clone());
            } else if let Some(what) = unsupported_kind(file) {
                self.strangers.push((file.clone(), what));
            } else if !is_known(file) {
                self.add_unnamed(finder, file, hint);
            }
        }
        for (other, what) in &seen.listing.others {
            if is_known(other) && !is_hidden(other) {
                self.strangers.push((other.clone(), what));
            }
        }
        Ok(seen.listing.folders.clone())
    }

    /// Adds a file with an inconclusive name if its content looks like games.
    fn add_unnamed(&mut self, finder: &Finder, file: &Path, hint: FormatHint) {
        let start = File::open(file).map_err(Problem::Io);
        let start = start.and_then(|open| packed::start_of(Box::new(open), LOOKED_AT));
        let start = match start {
            Ok(start) => start,
            Err(problem) => return self.unread.push(Error::new(file, problem)),
        };
        let container = Container::detect(std::io::Cursor::new(start.clone()), hint.key);
        if let Ok(Container::Archive(archive)) = container {
            // Many programs pack their files with zip, so only names of databases count here.
            let names = archive.directory(|| File::open(file));
            let names = names.map(|directory| directory.names());
            if names.is_ok_and(|names| !naming_files(&names, hint.format).is_empty()) {
                self.add_archive(finder, file, hint);
            }
            return;
        }
        match looks_like(&start) {
            Some(kind) if kind.is_base(hint.format) => self.bases.push(file.to_owned()),
            Some(ContentKind::Part) => self.strangers.push((file.to_owned(), PART)),
            _ => {}
        }
    }

    /// Adds a file, or the databases in it if it is an archive of several.
    fn add_archive(&mut self, finder: &Finder, file: &Path, hint: FormatHint) {
        let within = |member: &Path| {
            let mut name = file.as_os_str().to_owned();
            name.push(":");
            name.push(member);
            PathBuf::from(name)
        };
        let Ok(Some(contents)) = finder.contents(file, hint.key) else {
            // Opening it reports the error.
            return self.bases.push(file.to_owned());
        };
        let mut bases = contents.bases(hint.format);
        // Incomplete sets among other files must not be skipped.
        if bases.len() != 1 || contents.members.len() > 1 {
            bases.extend(incomplete_sets(&contents.members, hint.format));
        }
        match bases.as_slice() {
            [_] => self.bases.push(file.to_owned()),
            several => self.bases.extend(several.iter().map(|base| within(base))),
        }
        for member in &contents.members {
            let what = match contents.kinds.get(member) {
                Some(ContentKind::Part) => Some(PART),
                Some(ContentKind::Base(_)) => None,
                None if contents.members.len() == 1 => None,
                None => unsupported_kind(member).or_else(|| is_archive(member).then_some(NESTED)),
            };
            self.strangers
                .extend(what.map(|what| (within(member), what)));
        }
        let unsupported = contents.directory.unread().iter();
        self.strangers
            .extend(unsupported.map(|entry| (within(entry), ENTRY)));
        let renamed = contents.directory.renamed().iter();
        let is_chess = |name: &Path| is_known(name) || contents.kinds.contains_key(name);
        let renamed = renamed.filter(|(name, _)| is_chess(name));
        self.renamed
            .extend(renamed.map(|(name, shown)| (within(name), shown.clone())));
    }
}

impl ArchiveContents {
    /// Returns the databases among the members of an archive, sorted. A single member may have any
    /// name.
    pub(super) fn bases(&self, forced: Option<&'static Format>) -> Vec<PathBuf> {
        let mut bases = naming_files(&self.members, forced);
        bases.retain(|member| !has_shared_suffix(member));
        let unnamed = self.members.iter().filter(|member| {
            let kind = self.kinds.get(*member);
            let is_packed = is_packed_base(member, forced) && !has_shared_suffix(member);
            is_packed || kind.is_some_and(|kind| kind.is_base(forced))
        });
        bases.extend(unnamed.cloned());
        bases.sort();
        bases.dedup();
        match self.members.as_slice() {
            [only] if bases.is_empty() => vec![only.clone()],
            _ => bases,
        }
    }

    /// Returns the member with this name, which is either its name here or its spelling in the
    /// archive.
    pub(super) fn member_called(&self, name: &Path) -> Option<PathBuf> {
        if self.directory.contains(name) {
            return Some(name.to_owned());
        }
        let text = name.to_str()?;
        let mut renamed = self.directory.renamed().iter();
        renamed
            .find(|(_, shown)| shown == text)
            .map(|(name, _)| name.clone())
    }
}

/// The reason not to read a file of a set that has another name.
const PART: &str =
    "looks like a file of a database but has the wrong extension; restore the original extension";

/// The reason not to read an archive within an archive.
const NESTED: &str = "an archive inside an archive; unpack it first";

/// The reason not to read an entry of a tar archive.
const ENTRY: &str =
    "stored in a way that cannot be read, such as a sparse file; unpack the archive first";

/// Returns whether a file is hidden. Editors keep dangling links under such names.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns whether a packed file of a format has such a name.
fn is_packed_base(path: &Path, forced: Option<&'static Format>) -> bool {
    let (inner, packing) = split(path.file_name().unwrap_or_default());
    if !is_packing(packing) {
        return false;
    }
    let format = by_extension(split(inner).1);
    format.is_some_and(|format| forced.is_none_or(|forced| forced.id == format.id))
}

/// Suffixes of files of chess programs that no format here reads, each with a description.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "cbone",
        "a ChessBase database in a single file, which is not supported",
    ),
    ("cbv", "an archive inside an archive; unpack it first"),
    ("cbz", "an archive inside an archive; unpack it first"),
    ("ctg", "a ChessBase position book; see `chessdb help book`"),
    ("abk", "an Arena opening book; see `chessdb help book`"),
    ("si", "an index of Scid 1 or 2, which is not supported"),
    ("rar", "packed with RAR; unpack it first"),
    ("lzh", "packed with LHA; unpack it first"),
    ("arj", "packed with ARJ; unpack it first"),
];

/// Suffixes of compression formats that are not supported.
const UNREAD_PACKINGS: &[&str] = &["br", "lz", "lz4", "lzma", "lzo", "sz", "z"];

/// Returns the description of a file that looks packed or like a file of a chess program but that
/// no format reads.
fn unsupported_kind(path: &Path) -> Option<&'static str> {
    let (stem, extension) = split(path.file_name()?);
    if by_extension(extension).is_some() {
        return None;
    }
    let is_of_base = || by_extension(split(stem).1).is_some();
    let mut unread = UNREAD_PACKINGS.iter();
    if unread.any(|suffix| suffix.eq_ignore_ascii_case(extension)) && is_of_base() {
        return Some("packed with an unsupported method; unpack it first");
    }
    if !cfg!(feature = "archives") && is_packing(extension) && by_extension(split(stem).1).is_some()
    {
        return Some(NO_UNPACKING);
    }
    if let Some(feature) = lacking(extension) {
        return Some(feature.description());
    }
    let mut entries = UNSUPPORTED.iter();
    entries
        .find(|(suffix, _)| suffix.eq_ignore_ascii_case(extension))
        .map(|&(_, what)| what)
}
