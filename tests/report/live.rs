//! The live area while tests run, on terminals of many sizes.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use ananke::context::{At, Colouring, ManualClock, TerminalSize};
use ananke::outcome::{RunClose, RunEvent, Status, Verdict};
use ananke::report::Reporter;
use ananke::report::terminal::{LiveArea, LiveOptions, UsualDurations};
use ananke::text::columns;
use ananke::trace::Usage;

use super::{compare, outcomes, seal};
use crate::support::screen::Screen;

thread_local! {
    /// The size of the terminal of a test, which runs in a thread of its own.
    static SIZE: Cell<Option<TerminalSize>> = const { Cell::new(None) };
}

/// An area on a terminal, and a clock that stands still.
struct Seen {
    screen: Screen,
    clock: Arc<ManualClock>,
    area: LiveArea,
}

fn seen(columns: usize, rows: usize, tests: bool) -> Seen {
    seen_before(columns, rows, tests, UsualDurations::default())
}

/// The same, of tests that ran before.
fn seen_before(columns: usize, rows: usize, tests: bool, usual: UsualDurations) -> Seen {
    SIZE.set(Some(TerminalSize { columns, rows }));
    let (screen, clock) = (Screen::new(columns, rows), Arc::new(ManualClock::default()));
    let options = LiveOptions {
        colour: Colouring::Coloured,
        tests,
        size: || SIZE.get(),
    };
    Seen {
        area: LiveArea::new(Box::new(screen.clone()), clock.clone(), options, usual),
        screen,
        clock,
    }
}

impl Seen {
    /// What is on the screen a second after this happened.
    fn after(&mut self, event: RunEvent) -> String {
        self.clock.advance(Duration::from_secs(1));
        self.area.event(&seal(event)).unwrap();
        self.screen.seen()
    }

    fn begin(&mut self, tests: usize, ids: &[&str]) -> String {
        self.after(RunEvent::RunStarted {
            tests,
            unix_ms: 0,
            facts: Box::default(),
        });
        let started = ids.iter().map(|id| {
            self.after(RunEvent::CaseStarted {
                id: (*id).to_owned(),
                at: At::default(),
            })
        });
        started.last().unwrap_or_default()
    }

    fn turn(&mut self, id: &str, turn: usize, of: usize) -> String {
        self.after(RunEvent::TurnStarted {
            id: id.to_owned(),
            turn,
            of,
        })
    }

    fn retry(&mut self, id: &str, why: &str) -> String {
        let (id, why) = (id.to_owned(), why.to_owned());
        self.after(RunEvent::Retrying {
            id,
            retry: 1,
            of: 2,
            status: Status::Failed,
            why,
        })
    }

    fn end(&mut self, id: &str, fails_the_run: bool) -> String {
        let status = if fails_the_run {
            Status::Failed
        } else {
            Status::Passed
        };
        self.after(RunEvent::CaseEnded {
            id: id.to_owned(),
            at: At::default(),
            status,
            duration_us: Some(0),
            fails_the_run,
            usage: Usage::default(),
            failed: None,
        })
    }
}

const IDS: [&str; 6] = [
    "specs/browse.test.yaml::browses coats",
    "specs/checkout.test.yaml::pays once, whatever happens",
    "specs/旅行.test.yaml::旅行者が東京から大阪までの新幹線を予約して、座席を指定する",
    "specs/astronaut.test.yaml::👩‍🚀 buys a winter coat in size M and has it delivered to the station",
    "specs/rows.test.yaml::finds[coats \u{1b}[2J\u{7}\u{202e}]",
    "short",
];

/// The middle of a run.
fn busy(columns: usize, rows: usize, tests: bool) -> Seen {
    let mut seen = seen(columns, rows, tests);
    seen.begin(30, &["over", "over as well"]);
    seen.end("over", false);
    seen.end("over as well", true);
    for id in IDS {
        seen.after(RunEvent::CaseStarted {
            id: id.to_owned(),
            at: At::default(),
        });
    }
    seen.turn(IDS[0], 2, 3);
    seen.turn(IDS[1], 1, 2);
    seen.retry(
        IDS[1],
        "`charge_card` was called 2 times \u{1b}[31m in this turn, expected exactly 1",
    );
    seen.turn(IDS[1], 2, 2);
    seen.turn(IDS[2], 10, 12);
    seen.turn(IDS[3], 1, 2);
    seen
}

