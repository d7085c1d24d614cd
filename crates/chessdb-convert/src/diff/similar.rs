//! Pairing of games that have no equal game, by their similarity.

use std::collections::VecDeque;

use chessdb_files::error::Result;

use super::content::PAIRED;
use super::keys::SimilarityKeys;
use super::reading::{Databases, ReadResult, Side, select};

/// The games that are reported, by their indexes: ascending, pairs by the left game.
#[derive(Default)]
pub(super) struct SimilarPairs {
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) only_left: Vec<u32>,
    pub(super) only_right: Vec<u32>,
}

/// Pairs games with the same header and moves, then with the same header, then with the same moves,
/// then, with `by_order`, the rest with the game at the same place. Among several candidates the
/// game at the same place comes first, then they are taken in their order.
pub(super) fn find_similar(
    databases: &Databases<'_>,
    [only_left, only_right]: [Vec<u32>; 2],
    by_order: bool,
) -> Result<SimilarPairs> {
    if only_left.is_empty() || only_right.is_empty() {
        let pairs = Vec::new();
        return Ok(SimilarPairs {
            pairs,
            only_left,
            only_right,
        });
    }
    let mut left = read_keys(databases.left(select(only_left.into_iter()))?)?;
    let mut right = read_keys(databases.right(select(only_right.into_iter()))?)?;
    let mut pairs = Vec::new();
    let mut paired = |left: &mut SimilarityKeys, right: &mut SimilarityKeys| {
        pairs.push((left.index, right.index));
        left.index = PAIRED;
        right.index = PAIRED;
    };
    let all_fit = |_: &SimilarityKeys| false;
    let both = |game: &SimilarityKeys| Some((game.header, game.moves));
    // The strongest evidence first: a weaker key pairs only what is left.
    pair_by_key(&mut left, &mut right, both, all_fit, &mut paired);
    let header = |game: &SimilarityKeys| game.is_named.then_some((game.header, 0));
    pair_by_key(&mut left, &mut right, header, all_fit, &mut paired);
    // Short games with different named players may be two games.
    let moves = |game: &SimilarityKeys| Some((game.moves, u64::from(game.is_long)));
    let needs_unnamed = |game: &SimilarityKeys| game.is_named && !game.is_long;
    pair_by_key(&mut left, &mut right, moves, needs_unnamed, &mut paired);
    if by_order {
        let index = |game: &SimilarityKeys| Some((game.index.into(), 0));
        pair_by_key(&mut left, &mut right, index, all_fit, &mut paired);
    }
    pairs.sort_unstable();
    let [only_left, only_right] = [left, right].map(|games| {
        let mut indexes: Vec<u32> = games.iter().map(|game| game.index).collect();
        indexes.sort_unstable();
        indexes
    });
    Ok(SimilarPairs {
        pairs,
        only_left,
        only_right,
    })
}

fn read_keys(mut side: Side<'_>) -> Result<Vec<SimilarityKeys>> {
    let mut keys = Vec::new();
    loop {
        match side.next()? {
            ReadResult::End => return Ok(keys),
            ReadResult::Game(game) => keys.push(SimilarityKeys::new(game.index(), game)),
            // It was readable before.
            ReadResult::Failed(error) => return Err(error),
        }
    }
}

/// Passes pairs of games with the same key to `paired` and removes them. Two games with
/// `needs_other` are never paired.
fn pair_by_key(
    left: &mut Vec<SimilarityKeys>,
    right: &mut Vec<SimilarityKeys>,
    key: impl Fn(&SimilarityKeys) -> Option<(u64, u64)>,
    needs_other: impl Fn(&SimilarityKeys) -> bool,
    paired: &mut impl FnMut(&mut SimilarityKeys, &mut SimilarityKeys),
) {
    for side in [&mut *left, &mut *right] {
        side.sort_unstable_by_key(|game| (key(game), game.index));
    }
    let same_key = |a: &SimilarityKeys, b: &SimilarityKeys| key(a) == key(b);
    let first_key = |group: &[SimilarityKeys]| group.first().and_then(&key);
    let mut others = right.chunk_by_mut(same_key).peekable();
    for group in left.chunk_by_mut(same_key) {
        let own = first_key(group);
        if own.is_none() {
            continue;
        }
        while others.next_if(|other| first_key(other) < own).is_some() {}
        if let Some(other) = others.next_if(|other| first_key(other) == own) {
            pair_group(group, other, &needs_other, paired);
        }
    }
    for side in [left, right] {
        side.retain(|game| game.index != PAIRED);
    }
}

/// Pairs games with the same key, which are in their order.
fn pair_group(
    left: &mut [SimilarityKeys],
    right: &mut [SimilarityKeys],
    needs_other: &impl Fn(&SimilarityKeys) -> bool,
    paired: &mut impl FnMut(&mut SimilarityKeys, &mut SimilarityKeys),
) {
    let mut others = right.iter_mut().peekable();
    for game in left.iter_mut() {
        while others.next_if(|other| other.index < game.index).is_some() {}
        let fits = |other: &&mut SimilarityKeys| {
            other.index == game.index && !(needs_other(game) && needs_other(other))
        };
        if let Some(other) = others.next_if(fits) {
            paired(game, other);
        }
    }
    // Places of the remaining games in `right`, separately for those that need another kind.
    let mut places = [VecDeque::new(), VecDeque::new()];
    for (place, other) in right.iter().enumerate() {
        if other.index != PAIRED {
            let [free, picky] = &mut places;
            let list = if needs_other(other) { picky } else { free };
            list.push_back(place);
        }
    }
    let [free, picky] = &mut places;
    for game in left.iter_mut().filter(|game| game.index != PAIRED) {
        let first = match (free.front(), picky.front()) {
            (Some(a), Some(b)) if a > b && !needs_other(game) => picky.pop_front(),
            (None, Some(_)) if !needs_other(game) => picky.pop_front(),
            _ => free.pop_front(),
        };
        if let Some(other) = first.and_then(|place| right.get_mut(place)) {
            paired(game, other);
        }
    }
}
