//! Findings about a database, by kind.

use chessdb::core::error::Location;
use chessdb::core::sorting::sort_by_key;
use chessdb::core::{ErrorKind, Severity};
use serde_json::{Value, json};

/// The number of games listed for each kind of finding.
const FIRST: usize = 5;

/// The findings of each kind, in the order of their first occurrence.
#[derive(Default)]
pub(crate) struct FindingKinds(Vec<FindingKind>);

/// A kind of finding: the count, the first games with it, and the text of the first one.
struct FindingKind {
    severity: Severity,
    code: &'static str,
    detail: &'static str,
    count: u64,
    first: Vec<u32>,
    text: String,
}

impl FindingKinds {
    /// Adds a finding about the database as a whole, with its location.
    pub(crate) fn add_of_base(&mut self, severity: Severity, kind: &ErrorKind, place: &Location) {
        self.add(None, severity, kind, || {
            if *place == Location::default() {
                kind.to_string()
            } else {
                format!("{place}: {kind}")
            }
        });
    }

    /// Adds a finding about the game with this index.
    #[cfg(feature = "page")]
    pub(crate) fn add_of_game(&mut self, index: u32, severity: Severity, kind: &ErrorKind) {
        self.add(Some(index), severity, kind, || kind.to_string());
    }

    fn add(
        &mut self,
        index: Option<u32>,
        severity: Severity,
        kind: &ErrorKind,
        text: impl FnOnce() -> String,
    ) {
        let (code, detail) = (kind.code(), kind.detail());
        let is_same = |kind_count: &FindingKind| {
            (kind_count.severity, kind_count.code, kind_count.detail) == (severity, code, detail)
        };
        let place = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(FindingKind {
                severity,
                code,
                detail,
                count: 0,
                first: Vec::new(),
                text: text(),
            });
            self.0.len() - 1
        });
        if let Some(kind_count) = self.0.get_mut(place) {
            kind_count.count += 1;
            let is_new = index.filter(|index| kind_count.first.last() != Some(index));
            kind_count
                .first
                .extend(is_new.filter(|_| kind_count.first.len() < FIRST));
        }
    }

    /// Returns the kinds, the most severe and most frequent first. `code` and `detail` are ids, for
    /// which the page has words; `text` is in English.
    pub(crate) fn to_json(&self) -> Value {
        let mut kinds: Vec<&FindingKind> = self.0.iter().collect();
        sort_by_key(&mut kinds, |kind| {
            std::cmp::Reverse((kind.severity, kind.count))
        });
        let kinds = kinds.into_iter().map(|kind| {
            json!({
                "severity": kind.severity.to_string(),
                "code": kind.code,
                "detail": kind.detail,
                "count": kind.count,
                "first": kind.first,
                "text": kind.text,
            })
        });
        kinds.collect()
    }
}
