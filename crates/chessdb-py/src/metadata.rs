//! Read-only objects: findings, formats and information about a database as a whole.

use chessdb::core::error::Location;
use chessdb::core::report::Finding;
use chessdb::formats::{FORMATS, TARGETS};
use pyo3::prelude::*;

/// A finding about odd or damaged data, with its location.
#[pyclass(frozen, eq, hash, get_all, module = "chessdb")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Diagnostic {
    /// "note" (odd), "repaired", or "lost" (information is missing because of it).
    severity: String,
    /// The kind, one word of a fixed list.
    code: &'static str,
    /// A description.
    message: String,
    /// The file of the database, by its standard extension.
    file: Option<&'static str>,
    /// The byte offset in that file, from 0.
    offset: Option<u64>,
    /// The number of the game, from 1.
    game: Option<u32>,
    /// The ply.
    ply: Option<u32>,
}

impl Diagnostic {
    fn new(
        severity: chessdb::Severity,
        kind: &chessdb::core::ErrorKind,
        location: Location,
    ) -> Self {
        Diagnostic {
            severity: severity.to_string(),
            code: kind.code(),
            message: kind.to_string(),
            file: location.file.map(|role| role.0),
            offset: location.offset,
            game: location.game,
            ply: location.ply,
        }
    }

    /// Converts a list of findings.
    pub(crate) fn all(diagnostics: &[chessdb::Diagnostic]) -> Box<[Diagnostic]> {
        diagnostics.iter().map(Diagnostic::from).collect()
    }
}

impl From<&chessdb::Diagnostic> for Diagnostic {
    fn from(diagnostic: &chessdb::Diagnostic) -> Diagnostic {
        Diagnostic::new(diagnostic.severity, &diagnostic.kind, diagnostic.at)
    }
}

impl From<&Finding> for Diagnostic {
    fn from(diagnostic: &Finding) -> Diagnostic {
        Diagnostic::new(diagnostic.severity, &diagnostic.kind, diagnostic.at)
    }
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> String {
        let mut text = String::new();
        if let Some(game) = self.game {
            text += &format!("game {game}: ");
        }
        if let Some(file) = self.file {
            text += file;
            if let Some(offset) = self.offset {
                text += &format!(" at byte {offset}");
            }
            text += ": ";
        }
        text + &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}: {}>", self.severity, self.__str__())
    }
}

/// A database format.
#[pyclass(frozen, module = "chessdb")]
#[derive(Clone, Copy)]
pub(crate) struct Format(pub(crate) &'static chessdb::Format);

#[pymethods]
impl Format {
    /// The short name, such as "si4".
    #[getter]
    fn id(&self) -> &'static str {
        self.0.id
    }

    /// The display name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    /// The extensions of the files, without the dot. The first names the database.
    #[getter]
    fn extensions(&self) -> Vec<&'static str> {
        self.0.roles.iter().map(|role| role.0).collect()
    }

    /// Whether databases of this format can be written.
    #[getter]
    fn is_writable(&self) -> bool {
        self.0.writer().is_some()
    }

    /// Whether games can be read one after another from a pipe.
    #[getter]
    fn is_streamable(&self) -> bool {
        self.0.stream.is_some()
    }

    /// Descriptions of the information that the format cannot store.
    #[getter]
    fn losses(&self) -> Vec<String> {
        self.0.losses.iter().map(|loss| loss.to_string()).collect()
    }

    fn __eq__(&self, other: &Format) -> bool {
        self.0.id == other.0.id
    }

    fn __hash__(&self) -> isize {
        let bytes = self.0.id.bytes();
        bytes.fold(0, |hash, byte| hash * 31 % 1_000_003 + isize::from(byte))
    }

    fn __str__(&self) -> &'static str {
        self.0.id
    }

    fn __repr__(&self) -> String {
        format!("<Format {}: {}>", self.0.id, self.0.name)
    }
}

/// Returns all known formats, also those that can only be written, such as CSV.
#[pyfunction]
pub(crate) fn formats() -> Vec<Format> {
    FORMATS.iter().chain(TARGETS).copied().map(Format).collect()
}

/// Information about a database as a whole.
#[pyclass(frozen, get_all, module = "chessdb")]
#[derive(Clone)]
pub(crate) struct Info {
    /// The title, if the files contain one.
    title: Option<String>,
    /// The description.
    description: Option<String>,
    /// The names of user-defined flags.
    flag_names: Vec<String>,
    /// The numbers of names in its tables, by the kind of names; empty for formats without tables.
    names: std::collections::BTreeMap<String, usize>,
    /// The files with their sizes in bytes. The first names the database.
    files: Vec<(String, u64)>,
}

impl Info {
    pub(crate) fn new(db: &chessdb::Database) -> Info {
        let base = db.info();
        let text = |id| {
            let text = base.texts.get(id).decode().into_owned();
            (!text.is_empty()).then_some(text)
        };
        let files = db.files().map(|files| {
            files
                .iter()
                .map(|(_, path, size)| (path.display().to_string(), size))
                .collect()
        });
        let names = base.names.iter();
        Info {
            title: text(base.title),
            description: text(base.description),
            flag_names: base
                .flag_names
                .iter()
                .map(|id| text(*id).unwrap_or_default())
                .collect(),
            names: names
                .map(|table| {
                    (
                        format!("{:?}", table.role).to_lowercase(),
                        table.records.len(),
                    )
                })
                .collect(),
            files: files.unwrap_or_default(),
        }
    }
}

#[pymethods]
impl Info {
    fn __repr__(&self) -> String {
        format!("<Info title={:?} files={}>", self.title, self.files.len())
    }
}
