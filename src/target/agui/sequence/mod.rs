//! The order of the events of a run: which of the protocol's rules it breaks, and with which events.
//!
//! A [`Sequence`] looks at every event before it is decoded and changes nothing of what the event means: a stream that
//! breaks its rules is taken as far as it is clear. Events in, violations out, told as they are found. What is kept is
//! no larger than the answer it is about: ids and event numbers, forgotten with the next run.

mod breaches;
mod chunks;
mod event;
mod explained;
mod owners;
mod rule;
mod steps;
mod subagents;
mod things;

use std::borrow::Cow;

use super::frame::{Frame, Key};
use super::lanes::Ends;
use super::speech::Tell;
use breaches::{Breaches, TOLD};
use chunks::Chunks;
use event::{Does, Event, known};
pub use explained::Explained;
use owners::{Family, Owners};
pub use rule::SequenceRule;
use steps::Steps;
use subagents::Subagents;
use things::{Form, Left, Thing, Things};

/// How far the run is, and the event that says so.
#[derive(Clone, Copy, Debug, Default)]
enum Run {
    #[default]
    NotStarted,
    Open(Event),
    Finished(Event),
    Failed(Event),
}

/// What one run is made of.
#[derive(Debug, Default)]
struct Parts {
    things: Things,
    owners: Owners,
    steps: Steps,
    subagents: Subagents,
}

/// Looks at the events of one exchange.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// How many events came.
    events: u32,
    told: usize,
    run: Run,
    /// Whether it was told that an event comes where the run is not open.
    is_outside_told: bool,
    is_null_told: bool,
    /// Whether the server says that it speaks 1.0; those before have fewer rules.
    is_1_0: bool,
    parts: Parts,
    chunks: Chunks,
}

impl Sequence {
    /// Looks at the next event.
    pub(super) fn check(&mut self, frame: &Frame<'_>, tell: &mut Tell<'_>) {
        self.events = self.events.saturating_add(1);
        let Some((kind, does)) = known(frame.kind()).filter(|_| self.told <= TOLD) else { return };
        let mut told = self.told;
        let event = Event { number: self.events, kind };
        let breaches = &mut Breaches { event, told: &mut told, is_1_0: self.is_1_0, tell };
        if self.is_inside(does, breaches) {
            self.look(frame, does, breaches);
        }
        self.told = told;
    }

    /// Whether the event belongs to a run, or can be taken for a part of one.
    fn is_inside(&mut self, does: Does, breaches: &mut Breaches<'_, '_>) -> bool {
        let may_come = match self.run {
            Run::NotStarted | Run::Finished(_) => matches!(does, Does::StartsRun | Does::FailsRun),
            Run::Open(_) => does != Does::StartsRun,
            Run::Failed(_) => does == Does::StartsRun,
        };
        if may_come {
            return true;
        }
        let (rule, against, words) = match self.run {
            Run::NotStarted => {
                (SequenceRule::RunNotStarted, None, "comes before a run has started".to_owned())
            }
            Run::Open(start) => (
                SequenceRule::RunAlreadyStarted,
                Some(start),
                format!("comes while the run of {start} is open"),
            ),
            Run::Finished(end) => {
                (SequenceRule::AfterRunFinished, Some(end), format!("comes after {end} has finished the run"))
            }
            Run::Failed(end) => {
                (SequenceRule::AfterRunError, Some(end), format!("comes after {end} has ended the run"))
            }
        };
        if !std::mem::replace(&mut self.is_outside_told, true) {
            breaches.add(rule, against, words);
        }
        matches!(self.run, Run::NotStarted | Run::Open(_))
    }

    fn look(&mut self, frame: &Frame<'_>, does: Does, breaches: &mut Breaches<'_, '_>) {
        let event = breaches.event;
        let subagent = self.subagent(frame, does, breaches);
        let subagent = subagent.as_deref();
        match (does, Ends::of(event.kind)) {
            (Does::Chunk(_), _) | (_, Ends::Nothing) => {}
            // It ends the lane of the subagent it names, and it has to name one.
            (Does::EndsSubagent, _) if subagent.is_none() => {}
            (_, Ends::Own) => self.chunks.end(subagent, event, &mut self.parts.things),
            (_, Ends::All) => self.chunks.end_all(event, &mut self.parts.things),
        }
        match does {
            Does::StartsRun => self.start_run(frame, event),
            Does::FinishesRun => {
                self.finish_run(breaches);
                self.outside(Run::Finished(event));
            }
            Does::FailsRun => self.outside(Run::Failed(event)),
            Does::Chunk(thing) => self.chunk(thing, frame, subagent, breaches),
            _ => self.parts.look(frame, does, subagent, breaches),
        }
    }

