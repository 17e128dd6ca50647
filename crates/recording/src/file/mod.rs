//! The format of a recording: lines of JSON, meant to be committed, read and compared; documented in docs/replay.md.
//!
//! Flows in: what was recorded, and who masks its secrets; or the text of a file. Flows out: the text, or what was
//! recorded.
//!
//! **Invariant:** every byte of a response survives, and no line contains a secret.

mod content;
mod line;
mod read;
mod write;

pub(super) use read::{RecordingError, read, read_any};
pub(super) use write::write;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use serde_json::json;

    use serde_json::Value;
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::super::exchange::{
        BodyEnd, ExchangeKey, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange,
        RecordedResponse, ScriptAnswer, TypedInput,
    };

    use super::super::recorded_models::{
        AFTER_LAST_STEP, ExchangeStep, ModelPlace, RecordedModels,
    };
    use super::*;
    use ananke_agents::{Method, ResponseHead};
    use ananke_base::context::CaseKey;
    use ananke_base::message::Lane;
    use ananke_trace::outcome::{ErrorKind, Problem};
    use ananke_trace::process::ExitStatus;
    use ananke_trace::trace::{
        AnsweredBy, AskedAgain, ModelAnswer, ModelCall, ModelRequest, ModelUse, PromptMessage,
        Usage,
    };

    fn key(turn: u32, lane: Lane, number: u32) -> ExchangeKey {
        ExchangeKey { turn, lane, number }
    }

    fn judge() -> Lane {
        Lane::Helper {
            role: "judge".to_owned(),
            number: 1,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn recorded() -> Recorded {
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            location: None,
            headers: vec![("x-session".to_owned(), "s-1".to_owned())],
            proxy: Some("http://proxy:3128".to_owned()),
        };
        let piece = |at, text: &'static [u8]| (at, Bytes::from_static(text));
        let Value::Object(output) = json!({"TOKEN": "s3cr3t", "n": 1}) else {
            panic!()
        };
        let problem = |message: &str| Problem::new(ErrorKind::Hook, message).help("try again");
        let exchange = |answer| RecordedExchange {
            key: key(1, Lane::Agent, 1),
            sent: 5,
            method: Method::Post,
            path: "/agent".to_owned(),
            body: r#"{"a":  1.0}"#.to_owned(),
            hash: None,
            answer,
            closed: Some(99),
        };
        let received = |pieces, end| RecordedResponse::Received {
            at: 6,
            head: head.clone(),
            pieces,
            end,
        };
        Recorded {
            started_unix_us: 1_234_567,
            ended_unix_ms: 1_300,
            ids: BTreeMap::from([("run".to_owned(), vec!["r-1".to_owned()])]),
            secrets: vec!["TOKEN".to_owned()],
            actions: vec!["ask".to_owned()],
            setup: serde_json::Map::from_iter([("TENANT".to_owned(), json!("t-1"))]),
            hooks: vec![Ok(output), Err(problem("exit code 1"))],
            scripts: vec![
                ScriptAnswer {
                    after: 0,
                    turn: 1,
                    name: "check s3cr3t".to_owned(),
                    request: "cbf29ce484222325".to_owned(),
                    gave: Ok(json!({"pass": false, "message": "s3cr3t"})),
                },
                ScriptAnswer {
                    after: 2,
                    turn: 2,
                    name: "check".to_owned(),
                    request: "cbf29ce484222325".to_owned(),
                    gave: Err(Problem {
                        kind: ErrorKind::Script,
                        ..problem("exit code 1")
                    }),
                },
            ],
            typed: vec![
                TypedInput {
                    turn: 1,
                    gave: Ok("O-7".to_owned()),
                },
                TypedInput {
                    turn: 2,
                    gave: Err("nobody answered".to_owned()),
                },
            ],
            exchanges: vec![
                exchange(received(
                    vec![
                        piece(7, b"data: {\"type\":\"RUN_STARTED\",\"n\":1e2}\n\n"),
                        piece(8, b": ping\n\ndata: {}\n\n"),
                        piece(9, b"data: no JSON\n\n"),
                        piece(10, b"data: {\"a\":\n\n"),
                        piece(11, b"data: \xff\n\n"),
                        piece(
                            11,
                            "data: {\"a\":\"\u{202e}\u{9b}##vso[a]\"}\n\n".as_bytes(),
                        ),
                    ],
                    BodyEnd::Complete,
                )),
                RecordedExchange {
                    key: key(1, Lane::Agent, 2),
                    method: Method::Get,
                    body: "no JSON".to_owned(),
                    closed: None,
                    ..exchange(RecordedResponse::Late(Some(
                        "no connection came about".to_owned(),
                    )))
                },
                RecordedExchange {
                    key: key(1, judge(), 1),
                    ..exchange(RecordedResponse::Failed("refused".to_owned(), None))
                },
                RecordedExchange {
                    key: key(1, Lane::Agent, 3),
                    ..exchange(received(
                        Vec::new(),
                        BodyEnd::Broken(12, "reset".to_owned()),
                    ))
                },
                RecordedExchange {
                    key: key(2, Lane::Agent, 1),
                    ..exchange(received(vec![piece(7, b"data: {}")], BodyEnd::Left))
                },
            ],
            programs: programs(),
            models: Some(models()),
            is_edited: false,
        }
    }

    fn models() -> RecordedModels {
        let step = |exchange, step| ExchangeStep {
            turn: 1,
            exchange,
            step,
        };
        let call = ModelCall {
            name: "main".to_owned(),
            api: "chat completions".into(),
            request: ModelRequest {
                model: "gpt-5".to_owned(),
                messages: vec![PromptMessage::System("Say s3cr3t 7.".to_owned())],
                ..ModelRequest::default()
            },
            answer: ModelAnswer {
                text: "s3cr3t".to_owned(),
                usage: Some(Usage::reported(Some(7), Some(1), None)),
                ..ModelAnswer::default()
            },
            answered_by: AnsweredBy::Recording(2),
        };
        let used = ModelUse {
            calls: vec![call],
            asked_again: Vec::new(),
            passed: Duration::from_micros(1_500),
        };
        let again = ModelUse {
            asked_again: vec![AskedAgain {
                name: "main".to_owned(),
                call: 1,
            }],
            ..ModelUse::default()
        };
        RecordedModels {
            used: [(step(1, 3), used), (step(2, AFTER_LAST_STEP), again)].into(),
            failed: Some(ModelPlace {
                turn: 1,
                exchange: 2,
            }),
            problem: Some(Problem::new(ErrorKind::Model, "s3cr3t was not asked").help("ask")),
        }
    }

    fn programs() -> Vec<ProgramRun> {
        let sent = |turn, at| ProgramLine::Sent {
            turn,
            line: r#"{"n":  1.0}"#.to_owned(),
            at,
        };
        let run = |number, end| ProgramRun {
            key: key(1, Lane::Agent, number),
            argv: vec!["agent".to_owned(), "s3cr3t".to_owned()],
            lines: Vec::new(),
            end,
            stderr: None,
            note: None,
            closed: 9,
        };
        let received = |line: &'static [u8]| ProgramLine::Received(2, Bytes::from_static(line));
        vec![
            ProgramRun {
                lines: vec![
                    sent(1, 1),
                    received(b"{}"),
                    received(b"\xff"),
                    ProgramLine::Closed(4),
                ],
                stderr: Some("why".to_owned()),
                note: Some("is new".to_owned()),
                ..run(1, ProgramRunEnd::Complete(5, Some(ExitStatus::Exit(3))))
            },
            run(2, ProgramRunEnd::Left),
            ProgramRun {
                key: key(1, judge(), 1),
                ..run(1, ProgramRunEnd::TooLarge(3))
            },
            run(4, ProgramRunEnd::Complete(6, Some(ExitStatus::Signal(9)))),
            run(5, ProgramRunEnd::Complete(7, None)),
            run(
                3,
                ProgramRunEnd::Failed("not there".to_owned(), Some("install it".to_owned())),
            ),
        ]
    }

    #[test]
    fn every_byte_survives() {
        let key = CaseKey {
            test: "a.test.yaml::é".to_owned(),
            run: 2,
            attempt: 3,
        };
        let text = write(&key, &recorded(), &str::to_owned);
        assert_eq!(read(&key, &text), Ok(recorded()));
        assert!(
            !text.contains(['\u{202e}', '\u{9b}']) && !text.contains("##vso["),
            "{text}"
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..8],
            [
                r#"{"recording":{"version":"1.4","test":"a.test.yaml::é","run":2,"attempt":3,"started_unix_us":1234567,"ended_unix_ms":1300,"ids":{"run":["r-1"]},"secrets":["TOKEN"],"sees_models":true,"actions":["ask"]}}"#,
                r#"{"setup":{"TENANT":"t-1"}}"#,
                r#"{"hook":{"output":{"TOKEN":"s3cr3t","n":1}}}"#,
                r#"{"hook":{"failed":{"message":"exit code 1","help":"try again"}}}"#,
                r#"{"script":{"turn":1,"name":"check s3cr3t","request":"cbf29ce484222325","answer":{"pass":false,"message":"s3cr3t"}}}"#,
                r#"{"request":{"turn":1,"exchange":1,"at_us":5,"path":"/agent","body":{"a":  1.0}}}"#,
                r#"{"head":{"at_us":6,"status":200,"content_type":"text/event-stream","headers":[["x-session","s-1"]],"proxy":"http://proxy:3128"}}"#,
                r#"{"event":{"at_us":7,"data":{"type":"RUN_STARTED","n":1e2}}}"#,
            ]
        );
    }

    #[test]
    fn programs_are_kept_line_by_line() {
        let text = write(&CaseKey::first("a"), &recorded(), &str::to_owned);
        let first = text
            .lines()
            .skip_while(|line| !line.starts_with("{\"program\""))
            .take(6);
        assert_eq!(
            first.collect::<Vec<_>>(),
            [
                r#"{"program":{"turn":1,"exchange":1,"argv":["agent","s3cr3t"]}}"#,
                r#"{"sent":{"turn":1,"at_us":1,"text":"{\"n\":  1.0}"}}"#,
                r#"{"output":{"at_us":2,"text":"{}"}}"#,
                r#"{"output":{"at_us":2,"base64":"/w=="}}"#,
                r#"{"closed":{"at_us":4}}"#,
                r#"{"exit":{"how":"complete","at_us":5,"code":3,"stderr":"why","note":"is new","closed_us":9}}"#,
            ]
        );
    }

    #[test]
    fn what_models_were_asked_is_kept_step_by_step() {
        let mark = |text: &str| text.replace("s3cr3t", "<secret:TOKEN>").replace('7', "<n>");
        let text = write(&CaseKey::first("a"), &recorded(), &mark);
        let lines = text.lines().filter(|line| line.starts_with("{\"model"));
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                r#"{"models":{"turn":1,"exchange":1,"step":3,"passed_us":1500,"calls":[{"name":"main","api":"chat completions","request":{"model":"gpt-5","messages":[{"system":"Say <secret:TOKEN> <n>."}]},"answer":{"text":"<secret:TOKEN>","finish":"complete","usage":{"input":7,"output":1,"total":8}},"answered_by":"recording 2"}]}}"#,
                r#"{"models":{"turn":1,"exchange":2,"asked_again":[{"name":"main","call":1}]}}"#,
                r#"{"model_problem":{"message":"<secret:TOKEN> was not asked","help":"ask","failed_in":{"turn":1,"exchange":2}}}"#,
            ]
        );
        let again = read(&CaseKey::first("a"), &text).unwrap().models.unwrap();
        assert_eq!(again.used.len(), 2);
        let unseen = text.replacen("\"sees_models\":true,", "", 1);
        let error = read(&CaseKey::first("a"), &unseen).unwrap_err();
        assert_eq!(
            error.message,
            "only a recording with `sees_models` has calls to models"
        );
    }

    #[test]
    fn a_recording_that_was_edited_is_known_by_its_hash() {
        let key = CaseKey::first("a");
        let text = write(&key, &recorded(), &str::to_owned);
        let is_edited = |text: &str| read(&key, text).unwrap().is_edited;
        assert!(
            !is_edited(&text)
                && !is_edited(&text.replace('\n', "\r\n"))
                && !is_edited(text.trim_end())
        );
        assert!(
            is_edited(&text.replace("\"n\":1e2", "\"n\":1e3")),
            "a value"
        );
        let without = &text[..text.trim_end().rfind('\n').unwrap()];
        assert!(is_edited(without), "the hash is gone");
        let after = format!("{text}{}\n", without.lines().last().unwrap());
        assert!(
            read(&key, &after).map_or(true, |read| read.is_edited),
            "a line after the hash"
        );
        assert!(
            !is_edited(&without.replace("\"version\":\"1.4\"", "\"version\":\"1.2\"")),
            "an older version"
        );
        let twice = format!("{text}{}", text.lines().last().unwrap());
        assert_eq!(
            read(&key, &twice).unwrap_err().message,
            "a recording has one hash"
        );
    }

    #[test]
    fn older_versions_name_no_lane_and_no_exchange() {
        let key = CaseKey::first("a");
        let recorded = Recorded {
            programs: Vec::new(),
            models: None,
            ..recorded()
        };
        let text = write(&key, &recorded, &str::to_owned);
        let older = text
            .replace("\"lane\":\"judge.1\",", "")
            .replace("\"version\":\"1.4\"", "\"version\":\"1.0\"");
        let older = ["1", "2", "3"].iter().fold(older, |text, number| {
            text.replace(&format!("\"exchange\":{number},"), "")
        });
        assert!(
            !older.contains("lane") && !older.contains("exchange"),
            "{older}"
        );
        let exchanges = read(&key, &older).unwrap().exchanges;
        let keys: Vec<_> = exchanges
            .iter()
            .map(|exchange| (exchange.key.turn, &exchange.key.lane, exchange.key.number))
            .collect();
        let agent = &Lane::Agent;
        assert_eq!(
            keys,
            [
                (1, agent, 1),
                (1, agent, 2),
                (1, agent, 3),
                (1, agent, 4),
                (2, agent, 1)
            ]
        );
    }

    #[test]
    fn no_line_holds_what_is_marked() {
        let mark = |text: &str| {
            text.replace("s3cr3t", "<secret:TOKEN>")
                .replace("1e2", "<n>")
        };
        let text = write(&CaseKey::first("a"), &recorded(), &mark);
        assert!(
            !text.contains("s3cr3t") && text.contains("\"<secret:TOKEN>\""),
            "{text}"
        );
        let again = read(&CaseKey::first("a"), &text).unwrap();
        let RecordedResponse::Received { pieces, .. } = &again.exchanges[0].answer else {
            panic!()
        };
        assert_eq!(
            pieces[0].1,
            b"data: {\"type\":\"RUN_STARTED\",\"n\":<n>}\n\n"[..],
            "kept as text"
        );
    }

    proptest! {
        /// Whatever became of a file on its way: it is read, or refused with a line.
        #[test]
        fn no_file_breaks_the_reader(cuts in prop::collection::vec((0..4000_usize, 0..60_usize, ".{0,8}"), 1..4)) {
            let key = CaseKey::first("a");
            let mut text = write(&key, &recorded(), &str::to_owned);
            for (from, length, other) in cuts {
                let mut ends = [from.min(text.len()), (from + length).min(text.len())];
                for end in &mut ends {
                    while !text.is_char_boundary(*end) {
                        *end -= 1;
                    }
                }
                text.replace_range(ends[0]..ends[1], &other);
            }
            if let Err(RecordingError { line, message }) = read(&key, &text) {
                prop_assert!(line >= 1 && line <= text.lines().count().max(1) && !message.is_empty());
            }
        }
    }

    #[test]
    fn a_file_that_is_none_says_where_and_why() {
        let key = CaseKey::first("a");
        let text = write(&key, &recorded(), &str::to_owned);
        let lines: Vec<&str> = text.lines().collect();
        let error = |text: String| {
            let RecordingError { line, message } = read(&key, &text).unwrap_err();
            format!("{line}: {message}")
        };
        let without = |dropped: usize| {
            let kept = lines
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != dropped);
            kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(error(String::new()), "1: the file is empty");
        assert!(error(without(0)).starts_with("1: the first line of a recording says which test"));
        assert_eq!(
            error(without(5)),
            "6: this line belongs to an exchange, and none is open"
        );
        assert!(error(without(6)).starts_with("7: this line belongs to an exchange"));
        assert_eq!(
            error(without(13)),
            "14: this line cannot stand inside an exchange"
        );
        assert_eq!(
            error(lines[..8].join("\n")),
            "8: the file ends in the middle of an exchange"
        );
        let inside = [&lines[..6], &lines[4..5]].concat().join("\n");
        assert_eq!(
            error(inside),
            "7: this line cannot stand inside an exchange"
        );
        assert!(
            error(format!("{}\nnonsense", lines[0]))
                .starts_with("2: this is not a valid line of a recording: ")
        );
        let newer = r#"{"recording":{"version":"2.0"}}"#.to_owned();
        assert_eq!(
            error(newer),
            "1: recordings of version 2.0 are not known here, only those of 1.x"
        );
        let other = write(&CaseKey::first("b"), &recorded(), &str::to_owned);
        assert_eq!(
            error(other),
            "1: this is the recording of `b`, run 1, attempt 1"
        );
    }
}
