//! The report of a conversion, or of one that is only assessed.

use chessdb::convert::Report;
use chessdb::core::sorting::sort_by_key;
use serde_json::{Value, json};

/// Returns a report with its losses ordered by number, the largest first. `code` and `detail` are
/// ids, for which the page has words; texts are in English.
pub(crate) fn report_json(report: &Report) -> Value {
    let mut losses: Vec<_> = report.losses().collect();
    sort_by_key(&mut losses, |loss| {
        std::cmp::Reverse((loss.count, loss.games))
    });
    let losses = losses.iter().map(|loss| {
        let first: Vec<u32> = loss.first.iter().map(|example| example.game).collect();
        json!({
            "code": loss.kind.code(),
            "text": loss.to_string(),
            "count": loss.count,
            "games": loss.games,
            "first": first,
        })
    });
    let losses: Vec<Value> = losses.collect();
    let mut diagnostics: Vec<_> = report.diagnostics().iter().collect();
    sort_by_key(&mut diagnostics, |kind| {
        std::cmp::Reverse((kind.severity, kind.count))
    });
    let diagnostics: Vec<Value> = diagnostics
        .into_iter()
        .map(|kind| {
            let first: Vec<&str> = kind.first.iter().map(|(_, text)| text.as_str()).collect();
            json!({
                "severity": kind.severity.to_string(),
                "code": kind.code,
                "detail": kind.detail,
                "count": kind.count,
                "first": first,
            })
        })
        .collect();
    let exceeded = report.exceeded().iter().map(|exceeded| {
        json!({
            "text": exceeded.to_string(),
            "of": exceeded.limit.of,
            "what": exceeded.limit.what,
            "limit": exceeded.limit.limit,
            "games": exceeded.games,
            "first": exceeded.first,
        })
    });
    let exceeded: Vec<Value> = exceeded.collect();
    let extras = report.extras().iter();
    let extras: Vec<Value> = extras
        .map(|extra| json!({ "what": extra.what, "count": extra.count }))
        .collect();
    json!({
        "read": report.read(),
        "written": report.written(),
        "cut": report.cut(),
        "skipped": report.skipped(),
        "lossy": report.lossy_games(),
        "hasLosses": report.has_losses(),
        "incomplete": report.is_incomplete(),
        "page": report.written_in().map(|written| written.charset.name()),
        "losses": losses,
        "found": diagnostics,
        "dropped": report.dropped_diagnostics(),
        "exceeded": exceeded,
        "extras": extras,
    })
}
