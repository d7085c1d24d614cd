//! A small random number generator. The same seed always gives the same numbers, which external
//! generators do not guarantee.

/// SplitMix64, optionally preceded by given bytes, so that a fuzzer can change the choices one by
/// one.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    given: Vec<u8>,
    taken: usize,
}

impl Rng {
    /// Creates a generator that depends only on the seed.
    pub fn new(seed: u64) -> Rng {
        Rng::with_bytes(seed, &[])
    }

    /// Creates a generator that uses these bytes first, and then the seed.
    pub fn with_bytes(seed: u64, bytes: &[u8]) -> Rng {
        Rng {
            state: seed,
            given: bytes.to_vec(),
            taken: 0,
        }
    }

    /// Returns any number.
    pub fn any(&mut self) -> u64 {
        if let Some(number) = self.take_given(8) {
            return number;
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // As few bytes as possible, so that a fuzzer that changes one of them changes one choice.
        let bytes = match limit {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 8,
        };
        if let Some(number) = self.take_given(bytes) {
            return (number % limit as u64) as usize;
        }
        (self.any() % limit as u64) as usize
    }

    /// Returns true with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns a number from the next given bytes, or from the remaining ones if there are fewer;
    /// `None` if there are none.
    fn take_given(&mut self, bytes: usize) -> Option<u64> {
        let rest = self
            .given
            .get(self.taken..)
            .filter(|rest| !rest.is_empty())?;
        let part = rest.get(..bytes).unwrap_or(rest);
        self.taken += part.len();
        let number = part
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte));
        Some(number)
    }

    /// Returns one of these; `from` must not be empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_repeat_with_their_seed() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.any(), 0xE220_A839_7B1D_CDAF);
        let mut given = Rng::with_bytes(0, &[7, 1, 2, 9]);
        assert_eq!([given.below(5), given.below(1000)], [2, 0x201]);
        assert_eq!((given.any(), given.any()), (9, 0xE220_A839_7B1D_CDAF));
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[rng.below(6)] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
    }
}
