//! The report if a trigger violates its rule: the trigger, the step that came or did not come, and the thing that came nearest.

use super::happening::Happening;
use super::related_steps::{Relation, RunningRule, either};
use super::tied_step::TiedStep;
use crate::describe::{around, literally, said, short};
use crate::evaluation::{CallFocus, Evidence, Finding, View};
use crate::steps::StepMatcher;
use ananke_trace::trace::{MessageKind, Trace, TraceItem};

/// For how many violations of a rule the nearest candidate is looked for.
const EXPLAINED: usize = 20;

/// The most things that are looked at for one of them.
const CANDIDATES: usize = 1000;

/// A trigger that violates its rule.
pub(super) struct TriggerViolation {
    pub(super) trigger: Happening,
    /// The number of the pattern in the rule.
    pub(super) pattern: usize,
    /// The step that is missing, or that came.
    pub(super) step: TiedStep,
    /// The thing that came though it must not, if that is known.
    pub(super) cause: Option<Happening>,
}

/// Whether something is meant, or comes nearest to what is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closeness {
    Itself,
    Closest,
}

/// Makes findings, and remembers how many.
#[derive(Debug, Default)]
pub(super) struct Findings {
    explained: usize,
    is_warned: bool,
}

/// Something that comes near to a step.
struct NearestCause {
    happening: Happening,
    weight: usize,
    focus: CallFocus,
}

impl Findings {
    /// The warning about comparisons that could not be made, once.
    pub(super) fn take_warning(&mut self, not_checkable: u64) -> Option<String> {
        if not_checkable == 0 || std::mem::replace(&mut self.is_warned, true) {
            return None;
        }
        Some("an argument of `same` is missing in a call, which is then not the same".to_owned())
    }

    pub(super) fn finding(
        &mut self,
        view: &View<'_>,
        parts: &RunningRule,
        violation: &TriggerViolation,
    ) -> Finding {
        let (trace, trigger) = (view.trace, &violation.trigger);
        let relation = parts.patterns[violation.pattern].relation;
        let mut events: Vec<u32> = trigger.item.event(trace).into_iter().collect();
        let focus = CallFocus::default();
        let mut evidence = vec![shown(view, trigger, focus, Closeness::Itself)];
        if let Some(cause) = self.cause(trace, parts, violation, relation) {
            let NearestCause {
                happening,
                mut focus,
                weight,
            } = cause;
            if weight == 0 && !relation.is_negated() {
                let words = format!("it matches, but not {} the trigger", relation.word());
                focus.words.push(words);
            }
            events.extend(happening.item.event(trace));
            let closeness = if relation.is_negated() {
                Closeness::Itself
            } else {
                Closeness::Closest
            };
            evidence.push(shown(view, &happening, focus, closeness));
        }
        Finding {
            message: message(view, parts, violation, relation),
            expected: parts.expected.clone(),
            evidence,
            events,
            ..Finding::default()
        }
    }

    /// The thing that came though it must not, or of the first violations the one that comes nearest to what is missing.
    fn cause(
        &mut self,
        trace: &Trace,
        parts: &RunningRule,
        violation: &TriggerViolation,
        relation: Relation,
    ) -> Option<NearestCause> {
        if let Some(happening) = violation.cause {
            return Some(NearestCause {
                happening,
                weight: 0,
                focus: CallFocus::default(),
            });
        }
        if self.explained == EXPLAINED {
            return None;
        }
        self.explained += 1;
        nearest(trace, parts, violation, relation)
    }
}

/// The violation in one sentence.
fn message(
    view: &View<'_>,
    parts: &RunningRule,
    violation: &TriggerViolation,
    relation: Relation,
) -> String {
    let TriggerViolation { trigger, step, .. } = violation;
    let groups = &parts.patterns[violation.pattern].groups;
    let group = groups.iter().find(|group| group.contains(step));
    let wanted = group
        .filter(|_| !relation.is_negated())
        .map_or_else(|| step.describe(), |group| either(group));
    let whole = if parts.is_within_turn {
        " in its turn"
    } else {
        ""
    };
    let name = parts.name.as_ref().map(|name| format!("{name}: "));
    let (name, what) = (name.unwrap_or_default(), words(view, parts, trigger));
    let word = relation.word();
    if relation.is_negated() {
        format!("{name}{what}, and {wanted} came {word} it{whole}")
    } else {
        format!("{name}{what} without {wanted} {word} it{whole}")
    }
}

