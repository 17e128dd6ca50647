//! Tests of lanes with recordings.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ananke_base::context::ManualClock;
use ananke_model::model::ModelPace;
use ananke_trace::trace::{AnsweredBy, AskedAgain, ModelRequest, PromptMessage};
use bytes::Bytes;
use serde_json::json;

use super::lane_paths::PathRequestStep;
use super::lane_recording::{RecordingSetup, RecordingUse};
use super::lane_request::{LaneAnswer, LaneRequest};
use super::model_lane::{LaneReply, LaneSource, ModelLane};
use super::model_recording::tests::{call, path_request};
use super::model_recording::{ModelRecording, RecordedModelCall};
use super::problem::{ModelProblem, ModelProblemKind};
use super::recorded::{PathRequest, RecordedTime};

fn setup(calls: Vec<RecordedModelCall>) -> RecordingSetup {
    RecordingSetup {
        usage: RecordingUse::Replay,
        path: PathBuf::from("rec/pays.jsonl"),
        shown: "rec/pays.jsonl".to_owned(),
        recording: Some(ModelRecording {
            lane: "pays once".to_owned(),
            calls,
            requests: Vec::new(),
        }),
        again: "ananke run shop.test.yaml:12 --models record".to_owned(),
        ignore: Vec::new(),
        ignore_key: Some("models.main.ignore".to_owned()),
        strict_params: false,
        is_loose: false,
        pace: ModelPace::None,
        upstreams: super::Upstreams::default(),
        clock: Arc::new(ManualClock::default()),
        time: Arc::default(),
        secrets: Vec::new(),
    }
}

fn lane(setup: RecordingSetup) -> ModelLane {
    let source = LaneSource::Recordings(Box::new(setup));
    ModelLane::new("pays once", "model", "abcd".to_owned(), source).unwrap()
}

fn asked(request: &ModelRequest) -> LaneRequest<'_> {
    LaneRequest {
        api: "chat completions",
        provider: "",
        path: "/chat/completions",
        request,
        api_version: None,
        is_streamed: false,
        body: b"{}",
        fingerprint: String::new(),
        is_repeated: false,
    }
}

fn answer(lane: &ModelLane, asked: &LaneRequest<'_>) -> Result<LaneAnswer, ModelProblem> {
    match lane.answer(asked)? {
        LaneReply::Answer(answer) => Ok(answer),
        LaneReply::Live(_) => panic!("a provider would be asked"),
    }
}

fn ask(lane: &ModelLane, request: &ModelRequest) -> Result<LaneAnswer, ModelProblem> {
    answer(lane, &asked(request))
}

/// A request in which the user says this.
fn says(text: &str) -> ModelRequest {
    call(text).request
}

#[test]
fn overlapping_calls_need_no_order_and_equal_ones_come_in_theirs() {
    let mut second = call("a");
    second.answer.text = "again".to_owned();
    let lane = lane(setup(vec![call("a"), call("b"), second]));
    let mut texts = Vec::new();
    for text in ["b", "a", "a"] {
        let answer = ask(&lane, &says(text)).unwrap();
        texts.push((answer.answer.text, answer.answered_by));
    }
    let expected = [("re: b", 2), ("re: a", 1), ("again", 3)];
    let expected = expected.map(|(text, number)| (text.to_owned(), AnsweredBy::Recording(number)));
    assert_eq!(texts, expected);
    // One more than was recorded is a miss: a retry loop cannot pass for ever.
    let problem = ask(&lane, &says("a")).unwrap_err();
    assert_eq!(problem.kind, ModelProblemKind::Miss);
    let why = "the same request is recorded 2 times, and was answered each time";
    assert!(problem.message.ends_with(why), "{problem}");
}

#[test]
fn a_difference_is_shown_with_the_command_that_records_again() {
    let lane = lane(setup(vec![call("Pay my cart")]));
    let problem = ask(&lane, &says("Pay your cart")).unwrap_err();
    let expected = "error[stale-recording]: the model was asked something that is not recorded: what the user said differs (messages[0])
  call 1 of `pays once`, chat completions, m
  expected (call 1 of the recording): Pay my cart
  asked:                              Pay your cart
  help: if that is meant: ananke run shop.test.yaml:12 --models record";
    assert_eq!(problem.to_string(), expected);
    assert_eq!(lane.take().problems, [problem]);
    // After a problem, what is unused says nothing more.
    lane.finish();
    assert!(lane.take().problems.is_empty());
}

