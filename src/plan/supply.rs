//! What the config and the command line say about variables, and the scopes in which the leaves of a test are filled.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::context::Context;
use crate::variables::Scope;

/// Why a name is missing where hooks were left out.
const WITHOUT_HOOKS: &str =
    "hooks are not run (`--no-hooks`): give what they would give with `--var NAME=VALUE`";

/// What the config and the command line say about variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supply {
    /// What the config gives: anything else wins over it.
    pub vars: BTreeMap<String, Value>,
    /// `--var`: win over what hooks give.
    pub given: BTreeMap<String, String>,
    /// Whether hooks are left out.
    pub without_hooks: bool,
}

impl Supply {
    /// Whether a variable of this name has a value before anything runs.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.given.contains_key(name) || self.vars.contains_key(name)
    }

    /// What is known before anything runs: the environment, and what the config and the command line give.
    pub(super) fn scope(&self, context: &Context) -> Scope {
        let mut scope = Scope::new(Arc::clone(&context.environment));
        for (name, value) in &self.vars {
            scope.set(name, value.clone());
        }
        for (name, value) in &self.given {
            scope.set(name, value.clone());
        }
        if self.without_hooks { scope.hint(WITHOUT_HOOKS) } else { scope }
    }

    /// The same for the config, where every test's own variables stand as well.
    pub(super) fn config_scope(&self, context: &Context) -> Scope {
        let mut scope = self.scope(context);
        for name in ["THREAD_ID", "TEST_NAME", "TEST_FILE"] {
            scope.expect(name);
        }
        scope
    }
}
