//! Expectations of the events of a run: a cursor that passes them, values, and what a failure shows.

use std::panic::AssertUnwindSafe;

use ananke::testing::{AgentEvent, AgentTarget, EventRole, TestSession};
use serde_json::json;

use super::{panic_of, weather};

#[tokio::test]
async fn a_cursor_passes_what_was_looked_at() {
    let mut session = weather();
    let result = session.run("Weather in Paris?").await.unwrap();
    let call = result
        .expect()
        .next_event()
        .is_function_call("get_weather", json!({ "city": "Paris" }));
    assert!(matches!(call.event(), AgentEvent::FunctionCall { .. }));
    result
        .expect()
        .next_message()
        .is_message(EventRole::Assistant);
    result.expect().no_more_events();
    let AgentEvent::FunctionCallOutput {
        output,
        is_error,
        execution_time_ms,
        ..
    } = result.expect().at(1).event()
    else {
        panic!("an output")
    };
    assert_eq!(
        (output, *is_error, *execution_time_ms),
        (&json!({ "degrees": 21 }), false, 40)
    );
    result.expect().at(-1).is_message(EventRole::Assistant);
    result
        .expect()
        .range(0..2)
        .contains_function_call_output(json!({ "degrees": 21 }), false);
    result.expect().contains_function_call("get_weather", None);

    let result = session.run("And Paris again?").await.unwrap();
    result
        .expect()
        .skip_next(2)
        .next_event()
        .is_message(EventRole::Assistant);
    assert_eq!(
        session.history().len(),
        8,
        "history is kept, with what the user said"
    );
    session.close().await.unwrap();
}

#[tokio::test]
async fn values_are_compared_as_rules_compare_them() {
    const SHOP: &str = r"
type: scripted
rules:
  - do:
      - call: { tool: pay, args: { total: 5.0, items: [{ n: 3 }], paid: true, large: 9007199254740993 }, result: { total: 3.0 } }
";
    let mut session = TestSession::connect(AgentTarget::yaml(SHOP)).unwrap();
    let result = session.run("Pay").await.unwrap();
    let same = [
        json!({ "total": 5 }),
        json!({ "total": 5e0, "items": [{ "n": 3.0 }] }),
        json!({ "large": 9_007_199_254_740_993_u64 }),
    ];
    for arguments in same {
        result
            .expect()
            .contains_function_call("pay", arguments.clone());
        result.expect().at(0).is_function_call("pay", arguments);
    }
    for output in [json!({ "total": 3 }), json!({ "total": 3.0 })] {
        result
            .expect()
            .contains_function_call_output(output.clone(), None);
        result.expect().at(1).is_function_call_output(output, false);
    }
    for other in [
        json!({ "total": "5" }),
        json!({ "paid": 1 }),
        json!({ "large": 9_007_199_254_740_992_u64 }),
    ] {
        let message = panic_of(AssertUnwindSafe(|| {
            _ = result.expect().at(0).is_function_call("pay", other);
        }));
        assert!(message.contains("expected the argument"), "{message}");
    }
    let AgentEvent::FunctionCallOutput {
        tool_call_id,
        name,
        is_error,
        execution_time_ms,
        ..
    } = result.expect().at(1).event().clone()
    else {
        panic!("an output")
    };
    let output = json!({ "total": 3 });
    let event = AgentEvent::FunctionCallOutput {
        tool_call_id,
        name,
        output,
        is_error,
        execution_time_ms,
    };
    assert_eq!(result.expect().at(1).event(), &event);
}

#[tokio::test]
async fn what_does_not_hold_panics_with_the_events() {
    let mut session = weather();
    let result = session.run("Weather in Paris?").await.unwrap();
    let again = || result.expect();
    for (assertion, expected) in [
        (
            Box::new(|| _ = again().skip_next(3).next_event()) as Box<dyn FnOnce() + '_>,
            "expected another event, but none left",
        ),
        (
            Box::new(|| _ = again().next_function_call()),
            "expected another function call, but none left",
        ),
        (
            Box::new(|| _ = again().skip_next(1)),
            "expected 1 more events to skip, but 0 left",
        ),
        (
            Box::new(|| _ = again().at(3)),
            "there is no event at index 3: the run has 3",
        ),
        (
            Box::new(|| _ = again().at(-4)),
            "there is no event at index -4: the run has 3",
        ),
        (
            Box::new(|| _ = again().range(1..9)),
            "there are no events at 1..9: the run has 3",
        ),
        (
            Box::new(|| _ = again().range(0..1).contains_message(EventRole::Assistant)),
            "expected a message of the assistant in 1 events, found none",
        ),
        (
            Box::new(|| _ = again().at(0).is_message(EventRole::Assistant)),
            "event 1 of 3: expected a message of the assistant, found a call to get_weather",
        ),
        (
            Box::new(|| _ = again().at(0).is_function_call("pay", None)),
            "event 1 of 3: expected a call to pay, found a call to get_weather",
        ),
        (
            Box::new(|| {
                _ = again()
                    .at(0)
                    .is_function_call("get_weather", json!({ "day": null }));
            }),
            "event 1 of 3: expected the argument `day` of get_weather to be null, it is missing",
        ),
        (
            Box::new(|| {
                _ = again()
                    .at(0)
                    .is_function_call("get_weather", json!({ "city": "Rome" }));
            }),
            "event 1 of 3: expected the argument `city` of get_weather to be \"Rome\", found \"Paris\"",
        ),
        (
            Box::new(|| _ = again().at(1).is_function_call_output(json!(3), None)),
            "event 2 of 3: expected the output 3, found {\"degrees\":21}",
        ),
        (
            Box::new(|| _ = again().at(1).is_function_call_output(None, true)),
            "event 2 of 3: expected an error, found no error: {\"degrees\":21}",
        ),
    ] {
        let message = panic_of(AssertUnwindSafe(assertion));
        let (first, list) = message.split_once("\n\n").unwrap();
        assert_eq!(first, expected);
        assert!(
            list.starts_with("events:\n") && list.contains("1  function call: get_weather"),
            "{list}"
        );
    }
    let marked = panic_of(AssertUnwindSafe(|| {
        _ = again().at(1).is_message(EventRole::User);
    }));
    assert!(marked.contains("\n> 2  function call output"), "{marked}");
    let fresh = session.run("Weather in Paris?").await.unwrap();
    let message = panic_of(AssertUnwindSafe(|| fresh.expect().no_more_events()));
    assert!(
        message.starts_with("expected no more events, but found a call to get_weather\n"),
        "{message}"
    );
    result
        .expect()
        .at(0)
        .is_function_call("get_weather", json!({ "unit": null }));
}
