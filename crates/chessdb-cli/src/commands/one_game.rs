//! The command `merge --one-game`: games joined into one game with variations.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::convert::GameParts;
use chessdb::core::model::{GameFlags, GameTree, TreeComments};
use chessdb::query::Query;
use chessdb::{Database, Error, Game, OnError, Selection};

use crate::args::Merge;
use crate::commands::convert::{ConversionSteps, run_all};
use crate::exit::{Completion, Failure, Outcome};
use crate::findings::FindingLog;
use crate::output::{count, grouped};

/// The largest number of games, and of half-moves in them. Memory is in proportion to it.
const MOST_GAMES: usize = 200_000;
const MOST_PLIES: usize = 20_000_000;

pub(super) fn run(args: &Merge) -> Outcome {
    let mut joining = Joining {
        args,
        joined: VecDeque::new(),
        unread: 0,
        summary: String::new(),
    };
    let done = run_all("merge", &args.output_options, &mut joining)?;
    let is_strict = args.output_options.strict.is_some();
    Ok(done.max(Completion::of_reading(joining.unread > 0, is_strict)))
}

/// Writes the games of trees in place of their first games.
struct Joining<'a> {
    args: &'a Merge,
    /// The games of each tree. The conversion reads the first games of the trees in the same order.
    joined: VecDeque<Vec<chessdb::core::Game>>,
    /// The number of games that could not be read, and of findings with data loss.
    unread: u64,
    summary: String,
}

impl ConversionSteps for Joining<'_> {
    fn chooses(&self) -> bool {
        true
    }

    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let options = &self.args.output_options;
        let (mut games, mut plies) = (Vec::new(), 0);
        for (base, db) in bases.iter().enumerate() {
            let name = db
                .path()
                .map_or("-".to_owned(), |path| path.display().to_string());
            let mut findings = FindingLog::from_name(name);
            let is_left_out = |game: &Game| {
                options.drop_deleted && game.header.flags.contains(GameFlags::DELETED)
            };
            let skips_damaged = options.on_error == OnError::Skip;
            let scan = db.scan().select(options.choice.games.clone());
            let scan = scan.filter(Arc::clone(query));
            scan.jobs(options.jobs.thread_count()).map_in_order(
                |game, result| {
                    result?;
                    if skips_damaged && game.is_damaged() {
                        return Err(game.take_damage().into());
                    }
                    let copy = (!is_left_out(game)).then(|| game.clone().into_model());
                    Ok((game.number(), copy))
                },
                |game: Result<_, Error>| {
                    match game {
                        Ok((number, Some(game))) => {
                            plies += game.moves.plies() as usize;
                            games.push((base, number, game));
                        }
                        Ok((_, None)) => {}
                        Err(error) => findings.add(&error),
                    }
                    if games.len() > MOST_GAMES || plies > MOST_PLIES {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                },
            )?;
            self.unread += findings.finish();
        }
        if games.len() > MOST_GAMES || plies > MOST_PLIES {
            return Err(Failure::Usage(format!(
                "more than {} games or {} moves; narrow the query",
                grouped(MOST_GAMES as u64),
                grouped(MOST_PLIES as u64)
            )));
        }
        let comments = TreeComments {
            counts: self.args.counts,
            sources: self.args.sources,
        };
        let trees = GameTree::by_start(games.iter().map(|(.., game)| game), comments);
        let moves: usize = trees.iter().map(|(_, tree)| tree.len()).sum();
        let left_out: usize = trees.iter().map(|(_, tree)| tree.left_out()).sum();
        self.summary = format!(
            "{} joined into {} with {}",
            count(games.len() as u64, "game"),
            count(trees.len() as u64, "tree"),
            count(moves as u64, "move")
        );
        if left_out > 0 {
            self.summary += &format!(
                "; {} of other games left out",
                count(left_out as u64, "clock, evaluation or arrow")
            );
        }
        let mut first_games = vec![Vec::new(); bases.len()];
        for (first, tree) in trees {
            if let Some((base, number, _)) = games.get(first)
                && let Some(numbers) = first_games.get_mut(*base)
            {
                numbers.push(*number);
            }
            let games = tree.into_games().collect::<Result<Vec<_>, _>>();
            let games =
                games.map_err(|limit| Failure::Usage(format!("too many {}", limit.what())))?;
            self.joined.push_back(games);
        }
        Ok(Some(
            first_games.into_iter().map(Selection::in_order).collect(),
        ))
    }

    fn parts<'g>(&mut self, _: &'g chessdb::core::Game) -> Option<GameParts<'g>> {
        Some(Box::new(self.joined.pop_front()?.into_iter()))
    }

    fn summary(&self) -> Option<String> {
        Some(self.summary.clone())
    }
}
