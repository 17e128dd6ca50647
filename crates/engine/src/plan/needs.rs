//! The needs of a test, and the problems if the target cannot satisfy them.

use std::sync::Arc;

use ananke_agents::{Capability, TargetConfig, protocol_of_turn};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::message::OwnTurnKind;
use ananke_model::model::{
    ClientTool, ConditionWord, MessageDefinition, SentByTurn, Turn, WrittenCondition,
};
use ananke_rules::{Block, RuleProperties, RuleSubject};

/// Something that a test needs of its target, and the place of the key that needs it.
pub(super) type Need = (Needed, Span, Arc<SourceFile>);

/// Something that a test needs of its target.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needed {
    /// An ability.
    Capability(Capability),
    /// The protocol whose own turn this is.
    Turn(&'static OwnTurnKind),
}

/// The needs of `turns`, `messages` and `tools` of one file.
pub(super) fn needs_of_test(
    turns: &[Spanned<Turn>],
    messages: &[Spanned<MessageDefinition>],
    tools: Option<&Vec<ClientTool>>,
    source: &Arc<SourceFile>,
) -> Vec<Need> {
    let of_turn = |turn: &Spanned<Turn>| {
        let needed = match turn.value.sent {
            SentByTurn::User(_) => Needed::Capability(Capability::UserTurns),
            SentByTurn::Connect => Needed::Capability(Capability::Connect),
            SentByTurn::Resume(_) => Needed::Capability(Capability::Interrupts),
            SentByTurn::Own(kind, _) => Needed::Turn(kind),
            SentByTurn::Continue => Needed::Capability(Capability::History),
        };
        (needed, turn.span)
    };
    let of_condition = |turn: &Spanned<Turn>| {
        let written = turn.value.settings.condition.as_ref()?;
        let needed = match &written.value {
            WrittenCondition::Word(ConditionWord::Awaits) => return None,
            WrittenCondition::Word(ConditionWord::Interrupted) => Capability::Interrupts,
            WrittenCondition::Step(step) if step.keys.says.is_some() => return None,
            WrittenCondition::Step(_) => Capability::ToolCalls,
        };
        Some((Needed::Capability(needed), written.span))
    };
    let of_message = |message: &Spanned<MessageDefinition>| {
        (Needed::Capability(Capability::History), message.span)
    };
    let of_tool = |tool: &ClientTool| {
        let needed = Needed::Capability(Capability::ClientTools);
        (needed, tool.name.span)
    };
    let needs = turns
        .iter()
        .map(of_turn)
        .chain(turns.iter().filter_map(of_condition))
        .chain(messages.first().map(of_message));
    let needs = needs.chain(tools.into_iter().flatten().map(of_tool));
    needs
        .map(|(needed, span)| (needed, span, Arc::clone(source)))
        .collect()
}

/// The needs of the rules of one level.
pub(super) fn needs_of_rules(block: &Block) -> Vec<Need> {
    let needed = |subject: RuleSubject| match subject {
        RuleSubject::Calls => Some(Capability::ToolCalls),
        RuleSubject::DeclaredTools => Some(Capability::ToolSchemas),
        RuleSubject::Tokens => Some(Capability::Usage),
        RuleSubject::State => Some(Capability::State),
        RuleSubject::Text
        | RuleSubject::End
        | RuleSubject::Time
        | RuleSubject::Several
        | RuleSubject::Everything => None,
    };
    let rules = block.entries.iter().filter_map(|entry| {
        let capability = needed(entry.subject()?)?;
        Some((capability, &entry.origin))
    });
    let limits = block.limits.iter().filter_map(|(measure, setting)| {
        let is_in_force = !matches!(setting, ananke_rules::Setting::Off(_));
        let subject = RuleProperties::of(measure.path())?.subject;
        is_in_force.then_some((needed(subject)?, setting.origin()))
    });
    let needs = rules.chain(limits);
    needs
        .map(|(capability, origin)| {
            let needed = Needed::Capability(capability);
            (needed, origin.span, Arc::clone(&origin.source))
        })
        .collect()
}

/// The problems with `needs` of a test of `target`.
pub(super) fn unmet(needs: Vec<Need>, target: &TargetConfig) -> Vec<Diagnostic> {
    let unmet = needs.into_iter().filter_map(|(needed, span, source)| {
        let (problem, help) = match needed {
            Needed::Capability(capability) => unable(capability, target)?,
            Needed::Turn(kind) => foreign(kind, target)?,
        };
        let message = format!("a target of the type `{}` {problem}", target.protocol);
        let problem = Diagnostic::error(Code::Contradiction, message).at(&source, span, "");
        Some(match help {
            Some(help) => problem.help(help),
            None => problem,
        })
    });
    unmet.collect()
}

/// The warning about a rule or condition on calls in a test whose agent is given no tools, on a target that may show no call then: a
/// prohibition of it may never fail.
pub(super) fn unseen_calls(needs: &[Need], target: &TargetConfig) -> Option<Diagnostic> {
    let help = target.how_to_see_calls()?;
    let is_of_calls =
        |(needed, ..): &&Need| matches!(needed, Needed::Capability(Capability::ToolCalls));
    let (_, span, source) = needs.iter().find(is_of_calls)?;
    let message = format!(
        "this looks at calls, and the target of the type `{}` has no tools: a call that its server makes is seen only if the response shows it",
        target.protocol
    );
    let warning = Diagnostic::warning(Code::UnseenCalls, message).at(source, *span, "");
    Some(warning.help(help))
}

/// The lack of a target without this ability, and the way to get it.
fn unable(needed: Capability, target: &TargetConfig) -> Option<(String, Option<String>)> {
    let lacks = (!target.capabilities().has(needed)).then(|| needed.lack().to_owned());
    Some((lacks?, target.how_to_get(needed).map(str::to_owned)))
}

/// The problem with a turn of another protocol, and what to do.
fn foreign(kind: &OwnTurnKind, target: &TargetConfig) -> Option<(String, Option<String>)> {
    if target.takes_turn(kind) {
        return None;
    }
    let name = kind.name;
    let help = protocol_of_turn(kind).map(|protocol| {
        format!("such turns are for a target of the type `{protocol}`: `target: NAME` in the test names one")
    });
    Some((format!("takes no turns of the type `{name}`"), help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_agents::Capabilities;
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
        let abilities = Capabilities::of(&[Capability::State]);
        let mut words: Vec<String> = needs_of_rules(&block)
            .into_iter()
            .filter_map(|(needed, span, source)| match needed {
                Needed::Capability(needed) if !abilities.has(needed) => {
                    let place = source.place(span);
                    Some(format!("{place}:{}: {}", place.column, needed.lack()))
                }
                _ => None,
            })
            .collect();
        words.sort();
        assert_eq!(
            words,
            [
                "a.yaml:1:19: does not show tool calls",
                "a.yaml:3:28: does not report tokens",
                "a.yaml:4:11: does not show tool calls",
            ]
        );
    }
}
