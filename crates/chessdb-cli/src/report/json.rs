//! The report about a conversion as JSON.

use chessdb::LossKind;
use chessdb::convert::{DiagnosticCount, ExtraCount, GameRef, Report, Written};
use chessdb::core::Charset;
use chessdb::core::loss::LimitExceeded;

use crate::json::{Json, list, object};

/// Returns the summary of a conversion.
pub(crate) fn json(report: &Report, sources: &[String], target: &str, format: &str) -> Json {
    let appended = if report.is_appended() { target } else { "" };
    let name = |source: usize| sources.get(source).map_or(appended, String::as_str);
    let loss = |kind: LossKind, count: u64, games: Json| {
        object! { "kind": kind.code(), "text": kind.text(), "count": count, "games": games }
    };
    let game = |place: &GameRef| object! { "source": name(place.source), "game": place.game };
    let base = report
        .base_losses()
        .iter()
        .map(|l| loss(l.kind, l.count.into(), Json::Null));
    let games = report.game_losses().iter().map(|l| {
        loss(
            l.kind,
            l.count,
            Json::Array(l.first.iter().map(game).collect()),
        )
    });
    let finding = |finding: &DiagnosticCount| {
        let first = finding.first.iter().map(|(source, message)| {
            object! { "source": name(*source), "message": message.as_str() }
        });
        object! {
            "severity": finding.severity.to_string(), "code": finding.code,
            "detail": finding.detail, "count": finding.count, "first": list(first),
        }
    };
    let exceeded = |exceeded: &LimitExceeded| {
        object! {
            "what": exceeded.limit.what, "limit": exceeded.limit.limit, "of": exceeded.limit.of,
            "games": exceeded.games, "first": exceeded.first,
        }
    };
    let extra = |extra: &ExtraCount| {
        object! { "text": extra.what, "ofBase": extra.of_base, "count": extra.count }
    };
    object! {
        "sources": list(sources.iter().map(String::as_str)), "target": target, "format": format,
        "refused": report.is_refused(),
        "refusedBy": list(report.refused_by().iter().map(|kind| kind.code())),
        "read": report.read(), "written": report.written(), "appended": report.is_appended(),
        "changed": report.changed().map_or(Json::Null, Json::from),
        "backup": list(report.backups().iter().map(|path| path.display().to_string())),
        "cut": report.cut(), "skipped": report.skipped(), "dropped": report.dropped(),
        "carried": report.carried(),
        "writtenIn": report.written_in().map_or(Json::Null, written_in),
        "losses": list(base.chain(games)), "extras": list(report.extras().iter().map(extra)),
        "exceeded": list(report.exceeded().iter().map(exceeded)),
        "findings": list(report.diagnostics().iter().map(finding)),
    }
}

fn written_in(written: &Written) -> Json {
    let better = |(page, fit): (Charset, usize)| {
        object! { "page": page.name(), "fit": fit }
    };
    object! {
        "page": written.charset.name(), "texts": written.texts, "fit": written.fit,
        "samples": list(written.samples.iter().map(String::as_str)),
        "better": written.better.map_or(Json::Null, better),
    }
}
