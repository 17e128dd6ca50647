//! Responses that are large or deep, since an agent under test may send anything.
//!
//! **Invariant:** the time of a response is linear in its size, so that these tests end in seconds.

use serde_json::{Value, json};

use super::calls::{KnownCalls, TurnCalls};
use super::key_tables::{mapping, reading};
use super::modes::CallMode;
use super::path::{EventPath, Searched};
use super::unread::{ClaimedPlaces, UnclaimedCalls};

/// So many of something that its square takes minutes.
const MANY: usize = 20_000;

#[test]
fn very_many_calls_take_no_longer_than_their_text() {
    let mut calls = Vec::new();
    let mut results = Vec::new();
    let mut questions = Vec::new();
    for number in 0..MANY {
        let tool = format!("tool{}", number % 7);
        calls.push(json!({ "id": format!("c{number}"), "tool": tool }));
        // The last call is answered first.
        results.push(json!({ "of": format!("c{}", MANY - 1 - number), "output": "ok" }));
        questions.push(json!({ "id": format!("q{number}"), "of": "none" }));
    }
    let document =
        json!({ "reply": "a", "calls": calls, "results": results, "questions": questions });
    let found = reading(&mapping(CallMode::Whole), &document);
    assert_eq!(found.error, None);
    assert!(found.unread.is_empty());
    assert_eq!(found.read.matches("CallAnswered").count(), MANY);
    // Pieces are joined by index, and results by name.
    for (number, call) in calls.iter_mut().enumerate() {
        *call = json!({ "index": number, "tool": format!("tool{}", number % 7), "input": "{}" });
    }
    for (number, result) in results.iter_mut().enumerate() {
        *result = json!({ "tool": format!("tool{}", (MANY - 1 - number) % 7), "output": "ok" });
    }
    let document = json!({ "reply": "a", "calls": calls, "results": results });
    let found = reading(&mapping(CallMode::Delta), &document);
    assert_eq!(found.read.matches("CallAnswered").count(), MANY);
}

#[test]
fn a_long_history_is_passed_by_at_once() {
    let mut messages = vec![json!({ "role": "user", "content": "hi" }); MANY];
    messages.push(json!({ "role": "agent", "tool": "pay", "input": {} }));
    let history = json!({ "messages": messages });
    let path = EventPath::parse("messages[>role=user]").unwrap();
    let searched = Searched {
        value: &history,
        event: None,
    };
    let mut passed_by = Vec::new();
    assert_eq!(path.find(searched, &mut passed_by).len(), 1);
    assert_eq!(passed_by.len(), MANY);
    let mut unclaimed = UnclaimedCalls::default();
    unclaimed.search(&history, &ClaimedPlaces::new(passed_by, Vec::new()));
    // The last message is claimed by nothing here.
    assert_eq!(
        unclaimed
            .unread(&KnownCalls::default(), &TurnCalls::default())
            .len(),
        1
    );
}

#[test]
fn a_text_in_a_text_is_not_deeper_than_a_stack() {
    // Each level may be as deep as a document, and its brackets need no escapes in the next one.
    let brackets = "[".repeat(400);
    let ends = "]".repeat(400);
    let mut text = format!("{brackets}{ends}");
    while text.len() < 500_000 {
        text = format!("{brackets}{}{ends}", Value::from(text));
    }
    let mut unclaimed = UnclaimedCalls::default();
    unclaimed.search(&json!({ "text": text }), &ClaimedPlaces::default());
    assert!(
        unclaimed
            .unread(&KnownCalls::default(), &TurnCalls::default())
            .is_empty()
    );

    // A call in texts in texts is found all the same.
    let mut text = json!({ "tool": "pay", "input": {} }).to_string();
    for _ in 0..8 {
        text = json!([text]).to_string();
    }
    let mut unclaimed = UnclaimedCalls::default();
    unclaimed.search(&json!({ "text": text }), &ClaimedPlaces::default());
    assert_eq!(
        unclaimed
            .unread(&KnownCalls::default(), &TurnCalls::default())
            .len(),
        1
    );
}
