//! A turn as readers get it: what was sent, what the agent did, and the results of the rules.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::duration::{Dollars, Milliseconds};
use super::event_numbers::change_own;
use super::item_view::{ItemView, SaidView, ToolCallView, items};
use super::part;
use super::part::{all_of, counted, filled, listed};
use super::raw_view::{EventView, ExchangeView, StateView};
use super::rule_view::{Assertion, ErrorText, ProblemView, assertions};
use ananke_base::text::Usd;
use ananke_trace::outcome::{
    Gap, InputDecision, InputOrigin, ModelTotals, OpenInterrupt, RawTurn, ReportedRunEnd, Status,
    TimeLimits, Timing, TokenTotals, TranscriptLine, TurnEnd, TurnOutcome,
};
use ananke_trace::trace::{Cost, Tokens, Usage};

part! {
    /// One turn that was sent, or that was not needed.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Turn")]
    pub(crate) struct TurnView<'a> of (turn: &'a TurnOutcome) {
        let raw = turn.raw.as_deref();
        /// Its number, from 1.
        #[serde(rename = "turn")]
        number: u32 = turn.number;
        /// The `id` of the turn; omitted if it has none.
        id?: Cow<'a, str> = turn.id.as_deref().map(Cow::Borrowed);
        /// The status of the turn.
        status: TurnStatus = TurnStatus::of(turn);
        /// Why the turn was not sent, if the status is `not_needed`; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        not_needed?: Cow<'a, str> = turn.reason_not_needed().map(Cow::Borrowed);
        /// What was sent; for a file its type and size: `[image image/png, 12 KiB]`.
        input: Cow<'a, str> = Cow::Borrowed(&turn.input);
        /// Where the input came from.
        input_source: InputOrigin = turn.origin;
        /// What the agent said: its messages joined by newlines. A message over 16 KiB is truncated, with a note.
        #[serde(skip_deserializing)]
        output: String = output(turn);
        /// What the agent did, in the order of its events: messages, calls, results, reasoning and custom events. A message and
        /// a call are where they started, a result where it arrived, also if the call is one of an earlier turn. If there are
        /// over 1000, the first and the last 500 are there, and a warning says so.
        items: Vec<ItemView<'a>> = items(turn);
        /// The messages that say again what a call returned, as the answers of servers do; they are not in `items`. Omitted if
        /// there are none.
        #[schemars(extend("x-since" = "1.1"))]
        repeated?: Vec<SaidView<'a>> = repeated(turn);
        /// The tool calls, in the order of their start, each with its result.
        tool_calls: Vec<ToolCallView<'a>> = tool_calls(turn);
        /// From the request to the first text, in milliseconds; omitted if there was none.
        first_text_ms?: Milliseconds = turn.timing.first_text_us.map(Milliseconds);
        /// The longest time without an open tool call, in milliseconds; omitted if a trace does not show it.
        idle_ms?: Milliseconds = turn.timing.gaps.as_deref().map(longest).map(Milliseconds);
        /// Every stretch without an open tool call, in order; omitted if there is none.
        #[schemars(extend("x-since" = "1.1"))]
        gaps?: Vec<GapView> =
            turn.timing.gaps.as_ref().and_then(|gaps| listed(gaps.iter().map(GapView::of)));
        /// The limits of the times of the turn; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        limits?: LimitsView = counted(turn.timing.limits).map(LimitsView::of);
        /// How the run ended; for several runs in one response an error, otherwise the last end. Omitted if none ended.
        outcome?: RunOutcomeView = turn.run_end.as_ref().map(RunOutcomeView::of);
        /// The message of the agent's error, if the run ended with one; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        outcome_message?: Cow<'a, str> = match &turn.run_end {
            Some(ReportedRunEnd::Error(message)) => Some(Cow::Borrowed(message)),
            _ => None,
        };
        /// The open interrupts; omitted if there are none.
        interrupts?: Cow<'a, [OpenInterrupt]> = match &turn.run_end {
            Some(ReportedRunEnd::Interrupted(open)) => all_of(open),
            _ => None,
        };
        /// Whether the agent waits for input, on every turn of a test that may continue with it; omitted in any other test.
        awaiting_input?: AwaitsInput<'a> =
            turn.awaits.as_ref().map(|awaits| AwaitsInput::Waits(awaits.is_awaiting()));
        /// How that was found out; omitted with it.
        #[schemars(extend("x-since" = "1.1"))]
        awaiting?: Cow<'a, InputDecision> = turn.awaits.as_ref().map(Cow::Borrowed);
        /// The tokens of the turn; omitted if the agent reports none.
        usage?: UsageView = turn.usage.and_then(|usage| UsageView::known(usage, Tokens::whole));
        /// What is known of the tokens of which a part is unknown; omitted if there is nothing.
        #[schemars(extend("x-since" = "1.1"))]
        partial_usage?: UsageView = turn.usage.and_then(|usage| UsageView::known(usage, partial));
        /// The cost of these tokens in US dollars; omitted if it is not known, or not all of it.
        #[schemars(extend("x-since" = "1.2"))]
        cost_usd?: Dollars = turn.usage.and_then(|usage| usage.cost.whole()).map(Dollars);
        /// The known cost, if a part of it is unknown; omitted if there is nothing.
        #[schemars(extend("x-since" = "1.2"))]
        partial_cost_usd?: Dollars = turn.usage.and_then(|usage| partial_cost(usage.cost));
        /// The reasons why the cost is not known, or not all of it; omitted if it is, or if the config has no `prices`.
        #[schemars(extend("x-since" = "1.2"))]
        cost_not_shown?: Cow<'a, [String]> = all_of(&turn.cost_gaps);
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
        state?: StateView<'a> = raw.and_then(|raw| raw.state.as_ref()).map(StateView::of);
        /// How many exchanges, events and changes of the state are missing above, because they are too many; omitted if none is.
        #[schemars(extend("x-since" = "1.1"))]
        dropped?: usize = raw.and_then(|raw| counted(raw.dropped));
        /// The evaluated rules of this turn: first those that failed, then those that passed.
        assertions: Vec<Assertion<'a>> = assertions(turn.failures(), turn.passed_rules());
        /// Oddities of the protocol. A violation of the protocol's rules of order starts with the name of the rule:
        /// `text-still-open: …`. They do not fail a turn without `--strict-protocol`.
        warnings: Cow<'a, [String]> = Cow::Borrowed(&turn.warnings);
        /// Why the turn could not be evaluated completely.
        error?: ErrorText<'a> = turn.problem().map(ErrorText::of);
        /// What else is known of the `error`; omitted without one.
        #[schemars(extend("x-since" = "1.1"))]
        problem?: ProblemView<'a> = turn.problem().map(|problem| ProblemView::of(problem, 0));
        /// The agent's time, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: Milliseconds = turn.duration_us.map(Milliseconds);
        /// When the turn was sent, in Unix milliseconds; virtual for a scripted agent. Omitted if a trace does not show it.
        started?: u64 = turn.started_unix_ms;
        /// When its response ended, in Unix milliseconds on the same clock; omitted if a trace does not show it.
        ended?: u64 = turn.ended_unix_ms;
    }
}

