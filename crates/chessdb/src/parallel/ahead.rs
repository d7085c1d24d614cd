//! Parallel judging of candidates in scans that need only headers.

use std::thread;

use chessdb_core::GameStore;

use super::join;
use crate::error::Result;
use crate::scan::{CandidateScan, GameBlock, JudgeBuffer, ScanRequest};

/// Maximum number of blocks judged before any game is read: a million games, 400 KB.
const MOST: usize = 1 << 14;

/// Minimum number of blocks per thread. Starting a thread takes as long as judging some hundred.
const LEAST: usize = 1 << 10;

/// Judges the next blocks, if headers decide and there are many blocks. Blocks without candidates
/// are removed.
pub(super) fn judge_ahead(
    wanted: &mut CandidateScan,
    store: &dyn GameStore,
    request: &ScanRequest,
) -> Result<()> {
    let by_headers = request.headers_only && !request.looks_at_lines();
    if request.choice.selects_by_number() || !by_headers || wanted.is_ahead() {
        return Ok(());
    }
    let mut runs: Vec<GameBlock> = std::iter::from_fn(|| wanted.next_run())
        .take(MOST)
        .collect();
    let judge = |runs: &mut [GameBlock]| {
        let mut buffer = JudgeBuffer::default();
        for run in runs {
            run.judge(store, request, &mut buffer);
        }
    };
    let share = runs.len().div_ceil(request.jobs).max(LEAST);
    thread::scope(|scope| {
        let mut shares = runs.chunks_mut(share);
        let own = shares.next();
        let others: Vec<_> = shares
            .map(|runs| scope.spawn(move || judge(runs)))
            .collect();
        own.map(judge);
        // Join all threads, so that none panics at the end of the scope.
        let joined: Vec<Result<()>> = others.into_iter().map(join).collect();
        joined.into_iter().collect::<Result<()>>()
    })?;
    runs.retain(|run| run.left() > 0);
    wanted.put_ahead(runs);
    Ok(())
}
