//! Numbers at random from a seed: the same seed gives the same numbers.

/// A source of numbers.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A source of its own for one purpose: what others draw does not change it.
    pub(super) fn fork(&self, purpose: u64) -> Self {
        let mut dice = Self(self.0 ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let _first = dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    /// Whether one of so many comes up.
    pub(super) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of these.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A text in one to three pieces that are not empty.
    pub(super) fn split(&mut self, text: &str) -> Vec<String> {
        let mut pieces = vec![text.to_owned()];
        for _ in 0..self.below(3) {
            let last = pieces.pop().unwrap_or_default();
            if last.len() < 2 {
                pieces.push(last);
                break;
            }
            let at = 1 + self.below(last.len() - 1);
            let (one, other) = last.split_at(at);
            pieces.extend([one.to_owned(), other.to_owned()]);
        }
        pieces
    }
}