#[test]
fn a_busy_run_at_many_sizes() {
    let mut text = String::new();
    for (columns, rows) in [
        (200, 40),
        (120, 24),
        (80, 24),
        (60, 12),
        (40, 10),
        (30, 8),
        (20, 5),
        (20, 3),
        (10, 2),
    ] {
        let seen = busy(columns, rows, true);
        let _ = writeln!(text, "{columns} × {rows}\n{}\n", seen.screen.seen());
    }
    let quiet = busy(80, 24, false);
    let _ = writeln!(text, "80 × 24, quiet\n{}", quiet.screen.seen());
    compare(&text, "live.txt");
}

#[test]
fn no_row_is_too_wide_and_there_are_never_too_many() {
    for columns in (1..=45).chain([60, 80, 100, 130]) {
        for rows in [1, 2, 3, 4, 5, 8, 24] {
            let seen = busy(columns, rows, true).screen.text();
            let wide = seen.lines().map(columns::width).max();
            assert!(wide < Some(columns.max(2)), "{columns} × {rows}:\n{seen}");
            assert!(
                seen.lines().count() <= rows.saturating_sub(1).max(1),
                "{columns} × {rows}:\n{seen}"
            );
            let has_turn = seen.contains("2/3") || seen.contains("turn 2 of 3");
            assert!(
                has_turn || columns < 20 || rows < 4,
                "{columns} × {rows}:\n{seen}"
            );
            assert!(
                seen.contains("2/30") || columns < 7,
                "{columns} × {rows}:\n{seen}"
            );
        }
    }
}

#[test]
fn those_that_wait_move_up() {
    let mut seen = seen(60, 9, true);
    let begun = seen.begin(5, &["a", "b", "c", "d"]);
    assert_eq!(
        begun,
        "  ⠋ a  set-up  3 s\n  ⠋ b  set-up  2 s\n  … and 2 more\n  ▕░░░░░░░░░░▏ 0/5  4 s"
    );
    let ended = seen.end("a", true);
    assert_eq!(
        ended,
        "  ⠋ b  set-up  3 s\n  ⠋ c  set-up  2 s\n  ⠋ d  set-up  1 s\n  ▕██░░░░░░░░▏ 1/5  1 ✗  5 s"
    );
}

#[test]
fn what_is_printed_stands_above_the_area() {
    let mut seen = seen(60, 9, true);
    seen.begin(2, &["a"]);
    let mut above = seen.area.above();
    seen.clock.advance(Duration::from_secs(1));
    above.write_all(b"one line\nand another\n").unwrap();
    assert_eq!(
        seen.screen.text(),
        "one line\nand another\n  ⠋ a  set-up  1 s\n  ▕░░░░░░░░░░▏ 0/2  2 s"
    );
    // Printed at the same time: the area is drawn again with the next drawing.
    above.write_all(b"a third\n").unwrap();
    assert_eq!(seen.screen.text(), "one line\nand another\na third");
    let ended = seen.end("a", false);
    assert_eq!(
        ended,
        "one line\nand another\na third\n  ▕█████░░░░░▏ 1/2  3 s"
    );
    assert!(seen.screen.is_itself());
}

#[test]
fn nothing_of_it_stays_however_the_run_ends() {
    let finished = RunEvent::RunFinished(RunClose {
        verdict: Verdict::default(),
        elapsed_us: 1,
        interrupted: false,
    });
    for end in 0..3 {
        let mut seen = busy(80, 24, true);
        let mut above = seen.area.above();
        above.write_all(b"printed\n").unwrap();
        seen.clock.advance(Duration::from_secs(1));
        seen.area
            .event(&seal(RunEvent::CaseStarted {
                id: "b".to_owned(),
                at: At::default(),
            }))
            .unwrap();
        assert!(seen.screen.text().contains("2/30"));
        match end {
            0 => seen.area.event(&seal(finished.clone())).unwrap(),
            1 => Box::new(seen.area.clone()).finish().unwrap(),
            _ => {}
        }
        let Seen { screen, area, .. } = seen;
        drop((area, above));
        assert_eq!(screen.text(), "printed", "{end}");
        assert!(screen.is_itself());
    }
}

#[test]
fn a_terminal_that_becomes_narrower_keeps_what_was_printed() {
    let mut seen = busy(120, 24, true);
    let mut above = seen.area.above();
    above.write_all(b"printed\n").unwrap();
    let wide = seen.end("nobody", false);
    assert!(
        wide.starts_with("printed\n") && wide.lines().count() == 8,
        "{wide}"
    );
    for (times, columns) in (1..).zip([70, 50, 24]) {
        SIZE.set(Some(TerminalSize { columns, rows: 24 }));
        seen.screen.narrow(columns);
        above.write_all(b"and more\n").unwrap();
        let narrow = seen.end("nobody", false);
        assert_eq!(narrow.matches("/30").count(), 1, "{columns}:\n{narrow}");
        let printed: Vec<&str> = narrow
            .lines()
            .take_while(|line| !line.contains('⠋'))
            .collect();
        assert_eq!(
            printed.join("\n"),
            format!("printed\n{}", vec!["and more"; times].join("\n")),
            "{columns}"
        );
        assert_eq!(
            narrow.lines().count(),
            printed.len() + 7,
            "{columns}:\n{narrow}"
        );
    }
}

