//! The way of a call to a model into a trace.
//!
//! Flows in: finished calls, in the order in which their requests came. Flows out: an item of the log for each.
//! **Invariant:** such a call is no event of the agent: it gets no number, and no time of the agent begins or ends with it.

use super::logged_model_call::ModelSight;
use crate::trace::facts::{Facts, Unread};
use crate::trace::log::LogPlace;
use crate::trace::received_bytes::MAX_MODEL_BYTES;
use crate::trace::state::size;
use crate::trace::{
    AskedAgain, Change, Delta, LoggedModelCall, ModelCall, ModelRequest, ModelToolCall,
    PromptMessage, Trace, TraceItem,
};

impl Change<'_> {
    /// Whether it is about a request to a model alone.
    pub(in crate::trace) fn is_of_model(&self) -> bool {
        match self {
            Self::ModelCalled(_) | Self::ModelAskedAgain(_) => true,
            Self::Unread(unread) => {
                unread.facts.meets(Facts::OF_MODEL) && !unread.facts.meets(Facts::OF_AGENT)
            }
            _ => false,
        }
    }
}

impl Trace {
    /// The same record of a conversation whose requests to models are seen. Rules about them know nothing of another one.
    #[must_use]
    pub fn seeing_models(mut self) -> Self {
        self.models = ModelSight::Seen;
        self
    }

    /// The calls to models that a turn has, in their order.
    pub fn model_calls_of(&self, turn: usize) -> impl Iterator<Item = &LoggedModelCall> {
        let calls = self.model_calls.iter();
        calls.filter(move |logged| logged.turn == turn)
    }

    pub(in crate::trace) fn add_model_call(
        &mut self,
        mut call: ModelCall,
        deltas: &mut Vec<Delta>,
    ) {
        self.models = ModelSight::Seen;
        let has_contents = self.kept.add_model_call(call.size());
        if !has_contents {
            // The name stays, because prices and reports need it.
            call.request = ModelRequest {
                model: call.request.model,
                ..ModelRequest::default()
            };
            let reason = format!("the requests of the test have more than {MAX_MODEL_BYTES} bytes");
            self.enter(Unread::prompt(reason));
        }

        // The cost is known here alone, where the model and the prices are.
        let mut usage = call.answer.usage;
        let mut cost_gap = None;
        if let (Some(prices), Some(reported)) = (&self.prices, usage) {
            let (priced, gap) = prices.price(reported, Some(&call.request.model));
            usage = Some(priced);
            cost_gap = gap;
        }

        let index = self.model_calls.len();
        let order = self.add_to_log(TraceItem::ModelCall(index), LogPlace::End);
        self.model_calls.push(LoggedModelCall {
            call,
            attempts: 1,
            turn: self.current_turn(),
            order,
            next_event: self.next_event(),
            has_contents,
            usage,
            cost_gap,
        });
        deltas.push(Delta::ModelCalled(index));
    }

    pub(in crate::trace) fn count_attempt(&mut self, again: &AskedAgain, deltas: &mut Vec<Delta>) {
        let mut number = 0;
        for (index, logged) in self.model_calls.iter_mut().enumerate() {
            // Each model numbers its own calls.
            if logged.call.name != again.name {
                continue;
            }
            number += 1;
            if number == again.call {
                logged.attempts = logged.attempts.saturating_add(1);
                deltas.push(Delta::ModelAskedAgain(index));
                return;
            }
        }
    }
}

impl ModelCall {
    /// The approximate size in memory, in bytes.
    pub fn size(&self) -> usize {
        let request = &self.request;
        let mut bytes = size_of::<LoggedModelCall>();
        for message in &request.messages {
            bytes += size_of::<PromptMessage>() + bytes_of_message(message);
        }
        for tool in &request.tools {
            bytes += tool.name.len() + tool.description.len() + size(&tool.parameters).bytes;
        }
        for value in &request.hosted_tools {
            bytes += size(value).bytes;
        }
        for (name, value) in &request.params {
            bytes += name.len() + size(value).bytes;
        }
        bytes += size(&request.tool_choice).bytes + size(&request.output_schema).bytes;
        bytes += self.answer.text.len() + self.answer.reasoning.len();
        bytes + bytes_of_calls(&self.answer.calls)
    }
}

fn bytes_of_message(message: &PromptMessage) -> usize {
    match message {
        PromptMessage::System(text) => text.len(),
        PromptMessage::User { text, files } => {
            text.len() + files.iter().map(String::len).sum::<usize>()
        }
        PromptMessage::Assistant { text, calls } => text.len() + bytes_of_calls(calls),
        PromptMessage::Result { call, content, .. } => call.len() + size(content).bytes,
        PromptMessage::Approval { id, .. } => id.len(),
    }
}

