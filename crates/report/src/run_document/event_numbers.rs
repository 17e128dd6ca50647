//! The numbers of events in a document that is read. The events of a turn have their number alone there, and those that a rule
//! cites their turn too.
//!
//! Before version 1.2, the events of a test were counted from 0, and no turn was named.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use ananke_trace::outcome::{EvidenceLine, Outcome, RuleResult, TranscriptLine, TurnOutcome};
use ananke_trace::trace::{EventNumber, replace_events};

/// The turn of an event whose turn is not said.
pub(super) const UNSAID: u32 = 0;

/// An event that a rule cites.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct CitedEvent {
    /// The turn, from 1.
    #[schemars(extend("x-since" = "1.2"))]
    turn: u32,
    /// The number of the event in the turn, from 1.
    #[schemars(extend("x-since" = "1.2"))]
    event: u32,
}

/// The same, as versions before 1.2 have it, too.
#[derive(Deserialize)]
#[serde(untagged)]
enum CitedEventForm {
    InTurn { turn: u32, event: u32 },
    InTest(u32),
}

impl<'de> Deserialize<'de> for CitedEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match CitedEventForm::deserialize(deserializer)? {
            CitedEventForm::InTurn { turn, event } => Self { turn, event },
            CitedEventForm::InTest(event) => Self {
                turn: UNSAID,
                event,
            },
        })
    }
}

impl From<EventNumber> for CitedEvent {
    fn from(EventNumber { turn, number }: EventNumber) -> Self {
        Self {
            turn,
            event: number,
        }
    }
}

impl From<CitedEvent> for EventNumber {
    fn from(CitedEvent { turn, event }: CitedEvent) -> Self {
        Self {
            turn,
            number: event,
        }
    }
}

/// The events that rules cite.
pub(super) fn cited(events: &[EventNumber]) -> Option<Cow<'_, [CitedEvent]>> {
    let cited = || events.iter().copied().map(Into::into).collect();
    (!events.is_empty()).then(|| Cow::Owned(cited()))
}

/// The events of a document that is read.
pub(super) fn numbered(cited: &[CitedEvent]) -> Vec<EventNumber> {
    cited.iter().copied().map(Into::into).collect()
}

/// Calls `change` with each event of a turn.
pub(super) fn change_own(turn: &mut TurnOutcome, mut change: impl FnMut(&mut EventNumber)) {
    for line in &mut turn.lines {
        match line {
            TranscriptLine::Says(said) | TranscriptLine::Thinks(said) => change(&mut said.event),
            TranscriptLine::Custom { event, .. } => change(event),
            TranscriptLine::Answered(late) => change(&mut late.event),
            TranscriptLine::Asks(model) => change(&mut model.event),
            TranscriptLine::Calls(call) => {
                change(&mut call.event);
                change(&mut call.result_event);
            }
        }
    }
    if let Some(raw) = &mut turn.raw {
        raw.exchanges
            .iter_mut()
            .for_each(|exchange| change(&mut exchange.event));
        raw.events
            .iter_mut()
            .for_each(|event| change(&mut event.event));
        let state = raw.state.iter_mut().flat_map(|state| &mut state.changes);
        state.for_each(|changed| change(&mut changed.event));
    }
}

/// Counts the events of each turn from 1, in a test whose events were counted from 0. The first event of a turn is the first that
/// the document has of it.
pub(super) fn count_by_turn(outcome: &mut Outcome) {
    let mut firsts: Vec<EventNumber> = Vec::new();
    for turn in &mut outcome.transcript.turns {
        let mut first: Option<EventNumber> = None;
        change_own(turn, |event| {
            first = Some(first.map_or(*event, |first| first.min(*event)));
        });
        firsts.extend(first);
    }
    let counted = |event: EventNumber| {
        let is_before = |first: &&EventNumber| match event.turn {
            UNSAID => first.number <= event.number,
            turn => first.turn == turn,
        };
        let first = firsts.iter().rev().find(is_before).or(firsts.first());
        first.map_or(event, |first| EventNumber {
            turn: first.turn,
            number: event.number.saturating_sub(first.number) + 1,
        })
    };
    for turn in &mut outcome.transcript.turns {
        change_own(turn, |event| *event = counted(*event));
        count_cited(&mut turn.rules, Some(turn.number), counted);
    }
    count_cited(&mut outcome.verdict.rules, None, counted);
}

/// The same of the events that the results of rules about `turn` cite.
fn count_cited(
    rules: &mut [RuleResult],
    turn: Option<u32>,
    counted: impl Fn(EventNumber) -> EventNumber,
) {
    let shown = |event: EventNumber| {
        let number = counted(event);
        // Its turn is before it, if it was.
        let turn = if event.turn == UNSAID {
            turn
        } else {
            Some(number.turn)
        };
        Some(number.shown_in(turn))
    };
    for rule in rules {
        rule.events
            .iter_mut()
            .for_each(|event| *event = counted(*event));
        let differing = rule
            .differences
            .iter_mut()
            .filter_map(|difference| difference.event.as_mut());
        differing.for_each(|event| *event = counted(*event));
        rule.message = replace_events(&rule.message, UNSAID, shown);
        for seen in &mut rule.seen {
            match seen {
                EvidenceLine::Call { text, event, .. } => {
                    *event = counted(*event);
                    *text = replace_events(text, UNSAID, shown);
                }
                EvidenceLine::Words(text) => *text = replace_events(text, UNSAID, shown),
                EvidenceLine::Said(_) => {}
            }
        }
    }
}
