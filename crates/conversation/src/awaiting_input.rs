//! Whether an agent waits for input: a pure function of the last turn (SPEC 8).

use serde_json::{Map, Value};

use ananke_base::source::received_json::read_as;
use ananke_base::text::ends_with_question;
use ananke_trace::outcome::{InputDecision, InputReason};
use ananke_trace::trace::{MessageKind, Origin, RunEnd, ToolCall, Trace, TurnRanges};

/// The key of a state, of a JSON answer or of the value of a custom event, and the name of a custom event, with which an agent
/// declares that it waits.
const DECLARATION: &str = "awaiting_input";

/// The key of a JSON answer that says what kind of input is wanted.
const HINT: &str = "input_hint";

/// Whether the agent waits for input after the last turn; `tools` ask the user.
pub fn awaiting_input(trace: &Trace, tools: &[String]) -> InputDecision {
    let decided = |reason, question, hint| InputDecision {
        reason,
        question,
        hint,
    };
    let completed = decided(InputReason::Completed, None, None);
    let Some(turn) = trace.turns.last() else {
        return completed;
    };
    let exchange = trace.exchanges.last();
    if exchange.is_some_and(|exchange| exchange.is_truncated) {
        return completed;
    }
    let text = last_message(trace, turn);
    let answer = text.and_then(json_object);
    let words = match &answer {
        Some(object) => object.get("content").and_then(Value::as_str),
        None => text,
    };
    let question = words.map(str::to_owned);
    let of_answer = answer
        .as_ref()
        .and_then(|object| object.get(DECLARATION)?.as_bool());
    let hint = answer
        .as_ref()
        .and_then(|object| Some(object.get(HINT)?.as_str()?.to_owned()));
    if let Some(RunEnd::Interrupted(interrupts)) =
        exchange.and_then(|exchange| exchange.run_end.as_ref())
    {
        let asked = interrupts
            .iter()
            .rev()
            .find_map(|interrupt| interrupt.message.clone());
        return decided(InputReason::AgentDeclared, asked.or(question), hint);
    }
    let declared = declaration_of_event(trace, turn);
    let of_event = declared.map(|(waits, _)| waits);
    let text_of_event = |key| Some(declared?.1.get(key)?.as_str()?.to_owned());
    let hint = hint.or_else(|| text_of_event(HINT));
    let question = question.or_else(|| text_of_event("content"));
    let of_state = trace
        .state
        .value()
        .get(DECLARATION)
        .and_then(Value::as_bool);
    if [of_answer, of_event, of_state].contains(&Some(true)) {
        return decided(InputReason::AgentDeclared, question, hint);
    }
    if asking_call(trace, tools).is_some() {
        return decided(InputReason::ToolRequiresConfirmation, question, hint);
    }
    if of_answer != Some(false) && words.is_some_and(ends_with_question) {
        return decided(InputReason::ContentIsQuestion, question, hint);
    }
    completed
}

/// What the last custom event of a turn that is such a declaration declares, and its value.
fn declaration_of_event<'t>(trace: &'t Trace, turn: &TurnRanges) -> Option<(bool, &'t Value)> {
    let custom = trace.custom.get(turn.custom.clone()).unwrap_or_default();
    let mut declared = custom.iter().rev().filter_map(|event| {
        let waits = declares(&event.name, &event.value)?;
        Some((waits, &event.value))
    });
    declared.next()
}

/// Whether a custom event declares that the agent waits, or that it does not; `None` if it is about something else. An event
/// of the name does with an object, unless the object says otherwise; one of another name with the key alone.
fn declares(name: &str, value: &Value) -> Option<bool> {
    let of_key = value.get(DECLARATION).and_then(Value::as_bool);
    if name != DECLARATION {
        return of_key;
    }
    match value {
        Value::Object(_) => Some(of_key != Some(false)),
        value => value.as_bool(),
    }
}

/// The last message of the agent in a turn that is not empty.
fn last_message<'t>(trace: &'t Trace, turn: &TurnRanges) -> Option<&'t str> {
    let own = trace.messages_of(turn).rev().filter(|message| {
        message.role == MessageKind::Assistant && message.origin != Origin::History
    });
    own.map(|message| message.text.trim())
        .find(|text| !text.is_empty())
}

/// The first call to a tool of `tools` in the last turn that no mock answered for the user.
pub fn asking_call<'t>(trace: &'t Trace, tools: &[String]) -> Option<&'t ToolCall> {
    let turn = trace.turns.last()?;
    let calls = trace.calls.get(turn.calls.clone()).unwrap_or_default();
    let is_answered = |call: &&ToolCall| call.is_client_side && !call.results.is_empty();
    let mut asking = calls
        .iter()
        .filter(|call| call.origin != Origin::History && !is_answered(call));
    asking.find(|call| tools.iter().any(|tool| *tool == *call.name))
}

