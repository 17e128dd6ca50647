//! From the spans of a conversation to its turns.
//!
//! A run of an agent is a turn; without such spans, a new message of the user begins one. What a model gives comes at the end
//! of its span; a call is answered at the end of the span that executes it, else by a message. What is below a tool is done by a
//! subagent.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::model_answers::ModelAnswers;
use super::nested_spans::merge;
use super::observed_span::PlacedSpan;
use super::span_messages::{missing_in, unread_of};
use crate::conventions::SpanKind;
use crate::conversation_builder::ConversationBuilder;
use crate::message_item::MessageItem;
use crate::tool_end::ToolEnd;
use ananke_conversation::observed::ObservedConversation;
use ananke_trace::trace::{Fact, Facts, RunEnd};

/// The facts that spans can show at best.
const SHOWN: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
    Fact::Text,
    Fact::UserText,
    Fact::TurnTimes,
    Fact::CallTimes,
    Fact::Usage,
    Fact::RunEnds,
]);

/// Something that a span does at a moment; of two at one moment the end comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SpanEdge {
    Ends,
    Begins,
}

/// The conversation that these spans are of.
pub(super) fn conversation(thread_id: &str, mut spans: Vec<PlacedSpan>) -> ObservedConversation {
    let has_times = spans.iter().all(|placed| placed.span.times.is_some());
    if !has_times {
        // In the order of the file.
        for (index, placed) in (1..).zip(&mut spans) {
            placed.span.times = Some((index * 2, index * 2 + 1));
        }
    }
    let began = |placed: &PlacedSpan| placed.span.times.unwrap_or_default().0;
    spans.sort_by_key(began);
    merge(&mut spans);
    let runs = AgentRuns::of(&mut spans);
    let origin = spans.first().map(began).unwrap_or_default();
    let builder = ConversationBuilder::new(thread_id);
    let mut reader = SpanReader {
        builder: if has_times {
            builder.beginning_at(origin)
        } else {
            builder
        },
        runs,
        turn: None,
        has_answered: false,
        calls: HashMap::new(),
        answers: ModelAnswers::default(),
        last: origin,
        failure: None,
        is_run_missing: false,
    };
    if !has_times {
        reader.builder.warn(
            "there are spans without times: they are read in the order of the file".to_owned(),
        );
        reader.builder.lacks(Fact::TurnTimes);
        reader.builder.lacks(Fact::CallTimes);
    }
    reader.note_missing(&spans);
    for (at, moment, _, _, index) in moments(&spans) {
        reader.take(at, moment, index, &mut spans[index]);
    }
    reader.finish(origin)
}

/// A moment at which a span begins or ends. What ends together ends from the inside to the outside.
type SpanMoment = (u64, SpanEdge, Reverse<u64>, Reverse<usize>, usize);

/// The beginnings and ends of spans, in the order of time, each with the index of its span last.
fn moments(spans: &[PlacedSpan]) -> Vec<SpanMoment> {
    let mut moments = Vec::new();
    let mut ends: Vec<u64> = Vec::with_capacity(spans.len());
    for placed in spans {
        let (began, ended) = placed.span.times.unwrap_or_default();
        ends.push(ended.max(began + 1));
    }
    // A span that has no length ends later than it says, and what it is in does not end before.
    let places: HashMap<u64, usize> = (0..)
        .zip(spans)
        .map(|(index, placed)| (placed.id, index))
        .collect();
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|index| Reverse(spans[*index].depth));
    for inner in order {
        let outer = spans[inner]
            .within
            .and_then(|outer| places.get(&outer).copied());
        let Some(outer) = outer else { continue };
        let ended = |index: usize| spans[index].span.times.unwrap_or_default().1;
        if ended(inner) <= ended(outer) {
            ends[outer] = ends[outer].max(ends[inner]);
        }
    }
    for (index, placed) in spans.iter().enumerate() {
        let (began, _) = placed.span.times.unwrap_or_default();
        moments.push((began, SpanEdge::Begins, Reverse(0), Reverse(0), index));
        let inner_first = Reverse(placed.depth);
        moments.push((
            ends[index],
            SpanEdge::Ends,
            Reverse(began),
            inner_first,
            index,
        ));
    }
    moments.sort_unstable();
    moments
}

