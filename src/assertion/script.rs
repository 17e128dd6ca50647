//! `script`: a program of the project's own says whether what the agent did in its home is right.
//!
//! Nothing here runs it: when all else is settled, the judgement is a [`Question`], and whoever holds the judge has it
//! answered. An agent that judges is to be asked in the same way.

use std::fmt;

use serde_json::{Map, Value};

use super::conversation::conversation;
use super::describe::{said, short};
use super::rule::Origin;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::diagnostic::{Code, Spanned};
use crate::model::ScriptRule;
use crate::redact::{Redactor, truncated};
use crate::variables::{Filling, Late};

/// How many lines of what a script says are shown.
const SHOWN_LINES: usize = 10;

/// How many characters of a command are shown.
const SHOWN_COMMAND: usize = 200;

/// Which program is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// The one that goes by this name.
    Named(String),
    /// This one: its words.
    Command(Vec<String>),
}

/// A script that must say yes.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Which one.
    pub program: Program,
    /// How long it may take, in milliseconds, where the rule says so.
    pub timeout_ms: Option<u64>,
    /// What it gets from the rule.
    pub with: Map<String, Value>,
}

/// What a rule leaves to somebody else to say: asked only where all other rules hold (SPEC 7.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Who is asked.
    pub script: Script,
    /// Everything it is told.
    pub request: Value,
    /// The path of the rule.
    pub(super) path: &'static str,
    /// Who wrote the rule.
    pub(super) origin: Origin,
}

impl Script {
    pub(super) fn compile(written: &Spanned<ScriptRule>, filling: &mut Filling<'_>) -> Option<Self> {
        let ScriptRule { script, cmd, timeout_ms, with } = &written.value;
        let with = Late::optional(with.as_ref().map(|node| filling.json(node)));
        let timeout = match timeout_ms {
            // What is known later is no part of what the rule wants.
            Some(number) if filling.written_number(number).is_some() => Late::Ready(None),
            Some(number) => Late::optional(Some(filling.number(number))),
            None => Late::Ready(None),
        };
        let program = match (script, cmd) {
            (Some(name), None) => {
                let filled = filling.text(name).ready()?;
                if filled.is_empty() && !name.value.is_empty() {
                    filling.report(Code::EmptyValue, name.span, "the name of a script cannot be empty", None);
                    return None;
                }
                Program::Named(filled)
            }
            (None, Some(words)) => {
                let filled: Vec<Option<String>> =
                    words.iter().map(|word| filling.text(word).ready()).collect();
                let filled: Vec<String> = filled.into_iter().collect::<Option<_>>()?;
                if let (Some(""), Some(first)) = (filled.first().map(String::as_str), words.first()) {
                    let message = "the first entry of `cmd` names no program";
                    filling.report(Code::BadValue, first.span, message, None);
                    return None;
                }
                Program::Command(filled)
            }
            (Some(name), Some(_)) => {
                let message = "`script` and `cmd` both say which program is asked";
                filling.report(Code::Contradiction, name.span, message, Some("keep one of them".to_owned()));
                return None;
            }
            (None, None) => {
                let message = "nothing says which program is asked";
                let help = "name a script with `script`, or write a command as `cmd`";
                filling.report(Code::MissingKey, written.span, message, Some(help.to_owned()));
                return None;
            }
        };
        let with = match with.ready()? {
            Some(Value::Object(with)) => with,
            _ => Map::new(),
        };
        Some(Self { program, timeout_ms: timeout.ready()?, with })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let with = if self.with.is_empty() {
            String::new()
        } else {
            format!(" with `{}`", short(&Value::Object(self.with.clone()).to_string()))
        };
        format!("a yes from the script {}{with}", self.program)
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("asked at the end of {}, when all other rules hold", home.words())
    }

    pub(super) fn start(&self) -> Monitor {
        Monitor { script: self.clone() }
    }
}

impl Program {
    /// What it is called: its name, or the words of the command.
    pub fn shown(&self) -> String {
        let words = match self {
            Self::Named(name) => return name.clone(),
            Self::Command(words) => words.iter().map(|word| Value::from(word.as_str()).to_string()),
        };
        let whole = format!("[{}]", words.collect::<Vec<_>>().join(", "));
        truncated(&whole, SHOWN_COMMAND)
    }
}

/// In backticks, as messages name it.
impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.shown())
    }
}

/// Asks once, at the end of its home.
#[derive(Debug)]
pub struct Monitor {
    script: Script,
}

impl Monitor {
    pub(super) fn watch(&self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {
                let mut request = conversation(scope);
                request.insert("with".to_owned(), Value::Object(self.script.with.clone()));
                Judgement::Asks(Box::new((self.script.clone(), Value::Object(request))))
            }
        }
    }
}

impl Question {
    /// Why its rule is neither kept nor broken.
    pub fn unanswered(&self, why: &str) -> String {
        let Origin { level, place, .. } = &self.origin;
        format!("the {} rule `{}` ({place}) cannot be judged: {why}", level.as_str(), self.path)
    }

    /// What to say of a script that said no, with what it said beside it.
    pub(super) fn refused(&self, words: Option<&str>, redactor: &Redactor) -> Finding {
        let words = redactor.text(words.unwrap_or_default());
        let mut lines = words.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let expected = self.script.describe();
        let says = format!("the script {} says no", self.script.program);
        let message = lines.next().map_or_else(|| says.clone(), |first| format!("{says}: {}", short(first)));
        let mut seen: Vec<Seen> =
            lines.by_ref().take(SHOWN_LINES).map(|line| Seen::Words(short(line))).collect();
        if lines.next().is_some() {
            seen.push(Seen::Words("…".to_owned()));
        }
        if let Some(output) = self.request["output"].as_str() {
            seen.push(Seen::Words(said(&short(&redactor.text(output)))));
        }
        Finding { message, expected, seen, events: Vec::new() }
    }
}
