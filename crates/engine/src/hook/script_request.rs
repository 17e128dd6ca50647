//! A request to a script.

use serde_json::Value;

use super::answer::Expected;
use ananke_rules::ScriptSource;
use ananke_trace::process::Launch;

/// A request to a script: which script, what it gets, and which answer it must give.
#[derive(Clone, Copy, Debug)]
pub struct ScriptRequest<'a> {
    /// The script as messages name it.
    pub program: &'a ScriptSource,
    /// The command that starts it.
    pub launch: &'a Launch,
    /// The JSON that it gets on its stdin.
    pub body: &'a Value,
    /// The form of its answer.
    pub expected: Expected,
}
