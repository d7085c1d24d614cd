//! Work on several threads.

use std::io;

/// Maps each item on a separate thread, the first one on the calling thread.
#[cfg(feature = "threads")]
pub(crate) fn on_threads<I: Send, T: Send>(
    items: Vec<I>,
    map: impl Fn(I) -> T + Sync,
) -> io::Result<Vec<T>> {
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

/// Maps each item.
#[cfg(not(feature = "threads"))]
pub(crate) fn on_threads<I, T>(items: Vec<I>, map: impl Fn(I) -> T) -> io::Result<Vec<T>> {
    Ok(items.into_iter().map(map).collect())
}
