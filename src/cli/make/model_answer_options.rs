//! The source of the answers of `ananke model`: a script, recordings, or the provider that is recorded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::context::Context;
use ananke::provider::{
    FileScripts, ModelLanes, ModelProblem, ModelRecording, PROVIDER_KEYS, RecordingFolder,
    RecordingUse, Upstream, Upstreams,
};
use ananke::redact::Redactor;
use ananke::source;
use ananke::text::escape;
use ananke::variables::Scope;
use clap::Args;

use crate::cli::frame::{Failed, say};
use crate::cli::output::named_path;

/// The name of the model in what is reported.
const MODEL: &str = "model";

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ModelAnswerOptions {
    /// Answer as this file says: `replies` and `rules`, or `lanes` with several scripts
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Answer with the recordings in this directory, and never ask a provider
    #[arg(long, value_name = "DIR", conflicts_with = "script")]
    pub(crate) replay: Option<PathBuf>,
    /// Ask the provider at `--upstream`, and record its answers in this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["script", "replay"], requires = "upstream")]
    pub(crate) record: Option<PathBuf>,
    /// Record the provider at this URL. Its path, if it has one, replaces the part before `/chat/completions`, `/responses` or
    /// `/messages` in the path of each request
    #[arg(long, value_name = "URL", requires = "record")]
    pub(crate) upstream: Option<String>,
    /// Warn, rather than fail, if the command does not ask for all recorded calls
    #[arg(long, requires = "replay")]
    pub(crate) models_loose: bool,
}

impl ModelAnswerOptions {
    /// Whether the provider is asked.
    pub(crate) fn asks_provider(&self) -> bool {
        self.record.is_some()
    }

    /// Reads the script or the recordings, and opens the lanes of them. `command` is what runs.
    pub(crate) fn open_lanes(
        &self,
        command: &[String],
        context: &Context,
    ) -> Result<ModelLanes, Failed> {
        if let Some(script) = &self.script {
            return lanes_of_script(script, context);
        }
        let mut folder = self.folder(command, context)?;
        let mut recordings = Vec::new();
        if folder.usage == RecordingUse::Replay {
            recordings = folder
                .read(&context.files)
                .map_err(|problem| refused(&problem))?;
        } else {
            let upstream = self.upstream.as_deref().unwrap_or_default();
            let upstream = Upstream::new(upstream).map_err(|reason| {
                Failed::usage(format!("`--upstream` cannot be used: {reason}"))
                    .help("write the address of the provider: https://HOST or https://HOST/PATH")
            })?;
            // The keys of the command go to this place, so that it is named before anything is sent.
            say(&format!("recording from {}", upstream.origin()));
            folder.upstreams = Upstreams::one(upstream);
        }
        with_recordings(&folder, recordings)
    }

    /// The directory of the recordings.
    fn folder(&self, command: &[String], context: &Context) -> Result<RecordingFolder, Failed> {
        let mut usage = RecordingUse::Replay;
        let mut named = self.replay.as_ref();
        if let Some(folder) = &self.record {
            usage = RecordingUse::Record;
            named = Some(folder);
        }
        let Some(folder) = named else {
            return Err(Failed::usage("`--upstream` needs `--record`"));
        };
        let (path, shown) = named_path(folder, context);
        let mut secrets = Vec::new();
        for name in PROVIDER_KEYS {
            secrets.extend(context.variable(name).map(str::to_owned));
        }
        Ok(RecordingFolder {
            again: self.again(&shown, command),
            folder: path,
            shown,
            usage,
            is_loose: self.models_loose,
            upstreams: Upstreams::default(),
            clock: Arc::clone(&context.clock),
            secrets,
        })
    }

    /// The command that records again.
    fn again(&self, shown: &str, command: &[String]) -> String {
        let folder = escape::shell_word(shown);
        let upstream = self.upstream.as_deref().unwrap_or("URL");
        let mut again = format!("ananke model --record {folder} --upstream {upstream}");
        if !command.is_empty() {
            again.push_str(" --");
        }
        for word in command {
            again.push(' ');
            again.push_str(&escape::shell_word(word));
        }
        again
    }
}

/// The lanes of a script file.
fn lanes_of_script(script: &Path, context: &Context) -> Result<ModelLanes, Failed> {
    let (path, shown) = named_path(script, context);
    let problems = |problems| Failed::Problems(problems, Redactor::default());
    let source =
        source::read(&context.files, &path, &shown).map_err(|problem| problems(vec![problem]))?;
    let scope = Scope::new(Arc::clone(&context.environment)).at_home(context.home.clone());
    let scripts = match FileScripts::read(&source, &scope).map_err(problems)? {
        FileScripts::One(script) => vec![(ModelLanes::DEFAULT.to_owned(), *script)],
        FileScripts::Lanes(scripts) => scripts,
    };
    let lanes = ModelLanes::default();
    for (name, script) in scripts {
        open(&lanes, &name, script)?;
    }
    Ok(lanes)
}

/// The lanes with these recordings. Further lanes open when a request names them, and have none.
fn with_recordings(
    folder: &RecordingFolder,
    recordings: Vec<ModelRecording>,
) -> Result<ModelLanes, Failed> {
    let of_others = folder.clone();
    let lanes = ModelLanes::on_demand(Box::new(move |lane| of_others.source(lane, None)));
    for recording in recordings {
        let lane = recording.lane.clone();
        // A copy of a file would hide the other one.
        if lanes.get(&lane).is_some() {
            let lane = escape::line(&lane);
            let message = format!(
                "two recordings in `{}` are of the lane `{lane}`",
                folder.shown
            );
            return Err(Failed::new(message).help("remove one of them"));
        }
        open(&lanes, &lane, folder.source(&lane, Some(recording)))?;
    }
    Ok(lanes)
}

fn open(
    lanes: &ModelLanes,
    name: &str,
    source: impl Into<ananke::provider::LaneSource>,
) -> Result<(), Failed> {
    let opened = lanes.open(name, MODEL, source);
    opened.map_err(|error| Failed::new(format!("a pattern cannot be used: {error}")))?;
    Ok(())
}

/// The failure of a problem that was found before anything starts.
fn refused(problem: &ModelProblem) -> Failed {
    let failed = Failed::new(problem.message.clone());
    match &problem.help {
        Some(help) => failed.help(help),
        None => failed,
    }
}
