//! The databases that the arguments name: files, folders and archives.

use std::path::{Path, PathBuf};

use chessdb::Database;
use chessdb::formats::{in_folder, portable_name, shown};
use chessdb::fs::in_archive;

use crate::args::InputOptions;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::json::{Json, object};
use crate::output::{count, print_list};
use crate::query::{address_advice, is_address, wrong_order};

/// A database that was named or found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InputDatabase {
    pub(crate) path: PathBuf,
    /// The path relative to the named folder or archive; the file name if the database itself was
    /// named.
    pub(crate) below: PathBuf,
    /// Whether it was found in a folder or archive.
    pub(crate) is_found: bool,
}

/// All databases that the arguments name.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) bases: Vec<InputDatabase>,
    /// Inputs that are not readable databases: name and message.
    pub(crate) others: Vec<(String, String)>,
    /// Whether a folder, or an archive of several databases, was searched.
    pub(crate) searched: bool,
}

impl Inputs {
    /// Searches the folders and archives among the paths.
    pub(crate) fn new(paths: &[PathBuf], input_options: &InputOptions) -> Inputs {
        let mut inputs = Inputs {
            bases: Vec::new(),
            others: Vec::new(),
            searched: false,
        };
        for path in paths {
            // A database may be named without an extension, so that no file has this name.
            let is_missing = || {
                input_options
                    .finder
                    .find(path, input_options.format_hint())
                    .is_err()
            };
            match advice_about(path, paths).filter(|_| !path.exists() && is_missing()) {
                Some(advice) => inputs.others.push((shown(path).to_string(), advice)),
                None => inputs.add(path, input_options),
            }
        }
        inputs
    }

    /// Returns whether there are, or may be, several databases, so that output must name them.
    pub(crate) fn are_several(&self) -> bool {
        self.searched || self.bases.len() != 1 || !self.others.is_empty()
    }

    fn add(&mut self, path: &Path, input_options: &InputOptions) {
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        let named = |path: &Path| InputDatabase {
            path: path.to_owned(),
            below: name.clone(),
            is_found: false,
        };
        if path.as_os_str() == "-" {
            return self.bases.push(named(path));
        }
        let survey = match input_options
            .finder
            .survey(path, input_options.format_hint())
        {
            Ok(survey) => survey,
            Err(error) => {
                let message = Failure::from(error).into_message();
                let name = path.display().to_string();
                return self.others.push((name, message));
            }
        };
        let is_itself = survey.bases == [path];
        // Then output names the database, even if only one was found.
        self.searched |= !is_itself;
        let nothing = survey.bases.is_empty() && survey.strangers.is_empty();
        if nothing && survey.unread.is_empty() {
            let message = format!("{}: no chess database found", shown(path));
            self.others.push((shown(&path).to_string(), message));
        }
        for base in survey.bases {
            if is_itself {
                self.bases.push(named(path));
                continue;
            }
            let below = below(path, &base);
            self.bases.push(InputDatabase {
                path: base,
                below,
                is_found: true,
            });
        }
        for (stranger, what) in survey.strangers {
            let name = stranger.display().to_string();
            let message = format!("{}: {what}", shown(&stranger));
            self.others.push((name, message));
        }
        for (name, original) in survey.renamed {
            let (name, original) = (shown(&name), shown(&original));
            say(format_args!(
                "chessdb: {name}: called {original} in the archive; renamed because that name is unsafe or already used"
            ));
        }
        for error in survey.unread {
            let name = error.path().unwrap_or(path).display().to_string();
            let message = Failure::from(error).into_message();
            self.others.push((name, message));
        }
    }

    /// Calls `act` for each database. Inputs that cannot be read are reported and passed to
    /// `failed` with name and message; the others are still processed.
    pub(crate) fn each(
        &self,
        mut act: impl FnMut(&InputDatabase) -> Outcome,
        mut failed: impl FnMut(&str, &str),
    ) -> Outcome {
        let mut done = Completion::Success;
        let mut unread = 0;
        let mut fail = |name: &str, message: &str| {
            say(format_args!("chessdb: {message}"));
            failed(name, message);
            unread += 1;
        };
        for base in &self.bases {
            match act(base) {
                Ok(came_to) => done = done.max(came_to),
                Err(Failure::Input(message)) => fail(&base.path.display().to_string(), &message),
                // An output that cannot be written, or an interrupt, concerns all databases.
                Err(failure) => return Err(failure),
            }
        }
        for (name, message) in &self.others {
            fail(name, message);
        }
        if unread > 0 {
            done = done.max(Completion::SomeUnread);
            let all = (self.bases.len() + self.others.len()) as u64;
            if self.searched {
                say(format_args!(
                    "chessdb: {} of {} not read",
                    unread,
                    count(all, "database")
                ));
            }
        }
        Ok(done)
    }
}

