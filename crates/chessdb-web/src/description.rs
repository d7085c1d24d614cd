//! The description of a database.

use chessdb::Database;
use chessdb::core::model::NameRole;
use chessdb::core::{ErrorKind, FileSet, Severity};
use serde_json::{Value, json};

use crate::findings::FindingKinds;

/// Returns a description of a database with this name and number of games.
pub(crate) fn description(db: &Database, name: &str, games: u32) -> Value {
    let info = db.info();
    let text = |id| info.texts.get(id).decode().into_owned();
    let names = |role| info.table(role).map(|table| table.records.len());
    let files: Vec<Value> = db.files().map_or(Vec::new(), |files| {
        files
            .iter()
            .map(|(role, path, size)| {
                let name = path.to_string_lossy();
                json!({ "name": name, "role": role.0, "size": size, "there": files.get(role).is_some() })
            })
            .collect()
    });
    let missing = db.diagnostics().iter();
    let missing: Vec<&str> = missing
        .filter_map(|diagnostic| match diagnostic.kind {
            ErrorKind::MissingFile(role) if diagnostic.severity == Severity::Lost => Some(role.0),
            _ => None,
        })
        .collect();
    let mut findings = FindingKinds::default();
    for diagnostic in db.diagnostics() {
        findings.add_of_base(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
    }
    let charset = db.charset().map(|guess| {
        json!({
            "page": guess.page.name(),
            "confidence": guess.confidence,
            "witnesses": guess.witnesses,
            "doubtful": guess.low,
            "second": guess.runner_up.map(|page| page.name()),
        })
    });
    json!({
        "name": name,
        "format": { "id": db.format().id, "name": db.format().name },
        "games": games,
        "title": text(info.title),
        "description": text(info.description),
        "names": {
            "players": names(NameRole::Player),
            "events": names(NameRole::Event),
            "sites": names(NameRole::Site),
        },
        "texts": info.extras.len(),
        "files": files,
        "missing": missing,
        "faults": findings.to_json(),
        "salvages": db.format().salvages && db.salvaged().is_none(),
        "isSalvaged": db.salvaged().is_some(),
        "charset": charset,
        "hasPage": db.format().charset_prior.is_some(),
    })
}
