//! The options that record and replay.

use std::io;
use std::path::PathBuf;

use ananke::model::ModelAnswerSource;
use clap::{Args, ValueEnum};

use ananke::context::Context;
use ananke::plan::{CaseEntry, Plan};
use ananke::recording::{RecordingLimits, RecordingMode, Recordings, RequestMatch};

/// What is kept of a run, or played instead of it.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordingOptions {
    /// Record every test into this directory: hook output, and agent responses with timing
    #[arg(long, value_name = "DIR", group = "recordings_folder")]
    pub(crate) record: Option<PathBuf>,
    /// Replay recordings from this directory: no network, no hooks, recorded timing
    #[arg(long, value_name = "DIR", group = "recordings_folder")]
    pub(crate) replay: Option<PathBuf>,
    /// Record the tests without a recording, and replay the others
    #[arg(long, requires = "recordings_folder")]
    pub(crate) record_missing: bool,
    /// The source of the answers of `models`, whatever the config says: record their providers, replay recordings, or use scripts
    #[arg(long, value_enum, value_name = "MODE", conflicts_with = "replay")]
    pub(crate) models: Option<ModelsMode>,
    /// Warn, rather than fail, if an agent does not ask its model for all recorded calls
    #[arg(long, conflicts_with = "replay")]
    pub(crate) models_loose: bool,
    /// Replay even if the requests have changed since recording
    #[arg(long, requires = "recordings_folder")]
    pub(crate) replay_loose: bool,
}

/// The source of the answers of all models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelsMode {
    /// Ask the providers, and record their answers
    Record,
    /// Replay recordings, and ask the providers for what is not recorded
    RecordMissing,
    /// Replay recordings, and never ask a provider
    Replay,
    /// Use the answers of tests and models
    Script,
    /// Ask the providers, and record nothing
    Live,
}

impl From<ModelsMode> for ModelAnswerSource {
    fn from(mode: ModelsMode) -> Self {
        match mode {
            ModelsMode::Record => Self::Record,
            ModelsMode::RecordMissing => Self::RecordMissing,
            ModelsMode::Replay => Self::Replay,
            ModelsMode::Script => Self::Script,
            ModelsMode::Live => Self::Live,
        }
    }
}

/// Checks, before any test runs, that what is recorded of `plan` can be written.
pub(crate) fn check_writable(recordings: &Recordings, plan: &Plan) -> io::Result<()> {
    if recordings.mode == RecordingMode::Replay {
        return Ok(());
    }
    let tests = plan
        .cases
        .iter()
        .filter(|case| case.test.skip.is_none())
        .map(CaseEntry::id);
    recordings.check_writable(tests).map_err(io::Error::other)
}

/// The directory of recordings and what it is used for, if any.
pub(crate) fn recordings(options: &RecordingOptions, context: &Context) -> Option<Recordings> {
    let (folder, mode) = match (&options.record, &options.replay) {
        (Some(folder), _) | (None, Some(folder)) if options.record_missing => {
            (folder, RecordingMode::RecordMissing)
        }
        (Some(folder), _) => (folder, RecordingMode::Record),
        (None, Some(folder)) => (folder, RecordingMode::Replay),
        (None, None) => return None,
    };
    Some(Recordings {
        folder: context.working_directory.join(folder),
        shown: folder.display().to_string(),
        mode,
        requests: if options.replay_loose {
            RequestMatch::Loose
        } else {
            RequestMatch::Exact
        },
        limits: RecordingLimits::default(),
    })
}
