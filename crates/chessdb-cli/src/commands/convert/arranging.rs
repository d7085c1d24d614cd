//! The order, the number and the parts of the games of a conversion.

use std::sync::Arc;

use chessdb::convert::GameParts;
use chessdb::query::Query;
use chessdb::{Database, Game, Selection};

use super::ConversionSteps;
use crate::args::{Arrangement, OutputOptions, PartOptions};
use crate::commands::arrangement::{GameRequest, ReadDepth};
use crate::commands::game_fixes::GameFixes;
use crate::exit::Failure;
use crate::json::Json;
use crate::output::count;

/// Writes the first matching games in an order, as a whole or in parts. They may be corrected.
pub(in crate::commands) struct Arranging<'a> {
    arrangement: &'a Arrangement,
    output_options: &'a OutputOptions,
    parts: PartOptions,
    pub(super) fixes: Option<GameFixes>,
    /// The number of games that end before the move from which they are written.
    short: u64,
}

impl<'a> Arranging<'a> {
    pub(in crate::commands) fn new(
        arrangement: &'a Arrangement,
        output_options: &'a OutputOptions,
        parts: PartOptions,
    ) -> Arranging<'a> {
        Arranging {
            arrangement,
            output_options,
            parts,
            fixes: None,
            short: 0,
        }
    }

    /// Returns whether games are written in parts.
    fn makes_parts(&self) -> bool {
        self.parts.split_variations || self.parts.from_move.is_some()
    }
}

impl ConversionSteps for Arranging<'_> {
    fn chooses(&self) -> bool {
        !self.arrangement.is_nothing()
    }

    fn reorders(&self) -> bool {
        self.arrangement.sort.is_some()
    }

    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let (arrangement, options) = (self.arrangement, self.output_options);
        if arrangement.sort.is_some() && bases.len() != 1 {
            let message =
                "only one database can be sorted; join several with `chessdb merge` first";
            return Err(Failure::usage(message));
        }
        let bases: Vec<&Database> = bases.iter().collect();
        let request = GameRequest {
            games: &options.choice.games,
            query,
            jobs: options.jobs,
            depth: ReadDepth::Numbers,
            // The conversion decides about damaged games.
            keeps_damaged: true,
            strict: false,
        };
        let runs = arrangement.choose(&bases, &request, |_, _| {})?;
        Ok(Some(runs.into_iter().map(|(_, games)| games).collect()))
    }

    fn edits(&self) -> bool {
        self.makes_parts() || self.fixes.is_some()
    }

    fn source(&mut self, name: &str) {
        if let Some(fixes) = &mut self.fixes {
            name.clone_into(&mut fixes.source);
        }
    }

    fn edit(&mut self, game: &mut Game) {
        if let Some(fixes) = &mut self.fixes {
            fixes.fix(game);
        }
    }

    fn parts<'g>(&mut self, game: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        if !self.makes_parts() {
            return None;
        }
        let Some(number) = self.parts.from_move else {
            return Some(Box::new(game.lines()));
        };
        let end = game.from_move(number);
        self.short += u64::from(end.is_none());
        if self.parts.split_variations {
            let lines: Vec<_> = end.iter().flat_map(chessdb::core::Game::lines).collect();
            return Some(Box::new(lines.into_iter()));
        }
        Some(Box::new(end.into_iter()))
    }

    fn restart(&mut self) {
        self.short = 0;
        self.fixes.iter_mut().for_each(GameFixes::restart);
    }

    fn facts(&self) -> Vec<(&'static str, Json)> {
        self.fixes.as_ref().map_or(Vec::new(), GameFixes::facts)
    }

    fn changes(&self) -> Option<String> {
        self.fixes.as_ref().map(GameFixes::text)
    }

    fn summary(&self) -> Option<String> {
        let short = self
            .parts
            .from_move
            .filter(|_| self.short > 0)
            .map(|number| {
                let games = count(self.short, "game");
                format!("{games} left out: no move {number}, or a variant with other rules")
            });
        let lines: Vec<String> = self.changes().into_iter().chain(short).collect();
        Some(lines.join("\n")).filter(|text| !text.is_empty())
    }
}
