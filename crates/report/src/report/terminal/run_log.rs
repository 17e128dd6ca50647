//! Lines about tests that run for long, for a log: nothing in it is redrawn, and a reader wants to see that something goes on.
//!
//! **Invariant:** memory grows with the tests that run at once, not with those that ran.

use anstyle::Style;

use crate::report::layout::{Page, Palette};
use ananke_base::context::At;
use ananke_base::text::{duration, escape, truncate};
use ananke_trace::outcome::RunEvent;

/// After how many seconds a test is slow. It is mentioned again each time that has doubled.
const SLOW_AFTER: u64 = 30;

/// The tests that run, and how many have ended.
pub(super) struct RunLog {
    palette: Palette,
    running: Vec<LoggedTest>,
    /// The number of tests.
    tests: usize,
    /// The number of tests that have ended.
    ended: usize,
    /// The moment of the last line, of whatever is printed.
    printed: At,
    /// The number of tests that had ended by then.
    ended_before: usize,
}

struct LoggedTest {
    id: String,
    since: At,
    /// The turn it is in, and how many it has.
    turn: Option<(usize, usize)>,
    /// The seconds after which it is mentioned.
    next: u64,
}

impl RunLog {
    pub(super) fn new(palette: Palette) -> Self {
        Self {
            palette,
            running: Vec::new(),
            tests: 0,
            ended: 0,
            printed: At::default(),
            ended_before: 0,
        }
    }

    /// The number of tests that have ended, and of all if there are several: `[ 3/40]`.
    pub(super) fn index(&self) -> String {
        let Self { ended, tests, .. } = self;
        if *tests > 1 {
            let width = tests.ilog10() as usize + 1;
            format!("[{ended:>width$}/{tests}]")
        } else {
            String::new()
        }
    }

    pub(super) fn event(&mut self, event: &RunEvent, now: At) {
        match event {
            RunEvent::RunStarted { tests, .. } => (self.printed, self.tests) = (now, *tests),
            RunEvent::CaseStarted { id, .. } => {
                let id = truncate::bytes(id, 400).into_owned();
                self.running.push(LoggedTest {
                    id,
                    since: now,
                    turn: None,
                    next: SLOW_AFTER,
                });
            }
            RunEvent::TurnStarted { id, turn, of } => {
                if let Some(test) = self.running.iter_mut().find(|test| test.id == *id) {
                    test.turn = Some((*turn, *of));
                }
            }
            RunEvent::CaseEnded { id, .. } => {
                let id = truncate::bytes(id, 400);
                self.running.retain(|test| test.id != id);
                self.ended += 1;
            }
            _ => {}
        }
    }

    /// Remembers that a line is printed.
    pub(super) fn print(&mut self, now: At) {
        (self.printed, self.ended_before) = (now, self.ended);
    }

    /// A line for each test that has been running for long since it was mentioned last; if there is none, and tests ended
    /// while nothing was printed for as long, one that says how far the run is: `[12/40] running`.
    pub(super) fn slow(&mut self, now: At) -> String {
        let slow = self.slow_tests(now);
        let is_silent = now.since(self.printed).as_secs() >= SLOW_AFTER;
        let has_news = self.ended > self.ended_before && self.ended < self.tests;
        if !slow.is_empty() || !is_silent || !has_news {
            return slow;
        }
        let mut page = Page::default();
        page.line(self.palette.faint, &format!("{} running", self.index()));
        page.into_text()
    }

    fn slow_tests(&mut self, now: At) -> String {
        let mut page = Page::default();
        for LoggedTest {
            id,
            since,
            turn,
            next,
        } in &mut self.running
        {
            let seconds = now.since(*since).as_secs();
            if seconds < *next {
                continue;
            }
            while *next <= seconds {
                *next *= 2;
            }
            page.put(self.palette.warning, "SLOW");
            page.put(Style::new(), &format!(" {}", escape::line(id)));
            page.space(2);
            let turn = turn
                .map(|(turn, of)| format!(" (turn {turn} of {of})"))
                .unwrap_or_default();
            let time = duration::rounded(seconds.saturating_mul(1_000_000));
            page.line(self.palette.faint, &format!("{time}{turn}"));
        }
        page.into_text()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use ananke_trace::outcome::Status;
    use ananke_trace::trace::Usage;

    fn ended(id: &str) -> RunEvent {
        RunEvent::CaseEnded {
            id: id.to_owned(),
            at: At::default(),
            status: Status::Passed,
            duration_us: None,
            fails_the_run: false,
            usage: Usage::default(),
            failed: None,
        }
    }

    fn started(id: &str) -> RunEvent {
        RunEvent::CaseStarted {
            id: id.to_owned(),
            at: At::default(),
        }
    }

    #[test]
    fn a_test_has_a_line_while_it_is_slow() {
        let mut log = RunLog::new(Palette::default());
        let at = |seconds| At::default().plus(Duration::from_secs(seconds));
        let run = RunEvent::RunStarted {
            tests: 12,
            unix_ms: 0,
            facts: Box::default(),
        };
        log.event(&run, at(0));
        log.event(&started("a::one\u{1b}"), at(0));
        log.event(&started("b::two"), at(1));
        log.event(&ended("b::two"), at(2));
        assert_eq!(log.index(), "[ 1/12]");
        log.event(&started("c"), at(20));
        assert_eq!(log.slow(at(29)), "");
        assert_eq!(log.slow(at(31)), "SLOW a::one\\u{1b}  31 s\n");
        log.print(at(31));
        log.event(
            &RunEvent::TurnStarted {
                id: "a::one\u{1b}".to_owned(),
                turn: 2,
                of: 3,
            },
            at(32),
        );
        assert_eq!(log.slow(at(49)), "");
        assert_eq!(
            log.slow(at(70)),
            "SLOW a::one\\u{1b}  1 min 10 s (turn 2 of 3)\nSLOW c  50 s\n"
        );
        assert_eq!(log.slow(at(71)), "");
    }

    #[test]
    fn a_log_says_at_least_every_half_minute_how_far_the_run_is() {
        let mut log = RunLog::new(Palette::default());
        let at = |seconds| At::default().plus(Duration::from_secs(seconds));
        let run = RunEvent::RunStarted {
            tests: 40,
            unix_ms: 0,
            facts: Box::default(),
        };
        log.event(&run, at(10));
        assert_eq!(log.slow(at(50)), "", "no test has ended");
        for test in 0..9 {
            let id = format!("a::{test}");
            let start = at(10 + 3 * test);
            log.event(&started(&id), start);
            assert_eq!(log.slow(start), "");
            log.event(&ended(&id), at(12 + 3 * test));
        }
        log.event(&started("b"), at(40));
        assert_eq!(log.slow(at(41)), "[ 9/40] running\n");
        log.print(at(41));
        assert_eq!(log.slow(at(60)), "");
        assert_eq!(log.slow(at(70)), "SLOW b  30 s\n");
        assert_eq!(log.slow(at(160)), "SLOW b  2 min\n");
        log.print(at(160));
        assert_eq!(log.slow(at(200)), "", "no other test has ended");
    }
}
