//! Conversations with fakes, turn by turn: what is sent, what ends them, and what is evaluated.

use std::time::Duration;

use crate::fakes::{FakeAct, FakeTest, Inputs, Says, rules};
use crate::result::ConversationResult;
use ananke_agents::Action;
use ananke_base::message::{AnswerTo, Lane, PendingAnswer, TurnInput};
use ananke_rules::Decision;
use ananke_trace::outcome::{ErrorKind, Halt, Problem, Status, TurnEnd, TurnOutcome};
use ananke_trace::trace::{Interrupt, RunEnd};

fn broken(kind: ErrorKind, message: &str) -> Problem {
    Problem::new(kind, message)
}

/// The number of rules of the whole conversation that failed.
fn failed(result: &ConversationResult) -> usize {
    result.rules.iter().filter(|rule| rule.has_failed()).count()
}

fn statuses(result: &ConversationResult) -> Vec<Status> {
    result.turns.iter().map(TurnOutcome::status).collect()
}

fn interrupted() -> FakeAct {
    let interrupt = Interrupt {
        id: "i-1".to_owned(),
        ..Interrupt::default()
    };
    FakeAct::Ends(RunEnd::Interrupted(vec![interrupt]))
}

#[tokio::test]
async fn it_goes_on_until_there_is_no_more_input() {
    let mut inputs = Inputs {
        is_counted: false,
        ..Inputs::says(&["one", "two"])
    };
    let mut test = FakeTest::of(&[FakeAct::Says("a"), FakeAct::Says("b")]);
    test.rules = rules("{ text: { must_match: [b] }, tools: { forbid: [pay] } }");
    let result = test.hold(&mut inputs).await;
    assert_eq!(statuses(&result), [Status::Passed, Status::Passed]);
    assert_eq!(
        (
            result.is_passed(),
            result.messages_count,
            result.turns_not_run
        ),
        (true, 3, 0)
    );
    assert_eq!(
        result.rules.len(),
        2,
        "the rules of the whole conversation are evaluated"
    );
}

#[tokio::test]
async fn it_ends_with_the_first_turn_that_does_not_pass() {
    let mut test = FakeTest::of(&[FakeAct::Executes("pay")]);
    test.rules = rules("{ tools: { forbid: [pay] }, text: { must_match: [b] } }");
    for (is_counted, turns, not_run, of_whole) in [
        (true, &["one", "two"][..], 1, 0),
        (true, &["one"], 0, 1),
        (false, &["one"], 0, 0),
    ] {
        let mut inputs = Inputs {
            is_counted,
            ..Inputs::says(turns)
        };
        let result = test.hold(&mut inputs).await;
        assert_eq!(statuses(&result), [Status::Failed]);
        assert_eq!((result.turns_not_run, failed(&result)), (not_run, of_whole));
    }
}

#[tokio::test]
async fn a_failure_can_stop_the_turn() {
    let mut test = FakeTest::of(&[FakeAct::Executes("pay")]);
    test.rules = rules("{ tools: { forbid: [pay] } }");
    test.settings.stop_early = true;
    let result = test.hold(&mut Inputs::says(&["one"])).await;
    assert_eq!(statuses(&result), [Status::Failed]);
    let unanswered = &result.turns[0].lines[0];
    assert!(
        format!("{unanswered:?}").contains("result: None"),
        "{unanswered:?}"
    );
}

#[tokio::test]
async fn the_time_of_the_whole_conversation_applies_to_any_turn() {
    let wait = FakeAct::Waits(Duration::from_secs(4));
    let mut test = FakeTest::of(&[wait.clone(), wait]);
    test.budget.whole = Some(Duration::from_secs(6));
    let mut inputs = Inputs {
        is_counted: false,
        ..Inputs::says(&["one", "two"])
    };
    let result = test.hold(&mut inputs).await;
    assert_eq!(statuses(&result), [Status::Passed, Status::Timeout]);
    let problem = result.turns[1].problem().unwrap();
    assert_eq!(
        problem.message,
        "timeout after 6 s for the whole test: no response came"
    );
    assert_eq!(result.duration_us, 6_000_000);
}

#[tokio::test]
async fn a_run_that_is_stopped_stops_the_turn() {
    let mut test = FakeTest::of(&[]);
    test.budget.turn.cancel.cancel();
    let result = test.hold(&mut Inputs::says(&["one"])).await;
    assert_eq!(result.turns[0].end, TurnEnd::Stopped);
}

#[tokio::test]
async fn the_input_source_has_the_last_word_on_a_turn() {
    let mut inputs = Inputs::says(&["one", "two"]);
    inputs.finds.warnings.push("odd".to_owned());
    inputs.finds.problem = Some(broken(ErrorKind::Capture, "missing"));
    let result = FakeTest::of(&[]).hold(&mut inputs).await;
    assert_eq!(inputs.ends, [TurnEnd::Evaluated]);
    assert_eq!(
        (statuses(&result), &*result.turns[0].warnings),
        (vec![Status::Failed], &["odd".to_owned()][..])
    );
}

