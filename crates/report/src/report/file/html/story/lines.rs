//! The texts and calls of a turn, and the selection of those that there is room for.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::run_document::milliseconds;
use ananke_base::text::grouped;
use ananke_trace::outcome::{
    CallFailure, CallOutcome, LateResult, ModelLine, Outcome, TranscriptLine,
};
use ananke_trace::trace::{EventNumber, Peer};

/// Something in the transcript.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum LineView<'a> {
    /// A message of the agent.
    Says {
        event: EventKey,
        /// The speaker, if it is not an agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        said_ms: Option<f64>,
        text: &'a str,
    },
    /// Its reasoning.
    Thinks { event: EventKey, text: &'a str },
    /// A tool call.
    Calls {
        event: EventKey,
        name: &'a str,
        args: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        started_ms: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<f64>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        mocked: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'static str>,
    },
    /// The result of a call of an earlier turn.
    Answered {
        event: EventKey,
        name: &'a str,
        called_in: u32,
        result: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arrived_ms: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'static str>,
    },
    /// An event of the application's own.
    Custom {
        event: EventKey,
        name: &'a str,
        value: &'a str,
    },
    /// A call to a model.
    Model {
        number: u32,
        model: &'a str,
        facts: String,
        asked: &'a str,
        answered: &'a str,
        request: &'a str,
        answer: &'a str,
    },
    /// The lines that there was no room for.
    LeftOut { lines: usize },
}

/// An event, as the page finds it: `2-5` is event 5 of turn 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub(crate) struct EventKey(pub(super) EventNumber);

impl From<EventKey> for String {
    fn from(EventKey(EventNumber { turn, number }): EventKey) -> Self {
        format!("{turn}-{number}")
    }
}

/// The tools that were called, each once, in the order of their first calls.
pub(crate) fn tools(outcome: &Outcome, most: usize) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in outcome.transcript.turns.iter().flat_map(|turn| &turn.lines) {
        if let TranscriptLine::Calls(call) = line
            && names.len() < most
            && !names.contains(&call.name.as_str())
        {
            names.push(&call.name);
        }
    }
    names
}

/// The lines that there is room for, and those that are `cited`: the first quarter and the end, where a test that stops
/// at its first failure has what matters.
pub(super) fn lines<'a>(
    lines: &'a [TranscriptLine],
    cited: &BTreeSet<EventNumber>,
    room: usize,
    peer: Peer,
) -> Vec<LineView<'a>> {
    let sizes: Vec<usize> = lines.iter().map(TranscriptLine::size).collect();
    let is_short = sizes.iter().sum::<usize>() <= room;
    let first = if is_short {
        lines.len()
    } else {
        fitting(sizes.iter(), room / 4)
    };
    let last = if is_short {
        0
    } else {
        lines.len() - fitting(sizes.iter().rev(), room - room / 4)
    };
    let mut views = Vec::new();
    let mut left_out = 0;
    for (index, line) in lines.iter().enumerate() {
        if index >= first && index < last && !cited.contains(&line.event()) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            views.push(LineView::LeftOut {
                lines: std::mem::take(&mut left_out),
            });
        }
        if !line.is_repetition() || cited.contains(&line.event()) {
            views.push(view(line, peer));
        }
    }
    if left_out > 0 {
        views.push(LineView::LeftOut { lines: left_out });
    }
    views
}

/// The number of these that fit.
fn fitting<'s>(sizes: impl Iterator<Item = &'s usize>, room: usize) -> usize {
    let mut used = 0;
    sizes
        .take_while(|size| (used += **size, used <= room).1)
        .count()
}

fn view(line: &TranscriptLine, peer: Peer) -> LineView<'_> {
    match line {
        TranscriptLine::Says(said) => LineView::Says {
            event: EventKey(said.event),
            by: said_by(peer),
            said_ms: said.at_us.map(milliseconds),
            text: &said.text,
        },
        TranscriptLine::Thinks(said) => LineView::Thinks {
            event: EventKey(said.event),
            text: &said.text,
        },
        TranscriptLine::Custom {
            event, name, value, ..
        } => LineView::Custom {
            event: EventKey(*event),
            name,
            value,
        },
        TranscriptLine::Calls(call) => self::call(call),
        TranscriptLine::Asks(asked) => model(asked),
        TranscriptLine::Answered(late) => {
            let LateResult {
                event,
                name,
                called_in,
                result,
                arrived_us,
                failure,
                id: _,
            } = late;
            LineView::Answered {
                event: EventKey(*event),
                name,
                called_in: *called_in,
                result,
                arrived_ms: arrived_us.map(milliseconds),
                failure: failure.map(CallFailure::as_str),
            }
        }
    }
}

/// The name that a page has for a peer of a test; `None` for an agent.
fn said_by(peer: Peer) -> Option<&'static str> {
    match peer {
        Peer::Agent => None,
        Peer::Server => Some("server"),
    }
}

fn model(line: &ModelLine) -> LineView<'_> {
    let mut facts = vec![line.api.clone(), line.answered_by.to_string()];
    if let Some(input) = line.input_tokens
        && let Some(output) = line.output_tokens
    {
        facts.push(format!("{} → {} tokens", grouped(input), grouped(output)));
    }
    if line.attempts > 1 {
        facts.push(format!("{} attempts", line.attempts));
    }
    LineView::Model {
        number: line.number,
        model: &line.model,
        facts: facts.join(", "),
        asked: &line.asked,
        answered: &line.answered,
        request: &line.request,
        answer: &line.answer,
    }
}

fn call(call: &CallOutcome) -> LineView<'_> {
    let CallOutcome {
        event,
        name,
        args,
        result,
        is_client_side,
        started_us,
        duration_us,
        failure,
        ..
    } = call;
    LineView::Calls {
        event: EventKey(*event),
        name,
        args,
        result: result.as_deref(),
        started_ms: started_us.map(milliseconds),
        duration_ms: duration_us.map(milliseconds),
        mocked: *is_client_side,
        failure: failure.map(CallFailure::as_str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::SaidLine;

    #[test]
    fn the_middle_is_left_out_but_for_what_is_cited() {
        let says = |number: u32| {
            TranscriptLine::Says(SaidLine {
                event: (1, number).into(),
                text: "x".repeat(100),
                ..SaidLine::default()
            })
        };
        let turn: Vec<TranscriptLine> = (1..=20).map(says).collect();
        let shown = |cited: &[u32], room| {
            let cited = cited.iter().map(|number| (1, *number).into()).collect();
            let views = lines(&turn, &cited, room, Peer::Agent);
            let word = |view: &LineView<'_>| match view {
                LineView::Says { event, .. } => event.0.number.to_string(),
                LineView::LeftOut { lines } => format!("({lines})"),
                other => format!("{other:?}"),
            };
            views.iter().map(word).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            shown(&[], 2000),
            (1..=20)
                .map(|n| n.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        );
        assert_eq!(shown(&[], 800), "1 2 (12) 15 16 17 18 19 20");
        assert_eq!(shown(&[7, 14], 800), "1 2 (4) 7 (6) 14 15 16 17 18 19 20");
        assert_eq!(shown(&[], 0), "(20)");
    }
}