    /// The subagent that the event says it is of. Events of the run as a whole are of none.
    fn subagent<'a>(
        &mut self,
        frame: &Frame<'a>,
        does: Does,
        breaches: &mut Breaches<'_, '_>,
    ) -> Option<Cow<'a, str>> {
        let is_of_all =
            matches!(does, Does::StartsRun | Does::FinishesRun | Does::FailsRun | Does::TellsMessages);
        let raw = frame.raw(Key::SubagentRunId).filter(|_| !is_of_all)?;
        if raw.get() == "null" && !std::mem::replace(&mut self.is_null_told, true) {
            let words = "has a `subagentRunId` that is `null`: it must be left out where there is none";
            breaches.add(SequenceRule::NullSubagent, None, words);
        }
        frame.quiet_id(Key::SubagentRunId)
    }

    fn start_run(&mut self, frame: &Frame<'_>, event: Event) {
        if matches!(self.run, Run::Finished(_) | Run::Failed(_)) {
            self.parts = Parts::default();
        }
        let version = frame.quiet_id(Key::ProtocolVersion);
        let major = version.as_deref().and_then(|version| version.split('.').next()?.parse().ok());
        self.is_1_0 = major.is_some_and(|major: u32| major >= 1);
        self.run = Run::Open(event);
        self.is_outside_told = false;
    }

    /// Whatever comes now belongs to no run, until one starts.
    fn outside(&mut self, run: Run) {
        self.run = run;
        self.is_outside_told = false;
    }

    /// Nothing may be open any more; told in the order it began.
    fn finish_run(&mut self, breaches: &mut Breaches<'_, '_>) {
        let Parts { things, owners: _, steps, subagents } = &self.parts;
        let mut left: Vec<_> = things.left().chain(steps.left()).chain(subagents.left()).collect();
        left.sort_unstable_by_key(|left| left.begun.number);
        for Left { rule, begun, what } in left {
            breaches.add(rule, Some(begun), format_args!("comes while {what} is open, since {begun}"));
        }
    }

    fn chunk(
        &mut self,
        thing: Thing,
        frame: &Frame<'_>,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) {
        let Parts { things, owners, .. } = &mut self.parts;
        let id = frame.quiet_id(thing.id_key());
        let begins = self.chunks.chunk(thing, id.as_deref(), frame, subagent, things, breaches);
        let Some(id) = id else { return };
        if !begins {
            return owners.go_on(thing.into(), &id, subagent, breaches);
        }
        if things.begin(thing, &id, Form::Chunk, breaches) {
            if thing == Thing::Call && frame.quiet_id(Key::ToolCallName).is_none() {
                let words = format_args!("begins {} without a `toolCallName`", thing.named(&id));
                breaches.add(SequenceRule::ChunkWithoutName, None, words);
            }
            owners.begin(thing, &id, frame, subagent, breaches);
        }
        self.chunks.begin(thing, &id, frame, subagent, breaches.event);
    }
}

impl Parts {
    /// Looks at an event of a run that is neither its beginning, its end nor a chunk. Without an id it breaks no rule
    /// of sequence, but others.
    fn look(
        &mut self,
        frame: &Frame<'_>,
        does: Does,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) {
        let id = frame.quiet_id(match does {
            Does::TellsMessages => return self.owners.forget(breaches.event),
            Does::Begins(thing) | Does::GoesOn(thing) | Does::Ends(thing) => thing.id_key(),
            Does::StartsStep | Does::FinishesStep => Key::StepName,
            Does::StartsSubagent | Does::EndsSubagent => Key::SubagentRunId,
            Does::Encrypts => Key::EntityId,
            Does::Answers | Does::SetsActivity | Does::ChangesActivity => Key::MessageId,
            Does::StartsRun | Does::FinishesRun | Does::FailsRun | Does::Chunk(_) | Does::Nothing => return,
        });
        let Some(id) = id.as_deref() else { return };
        match does {
            Does::StartsStep => self.steps.start(id, subagent, breaches),
            Does::FinishesStep => self.steps.finish(id, subagent, breaches),
            Does::StartsSubagent => {
                let parent = frame.quiet_id(Key::ParentSubagentRunId);
                self.subagents.start(id, parent.as_deref(), breaches);
            }
            Does::EndsSubagent => self.subagents.end(id, breaches),
            Does::Begins(thing) => {
                let may = self.things.begin(thing, id, Form::Start, breaches);
                if may {
                    self.owners.begin(thing, id, frame, subagent, breaches);
                }
            }
            Does::GoesOn(thing) => {
                let may = self.things.go_on(thing, id, breaches);
                if may {
                    self.owners.go_on(thing.into(), id, subagent, breaches);
                }
            }
            Does::Ends(thing) => {
                let may = self.things.end(thing, id, breaches);
                if may {
                    self.owners.go_on(thing.into(), id, subagent, breaches);
                }
            }
            // An answer is a message of its own, and of whoever gave it.
            Does::Answers => self.owners.replace(Family::Message, id, subagent, breaches.event),
            Does::SetsActivity => {
                let keeps = frame.raw(Key::Replace).is_some_and(|replace| replace.get() == "false");
                if !keeps || !self.owners.is_known(Family::Activity, id) {
                    self.owners.replace(Family::Activity, id, subagent, breaches.event);
                }
            }
            Does::ChangesActivity => self.owners.go_on(Family::Activity, id, subagent, breaches),
            Does::Encrypts => {
                let is_call = frame.quiet_id(Key::Subtype).is_some_and(|subtype| subtype == "tool-call");
                let family = if is_call {
                    Family::Call
                } else if self.owners.is_known(Family::Message, id) {
                    Family::Message
                } else {
                    Family::Reasoning
                };
                self.owners.go_on(family, id, subagent, breaches);
            }
            _ => {}
        }
    }
}
