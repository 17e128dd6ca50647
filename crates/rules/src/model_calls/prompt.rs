//! `model.prompt`: what the messages of requests must and must not contain.

use std::borrow::Cow;

use serde_json::Value;

use super::counted::{CONTENTS, OfModel};
use super::each_request::{Demand, EachRequest};
use crate::collector::Collector;
use crate::describe::{around, short};
use crate::evaluation::{Evidence, Finding, Monitor, RuleScope, View};
use crate::needle::{ComparedText, Needle};
use crate::rule::{Rule, RuleKind};
use crate::text::near_text::{NearFor, NearText};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{
    AssertBlock, ModelRules, OneOrMany, PromptOf, PromptRules, Text, WhichRequests,
};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Facts, LoggedModelCall, ModelToolCall, PromptMessage};

/// The most messages that a failure shows.
const MOST_SHOWN: usize = 3;

/// A text that messages of requests must or must not contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PromptContents {
    of_model: OfModel,
    of: PromptOf,
    demand: Demand,
    needle: Needle,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        for entry in collector
            .switched(rules.value.prompt.as_ref())
            .into_iter()
            .flatten()
        {
            collect(&rules.value, entry, collector);
        }
    }
}

/// A function of [`Needle`] that reads a text.
type ReadNeedle = fn(&Text, ComparedText, &mut Interpolation<'_>) -> Option<Needle>;

/// The texts of one key.
type WrittenTexts = Spanned<OneOrMany<Text>>;

/// Adds a rule for each text of one entry.
fn collect(model: &ModelRules, entry: &Spanned<PromptRules>, collector: &mut Collector<'_, '_>) {
    let rules = &entry.value;
    if let Some((key, span)) = rules.unused_setting() {
        let help = "it says which requests or messages the rules next to it look at";
        collector.interpolation.report(
            Code::MissingKey,
            span,
            format!("`{key}` has no rule next to it"),
            Some(help.to_owned()),
        );
    }
    let of = match &rules.of {
        Some(of) => of.value,
        None => PromptOf::default(),
    };
    let which = match &rules.which {
        Some(which) => which.value,
        None => WhichRequests::default(),
    };
    let must = Demand::Must(which);
    let lists: [(Option<&WrittenTexts>, ReadNeedle, Demand); 4] = [
        (rules.contains.as_ref(), Needle::literal, must),
        (rules.must_match.as_ref(), Needle::pattern, must),
        (
            rules.not_contains.as_ref(),
            Needle::prohibited,
            Demand::Never,
        ),
        (
            rules.must_not_match.as_ref(),
            Needle::pattern,
            Demand::Never,
        ),
    ];
    for (list, read, demand) in lists {
        let Some(texts) = list else {
            continue;
        };
        for text in &texts.value {
            collector.add(text.span, |interpolation| {
                Some(PromptContents {
                    of_model: OfModel::compile(model, interpolation)?,
                    of,
                    demand,
                    needle: read(text, ComparedText::default(), interpolation)?,
                })
            });
        }
    }
}

/// A message of a request that a rule looks at.
struct ReadMessage<'r> {
    /// The place among the messages of the request.
    index: usize,
    /// The author in words.
    author: &'static str,
    text: Cow<'r, str>,
}

impl Rule for PromptContents {
    fn kind(&self) -> RuleKind {
        match self.demand {
            Demand::Never => RuleKind::Prohibition,
            Demand::Must(_) => RuleKind::Requirement,
        }
    }

    fn needs(&self) -> Facts {
        CONTENTS
    }

    fn describe(&self) -> String {
        let sought = self.needle.describe();
        let messages = messages_in_words(self.of);
        let model = self.of_model.words();
        match self.demand {
            Demand::Never => format!("no {sought} in the {messages} of any request to {model}"),
            Demand::Must(_) => {
                let requests = self.demand.words();
                format!("{sought} in the {messages} of {requests} to {model}")
            }
        }
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        self.demand.when_decided(scope)
    }

    /// A request that was not read may lack the text, unless one request is enough.
    fn is_exhaustive(&self) -> bool {
        self.demand != Demand::Must(WhichRequests::Any)
    }

    /// The monitor looks itself for what may be missing: a request that violates the rule stays one that does.
    fn lacks_something(&self) -> bool {
        false
    }

    fn of_model(&self) -> Option<&str> {
        self.of_model.name()
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let mut started = self.clone();
        started.needle = self.needle.started(patterns)?;
        Ok(Box::new(EachRequest {
            of: self.of_model.clone(),
            demand: self.demand,
            expected: self.describe(),
            check: Box::new(move |view, logged| match started.demand {
                Demand::Never => started.violation(view, logged),
                Demand::Must(_) => started.absence(view, logged),
            }),
            nearest: None,
            has_failed: false,
        }))
    }
}

