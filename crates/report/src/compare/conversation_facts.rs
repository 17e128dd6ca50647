//! The values of a conversation that a later failure is compared with: its calls, the numbers that rules measured, its answers.
//!
//! **Invariant:** the texts of a test are at most [`MOST_BYTES`]; a text without room is not known, never a part of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use ananke_base::text::{Usd, duration, grouped, truncate};
use ananke_trace::outcome::{
    ComparedValue, Measured, MeasuredUnit, Outcome, RuleResult, TranscriptLine, brief,
};
use ananke_trace::trace::{EventNumber, Path};

/// The most bytes of the texts of one test.
const MOST_BYTES: usize = 4 << 10;

/// The most characters of an answer that is shown.
const LONGEST_ANSWER: usize = 120;

/// The facts of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ConversationFacts {
    calls: Vec<CallFact>,
    /// The rules that measured a number, and those that passed by a call.
    rules: Vec<RuleFact>,
    /// The last message of each turn, with its number.
    answers: Vec<(u32, KeptText)>,
    state: KeptText,
    /// The number of further bytes that there is room for.
    room: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct CallFact {
    /// The turn that it started in.
    turn: u32,
    event: EventNumber,
    tool: String,
    args: KeptText,
    result: KeptText,
}

/// A text of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
enum KeptText {
    /// There is none.
    #[default]
    None,
    Kept(String),
    /// It is not kept.
    NoRoom,
}

/// The value of a conversation at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundValue {
    /// It is not kept, or nothing shows it.
    Unknown,
    /// There is none.
    Missing,
    /// The value, shortened, in words.
    Is(String),
}

#[derive(Clone, Debug, PartialEq)]
struct RuleFact {
    rule: RuleInTurn,
    measured: Option<Measured>,
    /// The first event that shows that it passed.
    passed_by: Option<EventNumber>,
}

/// A rule of a test in whatever run: its text and its turn, not its line, which edits move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RuleInTurn(u64);

impl RuleInTurn {
    fn of(turn: u32, result: &RuleResult) -> Self {
        let mut hasher = DefaultHasher::new();
        (turn, &result.rule, result.level, &result.written).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The value that a rule which failed is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LookedAt {
    rule: RuleInTurn,
    /// The turn of the rule; 0 of the whole test.
    turn: u32,
    value: ValuePlace,
}

#[derive(Clone, Debug, PartialEq)]
enum ValuePlace {
    /// A value of the call to a tool that is the first, second, … one of the test, from 0.
    Call {
        tool: String,
        nth: usize,
        part: ComparedValue,
        path: String,
    },
    State(String),
    Output(String),
    /// The number that the rule limits.
    Measured(MeasuredUnit),
    /// The number of calls to a tool.
    CallCount(String),
    Answer,
}

impl ConversationFacts {
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let mut facts = Self {
            room: MOST_BYTES,
            ..Self::default()
        };
        for turn in &outcome.transcript.turns {
            for line in &turn.lines {
                if let TranscriptLine::Calls(call) = line {
                    let fact = CallFact {
                        turn: turn.number,
                        event: call.event,
                        tool: truncate::bytes(&call.name, 200).into_owned(),
                        args: facts.kept(Some(&call.args)),
                        result: facts.kept(call.result.as_deref()),
                    };
                    facts.calls.push(fact);
                }
            }
            let answer = turn.lines.iter().rev().find_map(TranscriptLine::message);
            if answer.is_some() {
                let answer = facts.kept(answer);
                facts.answers.push((turn.number, answer));
            }
            for result in &turn.rules {
                facts.add_rule(turn.number, result);
            }
        }
        facts.state = facts.kept(outcome.transcript.state.as_deref());
        for result in &outcome.verdict.rules {
            facts.add_rule(0, result);
        }
        facts
    }

    fn kept(&mut self, text: Option<&str>) -> KeptText {
        let Some(text) = text else {
            return KeptText::None;
        };
        let Some(room) = self.room.checked_sub(text.len()) else {
            return KeptText::NoRoom;
        };
        self.room = room;
        KeptText::Kept(text.to_owned())
    }

    fn add_rule(&mut self, turn: u32, result: &RuleResult) {
        let first = result.events.first().copied();
        let passed_by = if result.has_passed() { first } else { None };
        if result.measured.is_some() || passed_by.is_some() {
            self.rules.push(RuleFact {
                rule: RuleInTurn::of(turn, result),
                measured: result.measured,
                passed_by,
            });
        }
    }

    /// The value at a place.
    pub(crate) fn value(&self, looked_at: &LookedAt) -> FoundValue {
        let rule = self.rules.iter().find(|fact| fact.rule == looked_at.rule);
        let turn = looked_at.turn;
        match &looked_at.value {
            ValuePlace::Call {
                tool,
                nth,
                part,
                path,
            } => {
                let mut of_tool = self.calls.iter().filter(|call| call.tool == *tool);
                // The call by which the rule passed, wherever it was.
                let passed_by = rule.and_then(|rule| rule.passed_by);
                let call = of_tool.clone().find(|call| Some(call.event) == passed_by);
                let Some(call) = call.or_else(|| of_tool.nth(*nth)) else {
                    return FoundValue::Missing;
                };
                let text = match part {
                    ComparedValue::Arguments => &call.args,
                    _ => &call.result,
                };
                text.at_path(path)
            }
            ValuePlace::State(path) => self.state.at_path(path),
            ValuePlace::Output(path) => self.answer(turn).at_path(path),
            ValuePlace::Measured(_) => match rule.and_then(|rule| rule.measured) {
                Some(measured) => FoundValue::Is(in_words(measured)),
                None => FoundValue::Unknown,
            },
            ValuePlace::CallCount(tool) => {
                let of_tool = self.calls.iter().filter(|call| call.tool == *tool);
                let in_scope = of_tool.filter(|call| turn == 0 || call.turn == turn);
                FoundValue::Is(grouped(in_scope.count()))
            }
            ValuePlace::Answer => match self.answer(turn) {
                KeptText::Kept(text) => {
                    FoundValue::Is(truncate::chars(text, LONGEST_ANSWER).into_owned())
                }
                KeptText::None => FoundValue::Missing,
                KeptText::NoRoom => FoundValue::Unknown,
            },
        }
    }

    /// The last message of a turn; of the last turn that has one for 0.
    fn answer(&self, turn: u32) -> &KeptText {
        let mut latest = self.answers.iter().rev();
        let answer = latest.find(|(number, _)| turn == 0 || *number == turn);
        match answer {
            Some((_, answer)) => answer,
            None => &KeptText::None,
        }
    }
}

impl KeptText {
    /// The value at `path` in a text of JSON, shortened.
    fn at_path(&self, path: &str) -> FoundValue {
        let text = match self {
            Self::Kept(text) => text,
            Self::None => return FoundValue::Missing,
            Self::NoRoom => return FoundValue::Unknown,
        };
        let (Ok(path), Ok(value)) = (Path::parse(path), serde_json::from_str::<Value>(text)) else {
            return FoundValue::Unknown;
        };
        match path.find(&value) {
            Some(value) => FoundValue::Is(brief(value)),
            None => FoundValue::Missing,
        }
    }
}

impl FoundValue {
    /// The value, if there is one.
    pub(crate) fn known(self) -> Option<String> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown | Self::Missing => None,
        }
    }
}

