//! The stability of a test, in a word, by its pass rate (SPEC 11).

use schemars::JsonSchema;
use serde::Serialize;

use super::Percentage;

/// How stable a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Stability")]
pub enum StabilityClass {
    /// All runs passed.
    Stable,
    /// At least 80 % passed.
    MostlyStable,
    /// At least 50 % passed.
    Unstable,
    /// Less than 50 % passed.
    HighlyUnstable,
}

impl StabilityClass {
    /// The class of a test of which `passed` of `runs` runs passed.
    pub fn of(passed: u32, runs: u32) -> Self {
        match () {
            () if passed >= runs => Self::Stable,
            () if Percentage::whole(80).is_reached_by(passed, runs) => Self::MostlyStable,
            () if Percentage::whole(50).is_reached_by(passed, runs) => Self::Unstable,
            () => Self::HighlyUnstable,
        }
    }

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::MostlyStable => "mostly_stable",
            Self::Unstable => "unstable",
            Self::HighlyUnstable => "highly_unstable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_end_where_they_say() {
        for (passed, class) in [
            (1000, "stable"),
            (999, "mostly_stable"),
            (800, "mostly_stable"),
            (799, "unstable"),
            (500, "unstable"),
            (499, "highly_unstable"),
            (0, "highly_unstable"),
        ] {
            assert_eq!(StabilityClass::of(passed, 1000).as_str(), class, "{passed}");
        }
    }
}
