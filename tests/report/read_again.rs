//! Outcomes that are read from the document of a run: every report of what is read is that of what was written.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use ananke::context::Colouring;
use ananke::outcome::{
    CallFailure, EndCause, ErrorKind, Gap, LateResult, Measured, MeasuredUnit, ModelLine,
    OpenInterrupt, Outcome, ReportedRunEnd, RuleCounts, RuleResult, RuleStatus, RunEvent,
    RunPolicy, SaidLine, SelfComparison, SkipCause, StateChangeKind, Status, StatusChange,
    TimeLimits, TokenTotals, Transcript, TranscriptLine, TurnEnd, TurnOutcome,
};
use ananke::redact::Sealed;
use ananke::report::terminal::Verbosity;
use ananke::run_document::read_document;
use ananke::statistics::SequentialTest;
use ananke::trace::{AgentTime, AnsweredBy, EventNumber, Usage};
use ananke::{FileOptions, ReportFormat, create_report};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::hostile::texts;
use super::outcomes::{calls, evaluated, facts, made_of, problem, quarantine};
use super::{console, json_lines, run};

/// What an outcome is made of: texts and numbers, again and again in their order.
struct Choices<'c> {
    texts: &'c [String],
    numbers: &'c [u32],
    taken: Cell<usize>,
}

