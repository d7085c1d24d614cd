//! Whether what a writer announced is what happened.

use std::collections::BTreeMap;
use std::fmt;

use chessdb::{LossKind, Losses};

use crate::seen::Seen;

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

/// A breach of promise that is known and not mended yet.
#[derive(Debug)]
pub struct Known {
    /// How the id of source or target begins.
    pub format: &'static str,
    /// What the problem says.
    pub says: &'static str,
    /// What is wrong.
    pub reason: &'static str,
}

impl Known {
    /// Whether it is this problem of a pair of formats.
    pub fn fits(&self, source: &str, target: &str, problem: &str) -> bool {
        (source.starts_with(self.format) || target.starts_with(self.format))
            && problem.contains(self.says)
    }
}

/// Whether a problem is known.
pub fn is_known(source: &str, target: &str, problem: &str) -> bool {
    KNOWN
        .iter()
        .any(|entry| entry.fits(source, target, problem))
}

/// All of them; an entry that fits nothing any more is a problem itself.
pub const KNOWN: &[Known] = &[];

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

#[cfg(test)]
mod tests {
    use chessdb::{Game, LossKind, Losses};

    use super::*;
    use crate::game;

    fn problems(change: impl FnOnce(&mut Game), announced: &[LossKind]) -> Vec<Problem> {
        let before = crate::made::model().games.swap_remove(0);
        let mut after = before.clone();
        change(&mut after);
        let mut losses = Losses::new();
        for &kind in announced {
            losses.add(kind, None);
        }
        judge(
            &game::compare(&before, &after),
            &losses,
            &mut Excused::new(),
        )
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
        let mut before = crate::made::model().games.swap_remove(0);
        let mut after = before.clone();
        before.head.event.text = before.add_text("?");
        before.head.site.text = before.add_text("\u{429}\u{443}\u{43a}");
        after.head.event.text = after.add_text("???");
        after.head.site.text = chessdb::TextId::NONE;
        let mut losses = Losses::new();
        losses.add(LossKind::SiteMerged, None);
        losses.add(LossKind::NameText, None);
        let seen = game::compare(&before, &after);
        assert_eq!(judge(&seen, &losses, &mut Excused::new()), []);
        // A field that is not known is one, however it is spelled.
        before.head.site.text = chessdb::TextId::NONE;
        after.head.event.text = after.add_text("");
        let seen = game::compare(&before, &after);
        assert_eq!(judge(&seen, &Losses::new(), &mut Excused::new()), []);
    }

    #[test]
    fn a_name_is_used_by_what_it_names() {
        let base = crate::made::model().base;
        let table = base.names.first().unwrap();
        let record = table.records.last().unwrap();
        let name = base.texts.get(record.text).decode().into_owned();
        let found = |role| {
            let names = [(role, name.clone())].into();
            let seen = crate::base::compare(&base, &Default::default(), &names);
            let lost = seen
                .iter()
                .filter(|seen| seen.what.contains("without games"));
            lost.filter(|seen| seen.what.contains(&name)).count()
        };
        assert_eq!(found(table.role), 0);
        assert_eq!(found(chessdb::NameRole::Site), 1);
    }
}
