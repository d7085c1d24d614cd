//! Tests of reading with several threads.

use chessdb_core::model::{Rating, RatingKind};
use chessdb_core::search::{HeaderColumnSet, HeaderColumns, SearchIndex};
use chessdb_core::store::Opened;
use chessdb_core::{Diagnostic, ErrorKind, GameRead, Severity};

use super::*;
use crate::Selection;
use crate::reading::Source;
use crate::scan::read_in_order as read;

/// A source with known game numbers and White's rating in the header columns. Every 100th game is
/// unreadable, every 70th is huge.
struct Counting {
    len: u32,
    opened: Opened,
    next: u32,
    breaks_at: u32,
    /// Whether a system error occurs instead of damage.
    disk_fails: bool,
    panics_at: u32,
    /// Whether portions can be cut off the stream.
    cuts: bool,
}

fn counting(len: u32) -> Counting {
    Counting {
        len,
        opened: Opened::default(),
        next: 0,
        breaks_at: u32::MAX,
        disk_fails: false,
        panics_at: u32::MAX,
        cuts: false,
    }
}

/// White's rating.
fn points(n: u32) -> u16 {
    (n % 3000) as u16
}

impl SearchIndex for Counting {
    fn header_columns(&self, first: u32, _: HeaderColumnSet, into: &mut HeaderColumns) -> bool {
        let [whites, _] = &mut into.ratings;
        for (points_of, n) in whites.iter_mut().zip(first..) {
            *points_of = points(n);
        }
        true
    }
    fn has_clean_header(&self, n: u32) -> bool {
        n % 100 != 99
    }
}

impl GameStore for Counting {
    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }
    fn len(&self) -> u32 {
        self.len
    }
    fn opened(&self) -> &Opened {
        &self.opened
    }
    fn header_into(
        &self,
        n: u32,
        game: &mut chessdb_core::Game,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<()> {
        self.game_into(n, game, scratch)
    }
    fn game_into(
        &self,
        n: u32,
        game: &mut chessdb_core::Game,
        _: &mut Scratch,
    ) -> chessdb_core::Result<()> {
        assert_ne!(n, self.panics_at, "killed on purpose");
        game.clear();
        game.header.white.fide_id = Some(n + 1);
        game.header.white.rating = Some(Rating {
            value: points(n),
            kind: RatingKind::Elo,
        });
        if n % 70 == 69 {
            game.add_text(&"x".repeat(BATCH_BYTES));
        }
        if n % 100 == 99 {
            Err(ErrorKind::Structure("unreadable").into())
        } else {
            Ok(())
        }
    }
}

