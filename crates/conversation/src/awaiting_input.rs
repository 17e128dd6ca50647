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

/// The key of a JSON answer with its words for the user.
const CONTENT: &str = "content";

/// The decision whether the agent waits for input after the last turn of `trace`, with its question (SPEC 8). A call to one of
/// the tools in `confirmation_tools` asks the user.
pub fn awaiting_input(trace: &Trace, confirmation_tools: &[String]) -> InputDecision {
    let completed = decided(InputReason::Completed, None, None);
    let Some(turn) = trace.turns.last() else {
        return completed;
    };
    // The missing rest of a truncated answer may say anything, so the part that came asks for nothing.
    let mut run_end = None;
    if let Some(exchange) = trace.exchanges.last() {
        if exchange.is_truncated {
            return completed;
        }
        run_end = exchange.run_end.as_ref();
    }

    // An answer in JSON may declare that the agent waits, and has its words for the user in a key.
    let mut answer_text = last_message(trace, turn);
    let mut answer_declares = None;
    let mut hint = None;
    let json_answer = answer_text.and_then(json_object);
    if let Some(object) = &json_answer {
        answer_text = text_of(object.get(CONTENT));
        answer_declares = object.get(DECLARATION).and_then(Value::as_bool);
        hint = text_of(object.get(HINT));
    }

    // An interrupt waits for input whatever the answer declares. Its message is the question, since that is what the user has to
    // answer. If several have a message, the last one counts, like the last of several declarations of one kind (SPEC 8).
    let mut question = answer_text;
    if let Some(RunEnd::Interrupted(interrupts)) = run_end {
        let mut last_first = interrupts.iter().rev();
        let last_message = last_first.find_map(|interrupt| interrupt.message.as_deref());
        let question = last_message.or(question);
        return decided(InputReason::AgentDeclared, question, hint);
    }

    // A custom event may declare it as well. Its texts are used only if the answer has none.
    let mut event_declares = None;
    if let Some((declares, value)) = declaration_of_event(trace, turn) {
        event_declares = Some(declares);
        question = question.or(text_of(value.get(CONTENT)));
        hint = hint.or(text_of(value.get(HINT)));
    }
    // The state may declare it too. One of the three is enough, even if another one declares the opposite.
    let state = trace.state.value();
    let state_declares = state.get(DECLARATION).and_then(Value::as_bool);
    if [answer_declares, event_declares, state_declares].contains(&Some(true)) {
        return decided(InputReason::AgentDeclared, question, hint);
    }

    // Without a declaration, the last turn decides: a call to a tool that asks the user is a better sign than a question mark.
    if asking_call(trace, confirmation_tools).is_some() {
        return decided(InputReason::ToolRequiresConfirmation, question, hint);
    }
    // A JSON answer with `awaiting_input: false` says that its question mark asks for nothing.
    let answer_denies = answer_declares == Some(false);
    if !answer_denies && answer_text.is_some_and(ends_with_question) {
        return decided(InputReason::ContentIsQuestion, question, hint);
    }
    completed
}

fn decided(reason: InputReason, question: Option<&str>, hint: Option<&str>) -> InputDecision {
    InputDecision {
        reason,
        question: question.map(str::to_owned),
        hint: hint.map(str::to_owned),
    }
}

fn text_of(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

/// The last declaration among the custom events of a turn: whether the agent waits, and the value of the event.
fn declaration_of_event<'t>(trace: &'t Trace, turn: &TurnRanges) -> Option<(bool, &'t Value)> {
    let custom = trace.custom.get(turn.custom.clone()).unwrap_or_default();
    custom.iter().rev().find_map(|event| {
        let waits = declares(&event.name, &event.value)?;
        Some((waits, &event.value))
    })
}

/// Whether a custom event declares that the agent waits, or that it does not; `None` if it is about something else. An event
/// with the name `awaiting_input` and an object declares that the agent waits, unless its key `awaiting_input` is false. An
/// event with another name needs that key.
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
    for message in trace.messages_of(turn).rev() {
        let text = message.text.trim();
        let is_of_agent =
            message.role == MessageKind::Assistant && message.origin != Origin::History;
        if is_of_agent && !text.is_empty() {
            return Some(text);
        }
    }
    None
}

/// The first call to a tool of `tools` in the last turn that no mock answered for the user.
pub fn asking_call<'t>(trace: &'t Trace, tools: &[String]) -> Option<&'t ToolCall> {
    let turn = trace.turns.last()?;
    let calls = trace.calls.get(turn.calls.clone())?;
    calls.iter().find(|call| {
        let is_answered = call.is_client_side && !call.results.is_empty();
        let is_new = call.origin != Origin::History;
        is_new && !is_answered && tools.iter().any(|tool| *tool == *call.name)
    })
}

/// The JSON object that a text consists of, or that is in its first fenced block.
fn json_object(text: &str) -> Option<Map<String, Value>> {
    let mut object = text;
    if !text.starts_with('{') {
        let (_, block) = text.split_once("```")?;
        let (_language, block) = block.split_once('\n')?;
        (object, _) = block.split_once("```")?;
    }
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
