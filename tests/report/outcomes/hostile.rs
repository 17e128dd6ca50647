//! A failed test in which every text from outside is hostile, or is what a caller returns for its place.

use std::sync::Arc;

use ananke::diagnostic::{Difference, Excerpt, ExcerptLine, Place};
use ananke::outcome::coverage::{Picks, ToolPicks};
use ananke::outcome::{
    CheckpointRuns, ComparedValue, EarlierMessage, EndCause, ErrorKind, InputDecision, InputOrigin,
    InputReason, JudgeAnswer, Level, Outcome, Problem, Quarantine, RuleCounts, RuleResult,
    RuleStatus, Ruling, SaidLine, Stability, StabilityVerdict, Status, TestIdentity, TestVerdict,
    Transcript, TranscriptLine, TurnEnd, TurnOutcome, ValueDifference,
};
use ananke::trace::AgentTime;

use super::{
    calls, changed, ended, failed_runs, quarantine, seen, stability, with_id, without_gaps,
};
use crate::report::conversations::{missed_checkpoint, not_shown, raw_made_of, walks_made_of};

/// A test in which every string is hostile, after an attempt of the same kind, in quarantine or not.
pub(crate) fn hostile_after_all(status: Status, in_quarantine: bool) -> Outcome {
    let entry = Quarantine {
        owner: HOSTILE.to_owned(),
        reason: Some(HOSTILE.to_owned()),
        ..quarantine(1, HOSTILE)
    };
    let quarantine = in_quarantine.then_some(entry);
    let last = changed(hostile(), |outcome| outcome.test.quarantine = quarantine);
    ended(
        status,
        Outcome {
            earlier_attempts: vec![hostile(), hostile()],
            ..last
        },
    )
}

/// Text that breaks terminals, parsers and attributes.
pub(crate) const HOSTILE: &str = "]]> <script>alert('x')</script> & \"q\" \u{0}\u{8}\u{1b}[2J\u{9b}31m \u{202e}abc\u{fffe}\u{ffff} a\nb\r\nc\rd\te &amp; <!-- \u{e0041}\n::error::x ##vso[a] [[ATTACHMENT|/etc/passwd]]";

/// Text that would be Markdown, HTML, or a command to whatever shows it.
pub(crate) const MARKDOWN: &str = "</details><h1>x</h1> ![x](https://example.org/x.png) [a](https://example.org) @everyone #1 | a | b |\n|---|---|\n\n```\n</details>\n````````\n~~~\n# heading\n- [ ] task\n> quote\n<!-- --><script>alert(1)</script>\n&lt;b&gt; $`x`$ `code` ``more``\n::error::x\n";

/// A failed test in which every string is hostile.
pub(crate) fn hostile() -> Outcome {
    made_of(|_| HOSTILE.to_owned())
}

