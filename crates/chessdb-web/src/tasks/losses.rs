//! The task that computes, without writing, the losses of a conversion to each format.

use std::collections::BTreeMap;

use chessdb::convert::MemorySink;
use chessdb::core::LossKind;
use chessdb::{Allow, FORMATS, Format, Writer};
use serde_json::{Value, json};

use super::Task;
use crate::failure::{RequestFields, Result};
use crate::open_database::OpenDatabase;

/// The writers of all formats, which assess games but do not write any.
pub(super) struct AssessLosses {
    targets: Vec<Target>,
    games: GameScope,
}

/// The selected games.
enum GameScope {
    All,
    Listed,
    One(u32),
}

struct Target {
    format: &'static Format,
    writer: Writer,
    /// The number of games with any loss.
    games: u64,
    /// For each kind the number of games with such a loss, and the number of losses.
    kinds: BTreeMap<LossKind, (u64, u64)>,
}

impl AssessLosses {
    pub(super) fn new(base: &OpenDatabase, request: &Value) -> Result<AssessLosses> {
        let games = match request.text("scope") {
            "game" => GameScope::One(request.number("game")?),
            "view" => GameScope::Listed,
            _ => GameScope::All,
        };
        let writable = FORMATS.iter().filter(|format| format.create.is_some());
        let targets = writable.map(|&format| {
            let mut options = Writer::options().format(format.id).allow(Allow::Everything);
            options = options.base(base.db().info().clone());
            let writer = options.create_in(MemorySink::new())?;
            Ok(Target {
                format,
                writer,
                games: 0,
                kinds: BTreeMap::new(),
            })
        });
        let targets = targets.collect::<Result<_>>()?;
        Ok(AssessLosses { targets, games })
    }
}

impl Task for AssessLosses {
    fn len(&self, base: &OpenDatabase) -> u32 {
        match self.games {
            GameScope::All => base.len(),
            GameScope::Listed => base.listed(),
            GameScope::One(_) => 1,
        }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut failed = None;
        let mut game = std::mem::take(&mut base.game);
        for n in from..to {
            let index = match self.games {
                GameScope::All => Some(n),
                GameScope::Listed => base.nth(n),
                GameScope::One(index) => Some(index),
            };
            let Some(index) = index else {
                break;
            };
            if base.db().game_into(index, &mut game).is_err() {
                continue;
            }
            for target in &mut self.targets {
                match target.writer.assess(&game) {
                    Ok(losses) => {
                        target.games += u64::from(!losses.is_empty());
                        for loss in &losses {
                            let kind = target.kinds.entry(loss.kind).or_default();
                            kind.0 += 1;
                            kind.1 += u64::from(loss.count);
                        }
                    }
                    Err(error) => failed = Some(error),
                }
            }
        }
        base.game = game;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let formats = self.targets.iter().map(|target| {
            let kinds = target.kinds.iter().map(|(kind, (games, count))| {
                json!({ "code": kind.code(), "text": kind.text(), "games": games, "count": count })
            });
            let kinds: Vec<Value> = kinds.collect();
            json!({ "id": target.format.id, "games": target.games, "kinds": kinds })
        });
        Ok(json!({ "formats": formats.collect::<Vec<_>>() }))
    }
}
