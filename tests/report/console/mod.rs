//! The console report, for people.

mod wrapping;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::{At, Colouring, TerminalSize};
use ananke::diagnostic::Place;
use ananke::outcome::{
    AgentHost, EndCause, Level, NoAnswer, Outcome, RunEvent, SkipCause, Status, Verdict,
};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::terminal::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::trace::Usage;

use crate::report::outcomes::MADE_WITH;
use crate::report::{begun, compare, ended, outcomes, run, seal};

/// A terminal that keeps what is written.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(bytes.clone()).expect("UTF-8")
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A pipe without a reader, or a disk that is full.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn printed(
    events: &[Sealed<RunEvent>],
    colour: Colouring,
    verbosity: Verbosity,
) -> String {
    printed_on(|| None, events, colour, verbosity)
}

/// The same on a terminal of this size.
pub(super) fn printed_on(
    size: fn() -> Option<TerminalSize>,
    events: &[Sealed<RunEvent>],
    colour: Colouring,
    verbosity: Verbosity,
) -> String {
    let screen = Screen::default();
    let options = ConsoleOptions {
        colour,
        verbosity,
        size,
        ..ConsoleOptions::default()
    };
    let mut report = Box::new(ConsoleReport::new(Box::new(screen.clone()), options));
    for event in events {
        report.event(event).expect("a screen takes everything");
    }
    report.finish().expect("a screen takes everything");
    screen.text()
}

#[test]
fn a_run_with_every_status() {
    let events = run(outcomes::all_kinds());
    compare(
        &printed(&events, Colouring::Plain, Verbosity::Normal),
        "normal.txt",
    );
    compare(
        &printed(&events, Colouring::Coloured, Verbosity::Normal),
        "normal.ansi",
    );
    compare(
        &printed(&events, Colouring::Plain, Verbosity::Verbose),
        "verbose.txt",
    );
    compare(
        &printed(&events, Colouring::Plain, Verbosity::Quiet),
        "quiet.txt",
    );
}

/// The events of a run with retried tests, which fails for every possible reason.
fn retried() -> Vec<Sealed<RunEvent>> {
    let expired = vec![outcomes::quarantine(18, "specs/gone.test.yaml::*")];
    ended(
        outcomes::retried(),
        Verdict {
            flaky_fails: true,
            expired,
            ..Verdict::default()
        },
    )
}

#[test]
fn tests_that_were_tried_again() {
    compare(
        &printed(&retried(), Colouring::Plain, Verbosity::Normal),
        "retried.txt",
    );
    compare(
        &printed(&retried(), Colouring::Plain, Verbosity::Verbose),
        "retried-verbose.txt",
    );
    compare(
        &printed(&retried(), Colouring::Plain, Verbosity::Quiet),
        "retried-quiet.txt",
    );
    let mild = printed(
        &run(outcomes::retried()),
        Colouring::Plain,
        Verbosity::Quiet,
    );
    assert!(
        mild.contains("\nflaky\n") && !mild.contains("which fails the run"),
        "{mild}"
    );
}

fn sorted(text: &str) -> Vec<char> {
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    characters
}

#[test]
fn a_quiet_run_that_passes_is_one_line() {
    let passing: Vec<Outcome> = outcomes::all_kinds()
        .into_iter()
        .filter(|outcome| outcome.status() == Status::Passed)
        .collect();
    assert_eq!(
        printed(&run(passing), Colouring::Plain, Verbosity::Quiet),
        "2 tests: 2 passed in 2 min 5 s\n"
    );
}

#[test]
fn a_run_cut_short_says_how_far_it_came() {
    let mut outcomes = outcomes::all_kinds();
    outcomes.truncate(1);
    outcomes[0].verdict.warnings.clear();
    let text = printed(&begun(12, outcomes), Colouring::Plain, Verbosity::Normal);
    assert_eq!(
        text,
        format!(
            "✓ specs/browse.test.yaml  browses coats  840 ms\n\n{MADE_WITH}\n1 of 12 tests: 1 passed\n"
        )
    );
}

