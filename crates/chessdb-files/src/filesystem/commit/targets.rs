//! The names of the files of a new database, and obstacles to writing them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use chessdb_core::files::Role;

use super::recover::pending_files_in;
use crate::error::{Error, Problem};
use crate::filesystem::{Finder, folder, plain_file};
use crate::paths::{folder_of, same_name, split};

/// The files of a set: those of the database, and those that other programs derive from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileRoles {
    pub(super) own: &'static [Role],
    pub(super) derived: &'static [Role],
}

/// Returns the final paths of a set, the derived files last. Files that exist or are about to exist
/// keep their names, ignoring case; the other names are derived from these, or from the given one.
pub(super) fn targets_of(
    path: &Path,
    name: &OsStr,
    roles: FileRoles,
    replace: bool,
    seen: Option<&Finder>,
) -> std::result::Result<Vec<(Role, PathBuf)>, Error> {
    let mut names = final_names(name, roles.own);
    let present = match seen {
        Some(finder) => {
            let derived = derived_names(&names, roles.derived);
            let wanted = names.iter().chain(&derived);
            finder.present(path, wanted.map(|(_, name)| path.with_file_name(name)))?
        }
        None => {
            let folder = folder_of(path);
            let mut present = folder::files_of(folder)?;
            present.extend(pending_files_in(folder));
            present
        }
    };
    for (_, wanted) in &names {
        let target = path.with_file_name(wanted);
        if let Some(what) = obstacle(&target) {
            return Err(Error::new(target, Problem::NotReplaceable(what)));
        }
    }
    follow(&mut names, &present);
    let derived = derived_names(&names, roles.derived);
    let mut targets = Vec::new();
    for (role, wanted) in names {
        match find_existing(&wanted, &present) {
            Some(existing) if !replace => return Err(Error::new(existing, Problem::AlreadyExists)),
            // The target of a link is replaced, not the link. Any other file keeps the name by
            // which it was requested.
            Some(existing) if existing.is_symlink() => {
                targets.push((role, fs::canonicalize(existing).unwrap_or(existing.clone())));
            }
            Some(existing) => targets.push((role, existing.clone())),
            None => targets.push((role, path.with_file_name(wanted))),
        }
    }
    let paths = targets.iter().map(|(_, target)| target.as_path());
    if !are_together(&mut paths.filter(|target| target.exists())) {
        return Err(Error::new(path, Problem::ScatteredFiles));
    }
    for (_, target) in &targets {
        if let Some(side) = side_file(target) {
            return Err(Error::new(target, Problem::InUse(side)));
        }
    }
    for (role, wanted) in derived {
        let target = find_existing(&wanted, &present).cloned();
        let target = target.unwrap_or_else(|| path.with_file_name(wanted));
        // A link or a folder with this name is not the file of another program.
        if fs::symlink_metadata(&target).is_ok_and(|data| !data.is_file()) {
            continue;
        }
        targets.push((role, target));
    }
    Ok(targets)
}

/// Returns the names of the derived files of a set with these names.
fn derived_names(names: &[(Role, OsString)], derived: &[Role]) -> Vec<(Role, OsString)> {
    let Some((_, main)) = names.first() else {
        return Vec::new();
    };
    let (stem, extension) = split(main);
    let capitals = !extension.chars().any(char::is_lowercase);
    let named = |role: &Role| (*role, file_name(stem, *role, capitals));
    derived.iter().map(named).collect()
}

/// Returns the existing file with this name: with the same spelling, or else in different case.
fn find_existing<'a>(wanted: &OsStr, present: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let name = |path: &&'a PathBuf| path.file_name().unwrap_or_default();
    let mut all = present.iter();
    let alike = all.find(|path| name(path) == wanted);
    let same = || present.iter().find(|path| same_name(name(path), wanted));
    alike.or_else(same)
}

/// Adapts the case of new names to the first existing file, so that case-sensitive programs find
/// the whole set. Does nothing if a file already exists under one of the exact names.
fn follow(names: &mut [(Role, OsString)], present: &[PathBuf]) {
    let existing_name = |(_, wanted): &(Role, OsString)| {
        let name = find_existing(wanted, present)?.file_name()?;
        Some((name.to_owned(), name == wanted.as_os_str()))
    };
    let existing: Vec<(OsString, bool)> = names.iter().filter_map(existing_name).collect();
    let Some((first, _)) = existing
        .first()
        .filter(|_| !existing.iter().any(|(_, alike)| *alike))
    else {
        return;
    };
    let (stem, extension) = split(first);
    let capitals = !extension.chars().any(char::is_lowercase);
    for (role, name) in names {
        *name = file_name(stem, *role, capitals);
    }
}

