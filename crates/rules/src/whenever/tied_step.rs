//! A step before or after a trigger.

use super::happening::Happening;
use super::key::Tie;
use crate::select::{ArgumentReading, ToolName};
use crate::steps::StepMatcher;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{self, AnswerStatus, StepKeys};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Fact, Facts, InterruptStatus, Trace, TraceItem};

/// The value of `call` that means the tool of the trigger.
const SAME: &str = "same";

/// A step, and what it has in common with its trigger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TiedStep {
    pub(super) wanted: Wanted,
    pub(super) tie: Tie,
}

/// The kind of a trigger: the values that a step can have in common with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TriggerKind {
    /// It is a call or a result: a tool, and arguments.
    Call,
    /// It is a message: neither.
    Message,
}

/// The thing that a step wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// A call, a result or a message.
    Step(Box<StepMatcher>),
    /// An interrupt that was answered, in this way if one is said.
    Answer(Option<AnswerStatus>),
}

impl Wanted {
    /// Checks and fills what a step wants.
    fn compile(
        written: &Spanned<model::CauseStep>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let keys = &written.value.keys;
        match &written.value.answered {
            Some(answered) if has_step(keys) => {
                let message =
                    "a step is one of `call`, `result`, `says` and `answered`, not several";
                let help = "write a step for each of them".to_owned();
                interpolation.report(Code::Contradiction, answered.span, message, Some(help));
                None
            }
            Some(answered) => Some(Self::Answer(answered.value.status)),
            None => StepMatcher::compile(keys, written.span, interpolation)
                .map(|step| Self::Step(Box::new(step))),
        }
    }
}

impl TiedStep {
    /// The facts that it rests on.
    pub(super) fn needs(&self) -> Facts {
        let needs = match &self.wanted {
            Wanted::Step(step) => step.needs(),
            Wanted::Answer(_) => Facts::of(&[Fact::Interrupts]),
        };
        needs.with((!self.tie.is_empty()).then_some(Fact::Arguments))
    }

    /// Checks and fills a step of a rule whose trigger is of this kind.
    pub(super) fn compile(
        written: &Spanned<model::CauseStep>,
        of_trigger: TriggerKind,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let model::CauseStep { keys, same, .. } = &written.value;
        let is_same_tool = is_same_tool(keys);
        let is_sound = !reports_untied(written, of_trigger, interpolation);
        let tie = same
            .as_ref()
            .map(|same| Tie::compile(&same.value, same.span, interpolation));
        let mut wanted = Wanted::compile(written, interpolation)?;
        let paths = tie.map_or(Some(Vec::new()), |paths| paths)?;
        if let Wanted::Step(step) = &mut wanted
            && let StepMatcher::Call(selector) | StepMatcher::Result(selector) = &mut **step
            && is_same_tool
        {
            selector.name = ToolName::OfTrigger;
        }
        is_sound.then_some(Self {
            wanted,
            tie: Tie {
                is_same_tool,
                paths,
            },
        })
    }

    /// Whether it wants the call of a result of this tool, and nothing else of it.
    pub(super) fn includes_own_call(&self, trigger: &ToolName) -> bool {
        let Some(StepMatcher::Call(selector)) = self.step() else {
            return false;
        };
        let is_any =
            selector.args.is_empty() && selector.result.is_empty() && self.tie.paths.is_empty();
        is_any && (self.tie.is_same_tool || selector.name.surely_includes(trigger))
    }

    /// The thing that is wanted, in words.
    pub(super) fn describe(&self) -> String {
        match &self.wanted {
            Wanted::Step(step) => format!("{}{}", step.describe(), self.tie.describe()),
            Wanted::Answer(None) => "an answer to an interrupt".to_owned(),
            Wanted::Answer(Some(AnswerStatus::Resolved)) => {
                "an interrupt that was resolved".to_owned()
            }
            Wanted::Answer(Some(AnswerStatus::Cancelled)) => {
                "an interrupt that was cancelled".to_owned()
            }
        }
    }

    /// The same step with its patterns compiled.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let wanted = match &self.wanted {
            Wanted::Step(step) => Wanted::Step(Box::new(step.started(patterns)?)),
            Wanted::Answer(status) => Wanted::Answer(*status),
        };
        Ok(Self {
            wanted,
            tie: self.tie.clone(),
        })
    }

    /// The call, the result or the message that it wants.
    pub(super) fn step(&self) -> Option<&StepMatcher> {
        match &self.wanted {
            Wanted::Step(step) => Some(step),
            Wanted::Answer(_) => None,
        }
    }

    /// Whether something is what the step wants, whatever its trigger.
    pub(super) fn matches(
        &self,
        trace: &Trace,
        happening: &Happening,
        reading: ArgumentReading,
    ) -> bool {
        match (&self.wanted, happening.item) {
            (Wanted::Step(step), _) => happening.is(step, trace, reading),
            (Wanted::Answer(wanted), TraceItem::Answer { turn, nth }) => {
                let status = match trace.turns[turn].input.answered[nth as usize].status {
                    InterruptStatus::Resolved => AnswerStatus::Resolved,
                    InterruptStatus::Cancelled => AnswerStatus::Cancelled,
                };
                wanted.is_none_or(|wanted| wanted == status)
            }
            (Wanted::Answer(_), _) => false,
        }
    }

    /// From where on something that matches counts.
    pub(super) fn counts_from(&self, trace: &Trace, happening: &Happening) -> u64 {
        self.step()
            .map_or(happening.order, |step| happening.counts_from(step, trace))
    }
}

/// Reports what the step or its trigger cannot have in common with the other.
fn reports_untied(
    written: &Spanned<model::CauseStep>,
    of_trigger: TriggerKind,
    interpolation: &mut Interpolation<'_>,
) -> bool {
    let model::CauseStep { keys, same, .. } = &written.value;
    let same = same.as_ref().map(|same| same.span);
    let mut is_any = false;
    let mut report = |span, message: &str, help: &str| {
        interpolation.report(Code::Contradiction, span, message, Some(help.to_owned()));
        is_any = true;
    };
    let is_tool = keys.call.is_some() || keys.result.is_some();
    if let Some(span) = same.filter(|_| !is_tool) {
        report(
            span,
            "`same` goes with `call` and `result`",
            "drop it: only calls have arguments",
        );
    }
    let tied = same.or(is_same_tool(keys).then_some(written.span));
    if let Some(span) = tied.filter(|_| of_trigger == TriggerKind::Message) {
        report(
            span,
            "a message has no tool and no arguments that could be the same",
            "write a `call` or a `result` as the trigger, or drop `same`",
        );
    }
    is_any
}

/// Whether the tool is written as `same`, and not as the name of a tool in a mapping.
fn is_same_tool(keys: &StepKeys) -> bool {
    let call = keys
        .call
        .as_ref()
        .map(|call| (call.span, call.value.name.as_ref()));
    let result = keys
        .result
        .as_ref()
        .map(|result| (result.span, result.value.name.as_ref()));
    let written = call.or(result);
    written.is_some_and(|(span, name)| {
        name.is_some_and(|name| name.value == SAME && name.span == span)
    })
}

fn has_step(keys: &StepKeys) -> bool {
    keys.call.is_some() || keys.result.is_some() || keys.says.is_some()
}
