//! What the live area shows, kept up by the events of a run.

use ananke_base::context::At;
use ananke_base::text::escape;
use ananke_engine::run::RunEvent;

/// The most bytes of a text that are looked at: more has room on no terminal.
const LONGEST: usize = 600;

/// What the area shows.
#[derive(Debug, Default)]
pub(super) struct AreaState {
    /// What has to happen before the tests begin, and since when it is waited for.
    pub(super) waiting: Option<(String, At)>,
    /// When the tests began, and how many there are.
    pub(super) begun: Option<(At, usize)>,
    /// The tests that run, the one that began first first.
    pub(super) running: Vec<RunningTest>,
    /// How many tests are over.
    pub(super) done: usize,
    /// How many of those fail the run.
    pub(super) failed: usize,
}

/// A test that runs.
#[derive(Debug)]
pub(super) struct RunningTest {
    pub(super) id: String,
    /// The end of the id, as it is shown.
    pub(super) shown: String,
    pub(super) since: At,
    /// The turn it is in, and how many it has; none while it is set up.
    pub(super) turn: Option<(usize, usize)>,
    pub(super) repeat: Option<Repeat>,
}

/// Which retry, or which of its runs, a test is in.
#[derive(Debug)]
pub(super) struct Repeat {
    /// `retry` or `run`.
    pub(super) word: &'static str,
    pub(super) number: u32,
    pub(super) of: u32,
    /// How the attempts before ended, as it is shown; may be empty.
    pub(super) why: String,
}

impl AreaState {
    pub(super) fn event(&mut self, event: &RunEvent, now: At) {
        match event {
            RunEvent::RunStarted { tests, .. } => self.begun = Some((now, *tests)),
            RunEvent::CaseStarted { id } => {
                let shown =
                    escape::line(&id[id.ceil_char_boundary(id.len().saturating_sub(LONGEST))..])
                        .into_owned();
                self.running.push(RunningTest {
                    id: id.clone(),
                    shown,
                    since: now,
                    turn: None,
                    repeat: None,
                });
            }
            RunEvent::TurnStarted { id, turn, of } => {
                if let Some(running) = self.test(id) {
                    running.turn = Some((*turn, *of));
                }
            }
            RunEvent::Retrying {
                id,
                retry,
                of,
                status,
                why,
            } => {
                if let Some(running) = self.test(id) {
                    running.turn = None;
                    let why = format!(
                        "{}: {}",
                        status.words(),
                        &why[..why.floor_char_boundary(LONGEST)]
                    );
                    let why = escape::line(&why).into_owned();
                    running.repeat = Some(Repeat {
                        word: "retry",
                        number: *retry,
                        of: *of,
                        why,
                    });
                }
            }
            RunEvent::NextRun {
                id,
                run,
                most,
                failed,
            } => {
                if let Some(running) = self.test(id) {
                    running.turn = None;
                    let why = if *failed > 0 {
                        format!("{failed} failed")
                    } else {
                        String::new()
                    };
                    running.repeat = Some(Repeat {
                        word: "run",
                        number: *run,
                        of: *most,
                        why,
                    });
                }
            }
            RunEvent::NextWalk {
                id,
                is_shorter,
                number,
                of,
            } => {
                if let Some(running) = self.test(id) {
                    running.turn = None;
                    let word = if *is_shorter { "shorter walk" } else { "walk" };
                    running.repeat = Some(Repeat {
                        word,
                        number: *number,
                        of: *of,
                        why: String::new(),
                    });
                }
            }
            RunEvent::CaseEnded {
                id, fails_the_run, ..
            } => {
                self.running.retain(|running| running.id != *id);
                self.done += 1;
                self.failed += usize::from(*fails_the_run);
            }
            RunEvent::RunFinished { .. } => *self = Self::default(),
            RunEvent::Exchange { .. }
            | RunEvent::ServerEnded { .. }
            | RunEvent::NoAnswer(_)
            | RunEvent::CaseFinished(_)
            | RunEvent::ObsoleteSnapshots { .. } => {}
        }
    }

    fn test(&mut self, id: &str) -> Option<&mut RunningTest> {
        self.running.iter_mut().find(|running| running.id == id)
    }
}