/// A judge's decision in which every text is what `say` returns.
fn ruling(say: &impl Fn(&'static str) -> String) -> Ruling {
    let answer = JudgeAnswer {
        passed: false,
        score: Some(1.into()),
        reason: say("judge's reason"),
        suggestions: vec![say("judge's suggestion")],
    };
    Ruling {
        judge: say("judge"),
        lane: "judge.1".to_owned(),
        threshold: Some(2.into()),
        quorum: 1,
        is_negated: false,
        answers: vec![answer],
    }
}

/// A rule of the whole test that passed.
fn passed_rule(say: &impl Fn(&'static str) -> String, place: Place) -> RuleResult {
    RuleResult {
        ruling: Some(ruling(say)),
        counts: Some(RuleCounts {
            triggered: 3,
            not_checkable: 1,
        }),
        ..RuleResult::passed(
            "state",
            Level::Test,
            place,
            (say("rule's text"), say("held")),
        )
    }
}

/// A failed test in which every string from outside is what `say` returns for the name of its place.
pub(crate) fn made_of(say: impl Fn(&'static str) -> String) -> Outcome {
    let failure = RuleResult {
        rule: say("rule").into(),
        tool: Some(say("rule's tool")),
        status: RuleStatus::Failed,
        level: Level::Turn,
        is_prohibition: true,
        place: Place {
            file: Arc::from(say("rule's file")),
            line: u32::MAX,
            column: 0,
        },
        excerpt: Excerpt {
            lines: vec![ExcerptLine {
                number: u32::MAX,
                text: say("rule's line"),
                is_meant: true,
            }],
        },
        written: say("rule's text"),
        measured: None,
        looked_in: None,
        ruling: Some(ruling(&say)),
        counts: None,
        message: say("failure"),
        expected: say("expected"),
        seen: vec![seen(&say("seen")); 12],
        found: Some(say("found words")),
        differences: vec![ValueDifference {
            event: Some((1, 1).into()),
            of: ComparedValue::Arguments,
            path: vec![say("path of a difference")],
            expected: say("expected value"),
            actual: Some(say("actual value")),
        }],
        difference: Some(Difference::between("one\ntwo", &say("difference"))),
        help: Some(say("failure's help")),
        events: vec![(1, u32::MAX).into(), (1, 1).into()],
    };
    let held = passed_rule(&say, failure.place.clone());
    let problem = Problem {
        kind: ErrorKind::Conversation,
        message: say("problem"),
        help: Some(say("problem's help")),
    };
    let (args, result) = (say("arguments"), say("result"));
    let turn = TurnOutcome {
        run_end: None,
        usage: None,
        cost_gaps: vec![say("cost gap")],
        awaits: Some(InputDecision {
            reason: InputReason::AgentDeclared,
            question: Some(say("question")),
            hint: Some(say("input hint")),
        }),
        timing: without_gaps(),
        number: 1,
        id: Some(say("turn's id")),
        input: say("user"),
        origin: InputOrigin::Static,
        lines: vec![
            TranscriptLine::Says(SaidLine {
                repeats_result: false,
                event: (1, 1).into(),
                id: say("message's id"),
                at_us: Some(0),
                text: say("agent"),
            }),
            with_id(
                calls(
                    u32::MAX,
                    &say("tool"),
                    &args,
                    Some(&result),
                    (u64::MAX, u64::MAX),
                ),
                say("call's id"),
            ),
        ],
        started_unix_ms: Some(u64::MAX),
        ended_unix_ms: Some(u64::MAX),
        duration_us: Some(1),
        end: TurnEnd::Problem(problem.clone()),
        rules: vec![failure.clone(), held.clone()],
        warnings: vec![say("turn's warning")],
        raw: Some(Box::new(raw_made_of(&say))),
    };
    let mut verdict = TestVerdict::default();
    verdict.rules = vec![failure, held, not_shown(&say)];
    verdict.silenced = vec![say("known name")];
    verdict.warnings = vec![say("warning")];
    verdict.denied_warnings = 1;
    let mut outcome = Outcome {
        helpers: Box::default(),
        test: TestIdentity {
            id: say("id"),
            name: say("name"),
            row: Some(say("row")),
            path: say("file"),
            is_default_target: false,
            about: serde_json::from_value(
                serde_json::json!({ "description": say("description"), "tags": [say("tag")] }),
            )
            .unwrap(),
            is_without_file: false,
            file: say("file"),
            line: u32::MAX,
            target: say("target"),
            agent: say("agent's name"),
            quarantine: None,
        },
        verdict,
        transcript: Transcript {
            time: AgentTime::Virtual,
            peer: Transcript::default().peer,
            checkpoints: vec![missed_checkpoint(&say)],
            thread_id: say("thread"),
            history: vec![EarlierMessage {
                role: "assistant".into(),
                text: say("history"),
            }],
            turns: vec![turn],
            turns_not_run: 1,
            messages_count: usize::MAX,
            state: Some(say("state")),
            started_unix_ms: u64::MAX,
            ended_unix_ms: u64::MAX,
            duration_us: 1,
            is_unanswered: false,
            recording: Some(say("recording")),
        },
        run: 2,
        earlier_attempts: Vec::new(),
        walks: Some(Box::new(walks_made_of(&say))),
        stability: Some(Box::new(runs_made_of(&say))),
        other_runs: Vec::new(),
        self_comparison: None,
        change: None,
        picks: Some(Box::new(picks_made_of(&say))),
    };
    outcome.end(EndCause::Broken(problem));
    outcome
}

/// Picks with every text that `say` makes of its place.
fn picks_made_of(say: impl Fn(&'static str) -> String) -> Picks {
    let picked = say("picked tool");
    let never = ToolPicks {
        unclear: vec![say("tool's finding")],
        ..ToolPicks::new(&say("tool that is never picked"))
    };
    Picks::of_run(vec![ToolPicks::new(&picked), never], &[picked.as_str()])
}

/// Runs with every text that `say` makes of its place.
fn runs_made_of(say: impl Fn(&'static str) -> String) -> Stability {
    let id = say("run's checkpoint");
    let checkpoint = CheckpointRuns {
        id,
        is_required: true,
        reached: 3,
        first_turn: Some(1),
        last_turn: Some(4),
    };
    let failed = failed_runs(say("run's kind"), say("run's finding"));
    Stability {
        checkpoints: vec![checkpoint],
        ..stability(StabilityVerdict::Failed, failed)
    }
}
