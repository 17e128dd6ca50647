//! Lines at the width of a terminal: wrapping and colour change no word.

use ananke::context::{Colouring, TerminalSize};
use ananke::outcome::{RunEvent, Status, Verdict};
use ananke::report::terminal::Verbosity;

use super::{printed, printed_on, retried, sorted};
use crate::report::{compare, ended, outcomes, run, seal};

#[test]
fn colour_changes_no_word() {
    let events: Vec<_> = run(outcomes::all_kinds())
        .into_iter()
        .chain(retried())
        .collect();
    for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        let coloured = printed(&events, Colouring::Coloured, verbosity);
        assert_eq!(
            anstream::adapter::strip_str(&coloured).to_string(),
            printed(&events, Colouring::Plain, verbosity)
        );
    }
}

/// A terminal with this many columns.
#[expect(
    clippy::unnecessary_wraps,
    reason = "not every terminal knows its size"
)]
fn columns<const COLUMNS: usize>() -> Option<TerminalSize> {
    Some(TerminalSize {
        columns: COLUMNS,
        rows: 24,
    })
}

#[test]
fn lines_are_wrapped_at_the_width_of_a_terminal() {
    let events = run(outcomes::all_kinds());
    compare(
        &printed_on(columns::<80>, &events, Colouring::Plain, Verbosity::Normal),
        "normal-80.txt",
    );
    compare(
        &printed_on(columns::<40>, &events, Colouring::Plain, Verbosity::Normal),
        "normal-40.txt",
    );
    compare(
        &printed_on(
            columns::<80>,
            &retried(),
            Colouring::Plain,
            Verbosity::Normal,
        ),
        "retried-80.txt",
    );
}

#[test]
fn wrapping_changes_no_word() {
    let joined = |text: &str| text.split_whitespace().collect::<String>();
    let outcomes = [outcomes::all_kinds(), outcomes::retried()].concat();
    let server = seal(RunEvent::ServerEnded {
        what: "server 1 `python3 agent.py` ended with exit code 1".to_owned(),
        printed: "a line that is longer than the terminal is wide, and ends at last\n".repeat(3),
    });
    let expired = vec![outcomes::quarantine(18, "specs/gone.test.yaml::*")];
    let mut events = ended(
        outcomes,
        Verdict {
            flaky_fails: true,
            expired,
            ..Verdict::default()
        },
    );
    events.insert(3, server);
    for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        for (width, size) in [
            (100, columns::<100> as fn() -> _),
            (80, columns::<80>),
            (40, columns::<40>),
            (20, columns::<20>),
        ] {
            let wrapped = printed_on(size, &events, Colouring::Plain, verbosity);
            let widest = wrapped
                .lines()
                .max_by_key(|line| ananke::text::columns::width(line))
                .unwrap();
            assert!(ananke::text::columns::width(widest) <= width, "{widest}");
            let coloured = printed_on(size, &events, Colouring::Coloured, verbosity);
            assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), wrapped);
            // What is next to a call on a wide terminal is under it on a narrow one, and an excerpt is truncated by its
            // length: the same stories, in the same words.
            if verbosity == Verbosity::Verbose {
                let whole = printed(&events, Colouring::Plain, verbosity);
                // The list at the end has one line for each test, as long as the terminal is wide.
                let story = |text: &str| {
                    sorted(&joined(text.split("\nfailed\n").next().unwrap_or_default()))
                };
                assert_eq!(story(&wrapped), story(&whole));
            }
        }
    }
}

#[test]
fn hostile_text_is_wrapped_too() {
    let events = run(vec![
        outcomes::hostile(),
        outcomes::hostile_after_all(Status::Failed, true),
    ]);
    for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        let text = printed_on(columns::<40>, &events, Colouring::Plain, verbosity);
        let bad = text.chars().find(|character| {
            (character.is_control() && *character != '\n') || *character == '\u{202e}'
        });
        assert_eq!(bad, None, "{text}");
        assert!(
            text.lines()
                .all(|line| ananke::text::columns::width(line) <= 40),
            "{text}"
        );
        assert!(!text.contains("##vso["), "{text}");
        let orders = text
            .lines()
            .filter(|line| line.trim_start().starts_with("::"));
        assert_eq!(orders.count(), 0, "{text}");
    }
}
