//! The checks of a config, before anything runs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::loaded::{
    FilledTarget, needs_of_rules, needs_of_test, secrets_of_programs, unmet, unseen_models,
};
use crate::project::{Config, LaunchContext, ReadConfig, ResolvedTarget, ServerCommand, Variables};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::model::ReportFormat;
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_provider::ModelSetup;
use ananke_rules::Block;
use ananke_trace::outcome::Level;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::Prices;

/// The parts of a config that a run needs in addition to its targets.
#[derive(Default)]
pub(crate) struct CheckedConfig {
    /// The reports that every run writes.
    pub(crate) reports: Vec<(PathBuf, ReportFormat)>,
    /// The servers that run while the tests run.
    pub(crate) servers: Vec<ServerCommand>,
    /// The models that run while the tests run.
    pub(crate) models: Vec<ModelSetup>,
    /// The prices of models.
    pub(crate) prices: Option<Arc<Prices>>,
}

/// Checks every leaf that does not depend on a test; for an invalid config, only what is independent of the invalid parts.
pub(crate) fn check_config(
    reading: &ReadConfig,
    context: &Context,
    variables: &Variables,
    scope_of: impl Fn(&ResolvedTarget) -> Option<Scope>,
    mode: Mode,
    redactor: &Redactor,
    problems: &mut Vec<Diagnostic>,
) -> CheckedConfig {
    let config = reading.config();
    let mut found = Vec::new();
    for target in &config.targets {
        if let Some(scope) = scope_of(target) {
            check_target(config, target, context, &scope, mode, redactor, &mut found);
            continue;
        }
        // Nothing of it is in use: what is missing today may be there when it is.
        let mut of_it = Vec::new();
        let scope = Scope::default().open();
        check_target(
            config,
            target,
            context,
            &scope,
            Mode::Check,
            redactor,
            &mut of_it,
        );
        of_it.retain(|problem| {
            !matches!(
                problem.code,
                Code::UndefinedVariable | Code::EmptyVariable | Code::Since14
            )
        });
        found.extend(of_it);
    }
    check_library(config, context, &mut found);
    let surroundings = LaunchContext {
        context,
        home: &config.folder,
        scope: &Scope::default(),
    };
    config
        .scripts(&context.files)
        .check_programs(surroundings, &mut found);
    config.check_hooks(context, variables, &mut found);
    let reports = config.reports(context, variables, &mut found);
    let servers = config.servers(context, variables, mode, redactor, &mut found);
    let models = config.models(context, variables, mode, &mut found);
    let prices = config.prices(context, variables, &mut found);
    redactor.add(secrets_of_programs(config, &variables.scope(context)));
    reading.report(found, problems);
    CheckedConfig {
        reports,
        servers,
        models,
        prices,
    }
}

/// Checks the named assertions, also those that no block extends, and the tools that ask the user.
fn check_library(config: &Config, context: &Context, problems: &mut Vec<Diagnostic>) {
    config.named_assertions().check(problems);
    let scope = Scope::default().open();
    let mut interpolation = Interpolation::new(&scope, &config.source, Mode::Check, problems);
    let _ = config.confirmation_tools(&mut interpolation);
    let mut blocks = Vec::new();
    for (_, block) in config.model.assertions.iter().flatten() {
        // What is extended is looked at on its own.
        blocks.push(Block::compile(
            [block],
            Level::Test,
            None,
            &mut interpolation,
        ));
    }
    for block in &blocks {
        config
            .scripts(&context.files)
            .check_block(block, &config.source, problems);
        config.check_judges(block, &config.source, problems);
    }
}

/// Checks one target.
fn check_target(
    config: &Config,
    target: &ResolvedTarget,
    context: &Context,
    scope: &Scope,
    mode: Mode,
    redactor: &Redactor,
    problems: &mut Vec<Diagnostic>,
) {
    let mut interpolation = Interpolation::new(scope, &config.source, mode, problems);
    let filled = FilledTarget::of(config, target, context, &mut interpolation);
    if let Some(program) = filled.agent.as_ref().and_then(|agent| agent.program()) {
        let folder = program.folder(context);
        context.files.note_command(&program.command.argv, &folder);
    }
    let block = target.block(config.named_assertions(), &mut interpolation);
    let common = &target.model.common;
    for text in [&common.description, &common.thread_id]
        .into_iter()
        .flatten()
    {
        let _ = interpolation.text(text);
    }
    redactor.add(interpolation.into_secrets());
    config
        .scripts(&context.files)
        .check_block(&block, &config.source, problems);
    config.check_judges(&block, &config.source, problems);
    let tools = common.client_tools.as_ref();
    config.check_tool_servers(tools, &config.source, problems);
    let mut needs = needs_of_test(&[], &[], tools, &config.source);
    needs.extend(needs_of_rules(&block));
    if config.model.models.is_none() {
        problems.extend(unseen_models(&block));
    }
    problems.extend(unmet(&needs, &target.model));
}
