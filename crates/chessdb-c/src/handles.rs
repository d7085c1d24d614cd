//! Handles of open databases and edits. A handle is a number that is never used again, not an
//! address: one that was closed, is of another kind or was invented is an error, and a database that
//! one thread closes stays open for the calls of other threads.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::boundary::Failure;

/// The open values of one kind.
pub(crate) struct Handles<T> {
    /// The kind, for messages.
    kind: &'static str,
    open: Mutex<BTreeMap<usize, Arc<T>>>,
}

/// The next handle of any kind.
static NEXT: AtomicUsize = AtomicUsize::new(1);

impl<T> Handles<T> {
    pub(crate) const fn new(kind: &'static str) -> Handles<T> {
        Handles {
            kind,
            open: Mutex::new(BTreeMap::new()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<T>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the handle of a new value.
    pub(crate) fn insert(&self, value: T) -> *mut T {
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(handle, Arc::new(value));
        ptr::without_provenance_mut(handle)
    }

    /// Returns the open value with this handle.
    pub(crate) fn get(&self, handle: *const T) -> Result<Arc<T>, Failure> {
        let value = self.lock().get(&handle.addr()).map(Arc::clone);
        value.ok_or_else(|| self.refusal(handle))
    }

    /// Closes a value; does nothing for null. Calls that use the value still complete.
    pub(crate) fn close(&self, handle: *const T) -> Result<(), Failure> {
        // The value is dropped after the lock, since closing files takes time.
        let value = self.lock().remove(&handle.addr());
        match value {
            None if !handle.is_null() => Err(self.refusal(handle)),
            _ => Ok(()),
        }
    }

    fn refusal(&self, handle: *const T) -> Failure {
        let kind = self.kind;
        if handle.is_null() {
            return format!("the {kind} is NULL").into();
        }
        format!("not an open {kind}: it was closed, or the pointer is of another kind").into()
    }
}
