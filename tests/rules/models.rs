//! Rules about requests to models: each is decided at the first request that decides it, and never by what is not known.

use std::sync::Arc;

use ananke::assertion::{Completion, Evaluator, Following};
use ananke::context::At;
use ananke::outcome::{EvidenceLine, RuleResult};
use ananke::redact::Redactor;
use ananke::text::Usd;
use ananke::trace::{
    AnsweredBy, AskedAgain, Change, Input, ModelAnswer, ModelCall, ModelRequest, ModelToolCall,
    OfferedTool, Price, Prices, PromptMessage, Trace, Unread, Usage,
};
use serde_json::json;

use super::levels::inherited;

const SYSTEM: &str = "You work in a shop.\nNever charge twice.";

/// A step of a conversation.
#[derive(Clone, Copy)]
enum Step {
    /// A request with so many calls and results after the user's message, to the model `main`.
    Round(usize),
    /// The same without its system message.
    Lost(usize),
    /// The same without tokens.
    Uncounted(usize),
    /// The same to the model `planner`.
    Planner(usize),
    /// The request of the call with this number to the model `main`, sent again.
    Again(usize),
    /// A request that could not be read.
    Unread,
}

use Step::{Again, Lost, Planner, Round, Uncounted};

fn call(rounds: usize) -> ModelCall {
    let mut messages = vec![
        PromptMessage::System(SYSTEM.to_owned()),
        PromptMessage::User {
            text: "Pay my cart.".to_owned(),
            files: Vec::new(),
        },
    ];
    for round in 0..rounds {
        let id = format!("call_{round}_{}", messages.len());
        messages.push(PromptMessage::Assistant {
            text: String::new(),
            calls: vec![ModelToolCall {
                id: id.clone(),
                tool: "charge_card".to_owned(),
                args: json!({ "amount": 89.5 }),
            }],
        });
        messages.push(PromptMessage::Result {
            call: id,
            content: json!({ "status": "charged" }),
            is_error: false,
        });
    }
    let tools = ["charge_card", "get_cart"].map(|name| OfferedTool {
        name: name.to_owned(),
        ..OfferedTool::default()
    });
    ModelCall {
        name: "main".to_owned(),
        api: "chat completions".into(),
        request: ModelRequest {
            model: "gpt-5".to_owned(),
            messages,
            tools: tools.to_vec(),
            params: serde_json::from_value(json!({ "temperature": 0, "max_tokens": 100 })).unwrap(),
            ..ModelRequest::default()
        },
        answer: ModelAnswer {
            text: "You paid.".to_owned(),
            usage: Some(Usage::reported(Some(100), Some(10), None)),
            ..ModelAnswer::default()
        },
        answered_by: AnsweredBy::Reply(1),
    }
}

fn change(step: Step) -> Change<'static> {
    let called = match step {
        Round(rounds) => call(rounds),
        Lost(rounds) => {
            let mut call = call(rounds);
            call.request.messages.remove(0);
            call
        }
        Uncounted(rounds) => {
            let mut call = call(rounds);
            call.answer.usage = None;
            call
        }
        Planner(rounds) => ModelCall {
            name: "planner".to_owned(),
            ..call(rounds)
        },
        Again(call) => {
            let name = "main".to_owned();
            return Change::ModelAskedAgain(AskedAgain { name, call });
        }
        Step::Unread => return Change::Unread(Unread::model_request("it is not JSON")),
    };
    Change::ModelCalled(Box::new(called))
}

/// How a rule is decided in a conversation: where it fails and why, that it passes, or why it is not shown.
fn decided(level: &str, rule: &str, turns: &[&[Step]]) -> String {
    let rules = inherited(&[(level, &format!("{{ model: {rule} }}"))], turns.len());
    let mut evaluator = Evaluator::start(rules, Redactor::default())
        .unwrap()
        .withholding();
    let price = Price {
        input: Usd(10_000),
        cached: Usd(10_000),
        output: Usd(10_000),
    };
    let prices = Prices([("gpt-5".to_owned(), price)].into());
    let mut trace = Trace::default()
        .priced(Some(Arc::new(prices)))
        .seeing_models();
    let mut failures: Vec<RuleResult> = Vec::new();
    let mut place = String::new();
    for (index, steps) in turns.iter().enumerate() {
        trace.begin_turn(Input::default());
        trace.begin_exchange(At::default());
        evaluator.begin_turn(index).unwrap();
        for (number, step) in steps.iter().enumerate() {
            let mut deltas = Vec::new();
            trace.apply(At::default(), change(*step), &mut deltas);
            for delta in deltas {
                if evaluator.touched(&trace, delta) && place.is_empty() {
                    place = format!("{}.{}: ", index + 1, number + 1);
                }
            }
        }
        trace.end_turn(&mut Vec::new());
        let following = if index + 1 == turns.len() {
            Following::Nothing
        } else {
            Following::Turns
        };
        failures.extend(evaluator.end_turn(&trace, Completion::Complete, following));
    }
    failures.extend(evaluator.settle(&trace));
    evaluator.take_passed(&trace);
    let not_shown = evaluator.take_not_shown();
    match (failures.as_slice(), not_shown.as_slice()) {
        ([], []) => "passes".to_owned(),
        ([failure], []) => {
            let seen: Vec<&str> = failure.seen.iter().map(EvidenceLine::text).collect();
            format!("{place}{} [{}]", failure.message, seen.join("; "))
        }
        ([], [rule]) => format!("not shown: {}", rule.message),
        _ => panic!("{rule}: {failures:?} {not_shown:?}"),
    }
}

