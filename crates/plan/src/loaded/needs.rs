//! The needs of a test, and the problems if the target cannot satisfy them.

use std::sync::Arc;

use ananke_agents::{Capability, TargetConfig, turns_of, types_with, types_with_turn};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::message::OwnTurnKind;
use ananke_base::text::all_of;
use ananke_model::model::{
    ClientTool, ConditionWord, MessageDefinition, SentByTurn, Turn, WrittenCondition,
    connect_type_name, resume_type_name,
};
use ananke_rules::{Block, RuleProperties, RuleSubject};

/// Something that a test needs of its target.
#[derive(Debug)]
pub(crate) struct Need {
    /// The part that needs it.
    by: NeedingPart,
    needed: Needed,
    /// The place of it.
    span: Span,
    source: Arc<SourceFile>,
}

/// The part of a test that needs something of its target, by its name in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NeedingPart {
    /// A turn, by its type.
    Turn(&'static str),
    /// A key of a test, which may have another target.
    TestKey(&'static str),
    /// A key of a test or a target: a rule, or tools.
    Key(&'static str),
}

/// The thing that is needed.
#[derive(Clone, Copy, Debug)]
enum Needed {
    /// An ability.
    Capability(Capability),
    /// The protocol whose own turn this is.
    Turn(&'static OwnTurnKind),
}

impl Need {
    /// The need of `by`, which is at `span` in `source`, for an ability.
    pub(crate) fn new(
        by: NeedingPart,
        capability: Capability,
        span: Span,
        source: &Arc<SourceFile>,
    ) -> Self {
        Self {
            by,
            needed: Needed::Capability(capability),
            span,
            source: Arc::clone(source),
        }
    }

    fn of_turn(turn: &Spanned<Turn>, source: &Arc<SourceFile>) -> Self {
        let new =
            |name, capability| Self::new(NeedingPart::Turn(name), capability, turn.span, source);
        match turn.value.sent {
            SentByTurn::User(_) => new("user", Capability::UserTurns),
            SentByTurn::Connect => new(connect_type_name(), Capability::Connect),
            SentByTurn::Resume(_) => new(resume_type_name(), Capability::Interrupts),
            SentByTurn::Own(kind, _) => Self {
                by: NeedingPart::Turn(kind.name),
                needed: Needed::Turn(kind),
                span: turn.span,
                source: Arc::clone(source),
            },
            SentByTurn::Continue => Self::new(
                NeedingPart::TestKey("messages"),
                Capability::History,
                turn.span,
                source,
            ),
        }
    }

    fn of_condition(turn: &Spanned<Turn>, source: &Arc<SourceFile>) -> Option<Self> {
        let written = turn.value.settings.condition.as_ref()?;
        let capability = match &written.value {
            WrittenCondition::Word(ConditionWord::Awaits) => return None,
            WrittenCondition::Word(ConditionWord::Interrupted) => Capability::Interrupts,
            WrittenCondition::Step(step) if step.keys.says.is_some() => return None,
            WrittenCondition::Step(_) => Capability::ToolCalls,
        };
        let part = NeedingPart::TestKey("if");
        Some(Self::new(part, capability, written.span, source))
    }

    /// The needs of the condition of a turn, and of what it adds to its request.
    fn of_settings(turn: &Spanned<Turn>, source: &Arc<SourceFile>) -> Vec<Self> {
        let mut needs = Vec::new();
        needs.extend(Self::of_condition(turn, source));
        if let Some(request) = &turn.value.settings.request {
            // Only a target that describes its request has a place for it.
            let part = NeedingPart::TestKey("request");
            let needed = Capability::OwnRequests;
            needs.push(Self::new(part, needed, request.span, source));
        }
        needs
    }

    /// The problem of a test of `target`, if it lacks what is needed.
    fn problem(&self, target: &TargetConfig) -> Option<Diagnostic> {
        let own = target.protocol;
        let name = match self.by {
            NeedingPart::Turn(name) | NeedingPart::TestKey(name) | NeedingPart::Key(name) => name,
        };
        let (message, types) = match self.needed {
            Needed::Capability(needed) if target.capabilities().has(needed) => return None,
            Needed::Turn(kind) if target.takes_turn(kind) => return None,
            Needed::Capability(needed) => {
                let lack = needed.lack();
                let message = format!("a target of the type `{own}` {lack}, which `{name}` needs");
                (message, types_with(needed))
            }
            Needed::Turn(kind) => {
                let message =
                    format!("a target of the type `{own}` takes no turns of the type `{name}`");
                (message, types_with_turn(kind))
            }
        };
        let mut problem =
            Diagnostic::error(Code::Contradiction, message).at(&self.source, self.span, "");
        if let Needed::Capability(needed) = self.needed
            && let Some(how) = target.how_to_get(needed)
        {
            problem = problem.help(how);
        }
        if let NeedingPart::Turn(_) = self.by {
            let turns = in_backticks(&turns_of(target));
            problem = problem.help(format!("the turns of this target are {turns}"));
        }
        // Another target of this type may have it.
        let others: Vec<&str> = types.into_iter().filter(|of| *of != own).collect();
        if others.is_empty() {
            return Some(problem);
        }
        let types = if others.len() == 1 { "type" } else { "types" };
        let others = in_backticks(&others);
        let which = match self.by {
            NeedingPart::Turn(_) | NeedingPart::TestKey(_) => {
                ": `target: NAME` in the test names one"
            }
            NeedingPart::Key(_) => "",
        };
        Some(problem.help(format!(
            "`{name}` is for targets of the {types} {others}{which}"
        )))
    }
}

fn in_backticks(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    all_of(&names)
}

/// The needs of `turns`, `messages` and `tools` of one file.
pub(crate) fn needs_of_test(
    turns: &[Spanned<Turn>],
    messages: &[Spanned<MessageDefinition>],
    tools: Option<&Vec<ClientTool>>,
    source: &Arc<SourceFile>,
) -> Vec<Need> {
    // Each need has its own place in the file, so that the message points at the key that has it.
    let of_turns = turns.iter().map(|turn| Need::of_turn(turn, source));
    let of_settings = turns
        .iter()
        .flat_map(|turn| Need::of_settings(turn, source));
    let of_messages = messages.first().map(|message| {
        let part = NeedingPart::TestKey("messages");
        Need::new(part, Capability::History, message.span, source)
    });
    let of_tools = tools.into_iter().flatten().filter_map(|tool| {
        let part = NeedingPart::Key("client_tools");
        let place = tool.place()?;
        Some(Need::new(part, Capability::ClientTools, place, source))
    });
    let of_parts = of_settings.chain(of_messages);
    of_turns.chain(of_parts).chain(of_tools).collect()
}

/// The needs of the rules of one level.
pub(crate) fn needs_of_rules(block: &Block) -> Vec<Need> {
    let needed = |subject: RuleSubject| match subject {
        RuleSubject::Calls => Some(Capability::ToolCalls),
        RuleSubject::DeclaredTools => Some(Capability::ToolSchemas),
        RuleSubject::Tokens => Some(Capability::Usage),
        RuleSubject::Requests => Some(Capability::ModelRequests),
        RuleSubject::State => Some(Capability::State),
        RuleSubject::Text
        | RuleSubject::ModelCalls
        | RuleSubject::End
        | RuleSubject::Time
        | RuleSubject::Several
        | RuleSubject::Everything => None,
    };
    let rules = block.entries.iter().filter_map(|entry| {
        let capability = needed(entry.subject()?)?;
        Some((entry.path, capability, &entry.origin))
    });
    let limits = block.limits.iter().filter_map(|(measure, setting)| {
        let is_in_force = !matches!(setting, ananke_rules::Setting::Off(_));
        let subject = RuleProperties::of(measure.path())?.subject;
        is_in_force.then_some((measure.path(), needed(subject)?, setting.origin()))
    });
    let needs = rules.chain(limits);
    needs
        .map(|(path, capability, origin)| {
            Need::new(
                NeedingPart::Key(path),
                capability,
                origin.span,
                &origin.source,
            )
        })
        .collect()
}

/// The error of a rule about requests to models where the config has none: nothing could see them.
pub(crate) fn unseen_models(block: &Block) -> Option<Diagnostic> {
    for entry in &block.entries {
        if entry.subject() != Some(RuleSubject::ModelCalls) {
            continue;
        }
        let message =
            "this is about requests to a model, and the config has no `models` that could see them";
        let help =
            "add `models: { main: {} }` to the config, and `model` with its answers to the test";
        let problem = Diagnostic::error(Code::Contradiction, message);
        let origin = &entry.origin;
        return Some(problem.at(&origin.source, origin.span, "").help(help));
    }
    None
}

/// The warning about a rule or condition on calls in a test whose agent is given no tools, on a target that may show no call then: a
/// prohibition of it may never fail.
pub(crate) fn unseen_calls(needs: &[Need], target: &TargetConfig) -> Option<Diagnostic> {
    let help = target.how_to_see_calls()?;
    let is_of_calls =
        |need: &&Need| matches!(need.needed, Needed::Capability(Capability::ToolCalls));
    let need = needs.iter().find(is_of_calls)?;
    let message = format!(
        "this looks at calls, and the target of the type `{}` has no tools: a call that its server makes is seen only if the response shows it",
        target.protocol
    );
    let warning = Diagnostic::warning(Code::UnseenCalls, message).at(&need.source, need.span, "");
    Some(warning.help(help))
}

/// The problems with `needs` of a test of `target`.
pub(crate) fn unmet(needs: &[Need], target: &TargetConfig) -> Vec<Diagnostic> {
    let problems = needs.iter().map(|need| need.problem(target));
    problems.flatten().collect()
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
            .filter_map(|need| match (need.needed, need.by) {
                (Needed::Capability(needed), NeedingPart::Key(name)) if !abilities.has(needed) => {
                    let place = need.source.place(need.span);
                    Some(format!(
                        "{place}:{}: {name}: {}",
                        place.column,
                        needed.lack()
                    ))
                }
                _ => None,
            })
            .collect();
        words.sort();
        assert_eq!(
            words,
            [
                "a.yaml:1:19: tools.forbid: does not show tool calls",
                "a.yaml:3:28: usage.max_total_tokens: does not report tokens",
                "a.yaml:4:11: sequence: does not show tool calls",
            ]
        );
    }
}
