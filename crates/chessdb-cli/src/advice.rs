//! Advice about a query that matches nothing, or few games.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chessdb::query::advice::{Advice, Proposal, ProposalKind};
use chessdb::query::{Needs, Query};
use chessdb::{Database, Selection};

use crate::exit::note;

/// The time to look for advice after any search.
const LEAST_TIME: Duration = Duration::from_millis(5);

/// The part of the time of a search that looking for advice may take, for one without an index.
const PART_OF_SEARCH: u32 = 10;

/// The number of games up to which all headers are read.
const FEW_GAMES: u32 = 2_000;

/// The number of games up to which advice takes no noticeable time.
const FEWEST_GAMES: u32 = 500;

/// The number of games of a query up to which names that are spelled almost alike are looked for.
const FEW_MATCHES: u64 = 10;

/// The number of games that are counted between two looks at the clock.
const GAMES_AT_ONCE: u32 = 1 << 16;

/// The number of names in a sentence.
const SHOWN_NAMES: usize = 3;

/// Advice about a query that matches nothing, or few games, in one or more databases.
#[derive(Default)]
pub(crate) struct SearchAdvice {
    advice: Option<Advice>,
    /// The proposals with their numbers of games, for the only database.
    counted: Option<Vec<Proposal>>,
    spent: Duration,
}

/// A time limit. `None` for a database so small that its advice need not depend on the clock.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    fn has_time(self) -> bool {
        self.0.is_none_or(|end| Instant::now() < end)
    }
}

impl SearchAdvice {
    /// Prints advice about a query that matches nothing in the only database.
    pub(crate) fn print(query: &Query, db: &Database, searched: Duration) {
        let mut advice = SearchAdvice::default();
        advice.look(query, db, 0, searched, true);
        advice.say(0);
    }

    /// Looks for advice in a database after a search that took `searched` and found `matches` games
    /// so far. `is_only` states whether it is the only database.
    pub(crate) fn look(
        &mut self,
        query: &Query,
        db: &Database,
        matches: u64,
        searched: Duration,
        is_only: bool,
    ) {
        // The search has used up a stream.
        let is_stream = db.path().is_none_or(|path| path.as_os_str() == "-");
        let is_rare = is_only && (1..=FEW_MATCHES).contains(&matches);
        if is_stream || query.is_empty() || matches > 0 && !is_rare {
            return;
        }
        let advice = self.advice.get_or_insert_with(|| {
            if is_rare { query.advice().with_rare_names() } else { query.advice() }
        });
        if advice.is_empty() || is_rare && !advice.searches_names() {
            return;
        }
        // In proportion to the search, so that advice neither delays a quick command nor is scanty
        // after a slow one.
        let limit = LEAST_TIME.max(searched / PART_OF_SEARCH);
        let start = Instant::now();
        // The limit is for all databases together, so the time spent on earlier ones counts.
        let end = start + limit.saturating_sub(self.spent);
        let is_small = db.len().is_ok_and(|games| games <= FEW_GAMES);
        let has_tables = !db.info().names.is_empty();
        let has_few_headers = is_small || !has_tables;
        let games = if has_few_headers { read_headers(advice, db, end) } else { None };
        // A small text is read as a stream. Its length is known only now.
        let is_tiny = games.is_some_and(|games| games <= FEWEST_GAMES);
        let deadline = Deadline((!is_tiny).then_some(end));
        let is_whole = games.is_some();
        if !is_whole {
            // Counts of a part of the games would mislead. The name tables at least have every
            // name.
            advice.forget_counts();
            advice.add_names(db.info(), || deadline.has_time());
        }
        if is_only {
            let mut proposals = advice.proposals();
            if is_rare {
                // Like the number of matches, these numbers count games of the whole query.
                proposals.iter_mut().for_each(|one| one.games = None);
            }
            self.counted = Some(if is_whole && !is_rare {
                shortened(proposals)
            } else {
                with_counts(proposals, |query| count(query, db, deadline, is_whole))
            });
        }
        self.spent += start.elapsed();
    }

