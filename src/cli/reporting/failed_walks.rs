//! Walks that fail: each is frozen as a static test next to what the project remembers of its last runs.
//!
//! **Invariant:** a walk that cannot be frozen changes no verdict; a note says why.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::{CaseKey, Context};
use ananke::freeze::{FreezeRequest, FrozenTest, freeze};
use ananke::recording::{
    KeptRecording, RecordingLimits, RecordingMode, Recordings, RequestMatch, recording_path,
};
use ananke::{LabError, outcome::RunEvent, plan::Selection, redact::Sealed, report::Reporter};

use crate::cli::frame::{block_on, say};
use crate::cli::output::shown_path;

/// The directory of the frozen walks, relative to the directory of the config.
const WALKS: &str = ".ananke/walks";

/// The directory of the recordings of the frozen tests, relative to the directory of the config.
const RECORDINGS: &str = ".ananke/recordings";

/// The number of walks of a run that are frozen.
const MOST: usize = 20;

/// The walks of a run that failed and were shrunk.
#[derive(Clone, Default)]
pub(crate) struct FailedWalks(Arc<Mutex<Vec<WalkRecording>>>);

/// A walk that failed.
#[derive(Clone)]
struct WalkRecording {
    /// The id of its test.
    test: String,
    /// Its recording, as shown in messages.
    recording: String,
}

/// The place of the recordings of walks that fail, in the project in `folder`.
pub(crate) fn kept(folder: &Path, context: &Context) -> Recordings {
    let folder = folder.join(WALKS);
    let shown = shown_path(&folder, context);
    let (mode, requests) = (RecordingMode::Record, RequestMatch::default());
    Recordings {
        folder,
        shown,
        mode,
        requests,
        limits: RecordingLimits::default(),
    }
}

impl FailedWalks {
    fn all(&self) -> Vec<WalkRecording> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Freezes every walk of a run of `selection` in the project in `folder`, and says where the tests are.
    pub(crate) fn freeze(&self, selection: &Selection, folder: &Path, context: &Context) {
        let all = self.all();
        for failed in all.iter().take(MOST) {
            let note = match frozen(failed, selection, folder, context) {
                Ok(frozen) => {
                    let file = shown_path(&frozen.file, context);
                    let replays = shown_path(&folder.join(RECORDINGS), context);
                    format!(
                        "the walk of `{}` is frozen: run it with `ananke run {file}`, or replay it with `--replay {replays}`",
                        failed.test
                    )
                }
                Err(LabError::Refused { message, .. }) => {
                    format!("the walk of `{}` is not frozen: {message}", failed.test)
                }
                Err(LabError::Broken(..)) => {
                    format!(
                        "the walk of `{}` is not frozen: its files were changed",
                        failed.test
                    )
                }
            };
            say(&format!("note: {note}"));
        }
        if let Some(more) = all.len().checked_sub(MOST).filter(|more| *more > 0) {
            say(&format!("note: {more} more failed walks are not frozen"));
        }
    }
}

/// Freezes one walk.
fn frozen(
    failed: &WalkRecording,
    selection: &Selection,
    folder: &Path,
    context: &Context,
) -> Result<FrozenTest, LabError> {
    let path = context.working_directory.join(&failed.recording);
    let recording = Arc::new(KeptRecording::open(&path, &failed.recording)?);
    let own = recording_path(
        &folder.join(WALKS),
        &CaseKey::first(recording.key().test.clone()),
    );
    let output = Some(own.with_extension("test.yaml"));
    let selection = Selection {
        config: selection.config.clone(),
        target: selection.target.clone(),
        env_files: selection.env_files.clone(),
        variables: selection.variables.clone(),
        ..Selection::default()
    };
    let request = FreezeRequest {
        recording,
        selection,
        output,
        folder: folder.join(RECORDINGS),
    };
    let frozen = block_on(freeze(context, &request))??;
    frozen.write()?;
    Ok(frozen)
}

impl Reporter for FailedWalks {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        if let RunEvent::CaseFinished(outcome) = &**event
            && let Some(recording) = &outcome.transcript.recording
            && outcome.walks.iter().any(|walks| walks.is_shrunk())
        {
            let failed = WalkRecording {
                test: outcome.test.id.clone(),
                recording: recording.clone(),
            };
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(failed);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
