//! Searching for games.

use std::ffi::c_char;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chessdb::query::Query;
use chessdb::{Database, Selection, Severity};

use crate::ERROR;
use crate::boundary::{self, Failure, guard, remember, text};
use crate::open::DATABASES;
use crate::progress::{CANCELLED, Steps};

/// Searches for games.
///
/// # Safety
///
/// `query` must be null or a text that ends with a zero byte. `numbers` must be an array of at least
/// `capacity` numbers, and `unread` null or the place of one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_find(
    db: *const Database,
    query: *const c_char,
    numbers: *mut u32,
    capacity: usize,
    unread: *mut u64,
) -> i64 {
    guard(ERROR.into(), || {
        // SAFETY: the caller promises that the place is writable, and the array as long as stated.
        let outputs = unsafe { (boundary::output(unread), boundary::array(numbers, capacity)) };
        let (unread, numbers) = (outputs.0?, outputs.1?);
        // SAFETY: the caller promises the text.
        let query = unsafe { text(query)? };
        let query = query.parse::<Query>().map_err(|error| error.to_string())?;
        let mut result = SearchResult::new(numbers);
        if let Err(failure) = result.search(&*DATABASES.get(db)?, Arc::new(query)) {
            result.numbers.fill(0);
            return Err(failure);
        }
        if let Some(unread) = unread {
            *unread = result.unread;
        }
        if let Some(message) = result.message {
            remember(&message);
        }
        Ok(i64::try_from(result.matches).unwrap_or(i64::MAX))
    })
}

/// The result of a search.
struct SearchResult<'a> {
    /// The numbers of the first matches, then 0.
    numbers: &'a mut [u32],
    matches: u64,
    /// The number of games that could not be read.
    unread: u64,
    /// The first message about a game, or a part of the database, that could not be read.
    message: Option<String>,
}

impl SearchResult<'_> {
    fn new(numbers: &mut [u32]) -> SearchResult<'_> {
        SearchResult {
            numbers,
            matches: 0,
            unread: 0,
            message: None,
        }
    }

    /// Searches a database, in steps if the caller watches. The steps grow until one takes a while,
    /// since an index answers for a million games as fast as a scan for a thousand.
    fn search(&mut self, db: &Database, query: Arc<Query>) -> Result<(), Failure> {
        const SHORT: Duration = Duration::from_millis(20);
        let games = db.len().ok();
        if let (true, Some(games)) = (query.is_empty(), games) {
            self.add_all(games);
            return Ok(());
        }
        let mut steps = Steps::new(games);
        let Some(games) = games.filter(|_| Steps::is_watched()) else {
            return self.add(db, &query, Selection::all(), &mut steps);
        };
        let (mut first, mut size) = (1u32, 1024u32);
        while first <= games {
            if steps.report(u64::from(first) - 1).is_break() {
                return Err(CANCELLED.into());
            }
            let begin = Instant::now();
            let last = first.saturating_add(size - 1).min(games);
            self.add(db, &query, (first..=last).into(), &mut steps)?;
            size = if begin.elapsed() < SHORT {
                size.saturating_mul(2)
            } else {
                (size / 2).max(64)
            };
            let Some(next) = last.checked_add(1) else {
                break;
            };
            first = next;
        }
        Ok(())
    }

    /// Adds all games, which an empty query matches, without reading them.
    fn add_all(&mut self, games: u32) {
        self.numbers
            .iter_mut()
            .zip(1..=games)
            .for_each(|(place, number)| *place = number);
        self.matches = games.into();
    }

    /// Adds the matches among these games.
    fn add(
        &mut self,
        db: &Database,
        query: &Arc<Query>,
        selection: Selection,
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        let scan = db.scan().filter(Arc::clone(query)).select(selection);
        let is_stream = db.is_stream();
        let mut is_cancelled = false;
        let diagnostics = scan.numbers().for_each(|game, read| {
            match read {
                Ok(()) => {
                    let place = usize::try_from(self.matches).ok();
                    if let Some(number) = place.and_then(|place| self.numbers.get_mut(place)) {
                        *number = game.number();
                    }
                    self.matches += 1;
                }
                Err(error) => {
                    self.unread += 1;
                    self.message.get_or_insert_with(|| error.to_string());
                }
            }
            // A stream cannot be read in steps; its games have no numbers.
            if is_stream && steps.report(game.number().into()).is_break() {
                is_cancelled = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        if is_cancelled {
            return Err(CANCELLED.into());
        }
        let mut lost = diagnostics.iter();
        if let Some(lost) = lost.find(|diagnostic| diagnostic.severity == Severity::Lost) {
            self.message.get_or_insert_with(|| lost.to_string());
        }
        Ok(())
    }
}
