//! Whether what a writer announced as lost is what two readings of a game, before and after, show to
//! be lost: the one judge of all conversions.
//!
//! Each [`Seen`] names the kinds of loss that can be behind one difference. A writer is honest if
//! every difference has a kind that it announced, and every kind that it announced has a difference
//! ([`judge`]). Nothing here knows a format.

pub mod base;
pub mod game;
mod tape;

use std::collections::BTreeMap;
use std::fmt;

use chessdb_core::{Extra, Game, LossKind, Losses};

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// What differs, with both values.
    pub what: String,
    /// The kinds of loss that it can be.
    pub kinds: Vec<LossKind>,
    /// Why it may be there without any of them; otherwise it must be announced.
    pub excuse: Option<&'static str>,
}

/// Differences that are no loss, with the reason (docs/roundtrip.md lists them).
pub mod excuse {
    /// PGN demands seven tags and writes `?` for what is not known.
    pub const UNKNOWN: &str = "no value, an empty one and `?` all say that a field is not known";
    /// A FEN of the usual start position says nothing that its absence does not say.
    pub const START: &str = "the usual start position may be spelled out or not";
    /// Formats with fields of their own for a typed value spell it in their own way.
    pub const SPELLING: &str = "another spelling of a start position or of what a typed field says";
    /// Tags that PGN demands beside a FEN.
    pub const REPEATED: &str = "the tags `SetUp` and `Variant` repeat what the start position says";
    /// The order of what is left of two sorts of notes says little where one of them has changed.
    pub const ORDER: &str = "the order of NAGs and comments at a move, where one of them changed";
    /// Every command is still there, as such or as text.
    pub const COMMANDS: &str = "commands of comments (clocks, evaluations, shapes) that are text of the comment elsewhere, or the other way round";
    /// All of them.
    pub const ALL: [&str; 6] = [UNKNOWN, START, SPELLING, REPEATED, ORDER, COMMANDS];
}

/// The differences of one game, `before` and `after`.
pub(crate) struct Differences {
    pub(crate) seen: Vec<Seen>,
}

impl Differences {
    pub(crate) fn add(&mut self, what: String, kinds: &[LossKind]) {
        self.seen.push(Seen {
            what,
            kinds: kinds.to_vec(),
            excuse: None,
        });
    }

    pub(crate) fn excused(&mut self, what: String, kinds: &[LossKind], excuse: &'static str) {
        self.seen.push(Seen {
            what,
            kinds: kinds.to_vec(),
            excuse: Some(excuse),
        });
    }
}

/// What only one format understands may appear, but not vanish.
pub(crate) fn extras(before: &[Extra], after: &[Extra], kind: LossKind, found: &mut Differences) {
    let mut after: Vec<_> = after.iter().collect();
    for extra in before {
        match after.iter().position(|other| *other == extra) {
            Some(at) => drop(after.swap_remove(at)),
            None => found.add(format!("extra {} {}", extra.format, extra.field), &[kind]),
        }
    }
}
/// What is wrong with one announcement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// Something is missing or changed, and no announced kind covers it.
    NotAnnounced(String),
    /// A kind was announced of which nothing can be seen.
    DidNotHappen(LossKind),
    /// A base cannot be opened, read or written, or has another number of games.
    Failed(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NotAnnounced(what) => write!(f, "not announced: {what}"),
            Problem::DidNotHappen(kind) => {
                write!(f, "announced, but did not happen: {}", kind.code())
            }
            Problem::Failed(what) => f.write_str(what),
        }
    }
}

/// How often each excuse was needed.
pub type Excused = BTreeMap<&'static str, u64>;

