//! A sample of the annotations of a game, by which two copies are compared.

use chessdb_core::{Event, Game};

use crate::evidence::hash;

/// The number of hashes in a sample.
const MOST: usize = 16;

/// The number of annotations, and the smallest hashes of them: texts, symbols and moves of
/// variations with their places. Clocks, evaluations and drawings count as one of each kind.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct AnnotationSample {
    pub(crate) count: u32,
    /// Sorted, each once.
    sample: Box<[u32]>,
}

impl AnnotationSample {
    pub(crate) fn from_game(game: &Game) -> AnnotationSample {
        // A plain list of moves has no annotations.
        if game.moves.plain_facts().is_some() {
            return AnnotationSample::default();
        }
        let (mut count, mut ply, mut depth) = (0_u32, 0_u32, 0_u32);
        let mut sample: Vec<u32> = Vec::new();
        let mut add = |hash: u64| {
            let short = hash as u32;
            if let Err(place) = sample.binary_search(&short) {
                // The smallest hashes of two copies are those of the same annotations.
                sample.insert(place, short);
                sample.truncate(MOST);
            }
        };
        for event in game.events() {
            match event {
                Event::Move(mv) => {
                    ply += 1;
                    if depth > 0 {
                        add(hash(&("move", mv)));
                    }
                    continue;
                }
                Event::Close => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Event::Open(_) => depth += 1,
                Event::Comment(_, text) if text.is_empty() => continue,
                Event::Comment(_, text) => add(hash(&("comment", text.as_bytes()))),
                Event::Nag(nag) => add(hash(&("symbol", nag, if depth == 0 { ply } else { 0 }))),
                Event::Clock(_) => add(hash(&"clock")),
                Event::Eval(_) => add(hash(&"evaluation")),
                Event::Shapes(_) => add(hash(&"drawing")),
                _ => continue,
            }
            count += 1;
        }
        AnnotationSample {
            count,
            sample: sample.into_boxed_slice(),
        }
    }

    /// Returns the number of annotations and the sample, as [`AnnotationSample::from_parts`] takes
    /// them.
    pub(crate) fn parts(&self) -> (u32, &[u32]) {
        (self.count, &self.sample)
    }

    pub(crate) fn from_parts(count: u32, sample: Box<[u32]>) -> AnnotationSample {
        AnnotationSample { count, sample }
    }

    /// Returns whether there are annotations that other ones seem to lack.
    pub(crate) fn go_beyond(&self, other: &AnnotationSample) -> bool {
        let is_full = other.sample.len() == MOST;
        // A greater hash may only be missing in the sample.
        let greatest = other.sample.last().copied().filter(|_| is_full);
        let is_lacking = |hash: &u32| {
            let is_sampled = greatest.is_none_or(|greatest| *hash < greatest);
            is_sampled && other.sample.binary_search(hash).is_err()
        };
        self.count > other.count || self.sample.iter().any(is_lacking)
    }
}
