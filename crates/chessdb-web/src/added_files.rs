//! The files that were added, and the databases among them.

use std::path::{Path, PathBuf};

use chessdb::formats::{self, FormatHint};
use chessdb::options::OpenOptions;
use chessdb::{Database, Error, Problem};
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};

/// Files with their names.
type NamedFiles = Vec<(PathBuf, Vec<u8>)>;

/// The added files.
#[derive(Default)]
pub(crate) struct AddedFiles {
    files: NamedFiles,
    groups: Vec<FileGroup>,
}

/// The files of a database.
pub(crate) struct BaseFiles {
    /// The name of the file that names the database.
    pub(crate) name: String,
    /// The files of the format, the naming one first.
    pub(crate) files: NamedFiles,
    /// The tree file.
    #[cfg_attr(
        not(feature = "page"),
        expect(dead_code, reason = "only the page has a tree")
    )]
    pub(crate) tree: Option<Vec<u8>>,
}

/// The suffix of a tree file, after the name of the main file (docs/formats/chessdb-tree.md).
const TREE_SUFFIX: &str = "chessdb-tree";

/// Files that may be a database.
struct FileGroup {
    format: Option<&'static str>,
    /// The indexes of the files in the session, and of the tree file of the database.
    files: Vec<usize>,
    tree: Option<usize>,
}

impl AddedFiles {
    /// Adds a file. Its name may contain folders.
    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((PathBuf::from(name), bytes));
    }

    /// Forgets the files.
    pub(crate) fn clear(&mut self) {
        self.files.clear();
        self.groups.clear();
    }

    /// Unpacks the added files and groups them into databases. `take` may take files out of them first.
    pub(crate) fn bases(
        &mut self,
        password: &str,
        take: impl FnOnce(&mut Vec<(PathBuf, Vec<u8>)>),
    ) -> Result<Value> {
        let mut hint = FormatHint::default();
        if !password.is_empty() {
            hint = hint.password(password);
        }
        let (files, errors) = formats::unpack_each(std::mem::take(&mut self.files), hint);
        self.files = files;
        take(&mut self.files);
        let of_file = |(name, bytes): &(PathBuf, Vec<u8>)| {
            let extension = name.extension().unwrap_or_default().to_string_lossy();
            formats::missing_feature(&extension, bytes)
        };
        let to_unpack = |error: &Error| match error.problem() {
            Problem::MissingFeature(feature) => Some(*feature),
            _ => None,
        };
        let lacking = errors.iter().find_map(to_unpack);
        let lacking = lacking.or_else(|| self.files.iter().find_map(of_file));
        let names: Vec<&Path> = self.files.iter().map(|(name, _)| name.as_path()).collect();
        let groups = formats::group(&names).into_iter().map(|group| {
            let files: Vec<usize> = group.files.into_iter().map(|(_, n)| n).collect();
            let tree = files.first().and_then(|&n| {
                let main = names.get(n)?.to_str()?;
                let tree = format!("{main}.{TREE_SUFFIX}");
                names.iter().position(|name| name.to_str() == Some(&tree))
            });
            FileGroup {
                format: Some(group.format),
                files,
                tree,
            }
        });
        self.groups = groups.collect();
        if self.groups.is_empty() && !errors.is_empty() && lacking.is_none() {
            // Without a database the errors are the answer.
            self.files.clear();
            let locked = errors.iter().find(|error| is_locked(error));
            let Some(locked) = locked else {
                return Err(errors
                    .into_iter()
                    .next()
                    .map_or_else(|| Failure::new("unknown", "no files"), Failure::from));
            };
            let name = locked.path().map(Path::to_string_lossy);
            return Ok(json!({ "bases": [], "locked": name }));
        }
        if self.groups.is_empty() && !self.files.is_empty() {
            // The names are inconclusive; the contents may not be.
            self.groups.push(FileGroup {
                format: None,
                files: (0..self.files.len()).collect(),
                tree: None,
            });
        }
        let bases: Vec<Value> = self.groups.iter().map(|group| self.group(group)).collect();
        let unread = errors.into_iter().map(|error| {
            let name = error.path().map(|path| path.to_string_lossy().into_owned());
            let locked = is_locked(&error);
            Failure::from(error).about_file(name.as_deref(), locked)
        });
        let unread: Vec<Value> = unread.collect();
        Ok(json!({ "bases": bases, "lacking": lacking, "unread": unread }))
    }

    fn group(&self, group: &FileGroup) -> Value {
        let files = group.files.iter().filter_map(|&n| self.files.get(n));
        let files: Vec<Value> = files
            .map(|(name, bytes)| json!({ "name": name.to_string_lossy(), "size": bytes.len() }))
            .collect();
        let sizes = group.files.iter().filter_map(|&n| self.files.get(n));
        let size: usize = sizes.map(|(_, bytes)| bytes.len()).sum();
        let format = group.format.and_then(formats::by_id);
        #[cfg(feature = "page")]
        let missing = format.map(|format| missing_files(format, &files));
        // The lean build names one missing file, in the error of `open`.
        #[cfg(not(feature = "page"))]
        let missing = Value::Null;
        json!({
            "name": files.first().map(|file| file.text("name")),
            "format": group.format,
            "missing": missing,
            "formatName": format.map(|format| format.name),
            "salvages": format.is_some_and(|format| format.salvages),
            "size": size,
            "files": files,
        })
    }

    /// Takes the files of a database. Unless `keeps`, forgets all others.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no database with this index, or its files were taken before.
    pub(crate) fn take_files(&mut self, base: usize, keeps: bool) -> Result<BaseFiles> {
        let group = self.groups.get_mut(base).ok_or_else(no_such_database)?;
        let chosen = std::mem::take(&mut group.files);
        let tree = group.tree.take().and_then(|n| self.files.get_mut(n));
        let tree = tree.map(|(_, bytes)| std::mem::take(bytes));
        let mut files = NamedFiles::new();
        for n in chosen {
            if let Some((name, bytes)) = self.files.get_mut(n) {
                files.push((name.clone(), std::mem::take(bytes)));
            }
        }
        if !keeps {
            // Only open databases are in memory; the page can add the files again.
            self.clear();
        }
        let (name, _) = files.first().ok_or_else(no_such_database)?;
        let name = name.to_string_lossy().into_owned();
        Ok(BaseFiles { name, files, tree })
    }
}

/// Returns the suffixes of the files without which a format reads nothing, and which are not among
/// these files.
#[cfg(feature = "page")]
fn missing_files(format: &chessdb::Format, files: &[Value]) -> Vec<&'static str> {
    let is_given = |role: &chessdb::core::files::Role| {
        let mut names = files.iter().map(|file| file.text("name").to_lowercase());
        names.any(|name| name.ends_with(&role.0.to_lowercase()))
    };
    let required = format.required.iter().filter(|role| !is_given(role));
    required.map(|role| role.0).collect()
}

/// Returns the options with which a request opens added files.
pub(crate) fn options(request: &Value) -> OpenOptions {
    let options = Database::options().salvage(request.flag("salvage"));
    match request.text("encoding") {
        "" => options,
        encoding => options.encoding(encoding),
    }
}

/// Returns the error for an index without a database.
pub(crate) fn no_such_database() -> Failure {
    Failure::new("request", "no such database")
}

/// Returns whether a ChessBase archive needs a password, or another one.
fn is_locked(error: &Error) -> bool {
    matches!(
        error.problem(),
        Problem::PasswordRequired | Problem::WrongPassword
    )
}
