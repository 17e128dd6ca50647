//! Outcomes and events with a hostile text at every place, at some places, or a numbered text at each.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use ananke::context::At;
use ananke::diagnostic::Place;
use ananke::outcome::{
    LateResult, ModelLine, NearName, NearNames, OpenInterrupt, Outcome, Quarantine, ReportedRunEnd,
    RunClose, RunEvent, RunFacts, SaidLine, SelfComparison, SnapshotWritten, Status, TokenTotals,
    TranscriptLine, TurnOutcome, Verdict,
};
use ananke::redact::Sealed;
use ananke::trace::AnsweredBy;

use crate::report::{outcomes, seal};

/// An outcome in which every text is what `say` returns for its place, also those that not every test has.
pub(super) fn made_of(say: impl Fn(&'static str) -> String) -> Outcome {
    let mut outcome = outcomes::made_of(&say);
    let interrupt = OpenInterrupt {
        id: say("interrupt"),
        reason: Some(say("interrupt's reason")),
        message: Some(say("interrupt's message")),
        tool: Some(say("interrupt's tool")),
    };
    let late = LateResult {
        id: say("call's id"),
        event: (1, 4).into(),
        name: say("late tool"),
        called_in: 1,
        result: say("late result"),
        arrived_us: Some(1),
        failure: None,
    };
    let lines = vec![
        TranscriptLine::Thinks(SaidLine {
            repeats_result: false,
            event: (1, 2).into(),
            id: say("thought's id"),
            at_us: Some(0),
            text: say("thought"),
        }),
        TranscriptLine::Custom {
            event: (1, 3).into(),
            at_us: Some(0),
            name: say("event's name"),
            value: say("event's value"),
        },
        TranscriptLine::Answered(late),
        TranscriptLine::Asks(ModelLine {
            event: (1, 5).into(),
            number: 1,
            name: say("model's key"),
            model: say("model's name"),
            api: say("API of a model"),
            attempts: 2,
            answered_by: AnsweredBy::Reply(1),
            asked: say("newest message"),
            answered: say("answer in words"),
            request: say("request"),
            answer: say("model's answer"),
            input_tokens: Some(1204),
            output_tokens: Some(31),
        }),
    ];
    let turn = |number, end| TurnOutcome {
        run_end: Some(end),
        ..outcomes::turn(number, "x", 1, lines.clone())
    };
    outcome
        .transcript
        .turns
        .push(turn(2, ReportedRunEnd::Interrupted(vec![interrupt])));
    outcome
        .transcript
        .turns
        .push(turn(3, ReportedRunEnd::Error(say("agent's error"))));
    let not_needed =
        TurnOutcome::not_needed(4, None, say("unsent input"), say("reason not needed"));
    outcome.transcript.turns.push(not_needed);
    // JUnit attaches it: a test of its own.
    outcome.transcript.recording = None;
    outcome.verdict.snapshots.push(SnapshotWritten {
        file: say("snapshot"),
        is_new: true,
    });
    outcome
}

/// Tests of every status in which every place contains `text`, some of them in quarantine or retried.
pub(super) fn everywhere(text: &str) -> Vec<Outcome> {
    let all = || made_of(|_| text.to_owned());
    let statuses = [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
        Status::Undecided,
    ];
    let mut tests: Vec<Outcome> = statuses.map(|status| outcomes::ended(status, all())).into();
    tests.push(outcomes::ended(
        Status::Passed,
        Outcome {
            earlier_attempts: vec![all()],
            ..all()
        },
    ));
    tests.push(Outcome {
        other_runs: vec![all()],
        run: 4,
        ..all()
    });
    let (verdicts, turns) = ([Status::Passed, Status::Failed], 1);
    let compared = SelfComparison {
        verdicts,
        turns,
        tokens: TokenTotals::default(),
    };
    tests.push(Outcome {
        self_comparison: Some(Box::new(compared)),
        ..outcomes::ended(Status::Passed, all())
    });
    let shielded = outcomes::changed(all(), |outcome| {
        outcome.test.quarantine = Some(quarantine(text));
    });
    tests.push(Outcome {
        earlier_attempts: vec![all()],
        ..shielded
    });
    numbered(tests)
}

/// A test for each place in which only that place contains `text`.
pub(super) fn somewhere(text: &str) -> Vec<Outcome> {
    let places = RefCell::new(BTreeSet::new());
    made_of(|place| {
        places.borrow_mut().insert(place);
        String::new()
    });
    let places = places.into_inner().into_iter();
    let holding =
        |hostile| made_of(|place| if place == hostile { text } else { "plain" }.to_owned());
    numbered(places.map(holding).collect())
}

fn numbered(mut tests: Vec<Outcome>) -> Vec<Outcome> {
    for (number, test) in tests.iter_mut().enumerate() {
        let _ = write!(test.test.id, " {number}");
    }
    tests
}

fn quarantine(text: &str) -> Quarantine {
    let entry = outcomes::quarantine(1, text);
    Quarantine {
        owner: text.to_owned(),
        reason: Some(text.to_owned()),
        ..entry
    }
}

/// A run of `tests` in which all other texts are hostile too.
pub(super) fn events(text: &str, tests: &[Outcome]) -> Vec<Sealed<RunEvent>> {
    let own = || text.to_owned();
    let mut events = vec![RunEvent::RunStarted {
        tests: tests.len(),
        unix_ms: outcomes::STARTED,
        facts: Box::new(RunFacts {
            ananke: ananke::outcome::ProgramVersion::default(),
            command: vec![own()],
            config: Some(own()),
            target: Some(own()),
            target_description: Some(own()),
            model: Some(own()),
            host: Some(own()),
            commit: Some(own()),
            branch: Some(own()),
            job_url: Some(own()),
            blob_url: Some(own()),
            shard: None,
            files: Arc::new([(own(), own())].into()),
            parallel: 0,
            generated: Box::default(),
        }),
    }];
    for test in tests {
        let id = test.test.id.clone();
        events.push(RunEvent::CaseStarted {
            id: id.clone(),
            at: At::default(),
        });
        events.push(RunEvent::NextRun {
            id: id.clone(),
            run: 2,
            most: 5,
            failed: 1,
        });
        events.push(RunEvent::Retrying {
            id,
            retry: 1,
            of: 1,
            status: Status::Failed,
            why: own(),
        });
        events.push(RunEvent::CaseFinished(Box::new(test.clone())));
    }
    events.push(RunEvent::ServerEnded {
        what: own(),
        printed: own(),
    });
    events.push(RunEvent::ObsoleteSnapshots {
        left: 1,
        deleted: 1,
        listed: vec![own()],
    });
    let Quarantine { place, .. } = quarantine(text);
    let place = Place {
        file: text.into(),
        ..place
    };
    let tool = NearName {
        place,
        name: own(),
        tool: Some(own()),
        rule: "tools.forbid".into(),
        nearest: own(),
    };
    let mut verdict = Verdict {
        expired: vec![quarantine(text)],
        near_names: NearNames {
            found: vec![tool; 30],
            note: Some("note"),
        },
        flaky_fails: true,
        ..Verdict::default()
    };
    for test in tests {
        verdict.totals.add(test);
    }
    events.push(RunEvent::RunFinished(RunClose {
        verdict,
        elapsed_us: 1,
        interrupted: false,
    }));
    events.into_iter().map(seal).collect()
}