#[test]
fn what_comes_before_the_tests_is_shown() {
    let mut seen = seen(50, 9, true);
    seen.area.wait_for(Some(
        "waiting for http://127.0.0.1:8000/ to answer: server 1 `\u{1b}[2J`",
    ));
    assert_eq!(
        seen.screen.text(),
        "  ⠋ waiting for http://127.0.0.1:8000/ to a…  0 s"
    );
    seen.clock.advance(Duration::from_secs(75));
    seen.area.wait_for(None);
    assert_eq!(seen.screen.text(), "");
    assert_eq!(
        seen.begin(1, &["a"]),
        "  ⠋ a  set-up  0 s\n  ▕░░░░░░░░░░▏ 0/1  1 s"
    );
}

#[test]
fn hostile_text_stays_text() {
    let hostile = outcomes::HOSTILE;
    let mut seen = seen(3000, 24, true);
    seen.area.wait_for(Some(hostile));
    assert!(seen.screen.text().contains("\\u{1b}[2J"));
    seen.begin(1, &[hostile]);
    // The screen receives no control character, and no command but those of the area.
    let text = seen.retry(hostile, hostile);
    assert!(
        text.matches("\\u{1b}[2J").count() == 2 && !text.contains("##vso["),
        "{text}"
    );
    assert!(
        !text.contains('\u{202e}') && !text.contains('\u{9b}'),
        "{text}"
    );
}

/// The agent of a test is heard, and is in this call or none.
fn heard(seen: &mut Seen, id: &str, call: Option<&str>) -> String {
    seen.after(RunEvent::Activity {
        id: id.to_owned(),
        call: call.map(str::to_owned),
    })
}

#[test]
fn a_test_shows_what_its_agent_does() {
    let mut seen = seen(80, 9, true);
    seen.begin(2, &["a", "b"]);
    seen.turn("a", 1, 1);
    seen.turn("b", 2, 3);
    let shown = heard(&mut seen, "a", Some("charge_card\u{1b}[2J"));
    assert!(
        shown.contains("⠋ a  → charge_card\\u{1b}[2J 0 s  4 s"),
        "{shown}"
    );
    heard(&mut seen, "b", None);
    // The agent is heard again during the same call, and the other one not.
    let shown = heard(&mut seen, "a", Some("charge_card\u{1b}[2J"));
    assert!(shown.contains("charge_card\\u{1b}[2J 2 s"), "{shown}");
    assert!(shown.contains("turn 2 of 3  "), "{shown}");
    seen.clock.advance(Duration::from_secs(4));
    let shown = heard(&mut seen, "a", None);
    assert!(
        shown.contains("⠋ a  turn 1 of 1") && shown.contains("⠋ b  turn 2 of 3, silent 6 s"),
        "{shown}"
    );
    let shown = seen.turn("b", 3, 3);
    assert!(shown.contains("⠋ b  turn 3 of 3  "), "{shown}");
}

#[test]
fn a_test_that_ran_before_says_how_long_the_rest_takes() {
    let usual = [("a", 10), ("b", 4), ("c", 30)]
        .map(|(id, seconds)| (id.to_owned(), Duration::from_secs(seconds)));
    let mut seen = seen_before(80, 9, true, usual.into_iter().collect());
    seen.begin(3, &["a", "b"]);
    seen.clock.advance(Duration::from_secs(5));
    let shown = seen.turn("a", 1, 1);
    // `b` is 3 s over its usual duration, `a` is not.
    let first = shown.lines().next().unwrap();
    assert!(first.contains("⠋ b  set-up"), "{shown}");
    assert!(shown.ends_with("▏ 0/3  ~33 s left"), "{shown}");
    seen.end("a", false);
    let shown = seen.after(RunEvent::CaseEnded {
        id: "b".to_owned(),
        at: At::default(),
        status: Status::Failed,
        duration_us: Some(0),
        fails_the_run: true,
        usage: Usage::reported(Some(3000), Some(541), None),
        failed: None,
    });
    assert!(
        shown.ends_with("▕██████░░░░▏ 2/3  1 ✗  ~30 s left  3,541 tokens"),
        "{shown}"
    );
}