/// Returns a better message about a path that does not exist: it is an address, or a word of a query
/// before a database.
fn advice_about(path: &Path, paths: &[PathBuf]) -> Option<String> {
    if is_address(path) {
        return Some(address_advice(path));
    }
    let is_later = |other: &&PathBuf| other.as_path() != path;
    let later: Vec<PathBuf> = paths.iter().skip_while(is_later).cloned().collect();
    wrong_order(&later)
}

impl Inputs {
    /// Like [`Inputs::each`] for a command that prints a JSON document with a list of this name:
    /// `act` adds to the list, and the inputs that could not be read come last.
    pub(crate) fn each_listed(
        &self,
        json: Option<&str>,
        mut items: Vec<Json>,
        mut act: impl FnMut(&InputDatabase, &mut Vec<Json>) -> Outcome,
    ) -> Outcome {
        let mut unread = Vec::new();
        let done = self.each(
            |base| act(base, &mut items),
            |name, message| unread.push(failed_json(name, message)),
        )?;
        if let Some(name) = json {
            items.append(&mut unread);
            print_list(name, items)?;
        }
        Ok(done)
    }
}

/// Databases that were opened together.
#[derive(Debug)]
pub(crate) struct OpenedDatabases {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) bases: Vec<Database>,
    /// Whether some of the found databases could not be opened. The errors have been reported.
    pub(crate) done: Completion,
}

impl Inputs {
    /// Opens every database, with `by_number` for reading games in any order. A named database that
    /// cannot be opened is an error; one found in a folder is reported and skipped.
    pub(crate) fn open_all(
        &self,
        input_options: &InputOptions,
        by_number: bool,
    ) -> Result<OpenedDatabases, Failure> {
        let options = input::options(input_options);
        let mut opened = OpenedDatabases {
            paths: Vec::new(),
            bases: Vec::new(),
            done: Completion::Success,
        };
        let mut first = None;
        let mut fail = |message: String| {
            say(format_args!("chessdb: {message}"));
            first.get_or_insert(message);
        };
        for base in &self.bases {
            let opened_base = input::find(&base.path, input_options).and_then(|database| {
                if by_number {
                    input::open_by_number(options.clone(), database)
                } else {
                    options.open_found(database)
                }
            });
            match opened_base {
                Ok(db) => {
                    opened.paths.push(base.path.clone());
                    opened.bases.push(db);
                }
                Err(error) if base.is_found => {
                    let message = Failure::from(error).into_message();
                    fail(message);
                }
                Err(error) => return Err(error.into()),
            }
        }
        for (_, message) in &self.others {
            fail(message.clone());
        }
        if let Some(message) = first {
            if opened.bases.is_empty() {
                return Err(Failure::Input(message));
            }
            opened.done = Completion::SomeUnread;
        }
        Ok(opened)
    }
}

/// Returns the JSON object of a database that could not be read.
pub(crate) fn failed_json(name: &str, message: &str) -> Json {
    object! { "base": name, "error": message }
}

/// Returns the path of a database relative to the searched folder or archive. Members of an archive
/// are placed in a folder with the archive's name. Member names come from other systems, so they
/// are made portable.
fn below(searched: &Path, base: &Path) -> PathBuf {
    match in_archive(base) {
        Some((archive, inner)) if archive == searched => portable_name(&inner),
        Some((archive, inner)) => {
            let archive = archive.strip_prefix(searched).unwrap_or(&archive);
            in_folder(
                &chessdb::formats::unpacked_name(archive),
                portable_name(&inner),
            )
        }
        None => base.strip_prefix(searched).unwrap_or(base).to_owned(),
    }
}
