//! A turn as readers get it: what was sent, what the agent did, and the results of the rules.

use schemars::JsonSchema;
use serde::Serialize;

use super::item_view::{ItemView, ToolCallView, items};
use super::omitted::{all_of, counted, filled, listed};
use super::raw_view::{EventView, ExchangeView, StateView};
use super::rule_view::{Assertion, ProblemView, assertions};
use crate::report::part::part;
use crate::report::words::duration::milliseconds;
use ananke_trace::outcome::{
    Gap, InputDecision, InputOrigin, OpenInterrupt, ReportedRunEnd, Status, TranscriptLine,
    TurnOutcome,
};
use ananke_trace::trace::{Tokens, Usage};

part! {
    /// One turn that was sent.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Turn")]
    pub(super) struct TurnView<'a> of (turn: &'a TurnOutcome) {
        let raw = turn.raw.as_deref();
        /// Its number, from 1.
        #[serde(rename = "turn")]
        number: u32 = turn.number;
        /// The `id` of the turn; omitted if it has none.
        id?: &'a str = turn.id.as_deref();
        /// The status of the turn.
        status: Status = turn.status();
        /// What was sent; for a file its type and size: `[image image/png, 12 KiB]`.
        input: &'a str = &turn.input;
        /// Where the input came from.
        input_source: InputOrigin = turn.origin;
        /// What the agent said: its messages joined by newlines. A message over 16 KiB is truncated, with a note.
        output: String = output(turn);
        /// What the agent did, in the order of its events: messages, calls, results, reasoning and custom events. A message and
        /// a call are where they started, a result where it arrived, also if the call is one of an earlier turn. If there are
        /// over 1000, the first and the last 500 are there, and a warning says so.
        items: Vec<ItemView<'a>> = items(turn);
        /// The tool calls, in the order of their start, each with its result.
        tool_calls: Vec<ToolCallView<'a>> = tool_calls(turn);
        /// From the request to the first text, in milliseconds; omitted if there was none.
        first_text_ms?: f64 = turn.timing.first_text_us.map(milliseconds);
        /// The longest time without an open tool call, in milliseconds; omitted if a trace does not show it.
        idle_ms?: f64 = turn.timing.gaps.as_deref().map(longest).map(milliseconds);
        /// How the run ended; for several runs in one response an error, otherwise the last end. Omitted if none ended.
        outcome?: RunOutcomeView = turn.run_end.as_ref().map(RunOutcomeView::of);
        /// The open interrupts; omitted if there are none.
        interrupts?: &'a [OpenInterrupt] = match &turn.run_end {
            Some(ReportedRunEnd::Interrupted(open)) => all_of(open),
            _ => None,
        };
        /// Whether the agent waits for input; omitted where that decides nothing.
        awaiting_input?: AwaitingInputView<'a> = turn.awaits.as_ref().map(AwaitingInputView::of);
        /// The tokens of the turn; omitted if the agent reports none.
        usage?: UsageView = turn.usage.and_then(|usage| UsageView::known(usage, Tokens::whole));
        /// The requests of the turn, each with the head of its response; omitted if the protocol has none, or if they are not kept
        /// (`report` in the config).
        #[schemars(extend("x-since" = "1.1"))]
        exchanges?: Vec<ExchangeView<'a>> =
            raw.and_then(|raw| listed(raw.exchanges.iter().map(ExchangeView::of)));
        /// What was received, event by event, as it was. By default of tests that did not pass: at most 256 KiB a test, first what
        /// the results rest on. Omitted if it is not kept.
        #[schemars(extend("x-since" = "1.1"))]
        events?: Vec<EventView<'a>> = raw.and_then(|raw| {
            listed(raw.events.iter().map(|event| EventView::of(event, turn.started_unix_ms)))
        });
        /// The agent's state before the turn, and how the turn changed it; omitted if it did not, or if that is not kept.
        #[schemars(extend("x-since" = "1.1"))]
        state?: StateView = raw.and_then(|raw| raw.state.as_ref()).map(StateView::of);
        /// How many exchanges, events and changes of the state are missing above, because they are too many; omitted if none is.
        #[schemars(extend("x-since" = "1.1"))]
        dropped?: usize = raw.and_then(|raw| counted(raw.dropped));
        /// The evaluated rules of this turn: first those that failed, then those that passed.
        assertions: Vec<Assertion<'a>> = assertions(turn.failures(), turn.passed_rules());
        /// Oddities of the protocol. A violation of the protocol's rules of order starts with the name of the rule:
        /// `text-still-open: …`. They do not fail a turn without `--strict-protocol`.
        warnings: &'a [String] = &turn.warnings;
        /// Why the turn could not be evaluated completely.
        error?: ProblemView<'a> = turn.problem().map(ProblemView::of);
        /// The agent's time, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: f64 = turn.duration_us.map(milliseconds);
        /// When the turn was sent, in Unix milliseconds; virtual for a scripted agent. Omitted if a trace does not show it.
        started?: u64 = turn.started_unix_ms;
        /// When its response ended, in Unix milliseconds on the same clock; omitted if a trace does not show it.
        ended?: u64 = turn.ended_unix_ms;
    }
}

