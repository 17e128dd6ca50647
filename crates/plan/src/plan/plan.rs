//! The tests of one project that run, and what they run with.

use std::path::PathBuf;
use std::sync::Arc;

use crate::loaded::{CaseEntry, KeptFiles, LoadedFile};
use crate::project::{Config, ServedAddresses, ServerCommand, Variables};
use ananke_base::context::{Context, Environment};
use ananke_base::message::RequestContext;
use ananke_model::model::ReportFormat;
use ananke_model::settings::RunSettings;
use ananke_provider::ModelSetup;
use ananke_trace::golden::Golden;
use ananke_trace::outcome;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::Prices;

/// The tests of one project, in the order they run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The project.
    pub config: Arc<Config>,
    /// The selected tests, by path.
    pub cases: Vec<CaseEntry>,
    /// The number of files that were loaded.
    pub files: usize,
    /// Kept snapshots that no rule refers to any more, by path; none where a filter, tag or id chooses among the tests.
    pub obsolete: Vec<Golden>,
    /// The variables of the config and the command line.
    pub variables: Variables,
    /// Expired quarantine entries, which fail the run.
    pub expired: Vec<outcome::Quarantine>,
    /// The tests that failed last time and are in no file of the config any more: they fail the run of those that failed.
    pub gone: Vec<String>,
    /// The warnings about files that loading found and tests repeat.
    pub told: Vec<String>,
    /// The reports that every run writes.
    pub reports: Vec<(PathBuf, ReportFormat)>,
    /// The servers that run while the tests run, in their order; to be started only if something is sent to them.
    pub servers: Vec<ServerCommand>,
    /// The models that run while the tests run, in their order; to be served before the servers start.
    pub models: Vec<ModelSetup>,
    /// The prices of models; `None` if the config has none.
    pub prices: Option<Arc<Prices>>,
    /// The settings with which tests run.
    pub settings: RunSettings,
    /// The context that the agent gets with every request, over that of the tests.
    pub request_context: RequestContext,
    /// The environment variables, together with those of files.
    pub environment: Arc<Environment>,
    /// Masks what is secret in every test; what is secret in one test is in its [`TestEntry`](crate::loaded::TestEntry).
    pub redactor: Redactor,
    /// Files that were read and need not be read again.
    pub(crate) kept: Arc<KeptFiles>,
}

impl Plan {
    /// The same plan with one of its tests, which runs again and again: its file is read now, for all runs. If it cannot be
    /// read, each run says why.
    #[must_use]
    pub fn of_one(&self, context: &Context, case: &CaseEntry) -> Self {
        let file = LoadedFile::of_case(context, case).ok();
        let kept = file.map_or_else(
            || KeptFiles::new(0),
            |file| KeptFiles::for_runs_of(&case.test.path, file),
        );
        Self {
            cases: vec![case.clone()],
            kept: Arc::new(kept),
            ..self.clone()
        }
    }

    /// Sets environment variables of every program and of `${ENV.NAME}` that are known when the run starts; `None` removes one.
    pub fn add_variables(&mut self, variables: &[(String, Option<String>)]) {
        let environment = Arc::make_mut(&mut self.environment);
        for (name, value) in variables {
            match value {
                Some(value) => environment.set(name, value),
                None => environment.remove(name),
            }
        }
        for server in &mut self.servers {
            server.add_variables(variables);
        }
    }

    /// Sets the addresses at which the models are served, in their order: `${MODEL.NAME.URL}`.
    pub fn set_model_urls(&mut self, urls: &[&str]) {
        let served = ServedAddresses::new(urls);
        self.variables.set_addresses(&served);
        for server in &mut self.servers {
            server.set_addresses(&served);
        }
    }

    /// Hands over the file of a planned case, once, if it was kept since the plan read it.
    pub fn take_file(&self, case: &CaseEntry) -> Option<Arc<LoadedFile>> {
        self.kept.take(&case.test.path)
    }
}
