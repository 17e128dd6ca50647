//! The answers of a run's agents: where they come from, and what is recorded of them.

use std::sync::{Arc, Mutex};

use ananke_base::context::lock;
use ananke_recording::{AttemptStore, EarlierAnswers, KeptRecording, Recordings};
use ananke_trace::outcome::Problem;

/// The source of the answers of a run's agents, and the place of what is recorded of them.
#[derive(Clone, Debug)]
pub enum RunAnswers {
    /// The agents are asked.
    Live(LiveAnswers),
    /// The agent of a run that has one test is asked, and what it says is recorded in memory.
    InMemory(MemoryRecording),
    /// Tests are recorded into a folder, or replayed from it.
    Recordings(Recordings),
    /// Every test is replayed from one recording.
    Recording(Arc<KeptRecording>),
    /// The answers that were kept of earlier runs are evaluated again.
    Earlier(Arc<dyn EarlierAnswers>),
}

/// The places of what agents answer that are asked.
#[derive(Clone, Debug, Default)]
pub struct LiveAnswers {
    /// Takes what is received in each attempt, if that is asked for.
    pub attempts: Option<Arc<dyn AttemptStore>>,
    /// The place of the recordings of walks that fail.
    pub failed_walks: Option<Recordings>,
}

impl Default for RunAnswers {
    fn default() -> Self {
        Self::Live(LiveAnswers::default())
    }
}

impl RunAnswers {
    /// The recordings in a folder, if tests are recorded or replayed.
    pub fn recordings(&self) -> Option<&Recordings> {
        match self {
            Self::Recordings(recordings) => Some(recordings),
            _ => None,
        }
    }

    /// Has `store` take what is received in each attempt, if agents are asked.
    pub fn keep(&mut self, store: Arc<dyn AttemptStore>) {
        if let Self::Live(live) = self {
            live.attempts = Some(store);
        }
    }

    /// The one recording that every test is replayed from.
    pub(crate) fn recording(&self) -> Option<&Arc<KeptRecording>> {
        match self {
            Self::Recording(kept) => Some(kept),
            _ => None,
        }
    }

    /// Answers of an earlier run, to which a changed test may lack some.
    pub(crate) fn are_of_earlier_run(&self) -> bool {
        matches!(self, Self::Earlier(_))
    }

    /// The place of the recordings of walks that fail.
    pub(crate) fn failed_walks(&self) -> Option<&Recordings> {
        match self {
            Self::Live(live) => live.failed_walks.as_ref(),
            _ => None,
        }
    }
}

/// The text of a recording, or why there is none. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryRecording(Arc<Mutex<Option<Result<String, Problem>>>>);

impl MemoryRecording {
    /// The text, once the test has ended; `None` if it was stopped.
    ///
    /// # Errors
    /// If it would contain a secret.
    pub fn take(&self) -> Result<Option<String>, Problem> {
        lock(&self.0).take().transpose()
    }

    /// The test has ended with this text.
    pub(crate) fn set(&self, text: Result<Option<String>, Problem>) {
        *lock(&self.0) = text.transpose();
    }
}
