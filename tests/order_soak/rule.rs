//! A rule about a conversation, and how it is written.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Item, TOOLS, VALUES};
use super::dice::Dice;

const PATTERNS: [&str; 8] = [
    "alpha",
    "beta",
    "gamma",
    "now$",
    "^alpha",
    "v1001$",
    "alpha now",
    "^beta",
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    Call {
        /// Without a name, every tool.
        tool: Option<String>,
        k: Option<String>,
        /// Whether it must have been executed.
        executed: bool,
    },
    Result {
        tool: Option<String>,
        matching: Option<String>,
    },
    Says {
        pattern: String,
        user: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mode {
    Exact,
    InOrder,
    AnyOrder,
    AtLeast,
    Only,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Relation {
    Preceded,
    NotPreceded,
    Followed,
    NotFollowed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Rule {
    Require {
        tool: String,
        k: Option<String>,
        count: Option<(usize, usize)>,
        after: Option<String>,
        after_result: Option<String>,
    },
    ForbidCalls {
        tool: String,
        k: Option<String>,
    },
    MaxCalls(usize),
    Sequence {
        mode: Mode,
        steps: Vec<Step>,
    },
    Whenever {
        trigger: Step,
        relation: Relation,
        groups: Vec<Vec<Step>>,
        within_turn: bool,
    },
    Text {
        must: bool,
        pattern: String,
    },
    Equals(String),
    Provenance {
        tool: String,
        user: bool,
        results: bool,
    },
}

fn tool(dice: &mut Dice) -> String {
    dice.pick(&TOOLS).to_owned()
}

fn value(dice: &mut Dice) -> Option<String> {
    dice.one_in(3).then(|| dice.pick(&VALUES).to_owned())
}

impl Step {
    fn any(dice: &mut Dice) -> Self {
        let tool = (!dice.one_in(4)).then(|| tool(dice));
        match dice.below(6) {
            0..=2 => Self::Call {
                tool,
                k: value(dice),
                executed: dice.one_in(4),
            },
            3 => Self::Result {
                tool,
                matching: dice.one_in(2).then(|| dice.pick(&PATTERNS).to_owned()),
            },
            _ => Self::Says {
                pattern: dice.pick(&PATTERNS).to_owned(),
                user: dice.one_in(5),
            },
        }
    }

    /// A step that something of a conversation matches.
    fn of(item: &Item, conversation: &Conversation, dice: &mut Dice) -> Option<Self> {
        match item {
            Item::Says(text) => Some(Self::Says {
                pattern: if dice.one_in(2) {
                    format!("^{text}")
                } else {
                    format!("{text}$")
                },
                user: false,
            }),
            Item::Call { tool, .. } => Some(Self::Call {
                tool: Some(tool.clone()),
                k: None,
                executed: false,
            }),
            Item::Result { id, .. } => {
                let mut items = conversation.0.iter().flat_map(|turn| &turn.items);
                let tool = items.find_map(|item| match item {
                    Item::Call { id: own, tool, .. } if own == id => Some(tool.clone()),
                    _ => None,
                });
                Some(Self::Result {
                    tool,
                    matching: None,
                })
            }
            Item::State(_) => None,
        }
    }

    fn written(&self) -> Map<String, Value> {
        let named = |tool: &Option<String>| match tool {
            Some(name) => json!({ "name": name }),
            None => json!({ "name_match": "." }),
        };
        let mut keys = Map::new();
        match self {
            Self::Call { tool, k, executed } => {
                keys.insert("call".to_owned(), named(tool));
                if let Some(k) = k {
                    let args = json!({ "k": format!("^{k}$") });
                    keys.insert("args_match".to_owned(), args);
                }
                if *executed {
                    keys.insert("status".to_owned(), "executed".into());
                }
            }
            Self::Result { tool, matching } => {
                keys.insert("result".to_owned(), named(tool));
                if let Some(pattern) = matching {
                    keys.insert("match".to_owned(), pattern.clone().into());
                }
            }
            Self::Says { pattern, user } => {
                keys.insert("says".to_owned(), pattern.clone().into());
                if *user {
                    keys.insert("role".to_owned(), "user".into());
                }
            }
        }
        keys
    }
}

impl Rule {
    /// A rule, which may be about what happens in the conversation.
    pub(super) fn any(conversation: &Conversation, dice: &mut Dice) -> Self {
        match dice.below(12) {
            0 | 1 => Self::Require {
                tool: tool(dice),
                k: value(dice),
                count: dice.one_in(2).then(|| {
                    let least = dice.below(3);
                    (least, least + dice.below(2))
                }),
                after: dice.one_in(2).then(|| tool(dice)),
                after_result: dice.one_in(2).then(|| tool(dice)),
            },
            2 => Self::ForbidCalls {
                tool: tool(dice),
                k: value(dice),
            },
            3 => Self::MaxCalls(1 + dice.below(4)),
            4 | 5 => Self::sequence(conversation, dice),
            6 => Self::Text {
                must: dice.one_in(2),
                pattern: dice
                    .pick(&["alpha", "beta gamma", "now", "v2002"])
                    .to_owned(),
            },
            7 => {
                let items = conversation.0.iter().flat_map(|turn| &turn.items);
                let said = items.filter_map(|item| match item {
                    Item::Says(text) => Some(text.as_str()),
                    _ => None,
                });
                let mut said: Vec<&str> = said.collect();
                if dice.one_in(3) {
                    said.reverse();
                }
                if said.is_empty() {
                    said.push("nothing");
                }
                Self::Equals(said.join("\n"))
            }
            8 => {
                let user = dice.one_in(2);
                Self::Provenance {
                    tool: tool(dice),
                    user,
                    results: !user || dice.one_in(2),
                }
            }
            _ => Self::Whenever {
                trigger: match Step::any(dice) {
                    Step::Call { tool, k, .. } => Step::Call {
                        tool,
                        k,
                        executed: false,
                    },
                    other => other,
                },
                relation: dice.pick(&[
                    Relation::Preceded,
                    Relation::NotPreceded,
                    Relation::Followed,
                    Relation::NotFollowed,
                ]),
                groups: (0..=dice.below(2))
                    .map(|_| (0..=dice.below(2)).map(|_| Step::any(dice)).collect())
                    .collect(),
                within_turn: dice.one_in(3),
            },
        }
    }

    /// A sequence which is nearly, or exactly, that of the conversation.
    fn sequence(conversation: &Conversation, dice: &mut Dice) -> Self {
        let modes = [
            Mode::Exact,
            Mode::InOrder,
            Mode::AnyOrder,
            Mode::AtLeast,
            Mode::Only,
        ];
        let (mode, kinds) = (dice.pick(&modes), 1 + dice.below(7));
        let items = conversation.0.iter().flat_map(|turn| &turn.items);
        let wanted = items.filter(|item| match item {
            Item::Says(_) => kinds & 1 != 0,
            Item::Call { .. } => kinds & 2 != 0,
            Item::Result { .. } => kinds & 4 != 0,
            Item::State(_) => false,
        });
        let mut steps: Vec<Step> = wanted
            .filter_map(|item| Step::of(item, conversation, dice))
            .collect();
        if dice.one_in(3) && steps.len() > 1 {
            let at = dice.below(steps.len() - 1);
            steps.swap(at, at + 1);
        }
        if dice.one_in(4) && steps.len() > 1 {
            steps.remove(dice.below(steps.len()));
        }
        // The naive judge tries every way.
        steps.truncate(8);
        if steps.is_empty() {
            steps.push(Step::any(dice));
        }
        Self::Sequence { mode, steps }
    }

    /// The assert block.
    pub(super) fn written(&self) -> Value {
        match self {
            Self::Require {
                tool,
                k,
                count,
                after,
                after_result,
            } => {
                let mut entry = json!({ "name": tool });
                if let Some(k) = k {
                    entry["args_match"] = json!({ "k": format!("^{k}$") });
                }
                if let Some((least, most)) = count {
                    entry["count"] = json!({ "min": least, "max": most });
                }
                if let Some(after) = after {
                    entry["after"] = json!(after);
                }
                if let Some(after) = after_result {
                    entry["after_result"] = json!(after);
                }
                json!({ "tools": { "require": [entry] } })
            }
            Self::ForbidCalls { tool, k } => {
                let mut entry = json!({ "name": tool });
                if let Some(k) = k {
                    entry["args_match"] = json!({ "k": format!("^{k}$") });
                }
                json!({ "tools": { "forbid_calls": [entry] } })
            }
            Self::MaxCalls(most) => json!({ "tools": { "max_calls": most } }),
            Self::Sequence { mode, steps } => {
                let mode = match mode {
                    Mode::Exact => "exact",
                    Mode::InOrder => "in_order",
                    Mode::AnyOrder => "any_order",
                    Mode::AtLeast => "at_least",
                    Mode::Only => "only",
                };
                let steps: Vec<Value> = steps.iter().map(|step| step.written().into()).collect();
                json!({ "sequence": { "mode": mode, "steps": steps } })
            }
            Self::Whenever {
                trigger,
                relation,
                groups,
                within_turn,
            } => {
                let mut entry = trigger.written();
                let groups = groups.iter().map(|group| match group.as_slice() {
                    [step] => Value::Object(step.written()),
                    steps => {
                        let steps: Vec<Value> =
                            steps.iter().map(|step| step.written().into()).collect();
                        json!({ "any_of": steps })
                    }
                });
                let relation = match relation {
                    Relation::Preceded => "preceded_by",
                    Relation::NotPreceded => "not_preceded_by",
                    Relation::Followed => "followed_by",
                    Relation::NotFollowed => "not_followed_by",
                };
                entry.insert(relation.to_owned(), groups.collect());
                if *within_turn {
                    entry.insert("within".to_owned(), "turn".into());
                }
                json!({ "whenever": [entry] })
            }
            Self::Text { must, pattern } => {
                let key = if *must {
                    "must_match"
                } else {
                    "must_not_match"
                };
                json!({ "text": { key: pattern } })
            }
            Self::Equals(text) => json!({ "text": { "equals": text } }),
            Self::Provenance {
                tool,
                user,
                results,
            } => {
                let sources = [(*user, "user"), (*results, "results")];
                let from: Vec<&str> = sources
                    .into_iter()
                    .filter_map(|(is_source, name)| is_source.then_some(name))
                    .collect();
                json!({ "provenance": [{ "of": { "call": tool, "arg": "k" }, "from": from }] })
            }
        }
    }
}
