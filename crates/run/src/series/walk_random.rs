//! The random choices of a walk: `SplitMix64` of Steele, Lea and Flood.
//!
//! **Invariant:** the same seed gives the same numbers, in every version and on every machine.

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct WalkRandom(u64);

/// The constant that is added with each number.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl WalkRandom {
    /// The choices of the walk `number`, counted from 1.
    pub fn of_walk(seed: u64, number: u32) -> Self {
        let mut seeds = Self(seed.wrapping_add(GAMMA.wrapping_mul(number.into())));
        Self(seeds.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..count`, each as likely as the others; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u128::try_from(count).unwrap_or(u128::MAX);
        usize::try_from((u128::from(self.next()) * count) >> 64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_split_mix() {
        let mut random = WalkRandom(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn every_choice_is_made_about_as_often() {
        let mut counts = [0_u32; 3];
        for walk in 1..=300 {
            let mut random = WalkRandom::of_walk(7, walk);
            (0..10).for_each(|_| counts[random.below(3)] += 1);
        }
        assert!(
            counts.iter().all(|count| (900..1100).contains(count)),
            "{counts:?}"
        );
        assert_eq!(WalkRandom::of_walk(7, 1).below(0), 0);
    }
}
