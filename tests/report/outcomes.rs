//! Outcomes made by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use ananke::context::Day;
use ananke::diagnostic::{Difference, Excerpt, ExcerptLine, Place};
use ananke::outcome::{
    CallOutcome, CheckpointRuns, ComparedValue, EarlierMessage, ErrorKind, EvidenceLine,
    FailedRuns, InputDecision, InputOrigin, InputReason, JudgeAnswer, Level, Measured,
    MeasuredUnit, Outcome, Problem, ProgramVersion, Quarantine, RuleCounts, RuleResult, RuleStatus,
    Ruling, RunFacts, RunPolicy, SaidLine, Shard, ShardBy, SkipCause, Stability, StabilityVerdict,
    Status, TestEnd, TestIdentity, TestVerdict, Timing, TokenTotals, Transcript, TranscriptLine,
    TurnEnd, TurnOutcome, ValueDifference,
};
use ananke::statistics::{DurationStatistics, SequentialTest};
use ananke::trace::AgentTime;

use super::conversations::{missed_checkpoint, move_to, not_shown, raw_made_of, walks_made_of};

/// When every run of these tests starts.
pub(super) const STARTED: u64 = 1_795_298_880_123;

/// A test that passed without a turn.
pub(super) fn outcome(file: &str, name: &str) -> Outcome {
    Outcome {
        test: TestIdentity {
            id: format!("{file}::{name}"),
            name: name.to_owned(),
            file: file.to_owned(),
            path: file.to_owned(),
            is_default_target: true,
            line: 2,
            target: "default".to_owned(),
            agent: "shop".to_owned(),
            ..TestIdentity::default()
        },
        transcript: Transcript {
            thread_id: "thread-1".to_owned(),
            started_unix_ms: STARTED,
            ended_unix_ms: STARTED,
            ..Transcript::default()
        },
        run: 1,
        ..Outcome::default()
    }
}

/// Where the files of these runs are.
pub(super) const BLOBS: &str = "https://git.example.org/shop/agent/blob/acb4350/tests";

/// The facts of these runs on a line of the console.
pub(super) const MADE_WITH: &str = concat!(
    "ananke ",
    env!("CARGO_PKG_VERSION"),
    ", target default, model shop-2, shard 2/5, commit acb4350, branch main, CI job https://ci.example.org/jobs/7, \
     command ananke run --var 'TOKEN=***'"
);

/// The same in Markdown.
pub(super) const MADE_WITH_IN_MARKDOWN: &str = concat!(
    "ananke `",
    env!("CARGO_PKG_VERSION"),
    "` · target `default` · model `shop-2` · shard `2/5` · commit `acb4350` · branch `main` · CI job https://ci.example.org/jobs/7 \
     · command `ananke run --var 'TOKEN=***'`"
);

/// What every run of these tests has in common.
pub(super) fn facts() -> RunFacts {
    RunFacts {
        ananke: ProgramVersion::default(),
        command: ["ananke", "run", "--var", "TOKEN=***"]
            .map(str::to_owned)
            .to_vec(),
        config: Some("ananke.config.yaml".to_owned()),
        target: Some("default".to_owned()),
        target_description: Some("The shop's agent".to_owned()),
        model: Some("shop-2".to_owned()),
        host: Some("runner-1".to_owned()),
        commit: Some("acb4350".to_owned()),
        branch: Some("main".to_owned()),
        job_url: Some("https://ci.example.org/jobs/7".to_owned()),
        blob_url: Some(BLOBS.to_owned()),
        shard: Some(Shard {
            index: 2,
            total: 5,
            by: ShardBy::Time,
            tests: 41,
            places: vec![3, 40],
        }),
        files: Arc::new(BTreeMap::from([(
            "shop/pay.test.yaml".to_owned(),
            "0123456789abcdef".to_owned(),
        )])),
        parallel: 0,
    }
}

/// `outcome` after `change`.
pub(super) fn changed(mut outcome: Outcome, change: impl FnOnce(&mut Outcome)) -> Outcome {
    change(&mut outcome);
    outcome
}

pub(super) fn turn(
    number: u32,
    input: &str,
    duration_us: u64,
    mut lines: Vec<TranscriptLine>,
) -> TurnOutcome {
    for line in &mut lines {
        move_to(line, number);
    }
    TurnOutcome {
        number,
        id: None,
        input: input.to_owned(),
        origin: InputOrigin::Static,
        lines,
        started_unix_ms: Some(STARTED),
        ended_unix_ms: Some(STARTED + duration_us / 1000),
        duration_us: Some(duration_us),
        timing: without_gaps(),
        run_end: None,
        usage: None,
        awaits: None,
        end: TurnEnd::Evaluated,
        rules: Vec::new(),
        warnings: Vec::new(),
        raw: None,
    }
}

