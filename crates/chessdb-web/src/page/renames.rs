//! The names that a request replaces.

use chessdb::convert::{NameKind, Renaming};
use chessdb::query::names::Spellings;
use serde_json::Value;

use crate::failure::{Failure, RequestFields, Result};

/// Returns the replacements of the member `names`: a list of `of`, the kind of names, and `pairs`
/// of an old and a new name.
pub(crate) fn parse(request: &Value) -> Result<Renaming> {
    let lists = request.get("names").and_then(Value::as_array);
    let mut renaming = Renaming::default();
    for list in lists.into_iter().flatten() {
        let pairs = list.get("pairs").and_then(Value::as_array);
        let pairs = pairs.into_iter().flatten().filter_map(|pair| {
            let text = |n: usize| pair.get(n).and_then(Value::as_str);
            text(0).zip(text(1))
        });
        let spellings = Spellings::from_pairs(pairs)
            .map_err(|fault| Failure::new("names", fault.to_string()))?;
        renaming = renaming.with(kind(list)?, spellings);
    }
    Ok(renaming)
}

/// Returns the kind of names in the member `of`.
pub(crate) fn kind(request: &Value) -> Result<NameKind> {
    let of = request.text("of");
    let unknown = || Failure::new("request", format!("unknown kind of names `{of}`"));
    NameKind::by_name(of).ok_or_else(unknown)
}
