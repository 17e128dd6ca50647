//! The thing that a step wants: a call, a result or a message.

use crate::describe::short;
use crate::select::{ArgumentReading, Mismatches, Selector};
use ananke_model::model::MessageRole;
use ananke_model::variables::{Pattern, Patterns};
use ananke_trace::trace::{Fact, Facts, Message, MessageKind, Trace, TraceItem};

/// The thing that a step wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StepMatcher {
    /// A call that is selected by name, arguments, status and result.
    Call(Selector),
    /// The result of a call that is selected by name and result.
    Result(Selector),
    /// A message.
    Message {
        /// The pattern that its text must match.
        pattern: Pattern,
        /// The author of the message.
        by: MessageRole,
    },
}

/// The author of a message, if steps can be about it.
pub(crate) fn author(message: &Message) -> Option<MessageRole> {
    match message.role {
        MessageKind::Assistant => Some(MessageRole::Assistant),
        MessageKind::User => Some(MessageRole::User),
        MessageKind::System | MessageKind::Reasoning => None,
    }
}

impl StepMatcher {
    /// The facts that it rests on.
    pub(crate) fn needs(&self) -> Facts {
        match self {
            Self::Call(selector) => selector.needs(),
            Self::Result(selector) => selector.needs() | Facts::of(&[Fact::Results]),
            Self::Message {
                by: MessageRole::Assistant,
                ..
            } => Facts::of(&[Fact::Text]),
            Self::Message {
                by: MessageRole::User,
                ..
            } => Facts::of(&[Fact::UserText]),
        }
    }

    /// Whether it may be about a call to the tool `name`.
    pub(crate) fn may_be_about(&self, name: &str) -> bool {
        match self {
            Self::Call(selector) | Self::Result(selector) => selector.name.may_match(name),
            Self::Message { .. } => false,
        }
    }

    /// The thing that is wanted, in words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Call(selector) => format!("a call to {}", selector.describe()),
            Self::Result(Selector { name, result, .. }) => {
                let matching = result.matching.as_ref();
                let matching =
                    matching.map(|pattern| format!(" matching `{}`", short(pattern.as_str())));
                let equal = result
                    .written_json()
                    .map(|json| format!(" equal to `{json}`"));
                let error = match result.is_error {
                    Some(true) => ", an error",
                    Some(false) => ", no error",
                    None => "",
                };
                let met = result.where_in_words();
                let met = met.map(|words| words.replacen("a result", "", 1));
                let [matching, equal, met] = [matching, equal, met].map(Option::unwrap_or_default);
                format!(
                    "a result of {}{matching}{equal}{met}{error}",
                    name.describe()
                )
            }
            Self::Message { pattern, by } => {
                let whose = match by {
                    MessageRole::Assistant => "",
                    MessageRole::User => " of the user",
                };
                format!("a message{whose} matching `{}`", short(pattern.as_str()))
            }
        }
    }

    /// The same step with its patterns compiled.
    pub(crate) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        Ok(match self {
            Self::Call(selector) => Self::Call(selector.started(patterns)?),
            Self::Result(selector) => Self::Result(selector.started(patterns)?),
            Self::Message { pattern, by } => {
                let mut pattern = pattern.clone();
                pattern.start(patterns)?;
                Self::Message { pattern, by: *by }
            }
        })
    }

    /// Whether the step is about such a thing, whatever its conditions.
    pub(crate) fn is_about(&self, trace: &Trace, item: TraceItem) -> bool {
        match (self, item) {
            (Self::Call(selector), TraceItem::Call(call))
            | (Self::Result(selector), TraceItem::Result { call, .. }) => {
                selector.name.matches(&trace.calls[call].name)
            }
            (Self::Message { by, .. }, TraceItem::Message(index)) => {
                author(&trace.messages[index]) == Some(*by)
            }
            _ => false,
        }
    }

    /// Whether it is what the step wants, as far as is known now.
    pub(crate) fn matches(&self, trace: &Trace, item: TraceItem, reading: ArgumentReading) -> bool {
        self.is_about(trace, item)
            && match (self, item) {
                (
                    Self::Call(selector) | Self::Result(selector),
                    TraceItem::Call(call) | TraceItem::Result { call, .. },
                ) => selector.matches_with(&trace.calls[call], item.result(trace), reading),
                (Self::Message { pattern, .. }, TraceItem::Message(index)) => {
                    pattern.is_match(&trace.messages[index].text)
                }
                _ => false,
            }
    }

    /// The calls that it is about, unless it is about messages.
    pub(crate) fn selector(&self) -> Option<&Selector> {
        match self {
            Self::Call(selector) | Self::Result(selector) => Some(selector),
            Self::Message { .. } => None,
        }
    }

    /// The parts that such a thing lacks to be what the step wants; `None` if it is another thing altogether.
    pub(crate) fn mismatches(&self, trace: &Trace, item: TraceItem) -> Option<Mismatches> {
        if !self.is_about(trace, item) {
            return None;
        }
        match (self, item.call()) {
            (Self::Call(selector) | Self::Result(selector), call) => {
                Some(selector.mismatches(&trace.calls[call?]))
            }
            (Self::Message { pattern, .. }, _) => {
                let mut mismatches = Mismatches::default();
                if !self.matches(trace, item, ArgumentReading::Last) {
                    mismatches.add(format!("does not match `{}`", short(pattern.as_str())));
                }
                Some(mismatches)
            }
        }
    }

    /// Whether the arguments of a call decide.
    pub(crate) fn has_args(&self) -> bool {
        matches!(self, Self::Call(selector) if !selector.args.is_empty())
    }

    /// Whether the status or the result of a call decides.
    pub(crate) fn awaits_result(&self) -> bool {
        matches!(self, Self::Call(selector) if !selector.result.is_empty())
    }

    /// Whether a result that matches may no longer do so at the end of its turn, or the other way round.
    pub(crate) fn is_provisional(&self) -> bool {
        matches!(self, Self::Result(selector) if selector.result.is_error.is_some())
    }

    /// Whether the status of a call decides, or whether a result is an error: later events can change both.
    pub(crate) fn looks_at_outcome(&self) -> bool {
        self.awaits_result() || self.is_provisional()
    }

    /// Whether what matches may no longer do so when its turn is over.
    pub(crate) fn is_revocable(&self) -> bool {
        self.selector()
            .is_some_and(|selector| selector.result.is_provisional())
    }

    /// Whether it wants a call without a result.
    pub(crate) fn is_pending(&self) -> bool {
        self.selector()
            .is_some_and(|selector| selector.result.is_pending())
    }
}
