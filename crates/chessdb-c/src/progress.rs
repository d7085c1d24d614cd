//! The progress of long calls, and their cancellation.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::ptr;
use std::time::{Duration, Instant};

use chessdb::convert::{Observer, Report};

use crate::boundary::{self, guard};

/// A function of the caller: `chessdb_progress`. It gets `data`, the number of games done, and the
/// number of all games, which is 0 if unknown. Any result except 0 cancels the call.
pub type Progress = Option<unsafe extern "C" fn(data: *mut c_void, done: u64, total: u64) -> c_int>;

/// The time between two calls of the function: 20 a second.
const INTERVAL: Duration = Duration::from_millis(50);

/// The message of a call that was cancelled.
pub(crate) const CANCELLED: &str = "cancelled by the progress function";

thread_local! {
    static WATCH: Cell<(Progress, *mut c_void)> = const { Cell::new((None, ptr::null_mut())) };
    /// Whether the function is running: calls that it makes itself are not watched.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Sets the function that long calls of this thread call.
///
/// # Safety
///
/// `progress` must be null or a function that can be called with `data` until it is replaced, and
/// that returns normally.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_watch(progress: Progress, data: *mut c_void) {
    guard((), || {
        WATCH.set((progress, data));
        Ok(())
    });
}

/// The progress of one call.
pub(crate) struct Steps {
    total: u64,
    reported: Option<Instant>,
    is_cancelled: bool,
}

impl Steps {
    pub(crate) fn new(total: Option<u32>) -> Steps {
        Steps {
            total: total.unwrap_or(0).into(),
            reported: None,
            is_cancelled: false,
        }
    }

    /// Returns whether anyone wants to know the progress.
    pub(crate) fn is_watched() -> bool {
        WATCH.get().0.is_some() && !IS_RUNNING.get()
    }

    /// Reports that `done` games are done, at the first call and then once per [`INTERVAL`]. Breaks
    /// if the caller cancels.
    pub(crate) fn report(&mut self, done: u64) -> ControlFlow<()> {
        let is_due = self.reported.is_none_or(|last| last.elapsed() >= INTERVAL);
        if let (Some(progress), data) = WATCH.get()
            && is_due
            && Steps::is_watched()
        {
            IS_RUNNING.set(true);
            // SAFETY: the caller promised that the function can be called until it is replaced.
            let answer = unsafe { progress(data, done, self.total) };
            IS_RUNNING.set(false);
            // Messages of calls within the function are not about this call.
            boundary::forget();
            self.is_cancelled |= answer != 0;
            self.reported = Some(Instant::now());
        }
        if self.is_cancelled {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns the reason of a failed call: an interruption is a cancellation by the caller.
    pub(crate) fn failure(&self, error: chessdb::Error) -> boundary::Failure {
        if self.is_cancelled { CANCELLED.into() } else { error.into() }
    }
}

impl Observer for Steps {
    fn edits(&self) -> bool {
        false
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        self.report(report.read())
    }
}
