//! The task that reads every game, compares the files and counts the findings, like `chessdb
//! check`.

use std::collections::BTreeMap;

use chessdb::core::error::Location;
use chessdb::core::model::GameFlags;
use chessdb::core::report::Finding;
use chessdb::core::{ReadOptions, Severity};
use serde_json::{Value, json};

use super::Task;
use crate::failure::Result;
use crate::open_database::OpenDatabase;

/// The number of findings about the database as a whole that are kept.
const MOST: usize = 50;

/// The number of games listed for each kind of finding.
const FIRST: usize = 5;

#[derive(Default)]
pub(super) struct Health {
    damaged: FindingKind,
    deleted: u64,
    odd: BTreeMap<(&'static str, &'static str), FindingKind>,
}

/// A kind of finding: the count, the first games with it, and the text of the first one.
#[derive(Default)]
struct FindingKind {
    count: u64,
    first: Vec<u32>,
    text: String,
}

impl FindingKind {
    fn add(&mut self, index: u32, text: impl FnOnce() -> String) {
        if self.count == 0 {
            self.text = text();
        }
        self.count += 1;
        if self.first.len() < FIRST && self.first.last() != Some(&index) {
            self.first.push(index);
        }
    }

    fn to_json(&self) -> Value {
        json!({ "count": self.count, "first": self.first, "text": self.text })
    }
}

impl Task for Health {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.len()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut game = std::mem::take(&mut base.game);
        for index in from..to {
            if let Err(error) = base.db().game_into(index, &mut game) {
                self.damaged.add(index, || error.to_string());
                continue;
            }
            self.deleted += u64::from(game.header.flags.contains(GameFlags::DELETED));
            if game.is_damaged() {
                self.damaged.add(index, || game.fault().unwrap_or_default());
            }
            for found in game.diagnostics() {
                if found.severity != Severity::Lost {
                    let kind = (found.kind.code(), found.kind.detail());
                    let kind = self.odd.entry(kind).or_default();
                    kind.add(index, || found.to_string());
                }
            }
        }
        base.game = game;
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        let odd: Vec<Value> = self.odd.values().map(FindingKind::to_json).collect();
        Ok(json!({
            "damaged": self.damaged.to_json(),
            "deleted": self.deleted,
            "odd": odd,
            "base": faults(base),
        }))
    }
}

/// Returns the findings about the database as a whole: from opening it, and contradictions within
/// and between its files.
fn faults(base: &OpenDatabase) -> Vec<Value> {
    let db = base.db();
    let mut faults: Vec<(Severity, String)> = Vec::new();
    let mut more = 0_u64;
    let mut add = |finding: Finding| {
        let text = match finding.at == Location::default() {
            true => finding.kind.to_string(),
            false => format!("{}: {}", finding.at, finding.kind),
        };
        let found = (finding.severity, text);
        if faults.contains(&found) {
            return;
        }
        match faults.len() < MOST {
            true => faults.push(found),
            false => more += 1,
        }
    };
    for found in db.diagnostics() {
        add(found.into());
    }
    if let Some(files) = db.files() {
        files.check_around_games(&ReadOptions::default(), &mut add);
    }
    let name = |severity| match severity {
        Severity::Lost => "lost",
        Severity::Repaired => "repaired",
        Severity::Note => "note",
    };
    let mut faults: Vec<Value> = faults
        .into_iter()
        .map(|(severity, text)| json!({ "lost": severity == Severity::Lost, "severity": name(severity), "text": text }))
        .collect();
    if more > 0 {
        faults.push(json!({ "lost": true, "severity": "lost", "text": format!("… {more} more") }));
    }
    faults
}