part! {
    /// Tokens, as reported by the agent. A number is omitted if a part of it is unknown.
    #[derive(Debug, Serialize, JsonSchema)]
    #[expect(clippy::struct_field_names, reason = "the names of the format")]
    #[schemars(rename = "Usage")]
    pub(in crate::report) struct UsageView of (tokens: [Option<u64>; 3]) {
        /// Tokens that the models read.
        input_tokens?: u64 = tokens[0];
        /// Tokens that the models wrote.
        output_tokens?: u64 = tokens[1];
        /// Both together, as reported, otherwise their sum.
        total_tokens?: u64 = tokens[2];
    }
}

impl UsageView {
    /// The tokens by `count`, if it knows any.
    pub(super) fn known(usage: Usage, count: fn(Tokens) -> Option<u64>) -> Option<Self> {
        let tokens = [usage.input, usage.output, usage.total].map(count);
        tokens.iter().any(Option::is_some).then(|| Self::of(tokens))
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(super) enum RunOutcomeView {
    /// The run finished.
    Finished,
    /// The agent reported an error.
    Error,
    /// The agent waits for answers.
    Interrupted,
    /// The agent cancelled it.
    Cancelled,
}

impl RunOutcomeView {
    fn of(end: &ReportedRunEnd) -> Self {
        match end {
            ReportedRunEnd::Finished => Self::Finished,
            ReportedRunEnd::Error(_) => Self::Error,
            ReportedRunEnd::Cancelled => Self::Cancelled,
            ReportedRunEnd::Interrupted(_) => Self::Interrupted,
        }
    }
}

part! {
    /// Whether the agent waits for input, and how that was found out.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "AwaitingInput")]
    pub(super) struct AwaitingInputView<'a> of (awaits: &'a InputDecision) {
        /// Whether it waits.
        waits: bool = awaits.is_awaiting();
        #[serde(flatten)]
        decision: &'a InputDecision = awaits;
    }
}

fn output(turn: &TurnOutcome) -> String {
    let said = turn.lines.iter().filter_map(TranscriptLine::message);
    said.filter_map(filled).collect::<Vec<_>>().join("\n")
}

fn tool_calls(turn: &TurnOutcome) -> Vec<ToolCallView<'_>> {
    let calls = turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Calls(call) => Some(ToolCallView::of(turn, call)),
        _ => None,
    });
    calls.collect()
}

fn longest(gaps: &[Gap]) -> u64 {
    let lengths = gaps.iter().map(|gap| gap.to_us.saturating_sub(gap.from_us));
    lengths.max().unwrap_or_default()
}