/// The runs of the agent, and those among them in which a model was asked.
struct AgentRuns {
    /// The moment at which each began.
    all: HashMap<u64, u64>,
    with_models: HashSet<u64>,
}

impl AgentRuns {
    /// The runs of `spans`. A span of a run in which no model was asked replaces the model, if it has messages.
    fn of(spans: &mut [PlacedSpan]) -> Self {
        let is_run = |placed: &&mut PlacedSpan| {
            placed.span.kind == SpanKind::Agent && placed.run == Some(placed.id)
        };
        let began = |placed: &PlacedSpan| placed.span.times.unwrap_or_default().0;
        let all = spans
            .iter_mut()
            .filter(is_run)
            .map(|placed| (placed.id, began(placed)))
            .collect();
        let models = spans
            .iter()
            .filter(|placed| placed.span.kind == SpanKind::Model);
        let mut with_models: HashSet<u64> = models.filter_map(|placed| placed.run).collect();
        for placed in spans.iter_mut().filter(is_run) {
            let has_messages =
                placed.span.messages.input.is_some() || placed.span.messages.output.is_some();
            if has_messages && with_models.insert(placed.id) {
                placed.span.kind = SpanKind::Model;
            }
        }
        Self { all, with_models }
    }
}

/// The turn that is being read.
struct OpenTurn {
    run: Option<u64>,
    asked: Option<String>,
}

/// Reads the spans of a conversation in the order of time.
struct SpanReader {
    builder: ConversationBuilder,
    runs: AgentRuns,
    turn: Option<OpenTurn>,
    /// Whether a model has answered in the running turn.
    has_answered: bool,
    /// The calls that spans execute, by the indices of the spans.
    calls: HashMap<usize, String>,
    answers: ModelAnswers,
    /// The moment of the last thing that happened.
    last: u64,
    /// The failure of the turn's run.
    failure: Option<RunEnd>,
    /// Whether a turn has no run of an agent, so that nothing says how it ended.
    is_run_missing: bool,
}

impl SpanReader {
    /// Takes what a span does at a moment.
    fn take(&mut self, at: u64, moment: SpanEdge, index: usize, placed: &mut PlacedSpan) {
        match (placed.span.kind, moment) {
            (SpanKind::Model, SpanEdge::Begins) => self.model_begins(at, index, placed),
            (SpanKind::Model, SpanEdge::Ends) => self.model_ends(at, index, placed),
            (SpanKind::Tool, SpanEdge::Begins) => self.tool_begins(at, index, placed),
            (SpanKind::Tool, SpanEdge::Ends) => self.tool_ends(at, index, placed),
            (SpanKind::Agent | SpanKind::Silent, SpanEdge::Begins) => {}
            (SpanKind::Silent, SpanEdge::Ends) => {
                let unread = std::mem::take(&mut placed.span.unread);
                self.builder.is_unread(at, unread);
            }
            (SpanKind::Agent, SpanEdge::Ends) => self.agent_ends(at, placed),
        }
    }

    /// Notes what no span of a kind shows.
    fn note_missing(&mut self, spans: &[PlacedSpan]) {
        let of_agent = || spans.iter().filter(|placed| placed.subagent.is_none());
        let has_tools = of_agent().any(|placed| placed.span.kind == SpanKind::Tool);
        let models = || {
            of_agent()
                .filter(|placed| placed.span.kind == SpanKind::Model && placed.span.error.is_none())
        };
        let has_models = of_agent().any(|placed| placed.span.kind == SpanKind::Model);
        if !has_models || models().any(|placed| placed.span.messages.output.is_none()) {
            self.builder.lacks(Fact::Text);
            if !has_tools {
                self.builder.lacks(Fact::Calls);
            }
        }
        if !has_models || models().any(|placed| placed.span.usage.is_none()) {
            self.builder.lacks(Fact::Usage);
        }
    }

