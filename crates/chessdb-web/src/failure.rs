//! Errors of requests, in a form that the page can show in the reader's language.

use chessdb::core::ErrorKind;
use chessdb::{Error, Problem};
use serde_json::{Value, json};

/// An error with a code for the page, an English text, and further details.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    text: String,
    detail: Value,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Failure {
        Failure::with(code, text, Value::Null)
    }

    pub(crate) fn with(code: &'static str, text: impl Into<String>, detail: Value) -> Failure {
        let text = text.into();
        Failure { code, text, detail }
    }

    /// Returns the error of one of several files, and whether it is locked.
    pub(crate) fn about_file(&self, name: Option<&str>, locked: bool) -> Value {
        json!({
            "name": name,
            "locked": locked,
            "code": self.code,
            "text": self.text,
            "detail": self.detail,
        })
    }

    /// Returns the error for the page.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "text": self.text, "detail": self.detail } })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let file = error.path().map(|path| path.to_string_lossy().into_owned());
        let of_file = json!({ "file": file });
        let text = error.to_string();
        match error.problem() {
            Problem::NoDatabase
            | Problem::Unrecognised
            | Problem::ForeignSqlite(_)
            | Problem::OpeningBook(_)
            | Problem::NotStreamable => Failure::with("unknown", text, of_file),
            Problem::NotFound => Failure::with("gone", text, of_file),
            Problem::MissingFeature(feature) => {
                Failure::with("feature", text, json!({ "file": file, "feature": feature }))
            }
            Problem::TooLarge(bytes) => {
                Failure::with("large", text, json!({ "file": file, "bytes": bytes }))
            }
            Problem::Packed(_) => Failure::with("packed", text, of_file),
            Problem::PasswordRequired | Problem::WrongPassword => {
                Failure::with("locked", text, of_file)
            }
            Problem::Format(inner) => match inner.kind() {
                ErrorKind::MissingFile(role) => {
                    Failure::with("missing", text, json!({ "file": file, "role": role.0 }))
                }
                ErrorKind::Io(_) => Failure::with("io", text, of_file),
                kind => Failure::with(
                    "broken",
                    text,
                    json!({
                        "file": file,
                        "game": error.game(),
                        "ply": error.ply(),
                        "kind": kind.code(),
                        "what": kind.detail(),
                    }),
                ),
            },
            Problem::Io(_) => Failure::with("io", text, of_file),
            Problem::Replaced | Problem::Changed => Failure::with("changed", text, of_file),
            Problem::InUse(_) => Failure::with("in-use", text, of_file),
            Problem::Refused(_) => Failure::new("refused", text),
            Problem::Interrupted => Failure::new("interrupted", text),
            _ => Failure::with("other", text, of_file),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::new("request", error.to_string())
    }
}

/// Answers a request in JSON. If it fails, the answer has the member `error`.
pub(crate) fn respond(request: &str, answer: impl FnOnce(&Value) -> Result<Value>) -> String {
    serde_json::from_str(request)
        .map_err(Failure::from)
        .and_then(|request| answer(&request))
        .unwrap_or_else(|failure| failure.to_json())
        .to_string()
}

/// Access to the members of a request.
pub(crate) trait RequestFields {
    /// Returns a number, or an error that names the member.
    fn number(&self, name: &'static str) -> Result<u32>;
    /// Returns a text, which is empty if the member is missing.
    fn text(&self, name: &str) -> &str;
    /// Returns a flag, which is false if the member is missing.
    fn flag(&self, name: &str) -> bool;
    /// Returns a list of numbers; `None` if the member is missing.
    fn numbers(&self, name: &'static str) -> Result<Option<Vec<u32>>>;
}

impl RequestFields for Value {
    fn number(&self, name: &'static str) -> Result<u32> {
        let number = self.get(name).and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| Failure::new("request", format!("missing number `{name}`")))
    }

    fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn numbers(&self, name: &'static str) -> Result<Option<Vec<u32>>> {
        let Some(list) = self.get(name) else {
            return Ok(None);
        };
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let numbers = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let numbers: Option<Vec<u32>> = numbers.iter().map(number).collect();
        let wrong = || Failure::new("request", format!("`{name}` is not a list of numbers"));
        numbers.map(Some).ok_or_else(wrong)
    }
}
