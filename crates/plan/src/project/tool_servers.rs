//! The servers whose tools are declared to a model: targets of the config.

use std::sync::Arc;

use super::config::Config;
use ananke_agents::types_with_tool_turns;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::printable;
use ananke_base::text::any_of;
use ananke_model::model::ClientTool;

impl Config {
    /// Reports the names of servers in `tools`, which are of the file `source`, that are no targets, or targets whose tools no
    /// client can list and call.
    pub(crate) fn check_tool_servers(
        &self,
        tools: Option<&Vec<ClientTool>>,
        source: &Arc<SourceFile>,
        problems: &mut Vec<Diagnostic>,
    ) {
        for from in tools
            .into_iter()
            .flatten()
            .filter_map(|tool| tool.from.as_ref())
        {
            // A name with a variable is reported where it is filled.
            if from.value.contains("${") {
                continue;
            }
            let target = match self.agent_named(&from.value) {
                Ok(target) => target,
                Err(problem) => {
                    problems.extend(problem.map(|problem| problem.at(source, from.span, "")));
                    continue;
                }
            };
            if target.model.tool_turns().is_none() {
                let message = format!(
                    "the target `{}` of the type `{}` does not list its tools",
                    printable(&from.value),
                    target.model.protocol
                );
                let types: Vec<String> = types_with_tool_turns()
                    .map(|name| format!("`{name}`"))
                    .collect();
                let help = format!("name a target of the type {}", any_of(&types));
                let problem = Diagnostic::error(Code::Contradiction, message);
                problems.push(problem.at(source, from.span, "").help(help));
            }
        }
    }
}
