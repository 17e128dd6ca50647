//! The fate of a changed conversation.

use crate::outcome::Level;

/// The fate of a changed conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A rule failed and its finding names what was changed.
    Killed {
        /// The path of the rule.
        rule: String,
        /// The level that it is defined on.
        level: Level,
        /// Its finding.
        message: String,
    },
    /// No rule was needed: the turn or the test ended with an error, for this reason.
    KilledByProtocol(String),
    /// A rule failed whose finding does not name what was changed: its finding.
    KilledOtherwise(String),
    /// No rule failed, and one neither passed nor failed, for this reason: whether it would be noticed is not known.
    NotShown(String),
    /// No rule failed before a decision about a conditional turn became another one: what would follow is not known.
    ChangesDecision(String),
    /// The config says that it need not be noticed, for this reason.
    Harmless(String),
    /// No rule noticed it.
    Survived,
}

impl Fate {
    /// Whether no rule noticed it for the right reason, and one should.
    pub fn is_unnoticed(&self) -> bool {
        matches!(self, Self::Survived | Self::KilledOtherwise(_))
    }

    /// The word in reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Killed { .. } => "killed",
            Self::KilledByProtocol(_) => "killed_by_protocol",
            Self::KilledOtherwise(_) => "killed_otherwise",
            Self::NotShown(_) => "not_shown",
            Self::ChangesDecision(_) => "changes_decision",
            Self::Harmless(_) => "harmless",
            Self::Survived => "survived",
        }
    }
}