impl From<TurnView<'_>> for TurnOutcome {
    fn from(read: TurnView<'_>) -> Self {
        let lines = lines(read.tool_calls, read.repeated, read.items);
        let interrupts = read.interrupts.unwrap_or_default().into_owned();
        let message = read.outcome_message.unwrap_or_default();
        let gaps = read.gaps.into_iter().flatten().map(Into::into).collect();
        let raw = RawTurn {
            exchanges: read
                .exchanges
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            events: read.events.into_iter().flatten().map(Into::into).collect(),
            state: read.state.map(Into::into),
            dropped: read.dropped.unwrap_or_default(),
        };
        let cost = read_cost(read.cost_usd, read.partial_cost_usd);
        let mut turn = Self {
            number: read.number,
            id: read.id.map(Into::into),
            input: read.input.into(),
            origin: read.input_source,
            lines,
            started_unix_ms: read.started,
            ended_unix_ms: read.ended,
            duration_us: read.duration_ms.map(|ms| ms.0),
            timing: Timing {
                first_text_us: read.first_text_ms.map(|ms| ms.0),
                gaps: read.idle_ms.is_some().then_some(gaps),
                limits: read.limits.map(Into::into).unwrap_or_default(),
            },
            run_end: read.outcome.map(|end| match end {
                RunOutcomeView::Finished => ReportedRunEnd::Finished,
                RunOutcomeView::Error => ReportedRunEnd::Error(message.into()),
                RunOutcomeView::Cancelled => ReportedRunEnd::Cancelled,
                RunOutcomeView::Interrupted => ReportedRunEnd::Interrupted(interrupts),
            }),
            usage: UsageView::read(read.usage, read.partial_usage)
                .map(|usage| Usage { cost, ..usage }),
            cost_gaps: read.cost_not_shown.unwrap_or_default().into_owned(),
            awaits: match (read.awaiting, read.awaiting_input) {
                (Some(decision), _) | (None, Some(AwaitsInput::Whole(decision))) => {
                    Some(decision.into_owned())
                }
                (None, _) => None,
            },
            end: match read.error.map(|error| error.with(read.problem)) {
                Some(problem) => TurnEnd::Problem(problem.problem(read.status.verdict())),
                None => read.status.end(read.not_needed),
            },
            rules: read.assertions.into_iter().map(Into::into).collect(),
            warnings: read.warnings.into_owned(),
            raw: (!raw.is_empty()).then(|| Box::new(raw)),
        };
        change_own(&mut turn, |event| event.turn = read.number);
        turn
    }
}