#[tokio::test]
async fn what_a_rule_cannot_know_the_oracle_decides() {
    let mut test = FakeTest::of(&[]);
    test.rules = rules("{ script: [{ cmd: [check] }] }");
    let unknown = Halt::Broken(broken(ErrorKind::Script, "it crashed"));
    for (says, failures, passed) in [
        (Ok(Decision::Confirmed), 0, 1),
        (Ok(Decision::Rejected(Some("no".to_owned()))), 1, 0),
        (Err(unknown), 0, 0),
    ] {
        test.oracle = Says(says.clone());
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        let failed = failed(&result);
        assert_eq!((failed, result.rules.len() - failed), (failures, passed));
        assert_eq!(result.halt.is_some(), says.is_err());
    }
}

#[tokio::test]
async fn a_conversation_in_which_nothing_was_sent_is_broken() {
    let result = FakeTest::of(&[]).hold(&mut Inputs::says(&[])).await;
    let Some(Halt::Broken(problem)) = result.halt else {
        panic!("{:?}", result.halt)
    };
    assert_eq!(problem.kind, ErrorKind::Setup);
    assert_eq!(problem.message, "nothing was sent to the agent");
}

#[tokio::test]
async fn what_is_pending_must_be_answered() {
    let mut test = FakeTest::of(&[interrupted()]);
    let result = test.hold(&mut Inputs::says(&["one", "two"])).await;
    assert_eq!(statuses(&result), [Status::Passed, Status::Failed]);
    assert_eq!(
        result.turns[1].problem().unwrap().kind,
        ErrorKind::Conversation
    );

    let answer = PendingAnswer {
        to: AnswerTo::TheOnlyOne,
        is_resolved: true,
        payload: None,
    };
    let says = TurnInput::User(ananke_base::message::UserContent::Text("one".into()));
    let mut inputs = Inputs::of(vec![says, TurnInput::Resume(vec![answer])]);
    let mut test = FakeTest::of(&[interrupted()]);
    assert_eq!(
        statuses(&test.hold(&mut inputs).await),
        [Status::Passed, Status::Passed]
    );
    assert!(
        matches!(&test.requests.lock().unwrap()[1], Action::Resume(answers) if answers[0].id == "i-1")
    );
}

#[tokio::test]
async fn the_rules_of_the_test_apply_to_turns_that_are_not_written() {
    // The rules are those of a test of two turns.
    let wait = |seconds| FakeAct::Waits(Duration::from_secs(seconds));
    for (rule, waits, turns, of_whole) in [
        (
            "{ timing: { max_first_token_ms: 1500, max_duration_ms: 9000 } }",
            [1, 1, 1, 1],
            "pppp",
            0,
        ),
        (
            "{ timing: { max_duration_ms: 3500 } }",
            [1, 1, 1, 1],
            "pppf",
            0,
        ),
        ("{ timing: { max_idle_ms: 2500 } }", [1, 1, 1, 3], "pppf", 0),
        ("{ timing: { max_idle_ms: 2500 } }", [1, 1, 3, 1], "ppf", 0),
    ] {
        let mut inputs = Inputs {
            is_counted: false,
            ..Inputs::says(&["one", "two", "three", "four"])
        };
        let mut test = FakeTest::of(&waits.map(wait));
        test.rules = rules(rule);
        let result = test.hold(&mut inputs).await;
        let shown: String = statuses(&result)
            .iter()
            .map(|status| &status.as_str()[..1])
            .collect();
        assert_eq!(
            (shown.as_str(), failed(&result)),
            (turns, of_whole),
            "{rule} {waits:?}"
        );
    }
}

#[tokio::test]
async fn rules_of_a_turn_can_come_with_it() {
    let rules = rules("{ timing: { max_idle_ms: 500 } }").turns.remove(0);
    let mut inputs = Inputs::says(&["one", "two", "three"]);
    inputs.rules = Some((2, rules));
    let result = FakeTest::of(&vec![FakeAct::Waits(Duration::from_secs(1)); 3])
        .hold(&mut inputs)
        .await;
    assert_eq!(
        statuses(&result),
        [Status::Passed, Status::Passed, Status::Failed]
    );
}

#[tokio::test]
async fn what_a_server_asks_back_is_answered_by_the_part_that_was_handed_in() {
    let result = FakeTest::of(&[FakeAct::Asks])
        .hold(&mut Inputs::says(&["one"]))
        .await;
    assert_eq!(result.trace.messages[1].text, "Accepted(String(\"Sure?\"))");
}

#[tokio::test]
async fn an_observer_sees_everything_in_its_order_with_the_lane_that_talks() {
    let mut test = FakeTest::of(&[FakeAct::Says("hi")]);
    test.lane = Lane::Helper {
        role: "judge".to_owned(),
        number: 1,
    };
    test.hold(&mut Inputs::says(&["one"])).await;
    let notes = test.notes.0.lock().unwrap();
    let kinds = [
        "Sent",
        "RunStarted",
        "MessageOpened",
        "MessageText",
        "MessageClosed",
        "RunEnded",
        "Closed",
    ];
    assert_eq!(notes.len(), kinds.len(), "{notes:?}");
    for (note, kind) in notes.iter().zip(kinds) {
        assert!(note.starts_with(&format!("judge.1: {kind}")), "{note}");
    }
}