#[test]
fn hostile_text_stays_text() {
    for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        let shielded = outcomes::hostile_after_all(Status::Failed, true);
        let flaky = outcomes::hostile_after_all(Status::Passed, false);
        let expired = shielded.test.quarantine.clone().into_iter().collect();
        let verdict = Verdict {
            expired,
            ..Verdict::default()
        };
        let text = printed(
            &ended(vec![outcomes::hostile(), shielded, flaky], verdict),
            Colouring::Plain,
            verbosity,
        );
        let bad = text.chars().find(|character| {
            (character.is_control() && !matches!(character, '\n' | '\t'))
                || *character == '\u{202e}'
        });
        assert_eq!(bad, None, "{text}");
        assert!(
            !text.lines().any(|line| line.trim_start().starts_with("::"))
                && !text.contains("##vso[")
        );
    }
    compare(
        &printed(
            &run(vec![outcomes::hostile()]),
            Colouring::Plain,
            Verbosity::Normal,
        ),
        "hostile.txt",
    );
}

#[test]
fn long_stories_are_cut() {
    let mut long = outcomes::outcome("specs/long.test.yaml", "long");
    long.transcript.duration_us = 1;
    for number in 1..=400 {
        let mut turn = outcomes::turn(
            number,
            &"é".repeat(5_000),
            1,
            vec![outcomes::says(number, "x\ny")],
        );
        turn.rules
            .push(outcomes::failure(Level::Turn, 1, "tools.forbid", "no"));
        long.transcript.turns.push(turn);
    }
    let verbose = printed(
        &run(vec![long.clone()]),
        Colouring::Plain,
        Verbosity::Verbose,
    );
    assert!(verbose.len() < 66 << 10, "{}", verbose.len());
    assert!(verbose.contains(&format!("{}… (7952 more bytes)", "é".repeat(1024))));
    assert!(verbose.contains("lines omitted)\n") && verbose.contains("turn 400 of 400"));
    assert!(printed(&run(vec![long]), Colouring::Plain, Verbosity::Normal).len() < 9 << 10);
}

#[test]
fn the_list_of_failures_is_bounded() {
    let failing = |number| {
        outcomes::ended(
            Status::Failed,
            outcomes::outcome("a.test.yaml", &format!("t{number}")),
        )
    };
    let text = printed(
        &run((1..=250).map(failing).collect()),
        Colouring::Plain,
        Verbosity::Normal,
    );
    assert!(
        text.contains("  ✗ 250 tests  ")
            && text
                .contains("    100  a.test.yaml:2  t100\n    … and 150 more\n\nrun them again: ")
            && text.ends_with("\n250 tests: 250 failed in 2 min 5 s\n"),
        "{text}"
    );
}

#[test]
fn every_list_at_the_end_is_bounded() {
    let entry = |number| outcomes::quarantine(number, "*");
    let outcomes = (1..=150).flat_map(|number| {
        let outcome = outcomes::outcome("a.test.yaml", &format!("t{number}"));
        let shielded_by = |number| {
            outcomes::changed(outcome.clone(), |outcome| {
                outcome.test.quarantine = Some(entry(number));
            })
        };
        let (idle, shielded) = (shielded_by(number), shielded_by(999));
        let shielded = outcomes::ended(Status::Error, shielded);
        let flaky = Outcome {
            earlier_attempts: vec![outcome.clone()],
            ..outcome
        };
        [idle, shielded, flaky]
    });
    let verdict = Verdict {
        expired: (1..=150).map(entry).collect(),
        ..Verdict::default()
    };
    let text = printed(
        &ended(outcomes.collect(), verdict),
        Colouring::Plain,
        Verbosity::Quiet,
    );
    assert_eq!(text.matches("  … and 50 more\n").count(), 4, "{text}");
    assert!(
        text.ends_with("450 tests: 300 passed (150 flaky), 150 quarantined in 2 min 5 s\n"),
        "{text}"
    );
}

