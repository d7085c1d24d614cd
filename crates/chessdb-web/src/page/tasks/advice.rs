//! The task that proposes other queries for one that matches nothing, or few games.

use chessdb::query::Query;
use chessdb::query::advice::{Advice, ProposalKind};
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;

pub(super) struct AdviceSearch {
    advice: Advice,
}

impl AdviceSearch {
    pub(super) fn new(request: &Value) -> Result<AdviceSearch> {
        let query = request.text("query").parse::<Query>();
        let query = query.map_err(|error| Failure::new("query", error.to_string()))?;
        let advice = query.advice();
        Ok(AdviceSearch {
            advice: if request.flag("rare") { advice.with_rare_names() } else { advice },
        })
    }
}

impl Task for AdviceSearch {
    fn len(&self, base: &OpenDatabase) -> u32 {
        if self.advice.is_empty() { 0 } else { base.len() }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        base.each_header(from, to, |game| self.advice.add(game));
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let proposals = self.advice.proposals().into_iter().map(|proposal| {
            let kind = match proposal.kind {
                ProposalKind::Spelling => "spelling",
                ProposalKind::Without => "without",
                _ => "meaning",
            };
            json!({
                "kind": kind,
                "term": proposal.term,
                "text": proposal.text,
                "query": proposal.query,
                "games": proposal.games,
            })
        });
        Ok(Value::Array(proposals.collect()))
    }
}
