//! The check of announced losses for all conversions: compares the losses that a writer announced
//! with the differences between a game before and after.
//!
//! Each [`Difference`] lists the kinds of loss that can explain it. A writer is honest if every
//! difference has a kind that it announced, and every kind that it announced has a difference
//! ([`judge`]). Nothing here depends on a format.

use std::collections::BTreeMap;
use std::fmt;

use chessdb_core::compare::{self, Difference};
use chessdb_core::{Game, LossKind, Losses};

/// A problem with an announcement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// Something is missing or changed, and no announced kind covers it.
    NotAnnounced(String),
    /// A kind was announced without a visible difference.
    DidNotHappen(LossKind),
    /// A database cannot be opened, read or written, or has another number of games.
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

/// The number of times each excuse was needed.
pub type Excused = BTreeMap<&'static str, u64>;

/// Compares differences with announced losses in both directions.
pub fn judge(seen: &[Difference], announced: &Losses, excused: &mut Excused) -> Vec<Problem> {
    let covered = |seen: &Difference| seen.kinds.iter().any(|&kind| announced.count(kind) > 0);
    let mut problems = Vec::new();
    for difference in seen.iter().filter(|seen| !covered(seen)) {
        match difference.excuse {
            Some(excuse) if excuse != compare::excuse::LAYOUT => {
                *excused.entry(excuse).or_default() += 1
            }
            _ => {
                let kinds: Vec<_> = announced.iter().map(|loss| loss.kind.code()).collect();
                let what = format!("{} (announced: {})", difference, kinds.join(", "));
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

/// Compares a converted game with the announced losses.
pub fn games(before: &Game, after: &Game, announced: &Losses) -> Vec<Problem> {
    judge(
        &compare::games(before, after),
        announced,
        &mut Excused::new(),
    )
}

#[cfg(test)]
mod tests {
    use chessdb_core::limits::Limits;
    use chessdb_core::model::{Eco, EcoSub, NameRecord, NameRole, NameTable};
    use chessdb_core::text::TextId;
    use chessdb_core::{BaseInfo, Charset, PackedMove};

    use super::*;

    fn sample() -> Game {
        let mut game = Game::new();
        game.header.eco = Some(Eco {
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
    fn announced_losses_equal_missing_parts() {
        let no_eco = |game: &mut Game| game.header.eco = None;
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
    fn letters_replaced_by_question_marks_are_detected() {
        let mut before = sample();
        let mut after = before.clone();
        before.header.event.text = before.add_text("?");
        before.header.site.text = before.add_text("\u{429}\u{443}\u{43a}");
        after.header.event.text = after.add_text("???");
        let mut losses = Losses::new();
        losses.add(LossKind::SiteMerged, None);
        losses.add(LossKind::NameText, None);
        assert_eq!(games(&before, &after, &losses), []);
        // An unknown field is the same in every spelling.
        before.header.site.text = TextId::NONE;
        after.header.event.text = after.add_text("");
        assert_eq!(games(&before, &after, &Losses::new()), []);
    }

    #[test]
    fn name_uses_are_counted_by_role() {
        let mut before = BaseInfo::default();
        let text = before.texts.push(b"Nobody", Charset::UTF_8);
        let records = vec![NameRecord {
            key: 1,
            text,
            player: None,
        }];
        let role = NameRole::Player;
        before.names = vec![NameTable::new(role, records)];
        let count_uses = |role| {
            let names = [(role, "Nobody".to_owned())].into();
            compare::bases(&before, &BaseInfo::default(), &names).len()
        };
        assert_eq!(count_uses(role), 0);
        assert_eq!(count_uses(NameRole::Site), 1);
    }
}
