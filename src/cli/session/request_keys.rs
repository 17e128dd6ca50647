//! The keys of a request, read as what its method takes; and the config that requests are about.

use std::any::TypeId;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use ananke::context::Context;
use ananke::project::locate;
use ananke::recording::{RecordingMode, Recordings};
use ananke::source;
use ananke::text::{escape, nearest};
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::session_error::SessionError;
use crate::cli::options::{RecordingOptions, recordings};

/// The keys of the requests that came so far, by their types.
static KNOWN: LazyLock<Mutex<HashMap<TypeId, Arc<RequestKeys>>>> = LazyLock::new(Mutex::default);

/// The keys that a request may have, as the schema lists them.
struct RequestKeys {
    known: Vec<String>,
    required: Vec<String>,
}

impl RequestKeys {
    fn of<P: JsonSchema + 'static>() -> Arc<Self> {
        let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = all.entry(TypeId::of::<P>()).or_insert_with(|| {
            let schema = Value::from(schema_for!(P));
            let known = schema["properties"].as_object().into_iter().flatten();
            let required = schema["required"].as_array().into_iter().flatten();
            Arc::new(Self {
                known: known.map(|(key, _)| key.clone()).collect(),
                required: required
                    .filter_map(|key| key.as_str().map(str::to_owned))
                    .collect(),
            })
        });
        Arc::clone(keys)
    }

    /// The problem of the names of the keys.
    fn problem(&self, given: &Map<String, Value>) -> Option<String> {
        if let Some(unknown) = given.keys().find(|key| !self.known.contains(key)) {
            let known = match nearest(unknown, self.known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.known.is_empty() => "it takes none".to_owned(),
                None => format!("the keys are `{}`", self.known.join("`, `")),
            };
            return Some(format!("unknown key `{}`; {known}", escape::line(unknown)));
        }
        let missing = self
            .required
            .iter()
            .find(|key| !given.contains_key(key.as_str()))?;
        Some(format!("the key `{missing}` is missing"))
    }
}

/// The keys of a request.
///
/// # Errors
/// If a key is missing, unknown or has a wrong value, with its name.
pub(super) fn read<P: DeserializeOwned + JsonSchema + 'static>(
    method: &str,
    params: &Map<String, Value>,
) -> Result<P, SessionError> {
    let wrong = |problem: String| SessionError::params(format!("`{method}`: {problem}"));
    if let Some(problem) = RequestKeys::of::<P>().problem(params) {
        return Err(wrong(problem));
    }
    let error = match P::deserialize(params) {
        Ok(params) => return Ok(params),
        Err(error) => error.to_string(),
    };
    // The key without which the error is another one is the key that it is about.
    let about = params.keys().find(|key| {
        let mut rest = params.clone();
        rest.shift_remove(*key);
        let other = P::deserialize(&rest).err().map(|error| error.to_string());
        other.as_ref() != Some(&error)
    });
    let place = about.map_or_else(String::new, |key| format!("`{}`: ", escape::line(key)));
    Err(wrong(format!("{place}{error}")))
}

/// The place of recordings that the keys `record` and `replay` of a request name.
///
/// # Errors
/// If both are named, or there is nothing to be replayed.
pub(super) fn named_recordings(
    record: Option<PathBuf>,
    replay: Option<PathBuf>,
    context: &Context,
) -> Result<Option<Recordings>, SessionError> {
    if record.is_some() && replay.is_some() {
        let message = "`record` and `replay` do not go together: name one of them";
        return Err(SessionError::params(message));
    }
    let named = RecordingOptions {
        record,
        replay,
        record_missing: false,
        replay_loose: false,
        models: None,
        models_loose: false,
    };
    let recordings = recordings(&named, context);
    // A folder that is missing would be one error for each test, so it is one of the request.
    if let Some(Recordings {
        mode: RecordingMode::Replay,
        folder,
        shown,
        ..
    }) = &recordings
        && !folder.is_dir()
    {
        let message = format!("`replay`: there is no directory `{shown}`");
        return Err(SessionError::params(message));
    }
    Ok(recordings)
}

/// The config that `initialize` names, if it does. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct ClientConfig(Arc<OnceLock<PathBuf>>);

impl ClientConfig {
    /// `initialize` names a config, once.
    pub(super) fn name(&self, config: PathBuf) {
        self.0.get_or_init(|| config);
    }

    /// The `redact` of the config of `initialize`, or of the nearest one; `None` without a config or a list.
    ///
    /// # Errors
    /// If the config cannot be read, since its secrets are not known then.
    pub(super) fn redact(&self, context: &Context) -> Result<Option<Value>, SessionError> {
        let Ok(path) = self.located(None, &[], context) else {
            return Ok(None);
        };
        let shown = path.display().to_string();
        let source = match source::read(&context.files, &path, &shown) {
            Ok(source) => source,
            Err(problem) => return Err(SessionError::of_problems(&[problem])),
        };
        // A config that cannot be read may list secrets, so nothing is recorded with it.
        match source::parse(&source) {
            Ok(config) => match config.get("redact") {
                Some(listed) => Ok(Some(listed.to_json())),
                None => Ok(None),
            },
            Err(problems) => Err(SessionError::of_problems(&problems)),
        }
    }

    /// The config that a request names, else that of `initialize`, else the nearest above the first of `paths` or the working
    /// directory.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn located(
        &self,
        named: Option<PathBuf>,
        paths: &[PathBuf],
        context: &Context,
    ) -> Result<PathBuf, SessionError> {
        let named = named.or_else(|| self.0.get().cloned());
        locate(context, named.as_deref(), paths)
            .map_err(|problem| SessionError::without_config(&problem))
    }
}
