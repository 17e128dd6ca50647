//! The definition of a rule. Each rule implements [`Rule`] in a file of its own and has one line in the registry.
//!
//! **Why:** A rule is a value that is made while files are read and a monitor that is made for each conversation,
//! because tests run at once and several times, and what is wrong in a rule is to be said before anything runs.
//! Whatever is not about watching (merging, explaining, near names) asks the value, and needs no agent.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::evaluation::{Monitor, RuleScope};
use super::needle::{ComparedText, Needle};
use super::rule_properties::{RuleMerging, RuleProperties, RuleSubject};
use super::select::{RuleTool, Selector, ToolName, WrittenName};
use crate::evaluation::RuleOrigin;
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Facts, RunEnd};

/// The kind of a rule: it decides how the rule is inherited and when it is decided (SPEC 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// Applies to every turn of its scope and to the whole of it; decided as soon as it is violated.
    Prohibition,
    /// A number that inner levels override.
    Limit,
    /// Has to pass by the end of its scope.
    Requirement,
}

/// A rule of an assert block, checked and filled.
pub(crate) trait Rule: AnyRule + fmt::Debug + Send + Sync {
    /// The facts that it rests on: without one of them, nothing is known about it.
    fn needs(&self) -> Facts;

    /// The expectation, in the words of its failures.
    fn describe(&self) -> String;

    /// The kind, which decides how it is inherited and when it is decided.
    fn kind(&self) -> RuleKind {
        RuleKind::Requirement
    }

    /// The author's own sentence about its failure, if there is one.
    fn message(&self) -> Option<&str> {
        None
    }

    /// Whether it only says what must not happen.
    fn only_prohibits(&self) -> bool {
        self.kind() == RuleKind::Prohibition
    }

    /// The moment of its decision, in words.
    fn when_decided(&self, scope: RuleScope) -> String {
        format!("evaluated at the end of {}", scope.words())
    }

    /// Starts watching.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error>;

    /// The things that it demands or rules out, for warnings.
    fn claims(&self) -> Vec<Claim<'_>> {
        Vec::new()
    }

    /// The tools that it names and without whose calls it may pass.
    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        Vec::new()
    }

    /// The conditions on calls in it.
    fn selectors(&self) -> Vec<&Selector> {
        Vec::new()
    }

    /// Whether it looks at tool calls, of a rule whose path does not say it.
    fn names_tools(&self) -> bool {
        false
    }

    /// Whether a turn that defines `inner` switches this rule off for itself; only for what inner levels replace.
    fn is_loosened_by(&self, _inner: &dyn Rule) -> bool {
        false
    }

    /// Whether something of which more is known could turn its pass into a failure.
    fn is_exhaustive(&self) -> bool {
        self.kind() != RuleKind::Requirement
    }

    /// Whether something of which more is known could turn its failure into a pass.
    fn lacks_something(&self) -> bool {
        self.kind() == RuleKind::Requirement
    }

    /// Whether the arguments and results of calls to the tool `name` may matter to it, if those of any call do.
    fn may_rest_on_calls_to(&self, _name: &str) -> bool {
        true
    }

    /// Whether a call to the tool `name` may matter to it, if any call does.
    fn may_look_at_calls_to(&self, _name: &str) -> bool {
        true
    }

    /// The key of the model that it is about, if it is about one of several.
    fn of_model(&self) -> Option<&str> {
        None
    }

    /// Whether it expects a turn to end so.
    fn expects(&self, _outcome: &RunEnd) -> bool {
        false
    }
}

/// The functions that every type of rule has by itself: equality with any rule, and the way back to its type.
pub(crate) trait AnyRule: Any {
    /// Equality across types: a rule is no other than one of its own type.
    fn is_same(&self, other: &dyn Rule) -> bool;

    /// Hashes it, so that rules are found without comparing all of them.
    fn hash_with(&self, hasher: &mut dyn Hasher);
}

impl<R: Rule + Eq + Hash> AnyRule for R {
    fn is_same(&self, other: &dyn Rule) -> bool {
        other.downcast_ref::<R>() == Some(self)
    }