    fn begin_turn(&mut self, at: u64, run: Option<u64>, asked: Option<String>) {
        self.end_turn();
        let began = run.and_then(|run| self.runs.all.get(&run)).copied();
        self.is_run_missing |= began.is_none();
        self.builder
            .begin_turn(began.unwrap_or(at).min(at), asked.as_deref());
        self.turn = Some(OpenTurn { run, asked });
        (self.has_answered, self.last) = (false, at);
    }

    fn end_turn(&mut self) {
        if self.turn.take().is_some() {
            let end = self.failure.take().unwrap_or(RunEnd::Finished);
            if end == RunEnd::Finished && self.builder.has_open_calls() {
                self.builder.lacks(Fact::RunEnds);
            }
            self.builder.end_turn(self.last, end);
        }
    }

    fn model_begins(&mut self, at: u64, index: usize, placed: &mut PlacedSpan) {
        // A run of an agent lists what happened in it in an order of its own.
        if placed.run != Some(placed.id)
            && let Some(output) = &mut placed.span.messages.output
        {
            let (items, subagent) = (std::mem::take(output), placed.subagent.as_deref());
            placed.has_answer = !items.is_empty();
            self.answers.begin(index, placed.run, subagent, items);
        }
        if placed.subagent.is_some() {
            return;
        }
        let is_known = placed.span.messages.input.is_some();
        let mut input = placed.span.messages.input.take().unwrap_or_default();
        let new = input
            .iter()
            .rposition(MessageItem::is_of_agent)
            .map_or(0, |last| last + 1);
        let asked = input
            .iter()
            .rposition(|item| matches!(item, MessageItem::Asks(_)))
            .filter(|asked| *asked >= new);
        let text = asked.and_then(|asked| match &input[asked] {
            MessageItem::Asks(text) => text.clone(),
            _ => None,
        });
        let begins = match &self.turn {
            None => true,
            Some(turn) if placed.run.is_some() => {
                turn.run != placed.run && (asked.is_some() || !is_known)
            }
            Some(turn) => asked.is_some() && (turn.asked != text || self.has_answered),
        };
        if self.builder.has_turns() {
            self.note_history(at, &input[..new]);
        }
        if !begins {
            return self.builder.does(at, input.split_off(new), None);
        }
        let is_first = !self.builder.has_turns();
        let after = input.split_off(asked.map_or(new, |asked| asked + 1));
        if is_first {
            let last_said = asked.map_or(input.len(), |asked| asked);
            input.truncate(last_said);
            self.builder.remember(input);
        } else {
            self.builder
                .does(at, input.split_off(new.min(input.len())), None);
        }
        self.begin_turn(at, placed.run, text);
        self.builder.does(at, after, None);
    }

    fn model_ends(&mut self, at: u64, index: usize, placed: &mut PlacedSpan) {
        let PlacedSpan {
            span,
            run,
            subagent,
            has_answer,
            ..
        } = placed;
        self.last = self.last.max(at);
        if let Some(agent) = span.agent.as_deref().filter(|_| subagent.is_none()) {
            self.builder.name_agent(agent);
        }
        let mut answer = span.messages.output.take().unwrap_or_default();
        answer.extend(self.answers.end(index));
        self.has_answered |= *has_answer || !answer.is_empty();
        self.builder.does(at, answer, subagent.as_deref());
        self.builder.is_unread(at, std::mem::take(&mut span.unread));
        if let Some(usage) = span.usage {
            self.builder.uses(at, usage, span.model.take());
        }
        if let Some((message, code)) = span
            .error
            .take()
            .filter(|_| subagent.is_none() && run.is_none_or(|run| run == placed.id))
        {
            self.failure = Some(RunEnd::Error { message, code });
        }
    }

