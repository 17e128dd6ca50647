//! Outcomes made by hand.

mod hostile;
mod statuses;

use std::collections::BTreeMap;
use std::sync::Arc;

use ananke::context::Day;
use ananke::diagnostic::Place;
use ananke::outcome::{
    CallOutcome, EndCause, ErrorKind, EvidenceLine, FailedRuns, InputOrigin, Level, Outcome,
    Problem, ProgramVersion, Quarantine, RuleResult, RuleStatus, RunFacts, RunPolicy, SaidLine,
    Shard, ShardBy, SkipCause, Stability, StabilityVerdict, Status, TestIdentity, TestVerdict,
    Timing, TokenTotals, Transcript, TranscriptLine, TurnEnd, TurnOutcome,
};
use ananke::statistics::{DurationStatistics, SequentialTest};

use crate::report::conversations::{move_to, not_shown};
pub(super) use hostile::{HOSTILE, MARKDOWN, hostile, hostile_after_all, made_of};
pub(super) use statuses::all_kinds;
use statuses::{browses, crashes, hangs, never_validates, pays_twice};

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
        generated: Box::default(),
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
        cost_gaps: Vec::new(),
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

/// `outcome` of a test that nothing ended before its rules were evaluated.
pub(crate) fn evaluated(outcome: Outcome) -> Outcome {
    let mut verdict = TestVerdict::default();
    verdict.rules = outcome.verdict.rules;
    verdict.silenced = outcome.verdict.silenced;
    verdict.judges_not_asked = outcome.verdict.judges_not_asked;
    verdict.warnings = outcome.verdict.warnings;
    verdict.denied_warnings = outcome.verdict.denied_warnings;
    verdict.snapshots = outcome.verdict.snapshots;
    Outcome { verdict, ..outcome }
}

/// `outcome` with this verdict. Its own findings stay if a test with this verdict can have them.
pub(super) fn ended(status: Status, mut outcome: Outcome) -> Outcome {
    let own = outcome.verdict.end().problem().cloned();
    let problem = |kind| Problem {
        kind,
        ..own
            .clone()
            .unwrap_or_else(|| problem(kind, "it went wrong", None))
    };
    let has_failed = outcome.verdict.failures().next().is_some();
    let pass = |turn: &mut TurnOutcome| {
        turn.end = TurnEnd::Evaluated;
        turn.rules.retain(|rule| !rule.has_failed());
    };
    if status == Status::Passed {
        outcome.verdict.rules.retain(RuleResult::has_passed);
    }
    outcome = evaluated(outcome);
    let end = match status {
        Status::Passed => {
            outcome.transcript.turns.iter_mut().for_each(pass);
            None
        }
        Status::Failed if own.is_none() && !has_failed => {
            outcome.transcript.turns.iter_mut().for_each(pass);
            let forbidden = failure(Level::Test, 5, "tools.forbid", "`pay` is forbidden");
            outcome.verdict.rules.push(forbidden);
            None
        }
        Status::Failed => Some(EndCause::Broken(problem(ErrorKind::Conversation))),
        Status::Error => Some(EndCause::Broken(problem(ErrorKind::Protocol))),
        Status::Timeout => Some(EndCause::Broken(problem(ErrorKind::Timeout))),
        Status::Skipped => {
            let why = problem(ErrorKind::Setup).message;
            Some(EndCause::Skipped(SkipCause::Wanted, why))
        }
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
            None
        }
        Status::NotShown => {
            outcome.transcript.turns.iter_mut().for_each(pass);
            outcome.verdict.rules = vec![not_shown(&str::to_owned)];
            None
        }
    };
    if let Some(cause) = end {
        outcome.end(cause);
    }
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

/// Five runs, of which three failed as `failed` describes.
fn stability(verdict: StabilityVerdict, failed: FailedRuns) -> Stability {
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
        token_spread: None,
        cost_spread: None,
        checkpoints: Vec::new(),
        failures: vec![failed],
        further_failed: 1,
    }
}

/// Two runs that failed for one reason.
fn failed_runs(kind: String, message: String) -> FailedRuns {
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