#[track_caller]
fn expect(level: &str, rule: &str, turns: &[&[Step]], expected: &str) {
    assert_eq!(decided(level, rule, turns), expected, "{level} {rule}");
}

#[test]
fn a_prompt_is_asked_of_every_request() {
    let system = "{ prompt: { of: system, contains: Never charge twice } }";
    expect("test", system, &[&[Round(0), Round(1)]], "passes");
    expect(
        "turn 1",
        system,
        &[&[Round(0), Lost(1), Lost(2)]],
        "1.2: call 2 to the model of this turn has no system message that contains `Never charge twice` [it has no system message]",
    );
    expect(
        "turn 1",
        system,
        &[&[], &[Round(0)]],
        "no request to the model was made in this turn []",
    );
    let any = "{ prompt: { of: system, contains: Never charge twice, in: any } }";
    expect("test", any, &[&[Lost(0), Round(1)]], "passes");
    expect(
        "test",
        "{ prompt: { of: system, contains: never  charge twice } }",
        &[&[Round(0)]],
        "1.1: call 1 to the model of the test has no system message that contains `never  charge twice` [messages[0], system: `Never charge twice` occurs with other white space and in another letter case; messages[0], system: You work in a shop.\nNever charge twice.]",
    );
    expect(
        "test",
        "{ prompt: [{ of: results, must_match: 'status.*charged', in: any }, { of: last, must_not_match: refund }] }",
        &[&[Round(0)], &[Round(1)]],
        "passes",
    );
}

#[test]
fn what_must_not_be_asked_fails_at_the_request() {
    expect(
        "target",
        "{ prompt: { of: results, not_contains: charged } }",
        &[&[Round(0)], &[Round(1), Round(2)]],
        "2.1: call 2 to the model of the test has a result of a tool that contains `charged` [messages[3], the result of a tool: {\"status\":\"charged\"}]",
    );
    let never = "{ prompt: { not_contains: refund } }";
    expect("test", never, &[&[]], "passes");
    expect(
        "test",
        never,
        &[&[Round(0), Step::Unread]],
        "not shown: `request:model` (turn 1, event #1) was not read: it is not JSON",
    );
}

#[test]
fn offered_tools_and_parameters_are_asked_of_every_request() {
    expect(
        "test",
        "{ offered: { require: [charge_card], forbid: delete_order, max: 2 }, params: { temperature: 0.0 } }",
        &[&[Round(0), Round(1)]],
        "passes",
    );
    expect(
        "test",
        "{ offered: { require: chargeCard } }",
        &[&[Round(0)]],
        "1.1: call 1 to the model of the test does not offer `chargeCard` [offered: charge_card, get_cart; `charge_card` is offered: names are compared exactly]",
    );
    expect(
        "test",
        "{ offered: { forbid: get_cart } }",
        &[&[Round(0), Round(1)]],
        "1.1: call 1 to the model of the test offers `get_cart` [offered: charge_card, get_cart]",
    );
    expect(
        "test",
        "{ offered: { max: 1 } }",
        &[&[Round(0)]],
        "1.1: call 1 to the model of the test offers 2 tools, the limit is 1 [offered: charge_card, get_cart]",
    );
    expect(
        "test",
        "{ params: { temperature: 1, maxTokens: 5 } }",
        &[&[Round(0)]],
        "1.1: call 1 to the model of the test: the parameter `temperature` is 0, expected 1 [the parameter `temperature` is 0, expected 1; the parameter `maxTokens` is missing (`max_tokens` is there), expected 5]",
    );
}