impl LookedAt {
    /// The place of the value that the first failure of a test is about; `None` if it is about none, or if there is no failure.
    pub(crate) fn of(outcome: &Outcome, facts: &ConversationFacts) -> Option<Self> {
        let (turn, failure) = outcome.all_failures().next()?;
        Some(Self {
            rule: RuleInTurn::of(turn, failure),
            turn,
            value: ValuePlace::of(failure, facts)?,
        })
    }

    /// The kind of value, in a word for people.
    pub(crate) fn word(&self) -> &'static str {
        match self.value {
            ValuePlace::Call { .. } | ValuePlace::State(_) | ValuePlace::Output(_) => "value",
            ValuePlace::Measured(MeasuredUnit::Milliseconds) => "time",
            ValuePlace::Measured(MeasuredUnit::Tokens) => "tokens",
            ValuePlace::Measured(MeasuredUnit::Dollars) => "cost",
            ValuePlace::Measured(MeasuredUnit::Requests) => "requests",
            ValuePlace::Measured(MeasuredUnit::Calls) | ValuePlace::CallCount(_) => "calls",
            ValuePlace::Answer => "answer",
        }
    }
}

impl ValuePlace {
    fn of(failure: &RuleResult, facts: &ConversationFacts) -> Option<Self> {
        if let Some(measured) = failure.measured {
            return Some(Self::Measured(measured.unit));
        }
        let Some(difference) = failure.differences.first() else {
            return match &failure.tool {
                Some(tool) => Some(Self::CallCount(tool.clone())),
                None if failure.rule.starts_with("text") => Some(Self::Answer),
                None => None,
            };
        };
        let path = Path::of_steps(&difference.path);
        match difference.of {
            ComparedValue::State => Some(Self::State(path)),
            ComparedValue::Output => Some(Self::Output(path)),
            part @ (ComparedValue::Arguments | ComparedValue::Result) => {
                let event = difference.event?;
                let of_event = |call: &&CallFact| call.event == event;
                let tool = &facts.calls.iter().find(of_event)?.tool;
                let mut of_tool = facts.calls.iter().filter(|call| call.tool == *tool);
                Some(Self::Call {
                    tool: tool.clone(),
                    nth: of_tool.position(|call| call.event == event)?,
                    part,
                    path,
                })
            }
        }
    }
}

fn in_words(measured: Measured) -> String {
    match measured.unit {
        MeasuredUnit::Milliseconds => duration::exact(measured.actual),
        MeasuredUnit::Dollars => Usd(measured.actual).exact(),
        MeasuredUnit::Tokens | MeasuredUnit::Calls | MeasuredUnit::Requests => {
            grouped(measured.actual)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_room_is_not_known() {
        let mut facts = ConversationFacts {
            room: 10,
            ..ConversationFacts::default()
        };
        for (text, path, expected) in [
            (Some("{\"a\":1}"), "a", FoundValue::Is("1".to_owned())),
            (Some("{\"a\":1}"), "a", FoundValue::Unknown),
            (Some("{}"), "a", FoundValue::Missing),
            (None, "a", FoundValue::Missing),
        ] {
            assert_eq!(facts.kept(text).at_path(path), expected, "{text:?}");
        }
        let no_json = KeptText::Kept("{".to_owned());
        assert_eq!(no_json.at_path("a"), FoundValue::Unknown);
    }
}
