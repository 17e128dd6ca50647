//! Shows what goes on at the end of a terminal, from the events of a run.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::{LiveOptions, UsualDurations, area::Area, layout, state::AreaState};
use crate::report::Reporter;
use ananke_base::context::{At, Clock};
use ananke_base::text::escape;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// The interval at which the times in the area move on.
const TICK: Duration = Duration::from_millis(100);

/// Shows what goes on. Its clones are the same area.
#[derive(Clone)]
pub struct LiveArea(Arc<Mutex<SharedArea>>);

/// The state that is shown, and the area for it.
struct SharedArea {
    state: AreaState,
    area: Area,
    clock: Arc<dyn Clock>,
    options: LiveOptions,
    /// The moment at which it was drawn last.
    drawn: At,
}

/// A writer whose output appears above the area.
struct Above(LiveArea);

impl LiveArea {
    /// An area at the end of what is written to `out`, a terminal, of a run whose tests have these `usual` durations. It is drawn when something happens; see
    /// [`LiveArea::tick`].
    pub fn new(
        out: Box<dyn Write + Send>,
        clock: Arc<dyn Clock>,
        options: LiveOptions,
        usual: UsualDurations,
    ) -> Self {
        let area = Area::new(out);
        let state = AreaState {
            usual,
            ..AreaState::default()
        };
        Self(Arc::new(Mutex::new(SharedArea {
            state,
            area,
            clock,
            options,
            drawn: At::default(),
        })))
    }

    /// Redraws the area at intervals for as long as it exists.
    #[must_use]
    pub fn tick(self) -> Self {
        let area: Weak<Mutex<SharedArea>> = Arc::downgrade(&self.0);
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

fn lock(area: &Mutex<SharedArea>) -> MutexGuard<'_, SharedArea> {
    area.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedArea {
    fn draw(&mut self) {
        let now = self.clock.now();
        let size = (self.options.size)();
        let rows = layout::rows(&self.state, now, size, self.options);
        self.area.draw(&rows, size);
        self.drawn = now;
    }

    /// Draws unless that was just done: many tests a second would keep the terminal busy.
    fn refresh(&mut self) {
        if self.clock.now().since(self.drawn) >= TICK {
            self.draw();
        }
    }
}

impl Reporter for LiveArea {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        let mut area = lock(&self.0);
        let now = area.clock.now();
        area.state.event(event, now);
        match &**event {
            // What is printed from here on may not come through this area.
            RunEvent::RunFinished(_) => area.draw(),
            _ => area.refresh(),
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut area = lock(&self.0);
        area.state = AreaState::default();
        area.draw();
        Ok(())
    }
}

impl Write for Above {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut area = lock(&self.0.0);
        // A terminal that takes nothing is gone, like the reader of a pipe.
        let size = (area.options.size)();
        area.area
            .print(bytes, size)
            .map_err(|error| io::Error::new(io::ErrorKind::BrokenPipe, error))?;
        area.refresh();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0.0).area.flush()
    }
}