/// A message of the first turn.
pub(super) fn says(event: u32, text: &str) -> TranscriptLine {
    let id = format!("message-{event}");
    TranscriptLine::Says(SaidLine {
        repeats_result: false,
        event: (1, event).into(),
        id,
        at_us: Some(0),
        text: text.to_owned(),
    })
}

/// A call in the first turn.
pub(super) fn calls(
    event: u32,
    name: &str,
    args: &str,
    result: Option<&str>,
    times: (u64, u64),
) -> TranscriptLine {
    let (started_us, duration_us) = times;
    TranscriptLine::Calls(CallOutcome {
        is_client_side: false,
        hides_result: false,
        event: (1, event).into(),
        id: format!("call-{event}"),
        result_event: (1, event.saturating_add(1)).into(),
        name: name.to_owned(),
        args: args.to_owned(),
        result: result.map(str::to_owned),
        started_us: Some(started_us),
        duration_us: result.map(|_| duration_us),
        failure: None,
    })
}

/// A call under another id.
fn with_id(mut line: TranscriptLine, id: String) -> TranscriptLine {
    if let TranscriptLine::Calls(call) = &mut line {
        call.id = id;
    }
    line
}

pub(super) fn failure(level: Level, line: u32, rule: &str, message: &str) -> RuleResult {
    let file = if level == Level::Target {
        "ananke.config.yaml"
    } else {
        "specs/checkout.test.yaml"
    };
    let place = Place {
        file: Arc::from(file),
        line,
        column: 5,
    };
    RuleResult {
        status: RuleStatus::Failed,
        message: message.to_owned(),
        ..RuleResult::passed(
            rule.to_owned(),
            level,
            place,
            (String::new(), String::new()),
        )
    }
}

/// Something that was found instead, in words.
fn seen(text: &str) -> EvidenceLine {
    EvidenceLine::Words(text.to_owned())
}

pub(super) fn problem(kind: ErrorKind, message: &str, help: Option<&str>) -> Problem {
    Problem {
        kind,
        message: message.to_owned(),
        help: help.map(str::to_owned),
    }
}

/// `outcome` with this verdict. Its own findings stay if a test with this verdict can have them.
pub(super) fn ended(status: Status, mut outcome: Outcome) -> Outcome {
    let own = outcome.verdict.end.problem().cloned();
    let problem = |kind| Problem {
        kind,
        ..own
            .clone()
            .unwrap_or_else(|| problem(kind, "it went wrong", None))
    };
    let has_failed = outcome.verdict.failures().next().is_some();
    let evaluated = |turn: &mut TurnOutcome| {
        turn.end = TurnEnd::Evaluated;
        turn.rules.retain(|rule| !rule.has_failed());
    };
    if status == Status::Passed {
        outcome.verdict.rules.retain(RuleResult::has_passed);
    }
    outcome.verdict.end = match status {
        Status::Passed => {
            outcome.transcript.turns.iter_mut().for_each(evaluated);
            TestEnd::default()
        }
        Status::Failed if own.is_none() && !has_failed => {
            outcome.transcript.turns.iter_mut().for_each(evaluated);
            let forbidden = failure(Level::Test, 5, "tools.forbid", "`pay` is forbidden");
            outcome.verdict.rules.push(forbidden);
            TestEnd::default()
        }
        Status::Failed => TestEnd::Problem(problem(ErrorKind::Conversation)),
        Status::Error => TestEnd::Problem(problem(ErrorKind::Protocol)),
        Status::Timeout => TestEnd::Problem(problem(ErrorKind::Timeout)),
        Status::Skipped => TestEnd::Skipped(SkipCause::Wanted, problem(ErrorKind::Setup).message),
        Status::Undecided => {
            let failed = failed_runs(
                "tools.require".to_owned(),
                "`pay` was not called".to_owned(),
            );
            let known = outcome.stability.take().map_or_else(
                || stability(StabilityVerdict::Undecided, failed),
                |known| *known,
            );
            outcome.stability = Some(Box::new(Stability {
                verdict: StabilityVerdict::Undecided,
                ..known
            }));
            TestEnd::default()
        }
        Status::NotShown => {
            outcome.transcript.turns.iter_mut().for_each(evaluated);
            outcome.verdict.rules = vec![not_shown(&str::to_owned)];
            TestEnd::default()
        }
    };
    assert_eq!(outcome.status(), status);
    outcome
}

