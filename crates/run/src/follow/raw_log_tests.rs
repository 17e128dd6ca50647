//! Unit tests of the raw log.

use super::*;
use ananke_base::diagnostic::Place;
use ananke_trace::outcome::{
    InputOrigin, Level, RuleResult, RuleStatus, Timing, TurnEnd, TurnOutcome,
};

/// A log that has a turn with a request.
fn began() -> RawLog {
    let mut log = RawLog::new(RequestBodies::Dropped);
    begin_turn(&mut log, &Trace::default());
    log
}

fn begin_turn(log: &mut RawLog, before: &Trace) {
    log.turn_began(before, &Input::default(), None);
    let headers = [("Authorization".to_owned(), "Bearer x".to_owned())];
    let request = Wire::Request {
        method: "POST",
        url: "http://127.0.0.1/agent",
        headers: &headers,
    };
    log.wire(&Lane::Agent, At(1000), request);
    log.wire(&Lane::Agent, At(1000), Wire::Sent { body: b"{}" });
}

fn frame(log: &mut RawLog, text: &str) {
    log.wire(&Lane::Agent, At(3500), Wire::Frame(text.as_bytes()));
}

/// An outcome of `turns` turns with the data that `log` collected. Its failed rule rests on the events `cited` of turn 1.
fn outcome(log: &RawLog, turns: u32, cited: &[u32], redactor: &Redactor) -> Outcome {
    let turn = |number| TurnOutcome {
        number,
        id: None,
        input: String::new(),
        origin: InputOrigin::default(),
        lines: Vec::new(),
        started_unix_ms: None,
        ended_unix_ms: None,
        duration_us: None,
        timing: Timing::default(),
        run_end: None,
        usage: None,
        cost_gaps: Vec::new(),
        awaits: None,
        end: TurnEnd::Evaluated,
        rules: Vec::new(),
        warnings: Vec::new(),
        raw: None,
    };
    let mut outcome = Outcome::default();
    outcome.transcript.turns = (1..=turns).map(turn).collect();
    let place = Place {
        file: "a.test.yaml".into(),
        line: 1,
        column: 1,
    };
    let texts = (String::new(), String::new());
    outcome.verdict.rules.push(RuleResult {
        status: RuleStatus::Failed,
        events: cited.iter().map(|number| (1, *number).into()).collect(),
        ..RuleResult::passed("text", Level::Test, place, texts)
    });
    log.put_into(&mut outcome, redactor);
    outcome
}

#[test]
fn a_turn_has_its_exchange_its_events_and_its_changes_of_the_state() {
    let mut log = began();
    let head = Wire::Head {
        status: 200,
        content_type: "text/event-stream",
    };
    log.wire(&Lane::Agent, At(2000), head);
    frame(&mut log, "one");
    let state = serde_json::json!({"sum": 1});
    log.change(
        &Lane::Agent,
        At(3500),
        &Change::StateReplaced(state.clone()),
    );
    begin_turn(&mut log, &Trace::new(state));
    frame(&mut log, "two");
    let patch = serde_json::json!([{"op": "remove", "path": "/sum"}]);
    log.change(&Lane::Agent, At(3500), &Change::StatePatched(patch));
    let outcome = outcome(&log, 2, &[], &Redactor::default());
    let [first, second] = &outcome.transcript.turns[..] else {
        panic!("two turns")
    };
    let first = first.raw.as_deref().unwrap();
    assert_eq!(first.exchanges[0].status, Some(200));
    assert_eq!(
        (first.exchanges[0].event, &first.exchanges[0].body),
        ((1, 1).into(), &None)
    );
    let event = &first.events[0];
    let received = (event.event, event.at_us, &*event.raw);
    assert_eq!(received, ((1, 1).into(), 2500, "one"));
    assert_eq!(
        first.state.as_ref().unwrap().before.as_deref(),
        Some("null")
    );
    let second = second.raw.as_deref().unwrap();
    assert_eq!(second.events[0].event, (2, 1).into());
    let state = second.state.as_ref().unwrap();
    assert_eq!(state.before.as_deref(), Some(r#"{"sum":1}"#));
    assert_eq!(state.changes[0].kind, StateChangeKind::Patch);
    assert_eq!(second.dropped, 0);
}

#[test]
fn what_the_results_rest_on_is_kept_first() {
    let mut log = began();
    for number in 0..1000 {
        frame(&mut log, &format!("{number} {}", "x".repeat(1000)));
    }
    let outcome = outcome(&log, 1, &[500], &Redactor::default());
    let raw = outcome.transcript.turns[0].raw.as_deref().unwrap();
    let kept: Vec<u32> = raw.events.iter().map(|event| event.event.number).collect();
    assert!(kept.is_sorted() && kept.contains(&500));
    let (first, last) = (kept[0], kept[kept.len() - 1]);
    assert!(first > 350 && last < 650, "{first} to {last}");
    let bytes: usize = raw.events.iter().map(|event| event.raw.len()).sum();
    assert!(bytes <= MOST_RAW && bytes > MOST_RAW / 2);
    let exchanges = raw.exchanges.len();
    assert_eq!(raw.dropped + kept.len() + exchanges, 1001);
}

#[test]
fn the_oldest_is_dropped_where_an_attempt_receives_too_much() {
    let mut log = began();
    let words = "y".repeat(10_000);
    for _ in 0..1000 {
        frame(&mut log, &words);
    }
    assert!(log.collected.lock().unwrap().bytes <= MOST_WAITING);
    let outcome = outcome(&log, 1, &[], &Redactor::default());
    let raw = outcome.transcript.turns[0].raw.as_deref().unwrap();
    assert_eq!(
        raw.events.last().map(|event| event.event.number),
        Some(1000)
    );
    assert_eq!(raw.dropped + raw.events.len(), 1001);
}

#[test]
fn a_secret_in_pieces_is_in_no_event() {
    let redactor = Redactor::default();
    redactor.add(["hunter22"]);
    let mut log = began();
    for (id, delta) in [("m", "key: hun"), ("m", "ter22"), ("n", " and more")] {
        frame(&mut log, delta);
        let change = Change::MessageText {
            id: id.into(),
            delta: delta.into(),
        };
        log.change(&Lane::Agent, At(3500), &change);
    }
    let outcome = outcome(&log, 1, &[], &redactor);
    let raw = outcome.transcript.turns[0].raw.as_deref().unwrap();
    let events: Vec<&str> = raw.events.iter().map(|event| &*event.raw).collect();
    assert_eq!(events, [PART_OF_SECRET, PART_OF_SECRET, " and more"]);
}

#[test]
fn a_state_that_is_too_large_is_counted() {
    let mut log = began();
    frame(&mut log, "state");
    let large = Value::from("z".repeat(LONGEST_STATE));
    log.change(&Lane::Agent, At(3500), &Change::StateReplaced(large));
    let outcome = outcome(&log, 1, &[], &Redactor::default());
    let raw = outcome.transcript.turns[0].raw.as_deref().unwrap();
    assert_eq!((raw.dropped, &raw.state), (1, &None));
}