#[test]
fn calls_are_counted_in_their_scope() {
    expect(
        "turn 2",
        "{ calls: 1 }",
        &[&[Round(0), Round(1)], &[Round(2)]],
        "passes",
    );
    expect(
        "test",
        "{ calls: 1 }",
        &[&[Round(0)], &[Round(1)]],
        "2.1: call 2 to the model of the test is one too many, expected exactly 1 call to the model [call 1: user: Pay my cart. → say You paid.; call 2: result {\"status\":\"charged\"} → say You paid.]",
    );
    expect(
        "test",
        "{ calls: { min: 3 } }",
        &[&[Round(0)]],
        "1 call to the model in the test, expected at least 3 calls to the model [call 1: user: Pay my cart. → say You paid.]",
    );
    expect(
        "test",
        "{ calls: { min: 3 } }",
        &[&[Round(0), Step::Unread]],
        "not shown: `request:model` (turn 1, event #1) was not read: it is not JSON",
    );
    expect(
        "test",
        "{ of_model: planner, calls: 1 }",
        &[&[Round(0), Planner(0)]],
        "passes",
    );
    expect(
        "test",
        "{ of_model: planner, max_calls: 1 }",
        &[&[Planner(0), Round(0), Planner(1)]],
        "1.3: call 2 to the model `planner` of the test is one too many, expected at most 1 call to the model `planner` [call 1: user: Pay my cart. → say You paid.; call 2: result {\"status\":\"charged\"} → say You paid.]",
    );
    expect(
        "test",
        "{ attempts: { max: 3 } }",
        &[&[Round(0), Again(1), Round(1), Again(1)]],
        "1.4: attempt 4 is for call 1 to the model of the test, expected at most 3 attempts to the model [call 1: user: Pay my cart. → say You paid.; call 2: result {\"status\":\"charged\"} → say You paid.]",
    );
    let retried = &[Round(0), Again(1), Again(1), Again(1)];
    expect(
        "test",
        "{ calls: 1, max_calls: 1, same_request: { max: 1 } }",
        &[retried],
        "passes",
    );
    expect("test", "{ attempts: { max: 4 } }", &[retried], "passes");
}

#[test]
fn equal_requests_are_found_by_what_they_ask() {
    expect(
        "test",
        "{ same_request: { max: 1 } }",
        &[&[Round(0), Round(1)]],
        "passes",
    );
    expect(
        "test",
        "{ same_request: { max: 1 } }",
        &[&[Round(1), Round(2), Round(1), Round(1)]],
        "1.3: call 3 to the model of the test has the same request as 1 before it [asked: result {\"status\":\"charged\"}]",
    );
    expect(
        "test",
        "{ max_prompt_chars: 60 }",
        &[&[Round(0), Round(1)]],
        "1.2: call 2 to the model of the test has 99 characters, the limit is 60 [messages[0]: 39 characters; messages[2]: 28 characters; messages[3]: 20 characters]",
    );
}

#[test]
fn tokens_are_those_that_are_known() {
    let both = "{ usage: { max_input_tokens: 200, max_output_tokens: 20, max_cost_usd: 0.01 } }";
    expect("test", both, &[&[Round(0), Round(1)]], "passes");
    expect(
        "test",
        "{ usage: { max_input_tokens: 150 } }",
        &[&[Round(0), Round(1)]],
        "1.2: with call 2 to the model of the test the calls took 200 input tokens, the limit is 150 [call 1: user: Pay my cart. → say You paid.; call 2: result {\"status\":\"charged\"} → say You paid.]",
    );
    expect(
        "test",
        "{ usage: { max_output_tokens: 20 } }",
        &[&[Round(0), Uncounted(1)]],
        "not shown: the tokens of call 2 to the model of the test are neither recorded nor part of a script",
    );
    let cost = decided(
        "test",
        "{ usage: { max_cost_usd: 0.0000001 } }",
        &[&[Round(0)]],
    );
    assert!(
        cost.starts_with("1.1: with call 1 to the model of the test the calls cost $"),
        "{cost}"
    );
}

#[test]
fn an_inner_level_replaces_numbers_and_adds_texts() {
    let of_test = (
        "test",
        "{ model: { calls: 1, prompt: { contains: cart } } }",
    );
    let of_target = (
        "target",
        "{ model: { calls: 5, prompt: { contains: shop } } }",
    );
    let paths = |blocks: &[(&str, &str)]| -> Vec<String> {
        let entries = inherited(blocks, 1).test;
        entries
            .iter()
            .map(|entry| format!("{}: {}", entry.path, entry.describe()))
            .collect()
    };
    assert_eq!(
        paths(&[of_target, of_test]),
        [
            "model.prompt: text containing `shop` in the messages of every request to the model",
            "model.calls: exactly 1 call to the model",
            "model.prompt: text containing `cart` in the messages of every request to the model",
        ]
    );
    let off = ("test", "{ model: false }");
    assert_eq!(paths(&[of_target, off]), [""; 0]);
    // Numbers about one model say nothing about another one.
    let planner = ("test", "{ model: { of_model: planner, max_calls: 1 } }");
    let all = ("target", "{ model: { max_calls: 5 } }");
    assert_eq!(paths(&[all, planner]).len(), 2);
}

#[test]
fn without_a_model_nothing_is_known() {
    let rules = inherited(
        &[("test", "{ model: { prompt: { not_contains: refund } } }")],
        1,
    );
    let mut evaluator = Evaluator::start(rules, Redactor::default())
        .unwrap()
        .withholding();
    let mut trace = Trace::default();
    trace.begin_turn(Input::default());
    evaluator.begin_turn(0).unwrap();
    assert_eq!(
        evaluator.end_turn(&trace, Completion::Complete, Following::Nothing),
        []
    );
    assert_eq!(evaluator.settle(&trace), []);
    assert_eq!(evaluator.take_passed(&trace), []);
    assert_eq!(
        evaluator.take_not_shown()[0].message,
        "no model of `models` answers the agent, so that its requests are not seen"
    );
}
