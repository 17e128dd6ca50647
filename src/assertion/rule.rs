//! The closed set of rules, and what they share.

use std::sync::Arc;

use crate::assertion::block::Bound;
use crate::assertion::content::{ExpectedOutcome, OutputRule, StateRule, outcome, output, state};
use crate::assertion::describe;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope};
use crate::assertion::limits::{
    Measure, max_duration, max_first_token, max_idle, max_tokens, max_tool, total,
};
use crate::assertion::script::{self, Script};
use crate::assertion::sequence::{Sequence, sequence};
use crate::assertion::snapshot::{self, Snapshot};
use crate::assertion::text::{Equals, MustMatch, MustNotMatch, Sought, equals, must_match, must_not_match};
use crate::assertion::tools::{
    AllowOnly, Forbid, ForbidCall, MaxCalls, Required, allow_only, forbid, forbid_calls, max_calls, require,
};
use crate::diagnostic::{Place, SourceFile, Span};
use crate::outcome::{Failure, Level};
use crate::trace::Trace;
use crate::variables::Patterns;

/// How a rule is inherited and settled (SPEC 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Applies on every turn of its home and on the whole of it; settled as soon as broken.
    Prohibition,
    /// Owed by the end of its home.
    Obligation,
}

/// A rule that is no limit; for those see [`Bound`].
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// `tools.forbid`
    Forbid(Forbid),
    /// `tools.forbid_calls`
    ForbidCall(Box<ForbidCall>),
    /// `tools.require`
    Require(Box<Required>),
    /// `tools.allow_only`
    AllowOnly(AllowOnly),
    /// `tools.max_calls`
    MaxCalls(MaxCalls),
    /// `text.must_match` and `text.contains`
    MustMatch(MustMatch),
    /// `text.must_not_match` and `text.not_contains`
    MustNotMatch(MustNotMatch),
    /// `text.equals`
    Equals(Equals),
    /// `sequence`
    Sequence(Sequence),
    /// `output`
    Output(Box<OutputRule>),
    /// `state`
    State(StateRule),
    /// `outcome`
    Outcome(ExpectedOutcome),
    /// `snapshot`
    Snapshot(Snapshot),
    /// `script`
    Script(Script),
}

/// Who wrote a rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The level.
    pub level: Level,
    /// File and line.
    pub place: Place,
    /// Where it stands in that file.
    pub span: Span,
    /// The file itself.
    pub source: Arc<SourceFile>,
}

/// A rule and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// Who wrote it.
    pub origin: Origin,
}

