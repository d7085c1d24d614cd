//! Work on several threads.

use std::io;

use crate::parallel::HAS_THREADS;

/// Maps each item on a separate thread, the first one on the calling thread.
pub(crate) fn on_threads<I: Send, T: Send>(
    items: Vec<I>,
    map: impl Fn(I) -> T + Sync,
) -> io::Result<Vec<T>> {
    if !HAS_THREADS {
        return Ok(items.into_iter().map(map).collect());
    }
    let map = &map;
    std::thread::scope(|scope| {
        let mut items = items.into_iter();
        let first = items.next();
        let threads: Vec<_> = items.map(|item| scope.spawn(move || map(item))).collect();
        let first = first.map(|item| Ok(map(item)));
        let joined = threads.into_iter().map(|thread| {
            let panicked = |_| io::Error::other("a thread panicked");
            thread.join().map_err(panicked)
        });
        first.into_iter().chain(joined).collect()
    })
}