/// The status of a turn.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TurnStatus {
    /// That of a turn that was sent.
    Sent(Status),
    /// It was not sent: its condition was not met.
    NotSent(NotNeeded),
}

/// The word of a turn that was not needed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotNeeded {
    NotNeeded,
}

impl JsonSchema for TurnStatus {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TurnStatus".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut sent = generator.subschema_for::<Status>();
        sent.insert("x-since".to_owned(), "1.2".into());
        json_schema!({ "anyOf": [
            sent,
            {
                "title": "not_needed",
                "description": "The turn was not sent: its condition was not met.",
                "type": "string",
                "const": "not_needed",
                "x-since": "1.2",
            },
        ]})
    }
}

impl Default for TurnStatus {
    fn default() -> Self {
        Self::Sent(Status::default())
    }
}

impl TurnStatus {
    fn of(turn: &TurnOutcome) -> Self {
        match turn.reason_not_needed() {
            Some(_) => Self::NotSent(NotNeeded::NotNeeded),
            None => Self::Sent(turn.status()),
        }
    }

    fn verdict(self) -> Status {
        match self {
            Self::Sent(status) => status,
            Self::NotSent(_) => Status::Passed,
        }
    }

    /// The end of a turn without a problem; `reason` is why it was not needed.
    fn end(self, reason: Option<Cow<'_, str>>) -> TurnEnd {
        match self {
            Self::NotSent(_) => TurnEnd::NotNeeded(reason.unwrap_or_default().into_owned()),
            Self::Sent(Status::Skipped) => TurnEnd::Stopped,
            Self::Sent(_) => TurnEnd::Evaluated,
        }
    }
}

/// The lines of a transcript, in the order of the events of the agent.
fn lines(
    calls: Vec<ToolCallView<'_>>,
    repeated: Option<Vec<SaidView<'_>>>,
    items: Vec<ItemView<'_>>,
) -> Vec<TranscriptLine> {
    let calls = calls
        .into_iter()
        .map(|call| TranscriptLine::Calls(call.into()));
    let repeated = repeated.into_iter().flatten().map(|said| {
        let mut line = said.line(TranscriptLine::Says);
        if let TranscriptLine::Says(said) = &mut line {
            said.repeats_result = true;
        }
        line
    });
    let items = items.into_iter().filter_map(ItemView::line);
    let mut lines: Vec<TranscriptLine> = calls.chain(repeated).chain(items).collect();
    lines.sort_by_key(TranscriptLine::place);
    lines
}

part! {
    /// A stretch of the time of a turn.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Gap")]
    pub(crate) struct GapView of (gap: &Gap) {
        /// Its start, in milliseconds from the start of the turn, with up to three decimals.
        from_ms: Milliseconds = Milliseconds(gap.from_us);
        /// Its end, counted in the same way.
        to_ms: Milliseconds = Milliseconds(gap.to_us);
    }
}

impl From<GapView> for Gap {
    fn from(read: GapView) -> Self {
        Self {
            from_us: read.from_ms.0,
            to_us: read.to_ms.0,
        }
    }
}

part! {
    /// The limits of the times of a turn, in milliseconds. One is omitted if there is none.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Limits")]
    #[expect(clippy::struct_field_names, reason = "the names of the format")]
    pub(crate) struct LimitsView of (limits: TimeLimits) {
        /// The limit of the turn as a whole.
        duration_ms?: u64 = limits.duration_ms;
        /// The limit of each stretch without an open tool call.
        idle_ms?: u64 = limits.idle_ms;
        /// The limit of the wait for the first text.
        first_text_ms?: u64 = limits.first_text_ms;
        /// The limit of each call.
        tool_ms?: u64 = limits.tool_ms;
    }
}

impl From<LimitsView> for TimeLimits {
    fn from(read: LimitsView) -> Self {
        Self {
            duration_ms: read.duration_ms,
            idle_ms: read.idle_ms,
            first_text_ms: read.first_text_ms,
            tool_ms: read.tool_ms,
        }
    }
}

part! {
    /// Tokens, as reported by the agent. A number is omitted if a part of it is unknown.
    #[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
    #[expect(clippy::struct_field_names, reason = "the names of the format")]
    #[schemars(rename = "Usage")]
    pub(crate) struct UsageView of (tokens: [Option<u64>; 4]) {
        /// Tokens that the models read.
        input_tokens?: u64 = tokens[0];
        /// Input tokens that servers had in a cache.
        #[schemars(extend("x-since" = "1.2"))]
        cached_tokens?: u64 = tokens[3];
        /// Tokens that the models wrote.
        output_tokens?: u64 = tokens[1];
        /// Both together, as reported, otherwise their sum.
        total_tokens?: u64 = tokens[2];
    }
}