#[test]
fn another_place_of_the_conversation_is_not_compared() {
    let lane = lane(setup(vec![call("a")]));
    let mut request = says("a");
    request.messages.push(PromptMessage::Result {
        call: "x".to_owned(),
        content: "1".into(),
        is_error: false,
    });
    let problem = ask(&lane, &request).unwrap_err();
    assert_eq!(problem.kind, ModelProblemKind::Miss);
    let why = "none of the 1 recorded calls is left for a conversation with 0 calls and 1 results";
    assert!(problem.message.ends_with(why), "{problem}");
}

#[test]
fn without_a_recording_nothing_is_asked() {
    let lane = lane(RecordingSetup {
        recording: None,
        ..setup(Vec::new())
    });
    let problem = ask(&lane, &says("a")).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "error[model-miss]: there is no recording
  call 1 of `pays once`, chat completions, m
  looked for rec/pays.jsonl
  help: record it: ananke run shop.test.yaml:12 --models record"
    );
}

#[test]
fn calls_that_are_not_asked_for_are_an_error() {
    let lane = lane(setup(vec![call("a"), call("b"), call("c")]));
    ask(&lane, &says("b")).unwrap();
    lane.finish();
    let problems = lane.take().problems;
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].kind, ModelProblemKind::UnusedRecording);
    assert_eq!(
        problems[0].message,
        "2 of 3 recorded calls were not asked for"
    );
    let facts = [
        "recording: rec/pays.jsonl",
        "call 1: m, user \"a\"",
        "call 3: m, user \"c\"",
    ];
    assert_eq!(problems[0].facts, facts);
}

#[test]
fn parameters_of_sampling_are_noted_once_or_strict() {
    let mut hotter = says("a");
    hotter.params.insert("temperature".to_owned(), json!(1));
    let lenient = lane(setup(vec![call("a"), call("a")]));
    ask(&lenient, &hotter).unwrap();
    ask(&lenient, &hotter).unwrap();
    let happened = lenient.take();
    assert!(happened.problems.is_empty());
    let kinds: Vec<_> = happened
        .warnings
        .iter()
        .map(|warning| warning.kind)
        .collect();
    assert_eq!(kinds, [ModelProblemKind::Params]);
    let strict = lane(RecordingSetup {
        strict_params: true,
        ..setup(vec![call("a")])
    });
    let problem = ask(&strict, &hotter).unwrap_err();
    assert_eq!(problem.kind, ModelProblemKind::Stale);
    assert!(problem.facts[2].ends_with("{\"temperature\":1}"));
}

#[test]
fn another_form_is_made_from_the_answer_and_said() {
    let lane = lane(setup(vec![call("a"), call("b")]));
    assert!(ask(&lane, &says("a")).unwrap().recorded.is_some());
    let request = says("b");
    let streamed = LaneRequest {
        is_streamed: true,
        ..asked(&request)
    };
    let made = answer(&lane, &streamed).unwrap();
    assert!(made.recorded.is_none());
    assert_eq!(made.round.parts.len(), 1);
    assert_eq!(lane.take().warnings[0].kind, ModelProblemKind::OtherForm);
}