    fn tool_begins(&mut self, at: u64, index: usize, placed: &mut PlacedSpan) {
        let PlacedSpan {
            span,
            run,
            subagent,
            ..
        } = placed;
        let name = span.tool.take();
        let own_id = span.call_id.take();
        let known = own_id.clone().filter(|id| self.builder.knows_call(id));
        let known = known.or_else(|| self.builder.open_call(name.as_deref()));
        let is_without_model = run.is_some_and(|run| !self.runs.with_models.contains(&run));
        let is_other = self.turn.as_ref().is_none_or(|turn| {
            // A call of an earlier run waited for an answer.
            let was_waiting =
                run.is_some() && turn.run.is_some() && known.is_some() && subagent.is_none();
            turn.run != *run && (is_without_model || was_waiting)
        });
        if is_other {
            self.begin_turn(at, *run, None);
        }
        self.last = self.last.max(at);
        // A model that is still answering has asked for the call, and for those before it.
        let said = self.answers.until_call(
            *run,
            subagent.as_deref(),
            own_id.as_deref(),
            name.as_deref(),
        );
        let known = if said.is_empty() {
            known
        } else {
            self.builder.does(at, said, subagent.as_deref());
            let own = own_id.clone().filter(|id| self.builder.knows_call(id));
            own.or_else(|| self.builder.open_call(name.as_deref()))
        };
        let args = span.args.take();
        let id = if let Some(id) = known {
            self.builder.completes(&id, args);
            id
        } else {
            let id =
                self.builder
                    .calls(at, own_id, name.clone(), args.clone(), subagent.as_deref());
            self.builder.expects_message(&id, name, args);
            id
        };
        self.builder.is_unread(at, std::mem::take(&mut span.unread));
        self.builder.executes(&id);
        self.calls.insert(index, id);
    }

    fn tool_ends(&mut self, at: u64, index: usize, placed: &mut PlacedSpan) {
        self.last = self.last.max(at);
        let Some(id) = self.calls.remove(&index) else {
            return;
        };
        let error = placed.span.error.take();
        let result = placed.span.result.take();
        let end = match &error {
            Some(_) => ToolEnd::Failed,
            None => placed.span.end.unwrap_or(ToolEnd::Succeeded),
        };
        match (result, error) {
            (None, Some((message, _))) => self.builder.executed_with_error(at, &id, message),
            (result, _) => self.builder.executed(at, &id, result, end),
        }
    }

    fn agent_ends(&mut self, at: u64, placed: &mut PlacedSpan) {
        self.note_output(at, placed);
        if placed.run != Some(placed.id) || placed.subagent.is_some() {
            return;
        }
        if let Some(agent) = &placed.span.agent {
            self.builder.name_agent(agent);
        }
        if self
            .turn
            .as_ref()
            .is_some_and(|turn| turn.run == Some(placed.id))
        {
            self.last = self.last.max(at);
        }
        if let Some((message, code)) = placed.span.error.take() {
            self.failure = Some(RunEnd::Error { message, code });
        }
    }

    /// Notes the calls in the history of a request that no span shows, since a span is missing.
    fn note_history(&mut self, at: u64, history: &[MessageItem]) {
        let calls = history
            .iter()
            .filter(|item| matches!(item, MessageItem::Calls { .. }));
        let unknown: Vec<_> = calls
            .filter(|item| !self.builder.knows(item))
            .cloned()
            .collect();
        self.builder.is_unread(
            at,
            unread_of("history:calls", &unknown).into_iter().collect(),
        );
    }

    /// Notes the output of a run of an agent that no span in it has.
    fn note_output(&mut self, at: u64, placed: &mut PlacedSpan) {
        let output = placed.span.messages.output.take().unwrap_or_default();
        let left: Vec<_> = missing_in(output, &mut [])
            .into_iter()
            .filter(|item| !self.builder.knows(item))
            .collect();
        self.builder
            .is_unread(at, unread_of("span:agent", &left).into_iter().collect());
        self.builder
            .is_unread(at, std::mem::take(&mut placed.span.unread));
    }

    fn finish(mut self, origin: u64) -> ObservedConversation {
        if !self.builder.has_turns() {
            self.begin_turn(origin, None, None);
        }
        self.end_turn();
        if !self.builder.are_answers_judged() {
            self.builder.lacks(Fact::CallEnds);
            self.builder.lacks(Fact::CallTimes);
        }
        if self.is_run_missing {
            self.builder.lacks(Fact::RunEnds);
        }
        self.builder.finish(SHOWN)
    }
}