impl UsageView {
    /// The tokens by `count`, if it knows any.
    pub(crate) fn known(usage: Usage, count: fn(Tokens) -> Option<u64>) -> Option<Self> {
        let tokens = [usage.input, usage.output, usage.total, usage.cached].map(count);
        if tokens == [None; 4] {
            return None;
        }
        Some(Self::of(tokens))
    }

    /// The tokens of which these are known whole, and these in part; `None` if none are.
    pub(crate) fn read(whole: Option<Self>, partial: Option<Self>) -> Option<Usage> {
        if whole.is_none() && partial.is_none() {
            return None;
        }
        let whole = Self::counts(whole);
        let partial = Self::counts(partial);
        let tokens = |index: usize| Tokens {
            counted: whole[index].or(partial[index]).unwrap_or_default(),
            is_partial: whole[index].is_none(),
        };
        Some(Usage {
            input: tokens(0),
            output: tokens(1),
            total: tokens(2),
            cached: tokens(3),
            cost: Cost::UNKNOWN,
        })
    }

    /// The numbers in the order of [`Self::of`]; none if there is no view.
    fn counts(view: Option<Self>) -> [Option<u64>; 4] {
        let Some(view) = view else {
            return [None; 4];
        };
        [
            view.input_tokens,
            view.output_tokens,
            view.total_tokens,
            view.cached_tokens,
        ]
    }
}

/// The count, if a part of it is unknown and another is not.
pub(crate) fn partial(tokens: Tokens) -> Option<u64> {
    if tokens.is_partial && tokens.counted > 0 {
        Some(tokens.counted)
    } else {
        None
    }
}

/// The known part of a cost, if a part of it is unknown and another is not.
pub(crate) fn partial_cost(cost: Cost) -> Option<Dollars> {
    if cost.is_partial && cost.known > Usd(0) {
        Some(Dollars(cost.known))
    } else {
        None
    }
}

/// The cost of which this is known whole, or this in part.
pub(crate) fn read_cost(whole: Option<Dollars>, partial: Option<Dollars>) -> Cost {
    Cost {
        known: whole.or(partial).unwrap_or_default().0,
        is_partial: whole.is_none(),
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(crate) enum RunOutcomeView {
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

/// Whether the agent waits for input. Reports of before have all that is known of it here.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum AwaitsInput<'a> {
    /// Whether it does.
    Waits(bool),
    #[schemars(skip)]
    #[serde(skip_serializing)]
    Whole(Cow<'a, InputDecision>),
}

fn repeated(turn: &TurnOutcome) -> Option<Vec<SaidView<'_>>> {
    listed(turn.lines.iter().filter_map(|line| match line {
        TranscriptLine::Says(said) if said.repeats_result => Some(SaidView::of(turn, said)),
        _ => None,
    }))
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

part! {
    /// The tokens of several turns.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "TokenTotals")]
    pub(crate) struct TokensView of (tokens: TokenTotals) {
        /// The sum of what was reported; a number is omitted if a part of it is unknown.
        usage?: UsageView = UsageView::known(tokens.usage, |tokens| tokens.whole().and_then(counted));
        /// What is known of the numbers of which a part is unknown; omitted if there is nothing.
        partial_usage?: UsageView = UsageView::known(tokens.usage, partial);
        /// The number of turns of agents.
        turns: usize = tokens.turns;
        /// How many of these turns reported no tokens; omitted if all reported some.
        without_usage?: usize = counted(tokens.unreported);
        /// The cost in US dollars, as far as it is known; omitted if nothing of it is.
        #[schemars(extend("x-since" = "1.2"))]
        cost_usd?: Dollars = tokens.cost().map(|cost| Dollars(cost.known));
        /// The number of these turns whose cost is not known, or not all of it; omitted with the cost, and if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        without_cost?: usize = tokens.cost().and_then(|_| counted(tokens.uncosted));
    }
}

impl From<TokensView> for TokenTotals {
    fn from(read: TokensView) -> Self {
        read.totals()
    }
}

impl TokensView {
    /// The tokens as they were written.
    pub(crate) fn totals(&self) -> TokenTotals {
        let read = self;
        let mut usage = UsageView::read(read.usage, read.partial_usage).unwrap_or_default();
        // A document without a cost is one in which no turn has one.
        let uncosted = match read.cost_usd {
            Some(_) => read.without_cost.unwrap_or_default(),
            None => read.turns,
        };
        usage.cost = Cost {
            known: read.cost_usd.unwrap_or_default().0,
            is_partial: uncosted > 0,
        };
        TokenTotals {
            usage,
            turns: read.turns,
            unreported: read.without_usage.unwrap_or_default(),
            uncosted,
            model_calls: ModelTotals::default(),
        }
    }
}
