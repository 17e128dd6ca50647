//! The variables that the config and the command line give to every test.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::config_file::ConfigFile;
use super::model_addresses::{MODEL, ServedAddresses, unserved_models};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::printable;
use ananke_model::variables::{Interpolation, MOST_INSERTED, Mode, Origins, Scope, name_problem};

/// The reason that a name may be missing in the `vars` of the config.
const HINT: &str = "a variable of the config sees the environment and those written before it";

/// The reason that a name is missing that `setup` may give.
const BEFORE_SETUP: &str =
    "what the config's `setup` gives is known when the run starts, and this before";

/// The reason that a name is missing if hooks are skipped.
const WITHOUT_HOOKS: &str =
    "hooks are not run (`--no-hooks`): give what they would give with `--var NAME=VALUE`";

/// The variables that the config and the command line give to every test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// The `vars` of the config: anything else wins over them.
    pub vars: BTreeMap<String, Value>,
    /// `--var`: win over what hooks give.
    pub given: BTreeMap<String, String>,
    /// The origins of the `vars`.
    pub origins: Origins,
    /// The variables that the config's `setup` gave: they win over its `vars`, and the test's own win over them.
    pub setup: Map<String, Value>,
    /// Whether the config's `setup` will run, and may give any name a value.
    pub awaits_setup: bool,
    /// Whether hooks are skipped.
    pub without_hooks: bool,
    /// Whether nothing is sent or started, so that nothing needs a value: not in `ananke check`, which says what would.
    pub is_offline: bool,
}

impl Variables {
    /// These with the `vars` of a config, each of which sees those before it; what is wrong with them goes to `problems`.
    pub(super) fn with_config(
        &self,
        ConfigFile {
            vars,
            setup,
            models,
            ..
        }: &ConfigFile,
        source: &Arc<SourceFile>,
        context: &Context,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let has_setup = setup.as_ref().is_some_and(|setup| !setup.is_empty());
        let mut variables = self.clone();
        // The addresses come first, because a variable of the same name that the config has takes precedence.
        if let Some(models) = models {
            let addresses = unserved_models(models);
            variables.vars.insert(MODEL.to_owned(), addresses);
        }
        let mut scope = variables.scope(context).hint(HINT);
        let mut room = Some(MOST_INSERTED);
        for (name, written) in vars.iter().flatten() {
            let mut interpolation =
                Interpolation::new(&scope, source, Mode::Send, problems).with_room(room);
            if let Some((what, help)) = name_problem(name) {
                let message = format!("`{}` {what}", printable(name));
                interpolation.report(Code::BadValue, name.span, message, Some(help.to_owned()));
                continue;
            }
            let (value, used) = interpolation.json_with_origins(written);
            room = interpolation.room();
            let Ok(value) = value else { continue };
            if !self.given.contains_key(&name.value) {
                scope.set_made_of(name, value.clone(), used);
            }
            variables.vars.insert(name.value.clone(), value);
        }
        let awaits_setup = has_setup && !self.without_hooks;
        Self {
            origins: scope.origins().clone(),
            awaits_setup,
            ..variables
        }
    }

    /// Replaces the addresses of models by those at which they are served.
    pub(crate) fn set_addresses(&mut self, served: &ServedAddresses) {
        for value in self.vars.values_mut() {
            served.put_into_value(value);
        }
    }

    /// Whether a variable of this name has a value before anything runs.
    pub(crate) fn gives(&self, name: &str) -> bool {
        self.given.contains_key(name)
            || self.setup.contains_key(name)
            || self.vars.contains_key(name)
    }

    /// The scope before anything runs: the environment, and the variables of the config and the command line.
    pub fn scope(&self, context: &Context) -> Scope {
        let mut scope = Scope::new(Arc::clone(&context.environment)).at_home(context.home.clone());
        for (name, value) in &self.vars {
            scope.set(name, value.clone());
        }
        let mut scope = scope.made_of(self.origins.clone());
        for (name, value) in &self.setup {
            scope.set(name, value.clone());
        }
        for (name, value) in &self.given {
            scope.set(name, value.clone());
        }
        if self.is_offline {
            scope = scope.allowing_empty();
        }
        if self.without_hooks {
            scope.hint(WITHOUT_HOOKS)
        } else {
            scope
        }
    }

    /// The same for hooks: those that are skipped need nothing.
    pub(crate) fn for_hooks(&self, scope: Scope) -> Scope {
        if self.without_hooks {
            scope.allowing_empty()
        } else {
            scope
        }
    }

    /// The same for the config, where every test's own variables stand as well.
    pub(crate) fn config_scope(&self, context: &Context) -> Scope {
        let mut scope = self.scope(context);
        for name in ["THREAD_ID", "TEST_NAME", "TEST_FILE"] {
            scope.expect(name);
        }
        self.after_setup(scope)
    }

    /// The scope once the config's `setup` has run: any name may have a value then.
    pub(crate) fn after_setup(&self, scope: Scope) -> Scope {
        if self.awaits_setup {
            scope.open()
        } else {
            scope
        }
    }

    /// The scope before it.
    pub(crate) fn before_setup(&self, scope: Scope) -> Scope {
        if self.awaits_setup {
            scope.closed().hint(BEFORE_SETUP)
        } else {
            scope
        }
    }
}
