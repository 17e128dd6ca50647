//! What begins with one event, goes on with others and ends with a third: messages, calls, reasoning.

use std::collections::HashMap;
use std::fmt;

use super::breaches::Breaches;
use super::event::Event;
use super::owners::Whose;
use super::rule::SequenceRule;
use crate::target::agui::frame::Key;
use crate::target::agui::speech::shown;

/// A kind of thing with a beginning and an end. Ids are unique within their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Message,
    Call,
    /// What brackets reasoning messages.
    Span,
    /// A reasoning message.
    Thought,
}

impl Thing {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 4;

    /// The field that names one.
    pub(super) fn id_key(self) -> Key {
        match self {
            Self::Message | Self::Span | Self::Thought => Key::MessageId,
            Self::Call => Key::ToolCallId,
        }
    }

    /// The word in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Call => "call",
            Self::Span => "reasoning span",
            Self::Thought => "reasoning message",
        }
    }

    /// One of them as a message names it.
    pub(super) fn named(self, id: &str) -> Named<'_> {
        Named { noun: self.noun(), id, subagent: None }
    }

    fn already_open(self) -> SequenceRule {
        match self {
            Self::Message => SequenceRule::TextAlreadyOpen,
            Self::Call => SequenceRule::CallAlreadyOpen,
            Self::Span => SequenceRule::ReasoningAlreadyOpen,
            Self::Thought => SequenceRule::ReasoningMessageAlreadyOpen,
        }
    }

    fn not_open(self) -> SequenceRule {
        match self {
            Self::Message => SequenceRule::TextNotOpen,
            Self::Call => SequenceRule::CallNotOpen,
            Self::Span => SequenceRule::ReasoningNotOpen,
            Self::Thought => SequenceRule::ReasoningMessageNotOpen,
        }
    }

    fn still_open(self) -> SequenceRule {
        match self {
            Self::Message => SequenceRule::TextStillOpen,
            Self::Call => SequenceRule::CallStillOpen,
            Self::Span => SequenceRule::ReasoningStillOpen,
            Self::Thought => SequenceRule::ReasoningMessageStillOpen,
        }
    }
}

/// How an event begins a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With an event of its own.
    Start,
    /// With its first chunk.
    Chunk,
    /// It does not; but it goes on with it, which is told once.
    Assumed,
}

/// The newest thing of one id.
#[derive(Debug)]
struct Mark {
    begun: Event,
    form: Form,
    ended: Option<Event>,
}

/// Something as a message names it: the agent's own, or a subagent's.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) noun: &'static str,
    pub(super) id: &'a str,
    pub(super) subagent: Option<&'a str>,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the {} `{}`", self.noun, shown(self.id))?;
        match self.subagent {
            None => Ok(()),
            Some(_) => write!(formatter, " of {}", Whose(self.subagent)),
        }
    }
}

/// Something that is open when the run finishes.
pub(super) struct Left<'a> {
    pub(super) rule: SequenceRule,
    pub(super) begun: Event,
    pub(super) what: Named<'a>,
}

/// The things of one run by their ids.
#[derive(Debug, Default)]
pub(super) struct Things([HashMap<String, Mark>; Thing::COUNT]);

impl Things {
    /// The event begins a thing. Answers whether it may.
    pub(super) fn begin(
        &mut self,
        thing: Thing,
        id: &str,
        form: Form,
        breaches: &mut Breaches<'_, '_>,
    ) -> bool {
        let marks = &mut self.0[thing as usize];
        let new = Mark { begun: breaches.event, form, ended: None };
        match marks.get_mut(id) {
            Some(mark) if mark.ended.is_none() && mark.form != Form::Assumed => {
                let (what, begun) = (thing.named(id), mark.begun);
                let words = format_args!("begins {what}, which is open since {begun}");
                breaches.add(thing.already_open(), Some(begun), words);
                return false;
            }
            Some(mark) => *mark = new,
            None => {
                marks.insert(id.to_owned(), new);
            }
        }
        true
    }

    /// The event goes on with a thing. Answers whether it may.
    pub(super) fn go_on(&mut self, thing: Thing, id: &str, breaches: &mut Breaches<'_, '_>) -> bool {
        let marks = &mut self.0[thing as usize];
        let mark = marks.get_mut(id);
        if mark.as_ref().is_some_and(|mark| mark.ended.is_none()) {
            return true;
        }
        not_open(thing, id, "goes on with", mark.as_deref(), breaches);
        let assumed = Mark { begun: breaches.event, form: Form::Assumed, ended: None };
        match mark {
            Some(mark) => *mark = assumed,
            None => {
                marks.insert(id.to_owned(), assumed);
            }
        }
        false
    }

    /// The event ends a thing. Answers whether it may.
    pub(super) fn end(&mut self, thing: Thing, id: &str, breaches: &mut Breaches<'_, '_>) -> bool {
        match self.0[thing as usize].get_mut(id) {
            // What is under way in chunks is another's when an event that is none has not ended it.
            Some(mark) if mark.ended.is_none() && mark.form != Form::Chunk => {
                mark.ended = Some(breaches.event);
                true
            }
            mark => {
                not_open(thing, id, "ends", mark.as_deref(), breaches);
                false
            }
        }
    }

    /// The chunks of a thing end with `by`, and the thing with them if it began with one.
    pub(super) fn end_chunks(&mut self, thing: Thing, id: &str, by: Event) {
        let mark = self.0[thing as usize].get_mut(id);
        if let Some(mark) = mark.filter(|mark| mark.form == Form::Chunk) {
            mark.ended = Some(by);
        }
    }

    /// What is open.
    pub(super) fn left(&self) -> impl Iterator<Item = Left<'_>> {
        let all = [Thing::Message, Thing::Call, Thing::Span, Thing::Thought];
        all.into_iter().flat_map(move |thing| {
            let marks = self.0[thing as usize].iter();
            let open = marks.filter(|(_, mark)| mark.ended.is_none() && mark.form != Form::Assumed);
            open.map(move |(id, mark)| Left {
                rule: thing.still_open(),
                begun: mark.begun,
                what: thing.named(id),
            })
        })
    }
}

fn not_open(thing: Thing, id: &str, does: &str, mark: Option<&Mark>, breaches: &mut Breaches<'_, '_>) {
    let what = format!("{does} {}", thing.named(id));
    let rule = thing.not_open();
    match mark {
        None => breaches.add(rule, None, format_args!("{what}, which never began")),
        Some(Mark { ended: Some(ended), .. }) if *ended != breaches.event => {
            breaches.add(rule, Some(*ended), format_args!("{what}, which had ended with {ended}"));
        }
        Some(Mark { begun, .. }) => {
            let words = format_args!("{what}, which {begun} began in chunks: those end by themselves");
            breaches.add(rule, Some(*begun), words);
        }
    }
}
