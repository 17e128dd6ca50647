//! A directory with the recordings of lanes, a file for each.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lane_recording::{RecordingSetup, RecordingUse};
use crate::model_lane::LaneSource;
use crate::model_recording::ModelRecording;
use crate::problem::{ModelProblem, ModelProblemKind};
use crate::upstream::Upstreams;
use ananke_base::context::{CaseKey, Clock, Files};
use ananke_model::model::ModelPace;
use ananke_recording::recording_path;

/// The extension of recordings.
const EXTENSION: &str = "jsonl";

/// A directory with the recordings of lanes, and what they are used for.
#[derive(Clone)]
pub struct RecordingFolder {
    /// The directory.
    pub folder: PathBuf,
    /// The directory as messages name it.
    pub shown: String,
    /// The use of the recordings.
    pub usage: RecordingUse,
    /// Whether recorded calls that were not asked for are a warning.
    pub is_loose: bool,
    /// The command that records them again.
    pub again: String,
    /// The providers that may be asked.
    pub upstreams: Upstreams,
    /// The clock of arrivals.
    pub clock: Arc<dyn Clock>,
    /// Secrets that are masked wherever they are.
    pub secrets: Vec<String>,
}

impl RecordingFolder {
    /// Reads every recording.
    ///
    /// # Errors
    /// If one cannot be read, or there is none.
    pub fn read(&self, files: &Files) -> Result<Vec<ModelRecording>, ModelProblem> {
        let mut recordings = Vec::new();
        for path in files.list(&self.folder) {
            // Notes of people may be next to recordings.
            if path.extension() != Some(OsStr::new(EXTENSION)) {
                continue;
            }
            let shown = self.shown(&path);
            let read = ModelRecording::read(files, &path, &shown);
            let read = read.map_err(|problem| problem.help(self.remedy()))?;
            recordings.extend(read);
        }
        if recordings.is_empty() {
            let message = format!("there is no recording in `{}`", self.shown);
            let problem = ModelProblem::new(ModelProblemKind::Recording, message);
            return Err(problem.help(self.remedy()));
        }
        Ok(recordings)
    }

    /// The answers of a lane, of which `recording` is recorded.
    pub fn source(&self, lane: &str, recording: Option<ModelRecording>) -> LaneSource {
        // The name of a lane may have what no name of a file has.
        let path = recording_path(&self.folder, &CaseKey::first(format!("::{lane}")));
        LaneSource::Recordings(Box::new(RecordingSetup {
            usage: self.usage,
            shown: self.shown(&path),
            path,
            recording,
            again: self.again.clone(),
            ignore: Vec::new(),
            ignore_key: None,
            strict_params: false,
            is_loose: self.is_loose,
            pace: ModelPace::None,
            upstreams: self.upstreams.clone(),
            clock: Arc::clone(&self.clock),
            time: Arc::default(),
            secrets: self.secrets.clone(),
        }))
    }

    /// A file of the directory, as messages name it.
    fn shown(&self, path: &Path) -> String {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{}/{name}", self.shown)
    }

    fn remedy(&self) -> String {
        format!("record it: {}", self.again)
    }
}
