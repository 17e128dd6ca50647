//! Reads a project config: whole, or what can be made out of one that does not fit its schema.

use std::path::Path;

use super::agent_choice::AgentChoice;
use super::config::Config;
use super::config_file::ConfigFile;
use super::redactions::Redactions;
use super::targets;
use super::variables::Variables;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::Diagnostic;
use ananke_base::source;
use ananke_model::model::SimulatorName;
use ananke_model::schema::{self, FileKind, Recovered};
use ananke_model::settings::GivenSettings;
use ananke_model::variables::Scope;
use ananke_trace::redact::Redactor;

/// A config as read: whole, or what of it could be made out where it does not fit.
pub(crate) struct ReadConfig {
    config: Config,
    recovered: Option<Recovered<ConfigFile>>,
}

impl ReadConfig {
    /// Reads a config; every problem with its shape goes to `problems`.
    pub(crate) fn of(
        context: &Context,
        path: &Path,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let source = source::read(&context.files, path, &display_name(context, path))
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let folder = path
            .parent()
            .unwrap_or(&context.working_directory)
            .to_path_buf();
        match schema::load::<ConfigFile>(FileKind::Config, &source, None) {
            Ok(loaded) => {
                let has_environment = |name: &str| context.environment.contains(name);
                problems.extend(schema::oddities(&source, &loaded.node, &has_environment));
                let model = loaded.value;
                let targets = targets::resolve(&source, &model, problems);
                Some(Self {
                    config: Config {
                        version: loaded.version,
                        ..Config::new(source, model, folder, targets)
                    },
                    recovered: None,
                })
            }
            Err(mut broken) => {
                let recovered = schema::recover::<ConfigFile>(FileKind::Config, &source);
                if let (Some(recovered), Some(root)) = (&recovered, source::tree(&source).0) {
                    targets::suggest_own_keys(&source, &root, &recovered.value, &mut broken);
                }
                problems.extend(broken);
                let recovered = recovered?;
                let model = recovered.value.clone();
                let targets = targets::own(&model).into_iter().collect();
                let config = Config::new(source, model, folder, targets);
                Some(Self {
                    config,
                    recovered: Some(recovered),
                })
            }
        }
    }

    /// Chooses the target under test of tests at `path`: the one that the command line means, else the config's own.
    pub(crate) fn choose(
        &mut self,
        context: &Context,
        variables: &Variables,
        choice: &AgentChoice,
        path: Option<&Path>,
        problems: &mut Vec<Diagnostic>,
    ) {
        if self.recovered.is_none() {
            self.config.default = self
                .config
                .chosen(context, variables, choice, path, problems);
        }
    }

    /// Lets `name`, which the command line has, play the user of simulated conversations that do not say who does.
    pub(crate) fn choose_simulator(
        &mut self,
        context: &Context,
        name: Option<&str>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(name) = name.filter(|_| self.recovered.is_none()) else {
            return;
        };
        let found = match SimulatorName::parse(name) {
            SimulatorName::Agent(name) => self.config.agent_named(name).map(|_| ()),
            SimulatorName::Script(name) => self
                .config
                .scripts(&context.files)
                .check(name)
                .map_err(Some),
        };
        problems.extend(found.err().flatten().map(|problem| Diagnostic {
            message: format!("`--simulator`: {}", problem.message),
            ..problem
        }));
        self.config.simulator = Some(name.to_owned());
    }

    /// Finds out what is secret, and lets `redactor` know it: a config that does not fit may be quoted as well.
    pub(crate) fn redact(
        &mut self,
        scope: &Scope,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut found = Vec::new();
        self.config.redactions = Redactions::of(
            self.config.model.redact.as_ref(),
            &self.config.source,
            scope,
            &mut found,
        );
        self.config.redactions.teach(scope, redactor);
        self.report(found, problems);
    }

    /// The variables of the config under those `given` on the command line.
    pub(crate) fn variables(
        &self,
        context: &Context,
        given: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> Variables {
        let mut found = Vec::new();
        let Config { source, model, .. } = &self.config;
        let variables = given.with_config(model, source, context, &mut found);
        self.report(found, problems);
        variables
    }

    /// The settings with which tests run, as the config gives them.
    pub(crate) fn run_settings(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> GivenSettings {
        let mut found = Vec::new();
        let settings = self.config.run_settings(context, variables, &mut found);
        self.report(found, problems);
        settings
    }

    /// Reports `found`; for an invalid config, only problems independent of the invalid parts.
    pub(crate) fn report(&self, mut found: Vec<Diagnostic>, problems: &mut Vec<Diagnostic>) {
        if let Some(recovered) = &self.recovered {
            found.retain(|problem| recovered.is_of_the_file(problem));
        }
        problems.extend(found);
    }

    /// The config, made up in part where it does not fit.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The config, where it fits.
    pub(crate) fn whole(&self) -> Option<&Config> {
        self.recovered.is_none().then_some(&self.config)
    }

    /// The config, where it fits.
    pub(crate) fn into_whole(self) -> Option<Config> {
        self.recovered.is_none().then_some(self.config)
    }
}
