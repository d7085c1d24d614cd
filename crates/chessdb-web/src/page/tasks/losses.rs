//! The task that computes the report of a conversion without keeping what is written.

use chessdb::Game;
use chessdb::convert::{Assessment, Observer, Renaming};
use serde_json::Value;

use super::Task;
use crate::failure::Result;
use crate::page::open_database::OpenDatabase;
use crate::page::renames;
use crate::page::report::report_json;
use crate::page::save::{GameScope, target};

pub(super) struct AssessLosses {
    assessment: Option<Assessment>,
    scope: GameScope,
    renaming: RenamingObserver,
}

struct RenamingObserver(Renaming);

impl Observer for RenamingObserver {
    fn edit(&mut self, game: &mut Game) {
        self.0.edit(game);
    }

    fn edits(&self) -> bool {
        !self.0.is_empty()
    }
}

impl AssessLosses {
    pub(super) fn new(base: &OpenDatabase, request: &Value) -> Result<AssessLosses> {
        let scope = GameScope::parse(request)?;
        let selection = scope.selection(base)?;
        let assessment = Assessment::new(base.db(), target(request)?, selection)?;
        Ok(AssessLosses {
            assessment: Some(assessment),
            scope,
            renaming: RenamingObserver(renames::parse(request)?),
        })
    }
}

impl Task for AssessLosses {
    fn len(&self, base: &OpenDatabase) -> u32 {
        self.scope.len(base)
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        if from >= to {
            return Ok(());
        }
        let games = self.scope.part(base, from, to)?;
        if let Some(assessment) = &mut self.assessment {
            assessment.add_observed(base.db(), games, &mut self.renaming)?;
        }
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let report = self.assessment.take().map(Assessment::finish).transpose()?;
        Ok(report.map_or(Value::Null, |report| report_json(&report)))
    }
}
