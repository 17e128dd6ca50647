//! The live area of a terminal: what a run waits for, the tests that run and the turn each is in, how far the run is.
//!
//! Events change what there is to show (`State`), `picture` says what that looks like at a size, and `canvas` keeps it
//! below everything that is printed. **Invariant:** nothing of the area stays when the run is over, however it ends.

mod canvas;
mod picture;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::Reporter;
use crate::context::{At, Clock, TerminalSize};
use crate::redact::Sealed;
use crate::run::RunEvent;
use crate::text::escape;
use canvas::Canvas;

/// How often the times in the area move on.
const TICK: Duration = Duration::from_millis(100);

/// The most bytes of a text that are looked at: more has room on no terminal.
const LONGEST: usize = 600;

/// How an area looks.
#[derive(Clone, Copy, Debug)]
pub struct LiveOptions {
    /// Whether there is colour.
    pub colour: bool,
    /// Whether the tests that run are shown, beside how far the run is.
    pub tests: bool,
    /// The size of the terminal.
    pub size: fn() -> Option<TerminalSize>,
}

/// Shows what goes on. Its clones are the same area.
#[derive(Clone)]
pub struct LiveArea(Arc<Mutex<Area>>);

/// What is to be shown, and where.
struct Area {
    state: State,
    canvas: Canvas,
    clock: Arc<dyn Clock>,
    options: LiveOptions,
    /// When it was drawn last.
    drawn: At,
}

/// What there is to show.
#[derive(Debug, Default)]
struct State {
    /// What has to happen before the tests begin, and since when it is waited for.
    waiting: Option<(String, At)>,
    /// When the tests began, and how many there are.
    begun: Option<(At, usize)>,
    /// The tests that run, the one that began first first.
    running: Vec<Running>,
    /// How many tests are over.
    done: usize,
    /// How many of those fail the run.
    failed: usize,
}

/// A test that runs.
#[derive(Debug)]
struct Running {
    id: String,
    /// The end of the id, as it is shown.
    shown: String,
    since: At,
    /// The turn it is in, and how many it has; none while it is set up.
    turn: Option<(usize, usize)>,
    retry: Option<Retry>,
}

/// Which retry a test is in.
#[derive(Debug)]
struct Retry {
    number: u32,
    of: u32,
    /// How the attempt before ended, as it is shown.
    why: String,
}

/// A writer whose output appears above the area.
struct Above(LiveArea);

impl LiveArea {
    /// An area at the end of what is written to `out`, a terminal. It is drawn when something happens; see
    /// [`LiveArea::tick`].
    pub fn new(out: Box<dyn Write + Send>, clock: Arc<dyn Clock>, options: LiveOptions) -> Self {
        let canvas = Canvas::new(out);
        Self(Arc::new(Mutex::new(Area {
            state: State::default(),
            canvas,
            clock,
            options,
            drawn: At::default(),
        })))
    }

    /// Has the area drawn again and again, for as long as somebody holds it.
    #[must_use]
    pub fn tick(self) -> Self {
        let area: Weak<Mutex<Area>> = Arc::downgrade(&self.0);
        thread::spawn(move || {
            loop {
                thread::sleep(TICK);
                let Some(area) = area.upgrade() else { return };
                lock(&area).draw();
            }
        });
        self
    }

    /// A writer for what is printed above the area.
    pub fn above(&self) -> impl Write + Send + 'static {
        Above(self.clone())
    }

    /// Shows what has to happen before the tests begin, `None` once it has.
    pub fn wait_for(&self, what: Option<&str>) {
        let mut area = lock(&self.0);
        let now = area.clock.now();
        area.state.waiting = what.map(|what| (escape::line(what).into_owned(), now));
        area.draw();
    }
}

fn lock(area: &Mutex<Area>) -> MutexGuard<'_, Area> {
    area.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Area {
    fn draw(&mut self) {
        let now = self.clock.now();
        let size = (self.options.size)();
        let rows = picture::rows(&self.state, now, size, self.options);
        self.canvas.draw(&rows, size);
        self.drawn = now;
    }

    /// Draws unless that was just done: many tests a second would keep the terminal busy.
    fn refresh(&mut self) {
        if self.clock.now().since(self.drawn) >= TICK {
            self.draw();
        }
    }
}

impl State {
    fn event(&mut self, event: &RunEvent, now: At) {
        match event {
            RunEvent::RunStarted { tests, .. } => self.begun = Some((now, *tests)),
            RunEvent::CaseStarted { id } => {
                let shown =
                    escape::line(&id[id.ceil_char_boundary(id.len().saturating_sub(LONGEST))..]).into_owned();
                self.running.push(Running { id: id.clone(), shown, since: now, turn: None, retry: None });
            }
            RunEvent::TurnStarted { id, turn, of } => {
                if let Some(running) = self.test(id) {
                    running.turn = Some((*turn, *of));
                }
            }
            RunEvent::Retrying { id, retry, of, status, why } => {
                if let Some(running) = self.test(id) {
                    running.turn = None;
                    let why = format!("{}: {}", status.as_str(), &why[..why.floor_char_boundary(LONGEST)]);
                    let why = escape::line(&why).into_owned();
                    running.retry = Some(Retry { number: *retry, of: *of, why });
                }
            }
            RunEvent::CaseEnded { id, fails_the_run } => {
                self.running.retain(|running| running.id != *id);
                self.done += 1;
                self.failed += usize::from(*fails_the_run);
            }
            RunEvent::RunFinished { .. } => *self = Self::default(),
            RunEvent::ServerEnded { .. } | RunEvent::CaseFinished(_) | RunEvent::ObsoleteSnapshots { .. } => {
            }
        }
    }

    fn test(&mut self, id: &str) -> Option<&mut Running> {
        self.running.iter_mut().find(|running| running.id == id)
    }
}

impl Reporter for LiveArea {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        let mut area = lock(&self.0);
        let now = area.clock.now();
        area.state.event(event, now);
        match &**event {
            // What is printed from here on may not come through this area.
            RunEvent::RunFinished { .. } => area.draw(),
            _ => area.refresh(),
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut area = lock(&self.0);
        area.state = State::default();
        area.draw();
        Ok(())
    }
}

impl Write for Above {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut area = lock(&self.0.0);
        // A terminal that takes nothing is gone, like the reader of a pipe.
        let size = (area.options.size)();
        area.canvas.print(bytes, size).map_err(|error| io::Error::new(io::ErrorKind::BrokenPipe, error))?;
        area.refresh();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0.0).canvas.flush()
    }
}
