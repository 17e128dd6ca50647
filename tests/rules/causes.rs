//! Rules with a cause against an evaluator that looks at the finished conversation only, and knows nothing of moments.
//!
//! A rule and what an agent does flow in, made at random. Both must find the same triggers that violate the rule.

use crate::support::seeds::seeded;
use ananke::model::MessageRole;
use ananke::trace::{Args, EventNumber, MessageKind, ToolCall, Trace};
use proptest::prelude::*;

use super::Row;
use super::agents::{Agent, turns};
use super::observer::conversation;

/// A step or a trigger, as it is written.
#[derive(Clone, Debug)]
struct Step {
    what: What,
    ending: Ending,
    /// Whether the argument `k` must be that of the trigger.
    is_tied: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Call(Tool),
    Result(Tool),
    Says(MessageRole, &'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Named(&'static str),
    Any,
    Same,
}

/// What must have become of a call or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Whatever,
    Executed,
    Denied,
    Error(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Preceded,
    NotPreceded,
    Followed,
    NotFollowed,
}

#[derive(Clone, Debug)]
struct Rule {
    trigger: Step,
    relation: Relation,
    /// Of each group one step must come; of a negated relation none at all.
    groups: Vec<Vec<Step>>,
    is_within_turn: bool,
}

/// One thing that happened.
#[derive(Clone, Copy)]
struct Thing<'t> {
    kind: Kind<'t>,
    order: u64,
    turn: usize,
    event: u32,
}