impl Choices<'_> {
    fn number(&self) -> u32 {
        let taken = self.taken.get();
        self.taken.set(taken + 1);
        // A list that is repeated does not choose the same everywhere.
        self.numbers[taken % self.numbers.len()].rotate_right(u32::try_from(taken % 31).unwrap())
    }

    fn text(&self) -> String {
        self.texts[self.number() as usize % self.texts.len()].clone()
    }

    fn one_of<T: Clone>(&self, all: &[T]) -> T {
        all[self.number() as usize % all.len()].clone()
    }

    fn maybe<T>(&self, value: T) -> Option<T> {
        Some(value).filter(|_| self.number().is_multiple_of(2))
    }

    fn time(&self) -> Option<u64> {
        self.maybe(self.number().into())
    }

    fn outcome(&self) -> Outcome {
        let mut outcome = self.attempt();
        // What attempts at a test share, and what is not kept of those before the last.
        let earlier = |_| {
            let attempt = self.attempt().into_earlier();
            let Outcome {
                mut verdict,
                transcript,
                ..
            } = attempt.clone();
            verdict.snapshots.clear();
            verdict.judges_not_asked = 0;
            verdict.denied_warnings = 0;
            let Transcript { peer, time, .. } = outcome.transcript;
            Outcome {
                test: outcome.test.clone(),
                verdict,
                transcript: Transcript {
                    peer,
                    time,
                    ..transcript
                },
                ..attempt
            }
        };
        let attempts: Vec<Outcome> = (0..self.number() % 3).map(earlier).collect();
        let others: Vec<Outcome> = (0..self.number() % 2).map(earlier).collect();
        (outcome.earlier_attempts, outcome.other_runs) = (attempts, others);
        outcome.change =
            self.maybe(self.one_of(&[StatusChange::New, StatusChange::Known, StatusChange::Fixed]));
        if let Some(stability) = outcome.stability.as_deref_mut() {
            let good = SequentialTest::DEFAULT.good;
            let times = RunPolicy::Times {
                runs: 5,
                min_pass_rate: good,
            };
            let sequential = RunPolicy::UntilDecided(SequentialTest::DEFAULT);
            stability.policy = self.one_of(&[times, sequential]);
            outcome.self_comparison = self.maybe(Box::new(SelfComparison {
                verdicts: [
                    self.one_of(&[Status::Passed, Status::Failed]),
                    Status::Passed,
                ],
                turns: 1,
                tokens: TokenTotals::default(),
            }));
        }
        outcome
    }

    fn attempt(&self) -> Outcome {
        let mut outcome = made_of(|_| self.text());
        outcome.run = self.number() % 4;
        outcome.test.quarantine = self.maybe(quarantine(self.number(), &self.text()));
        outcome.test.is_without_file = self.one_of(&[true, false]);
        outcome.stability = outcome
            .stability
            .filter(|_| self.number().is_multiple_of(2));
        outcome.walks = outcome.walks.filter(|_| self.number().is_multiple_of(2));
        let problem = problem(ErrorKind::Hook, &self.text(), None);
        outcome = evaluated(outcome);
        let end = self.one_of(&[
            None,
            Some(EndCause::Broken(problem)),
            Some(EndCause::Skipped(SkipCause::MissingInput, self.text())),
        ]);
        if let Some(cause) = end {
            outcome.end(cause);
        }
        outcome.transcript.time = self.one_of(&[AgentTime::Virtual, AgentTime::default()]);
        outcome.transcript.state = self.maybe(self.text());
        for turn in &mut outcome.transcript.turns {
            self.vary_turn(turn);
        }
        for rule in &mut outcome.verdict.rules {
            self.vary_rule(rule);
        }
        let turns = &outcome.transcript.turns;
        let durations = turns.iter().filter_map(|turn| turn.duration_us);
        outcome.transcript.duration_us = durations.sum();
        outcome
    }

    fn vary_turn(&self, turn: &mut TurnOutcome) {
        for _ in 0..self.number() % 8 {
            turn.lines.push(self.line());
        }
        // Lines are in the order of their events.
        for (number, line) in (1..).step_by(3).zip(&mut turn.lines) {
            let event = EventNumber::from((turn.number, number));
            match line {
                TranscriptLine::Says(said) | TranscriptLine::Thinks(said) => said.event = event,
                TranscriptLine::Custom { event: own, .. } => *own = event,
                TranscriptLine::Answered(late) => late.event = event,
                TranscriptLine::Asks(model) => model.event = event,
                TranscriptLine::Calls(call) => {
                    (call.event, call.result_event) = (event, (turn.number, number + 1).into());
                }
            }
        }
        turn.started_unix_ms = self.time();
        turn.ended_unix_ms = self.time();
        turn.duration_us = self.time();
        turn.timing.first_text_us = self.time();
        turn.timing.gaps = self.maybe(vec![Gap {
            from_us: 1,
            to_us: self.number().into(),
        }]);
        turn.timing.limits = TimeLimits {
            duration_ms: self.time(),
            idle_ms: self.time(),
            first_text_ms: self.time(),
            tool_ms: self.time(),
        };
        turn.usage = self.maybe(Usage::reported(self.time(), self.time(), self.time()));
        turn.run_end = self.one_of(&[
            None,
            Some(ReportedRunEnd::Finished),
            Some(ReportedRunEnd::Cancelled),
            Some(ReportedRunEnd::Error(self.text())),
            Some(ReportedRunEnd::Interrupted(vec![OpenInterrupt {
                id: self.text(),
                reason: self.maybe(self.text()),
                message: self.maybe(self.text()),
                tool: self.maybe(self.text()),
            }])),
        ]);
        let problems = [
            ErrorKind::Conversation,
            ErrorKind::Agent,
            ErrorKind::Timeout,
        ];
        let problem = problem(self.one_of(&problems), &self.text(), Some("help"));
        turn.end = self.one_of(&[
            TurnEnd::Evaluated,
            TurnEnd::Stopped,
            TurnEnd::NotNeeded(self.text()),
            TurnEnd::Problem(problem),
        ]);
        turn.rules.iter_mut().for_each(|rule| self.vary_rule(rule));
        let raw = turn.raw.take().filter(|_| self.number().is_multiple_of(2));
        turn.raw = raw.map(|mut raw| {
            let changes = raw.state.iter_mut().flat_map(|state| &mut state.changes);
            for change in changes {
                change.kind = self.one_of(&[StateChangeKind::Snapshot, StateChangeKind::Patch]);
            }
            raw
        });
    }

    fn line(&self) -> TranscriptLine {
        let (number, at_us) = (self.number(), self.time());
        let event = EventNumber::from((1, number));
        let failure = self.one_of(&[None, Some(CallFailure::Failed), Some(CallFailure::Denied)]);
        let said = SaidLine {
            event,
            id: self.text(),
            at_us,
            text: self.text(),
            repeats_result: self.one_of(&[true, false]),
        };
        let mut call = calls(number, &self.text(), &self.text(), None, (1, 2));
        if let TranscriptLine::Calls(call) = &mut call {
            call.result = self.maybe(self.text());
            call.hides_result = self.one_of(&[true, false]);
            call.is_client_side = self.one_of(&[true, false]);
            (call.started_us, call.duration_us) = (self.time(), self.time());
            call.failure = failure;
            // What is known of a result is known of no other call.
            if call.result.is_none() {
                (call.failure, call.duration_us) = (None, None);
            }
        }
        self.one_of(&[
            TranscriptLine::Says(said.clone()),
            TranscriptLine::Thinks(said),
            call,
            TranscriptLine::Answered(LateResult {
                event,
                id: self.text(),
                name: self.text(),
                called_in: 1,
                result: self.text(),
                arrived_us: at_us,
                failure,
            }),
            TranscriptLine::Custom {
                event,
                at_us,
                name: self.text(),
                value: self.text(),
            },
            TranscriptLine::Asks(ModelLine {
                event,
                number,
                name: self.text(),
                model: self.text(),
                api: self.text(),
                attempts: number,
                answered_by: self.one_of(&[AnsweredBy::Live, AnsweredBy::Recording(3)]),
                asked: self.text(),
                answered: self.text(),
                request: self.text(),
                answer: self.text(),
                input_tokens: at_us,
                output_tokens: self.maybe(31),
            }),
        ])
    }

    fn vary_rule(&self, rule: &mut RuleResult) {
        rule.status = self.one_of(&[RuleStatus::Passed, RuleStatus::Failed, RuleStatus::NotShown]);
        let unit = self.one_of(&[MeasuredUnit::Milliseconds, MeasuredUnit::Calls]);
        rule.measured = self.maybe(Measured {
            actual: self.number().into(),
            limit: self.number().into(),
            unit,
        });
        rule.counts = self.maybe(RuleCounts {
            triggered: self.number().into(),
            not_checkable: 0,
        });
        rule.is_prohibition = self.one_of(&[true, false]);
        // What belongs to a failure is empty in any other result.
        if !rule.has_failed() {
            (rule.seen, rule.differences, rule.difference) = (Vec::new(), Vec::new(), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reports_of_what_is_read_are_those_of_what_was_written(texts in vec(texts::any(), 1..6), numbers in vec(any::<u32>(), 1..40)) {
        let choices = Choices { texts: &texts, numbers: &numbers, taken: Cell::new(0) };
        let outcome = choices.outcome();
        let folder = TempDir::new().unwrap();
        let lines = report(folder.path(), ReportFormat::JsonLines, &run(vec![outcome.clone()]));
        // Every line is as the schema says.
        prop_assert_eq!(json_lines::lines(&lines).len(), 2);
        let path = folder.path().join("report.jsonl");
        let mut read = Vec::new();
        let head = read_document(&path, "report", &mut |outcome| read.push(outcome)).unwrap();
        prop_assert_eq!((head.total, read.len()), (1, 1));
        prop_assert_eq!(&*head.facts.command, &*facts().command);
        let (read, written) = (run(read), run(vec![outcome]));
        for format in [ReportFormat::JsonLines, ReportFormat::Json, ReportFormat::Junit, ReportFormat::Html, ReportFormat::Markdown, ReportFormat::Tap] {
            let [one, other] = [&read, &written].map(|events| report(folder.path(), format, events));
            prop_assert!(one == other, "{}: {}", format.name(), difference(&one, &other));
        }
        for verbosity in [Verbosity::Normal, Verbosity::Verbose] {
            let [one, other] = [&read, &written].map(|events| console::printed(events, Colouring::Coloured, verbosity));
            prop_assert!(one == other, "console: {}", difference(&one, &other));
        }
    }
}

/// Where two texts begin to differ.
fn difference(one: &str, other: &str) -> String {
    let pairs = one.char_indices().zip(other.chars());
    let mut unequal = pairs.skip_while(|((_, left), right)| left == right);
    let at = unequal
        .next()
        .map_or(one.len().min(other.len()), |((at, _), _)| at);
    let around = |text: &str| {
        text[text.floor_char_boundary(at.saturating_sub(200))..text.floor_char_boundary(at + 200)]
            .to_owned()
    };
    format!("{}\n{}", around(one), around(other))
}

/// A report of `events` in this format.
fn report(folder: &Path, format: ReportFormat, events: &[Sealed<RunEvent>]) -> String {
    let path = folder.join("report").with_extension(format.extension());
    let mut report = create_report(format, &path, &FileOptions::default()).unwrap();
    for event in events {
        report.event(event).unwrap();
    }
    report.finish().unwrap();
    fs::read_to_string(path).unwrap()
}

/// The document of a test of two turns, as version 1.1 counts: the events of the test from 0.
const OF_VERSION_1_1: &str = r#"{"type":"result","version":"1.1","id":"a::pays","name":"pays","file":"a","line":1,"target":"t","agent":"shop","status":"failed","attempts":1,"started":1,"ended":2,"duration_ms":1.0,"messages_count":1,"turns":[{"turn":1,"status":"passed","input":"hi","input_source":"static","output":"Hello","items":[{"type":"message","event":1,"text":"Hello"}],"tool_calls":[],"assertions":[],"warnings":[],"exchanges":[{"event":0,"method":"POST","url":"http://a","request_headers":{},"response_headers":{}}]},{"turn":2,"status":"failed","input":"pay","input_source":"static","output":"","items":[{"type":"call","id":"c","event":4,"name":"pay","args":{"sum":1}},{"type":"result","id":"c","event":6,"name":"pay","result":"ok","status":"executed"}],"tool_calls":[{"id":"c","name":"pay","event":4,"args":{"sum":1},"result":"ok","result_event":6,"status":"executed"}],"assertions":[{"type":"tools.require","status":"failed","passed":false,"message":"`pay` was called with `sum` 1, expected 2","written":"","seen":["call #4: pay({\"sum\":1})"],"evidence":[{"entry":0,"event":4}],"differences":[{"event":4,"of":"arguments","path":"sum","expected":"2","actual":"1"}],"level":"turn","events":[4],"file":"a","line":3,"column":1}],"warnings":[],"events":[{"n":3,"after_ms":0.0,"raw":"{}"}]}],"turns_not_run":0,"final_assertions":[{"type":"tools.forbid","status":"failed","passed":false,"message":"`pay` is forbidden","written":"","seen":["call #4: pay({\"sum\":1})"],"evidence":[{"entry":0,"event":4}],"level":"test","events":[1,4],"file":"a","line":4,"column":1}],"warnings":[]}
{"type":"summary","version":"1.1","selected":1,"total":1,"passed":0,"failed":1,"error":0,"timeout":0,"skipped":0,"quarantined":0,"flaky":0,"total_turns":2,"started":1,"duration_ms":1.0,"exit_code":1,"reason":"1 of 1 test did not pass"}
"#;

#[test]
fn documents_before_1_2_name_a_rule_by_its_type() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("old.jsonl");
    // Version 1.1 has the tool next to the type, and the kind of a rule as a text for an assertion of a case alone.
    let old = OF_VERSION_1_1
        .replace(
            r#""type":"tools.require","#,
            r#""type":"tools.require","tool":"pay","#,
        )
        .replace(
            r#""type":"tools.forbid","#,
            r#""type":"contains","rule":"text.contains","#,
        );
    fs::write(&path, old).expect("a file");
    let mut outcomes = Vec::new();
    read_document(&path, "old.jsonl", &mut |outcome| outcomes.push(outcome)).expect("a report");
    let written = &json_lines::lines(&json_lines::printed(&run(outcomes)))[0];
    let of_turn = &written["turns"][1]["assertions"][0];
    let rule = serde_json::json!({"kind": "tools.require", "tool": "pay"});
    assert_eq!(
        (&of_turn["rule"], &of_turn["type"]),
        (&rule, &"tools.require".into())
    );
    assert_eq!(of_turn["tool"], "pay");
    let of_test = &written["final_assertions"][0];
    assert_eq!(
        of_test["rule"],
        serde_json::json!({"kind": "text.contains"})
    );
}

#[test]
fn documents_of_1_1_count_the_events_of_a_test_from_0() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("old.jsonl");
    fs::write(&path, OF_VERSION_1_1).expect("a file");
    let mut outcomes = Vec::new();
    read_document(&path, "old.jsonl", &mut |outcome| outcomes.push(outcome)).expect("a report");
    let written = &json_lines::lines(&json_lines::printed(&run(outcomes)))[0];
    assert_eq!(written["version"], "1.2");
    let [first, second] = [0, 1].map(|turn| &written["turns"][turn]);
    // The request shows where the first turn begins, and an event that was kept where the second does.
    assert_eq!(first["items"][0]["event"], 2);
    assert_eq!(second["events"][0]["n"], 1);
    let call = &second["tool_calls"][0];
    assert_eq!(
        (&call["event"], &call["result_event"]),
        (&2.into(), &4.into())
    );
    let of_turn = &second["assertions"][0];
    assert_eq!(
        of_turn["events"],
        serde_json::json!([{"turn": 2, "event": 2}])
    );
    assert_eq!(of_turn["seen"][0], "call #2: pay({\"sum\":1})");
    assert_eq!(of_turn["evidence"][0]["event"], 2);
    assert_eq!(of_turn["differences"][0]["turn"], 2);
    let of_test = &written["final_assertions"][0];
    assert_eq!(
        of_test["events"],
        serde_json::json!([{"turn": 1, "event": 2}, {"turn": 2, "event": 2}])
    );
    assert_eq!(of_test["seen"][0], "call #2 of turn 2: pay({\"sum\":1})");
}
