//! The properties of rules that follow from their path in an assert block.
//!
//! **Why:** Inheritance, the explanations and the schema ask the same things of a rule before there is one: only its
//! path is known to them. A table by path answers without a rule in hand, and a test holds it against the registry, so
//! that no rule is missing.

/// The part of a conversation that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSubject {
    /// Tool calls.
    Calls,
    /// The tools that the agent declares, and calls to them.
    DeclaredTools,
    /// The text of the agent.
    Text,
    /// The state of the agent.
    State,
    /// The way in which a run ended.
    End,
    /// The clock alone, whatever the agent did.
    Time,
    /// The counts that a model reports.
    Tokens,
    /// The requests to the model that is the target.
    Requests,
    /// The requests of the agent to its model.
    ModelCalls,
    /// Several of these, as the rule says.
    Several,
    /// All of a turn, compared with what it was before.
    Everything,
}

/// The one that decides a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleDecider {
    /// The conversation alone shows the result.
    Conversation,
    /// A script or a judge.
    Helper,
    /// A file with an earlier conversation.
    File,
}

/// The number of rules that one block can define under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleNumber {
    /// One, whatever its value contains.
    One,
    /// One for each entry of its value.
    Several,
}

/// The effect of a rule on those of outer levels with the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleMerging {
    /// Rules of inner and outer levels apply together.
    Added,
    /// The innermost rule applies alone.
    Replaced,
}

/// The properties of the rules with one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleProperties {
    path: &'static str,
    /// The part of a conversation that they look at.
    pub subject: RuleSubject,
    /// The number of them in one block.
    pub number: RuleNumber,
    /// The one that decides them.
    pub decider: RuleDecider,
    pub(crate) merging: RuleMerging,
}

/// Several rules that the conversation decides, and all of which apply.
const fn several(path: &'static str, subject: RuleSubject) -> RuleProperties {
    RuleProperties {
        path,
        subject,
        number: RuleNumber::Several,
        decider: RuleDecider::Conversation,
        merging: RuleMerging::Added,
    }
}

/// The same of which a block has one.
const fn one(path: &'static str, subject: RuleSubject) -> RuleProperties {
    RuleProperties {
        number: RuleNumber::One,
        ..several(path, subject)
    }
}

/// The same which replaces that of outer levels.
const fn replaced(path: &'static str, subject: RuleSubject) -> RuleProperties {
    RuleProperties {
        merging: RuleMerging::Replaced,
        ..one(path, subject)
    }
}

/// A rule that a script or a judge decides.
const fn asked(path: &'static str) -> RuleProperties {
    RuleProperties {
        decider: RuleDecider::Helper,
        ..several(path, RuleSubject::Several)
    }
}

/// The properties by path: a path that has no line of its own has those of the block that contains it.
const ALL: [RuleProperties; 26] = [
    several("tools", RuleSubject::Calls),
    replaced("tools.max_calls", RuleSubject::Calls),
    replaced("tools.max_identical_calls", RuleSubject::Calls),
    one("tools.schema", RuleSubject::DeclaredTools),
    several("text", RuleSubject::Text),
    replaced("sequence", RuleSubject::Several),
    several("whenever", RuleSubject::Several),
    several("provenance", RuleSubject::Several),
    several("output", RuleSubject::Text),
    several("state", RuleSubject::State),
    asked("script"),
    asked("judge"),
    several("model", RuleSubject::ModelCalls),
    replaced("model.calls", RuleSubject::ModelCalls),
    replaced("model.max_calls", RuleSubject::ModelCalls),
    replaced("model.attempts", RuleSubject::ModelCalls),
    replaced("model.params", RuleSubject::ModelCalls),
    replaced("model.same_request", RuleSubject::ModelCalls),
    replaced("model.max_prompt_chars", RuleSubject::ModelCalls),
    replaced("model.offered.max", RuleSubject::ModelCalls),
    replaced("model.usage", RuleSubject::ModelCalls),
    replaced("outcome", RuleSubject::End),
    RuleProperties {
        decider: RuleDecider::File,
        ..replaced("snapshot", RuleSubject::Everything)
    },
    several("timing", RuleSubject::Time),
    several("usage", RuleSubject::Tokens),
    several("usage.max_rounds", RuleSubject::Requests),
];

impl RuleProperties {
    /// The properties of the rules with this path; `None` if there are no such rules.
    pub fn of(path: &str) -> Option<Self> {
        let own = ALL.into_iter().find(|properties| properties.path == path);
        if own.is_some() {
            return own;
        }
        let (block, _) = path.rsplit_once('.')?;
        Self::of(block)
    }

    /// Whether the rules with this path look at more than times and tokens.
    pub fn is_about_agent(path: &str) -> bool {
        match Self::of(path) {
            Some(properties) => !matches!(
                properties.subject,
                RuleSubject::Time | RuleSubject::Tokens | RuleSubject::Requests
            ),
            // A path that is not known is taken for one that matters.
            None => true,
        }
    }
}