impl GameRead for Counting {
    fn read_into(
        &mut self,
        game: &mut chessdb_core::Game,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<bool> {
        if self.next == self.len {
            return Ok(false);
        }
        if self.next == self.breaks_at {
            return Err(if self.disk_fails {
                std::io::Error::from_raw_os_error(5).into()
            } else {
                std::io::Error::other("damaged").into()
            });
        }
        self.next += 1;
        self.game_into(self.next - 1, game, scratch).map(|()| true)
    }
    fn skip_game(&mut self) -> chessdb_core::Result<bool> {
        self.next += 1;
        Ok(self.next <= self.len)
    }
    fn cut(&mut self) -> chessdb_core::Result<Option<Portion>> {
        // Every third time there are games that only the stream itself can read.
        let end = (self.next + 37).min(self.len).min(self.breaks_at);
        if !self.cuts || self.next % 3 == 2 || self.next >= end {
            return Ok(None);
        }
        let games = Box::new(Counting {
            next: self.next,
            panics_at: self.panics_at,
            ..counting(end)
        });
        let len = end - std::mem::replace(&mut self.next, end);
        Ok(Some(Portion { games, len }))
    }
}

fn request(list: &str, jobs: usize) -> ScanRequest {
    ScanRequest {
        selection: list.parse().unwrap(),
        jobs,
        ..ScanRequest::default()
    }
}

type Seen = Vec<(u32, bool)>;

/// Returns the games passed on: numbers, and whether the game could be read.
fn seen(source: Source<'_>, request: &ScanRequest, most: usize) -> Seen {
    let mut seen = Vec::new();
    let mut visit = |slot: &mut GameSlot| {
        assert_eq!(slot.game.header.white.fide_id, Some(slot.game.number()));
        seen.push((slot.game.number(), slot.error.is_none()));
        if seen.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    read(source, request, &mut visit).unwrap();
    seen
}

/// Like [`seen`], with pairs mapped on the reader threads.
fn mapped(source: Source<'_>, request: &ScanRequest, most: usize) -> Seen {
    let mut seen = Vec::new();
    let map = |slot: &mut GameSlot| (slot.game.number(), slot.error.is_none());
    let mut take = |pair| {
        seen.push(pair);
        if seen.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let games = RequestedGames::new(source, request);
    map_in_order(games, request, &map, &mut take).unwrap();
    seen
}

#[test]
fn order_and_content_do_not_depend_on_the_number_of_threads() {
    let len = 1000;
    let store = counting(len);
    for list in ["1-", "1", "2-3,500-700,999-2000", "1001-"] {
        for most in [usize::MAX, 1, 65, 200] {
            let expected = seen(Source::Store(&store), &request(list, 1), most);
            for jobs in [1, 2, 3, 16] {
                let request = request(list, jobs);
                for read in [seen, mapped] {
                    let stored = read(Source::Store(&store), &request, most);
                    assert_eq!(stored, expected, "{jobs} threads, {list}, {most}");
                    for cuts in [false, true] {
                        let mut stream = counting(len);
                        stream.cuts = cuts;
                        let streamed = read(Source::Stream(Box::new(stream)), &request, most);
                        assert_eq!(streamed, expected, "{jobs} threads, {cuts}, {list}, {most}");
                    }
                }
            }
        }
    }
    let all: Selection = "1-".parse().unwrap();
    assert_eq!(all.count_in(len), len);
}

#[test]
fn games_that_heads_decide_of_are_found_by_any_number_of_threads() {
    let base = counting(250_000);
    let query: chessdb_query::Query = "whiteelo:1090..1110".parse().unwrap();
    for (list, numbers_only) in [("1-", true), ("1-", false), ("3-7,4001-9999,100001-", true)] {
        let selection: Selection = list.parse().unwrap();
        let matches_request =
            |n: &u32| selection.contains(n + 1) && (1090..=1110).contains(&points(*n));
        let expected: Vec<u32> = (0..base.len).filter(matches_request).collect();
        for jobs in [1, 2, 3, 16] {
            for most in [expected.len(), 5] {
                let mut request = request(list, jobs);
                request.query = Some(query.clone().into());
                request.prefilter = query.prefilter(&base.opened.base, false).map(Into::into);
                (request.headers_only, request.numbers_only) = (true, numbers_only);
                let mut found = Vec::new();
                let result = read(Source::Store(&base), &request, &mut |slot| {
                    assert_eq!(slot.error.is_some(), slot.game.index() % 100 == 99);
                    found.push(slot.game.index());
                    if found.len() < most {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
                assert!(result.unwrap().is_empty());
                assert_eq!(found, expected[..most], "{jobs} threads, {list}, {most}");
            }
        }
    }
}

#[test]
fn a_stream_that_breaks_gives_what_came_before() {
    for (jobs, disk) in [(1, true), (4, true), (1, false), (4, false)] {
        let mut stream = counting(1000);
        stream.breaks_at = 321;
        stream.cuts = disk;
        stream.disk_fails = disk;
        let mut count = 0;
        let source = Source::Stream(Box::new(stream));
        let result = read(source, &request("1-", jobs), &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        match result {
            Err(_) => assert!(disk),
            Ok(found) => assert!(!disk && found[0].severity == Severity::Lost),
        }
        assert_eq!(count, 321);
    }
}

/// Returns the message of a thread that panicked.
fn panic_of(result: Result<Vec<Diagnostic>>) -> String {
    let error = result.expect_err("a panic is no end");
    assert!(matches!(error.problem(), Problem::Panicked(_)), "{error}");
    error.to_string()
}

#[test]
fn a_thread_that_panics_is_an_error_and_not_the_end() {
    let killed = || Counting {
        panics_at: 260,
        ..counting(1000)
    };
    for jobs in [2, 3, 8] {
        let request = request("1-", jobs);
        let store = killed();
        for (streamed, cuts) in [(false, false), (true, false), (true, true)] {
            let source = || {
                if streamed {
                    Source::Stream(Box::new(Counting { cuts, ..killed() }))
                } else {
                    Source::Store(&store)
                }
            };
            let mut games = 0;
            let result = read(source(), &request, &mut |_| {
                games += 1;
                ControlFlow::Continue(())
            });
            assert!(panic_of(result).contains("killed on purpose"));
            assert!(games <= 260, "{games}");
            let mut taken = 0;
            let games = RequestedGames::new(source(), &request);
            let result = map_in_order(games, &request, &|_| (), &mut |()| {
                taken += 1;
                ControlFlow::Continue(())
            });
            assert!(panic_of(result).contains("killed on purpose"));
            assert!(taken <= 260, "{taken}");
        }
    }
}

#[test]
fn what_is_made_of_a_game_may_panic_too() {
    for jobs in [1, 2, 5] {
        let store = counting(500);
        for (streamed, cuts) in [(false, false), (true, false), (true, true)] {
            let source = if streamed {
                Source::Stream(Box::new(Counting {
                    cuts,
                    ..counting(500)
                }))
            } else {
                Source::Store(&store)
            };
            let map = |slot: &mut GameSlot| assert_ne!(slot.game.number(), 200, "not this one");
            let request = request("1-", jobs);
            let games = RequestedGames::new(source, &request);
            let result = map_in_order(games, &request, &map, &mut |()| ControlFlow::Continue(()));
            assert!(panic_of(result).contains("not this one"));
        }
    }
}