#[test]
fn a_reader_that_goes_away_ends_only_the_printing() {
    let mut report = Box::new(ConsoleReport::new(
        Box::new(Broken(io::ErrorKind::BrokenPipe)),
        ConsoleOptions::default(),
    ));
    for event in run(outcomes::all_kinds()) {
        report.event(&event).expect("printing has ended");
    }
    report.finish().expect("printing has ended");
}

#[test]
fn a_full_disk_is_told() {
    let mut report = ConsoleReport::new(
        Box::new(Broken(io::ErrorKind::StorageFull)),
        ConsoleOptions::default(),
    );
    let results: Vec<bool> = run(outcomes::all_kinds())
        .iter()
        .map(|event| report.event(event).is_ok())
        .collect();
    assert!(results.contains(&false));
}

/// A test of `file` that is over, before others of the plan are.
fn early(outcome: &Outcome) -> Sealed<RunEvent> {
    let is_failure = outcome.fails_the_run();
    seal(RunEvent::CaseEnded {
        id: outcome.test.id.clone(),
        at: At::default(),
        status: outcome.status(),
        duration_us: outcome.transcript.duration(),
        fails_the_run: is_failure,
        usage: Usage::default(),
        failed: is_failure.then(|| Box::new(outcome.clone())),
    })
}

fn finished(outcome: &Outcome) -> Sealed<RunEvent> {
    seal(RunEvent::CaseFinished(Box::new(outcome.clone())))
}

/// A test of `file`, which takes a millisecond.
fn quick(file: &str, name: &str) -> Outcome {
    outcomes::changed(outcomes::outcome(file, name), |outcome| {
        outcome.transcript.duration_us = 1000;
    })
}

#[test]
fn a_failure_is_printed_when_it_happens_and_once() {
    let failing = |file, name| outcomes::ended(Status::Failed, quick(file, name));
    let (one, two) = (quick("a.test.yaml", "one"), failing("a.test.yaml", "two"));
    let (three, four) = (
        quick("b.test.yaml", "three"),
        failing("b.test.yaml", "four"),
    );
    let five = failing("b.test.yaml", "five");
    let plan = [&one, &two, &three, &four, &five];
    let mut events = run(plan.into_iter().cloned().collect());
    let end = events.pop().unwrap();
    events.truncate(1);
    events.extend([early(&four), early(&two), early(&five)]);
    events.extend(plan.into_iter().map(finished));
    events.push(end);
    let text = printed(&events, Colouring::Plain, Verbosity::Normal);
    let blocks = |text: &str| -> Vec<String> {
        let is_shown = |line: &&str| line.starts_with(['✗', '✓']) || line.contains("yaml:2  four");
        text.lines().filter(is_shown).map(str::to_owned).collect()
    };
    assert_eq!(
        blocks(&text),
        [
            "✗ `pay` is forbidden",
            "  b.test.yaml:2  four",
            "✗ a.test.yaml:2  two  as in four",
            "✗ b.test.yaml:2  five  as in four",
            "✓ a.test.yaml  1 more passed  1 ms",
            "✓ b.test.yaml  1 more passed  1 ms",
            "    2  b.test.yaml:2  four",
        ],
        "{text}"
    );
    // The list at the end keeps the order of the plan.
    let at = |id: &str| text.rfind(id).unwrap_or_else(|| panic!("{id}: {text}"));
    assert!(
        at("1  a.test.yaml:2  two") < at("2  b.test.yaml:2  four")
            && at("2  b.test.yaml:2  four") < at("3  b.test.yaml:2  five"),
        "{text}"
    );
    // One test after the other: the screen is the same whether a failure is printed first or reported.
    let in_order = |is_early: bool| {
        let mut events = run(vec![two.clone(), four.clone()]);
        if is_early {
            events.insert(1, early(&two));
        }
        printed(&events, Colouring::Plain, Verbosity::Normal)
    };
    assert_eq!(in_order(true), in_order(false));
}