impl PromptContents {
    /// The finding about the first message that contains what must not occur.
    fn violation(&self, view: &View<'_>, logged: &LoggedModelCall) -> Option<Finding> {
        for message in messages(logged, self.of) {
            let Some(place) = self.needle.find(&message.text) else {
                continue;
            };
            let place = view.redactor.expand_to_secret(&message.text, place);
            let call = self.of_model.call_in_words(view, logged);
            let noun = message_in_words(self.of);
            let finds = self.needle.finds();
            let line = message.line(&around(&message.text, place.clone()));
            return Some(Finding {
                found: Some(short(&message.text[place])),
                ..Finding::in_words(
                    format!("{call} has a {noun} that {finds}"),
                    self.describe(),
                    [line],
                )
            });
        }
        None
    }

    /// The finding that no message contains what must occur, with the messages that were looked at.
    fn absence(&self, view: &View<'_>, logged: &LoggedModelCall) -> Option<Finding> {
        let messages = messages(logged, self.of);
        if messages
            .iter()
            .any(|message| self.needle.is_in(&message.text))
        {
            return None;
        }
        let call = self.of_model.call_in_words(view, logged);
        let noun = message_in_words(self.of);
        let finds = self.needle.finds();
        let mut lines: Vec<Evidence> = Vec::new();
        for message in &messages {
            if let Some(near) = NearText::find(&self.needle, &message.text, NearFor::Requirement) {
                let place = view
                    .redactor
                    .expand_to_secret(&message.text, near.place.clone());
                let near = format!("`{}` occurs {}", short(&message.text[place]), near.words());
                lines.push(message.line(&near).into());
            }
        }
        // The newest messages are those that this request adds.
        let first = messages.len().saturating_sub(MOST_SHOWN);
        for message in &messages[first..] {
            lines.push(message.line(&short(&message.text)).into());
        }
        if messages.is_empty() {
            lines.push(format!("it has no {noun}").into());
        }
        let message = format!("{call} has no {noun} that {finds}");
        Some(Finding::in_words(message, self.describe(), lines))
    }
}

impl ReadMessage<'_> {
    /// A line of evidence about it.
    fn line(&self, words: &str) -> String {
        format!("messages[{}], {}: {words}", self.index, self.author)
    }
}

fn messages_in_words(of: PromptOf) -> &'static str {
    match of {
        PromptOf::All => "messages",
        PromptOf::System => "system messages",
        PromptOf::User => "messages of the user",
        PromptOf::Results => "results of tools",
        PromptOf::Last => "last message",
    }
}

fn message_in_words(of: PromptOf) -> &'static str {
    match of {
        PromptOf::All => "message",
        PromptOf::System => "system message",
        PromptOf::User => "message of the user",
        PromptOf::Results => "result of a tool",
        PromptOf::Last => "last message",
    }
}

/// The messages of a request that a rule looks at, with a text.
fn messages(logged: &LoggedModelCall, of: PromptOf) -> Vec<ReadMessage<'_>> {
    let all = &logged.call.request.messages;
    let mut messages = Vec::new();
    for (index, message) in all.iter().enumerate() {
        let is_wanted = match of {
            PromptOf::All => true,
            PromptOf::System => matches!(message, PromptMessage::System(_)),
            PromptOf::User => matches!(message, PromptMessage::User { .. }),
            PromptOf::Results => matches!(message, PromptMessage::Result { .. }),
            PromptOf::Last => index + 1 == all.len(),
        };
        if !is_wanted {
            continue;
        }
        messages.push(ReadMessage {
            index,
            author: author(message),
            text: text_of(message),
        });
    }
    messages
}

fn author(message: &PromptMessage) -> &'static str {
    match message {
        PromptMessage::System(_) => "system",
        PromptMessage::User { .. } => "the user",
        PromptMessage::Assistant { .. } => "an earlier answer",
        PromptMessage::Result { .. } => "the result of a tool",
        PromptMessage::Approval { .. } => "an approval",
    }
}

/// The text of a message: also the calls of an earlier answer, and JSON as compact text.
pub(super) fn text_of(message: &PromptMessage) -> Cow<'_, str> {
    match message {
        PromptMessage::System(text) | PromptMessage::User { text, .. } => text.into(),
        PromptMessage::Assistant { text, calls } if calls.is_empty() => text.into(),
        PromptMessage::Assistant { text, calls } => {
            let mut lines = vec![text.clone()];
            lines.extend(calls.iter().map(call_text));
            lines.retain(|line| !line.is_empty());
            lines.join("\n").into()
        }
        PromptMessage::Result { content, .. } => json_text(content),
        PromptMessage::Approval { .. } => "".into(),
    }
}

fn call_text(call: &ModelToolCall) -> String {
    format!("{}({})", call.tool, json_text(&call.args))
}

/// A value as text: a text as it is, and other values as compact JSON.
fn json_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        value => value.to_string().into(),
    }
}