#[test]
fn recorded_waiting_passes_and_overlapping_calls_wait_together() {
    let mut calls = Vec::new();
    for (text, at_us, took_us) in [("a", 0, 100), ("b", 50, 100), ("c", 500, u64::MAX)] {
        calls.push(RecordedModelCall {
            at_us,
            took_us,
            ..call(text)
        });
    }
    let waiting = lane(setup(calls));
    let mut passed = Vec::new();
    for text in ["b", "a"] {
        ask(&waiting, &says(text)).unwrap();
        passed.push(waiting.take().used.passed);
    }
    assert_eq!(passed, [100, 50].map(Duration::from_micros));
    // Calls to another model wait together with those as well.
    let second_lane = |time: &Arc<RecordedTime>| {
        lane(RecordingSetup {
            time: Arc::clone(time),
            ..setup(vec![RecordedModelCall {
                at_us: 50,
                took_us: 100,
                ..call("a")
            }])
        })
    };
    let time = Arc::default();
    let lanes = [second_lane(&time), second_lane(&time)];
    let passed_in = |lane: &ModelLane| {
        ask(lane, &says("a")).unwrap();
        lane.take().used.passed
    };
    let passed = [passed_in(&lanes[0]), passed_in(&lanes[1])];
    assert_eq!(passed, [100, 0].map(Duration::from_micros));
    // Times in a file may be anything.
    ask(&waiting, &says("c")).unwrap();
}

#[test]
fn what_differs_in_dates_alone_offers_the_line_that_ignores_them() {
    let ignored = regex::Regex::new("Hi [a-z]+").unwrap();
    let lane = lane(RecordingSetup {
        ignore: vec![ignored],
        ..setup(vec![call("Hi a, \"today\" is 2026-11-30")])
    });
    let problem = ask(&lane, &says("Hi b, \"today\" is 2026-12-01")).unwrap_err();
    let help = problem.help.unwrap();
    let (first, offer) = help.split_once('\n').unwrap();
    assert_eq!(
        first,
        "if that is meant: ananke run shop.test.yaml:12 --models record"
    );
    let list = offer
        .strip_prefix("if it varies: models.main.ignore: ")
        .unwrap();
    let patterns: Vec<String> = serde_json::from_str(list).unwrap();
    let expected = [
        "Hi [a-z]+",
        "\\(ignored\\), \"today\" is [0-9]{4}-[0-9]{2}-[0-9]{2}",
    ];
    assert_eq!(patterns, expected);
    let problem = ask(&lane, &says("Hi b, \"today\" was 2026-12-01")).unwrap_err();
    assert!(!problem.help.unwrap().contains('\n'));
}

#[test]
fn values_of_the_test_are_compared_by_their_names() {
    let mut recorded = call("Show ${ORDER_ID} to ${THREAD_ID}");
    recorded.frames.clear();
    recorded.answer.text = "${ORDER_ID} is paid".to_owned();
    let lane = lane(setup(vec![recorded]));
    let known = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    lane.set_values(&[
        known("THREAD_ID", "thread-2"),
        known("ORDER_ID", "order-22"),
    ]);
    let answer = ask(&lane, &says("Show order-22 to thread-2")).unwrap();
    assert_eq!(answer.answer.text, "order-22 is paid");
    let problem = ask(&lane, &says("Show order-23 to thread-2")).unwrap_err();
    assert_eq!(problem.kind, ModelProblemKind::Miss);
}

#[test]
fn at_the_recorded_pace_waiting_takes_its_time_and_is_not_added() {
    let lane = lane(RecordingSetup {
        pace: ModelPace::Recorded,
        ..setup(vec![call("a")])
    });
    let answer = ask(&lane, &says("a")).unwrap();
    assert_eq!(answer.takes, Some(Duration::from_millis(1)));
    assert_eq!(lane.take().used.passed, Duration::ZERO);
}

#[test]
fn without_a_provider_nothing_is_recorded() {
    let lane = lane(RecordingSetup {
        usage: RecordingUse::RecordMissing,
        ..setup(vec![call("a")])
    });
    ask(&lane, &says("a")).unwrap();
    let problem = ask(&lane, &says("b")).unwrap_err();
    assert_eq!(problem.kind, ModelProblemKind::Upstream);
}

#[test]
fn a_request_that_is_sent_again_is_an_attempt_of_its_call_whenever_it_comes() {
    let lane = lane(setup(vec![call("a"), call("b")]));
    let again = |text: &str, fingerprint: &str| {
        let request = says(text);
        let repeated = LaneRequest {
            fingerprint: fingerprint.to_owned(),
            is_repeated: true,
            ..asked(&request)
        };
        answer(&lane, &repeated).unwrap()
    };
    // No answer was given to them yet, so that they are new calls.
    again("a", "A");
    again("b", "B");
    assert_eq!(lane.take().used.calls.len(), 2);
    assert_eq!(again("a", "A").answer.text, "re: a");
    let used = lane.take().used;
    assert_eq!(
        (used.calls.len(), &*used.asked_again),
        (
            0,
            &[AskedAgain {
                name: "model".to_owned(),
                call: 1
            }][..]
        )
    );
    again("b", "B");
    assert_eq!(lane.take().used.asked_again[0].call, 2);
}