    /// Prints the advice on standard error, after searches that found `matches` games.
    pub(crate) fn say(self, matches: u64) {
        let Some(advice) = &self.advice else { return };
        let proposals = self
            .counted
            .unwrap_or_else(|| shortened(without_unknown(advice.proposals())));
        let sentences = match matches {
            0 => Advice::sentences_of(&proposals),
            1..=FEW_MATCHES => Advice::rare_sentences(&proposals, matches),
            _ => Vec::new(),
        };
        for sentence in sentences {
            note(format_args!("chessdb: {sentence}"));
        }
    }
}

/// Reads the headers of all games and returns their number. Returns `None` if there was no time for
/// all.
fn read_headers(advice: &mut Advice, db: &Database, end: Instant) -> Option<u32> {
    let (mut games, mut has_time) = (0, true);
    // An error was reported when the games were searched.
    let read = db.scan().headers().for_each(|game, _| {
        advice.add(game);
        games += 1;
        has_time = games <= FEWEST_GAMES || Instant::now() < end;
        if has_time { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    (has_time && read.is_ok()).then_some(games)
}

/// Counts the games of each proposal, as far as there is time. Those without games are left out.
fn with_counts(proposals: Vec<Proposal>, count: impl Fn(&str) -> Option<u64>) -> Vec<Proposal> {
    let counted = proposals.into_iter().map(|mut proposal| {
        proposal.games = match proposal.games {
            None => count(&proposal.query),
            games => games,
        };
        proposal
    });
    let mut counted = without_unknown(counted.filter(|one| one.games != Some(0)).collect());
    // Spellings of one term must be adjacent: `shortened` counts runs of equal terms.
    let rank = |one: &Proposal| match one.kind {
        ProposalKind::Spelling => (0, one.term.clone(), std::cmp::Reverse(one.games)),
        ProposalKind::Meaning => (1, String::new(), std::cmp::Reverse(one.games)),
        _ => (2, String::new(), std::cmp::Reverse(one.games)),
    };
    counted.sort_by_cached_key(rank);
    shortened(counted)
}

/// Leaves out the proposals that are useless without a number.
fn without_unknown(proposals: Vec<Proposal>) -> Vec<Proposal> {
    let is_useful = |one: &Proposal| match one.kind {
        ProposalKind::Spelling => true,
        ProposalKind::Meaning => one.games.is_some() || one.needs_moves(),
        _ => one.games.is_some(),
    };
    proposals.into_iter().filter(is_useful).collect()
}

/// Leaves out all except the first names for each term.
fn shortened(mut proposals: Vec<Proposal>) -> Vec<Proposal> {
    let mut last = (String::new(), 0);
    proposals.retain(|one| {
        if one.kind != ProposalKind::Spelling {
            return true;
        }
        if last.0 != one.term {
            last = (one.term.clone(), 0);
        }
        last.1 += 1;
        last.1 <= SHOWN_NAMES
    });
    proposals
}

/// Returns the number of games of a query about headers. `None` if there is no time to count them,
/// or if they depend on moves. `is_small` states whether all headers can be read in the time.
fn count(query: &str, db: &Database, deadline: Deadline, is_small: bool) -> Option<u64> {
    let query: Query = query.parse().ok()?;
    if query.needs() != Needs::Header {
        return None;
    }
    let query = Arc::new(query);
    let len = match db.len() {
        Ok(len) => len,
        // A stream is read as a whole.
        Err(_) if is_small => GAMES_AT_ONCE,
        Err(_) => return None,
    };
    let mut games = 0;
    let mut first = 1;
    while first <= len {
        if !deadline.has_time() {
            return None;
        }
        let last = first.saturating_add(GAMES_AT_ONCE - 1).min(len);
        let scan = db.scan().select(Selection::from(first..=last));
        let counted = scan.numbers().filter(Arc::clone(&query)).for_each(|_, _| {
            games += 1;
            ControlFlow::Continue(())
        });
        counted.ok()?;
        first = last.checked_add(1)?;
    }
    Some(games)
}