/// The trigger in words.
fn words(view: &View<'_>, parts: &RunningRule, trigger: &Happening) -> String {
    let Some(message) = trigger.item.message(view.trace) else {
        return view.describe(trigger.item);
    };
    let text = &message.text;
    let found = match &parts.trigger {
        StepMatcher::Message { pattern, .. } => pattern.find(text),
        StepMatcher::Call(_) | StepMatcher::Result(_) => None,
    };
    let quoted = found.map(|found| around(text, view.redactor.expand_to_secret(text, found)));
    let quoted = literally(&quoted.unwrap_or_default());
    format!("{} said `{quoted}`", view.speaker(message))
}

/// Something that happened, as evidence.
fn shown(
    view: &View<'_>,
    happening: &Happening,
    focus: CallFocus,
    closeness: Closeness,
) -> Evidence {
    let is_closest = closeness == Closeness::Closest;
    if let Some(index) = happening.item.call() {
        return Evidence::Call {
            index,
            focus,
            is_closest,
        };
    }
    let Some(message) = happening.item.message(view.trace) else {
        return Evidence::Words("an interrupt was answered".to_owned());
    };
    let whose = if message.role == MessageKind::User {
        "the user "
    } else {
        ""
    };
    let words = if focus.words.is_empty() {
        String::new()
    } else {
        format!(": {}", focus.words.join("; "))
    };
    let said = said(&literally(&short(&message.text)));
    let event = view.scope.event(view.trace, message.opened);
    Evidence::Words(format!("{event} {whose}{said}{words}"))
}

/// The thing that comes nearest to the step, of those that happened most recently.
fn nearest(
    trace: &Trace,
    parts: &RunningRule,
    violation: &TriggerViolation,
    relation: Relation,
) -> Option<NearestCause> {
    let TriggerViolation { trigger, step, .. } = violation;
    let wanted = step.step()?;
    let own = step.tie.of_trigger(trace, trigger);
    let candidates = recent(trace, wanted).filter(|happening| {
        let call = happening.item.call();
        let is_own = call.is_some() && call == trigger.item.call();
        happening != trigger && !is_own && (!parts.is_within_turn || happening.turn == trigger.turn)
    });
    let weighed = candidates.take(CANDIDATES).filter_map(|happening| {
        let mismatches = wanted.mismatches(trace, happening.item)?;
        let mut focus = mismatches.focus();
        let mut weight = mismatches.weight();
        let is_tied = own.is_some() && step.tie.of_step(trace, &happening) == own;
        if !step.tie.is_empty() && !is_tied {
            focus.words.push(format!("not{}", step.tie.describe()));
            weight += 1;
        }
        let is_answered = step.counts_from(trace, &happening) < trigger.order
            && happening.item.result(trace).is_some();
        if wanted.awaits_result() && !wanted.is_pending() && relation.is_before() && !is_answered {
            focus.words = vec!["it had no result yet".to_owned()];
            weight = weight.max(1);
        }
        let lies_so = if relation.is_before() {
            happening.order < trigger.order
        } else {
            happening.order > trigger.order
        };
        // What must not come lies where it must not.
        (!relation.is_negated() || weight == 0 && lies_so).then_some(NearestCause {
            happening,
            weight,
            focus,
        })
    });
    weighed.min_by_key(|nearest| nearest.weight)
}

/// The things that a step is about, the newest first; of a call its last result alone.
fn recent<'t>(trace: &'t Trace, wanted: &'t StepMatcher) -> impl Iterator<Item = Happening> + 't {
    let is_last = |item: TraceItem| match item {
        TraceItem::Result { call, .. } => trace.last_result(call) == Some(item),
        TraceItem::Message(_)
        | TraceItem::Call(_)
        | TraceItem::Answer { .. }
        | TraceItem::State(_)
        | TraceItem::ModelCall(_) => true,
    };
    Happening::all(trace, trace.log())
        .rev()
        .filter(move |Happening { item, .. }| is_last(*item) && wanted.is_about(trace, *item))
}