#[test]
fn ten_thousand_green_tests_of_twenty_files_are_a_line_per_file() {
    let passed = (0..10_000).map(|number| {
        quick(
            &format!("specs/area-{}.test.yaml", number / 500),
            &format!("test {number}"),
        )
    });
    let text = printed(&run(passed.collect()), Colouring::Plain, Verbosity::Normal);
    let files = text
        .lines()
        .filter(|line| line.ends_with("500 tests  500 ms"));
    assert_eq!(files.count(), 20, "{text}");
    assert!(text.lines().count() <= 40, "{text}");
}

#[test]
fn a_row_that_failed_alone_is_named_in_the_list() {
    let row = outcomes::changed(quick("a.test.yaml", "refunds"), |outcome| {
        outcome.test.id = "a.test.yaml::refunds[O-8]".to_owned();
        outcome.test.row = Some("O-8".to_owned());
    });
    let row = outcomes::ended(Status::Timeout, row);
    let other = outcomes::ended(Status::Error, quick("b.test.yaml", "other"));
    let text = printed(&run(vec![row, other]), Colouring::Plain, Verbosity::Normal);
    assert!(text.contains("1  a.test.yaml:2  refunds[O-8]  "), "{text}");
    assert!(!text.contains("2  b.test.yaml:2  other"), "{text}");
}

#[test]
fn an_agent_that_answers_no_test_has_one_block_and_each_test_a_line() {
    let silent = |number| {
        let outcome = quick("a.test.yaml", &format!("silent {number}"));
        outcomes::changed(outcomes::ended(Status::Timeout, outcome), |outcome| {
            outcome.transcript.is_unanswered = true;
        })
    };
    let not_run = |number| {
        outcomes::changed(quick("b.test.yaml", &format!("t{number}")), |outcome| {
            let why = "not run: no earlier test got a complete answer".to_owned();
            outcome.end(EndCause::Skipped(SkipCause::RunStopped, why));
        })
    };
    let found = |stops| {
        seal(RunEvent::NoAnswer(Box::new(NoAnswer {
            tests: 3,
            begins: false,
            place: Place {
                file: "ananke.config.yaml".into(),
                line: 3,
                column: 13,
            },
            line: "endpoint: \u{1b}[2J \"http://127.0.0.1:1/\"".to_owned(),
            agent: AgentHost::Network,
            servers: Vec::new(),
            stops,
        })))
    };
    let outcomes: Vec<Outcome> = (1..=3).map(silent).chain((4..=30).map(not_run)).collect();
    let mut events = run(outcomes);
    let third = events.iter().position(
        |event| matches!(&**event, RunEvent::CaseFinished(done) if done.test.name == "silent 3"),
    );
    events.insert(third.unwrap() + 1, found(true));
    let text = printed(&events, Colouring::Plain, Verbosity::Normal);
    assert_eq!(
        text.matches("\n  a.test.yaml:2  silent 1").count(),
        1,
        "{text}"
    );
    for number in 2..=3 {
        let line = format!("\n! a.test.yaml:2  silent {number}  timeout  as in silent 1");
        assert_eq!(text.matches(&line).count(), 1, "{text}");
        let listed = format!("{number}  a.test.yaml:2  silent {number}\n");
        assert_eq!(text.matches(&listed).count(), 1, "{text}");
    }
    assert!(
        text.contains(
            "! the agent answered none of the first 3 tests, and no further test is sent\n  \
             ananke.config.yaml:3:13  endpoint: \\u{1b}[2J \"http://127.0.0.1:1/\"\n"
        ) && text.contains("27 tests were not run: no earlier test got a complete answer\n"),
        "{text}"
    );
    assert!(!text.contains("b.test.yaml"), "{text}");
    assert!(text.lines().count() < 40, "{text}");
    let verbose = printed(&events, Colouring::Plain, Verbosity::Verbose);
    assert!(
        verbose.contains("silent 3") && verbose.contains("b.test.yaml\n  - t4"),
        "{verbose}"
    );
}
