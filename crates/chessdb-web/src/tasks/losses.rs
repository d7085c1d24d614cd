//! The task that computes the report of a conversion without keeping what is written.

use chessdb::Selection;
use chessdb::convert::Assessment;
use serde_json::Value;

use super::Task;
use crate::failure::Result;
use crate::open_database::OpenDatabase;
use crate::report::report_json;
use crate::save::{GameScope, target};

pub(super) struct AssessLosses {
    assessment: Option<Assessment>,
    scope: GameScope,
}

impl AssessLosses {
    pub(super) fn new(base: &OpenDatabase, request: &Value) -> Result<AssessLosses> {
        let scope = GameScope::of(request)?;
        let selection = scope.selection(base)?;
        let assessment = Assessment::new(base.db(), target(request)?, selection)?;
        Ok(AssessLosses {
            assessment: Some(assessment),
            scope,
        })
    }
}

impl Task for AssessLosses {
    fn len(&self, base: &OpenDatabase) -> u32 {
        match self.scope {
            GameScope::All => base.len(),
            GameScope::Listed => base.listed(),
            GameScope::One(_) => 1,
        }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let games = match self.scope {
            _ if from >= to => return Ok(()),
            GameScope::All => Selection::from(from + 1..=to),
            GameScope::Listed => base.selection(from, to)?,
            GameScope::One(_) => self.scope.selection(base)?,
        };
        if let Some(assessment) = &mut self.assessment {
            assessment.add(base.db(), games)?;
        }
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let report = self.assessment.take().map(Assessment::finish).transpose()?;
        Ok(report.map_or(Value::Null, |report| report_json(&report)))
    }
}