impl Rule {
    /// Its path in an assert block.
    pub fn path(&self) -> &'static str {
        match self {
            Self::Forbid(_) => "tools.forbid",
            Self::ForbidCall(_) => "tools.forbid_calls",
            Self::Require(_) => "tools.require",
            Self::AllowOnly(_) => "tools.allow_only",
            Self::MaxCalls(_) => "tools.max_calls",
            Self::MustMatch(rule) => match rule.wording.sought {
                Sought::Pattern(_) => "text.must_match",
                Sought::Literal(_) => "text.contains",
            },
            Self::MustNotMatch(rule) => match rule.wording.sought {
                Sought::Pattern(_) => "text.must_not_match",
                Sought::Literal(_) => "text.not_contains",
            },
            Self::Equals(_) => "text.equals",
            Self::Sequence(_) => "sequence",
            Self::Output(_) => "output",
            Self::State(_) => "state",
            Self::Outcome(_) => "outcome",
            Self::Snapshot(_) => "snapshot",
            Self::Script(_) => "script",
        }
    }

    /// How it is inherited and settled.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Forbid(_)
            | Self::ForbidCall(_)
            | Self::AllowOnly(_)
            | Self::MaxCalls(_)
            | Self::MustNotMatch(_) => Kind::Prohibition,
            Self::Sequence(rule) if rule.is_prohibition() => Kind::Prohibition,
            Self::Require(_)
            | Self::MustMatch(_)
            | Self::Equals(_)
            | Self::Sequence(_)
            | Self::Output(_)
            | Self::State(_)
            | Self::Outcome(_)
            | Self::Snapshot(_)
            | Self::Script(_) => Kind::Obligation,
        }
    }

    /// What it wants, in the words in which its failures say what was expected.
    pub fn describe(&self) -> String {
        match self {
            Self::Forbid(rule) => rule.describe(),
            Self::ForbidCall(rule) => rule.describe(),
            Self::Require(rule) => rule.describe(),
            Self::AllowOnly(rule) => rule.describe(),
            Self::MaxCalls(rule) => rule.describe(),
            Self::MustMatch(rule) => rule.describe(),
            Self::MustNotMatch(rule) => rule.describe(),
            Self::Equals(rule) => rule.describe(),
            Self::Sequence(rule) => rule.describe(),
            Self::Output(rule) => rule.describe(),
            Self::State(rule) => rule.describe(),
            Self::Outcome(rule) => rule.describe(),
            Self::Snapshot(rule) => rule.describe(),
            Self::Script(rule) => rule.describe(),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        match self {
            Self::Forbid(rule) => rule.settled().to_owned(),
            Self::ForbidCall(rule) => rule.settled(home),
            Self::Require(rule) => rule.settled(home),
            Self::AllowOnly(rule) => rule.settled().to_owned(),
            Self::MaxCalls(rule) => rule.settled(home),
            Self::MustMatch(rule) => rule.settled(home),
            Self::MustNotMatch(rule) => rule.settled(home),
            Self::Equals(rule) => rule.settled(home),
            Self::Sequence(rule) => rule.settled(home),
            Self::Output(rule) => rule.settled(home),
            Self::State(rule) => rule.settled(home),
            Self::Outcome(rule) => rule.settled(home),
            Self::Snapshot(rule) => rule.settled(home),
            Self::Script(rule) => rule.settled(home),
        }
    }

    /// Whether it looks at tool calls.
    pub fn is_about_tools(&self) -> bool {
        match self {
            Self::Sequence(rule) => rule.is_about_tools(),
            other => other.path().starts_with("tools."),
        }
    }

    /// Starts watching.
    ///
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(match self {
            Self::Forbid(rule) => Monitor::Forbid(rule.start()),
            Self::ForbidCall(rule) => Monitor::ForbidCall(rule.start(patterns)?),
            Self::Require(rule) => Monitor::Require(rule.start(patterns)?),
            Self::AllowOnly(rule) => Monitor::AllowOnly(rule.start()),
            Self::MaxCalls(rule) => Monitor::MaxCalls(rule.start()),
            Self::MustMatch(rule) => Monitor::MustMatch(rule.start(patterns)?),
            Self::MustNotMatch(rule) => Monitor::MustNotMatch(rule.start(patterns)?),
            Self::Equals(rule) => Monitor::Equals(rule.start()),
            Self::Sequence(rule) => Monitor::Sequence(rule.start(patterns)?),
            Self::Output(rule) => Monitor::Output(rule.start(patterns)?),
            Self::State(rule) => Monitor::State(rule.start(patterns)?),
            Self::Outcome(rule) => Monitor::Outcome(rule.start(patterns)?),
            Self::Snapshot(rule) => Monitor::Snapshot(rule.start()),
            Self::Script(rule) => Monitor::Script(rule.start()),
        })
    }
}

/// A rule that is watching.
#[derive(Debug)]
pub enum Monitor {
    /// `tools.forbid`
    Forbid(forbid::Monitor),
    /// `tools.forbid_calls`
    ForbidCall(forbid_calls::Monitor),
    /// `tools.require`
    Require(require::monitor::Monitor),
    /// `tools.allow_only`
    AllowOnly(allow_only::Monitor),
    /// `tools.max_calls`
    MaxCalls(max_calls::Monitor),
    /// `text.must_match` and `text.contains`
    MustMatch(must_match::Monitor),
    /// `text.must_not_match` and `text.not_contains`
    MustNotMatch(must_not_match::Monitor),
    /// `text.equals`
    Equals(equals::Monitor),
    /// `sequence`
    Sequence(sequence::Monitor),
    /// `output`
    Output(output::Monitor),
    /// `state`
    State(state::Monitor),
    /// `outcome`
    Outcome(outcome::Monitor),
    /// `snapshot`
    Snapshot(snapshot::Monitor),
    /// `script`
    Script(script::Monitor),
    /// `timing.max_duration_ms` of one turn
    Duration(max_duration::Monitor),
    /// `timing.max_idle_ms`
    Idle(max_idle::Monitor),
    /// `timing.max_first_token_ms`
    FirstToken(max_first_token::Monitor),
    /// `timing.max_tool_ms`
    Tool(max_tool::Monitor),
    /// The limits of `usage`, of one turn
    Tokens(max_tokens::Monitor),
    /// A limit of the test as a whole
    Sum(total::Monitor),
}