#[derive(Clone, Copy)]
enum Kind<'t> {
    Call(&'t ToolCall),
    Result(&'t ToolCall),
    Says(MessageRole, &'t str),
}

impl Step {
    fn yaml(&self) -> String {
        let tool = |tool: Tool| match tool {
            Tool::Named(name) => format!("name: {name}"),
            Tool::Any => "name_match: .".to_owned(),
            Tool::Same => unreachable!("written as a scalar"),
        };
        let what = match self.what {
            What::Call(Tool::Same) => "call: same".to_owned(),
            What::Result(Tool::Same) => "result: same".to_owned(),
            What::Call(name) => format!("call: {{ {} }}", tool(name)),
            What::Result(name) => format!("result: {{ {} }}", tool(name)),
            What::Says(MessageRole::User, text) => format!("says: {text}, role: user"),
            What::Says(MessageRole::Assistant, text) => format!("says: {text}"),
        };
        let ending = match self.ending {
            Ending::Whatever => "",
            Ending::Executed => ", status: executed",
            Ending::Denied => ", status: denied",
            Ending::Error(true) => ", is_error: true",
            Ending::Error(false) => ", is_error: false",
        };
        let tied = if self.is_tied { ", same: [k]" } else { "" };
        format!("{what}{ending}{tied}")
    }

    /// Whether `thing` is what the step says, for this trigger, when all is over.
    fn is(&self, thing: &Thing<'_>, trigger: Option<&Thing<'_>>) -> bool {
        let same_tool = |call: &ToolCall, tool: Tool| match tool {
            Tool::Named(name) => call.name.as_str() == name,
            Tool::Any => true,
            Tool::Same => trigger
                .and_then(Thing::call)
                .is_some_and(|other| other.name == call.name),
        };
        let about = match (self.what, thing.kind) {
            (What::Call(tool), Kind::Call(call)) | (What::Result(tool), Kind::Result(call)) => {
                same_tool(call, tool)
            }
            (What::Says(role, text), Kind::Says(by, said)) => role == by && said.contains(text),
            _ => false,
        };
        let ended = thing
            .call()
            .is_none_or(|call| match (self.ending, call.result()) {
                (Ending::Whatever, _) => true,
                (_, None) => false,
                (Ending::Executed, Some(result)) => !result.is_denied,
                (Ending::Denied, Some(result)) => result.is_denied,
                (Ending::Error(wanted), Some(result)) => wanted == (result.is_error == Some(true)),
            });
        let tied = !self.is_tied
            || matches!((argument(thing.call()), argument(trigger.and_then(Thing::call))), (Some(a), Some(b)) if a == b);
        about && ended && tied
    }

    /// From where on it counts as a cause: what became of a call counts from its result on.
    fn counts_from(&self, thing: &Thing<'_>) -> u64 {
        match (thing.kind, self.ending) {
            (Kind::Call(_), Ending::Whatever) => thing.order,
            (Kind::Call(call), _) => call.result().map_or(thing.order, |result| result.order),
            _ => thing.order,
        }
    }
}

impl<'t> Thing<'t> {
    fn call(&self) -> Option<&'t ToolCall> {
        match self.kind {
            Kind::Call(call) | Kind::Result(call) => Some(call),
            Kind::Says(..) => None,
        }
    }

    fn all(trace: &'t Trace) -> Vec<Self> {
        let mut all = Vec::new();
        for call in &trace.calls {
            let (order, turn) = (call.order, call.counted_in);
            all.push(Self {
                kind: Kind::Call(call),
                order,
                turn,
                event: call.first_event,
            });
            if let (Some(result), Some(turn)) = (call.result(), call.answered_in) {
                let (order, event) = (result.order, result.event);
                all.push(Self {
                    kind: Kind::Result(call),
                    order,
                    turn,
                    event,
                });
            }
        }
        for message in &trace.messages {
            let by = match message.role {
                MessageKind::Assistant => MessageRole::Assistant,
                MessageKind::User => MessageRole::User,
                MessageKind::System | MessageKind::Reasoning => continue,
            };
            let kind = Kind::Says(by, &message.text);
            all.push(Self {
                kind,
                order: message.order,
                turn: message.turn,
                event: message.opened,
            });
        }
        all.sort_by_key(|thing| thing.order);
        all
    }
}

fn argument(call: Option<&ToolCall>) -> Option<String> {
    match call?.args() {
        Args::Json(args) => args.get("k").map(ToString::to_string),
        Args::Malformed(_) => None,
    }
}

impl Rule {
    fn yaml(&self) -> String {
        let groups: Vec<String> = self
            .groups
            .iter()
            .map(|group| match group.as_slice() {
                [step] => format!("{{ {} }}", step.yaml()),
                steps => {
                    let steps: Vec<String> = steps
                        .iter()
                        .map(|step| format!("{{ {} }}", step.yaml()))
                        .collect();
                    format!("{{ any_of: [{}] }}", steps.join(", "))
                }
            })
            .collect();
        let relation = match self.relation {
            Relation::Preceded => "preceded_by",
            Relation::NotPreceded => "not_preceded_by",
            Relation::Followed => "followed_by",
            Relation::NotFollowed => "not_followed_by",
        };
        let within = if self.is_within_turn {
            ", within: turn"
        } else {
            ""
        };
        let (trigger, steps) = (self.trigger.yaml(), groups.join(", "));
        format!("{{ whenever: [{{ {trigger}, {relation}: [{steps}]{within} }}] }}")
    }

    /// The events of the triggers that violate the rule, in a scope: the test, or one turn.
    fn violations(&self, trace: &Trace, scope: Option<usize>) -> Vec<u32> {
        let all = Thing::all(trace);
        let triggers = all.iter().filter(|thing| {
            scope.is_none_or(|turn| thing.turn == turn) && self.trigger.is(thing, None)
        });
        let is_violated = |trigger: &&Thing<'_>| {
            let comes = |step: &Step| {
                all.iter().any(|thing| {
                    let is_there = match self.relation {
                        Relation::Preceded | Relation::NotPreceded => {
                            step.counts_from(thing) < trigger.order
                        }
                        Relation::Followed | Relation::NotFollowed => {
                            thing.order > trigger.order
                                && scope.is_none_or(|turn| thing.turn <= turn)
                        }
                    };
                    is_there
                        && (!self.is_within_turn || thing.turn == trigger.turn)
                        && step.is(thing, Some(trigger))
                })
            };
            match self.relation {
                Relation::Preceded | Relation::Followed => {
                    !self.groups.iter().all(|group| group.iter().any(comes))
                }
                Relation::NotPreceded | Relation::NotFollowed => {
                    self.groups.iter().flatten().any(comes)
                }
            }
        };
        let mut events: Vec<u32> = triggers
            .filter(is_violated)
            .map(|trigger| trigger.event)
            .collect();
        events.sort_unstable();
        events
    }
}

fn tool() -> impl Strategy<Value = Tool> {
    prop_oneof![
        Just(Tool::Named("a")),
        Just(Tool::Named("b")),
        Just(Tool::Any)
    ]
}

fn what(same: bool) -> impl Strategy<Value = What> {
    let tool = move || prop_oneof![3 => tool().boxed(), 1 => Just(if same { Tool::Same } else { Tool::Any }).boxed()];
    let says = (
        prop_oneof![Just(MessageRole::User), Just(MessageRole::Assistant)],
        prop_oneof![Just("x"), Just("o")],
    );
    prop_oneof![
        4 => tool().prop_map(What::Call),
        3 => tool().prop_map(What::Result),
        2 => says.prop_map(|(role, text)| What::Says(role, text)),
    ]
}

