//! A conversation: what began, in the order in which it began, and nothing of how a protocol tells it.

use serde::{Deserialize, Serialize};

use super::dice::Dice;

/// The tools that agents call.
pub(super) const TOOLS: [&str; 3] = ["find", "pay", "send"];

/// The values of the argument `k`.
pub(super) const VALUES: [&str; 3] = ["v1001", "v2002", "v3003"];

const WORDS: [&str; 4] = ["alpha", "beta", "gamma", "now"];

/// The most things of a turn.
const MOST_ITEMS: usize = 7;

/// Something that began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Item {
    /// A message of the agent.
    Says(String),
    /// A call, by its number in the conversation.
    Call { id: usize, tool: String, k: String },
    /// The result of a call.
    Result { id: usize, text: String },
    /// A change of the state.
    State(usize),
}

/// What the user says, and what follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Turn {
    /// Empty where a protocol has no user.
    pub(super) user: String,
    pub(super) items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conversation(pub(super) Vec<Turn>);

/// The wires on which a conversation is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Wire {
    Agui,
    Program,
    /// Chat completions whose server executes the tools.
    Observed,
    /// Chat completions whose tools the test executes.
    Run,
    /// The Responses API, whose server executes the tools.
    Responses,
    /// The Messages API, whose server executes the tools.
    Anthropic,
    A2a,
    Mcp,
    /// A list of messages that `verify` reads.
    Messages,
    /// An HTTP API of its own, in one of many forms.
    Http,
    /// A UI message stream of AI SDK, whose backend executes the tools.
    AiSdk,
}

impl Wire {
    pub(super) const ALL: [Self; 11] = [
        Self::Agui,
        Self::Program,
        Self::Observed,
        Self::Run,
        Self::Responses,
        Self::Anthropic,
        Self::A2a,
        Self::Mcp,
        Self::Messages,
        Self::Http,
        Self::AiSdk,
    ];
}

/// A text of one or two words, sometimes with a value.
fn text(dice: &mut Dice) -> String {
    let mut words = vec![dice.pick(&WORDS)];
    if dice.one_in(2) {
        words.push(dice.pick(&WORDS));
    }
    if dice.one_in(3) {
        words.push(dice.pick(&VALUES));
    }
    words.join(" ")
}

/// The result that a tool has where the test executes it.
pub(super) fn mocked(tool: &str) -> String {
    match tool {
        "find" => "found v2002".to_owned(),
        tool => format!("{tool} is alpha"),
    }
}

impl Conversation {
    pub(super) fn any(dice: &mut Dice) -> Self {
        let (mut calls, mut turns) = (0, Vec::new());
        for _ in 0..=dice.below(3) {
            let mut turn = Turn {
                user: text(dice),
                items: Vec::new(),
            };
            let mut open = Vec::new();
            for _ in 0..dice.below(MOST_ITEMS + 1) {
                let item = match dice.below(10) {
                    0..=2 => Item::Says(text(dice)),
                    3..=5 if !open.is_empty() => Item::Result {
                        id: open.remove(dice.below(open.len())),
                        text: text(dice),
                    },
                    9 => Item::State(dice.below(5)),
                    _ => {
                        open.push(calls);
                        calls += 1;
                        Item::Call {
                            id: calls - 1,
                            tool: dice.pick(&TOOLS).to_owned(),
                            k: dice.pick(&VALUES).to_owned(),
                        }
                    }
                };
                turn.items.push(item);
            }
            turns.push(turn);
        }
        Self(turns)
    }

    /// The same conversation, as far as a wire can tell it.
    pub(super) fn as_told_by(&self, wire: Wire) -> Self {
        let turns = self.0.iter();
        match wire {
            // What a form of an HTTP API cannot tell is known to the form.
            Wire::Agui | Wire::Program | Wire::Http => self.clone(),
            Wire::A2a | Wire::AiSdk => Self(turns.map(Turn::without_state).collect()),
            Wire::Observed => {
                let turns = turns.map(|turn| turn.without_state().answered());
                Self(turns.map(|turn| turn.joined(Joined::UpToResults)).collect())
            }
            Wire::Run => Self(turns.map(|turn| turn.without_state().in_rounds()).collect()),
            Wire::Responses => Self(turns.map(|turn| turn.without_state().answered()).collect()),
            Wire::Anthropic => {
                let turns = turns.map(|turn| turn.without_state().answered());
                Self(turns.map(Turn::with_joined_texts).collect())
            }
            Wire::Mcp => {
                let calls = self.0.iter().flat_map(|turn| &turn.items);
                Self(calls.filter_map(called).collect())
            }
            Wire::Messages => {
                let turns = turns.map(|turn| turn.without_state().answered());
                Self(turns.map(Turn::with_last_words).collect())
            }
        }
    }
}