/// Returns `stem.role`.
fn file_name(stem: &OsStr, role: Role, capitals: bool) -> OsString {
    let mut file = stem.to_owned();
    file.push(".");
    if capitals {
        file.push(role.0.to_uppercase());
    } else {
        file.push(role.0);
    }
    file
}

/// Returns a description of anything other than a file under the name of a file to be written.
fn obstacle(target: &Path) -> Option<&'static str> {
    let kind = fs::symlink_metadata(target).ok()?.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("is a folder"),
        () => match fs::metadata(target) {
            Ok(data) if data.is_file() => None,
            Ok(_) => Some("is not a regular file"),
            Err(_) => Some("is a link to a missing file"),
        },
    }
}

/// Returns the file after which lock and journal are named: the first that exists, or else the
/// first of all.
pub(super) fn main_of(targets: &[(Role, PathBuf)], path: &Path) -> PathBuf {
    let existing = targets.iter().find(|(_, target)| target.exists());
    let main = existing.or(targets.first());
    main.map_or(path, |(_, target)| target).to_owned()
}

/// Returns whether all these files are in one folder and share their stem, so that one journal can
/// cover them.
pub(super) fn are_together(files: &mut dyn Iterator<Item = &Path>) -> bool {
    let place = |path: &Path| {
        let folder = folder_of(path);
        let folder = fs::canonicalize(folder).unwrap_or(folder.to_owned());
        let stem = split(path.file_name().unwrap_or_default()).0;
        (folder, stem.to_owned())
    };
    let mut places = files.map(place);
    let Some((folder, stem)) = places.next() else {
        return true;
    };
    places.all(|(other, name)| other == folder && same_name(&name, &stem))
}

/// Returns the file next to a SQLite database that contains pending changes of an interrupted or
/// running program.
///
/// The database without these changes is not what its owner expects, and next to another database
/// the file would corrupt that.
pub(crate) fn side_file(target: &Path) -> Option<PathBuf> {
    // Next to a new database the file would be applied to that.
    if target.exists() && !begins_with(target, b"SQLite format 3\0") {
        return None;
    }
    pending_side(target)
}

/// Returns the file with pending changes that SQLite would apply to a database at this path, whatever
/// is there now.
pub(super) fn pending_side(target: &Path) -> Option<PathBuf> {
    /// The first bytes of a rollback journal that is still valid, and of a write-ahead log. In the
    /// latter, the last byte depends on the byte order of its checksums.
    const SIDES: [(&str, &[u8]); 2] = [
        ("-journal", &[0xD9, 0xD5, 0x05, 0xF9]),
        ("-wal", &[0x37, 0x7F, 0x06]),
    ];
    SIDES.iter().find_map(|(suffix, magic)| {
        let mut name = target.file_name()?.to_owned();
        name.push(suffix);
        let side = target.with_file_name(name);
        begins_with(&side, magic).then_some(side)
    })
}

/// Returns an error if SQLite would change new files by a journal of old ones, even of damaged ones.
pub(super) fn refuse_pending(targets: &[(Role, PathBuf)]) -> Result<(), Error> {
    let mut sides = targets.iter();
    match sides.find_map(|(_, target)| Some((target, pending_side(target)?))) {
        Some((target, side)) => Err(Error::new(target, Problem::InUse(side))),
        None => Ok(()),
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut start = Vec::new();
    let length = magic.len() as u64;
    let read = plain_file::open(path).and_then(|file| file.take(length).read_to_end(&mut start));
    read.is_ok() && start == magic
}

/// Returns the names of a set's files. If the given name has the suffix of one of them, it is that
/// file, and the suffixes of the others follow its case; otherwise it is the stem.
fn final_names(name: &OsStr, roles: &[Role]) -> Vec<(Role, OsString)> {
    if let [main, others @ ..] = roles
        && others
            .iter()
            .all(|role| role.0.starts_with(main.0) && role.0.ends_with("-wal"))
    {
        // A single file, with any name, and the write-ahead log of SQLite next to it.
        let named = |role: &Role| {
            let mut name = name.to_owned();
            name.push(role.0.strip_prefix(main.0).unwrap_or_default());
            (*role, name)
        };
        return roles.iter().map(named).collect();
    }
    let (stem, extension) = split(name);
    let is_role = roles
        .iter()
        .any(|role| role.0.eq_ignore_ascii_case(extension));
    let capitals = is_role && !extension.chars().any(char::is_lowercase);
    let stem = if is_role { stem } else { name };
    let with = |role: &Role| (*role, file_name(stem, *role, capitals));
    roles.iter().map(with).collect()
}