/// Conditions whose truth does not change after the thing itself is complete, but by a late result.
fn step(same: bool) -> impl Strategy<Value = Step> {
    let ending = prop_oneof![
        3 => Just(Ending::Whatever),
        1 => Just(Ending::Executed),
        1 => Just(Ending::Denied),
        1 => any::<bool>().prop_map(Ending::Error),
    ];
    (what(same), ending, any::<bool>()).prop_map(move |(what, ending, tied)| {
        let ending = match (what, ending) {
            (What::Call(_), ending) | (What::Result(_), ending @ Ending::Error(_)) => ending,
            _ => Ending::Whatever,
        };
        Step {
            what,
            ending,
            is_tied: same && tied && !matches!(what, What::Says(..)),
        }
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let relation = prop_oneof![
        Just(Relation::Preceded),
        Just(Relation::NotPreceded),
        Just(Relation::Followed),
        Just(Relation::NotFollowed)
    ];
    step(false).prop_flat_map(move |trigger| {
        let same = !matches!(trigger.what, What::Says(..));
        let groups = prop::collection::vec(prop::collection::vec(step(same), 1..3), 1..3);
        (Just(trigger), relation.clone(), groups, any::<bool>()).prop_map(
            |(trigger, relation, groups, is_within_turn)| Rule {
                trigger,
                relation,
                groups,
                is_within_turn,
            },
        )
    })
}

/// What an agent does, in the words of the table: each call is answered at most once, at once or later.
fn agent() -> impl Strategy<Value = String> {
    let args = prop_oneof![Just(""), Just("(k:1)"), Just("(k:2)"), Just("(j:1)")];
    let ending = prop_oneof![Just(""), Just("=no*"), Just("=no~"), Just("=ok")];
    let call = (prop_oneof![Just("a"), Just("b")], args, ending, 0..4usize);
    let action = prop_oneof![
        5 => call.prop_map(|(tool, args, ending, later)| (format!("{tool}@{args}"), ending, later)),
        2 => prop_oneof![Just("'x'"), Just("'o_x'")].prop_map(|said| (said.to_owned(), "", 0)),
    ];
    let turn = prop::collection::vec(action, 0..5);
    prop::collection::vec(turn, 1..4).prop_map(|turns| {
        let (mut number, mut written) = (0, Vec::new());
        let mut later: Vec<(usize, String)> = Vec::new();
        for turn in turns {
            let mut steps = Vec::new();
            for (step, ending, delay) in turn {
                later.retain_mut(|(delay, answer)| {
                    *delay -= 1;
                    if *delay == 0 {
                        steps.push(answer.clone());
                    }
                    *delay > 0
                });
                number += 1;
                let Some((tool, args)) = step.split_once('@') else {
                    steps.push(step);
                    continue;
                };
                if delay == 0 {
                    steps.push(format!(
                        "{tool}#{number}{args}{}",
                        if ending.is_empty() { "=ok" } else { ending }
                    ));
                } else {
                    steps.push(format!("{tool}#{number}{args}?"));
                    later.push((delay, format!(">{number}{ending}")));
                }
            }
            written.push(steps.join(" "));
        }
        written.join("|")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..seeded() })]

    #[test]
    fn the_finished_conversation_decides(rule in rule(), agent in agent(), of_turn in any::<bool>()) {
        let script = turns(&agent);
        let yaml = rule.yaml();
        // What becomes of a call in a later turn is not known to a rule of the first.
        prop_assume!(!of_turn || !agent.contains('?'));
        // A rule of the first turn: what comes in later turns is out of its scope, but for results.
        let (level, scope) = if of_turn { ("turn 1", Some(0)) } else { ("test", None) };
        let row = Row { level, rule: Box::leak(yaml.clone().into_boxed_str()), agent: "", settles: "" };
        for agent_kind in [Agent::Scripted, Agent::Agui] {
            let (trace, failures) = conversation(&row, &script, agent_kind);
            let found: Vec<&[EventNumber]> = failures.iter().map(|failure| &*failure.events).collect();
            let expected = rule.violations(&trace, scope);
            // A failure names its trigger, and what comes nearest.
            let named = |event: &u32| found.iter().any(|events| events.contains(&trace.numbered(*event)));
            let names_them = expected.iter().all(named);
            prop_assert!(
                names_them && found.len() == expected.len(),
                "{agent_kind:?} {level} {yaml}\n{agent}\nexpected {expected:?}, found {found:?}"
            );
        }
    }
}
