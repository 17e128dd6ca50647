//! One case: a conversation on a wire, and a rule about it. It is what is kept of a failure.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::conversation::{Conversation, Item, TOOLS, Turn, Wire, mocked};
use super::dice::Dice;
use super::http_form::HttpForm;
use super::reference::holds;
use super::rule::{Rule, Step};
use super::telling;

/// A conversation on a wire, and a rule about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Case {
    /// The seed of how it is told.
    pub(super) seed: u64,
    pub(super) wire: Wire,
    /// The form of the responses of an HTTP API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<HttpForm>,
    pub(super) conversation: Conversation,
    pub(super) rule: Rule,
}

/// The rules that are tried on each telling.
const RULES: u64 = 2;

/// The cases of one seed: a conversation on two wires.
pub(super) fn cases(seed: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed);
    let conversation = Conversation::any(&mut dice);
    let first = dice.below(Wire::ALL.len());
    let second = (first + 1 + dice.below(Wire::ALL.len() - 1)) % Wire::ALL.len();
    let mut cases = Vec::new();
    for wire in [first, second].map(|wire| Wire::ALL[wire]) {
        for number in 0..RULES {
            let mut dice = dice.fork(number + 10 * wire as u64);
            let form = (wire == Wire::Http).then(|| HttpForm::any(&mut dice));
            let told = as_told(&conversation, wire, form);
            let rule = Rule::any(&told, &mut dice);
            let case = Case {
                seed: seed.wrapping_add(number),
                wire,
                form,
                conversation: conversation.clone(),
                rule,
            };
            if case.can_be_told() {
                cases.push(case);
            }
        }
    }
    cases
}

/// The conversation as far as a wire and its form can tell it.
fn as_told(conversation: &Conversation, wire: Wire, form: Option<HttpForm>) -> Conversation {
    let told = conversation.as_told_by(wire);
    match form {
        Some(form) => form.shown(&told),
        None => told,
    }
}

impl Case {
    /// The conversation as its wire tells it; the user names the case.
    pub(super) fn told(&self, number: usize) -> Conversation {
        let mut told = as_told(&self.conversation, self.wire, self.form);
        for (turn, index) in told.0.iter_mut().zip(1..) {
            if self.wire != Wire::Mcp {
                turn.user = format!("case {number} turn {index} {}", turn.user);
            }
        }
        told
    }

    /// Whether the wire has the things that the rule is about.
    pub(super) fn can_be_told(&self) -> bool {
        let told = as_told(&self.conversation, self.wire, self.form);
        !told.0.is_empty()
            && match self.wire {
                // The test itself calls the tools of a server: there is no user.
                Wire::Mcp => !self.rule.is_about(Step::is_of_user),
                // A list of messages does not say what became of a call.
                Wire::Messages => !self.rule.is_about(Step::is_executed),
                _ => true,
            }
    }

