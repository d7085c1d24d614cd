//! Parallel judging of candidates in scans that need only headers.

use std::thread;

use chessdb_core::GameStore;
use chessdb_files::error::Result;

use super::join;
use crate::reading::{CandidateScan, GameBlock, JudgeBuffers, ScanRequest};

/// Maximum number of blocks judged before any game is read: a million games, 400 KB.
const MAX_BLOCKS: usize = 1 << 14;

/// Minimum number of blocks per thread. Starting a thread takes as long as judging some hundred.
const MIN_BLOCKS_PER_THREAD: usize = 1 << 10;

/// Judges the next blocks, if headers decide and there are many blocks. Blocks without candidates
/// are removed.
pub(super) fn judge_ahead(
    candidates: &mut CandidateScan,
    store: &dyn GameStore,
    request: &ScanRequest,
) -> Result<()> {
    let by_headers = request.headers_only && !request.needs_moves();
    if request.selects_by_number() || !by_headers || candidates.is_ahead() {
        return Ok(());
    }
    let mut blocks: Vec<GameBlock> = std::iter::from_fn(|| candidates.next_block())
        .take(MAX_BLOCKS)
        .collect();
    let judge = |blocks: &mut [GameBlock]| {
        let mut buffers = JudgeBuffers::default();
        for block in blocks {
            block.judge(store, request, &mut buffers);
        }
    };
    let share = blocks
        .len()
        .div_ceil(request.jobs)
        .max(MIN_BLOCKS_PER_THREAD);
    thread::scope(|scope| {
        let mut shares = blocks.chunks_mut(share);
        let own = shares.next();
        let others: Vec<_> = shares
            .map(|blocks| scope.spawn(move || judge(blocks)))
            .collect();
        own.map(judge);
        // Join all threads, so that none panics at the end of the scope.
        let joined: Vec<Result<()>> = others.into_iter().map(join).collect();
        joined.into_iter().collect::<Result<()>>()
    })?;
    blocks.retain(|block| block.left() > 0);
    candidates.put_ahead(blocks);
    Ok(())
}
