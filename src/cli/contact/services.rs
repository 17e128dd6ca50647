//! The services that run in addition to the tests: the servers of the config, started if something is sent to them, and its
//! `setup` and `teardown`. Their results are reported.

use std::sync::Arc;
use std::time::Duration;

use ananke::context::Context;
use ananke::diagnostic::{Code, Diagnostic, Severity};
use ananke::http_server::ServerNotice;
use ananke::plan::{CaseEntry, Plan};
use ananke::project::{ServerCommand, Variables};
use ananke::provider::{
    HostedModels, ModelListener, ModelProblem, ModelRequestEntry, PROVIDER_KEYS, RunRecordings,
    Upstream,
};
use ananke::recording::{RecordingMode, Recordings};
use ananke::run::{ProjectHooks, SetupError, SetupStep};
use ananke::server::{ServerStartError, ServerWatch, Servers};
use ananke::text::{duration, grouped};
use tokio_util::sync::CancellationToken;

use crate::cli::output::{OutputThread, Screen};

/// The directory of recordings next to a config.
const RECORDINGS: &str = "recordings";

/// The time that turns have to wait for others before it is said.
const NOTED_WAIT: Duration = Duration::from_secs(1);

/// The directory of those of models in it.
const OF_MODELS: &str = "models";

/// The servers that were started, and what cleans up after `setup`; nothing if nothing is sent.
#[derive(Default)]
pub(crate) struct Services {
    models: HostedModels,
    servers: Servers,
    hooks: Option<ProjectHooks>,
}

impl Services {
    /// Starts the servers of `plan` and runs `setup`, whose variables it knows from then on; if one failed, which is
    /// printed, why no test can start. Then nothing is left running.
    pub(crate) async fn start(
        plan: &mut Plan,
        context: &Context,
        cancel: &CancellationToken,
        screen: Screen<'_>,
    ) -> Result<Self, String> {
        // Programs get the addresses of the models when they start, so that the models come first.
        let models = start_models(plan, context, screen).await?;
        let context = &Context {
            environment: Arc::clone(&plan.environment),
            ..context.clone()
        };
        let servers = start(&std::mem::take(&mut plan.servers), cancel, screen).await?;
        let mut hooks = ProjectHooks::new(plan, context);
        let variables = set_up(&mut hooks, cancel, screen).await;
        let services = Self {
            models,
            servers,
            hooks: Some(hooks),
        };
        match variables {
            Ok(variables) => plan.variables = variables,
            Err(why) => {
                services.stop(screen).await;
                return Err(why);
            }
        }
        Ok(services)
    }

    /// Notices when a server ends.
    pub(crate) fn watch(&self) -> ServerWatch {
        self.servers.watch()
    }

    /// The models that were started.
    pub(crate) fn models(&self) -> &HostedModels {
        &self.models
    }

    /// Runs `teardown` and ends the servers; `false` if a command could not be started.
    pub(crate) async fn stop(self, screen: Screen<'_>) -> bool {
        note_waits(&self.models, screen);
        let is_torn_down = match &self.hooks {
            Some(hooks) => tear_down(hooks, screen).await,
            None => true,
        };
        self.servers.stop().await;
        is_torn_down
    }
}

/// Says which turns have waited for those of other tests, if that made the run longer.
fn note_waits(models: &HostedModels, screen: Screen<'_>) {
    for model in models.models() {
        let waits = model.lanes.waits();
        if waits.time < NOTED_WAIT {
            continue;
        }
        let name = &model.setup.name;
        let turns = match waits.turns {
            1 => "1 turn has".to_owned(),
            turns => format!("{} turns have", grouped(turns)),
        };
        let time = duration::rounded(u64::try_from(waits.time.as_micros()).unwrap_or(u64::MAX));
        let (waiting, other) = waits.last;
        screen.note(&format!(
            "{turns} waited for other tests of the model `{name}`, {time} in all, such as `{waiting}` for `{other}`: what their users say \
             is the same, or part of it"
        ));
    }
}

/// Whether a test of `plan` talks to an agent, and so needs the servers and the `setup` of the config.
pub(crate) fn is_live(plan: &Plan, recordings: Option<&Recordings>) -> bool {
    let is_live = |case: &CaseEntry| match recordings {
        None => true,
        Some(recordings) => match recordings.mode {
            RecordingMode::Record => true,
            RecordingMode::Replay => false,
            RecordingMode::RecordMissing => !recordings.has(&case.id()),
        },
    };
    plan.cases
        .iter()
        .filter(|case| case.test.skip.is_none())
        .any(is_live)
}

