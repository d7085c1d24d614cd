//! The task that reports how the games of a salvaged database were found, like `chessdb salvage`.

use chessdb::Selection;
use chessdb::convert::{Assessment, SalvageObserver};
use chessdb::core::salvage::Found;
use serde_json::{Map, Value, json};

use super::Task;
use crate::failure::Result;
use crate::page::open_database::OpenDatabase;

/// The maximum number of stretches without games in the answer.
const MOST: usize = 100;

pub(super) struct ReportSalvage {
    assessment: Assessment,
    observer: SalvageObserver,
}

impl ReportSalvage {
    pub(super) fn new(base: &OpenDatabase) -> Result<ReportSalvage> {
        let mut observer = SalvageObserver::default();
        // PGN takes every game, so only damage leaves games out.
        let assessment = Assessment::observed(base.db(), "pgn", Selection::all(), &mut observer)?;
        Ok(ReportSalvage {
            assessment,
            observer,
        })
    }
}

impl Task for ReportSalvage {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.len()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        if from < to {
            let games = Selection::from(from + 1..=to);
            let observer = &mut self.observer;
            self.assessment.add_observed(base.db(), games, observer)?;
        }
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        let report = std::mem::take(&mut self.observer).end();
        let counts: Map<String, Value> = Found::ALL
            .into_iter()
            .map(|kind| (kind.code().to_owned(), report.count(Some(kind)).into()))
            .collect();
        let barren = report.salvaged.barren.iter();
        let shown: Vec<Value> = barren
            .take(MOST)
            .map(|(role, range, why)| {
                json!({ "file": role.0, "start": range.start, "end": range.end, "found": why.code() })
            })
            .collect();
        Ok(json!({
            "games": base.len(),
            "whole": report.is_whole(),
            "counts": counts,
            "leftOut": report.count(None),
            "barren": shown,
            "barrenPlaces": report.salvaged.barren.len(),
            "barrenBytes": report.barren_bytes(),
            "faults": report.faults,
        }))
    }
}
