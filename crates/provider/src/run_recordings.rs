//! The recordings of the models of a run: a file for each model and attempt.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::compiled_script::CompiledModelScript;
use crate::lane_recording::{RecordingSetup, RecordingUse};
use crate::model_lane::LaneSource;
use crate::model_recording::ModelRecording;
use crate::model_setup::ModelSetup;
use crate::problem::ModelProblem;
use crate::recorded::RecordedTime;
use crate::upstream::Upstreams;
use ananke_base::context::{CaseKey, Clock, Files};
use ananke_base::text::escape;
use ananke_model::model::ModelAnswerSource;
use ananke_recording::recording_path;
use ananke_trace::outcome::RECORD_MODELS;

/// The recordings of the models of a run.
#[derive(Clone)]
pub struct RunRecordings {
    /// The directory.
    pub folder: PathBuf,
    /// The directory as messages name it.
    pub shown: String,
    /// The files that are read.
    pub files: Files,
    /// The clock of arrivals.
    pub clock: Arc<dyn Clock>,
    /// Secrets that are masked wherever they are.
    pub secrets: Vec<String>,
}

impl RunRecordings {
    /// A file of the directory, as messages name it.
    pub(crate) fn shown_file(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        let below = below.to_string_lossy().replace('\\', "/");
        format!("{}/{}", self.shown, escape::line(&below))
    }

    /// The source of the answers of an attempt in the model `setup`, whose test has the answers `own`. All models of the attempt
    /// share its `time`.
    ///
    /// # Errors
    /// If its recording cannot be read.
    pub fn source(
        &self,
        setup: &ModelSetup,
        upstreams: &Upstreams,
        own: Option<&CompiledModelScript>,
        key: &CaseKey,
        time: &Arc<RecordedTime>,
    ) -> Result<LaneSource, ModelProblem> {
        let usage = match setup.source_of_test(own) {
            ModelAnswerSource::Script => return Ok(setup.script_of_test(own).into()),
            ModelAnswerSource::Replay => RecordingUse::Replay,
            ModelAnswerSource::Record => RecordingUse::Record,
            ModelAnswerSource::RecordMissing => RecordingUse::RecordMissing,
            ModelAnswerSource::Live => RecordingUse::Live,
        };
        let path = recording_path(&self.folder.join(&setup.name), key);
        let shown = self.shown_file(&path);
        let (file, _) = key.test.split_once("::").unwrap_or((&key.test, ""));
        let again = format!("ananke run {} {RECORD_MODELS}", escape::shell_word(file));
        let recording = match usage {
            RecordingUse::Replay | RecordingUse::RecordMissing => {
                let read = ModelRecording::read(&self.files, &path, &shown);
                read.map_err(|problem| problem.help(format!("record it: {again}")))?
            }
            RecordingUse::Record | RecordingUse::Live => None,
        };
        Ok(LaneSource::Recordings(Box::new(RecordingSetup {
            usage,
            path,
            shown,
            recording,
            again,
            ignore: setup.ignore.clone(),
            ignore_key: Some(format!("models.{}.ignore", setup.name)),
            strict_params: setup.strict_params,
            is_loose: setup.is_loose,
            pace: setup.pace,
            upstreams: upstreams.clone(),
            clock: Arc::clone(&self.clock),
            time: Arc::clone(time),
            secrets: self.secrets.clone(),
        })))
    }
}