/// A turn in which a test calls a tool of a server, which says the result once more.
fn called(item: &Item) -> Option<Turn> {
    let Item::Call { id, tool, .. } = item else {
        return None;
    };
    let text = mocked(tool);
    Some(Turn {
        user: String::new(),
        items: vec![
            item.clone(),
            Item::Result {
                id: *id,
                text: text.clone(),
            },
            Item::Says(text),
        ],
    })
}

/// What ends a message, where a wire has no ids of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    UpToCallsAndResults,
    UpToResults,
    ToTheEnd,
}

impl Turn {
    fn without_state(&self) -> Self {
        let items = self.items.iter();
        let items = items.filter(|item| !matches!(item, Item::State(_)));
        Self {
            user: self.user.clone(),
            items: items.cloned().collect(),
        }
    }

    /// Every call gets a result.
    pub(super) fn answered(mut self) -> Self {
        let is_answered = |id: &usize| {
            let mut items = self.items.iter();
            items.any(|item| matches!(item, Item::Result { id: of, .. } if of == id))
        };
        let calls = self.items.iter().filter_map(|item| match item {
            Item::Call { id, .. } => Some(*id),
            _ => None,
        });
        let open: Vec<usize> = calls.filter(|id| !is_answered(id)).collect();
        self.items.extend(open.into_iter().map(|id| Item::Result {
            id,
            text: "late".to_owned(),
        }));
        self
    }

    fn with_last_words(mut self) -> Self {
        if !matches!(self.items.last(), Some(Item::Says(_))) {
            self.items.push(Item::Says("bye".to_owned()));
        }
        self
    }

    /// Texts between which nothing is called or answered are one.
    pub(super) fn with_joined_texts(self) -> Self {
        self.joined(Joined::UpToCallsAndResults)
    }

    /// Messages that no role can separate are one, which began with the first.
    fn joined(self, joined: Joined) -> Self {
        let (mut items, mut open): (Vec<Item>, Option<usize>) = (Vec::new(), None);
        for item in self.items {
            match (item, open) {
                (Item::Says(more), Some(index)) => {
                    if let Item::Says(text) = &mut items[index] {
                        text.push_str(&more);
                    }
                }
                (item, _) => {
                    match &item {
                        Item::Says(_) => open = Some(items.len()),
                        Item::Result { .. } if joined != Joined::ToTheEnd => open = None,
                        Item::Call { .. } if joined == Joined::UpToCallsAndResults => open = None,
                        _ => {}
                    }
                    items.push(item);
                }
            }
        }
        Self { items, ..self }
    }

    /// Each answer of the model calls tools, and all of them have their results before the next.
    fn in_rounds(self) -> Self {
        let (mut items, mut round) = (Vec::new(), Vec::new());
        let mut results = Vec::new();
        let user = self.user.clone();
        let mut end_round = |round: &mut Vec<Item>, results: &mut Vec<Item>| {
            let turn = Self {
                user: String::new(),
                items: std::mem::take(round),
            };
            items.extend(turn.joined(Joined::ToTheEnd).items);
            items.append(results);
        };
        for item in self.items {
            match &item {
                Item::Call { id, tool, .. } => {
                    results.push(Item::Result {
                        id: *id,
                        text: mocked(tool),
                    });
                    round.push(item);
                }
                Item::Result { .. } if !results.is_empty() => end_round(&mut round, &mut results),
                // A result of a round that is over ends no other: what the model says goes on.
                Item::Result { .. } => {}
                Item::Says(_) | Item::State(_) => round.push(item),
            }
        }
        let has_called = !results.is_empty();
        end_round(&mut round, &mut results);
        if has_called || items.is_empty() {
            items.push(Item::Says("bye".to_owned()));
        }
        Self { user, items }
    }
}
