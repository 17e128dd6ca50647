//! The needs of a test, and the problems if the target cannot satisfy them.

use std::sync::Arc;

use ananke_agents::{Capabilities, Capability, TargetConfig};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_model::model::{ClientTool, MessageDefinition, Turn};
use ananke_rules::Block;

/// Something that a test needs of its target, and the place of the key that needs it.
pub(super) type Need = (Capability, Span, Arc<SourceFile>);

/// The needs of `turns`, `messages` and `tools` of one file.
pub(super) fn needs_of_test(
    turns: &[Spanned<Turn>],
    messages: &[Spanned<MessageDefinition>],
    tools: Option<&Vec<ClientTool>>,
    source: &Arc<SourceFile>,
) -> Vec<Need> {
    let of_turn = |turn: &Spanned<Turn>| {
        let capability = match turn.value {
            Turn::User(_) => Capability::UserTurns,
            Turn::Connect(_) => Capability::Connect,
            Turn::Resume(_) => Capability::Interrupts,
            Turn::CallTool(_) | Turn::ListTools(_) | Turn::ReadResource(_) | Turn::GetPrompt(_) => {
                Capability::OpenTools
            }
            Turn::Parts(_) => Capability::MessageParts,
            Turn::Continue => Capability::History,
        };
        (capability, turn.span)
    };
    let of_message = |message: &Spanned<MessageDefinition>| (Capability::History, message.span);
    let of_tool = |tool: &ClientTool| (Capability::ClientTools, tool.name.span);
    let needs = turns
        .iter()
        .map(of_turn)
        .chain(messages.first().map(of_message));
    let needs = needs.chain(tools.into_iter().flatten().map(of_tool));
    needs
        .map(|(capability, span)| (capability, span, Arc::clone(source)))
        .collect()
}

/// The needs of the rules of one level.
pub(super) fn needs_of_rules(block: &Block) -> Vec<Need> {
    let of_path = |path: &str| match path.split('.').next() {
        Some("tools") => Some(Capability::ToolCalls),
        Some("usage") => Some(Capability::Usage),
        Some("state") => Some(Capability::State),
        _ => None,
    };
    let rules = block.entries.iter().filter_map(|entry| {
        if entry.looks_at_declared_tools() {
            return Some((Capability::ToolSchemas, &entry.origin));
        }
        let of_calls = entry.is_about_tools().then_some(Capability::ToolCalls);
        Some((of_calls.or_else(|| of_path(entry.path))?, &entry.origin))
    });
    let limits = block.limits.iter().filter_map(|(measure, setting)| {
        let is_in_force = !matches!(setting, ananke_rules::Setting::Off(_));
        is_in_force.then_some((of_path(measure.path())?, setting.origin()))
    });
    let needs = rules.chain(limits);
    needs
        .map(|(capability, origin)| (capability, origin.span, Arc::clone(&origin.source)))
        .collect()
}

/// The problems of `needs` of a test of `target`.
pub(super) fn unmet(needs: Vec<Need>, target: &TargetConfig) -> Vec<Diagnostic> {
    unmet_of(needs, target.capabilities(), target.protocol, |lacking| {
        target.how_to_get(lacking)
    })
}

fn unmet_of(
    needs: Vec<Need>,
    capabilities: Capabilities,
    protocol: &str,
    how_to_get: impl Fn(Capability) -> Option<&'static str>,
) -> Vec<Diagnostic> {
    let unmet = needs
        .into_iter()
        .filter(|(capability, ..)| !capabilities.has(*capability));
    let problem = |(capability, span, source): Need| {
        let message = format!("a target of the type `{protocol}` {}", capability.lack());
        let problem = Diagnostic::error(Code::Contradiction, message).at(&source, span, "");
        match how_to_get(capability).or_else(|| capability.how_to_get()) {
            Some(help) => problem.help(help),
            None => problem,
        }
    };
    unmet.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::source::{from_node, tree};
    use ananke_model::model::{AssertBlock, TAG_DEFAULTS};
    use ananke_model::variables::{Interpolation, Mode, Scope};
    use ananke_trace::outcome::Level;

    const ASSERT: &str = "tools: { forbid: [drop] }\nstate: [{ path: a, equals: 1 }]\nusage: { max_total_tokens: 9 }\n\
                          sequence: { mode: exact, steps: [{ call: pay }] }\ntext: { must_match: x }\n";

    #[test]
    fn what_a_target_cannot_is_wrong_at_the_key_that_needs_it() {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", ASSERT));
        let node = tree(&source).0.expect("a mapping");
        let written: AssertBlock = from_node(&node, TAG_DEFAULTS).expect("an assert block");
        let (scope, mut problems) = (Scope::default(), Vec::new());
        let block = Block::compile(
            [&written],
            Level::Test,
            None,
            &mut Interpolation::new(&scope, &source, Mode::Send, &mut problems),
        );
        assert!(problems.is_empty(), "{problems:?}");
        let unmet = unmet_of(
            needs_of_rules(&block),
            Capabilities::all_but(&[Capability::ToolCalls, Capability::Usage]),
            "plain",
            |_| None,
        );
        let mut words: Vec<String> = unmet.iter().map(ToString::to_string).collect();
        words.sort();
        assert_eq!(
            words,
            [
                "a.yaml:1:19: error[contradiction]: a target of the type `plain` does not show tool calls",
                "a.yaml:3:28: error[contradiction]: a target of the type `plain` does not report tokens",
                "a.yaml:4:11: error[contradiction]: a target of the type `plain` does not show tool calls",
            ]
        );
    }
}
