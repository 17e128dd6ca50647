//! The moment at which a rule is asked, and its answer.

use super::captured::Captured;
use super::{Finding, Inquiry};
use ananke_trace::outcome::{ComparedValue, Measured};
use ananke_trace::trace::Delta;

/// The moment at which a rule is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Something happened.
    Touched(Delta),
    /// A turn has ended.
    TurnEnd,
    /// The scope has ended; results of its calls may still arrive in a later turn.
    ScopeEnd,
    /// The test has ended: nothing more arrives.
    TestEnd,
}

impl Moment {
    /// Whether the scope of the rule is over.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, Self::ScopeEnd | Self::TestEnd)
    }
}

/// The answer of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judgement {
    /// It can still pass or fail.
    Open,
    /// As far as is known it fails: what the log still lacks can come to light until the end of the turn. It says then.
    FailsSoFar,
    /// It passes, whatever comes.
    Passed,
    /// It passes, by this value rather than the one that it is about first.
    PassedBy(ComparedValue),
    /// It passes with this number; the words are added to what it expects.
    Within(Measured, String),
    /// It fails: what was found at this moment. A prohibition may find more later.
    Failed(Vec<Finding>),
    /// It fails, unless the captured snapshot is written.
    SnapshotDiffers(Box<Captured>),
    /// A script or a judge decides, after all other rules have passed.
    Asks(Box<Inquiry>),
    /// It cannot be evaluated, for this reason: never a pass.
    Unknown(String),
}

impl Judgement {
    /// Fails in one way.
    pub(crate) fn failed(finding: Finding) -> Self {
        Self::Failed(vec![finding])
    }

    /// Fails in these ways; passes with this number if there are none.
    pub(crate) fn within(measured: Measured, findings: Vec<Finding>) -> Self {
        if findings.is_empty() {
            Self::Within(measured, String::new())
        } else {
            Self::Failed(findings)
        }
    }

    /// Fails in these ways; stays open if there are none.
    pub(crate) fn open_or(findings: Vec<Finding>) -> Self {
        if findings.is_empty() {
            Self::Open
        } else {
            Self::Failed(findings)
        }
    }

    /// This judgement, or `other` if it is open.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Open { other } else { self }
    }
}

/// Fails in one way, or passes.
impl From<Option<Finding>> for Judgement {
    fn from(finding: Option<Finding>) -> Self {
        finding.map_or(Self::Passed, Self::failed)
    }
}