/// Holds differences against announced losses, both ways.
pub fn judge(seen: &[Seen], announced: &Losses, excused: &mut Excused) -> Vec<Problem> {
    let covered = |seen: &Seen| seen.kinds.iter().any(|&kind| announced.count(kind) > 0);
    let mut problems = Vec::new();
    for difference in seen.iter().filter(|seen| !covered(seen)) {
        match difference.excuse {
            Some(excuse) => *excused.entry(excuse).or_default() += 1,
            None => {
                let kinds: Vec<_> = announced.iter().map(|loss| loss.kind.code()).collect();
                let what = format!("{} (announced: {})", difference.what, kinds.join(", "));
                problems.push(Problem::NotAnnounced(what));
            }
        }
    }
    for loss in announced {
        if !seen.iter().any(|seen| seen.kinds.contains(&loss.kind)) {
            problems.push(Problem::DidNotHappen(loss.kind));
        }
    }
    problems
}

/// Holds a game that came back against what was announced on its way.
pub fn games(before: &Game, after: &Game, announced: &Losses) -> Vec<Problem> {
    judge(
        &game::compare(before, after),
        announced,
        &mut Excused::new(),
    )
}

#[cfg(test)]
mod tests {
    use chessdb_core::{
        BaseInfo, Charset, Eco, EcoSub, Limits, NameRecord, NameRole, NameTable, PackedMove, TextId,
    };

    use super::*;

    fn sample() -> Game {
        let mut game = Game::new();
        game.head.eco = Some(Eco {
            code: 220,
            sub: EcoSub::None,
        });
        let mut tape = game.moves.builder(&Limits::default());
        tape.mv(PackedMove::NULL).unwrap();
        tape.finish();
        game
    }

    fn problems(change: impl FnOnce(&mut Game), announced: &[LossKind]) -> Vec<Problem> {
        let before = sample();
        let mut after = before.clone();
        change(&mut after);
        let mut losses = Losses::new();
        for &kind in announced {
            losses.add(kind, None);
        }
        games(&before, &after, &losses)
    }

    #[test]
    fn what_is_missing_must_be_announced_and_what_is_announced_must_be_missing() {
        let no_eco = |game: &mut Game| game.head.eco = None;
        let no_moves = |game: &mut Game| game.moves.clear();
        assert_eq!(problems(|_| (), &[]), []);
        assert_eq!(problems(no_eco, &[LossKind::Eco]), []);
        assert_eq!(problems(no_moves, &[LossKind::MovesCut]), []);
        for silent in [problems(no_eco, &[]), problems(no_moves, &[])] {
            assert!(
                matches!(silent[..], [Problem::NotAnnounced(_)]),
                "{silent:?}"
            );
        }
        let wrong = problems(no_eco, &[LossKind::Date]);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        let invented = problems(|_| (), &[LossKind::Nag]);
        assert_eq!(invented, [Problem::DidNotHappen(LossKind::Nag)]);
    }

    #[test]
    fn letters_that_became_question_marks_are_seen() {
        let mut before = sample();
        let mut after = before.clone();
        before.head.event.text = before.add_text("?");
        before.head.site.text = before.add_text("\u{429}\u{443}\u{43a}");
        after.head.event.text = after.add_text("???");
        let mut losses = Losses::new();
        losses.add(LossKind::SiteMerged, None);
        losses.add(LossKind::NameText, None);
        assert_eq!(games(&before, &after, &losses), []);
        // A field that is not known is one, however it is spelled.
        before.head.site.text = TextId::NONE;
        after.head.event.text = after.add_text("");
        assert_eq!(games(&before, &after, &Losses::new()), []);
    }

    #[test]
    fn a_name_is_used_by_what_it_names() {
        let mut before = BaseInfo::default();
        let text = before.texts.push(b"Nobody", Charset::UTF_8);
        let records = vec![NameRecord {
            key: 1,
            text,
            player: None,
        }];
        let role = NameRole::Player;
        before.names = vec![NameTable::new(role, records)];
        let found = |role| {
            let names = [(role, "Nobody".to_owned())].into();
            base::compare(&before, &BaseInfo::default(), &names).len()
        };
        assert_eq!(found(role), 0);
        assert_eq!(found(NameRole::Site), 1);
    }
}
