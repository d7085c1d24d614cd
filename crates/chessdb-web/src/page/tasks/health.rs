//! The task that reads every game, compares the files and counts the findings, like `chessdb
//! check`.

use chessdb::core::model::GameFlags;
use chessdb::core::report::Finding;
use chessdb::{CheckCounts, Database};
use serde_json::{Value, json};

use super::Task;
use crate::failure::Result;
use crate::findings::FindingKinds;
use crate::page::open_database::OpenDatabase;

pub(super) struct Health {
    /// The database, opened for checking.
    db: Option<Database>,
    counts: CheckCounts,
    base: FindingKinds,
    games: FindingKinds,
    /// The number of games with data loss.
    damaged: u64,
    deleted: u64,
}

impl Health {
    pub(super) fn new(base: &OpenDatabase) -> Result<Health> {
        let db = base.db().opened_for_checking()?;
        let mut health = Health {
            db,
            counts: CheckCounts::default(),
            base: FindingKinds::default(),
            games: FindingKinds::default(),
            damaged: 0,
            deleted: 0,
        };
        let Some(db) = &health.db else {
            return Ok(health);
        };
        if let Some(files) = db.files() {
            files.check_around_games(db.reading(), &mut |finding: Finding| {
                health.counts.add(finding.severity);
                health
                    .base
                    .add_of_base(finding.severity, &finding.kind, &finding.at);
            });
        }
        for diagnostic in db.diagnostics() {
            health.counts.add(diagnostic.severity);
            let (kind, location) = (&diagnostic.kind, &diagnostic.at);
            health.base.add_of_base(diagnostic.severity, kind, location);
        }
        Ok(health)
    }
}

impl Task for Health {
    fn len(&self, base: &OpenDatabase) -> u32 {
        base.len()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut game = std::mem::take(&mut base.game);
        for index in from..to {
            let db = self.db.as_ref().unwrap_or(base.db());
            let error = db.game_into(index, &mut game).err();
            let lost = self.counts.lost;
            let games = &mut self.games;
            let counts = &mut self.counts;
            counts.add_game(&game, error.as_ref(), &mut |severity, kind, _| {
                games.add_of_game(index, severity, kind);
            });
            self.damaged += u64::from(self.counts.lost > lost);
            let is_deleted = game.header.flags.contains(GameFlags::DELETED);
            self.deleted += u64::from(error.is_none() && is_deleted);
        }
        base.game = game;
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let counts = &self.counts;
        Ok(json!({
            "games": counts.games,
            "notes": counts.notes,
            "repaired": counts.repaired,
            "lost": counts.lost,
            "dropped": counts.dropped,
            "hasProblems": counts.has_problems(),
            "damaged": self.damaged,
            "deleted": self.deleted,
            "ofBase": self.base.to_json(),
            "ofGames": self.games.to_json(),
        }))
    }
}