fn timed(mut outcome: Outcome) -> Outcome {
    outcome.transcript.duration_us = outcome
        .transcript
        .turns
        .iter()
        .map(|turn| turn.duration_us.unwrap_or_default())
        .sum();
    outcome.transcript.ended_unix_ms = STARTED + outcome.transcript.duration_us / 1000;
    let says = |line: &&TranscriptLine| matches!(line, TranscriptLine::Says(_));
    let said = |turn: &TurnOutcome| 1 + turn.lines.iter().filter(says).count();
    let messages: usize = outcome.transcript.turns.iter().map(said).sum();
    outcome.transcript.messages_count = messages.saturating_sub(1);
    outcome
}

fn held(level: Level, line: u32, rule: &'static str, wanted: &str) -> RuleResult {
    let file = if level == Level::Target {
        "ananke.config.yaml"
    } else {
        "specs/browse.test.yaml"
    };
    let place = Place {
        file: file.into(),
        line,
        column: 5,
    };
    RuleResult::passed(rule, level, place, (String::new(), wanted.to_owned()))
}

fn browses() -> Outcome {
    let lines = vec![
        calls(
            3,
            "search_products",
            r#"{ "query": "winter coat", "limit": 3 }"#,
            Some(r#"[{"id": "c-1"}]"#),
            (12_000, 240_000),
        ),
        says(
            9,
            "I found one winter coat:\n\n  1. Alpine, size M, 129 €\n\nShall I put it into your cart?",
        ),
    ];
    let mut browsing = turn(1, "show me winter coats", 840_000, lines);
    let (actual, limit, unit) = (840_000, 1000, MeasuredUnit::Milliseconds);
    let measured = Some(Measured {
        actual,
        limit,
        unit,
    });
    let duration = held(
        Level::Target,
        9,
        "timing.max_duration_ms",
        "at most 1000 ms",
    );
    browsing.rules.push(RuleResult {
        measured,
        written: "1000".to_owned(),
        ..duration
    });
    browsing.rules.push(held(
        Level::Turn,
        7,
        "tools.require",
        "a call to `search_products`",
    ));
    let turns = vec![browsing];
    let rules = vec![held(
        Level::Test,
        11,
        "tools.forbid",
        "no call to `charge_card`",
    )];
    let warning = "ananke.config.yaml:7: a secret of the header `x-key` is too short to be masked";
    let warnings = vec![warning.to_owned()];
    let mut outcome = outcome("specs/browse.test.yaml", "browses coats");
    outcome.transcript.turns = turns;
    outcome.verdict = TestVerdict {
        rules,
        warnings,
        ..outcome.verdict
    };
    timed(outcome)
}

fn pays_twice() -> Outcome {
    let card = r#"{"amount":12900,"currency":"EUR"}"#;
    let validated = calls(
        2,
        "validate_cart",
        r#"{"cart":"thread-2"}"#,
        Some(r#"{"ok":true,"items":2}"#),
        (12_000, 40_000),
    );
    let receipt = format!(
        r#"{{"ok": true, "receipt": "{}"}}"#,
        "r-2026-11-21/".repeat(9)
    );
    let mut paying = turn(
        2,
        "pay with my card",
        1_310_000,
        vec![
            says(20, "One moment, please."),
            calls(
                21,
                "charge_card",
                card,
                Some(r#"{"ok":false,"reason":"try again"}"#),
                (90_000, 310_000),
            ),
            calls(27, "charge_card", card, Some(&receipt), (412_000, 300_000)),
            says(31, "Paid. Your receipt is on its way."),
        ],
    );
    paying.warnings.push("the run finished twice".to_owned());
    paying.rules.push(RuleResult {
        expected: "exactly 1 call".to_owned(),
        seen: vec![
            seen(&format!(
                r#"charge_card({card}) → {{"ok":false,"reason":"try again"}}"#
            )),
            seen(&format!(r#"charge_card({card}) → {{"ok":true, …}}"#)),
        ],
        events: [21, 27]
            .map(|number| (paying.number, number).into())
            .to_vec(),
        ..failure(
            Level::Test,
            12,
            "tools.require",
            "`charge_card` was called 2 times, expected exactly 1",
        )
    });
    paying.rules.push(RuleResult {
        expected: "at most 1 s".to_owned(),
        seen: vec![seen("1.3 s")],
        ..failure(
            Level::Target,
            9,
            "timing.max_duration_ms",
            "the turn took 1.3 s, at most 1 s is allowed",
        )
    });
    let turns = vec![
        turn(
            1,
            "I want to checkout",
            640_000,
            vec![validated, says(8, "Which card?")],
        ),
        paying,
    ];
    let mut outcome = outcome("specs/checkout.test.yaml", "pays once");
    outcome.test.line = 3;
    outcome.transcript = Transcript {
        turns,
        turns_not_run: 1,
        ..outcome.transcript
    };
    timed(outcome)
}

fn never_validates() -> Outcome {
    let lines = vec![
        calls(
            4,
            "charge_card",
            r#"{"amount":1}"#,
            Some("done"),
            (5_000, 700),
        ),
        says(6, "Done."),
    ];
    let turns = vec![
        turn(1, "hello", 95_000, vec![says(2, "Hello!")]),
        turn(2, "buy it", 95_000, lines),
    ];
    let rules = vec![RuleResult {
        expected: "at least 1 call to `validate_cart`".to_owned(),
        seen: vec![seen("charge_card({\"amount\":1}) → done")],
        events: vec![(2, 4).into()],
        ..failure(
            Level::Test,
            21,
            "tools.require",
            "`validate_cart` was never called",
        )
    }];
    let mut outcome = outcome("specs/checkout.test.yaml", "validates before paying");
    outcome.test.line = 18;
    outcome.transcript.turns = turns;
    outcome.verdict.rules = rules;
    timed(outcome)
}

fn crashes() -> Outcome {
    let mut crashing = turn(1, "crash, please", 51_000, vec![says(2, "One moment")]);
    let problem = problem(
        ErrorKind::Agent,
        "agent error: model unavailable (E42)",
        None,
    );
    crashing.end = TurnEnd::Problem(problem);
    let base = outcome("specs/trouble.test.yaml", "crashes");
    timed(changed(base, |outcome| {
        outcome.transcript.turns.push(crashing);
    }))
}

fn hangs() -> Outcome {
    let mut hanging = turn(
        1,
        "think hard",
        30_000_000,
        vec![calls(
            5,
            "search_web",
            r#"{"q":"life"}"#,
            None,
            (2_100_000, 0),
        )],
    );
    let problem = problem(
        ErrorKind::Timeout,
        "timeout after 30 s",
        Some("`search_web` has no result yet; raise `timeout_ms` if it may take so long"),
    );
    hanging.rules = vec![failure(
        Level::Turn,
        31,
        "tools.forbid",
        "`search_web` is forbidden",
    )];
    hanging.end = TurnEnd::Problem(problem);
    let mut outcome = outcome("specs/trouble.test.yaml", "hangs");
    outcome.test.line = 14;
    outcome.transcript = Transcript {
        turns: vec![hanging],
        turns_not_run: 2,
        ..outcome.transcript
    };
    timed(outcome)
}

fn lacks_a_variable() -> Outcome {
    let message = "`${COUPON}` is not defined";
    let help = "define it under `vars`, or pass `--var COUPON=…`";
    let end = TestEnd::Problem(problem(ErrorKind::Setup, message, Some(help)));
    without_turns(
        outcome("specs/trouble.test.yaml", "lacks a variable"),
        end,
        1,
    )
}

fn is_skipped() -> Outcome {
    let end = TestEnd::Skipped(SkipCause::Wanted, "skipped on purpose".to_owned());
    without_turns(outcome("specs/trouble.test.yaml", "is skipped"), end, 3)
}

/// `outcome` of a test that ended like this before its first turn.
fn without_turns(mut outcome: Outcome, end: TestEnd, turns_not_run: u32) -> Outcome {
    outcome.verdict.end = end;
    outcome.transcript.thread_id.clear();
    outcome.transcript.turns_not_run = turns_not_run;
    outcome
}

/// A run with every status, and with a failure of every level.
pub(super) fn all_kinds() -> Vec<Outcome> {
    let mut row = outcome("specs/browse.test.yaml", "finds by size");
    row.transcript.duration_us = 999;
    row.test.id.push_str("[size M]");
    vec![
        browses(),
        row,
        pays_twice(),
        never_validates(),
        crashes(),
        hangs(),
        lacks_a_variable(),
        is_skipped(),
    ]
}

/// An entry of the quarantine, written on this line of the config.
pub(super) fn quarantine(line: u32, test: &str) -> Quarantine {
    Quarantine {
        test: test.to_owned(),
        owner: "payments".to_owned(),
        expires: Day::parse("2999-12-31").expect("a day"),
        reason: Some("the new model pays twice".to_owned()),
        place: Place {
            file: Arc::from("ananke.config.yaml"),
            line,
            column: 13,
        },
    }
}

/// `outcome` after these attempts.
fn after(outcome: &Outcome, attempts: &[Outcome]) -> Outcome {
    let attempt = |(number, attempt): (usize, &Outcome)| {
        changed(attempt.clone(), |attempt| {
            attempt.test.id.clone_from(&outcome.test.id);
            attempt.test.name.clone_from(&outcome.test.name);
            attempt.transcript.thread_id = format!("thread-{number}");
        })
    };
    let earlier_attempts = (1..).zip(attempts).map(attempt).collect();
    let mut last = Outcome {
        earlier_attempts,
        ..outcome.clone()
    };
    "thread-9".clone_into(&mut last.transcript.thread_id);
    last
}

/// A run of retried tests, some of them in quarantine.
pub(super) fn retried() -> Vec<Outcome> {
    let flaky = after(
        &changed(browses(), |outcome| outcome.verdict.warnings.clear()),
        &[pays_twice(), crashes()],
    );
    let hopeless = after(&pays_twice(), &[hangs(), never_validates()]);
    let broken = after(&crashes(), &[never_validates()]);
    let shielded = |outcome: Outcome, test: &str, line| {
        let id = format!("specs/old.test.yaml::{test}");
        let quarantine = Some(quarantine(line, "specs/old.test.yaml::*"));
        let (name, file) = (test.to_owned(), "specs/old.test.yaml".to_owned());
        let path = file.clone();
        Outcome {
            test: TestIdentity {
                id,
                name,
                file,
                path,
                quarantine,
                ..outcome.test
            },
            ..outcome
        }
    };
    vec![
        flaky,
        hopeless,
        broken,
        shielded(never_validates(), "still fails", 12),
        shielded(
            after(&hangs(), &[never_validates()]),
            "hangs, tried twice",
            12,
        ),
        shielded(browses(), "passes beside it", 12),
        shielded(after(&browses(), &[crashes()]), "is flaky", 14),
        shielded(browses(), "is mended", 16),
    ]
}

/// A test in which every string is hostile, after an attempt of the same kind, in quarantine or not.
pub(super) fn hostile_after_all(status: Status, in_quarantine: bool) -> Outcome {
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
pub(super) const HOSTILE: &str = "]]> <script>alert('x')</script> & \"q\" \u{0}\u{8}\u{1b}[2J\u{9b}31m \u{202e}abc\u{fffe}\u{ffff} a\nb\r\nc\rd\te &amp; <!-- \u{e0041}\n::error::x ##vso[a] [[ATTACHMENT|/etc/passwd]]";

/// Text that would be Markdown, HTML, or a command to whatever shows it.
pub(super) const MARKDOWN: &str = "</details><h1>x</h1> ![x](https://example.org/x.png) [a](https://example.org) @everyone #1 | a | b |\n|---|---|\n\n```\n</details>\n````````\n~~~\n# heading\n- [ ] task\n> quote\n<!-- --><script>alert(1)</script>\n&lt;b&gt; $`x`$ `code` ``more``\n::error::x\n";

/// A failed test in which every string is hostile.
pub(super) fn hostile() -> Outcome {
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
pub(super) fn made_of(say: impl Fn(&'static str) -> String) -> Outcome {
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
    Outcome {
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
        verdict: TestVerdict {
            end: TestEnd::Problem(problem),
            rules: vec![failure, held, not_shown(&say)],
            silenced: vec![say("known name")],
            judges_not_asked: 0,
            warnings: vec![say("warning")],
            denied_warnings: 1,
            snapshots: Vec::new(),
        },
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
        stability: Some(Box::new(runs_made_of(say))),
        other_runs: Vec::new(),
        self_comparison: None,
        change: None,
    }
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

/// Five runs, of which three failed as `failed` describes.
pub(super) fn stability(verdict: StabilityVerdict, failed: FailedRuns) -> Stability {
    let mut durations = DurationStatistics::default();
    for us in [1000, 2000, 3000, 4000, 5000] {
        durations.add(us);
    }
    Stability {
        policy: RunPolicy::UntilDecided(SequentialTest {
            max: 5,
            ..SequentialTest::DEFAULT
        }),
        passed: 2,
        failed: 3,
        verdict,
        durations,
        turns: 5,
        tokens: TokenTotals::default(),
        checkpoints: Vec::new(),
        failures: vec![failed],
        further_failed: 1,
    }
}

/// Two runs that failed for one reason.
pub(super) fn failed_runs(kind: String, message: String) -> FailedRuns {
    FailedRuns {
        status: Status::Failed,
        kind,
        message,
        count: 2,
        runs: vec![2, 4],
    }
}

/// The times of a turn without a gap.
fn without_gaps() -> Timing {
    Timing {
        gaps: Some(Vec::new()),
        ..Timing::default()
    }
}
