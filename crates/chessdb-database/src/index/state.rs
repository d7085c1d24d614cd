//! The index or tree file of an open database, and whether it is used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sectioned::SectionedFile;

/// The state of the index file of a database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum IndexUse {
    /// There is no index.
    #[default]
    None,
    /// The index is used, and all data used so far is intact.
    Used,
    /// The index at this path is used for this number of games. The database has grown since it was
    /// written; later games are read.
    Partial(PathBuf, u32),
    /// The index at this path is used, but some of the data used so far is damaged; games concerned
    /// are read instead.
    Damaged(PathBuf),
    /// The index at this path is not used, for this reason.
    Refused(PathBuf, String),
}

/// An index or tree file, if it is used, and its state.
#[derive(Debug)]
pub(crate) struct OpenFile<T> {
    file: Option<Arc<T>>,
    path: PathBuf,
    /// The state at opening, and the state to report if the file is found to be damaged.
    state: IndexUse,
    damaged: IndexUse,
}

impl<T> Default for OpenFile<T> {
    fn default() -> OpenFile<T> {
        OpenFile {
            file: None,
            path: PathBuf::new(),
            state: IndexUse::None,
            damaged: IndexUse::None,
        }
    }
}

impl<T: AsRef<SectionedFile>> OpenFile<T> {
    /// Creates the state of a file that was read from this path: there is none, it is used, or it is
    /// refused for a reason.
    pub(crate) fn new(path: &Path, read: Result<Option<T>, String>) -> OpenFile<T> {
        let none = OpenFile {
            path: path.to_owned(),
            ..OpenFile::default()
        };
        match read {
            Ok(None) => none,
            Ok(Some(file)) => OpenFile {
                file: Some(Arc::new(file)),
                state: IndexUse::Used,
                damaged: IndexUse::Damaged(path.to_owned()),
                ..none
            },
            Err(why) => OpenFile {
                state: IndexUse::Refused(path.to_owned(), why),
                ..none
            },
        }
    }

    /// Notes that the database has `games` games, of which the file may have the first ones only.
    /// The file is refused if it `is_other`. If `is_followed`, the changes of the database since it
    /// was written are known.
    pub(crate) fn for_games(
        mut self,
        games: u32,
        is_followed: bool,
        is_other: impl FnOnce(&T) -> bool,
    ) -> OpenFile<T> {
        let Some(file) = &self.file else {
            return self;
        };
        if is_other(file) {
            let why = "it has a different number of games".to_owned();
            return OpenFile::new(&self.path, Err(why));
        }
        // An index of fewer games is still right for these, and later games are read.
        let covered = file.as_ref().as_ref().header().games;
        if covered < games && !is_followed {
            self.state = IndexUse::Partial(self.path.clone(), covered);
        }
        self
    }

    pub(crate) fn file(&self) -> Option<&Arc<T>> {
        self.file.as_ref()
    }

    pub(crate) fn state(&self) -> &IndexUse {
        match &self.file {
            Some(file) if file.as_ref().as_ref().is_damaged() => &self.damaged,
            _ => &self.state,
        }
    }
}