    /// The status that the naive judge demands.
    pub(super) fn expected(&self, number: usize) -> &'static str {
        if holds(&self.rule, &self.told(number)) {
            "passed"
        } else {
            "failed"
        }
    }

    /// The test of the case.
    pub(super) fn test(&self, number: usize) -> Value {
        let target = match self.wire {
            Wire::Agui => "agui".to_owned(),
            Wire::Program => format!("program{number}"),
            Wire::Observed => "observed".to_owned(),
            Wire::Run => "run".to_owned(),
            Wire::Responses => "responses".to_owned(),
            Wire::AiSdk => "ai-sdk".to_owned(),
            Wire::Anthropic => "anthropic".to_owned(),
            Wire::A2a => "a2a".to_owned(),
            Wire::Mcp | Wire::Messages => "mcp".to_owned(),
            Wire::Http => self.form.map(HttpForm::name).unwrap_or_default(),
        };
        let told = self.told(number);
        let turns: Vec<Value> = told.0.iter().map(|turn| self.turn(turn)).collect();
        let mut test = json!({ "name": format!("case {number}"), "target": target, "turns": turns, "assert": self.rule.written() });
        if self.wire == Wire::Run {
            let tools = TOOLS.iter().map(|tool| {
                json!({ "name": tool, "description": "a tool", "parameters": { "type": "object" }, "mock": { "result": mocked(tool) } })
            });
            test["client_tools"] = tools.collect();
        }
        test
    }

    fn turn(&self, turn: &Turn) -> Value {
        match (self.wire, turn.items.first()) {
            (Wire::Mcp, Some(Item::Call { tool, k, .. })) => {
                json!({ "type": "mcp:call", "tool": tool, "args": { "k": k } })
            }
            _ => json!({ "user": turn.user }),
        }
    }

    /// The bodies of the responses of each turn.
    pub(super) fn responses(&self, number: usize) -> Vec<Vec<Vec<Value>>> {
        let mut dice = Dice::new(self.seed).fork(77);
        let told = self.told(number);
        let turns = told.0.iter().enumerate();
        turns
            .map(|(index, turn)| match self.form {
                Some(form) => vec![form.turn(turn, index, &mut dice)],
                None => telling::turn(self.wire, turn, index, &mut dice),
            })
            .collect()
    }

    /// The cases with a little less of it.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        let with = |conversation| Self {
            conversation,
            ..self.clone()
        };
        for turn in 0..self.conversation.0.len() {
            let mut less = self.conversation.clone();
            let removed = less.0.remove(turn);
            smaller.push(with(less));
            for item in 0..removed.items.len() {
                let mut less = self.conversation.clone();
                let gone = less.0[turn].items.remove(item);
                if let Item::Call { id, .. } = gone {
                    less.0[turn]
                        .items
                        .retain(|item| !matches!(item, Item::Result { id: of, .. } if *of == id));
                }
                smaller.push(with(less));
            }
        }
        smaller.retain(|case| !case.conversation.0.is_empty());
        let rules = self.rule.smaller().into_iter().map(|rule| Self {
            rule,
            ..self.clone()
        });
        smaller.extend(rules);
        smaller.retain(Self::can_be_told);
        smaller
    }
}

impl Step {
    fn is_of_user(&self) -> bool {
        matches!(self, Self::Says { user: true, .. })
    }

    fn is_executed(&self) -> bool {
        matches!(self, Self::Call { executed: true, .. })
    }
}

impl Rule {
    /// Whether one of its steps is such a step; values from the user are one of the user.
    fn is_about(&self, is_it: fn(&Step) -> bool) -> bool {
        let of_user = Step::Says {
            pattern: String::new(),
            user: true,
        };
        match self {
            Self::Sequence { steps, .. } => steps.iter().any(is_it),
            Self::Whenever {
                trigger, groups, ..
            } => is_it(trigger) || groups.iter().flatten().any(is_it),
            Self::Provenance { user, .. } => *user && is_it(&of_user),
            _ => false,
        }
    }

    /// The rules with a step less.
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Sequence { mode, steps } if steps.len() > 1 => (0..steps.len())
                .map(|step| {
                    let mut steps = steps.clone();
                    steps.remove(step);
                    Self::Sequence { mode: *mode, steps }
                })
                .collect(),
            Self::Whenever {
                trigger,
                relation,
                groups,
                within_turn,
            } => {
                let mut less = Vec::new();
                for group in 0..groups.len() {
                    let mut without = groups.clone();
                    without.remove(group);
                    less.push(without);
                    for step in 0..groups[group].len() {
                        let mut without = groups.clone();
                        without[group].remove(step);
                        less.push(without);
                    }
                }
                less.retain(|groups| {
                    !groups.is_empty() && groups.iter().all(|group| !group.is_empty())
                });
                let of = |groups| Self::Whenever {
                    trigger: trigger.clone(),
                    relation: *relation,
                    groups,
                    within_turn: *within_turn,
                };
                less.into_iter().map(of).collect()
            }
            _ => Vec::new(),
        }
    }
}