fn bytes_of_calls(calls: &[ModelToolCall]) -> usize {
    let mut bytes = 0;
    for call in calls {
        bytes += size_of::<ModelToolCall>() + call.id.len() + call.tool.len();
        bytes += size(&call.args).bytes;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::*;
    use crate::trace::{AnsweredBy, Fact, Input, ModelAnswer, Price, Prices, ReportedItem, Usage};
    use ananke_base::context::At;
    use ananke_base::text::Usd;

    const PROMPTS: Facts = Facts::of(&[Fact::Prompts]);
    const CALLS: Facts = Facts::of(&[Fact::ModelCalls]);

    fn call(prompt: String) -> ModelCall {
        ModelCall {
            name: "main".to_owned(),
            api: "chat completions".into(),
            request: ModelRequest {
                model: "big".to_owned(),
                messages: vec![PromptMessage::System(prompt)],
                ..ModelRequest::default()
            },
            answer: ModelAnswer {
                usage: Some(Usage::reported(Some(10), Some(1), None)),
                ..ModelAnswer::default()
            },
            answered_by: AnsweredBy::Reply(1),
        }
    }

    fn custom(name: &'static str) -> Change<'static> {
        Change::Custom {
            name: name.into(),
            value: Value::Null,
        }
    }

    fn apply(trace: &mut Trace, changes: impl IntoIterator<Item = Change<'static>>) -> Vec<Delta> {
        let mut deltas = Vec::new();
        for change in changes {
            trace.apply(At::default(), change, &mut deltas);
        }
        deltas
    }

    fn lacks(trace: &Trace, needed: Facts) -> bool {
        trace.lacking(Some(0), needed, &|_, _| true).is_some()
    }

    fn begun(trace: Trace) -> Trace {
        let mut trace = trace;
        trace.begin_turn(Input::default());
        trace.begin_exchange(At::default());
        trace
    }

    #[test]
    fn a_call_has_a_place_among_the_events_and_no_number() {
        let price = Price {
            input: Usd(3),
            cached: Usd(3),
            output: Usd(5),
        };
        let prices = Prices([("big".to_owned(), price)].into());
        let mut trace = begun(Trace::default().priced(Some(Arc::new(prices))));
        let call = Change::ModelCalled(Box::new(call("Be kind.".to_owned())));
        let deltas = apply(&mut trace, [custom("a"), call.into_owned(), custom("b")]);
        assert_eq!(deltas, [Delta::ModelCalled(0)]);
        assert_eq!(trace.events_so_far(), 2);
        assert_eq!(trace.exchanges[0].first_byte, Some(At::default()));
        let item = TraceItem::ModelCall(0);
        assert_eq!(
            trace.items_of(&trace.turns[0]),
            [
                ReportedItem::Custom(0),
                ReportedItem::Logged(item),
                ReportedItem::Custom(1)
            ]
        );
        assert_eq!((item.turn(&trace), item.event(&trace)), (0, None));
        let logged = trace.model_calls_of(0).next().unwrap();
        assert_eq!(logged.usage.unwrap().cost.whole(), Some(Usd(35)));
        assert!(logged.has_contents && !lacks(&trace, PROMPTS));
    }

    #[test]
    fn a_request_that_is_sent_again_counts_for_its_own_call() {
        let mut trace = begun(Trace::default());
        let other = ModelCall {
            name: "planner".to_owned(),
            ..call(String::new())
        };
        let main = || Change::ModelCalled(Box::new(call(String::new())));
        let again = |call| {
            let name = "main".to_owned();
            Change::ModelAskedAgain(AskedAgain { name, call })
        };
        let calls = [main(), Change::ModelCalled(Box::new(other)), main()];
        apply(&mut trace, calls);
        let deltas = apply(
            &mut trace,
            [custom("a"), again(2), again(2), again(3), again(0)],
        );
        assert_eq!(
            deltas,
            [Delta::ModelAskedAgain(2), Delta::ModelAskedAgain(2)]
        );
        let attempts = trace.model_calls.iter().map(|logged| logged.attempts);
        assert_eq!(attempts.collect::<Vec<_>>(), [1, 1, 3]);
        assert_eq!(trace.events_so_far(), 1);
    }

    #[test]
    fn a_call_that_comes_before_the_response_of_the_agent_begins_no_response() {
        let mut trace = begun(Trace::default());
        apply(
            &mut trace,
            [Change::ModelCalled(Box::new(call(String::new())))],
        );
        assert_eq!(trace.exchanges[0].first_byte, None);
        assert_eq!(trace.log_of(0), [TraceItem::ModelCall(0)]);
    }

    #[test]
    fn contents_beyond_the_limit_are_not_kept_and_the_calls_still_count() {
        let mut trace = begun(Trace::default());
        let large = "x".repeat(MAX_MODEL_BYTES / 2);
        for _ in 0..3 {
            let call = Change::ModelCalled(Box::new(call(large.clone())));
            apply(&mut trace, [call]);
        }
        let kept: Vec<bool> = trace
            .model_calls
            .iter()
            .map(|logged| logged.has_contents)
            .collect();
        assert_eq!(kept, [true, false, false]);
        let dropped = &trace.model_calls[2].call.request;
        assert_eq!((&*dropped.model, dropped.messages.len()), ("big", 0));
        assert!(lacks(&trace, PROMPTS) && !lacks(&trace, CALLS));
        assert_eq!(trace.turns[0].warnings.len(), 1);
    }

    #[test]
    fn requests_that_are_not_seen_or_not_read_are_lacking() {
        let mut trace = begun(Trace::default());
        assert!(lacks(&trace, CALLS) && !lacks(&trace, Facts::OF_AGENT));
        trace = begun(Trace::default().seeing_models());
        assert!(!lacks(&trace, CALLS));
        let odd = Unread::anything("event:ODD", "it is compressed");
        apply(&mut trace, [Change::Unread(odd)]);
        assert!(
            !lacks(&trace, CALLS),
            "what an agent sends is no request to its model"
        );

        let mut trace = begun(Trace::default().seeing_models());
        let request = Unread::model_request("it is not JSON");
        apply(&mut trace, [Change::Unread(request)]);
        assert!(lacks(&trace, CALLS) && lacks(&trace, PROMPTS));
        assert!(!lacks(&trace, Facts::OF_AGENT));
        assert_eq!(trace.events_so_far(), 0);
    }
}
