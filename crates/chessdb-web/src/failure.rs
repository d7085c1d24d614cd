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

    /// Returns the error for the page.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "text": self.text, "detail": self.detail } })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let file = error.path().map(|path| path.to_string_lossy().into_owned());
        let (code, detail) = match error.problem() {
            Problem::NoDatabase | Problem::Unrecognised | Problem::NotStreamable => {
                ("unknown", json!({ "file": file }))
            }
            Problem::MissingFeature(feature) => {
                ("feature", json!({ "file": file, "feature": feature }))
            }
            Problem::TooLarge(bytes) => ("large", json!({ "file": file, "bytes": bytes })),
            Problem::Packed(_) | Problem::PasswordRequired | Problem::WrongPassword => {
                ("packed", json!({ "file": file }))
            }
            Problem::Format(inner) => match inner.kind() {
                ErrorKind::MissingFile(role) => {
                    ("missing", json!({ "file": file, "role": role.0 }))
                }
                _ => ("broken", json!({ "file": file, "game": error.game() })),
            },
            Problem::Refused(_) => ("refused", Value::Null),
            Problem::Interrupted => ("interrupted", Value::Null),
            _ => ("other", json!({ "file": file })),
        };
        Failure::with(code, error.to_string(), detail)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::new("request", error.to_string())
    }
}

/// Access to the members of a request.
pub(crate) trait RequestFields {
    /// Returns a number, or an error that names the member.
    fn number(&self, name: &'static str) -> Result<u32>;
    /// Returns a text, which is empty if the member is missing.
    fn text(&self, name: &str) -> &str;
    /// Returns a flag, which is false if the member is missing.
    fn flag(&self, name: &str) -> bool;
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
}
