//! Checks each event against the state before it.

use std::borrow::Cow;

use super::chunks::{FirstChunks, ambiguous};
use super::lane_owners::{Family, LaneOwners};
use super::violations::{EventViolations, MAX_REPORTED, UnfinishedItem};
use super::{EventOrderRule, items, steps::OpenSteps, subagents::StartedSubagents};
use crate::assembler::Assembler;
use crate::chunk_lanes::ChunkTarget;
use crate::event::{FieldKey, WireEvent};
use crate::event_kind::{Effect, ItemKind};
use crate::incoming::Incoming;
use crate::listeners::ChangeListener;
use crate::run_state::RunState;

/// The state of one run in the validator, in addition to its items.
#[derive(Debug, Default)]
struct RunChecks {
    owners: LaneOwners,
    steps: OpenSteps,
    subagents: StartedSubagents,
}

/// Checks the order of the events of one exchange.
#[derive(Debug, Default)]
pub(crate) struct Validator {
    /// The number of violations that were reported.
    reported: usize,
    /// Whether an event outside the run was reported since the run changed.
    is_outside_reported: bool,
    is_null_reported: bool,
    /// Whether the server says that it speaks 1.0; those before have fewer rules.
    is_1_0: bool,
    parts: RunChecks,
    chunks: FirstChunks,
}

impl Validator {
    /// Checks an event. `run` is the state before it; `assembler` too, but for the chunks that the event ends; `target`
    /// is what it begins or continues, if it is a chunk.
    pub(crate) fn check(
        &mut self,
        incoming: &Incoming<'_>,
        target: Option<&ChunkTarget>,
        run: RunState,
        assembler: &Assembler,
        tell: &mut ChangeListener<'_>,
    ) {
        if self.reported > MAX_REPORTED {
            return;
        }
        let violations = &mut EventViolations {
            event: incoming.at,
            reported: self.reported,
            is_1_0: self.is_1_0,
            tell,
        };
        if self.is_inside(incoming.effect, run, violations) {
            self.check_null(incoming, violations);
            match incoming.effect {
                Effect::StartsRun => self.start_run(incoming, run),
                Effect::FinishesRun => {
                    self.finish_run(assembler, violations);
                    self.is_outside_reported = false;
                }
                Effect::FailsRun => self.is_outside_reported = false,
                Effect::Chunk(kind) => {
                    if let Some(target) = target {
                        self.check_chunk(kind, target, incoming, assembler, violations);
                    }
                }
                _ => self.parts.check(incoming, assembler, violations),
            }
        }
        self.reported = violations.reported;
    }

    /// Whether the event belongs to a run, or can be taken for a part of one.
    fn is_inside(
        &mut self,
        effect: Effect,
        run: RunState,
        violations: &mut EventViolations<'_, '_>,
    ) -> bool {
        let is_allowed = match run {
            RunState::NotStarted | RunState::Finished(_) => {
                matches!(effect, Effect::StartsRun | Effect::FailsRun)
            }
            RunState::Open(_) => effect != Effect::StartsRun,
            RunState::Failed(_) => effect == Effect::StartsRun,
        };
        if is_allowed {
            return true;
        }
        if !std::mem::replace(&mut self.is_outside_reported, true) {
            match run {
                RunState::NotStarted => {
                    violations.add(
                        EventOrderRule::RunNotStarted,
                        None,
                        "comes before a run has started",
                    );
                }
                RunState::Open(start) => {
                    let words = format_args!("comes while the run of {start} is open");
                    violations.add(EventOrderRule::RunAlreadyStarted, Some(start), words);
                }
                RunState::Finished(end) => {
                    let words = format_args!("comes after {end} has finished the run");
                    violations.add(EventOrderRule::AfterRunFinished, Some(end), words);
                }
                RunState::Failed(end) => {
                    let words = format_args!("comes after {end} has ended the run");
                    violations.add(EventOrderRule::AfterRunError, Some(end), words);
                }
            }
        }
        !run.has_ended()
    }

    fn check_null(&mut self, incoming: &Incoming<'_>, violations: &mut EventViolations<'_, '_>) {
        let raw = incoming
            .event
            .raw(FieldKey::SubagentRunId)
            .filter(|_| !incoming.effect.is_of_run());
        if raw.is_some_and(|raw| raw.get() == "null")
            && !std::mem::replace(&mut self.is_null_reported, true)
        {
            let words = "has a `subagentRunId` that is `null`: it must be omitted if there is none";
            violations.add(EventOrderRule::NullSubagent, None, words);
        }
    }

    fn start_run(&mut self, incoming: &Incoming<'_>, run: RunState) {
        if run.has_ended() {
            self.parts = RunChecks::default();
        }
        let version = incoming.event.quiet_id(FieldKey::ProtocolVersion);
        let major = version
            .as_deref()
            .and_then(|version| version.split('.').next()?.parse().ok());
        self.is_1_0 = major.is_some_and(|major: u32| major >= 1);
        self.is_outside_reported = false;
    }

