//! The state of the live area, kept up by the events of a run.

use std::cmp::Reverse;
use std::time::Duration;

use super::UsualDurations;
use ananke_base::context::At;
use ananke_base::text::escape;
use ananke_trace::outcome::RunEvent;
use ananke_trace::trace::Usage;

/// The most bytes of a text that are looked at: more has room on no terminal.
const LONGEST: usize = 600;

/// The state that the area shows.
#[derive(Debug, Default)]
pub(super) struct AreaState {
    /// The event that has to happen before the tests begin, and the beginning of the wait for it.
    pub(super) waiting: Option<(String, At)>,
    /// The moment at which the tests began, and their number.
    pub(super) begun: Option<(At, usize)>,
    /// The tests that run, the one that began first first.
    pub(super) running: Vec<RunningTest>,
    /// The number of tests that are over.
    pub(super) done: usize,
    /// The number of those that fail the run.
    pub(super) failed: usize,
    /// The tokens of those.
    pub(super) usage: Usage,
    /// The number of tests that run at once.
    pub(super) parallel: usize,
    /// The usual durations of the tests.
    pub(super) usual: UsualDurations,
}

/// A test that runs.
#[derive(Debug)]
pub(super) struct RunningTest {
    pub(super) id: String,
    /// The end of the id, as it is shown.
    pub(super) shown: String,
    pub(super) since: At,
    /// Its usual duration, if that is known.
    pub(super) usual: Option<Duration>,
    /// The turn it is in, and how many it has; none while it is set up.
    pub(super) turn: Option<(usize, usize)>,
    /// The call that its agent is in, and since when.
    pub(super) call: Option<(String, At)>,
    /// The moment at which its turn was sent, or its agent was heard last.
    pub(super) heard: At,
    pub(super) repeat: Option<Repeat>,
}

/// The retry, or the one of its runs, that a test is in.
#[derive(Debug)]
pub(super) struct Repeat {
    /// `retry` or `run`.
    pub(super) word: &'static str,
    pub(super) number: u32,
    pub(super) of: u32,
    /// The end of the attempts before, as it is shown; may be empty.
    pub(super) why: String,
}

impl RunningTest {
    fn new(id: &str, usual: Option<Duration>, now: At) -> Self {
        let end = &id[id.ceil_char_boundary(id.len().saturating_sub(LONGEST))..];
        Self {
            id: id.to_owned(),
            shown: escape::line(end).into_owned(),
            since: now,
            usual,
            turn: None,
            call: None,
            heard: now,
            repeat: None,
        }
    }

    /// The agent was heard, in this call. The same call goes on since it began.
    fn hear(&mut self, call: Option<&str>, now: At) {
        self.heard = now;
        let call = call.map(|name| escape::line(start_of(name)).into_owned());
        if self.call.as_ref().map(|(name, _)| name) != call.as_ref() {
            self.call = call.map(|name| (name, now));
        }
    }

    /// The time that it runs beyond its usual duration, in microseconds; negative before that. What never ran has none.
    fn over_usual(&self, now: At) -> i128 {
        let micros = |time: Duration| i128::try_from(time.as_micros()).unwrap_or(i128::MAX);
        micros(now.since(self.since)) - self.usual.map_or(0, micros)
    }
}

/// The part of a text that is looked at.
fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

impl Repeat {
    /// The retry, run or walk that an event begins.
    fn of(event: &RunEvent) -> Option<Self> {
        let (word, number, of, why) = match event {
            RunEvent::Retrying {
                retry,
                of,
                status,
                why,
                ..
            } => {
                let why = format!("{}: {}", status.words(), start_of(why));
                ("retry", retry, of, escape::line(&why).into_owned())
            }
            RunEvent::NextRun {
                run, most, failed, ..
            } => {
                let failed = (*failed > 0).then(|| format!("{failed} failed"));
                ("run", run, most, failed.unwrap_or_default())
            }
            RunEvent::NextWalk {
                is_shorter,
                number,
                of,
                ..
            } => {
                let word = if *is_shorter { "shorter walk" } else { "walk" };
                (word, number, of, String::new())
            }
            _ => return None,
        };
        Some(Self {
            word,
            number: *number,
            of: *of,
            why,
        })
    }
}

impl AreaState {
    pub(super) fn event(&mut self, event: &RunEvent, now: At) {
        match event {
            RunEvent::RunStarted { tests, facts, .. } => {
                self.begun = Some((now, *tests));
                self.parallel = facts.parallel;
            }
            RunEvent::CaseStarted { id, .. } => {
                let usual = self.usual.of(id);
                self.running.push(RunningTest::new(id, usual, now));
            }
            RunEvent::TurnStarted { id, turn, of } => {
                if let Some(running) = self.test(id) {
                    running.turn = Some((*turn, *of));
                    (running.call, running.heard) = (None, now);
                }
            }
            RunEvent::Activity { id, call } => {
                if let Some(running) = self.test(id) {
                    running.hear(call.as_deref(), now);
                }
            }
            RunEvent::Retrying { id, .. }
            | RunEvent::NextRun { id, .. }
            | RunEvent::NextWalk { id, .. } => {
                if let Some(running) = self.test(id) {
                    running.turn = None;
                    running.repeat = Repeat::of(event);
                }
            }
            RunEvent::CaseEnded {
                id,
                fails_the_run,
                usage,
                ..
            } => {
                self.running.retain(|running| running.id != *id);
                self.done += 1;
                self.failed += usize::from(*fails_the_run);
                self.usage = self.usage + *usage;
                self.usual.end(id);
            }
            RunEvent::RunFinished(_) => *self = Self::default(),
            RunEvent::Exchange { .. }
            | RunEvent::ServerEnded { .. }
            | RunEvent::NoAnswer(_)
            | RunEvent::CaseFinished(_)
            | RunEvent::ObsoleteSnapshots { .. } => {}
        }
    }

    /// The running tests, the one that is longest over its usual duration first.
    pub(super) fn longest_first(&self, now: At) -> Vec<&RunningTest> {
        let mut tests: Vec<&RunningTest> = self.running.iter().collect();
        tests.sort_by_key(|test| Reverse(test.over_usual(now)));
        tests
    }

    /// The time that the tests that are not over will take, if most of them ran before.
    pub(super) fn left(&self, now: At) -> Option<Duration> {
        let (_, tests) = self.begun?;
        let open = tests.checked_sub(self.done)?;
        let begun = self
            .running
            .iter()
            .map(|test| (test.usual, now.since(test.since)));
        self.usual.left(open, begun, self.parallel)
    }

    fn test(&mut self, id: &str) -> Option<&mut RunningTest> {
        self.running.iter_mut().find(|running| running.id == id)
    }
}