impl Monitor {
    /// Watches a limit of one turn.
    pub(super) fn of_limit(measure: Measure, bound: Bound) -> Self {
        match measure {
            Measure::Duration => Self::Duration(max_duration::Monitor::new(bound)),
            Measure::Idle => Self::Idle(max_idle::Monitor::new(bound)),
            Measure::FirstToken => Self::FirstToken(max_first_token::Monitor::new(bound)),
            Measure::Tool => Self::Tool(max_tool::Monitor::new(bound)),
            Measure::InputTokens | Measure::OutputTokens | Measure::TotalTokens => {
                Self::Tokens(max_tokens::Monitor::new(measure, bound))
            }
        }
    }

    /// Feeds the monitor one moment. What is settled is fed no more.
    pub fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match self {
            Self::Forbid(monitor) => monitor.watch(scope, moment),
            Self::ForbidCall(monitor) => monitor.watch(scope, moment),
            Self::Require(monitor) => monitor.watch(scope, moment),
            Self::AllowOnly(monitor) => monitor.watch(scope, moment),
            Self::MaxCalls(monitor) => monitor.watch(scope, moment),
            Self::MustMatch(monitor) => monitor.watch(scope, moment),
            Self::MustNotMatch(monitor) => monitor.watch(scope, moment),
            Self::Equals(monitor) => monitor.watch(scope, moment),
            Self::Sequence(monitor) => monitor.watch(scope, moment),
            Self::Output(monitor) => monitor.watch(scope, moment),
            Self::State(monitor) => monitor.watch(scope, moment),
            Self::Outcome(monitor) => monitor.watch(scope, moment),
            Self::Snapshot(monitor) => monitor.watch(scope, moment),
            Self::Script(monitor) => monitor.watch(scope, moment),
            Self::Duration(monitor) => monitor.watch(scope, moment),
            Self::Idle(monitor) => monitor.watch(scope, moment),
            Self::FirstToken(monitor) => monitor.watch(scope, moment),
            Self::Tool(monitor) => monitor.watch(scope, moment),
            Self::Tokens(monitor) => monitor.watch(scope, moment),
            Self::Sum(monitor) => monitor.watch(scope, moment),
        }
    }

    /// Whether it owes something at the end of its home: not judged where its home was cut short (SPEC 5).
    pub fn is_obligation(&self) -> bool {
        match self {
            Self::Sequence(monitor) => monitor.is_obligation(),
            other => matches!(
                other,
                Self::Require(_)
                    | Self::MustMatch(_)
                    | Self::Equals(_)
                    | Self::Output(_)
                    | Self::State(_)
                    | Self::Outcome(_)
                    | Self::Snapshot(_)
                    | Self::Script(_)
            ),
        }
    }
}

impl Origin {
    /// The failure of a rule of this origin; calls are shown as `trace` knows them now.
    pub(super) fn failure(&self, path: &str, finding: Finding, trace: &Trace) -> Failure {
        let Finding { message, expected, seen, mut events } = finding;
        let seen = seen.into_iter().flat_map(|seen| describe::seen(seen, trace)).collect();
        events.sort_unstable();
        events.dedup();
        Failure {
            rule: path.to_owned(),
            level: self.level,
            place: self.place.clone(),
            excerpt: self.source.excerpt(&self.place),
            message,
            expected,
            seen,
            difference: None,
            help: None,
            events,
        }
    }
}