/// A lane in which these requests for embeddings are recorded.
fn lane_with_requests(bodies: &[&str], mut setup: RecordingSetup) -> ModelLane {
    for body in bodies {
        let recording = setup.recording.as_mut().unwrap();
        recording
            .requests
            .push(path_request("/v1/embeddings?api_key=***", body));
    }
    lane(setup)
}

/// The number of the recorded request that answers one with this body, and the response.
fn ask_path(lane: &ModelLane, method: &str, body: &str) -> Result<(usize, String), ModelProblem> {
    let body = Bytes::from(body.to_owned());
    let asked = PathRequest {
        provider: "",
        method,
        target: "/v1/embeddings?api_key=abcdefghij123456",
        body: &body,
    };
    match lane.path_step(&asked)? {
        Some(PathRequestStep::Recorded(number, response, ModelPace::None)) => {
            let text = String::from_utf8(response.frames[0].bytes.to_vec()).unwrap();
            Ok((number, text))
        }
        _ => panic!("it is not recorded"),
    }
}

#[test]
fn other_requests_are_compared_as_json_and_answer_once() {
    let bodies = [
        r#"{"a":1,"b":"${ID}"}"#,
        "not JSON",
        r#"{"a":1,"b":"${ID}"}"#,
    ];
    let lane = lane_with_requests(&bodies, setup(Vec::new()));
    lane.set_values(&[("ID".to_owned(), "thread-1".to_owned())]);
    let same = "{ \"b\": \"thread-1\", \"a\": 1 }";
    let expected = format!("re: {}", bodies[0]);
    assert_eq!(
        ask_path(&lane, "POST", same).unwrap(),
        (1, expected.clone())
    );
    assert_eq!(ask_path(&lane, "POST", same).unwrap(), (3, expected));
    assert_eq!(ask_path(&lane, "POST", "not JSON").unwrap().0, 2);
    // Recorded calls that wait pass on the clock of the test, and none of these requests is a call.
    let used = lane.take().used;
    assert_eq!(used.passed, Duration::from_millis(1));
    assert!(used.calls.is_empty());

    for (method, body, why) in [
        (
            "POST",
            same,
            "the same request is recorded 2 times, and was answered each time",
        ),
        (
            "POST",
            "not  JSON",
            "3 requests with this method and path are recorded, and their bodies differ",
        ),
        (
            "PUT",
            same,
            "no request with this method and path is recorded",
        ),
    ] {
        let problem = ask_path(&lane, method, body).unwrap_err();
        let expected = format!(
            "error[model-miss]: the model was asked something that is not recorded: {why}
  {method} /v1/embeddings?api_key=*** of `pays once`
  help: if that is meant: ananke run shop.test.yaml:12 --models record"
        );
        assert_eq!(problem.to_string(), expected);
    }
}

#[test]
fn other_requests_that_were_not_asked_for_are_unused_recordings() {
    for is_loose in [false, true] {
        let setup = RecordingSetup {
            is_loose,
            ..setup(Vec::new())
        };
        let lane = lane_with_requests(&["1", "2"], setup);
        ask_path(&lane, "POST", "2").unwrap();
        lane.finish();
        let used = lane.take();
        let found = if is_loose {
            used.warnings
        } else {
            used.problems
        };
        assert_eq!(found.len(), 1);
        let lines = found[0].line();
        for part in [
            "1 of 2 recorded requests was not asked for",
            "request 1: POST /v1/embeddings?api_key=***",
        ] {
            assert!(lines.contains(part), "{lines}");
        }
    }
    let lane = lane_with_requests(&["1"], setup(Vec::new()));
    lane.finish();
    let problem = &lane.take().problems[0];
    assert!(problem.message.contains("never asked"), "{problem}");
}