    fn hash_with(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl dyn Rule {
    /// The rule as one of the type `R`, if it is one.
    pub(crate) fn downcast_ref<R: Any>(&self) -> Option<&R> {
        (self as &dyn Any).downcast_ref()
    }
}

impl PartialEq for dyn Rule {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for dyn Rule {}

impl Hash for dyn Rule {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash_with(hasher);
    }
}

/// A rule and where it is defined.
#[derive(Clone, Debug)]
pub struct RuleEntry {
    /// The path in an assert block: `tools.forbid`.
    pub path: &'static str,
    pub(crate) rule: Arc<dyn Rule>,
    /// The place where it is defined.
    pub origin: RuleOrigin,
}

impl RuleEntry {
    /// The rule as one of the type `R`, if it is one.
    pub fn rule<R: Any>(&self) -> Option<&R> {
        self.rule.downcast_ref()
    }

    /// The part of a conversation that it looks at; several parts that contain calls are calls.
    pub fn subject(&self) -> Option<RuleSubject> {
        match RuleProperties::of(self.path)?.subject {
            RuleSubject::Several if self.rule.names_tools() => Some(RuleSubject::Calls),
            subject => Some(subject),
        }
    }

    /// Whether it looks at tool calls.
    pub fn is_about_tools(&self) -> bool {
        matches!(
            self.subject(),
            Some(RuleSubject::Calls | RuleSubject::DeclaredTools)
        )
    }

    /// Whether it looks at the tools that the agent declares.
    pub fn looks_at_declared_tools(&self) -> bool {
        self.subject() == Some(RuleSubject::DeclaredTools)
    }

    /// Whether the innermost level that defines it replaces it, instead of adding to it.
    pub(crate) fn is_overridden(&self) -> bool {
        match RuleProperties::of(self.path) {
            Some(properties) => properties.merging == RuleMerging::Replaced,
            None => false,
        }
    }

    /// Whether on a test it is about the last turn alone: the state of a test is that of its last turn.
    pub(crate) fn is_about_last_turn(&self) -> bool {
        self.subject() == Some(RuleSubject::State)
    }

    /// Whether it applies to every turn of its scope, and is decided as soon as it is violated.
    pub fn is_prohibition(&self) -> bool {
        self.rule.kind() == RuleKind::Prohibition
    }

    /// The expectation of the rule, in words.
    pub fn describe(&self) -> String {
        self.rule.describe()
    }

    /// The moment at which the rule is decided, in words.
    pub fn when_decided(&self, scope: RuleScope) -> String {
        self.rule.when_decided(scope)
    }
}

impl PartialEq for RuleEntry {
    fn eq(&self, other: &Self) -> bool {
        self.origin == other.origin
            && (Arc::ptr_eq(&self.rule, &other.rule) || *self.rule == *other.rule)
    }
}

impl Eq for RuleEntry {}

/// A rule that was already defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRule {
    /// The one that is dropped, since the other came first.
    pub entry: RuleEntry,
    /// The place where it was already defined.
    pub kept: RuleOrigin,
}

/// A rule that another level, or a later block, switches off or replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedRule {
    /// The one that no longer applies.
    pub entry: RuleEntry,
    /// The origin of the rule or setting that replaces it.
    pub by: RuleOrigin,
}

/// Something that a rule demands or rules out, whatever the agent does. Rules make claims, [`lint`](mod@super::lint) compares them;
/// so a new rule is linted by what it claims alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim<'r> {
    /// So many selected calls must come.
    Requires {
        /// The selected calls.
        selector: &'r Selector,
        /// The least number of them.
        min: u64,
        /// The tool that has to be called before each of them.
        after: Option<&'r str>,
    },
    /// Any number of calls of these tools will do, none too.
    RequiresNothing(&'r ToolName),
    /// A call or a result must come, as a step of a sequence.
    Step {
        /// The selected calls.
        selector: &'r Selector,
        /// Whether their result is the step.
        is_result: bool,
    },
    /// These calls, or their results, trigger the rule; without one it passes.
    TriggeredBy {
        /// The tool.
        name: &'r ToolName,
        /// The calls to it that trigger the rule, unless all do.
        selector: Option<&'r Selector>,
        /// Whether their result is the trigger.
        is_result: bool,
    },
    /// Whenever the rule is triggered, one of these calls must come.
    Ties(&'r Selector),
    /// The agent's last message, or its silence, must match this pattern.
    MatchesText(&'r str),
    /// The trigger, a result of this tool, always comes after something that the rule requires.
    AlwaysPreceded(&'r ToolName),
    /// The tool must not be called.
    ForbidsTool(&'r str),
    /// The selected calls must not come.
    ForbidsCalls(&'r Selector),
    /// No other tools may be called.
    AllowsOnly(&'r [WrittenName]),
    /// There may be at most so many calls.
    LimitsCalls(u64),
    /// The agent's text must contain this.
    Says(&'r Needle),
    /// The agent's text must not contain this.
    NeverSays(&'r Needle),
    /// The agent's text must be one of these.
    SaysOneOf(&'r [String], ComparedText),
}