/// The object that a text is: as it is, or in a fenced block.
fn json_object(text: &str) -> Option<Map<String, Value>> {
    let fenced = || {
        let (_, rest) = text.split_once("```")?;
        let (_language, rest) = rest.split_once('\n')?;
        Some(rest.split_once("```")?.0)
    };
    let object = if text.starts_with('{') {
        text
    } else {
        fenced()?
    };
    read_as(object.trim().as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{FakeAct, FakeTest, Inputs};
    use ananke_model::model::CONFIRMATION_TOOLS;
    use ananke_trace::trace::{Change, Interrupt, ResultContent};
    use serde_json::json;

    fn tools() -> Vec<String> {
        CONFIRMATION_TOOLS.map(str::to_owned).to_vec()
    }

    /// The decision after a turn in which an agent did this.
    fn after(changes: Vec<Change<'_>>) -> InputDecision {
        let mut trace = Trace::new(json!({}));
        trace.begin_turn(ananke_trace::trace::Input::default());
        let at = ananke_base::context::At::default();
        trace.begin_exchange(at);
        let mut deltas = Vec::new();
        for change in changes {
            trace.apply(at, change, &mut deltas);
        }
        trace.end_exchange(at);
        trace.end_turn(&mut deltas);
        awaiting_input(&trace, &tools())
    }

    fn says(text: &str) -> Vec<Change<'_>> {
        vec![
            Change::MessageOpened {
                id: "m".into(),
                role: MessageKind::Assistant,
                subagent: None,
            },
            Change::MessageText {
                id: "m".into(),
                delta: text.into(),
            },
            Change::MessageClosed { id: "m".into() },
            Change::RunEnded(RunEnd::Finished),
        ]
    }

    fn calls(name: &str) -> Change<'_> {
        Change::CallOpened {
            id: "c".into(),
            name: name.into(),
            subagent: None,
        }
    }

    #[test]
    fn what_an_agent_says_decides() {
        use InputReason::{AgentDeclared, Completed, ContentIsQuestion};
        for (text, reason, question, hint) in [
            (
                "Which order?",
                ContentIsQuestion,
                Some("Which order?"),
                None,
            ),
            ("Done.", Completed, None, None),
            ("", Completed, None, None),
            (
                r#"{"awaiting_input": true, "content": "Which?", "input_hint": "a number"}"#,
                AgentDeclared,
                Some("Which?"),
                Some("a number"),
            ),
            (
                "Here:\n```json\n{\"awaiting_input\": true}\n```",
                AgentDeclared,
                None,
                None,
            ),
            (
                r#"{"awaiting_input": false, "content": "Which?"}"#,
                Completed,
                None,
                None,
            ),
            (
                r#"{"content": "Which?"}"#,
                ContentIsQuestion,
                Some("Which?"),
                None,
            ),
            (r#"{"question": "Which?"}"#, Completed, None, None),
            (
                r#"{"awaiting_input": "yes", "content": "Done."}"#,
                Completed,
                None,
                None,
            ),
            ("{not JSON?", ContentIsQuestion, Some("{not JSON?"), None),
        ] {
            let decided = after(says(text));
            assert_eq!(
                (
                    decided.reason,
                    decided.question.as_deref(),
                    decided.hint.as_deref()
                ),
                (reason, question, hint),
                "{text}"
            );
        }
    }

    #[test]
    fn events_and_the_state_declare() {
        let event = |value| Change::Custom {
            name: DECLARATION.into(),
            value,
        };
        let with = |before: Vec<Change<'static>>, text: &'static str| {
            after(before.into_iter().chain(says(text)).collect()).reason
        };
        assert_eq!(
            with(vec![event(json!(true))], "Done."),
            InputReason::AgentDeclared
        );
        assert_eq!(
            with(vec![event(json!(true)), event(json!(false))], "Done."),
            InputReason::Completed
        );
        assert_eq!(
            with(vec![event(json!("true"))], "Done."),
            InputReason::Completed
        );
        let decided = |value| after(std::iter::once(event(value)).chain(says("Done.")).collect());
        let declared = decided(json!({ "input_hint": "a date" }));
        assert_eq!(declared.reason, InputReason::AgentDeclared);
        assert_eq!(declared.hint.as_deref(), Some("a date"));
        assert_eq!(decided(json!({})).reason, InputReason::AgentDeclared);
        let taken_back = decided(json!({ "awaiting_input": false, "input_hint": "a date" }));
        assert_eq!(
            (taken_back.reason, taken_back.hint),
            (InputReason::Completed, None)
        );
        let state = |value| Change::StateReplaced(json!({ DECLARATION: value }));
        assert_eq!(with(vec![state(true)], "Done."), InputReason::AgentDeclared);
        assert_eq!(
            with(vec![state(true), state(false)], "Done."),
            InputReason::Completed
        );
    }

    #[test]
    fn the_object_of_any_event_declares() {
        let with = |before: Vec<Change<'static>>, text: &'static str| {
            after(before.into_iter().chain(says(text)).collect()).reason
        };
        let named = |name: &'static str, value| Change::Custom {
            name: name.into(),
            value,
        };
        let status = json!({ "awaiting_input": true, "input_hint": "a date", "content": "When?" });
        let declared = after(
            std::iter::once(named("status", status))
                .chain(says("Done."))
                .collect(),
        );
        assert_eq!(declared.reason, InputReason::AgentDeclared);
        assert_eq!(declared.hint.as_deref(), Some("a date"));
        for value in [
            json!({}),
            json!({ "awaiting_input": "yes" }),
            json!(true),
            json!([{ "awaiting_input": true }]),
        ] {
            assert_eq!(
                with(vec![named("status", value.clone())], "Done."),
                InputReason::Completed,
                "{value}"
            );
        }
        let waits = |waits| named("status", json!({ "awaiting_input": waits }));
        assert_eq!(
            with(vec![waits(true), named(DECLARATION, json!(false))], "Done."),
            InputReason::Completed
        );
        assert_eq!(
            with(vec![named(DECLARATION, json!(true)), waits(false)], "Done."),
            InputReason::Completed
        );
        assert_eq!(
            with(
                vec![waits(true), named("progress", json!({ "percent": 5 }))],
                "Done."
            ),
            InputReason::AgentDeclared
        );
    }

    #[test]
    fn an_interrupt_declares_with_its_message() {
        let interrupt = Interrupt {
            message: Some("Really?".to_owned()),
            ..Interrupt::default()
        };
        let decided = after(vec![Change::RunEnded(RunEnd::Interrupted(vec![interrupt]))]);
        assert_eq!(
            (decided.reason, decided.question.as_deref()),
            (InputReason::AgentDeclared, Some("Really?"))
        );
    }

    #[test]
    fn tools_that_ask_the_user_count_unless_a_mock_answered() {
        let ends = || Change::RunEnded(RunEnd::Finished);
        assert_eq!(
            after(vec![calls("ask_user"), ends()]).reason,
            InputReason::ToolRequiresConfirmation
        );
        assert_eq!(
            after(vec![calls("ask_users"), ends()]).reason,
            InputReason::Completed
        );
        let result = ResultContent::Text("asked".into());
        let answered = Change::CallAnswered {
            id: "c".into(),
            result,
            is_error: None,
        };
        assert_eq!(
            after(vec![calls("ask_user"), answered, ends()]).reason,
            InputReason::ToolRequiresConfirmation
        );
    }

    #[tokio::test]
    async fn a_mock_answers_for_the_user() {
        let mut test = FakeTest::of(&[FakeAct::Calls(&[("a", "ask")]), FakeAct::Says("Thanks.")]);
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        assert!(result.trace.calls[0].is_client_side);
        assert_eq!(
            awaiting_input(&result.trace, &["ask".to_owned()]).reason,
            InputReason::Completed
        );
    }

    #[test]
    fn a_truncated_answer_waits_for_nothing() {
        let changes = says("Which order?").into_iter().rev().collect::<Vec<_>>();
        let mut changes: Vec<_> = changes.into_iter().rev().collect();
        changes.insert(3, Change::Truncated);
        assert_eq!(after(changes).reason, InputReason::Completed);
    }

    #[test]
    fn only_the_last_turn_counts() {
        assert_eq!(
            awaiting_input(&Trace::default(), &tools()).reason,
            InputReason::Completed
        );
        let mut trace = Trace::new(json!({}));
        let (at, mut deltas) = (ananke_base::context::At::default(), Vec::new());
        for text in ["Which order?", ""] {
            trace.begin_turn(ananke_trace::trace::Input::default());
            trace.begin_exchange(at);
            for change in says(text) {
                trace.apply(at, change, &mut deltas);
            }
            trace.end_exchange(at);
            trace.end_turn(&mut deltas);
        }
        assert_eq!(
            awaiting_input(&trace, &tools()).reason,
            InputReason::Completed
        );
    }
}