/// Serves the models of `plan`, whose addresses are in its environment from then on; if one cannot be served, which is printed,
/// why no test can start.
async fn start_models(
    plan: &mut Plan,
    context: &Context,
    screen: Screen<'_>,
) -> Result<HostedModels, String> {
    if plan.models.is_empty() {
        return Ok(HostedModels::default());
    }
    let listener: Arc<dyn ModelListener> =
        Arc::new(UnattributedRequests(screen.outputs.stderr.clone()));
    let notes = screen.outputs.stderr.clone();
    let notice: ServerNotice = Arc::new(move |line| notes.note(line));
    name_providers(plan, context, screen)?;
    let recordings = Arc::new(recordings_of(plan, context));
    let hosted = match HostedModels::start(&plan.models, &recordings, &listener, &notice).await {
        Ok(hosted) => hosted,
        Err(why) => {
            let problem = Diagnostic::error(Code::Server, why.clone());
            let help = "choose another port, or leave `port` out for one that is free";
            screen.print_problem(problem.help(help), "");
            return Err(why);
        }
    };
    for model in hosted.models() {
        if !model.setup.listen.is_loopback() {
            screen.note(&format!(
                "other machines can reach the model `{}`: it listens at {}",
                model.setup.name, model.setup.listen
            ));
        }
    }
    let no_proxy = plan.environment.text("NO_PROXY").map(str::to_owned);
    let variables = hosted.variables(no_proxy.as_deref());
    plan.add_variables(&variables);
    let mut urls = Vec::new();
    for model in hosted.models() {
        urls.push(model.url.as_str());
    }
    plan.set_model_urls(&urls);
    Ok(hosted)
}

/// Prints the addresses of the providers that may be asked; if one cannot be asked, which is printed, why no test can start. A run in CI
/// asks them only if its command line says so.
fn name_providers(plan: &Plan, context: &Context, screen: Screen<'_>) -> Result<(), String> {
    for model in &plan.models {
        let name = &model.name;
        if !model.is_live() {
            continue;
        }
        let is_ci = context.variable("CI").is_some_and(|ci| !ci.is_empty());
        // A build must not cost money because of a line in a config.
        if is_ci && model.asked_for.is_none() {
            let why = format!("the model `{name}` would ask its provider, and `CI` is set");
            let problem = Diagnostic::error(Code::BadValue, why.clone());
            screen.print_problem(
                problem.help("use `--models replay`, or say `--models record`"),
                "",
            );
            return Err(why);
        }
        for (provider, url) in &model.upstreams {
            let upstream = match Upstream::new(url) {
                Ok(upstream) => upstream,
                Err(reason) => {
                    let why = format!("the model `{name}` cannot ask its `upstream`: {reason}");
                    let help = format!("write `{provider}: https://HOST/PATH`");
                    let problem = Diagnostic::error(Code::BadValue, why.clone());
                    screen.print_problem(problem.help(help), "");
                    return Err(why);
                }
            };
            let origin = upstream.origin();
            screen.note(&format!("the model `{name}` asks {origin}"));
        }
    }
    Ok(())
}

/// The recordings of the models, next to the config.
pub(crate) fn recordings_of(plan: &Plan, context: &Context) -> RunRecordings {
    let config = &plan.config.source.path;
    let mut secrets = Vec::new();
    for name in PROVIDER_KEYS {
        secrets.extend(plan.environment.text(name).map(str::to_owned));
    }
    RunRecordings {
        folder: config.with_file_name(RECORDINGS).join(OF_MODELS),
        shown: format!("{RECORDINGS}/{OF_MODELS}"),
        files: context.files.clone(),
        clock: Arc::clone(&context.clock),
        secrets,
    }
}

/// Prints problems of requests that came while no test was open.
struct UnattributedRequests(OutputThread);

impl ModelListener for UnattributedRequests {
    fn request(&self, _: &ModelRequestEntry) {}

    fn unattributed(&self, problem: &ModelProblem) {
        self.0.note(&format!("warning: {}", problem.message));
    }
}

/// Starts the servers, which the live area shows; if one failed, which is printed, why no test can start. A run
/// that is stopped meanwhile has none.
pub(crate) async fn start(
    needed: &[ServerCommand],
    cancel: &CancellationToken,
    screen: Screen<'_>,
) -> Result<Servers, String> {
    let started = Servers::start(needed, cancel, |what| screen.wait_for(Some(what))).await;
    screen.wait_for(None);
    let error = match started {
        Ok(servers) => {
            servers.notes().iter().for_each(|note| screen.note(note));
            return Ok(servers);
        }
        Err(ServerStartError::Stopped) => return Ok(Servers::default()),
        Err(ServerStartError::Broken(error)) => error,
    };
    let why = error.problem.message.clone();
    screen.print_problem(error.problem, &error.printed);
    Err(why)
}

/// Runs `setup`, which the live area shows; if no test can start, which is printed, why.
pub(crate) async fn set_up(
    hooks: &mut ProjectHooks,
    cancel: &CancellationToken,
    screen: Screen<'_>,
) -> Result<Variables, String> {
    let show = |step: SetupStep<'_>| match step {
        SetupStep::Started(name) => screen.wait_for(Some(name)),
        SetupStep::Warning(warning) => screen.note(warning),
    };
    let is_set_up = hooks.set_up(cancel, &show).await;
    screen.wait_for(None);
    match is_set_up {
        Ok(variables) => Ok(variables),
        Err(SetupError::Stopped) => Err("the run was interrupted".to_owned()),
        Err(SetupError::Failed(problems)) => {
            screen.print_problems(&problems);
            let first = problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error)
                .find_map(|problem| problem.message.lines().next());
            Err(first.unwrap_or("`setup` failed").to_owned())
        }
    }
}

/// Runs `teardown`; `false` if a command could not be started.
pub(crate) async fn tear_down(hooks: &ProjectHooks, screen: Screen<'_>) -> bool {
    let problems = hooks.tear_down().await;
    screen.print_problems(&problems);
    !problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
}
