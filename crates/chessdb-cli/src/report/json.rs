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
        object([
            ("kind", kind.code().into()),
            ("text", kind.text().into()),
            ("count", count.into()),
            ("games", games),
        ])
    };
    let game =
        |at: &GameRef| object([("source", name(at.source).into()), ("game", at.game.into())]);
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
            let (source, message) = (name(*source).into(), message.as_str().into());
            object([("source", source), ("message", message)])
        });
        object([
            ("severity", finding.severity.to_string().into()),
            ("code", finding.code.into()),
            ("detail", finding.detail.into()),
            ("count", finding.count.into()),
            ("first", list(first)),
        ])
    };
    let exceeded = |exceeded: &LimitExceeded| {
        object([
            ("what", exceeded.limit.what.into()),
            ("limit", exceeded.limit.limit.into()),
            ("of", exceeded.limit.of.into()),
            ("games", exceeded.games.into()),
            ("first", exceeded.first.into()),
        ])
    };
    let extra = |extra: &ExtraCount| {
        object([
            ("text", extra.what.into()),
            ("ofBase", extra.of_base.into()),
            ("count", extra.count.into()),
        ])
    };
    object([
        ("sources", list(sources.iter().map(String::as_str))),
        ("target", target.into()),
        ("format", format.into()),
        ("refused", report.is_refused().into()),
        (
            "refusedBy",
            list(report.refused_by().iter().map(|kind| kind.code())),
        ),
        ("read", report.read().into()),
        ("written", report.written().into()),
        ("appended", report.is_appended().into()),
        (
            "backup",
            list(
                report
                    .backups()
                    .iter()
                    .map(|path| path.display().to_string()),
            ),
        ),
        ("cut", report.cut().into()),
        ("skipped", report.skipped().into()),
        ("dropped", report.dropped().into()),
        ("carried", report.carried().into()),
        (
            "writtenIn",
            report.written_in().map_or(Json::Null, written_in),
        ),
        ("losses", list(base.chain(games))),
        ("extras", list(report.extras().iter().map(extra))),
        ("exceeded", list(report.exceeded().iter().map(exceeded))),
        ("findings", list(report.diagnostics().iter().map(finding))),
    ])
}

fn written_in(written: &Written) -> Json {
    let better = |(page, fit): (Charset, usize)| {
        object([("page", page.name().into()), ("fit", (fit as u64).into())])
    };
    object([
        ("page", written.charset.name().into()),
        ("texts", (written.texts as u64).into()),
        ("fit", (written.fit as u64).into()),
        ("samples", list(written.samples.iter().map(String::as_str))),
        ("better", written.better.map_or(Json::Null, better)),
    ])
}