    /// Nothing may be open any more; what is, is reported in the order it began.
    fn finish_run(&mut self, assembler: &Assembler, violations: &mut EventViolations<'_, '_>) {
        let RunChecks {
            steps, subagents, ..
        } = &self.parts;
        let left = items::left(&assembler.items)
            .chain(steps.left())
            .chain(subagents.left());
        let mut left: Vec<UnfinishedItem<'_>> = left.collect();
        left.sort_unstable_by_key(|left| left.begun.number);
        for UnfinishedItem { rule, begun, what } in left {
            violations.add(
                rule,
                Some(begun),
                format_args!("comes while {what} is open, since {begun}"),
            );
        }
    }

    fn check_chunk(
        &mut self,
        kind: ItemKind,
        target: &ChunkTarget,
        incoming: &Incoming<'_>,
        assembler: &Assembler,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let (event, owners) = (incoming.event, &mut self.parts.owners);
        match target {
            ChunkTarget::Continues(author) => {
                self.chunks.agree(author, event, violations);
                if let Some(id) = incoming.id() {
                    owners.go_on(kind.into(), id, incoming.subagent(), violations);
                }
            }
            ChunkTarget::Begins(author) => {
                let id = incoming.id().unwrap_or_default();
                if items::begin(kind, id, &assembler.items, violations) {
                    if kind == ItemKind::Call && event.quiet_id(FieldKey::ToolCallName).is_none() {
                        let words = format_args!(
                            "begins {} without a `toolCallName`",
                            items::named(kind, id)
                        );
                        violations.add(EventOrderRule::ChunkWithoutName, None, words);
                    }
                    owners.begin(kind, incoming, violations);
                }
                self.chunks.begin(kind, author, event, incoming.at);
            }
            ChunkTarget::Nameless(author) => {
                self.chunks
                    .nameless(kind, author, &assembler.lanes, violations);
            }
            ChunkTarget::Ambiguous(count) => ambiguous(kind, *count, violations),
        }
    }
}

impl RunChecks {
    /// Checks an event of a run that is neither its start, its end nor a chunk. One without an id violates no rule of
    /// sequence.
    fn check(
        &mut self,
        incoming: &Incoming<'_>,
        assembler: &Assembler,
        violations: &mut EventViolations<'_, '_>,
    ) {
        if incoming.effect == Effect::ReplacesMessages {
            return self.owners.forget(incoming.at);
        }
        let (event, subagent) = (incoming.event, incoming.subagent());
        let id = checked_id(incoming);
        let Some(id) = id.as_deref() else { return };
        match incoming.effect {
            Effect::StartsStep => self.steps.start(id, subagent, violations),
            Effect::FinishesStep => self.steps.finish(id, subagent, violations),
            Effect::StartsSubagent => {
                let parent = event.quiet_id(FieldKey::ParentSubagentRunId);
                self.subagents.start(id, parent.as_deref(), violations);
            }
            Effect::EndsSubagent => self.subagents.end(id, violations),
            Effect::Begins(kind) => {
                let is_allowed = items::begin(kind, id, &assembler.items, violations);
                if is_allowed {
                    self.owners.begin(kind, incoming, violations);
                }
            }
            Effect::Continues(kind) => {
                let is_allowed = items::continue_(kind, id, &assembler.items, violations);
                if is_allowed {
                    self.owners.go_on(kind.into(), id, subagent, violations);
                }
            }
            Effect::Ends(kind) => {
                let is_allowed = items::end(kind, id, &assembler.items, violations);
                if is_allowed {
                    self.owners.go_on(kind.into(), id, subagent, violations);
                }
            }
            // A result is a message of its own, which belongs to the author of the event.
            Effect::AnswersCall => self
                .owners
                .replace(Family::Message, id, subagent, incoming.at),
            Effect::SetsActivity => {
                let replace = event.raw(FieldKey::Replace);
                let keeps = replace.is_some_and(|replace| replace.get() == "false");
                if !keeps || !self.owners.is_known(Family::Activity, id) {
                    self.owners
                        .replace(Family::Activity, id, subagent, incoming.at);
                }
            }
            Effect::ChangesActivity => {
                self.owners
                    .go_on(Family::Activity, id, subagent, violations);
            }
            Effect::Encrypts => {
                let family = self.encrypted_family(event, id);
                self.owners.go_on(family, id, subagent, violations);
            }
            _ => {}
        }
    }

    /// The family of the item that an encrypted value belongs to.
    fn encrypted_family(&self, event: &WireEvent<'_>, id: &str) -> Family {
        let subtype = event.quiet_id(FieldKey::Subtype);
        if subtype.is_some_and(|subtype| subtype == "tool-call") {
            Family::Call
        } else if self.owners.is_known(Family::Message, id) {
            Family::Message
        } else {
            Family::Reasoning
        }
    }
}

/// The id of what an event is about, where rules of sequence are about it.
fn checked_id<'i>(incoming: &'i Incoming<'_>) -> Option<Cow<'i, str>> {
    let key = match incoming.effect {
        Effect::Begins(_) | Effect::Continues(_) | Effect::Ends(_) => {
            return incoming.id().map(Cow::Borrowed);
        }
        Effect::StartsStep | Effect::FinishesStep => FieldKey::StepName,
        Effect::StartsSubagent | Effect::EndsSubagent => FieldKey::SubagentRunId,
        Effect::Encrypts => FieldKey::EntityId,
        Effect::AnswersCall | Effect::SetsActivity | Effect::ChangesActivity => FieldKey::MessageId,
        _ => return None,
    };
    incoming.event.quiet_id(key)
}
