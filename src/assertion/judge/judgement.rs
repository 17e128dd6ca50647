//! How a rule is fed and how it answers.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::assertion::script::Script;
use crate::assertion::snapshot::Captured;
use crate::diagnostic::Difference;
use crate::model::TextOf;
use crate::redact::Redactor;
use crate::trace::{Delta, First, Message, Origin, Role, ToolCall, Trace, Turn};

/// Where a rule is settled: the level that wrote it; what the target writes has the test as its home (SPEC 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// One turn, counted from 0.
    Turn(usize),
    /// The test as a whole.
    Test,
}

impl Home {
    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Test => "the test",
            Self::Turn(_) => "the turn",
        }
    }

    /// The words for it where it is over.
    pub(crate) fn this(self) -> &'static str {
        match self {
            Self::Test => "the test",
            Self::Turn(_) => "this turn",
        }
    }
}

/// What a rule does not look at, though it is in its home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The turns that switch the rule off, counted from 0.
    pub left_out: BTreeSet<usize>,
    /// Whether calls of subagents are left out.
    pub without_subagents: bool,
}

/// What a rule sees when it is fed.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Everything so far.
    pub trace: &'a Trace,
    /// Which part of it the rule is about.
    pub home: Home,
    /// Which calls and texts are none of the rule's business.
    pub reach: &'a Reach,
    /// Knows what must not be quoted in part: a part of a secret cannot be masked any more.
    pub redactor: &'a Redactor,
}

impl Scope<'_> {
    /// Whether a call is the rule's business: live, and started in its home.
    pub fn counts(&self, call: usize) -> bool {
        self.sees(call) && self.started_at_home(call) && !self.is_left_out(call)
    }

    /// Whether a call has happened for the rule, in its home or before it: what a turn was told again is seen by that
    /// turn alone (SPEC 6, Snapshots).
    pub fn sees(&self, call: usize) -> bool {
        let Some(call) = self.trace.calls.get(call) else { return false };
        self.is_told(call) && self.is_seen(call.origin, call.counted_in)
    }

    /// Whether a message is part of the text that the rule looks at.
    pub fn hears(&self, message: &Message) -> bool {
        message.is_text() && self.is_said(message)
    }

    /// Whether a message of the user is part of the conversation that the rule looks at.
    pub fn hears_user(&self, message: &Message) -> bool {
        message.role == Role::User && !message.text.is_empty() && self.is_said(message)
    }

    fn is_said(&self, message: &Message) -> bool {
        !self.reach.left_out.contains(&message.turn) && self.is_seen(message.origin, message.turn)
    }

    fn is_seen(&self, origin: Origin, turn: usize) -> bool {
        match origin {
            Origin::Streamed | Origin::SnapshotOnly => true,
            Origin::Replayed => self.home == Home::Turn(turn),
            Origin::History => false,
        }
    }

    /// When the tool `name` was first called or answered, as far as the rule has seen.
    pub fn first(&self, name: &str, what: First) -> Option<u32> {
        let turn = match self.home {
            Home::Turn(turn) => self.trace.turns.get(turn).filter(|turn| turn.input.is_replay),
            Home::Test => None,
        };
        let told_again = || {
            let mut calls = turn?.calls.clone().filter(|call| self.sees(*call));
            calls.find_map(|call| {
                let call = self.trace.calls.get(call).filter(|call| call.name == name)?;
                match what {
                    First::Called => Some(call.order),
                    First::Answered => call.results.first().map(|result| result.order),
                }
            })
        };
        self.trace.first(name, what, !self.reach.without_subagents).or_else(told_again)
    }

    /// What was said in the rule's home.
    pub fn text(&self, of: TextOf) -> String {
        let turn = match self.home {
            Home::Turn(turn) => self.trace.turns.get(turn),
            Home::Test => None,
        };
        match (of, self.home) {
            (TextOf::All, Home::Test) => self.trace.text_of(|turn| !self.reach.left_out.contains(&turn)),
            (TextOf::All, Home::Turn(_)) => turn.map(|turn| self.trace.turn_text(turn)).unwrap_or_default(),
            (TextOf::Final, Home::Test) => self.last_of_test(),
            (TextOf::Final, Home::Turn(_)) => turn.map(|turn| self.last_of_turn(turn)).unwrap_or_default(),
        }
    }

    /// The last message of the running turn that the rule hears; `None` where it does not listen.
    pub fn turn_final(&self) -> Option<String> {
        let last = self.trace.turns.len().saturating_sub(1);
        let turn = self.trace.turns.last().filter(|_| !self.reach.left_out.contains(&last));
        turn.map(|turn| self.last_of_turn(turn))
    }

    fn last_of_test(&self) -> String {
        let turns = self.trace.turns.iter().enumerate().rev();
        let heard = turns.filter(|(index, _)| !self.reach.left_out.contains(index));
        heard.map(|(_, turn)| self.last_of_turn(turn)).find(|text| !text.is_empty()).unwrap_or_default()
    }

    fn last_of_turn(&self, turn: &Turn) -> String {
        self.last_of(self.trace.messages.get(turn.messages.clone()).unwrap_or_default())
    }

    fn last_of(&self, messages: &[Message]) -> String {
        let last = messages.iter().rfind(|message| self.hears(message));
        last.map(|message| message.text.clone()).unwrap_or_default()
    }

    /// The text of the running turn; `None` where the rule does not listen.
    pub fn turn_text(&self) -> Option<String> {
        let last = self.trace.turns.len().saturating_sub(1);
        let unheard = |turn: &Turn| turn.input.is_replay && self.home == Home::Test;
        let turn = self.trace.turns.last().filter(|turn| !unheard(turn));
        let turn = turn.filter(|_| !self.reach.left_out.contains(&last));
        turn.map(|turn| self.trace.turn_text(turn))
    }

    /// Like [`Scope::counts`], but a turn also takes the calls that were answered in it.
    pub fn counts_or_answered(&self, call: usize) -> bool {
        let answered = match self.home {
            Home::Test => false,
            Home::Turn(turn) => {
                self.trace.turns.get(turn).is_some_and(|turn| turn.late_results.contains(&call))
            }
        };
        let is_told = self.trace.calls.get(call).is_some_and(|call| self.is_told(call));
        self.trace.is_live(call) && is_told && (answered || self.counts(call))
    }

    /// Whether the result of a call, its last, came in the rule's home, whichever turn the call began in.
    pub fn is_answered(&self, call: usize) -> bool {
        let turn = self.trace.calls.get(call).and_then(|call| call.answered_in);
        let is_here = |turn: usize| self.home == Home::Test || self.home == Home::Turn(turn);
        self.sees(call) && turn.is_some_and(|turn| is_here(turn) && !self.reach.left_out.contains(&turn))
    }

    fn is_told(&self, call: &ToolCall) -> bool {
        !(self.reach.without_subagents && call.is_by_subagent())
    }

    fn is_left_out(&self, call: usize) -> bool {
        self.trace.calls.get(call).is_some_and(|call| self.reach.left_out.contains(&call.counted_in))
    }

    fn started_at_home(&self, call: usize) -> bool {
        match self.home {
            Home::Test => true,
            Home::Turn(turn) => self.trace.calls.get(call).is_some_and(|call| call.counted_in == turn),
        }
    }
}

/// When a rule is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Something happened.
    Touched(Delta),
    /// A turn is over.
    TurnEnd,
    /// The rule's home is over; results of its calls may still come in a later turn.
    HomeEnd,
    /// The test is over: nothing more comes.
    TestEnd,
}

/// What a rule says of what it has seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// It can still go either way.
    Open,
    /// It holds, whatever comes.
    Holds,
    /// It does not hold. What was found at this moment; a prohibition may find more later.
    Broken(Vec<Finding>),
    /// It does not hold, and there is more to say of it.
    Told(Box<Told>),
    /// It does not hold, unless what was captured is kept from now on.
    Differs(Box<Captured>),
    /// Nothing here can tell: this script is to be asked, with this request, where all other rules hold.
    Asks(Box<(Script, Value)>),
    /// It cannot be told, for this reason: never a pass.
    Unknown(String),
}

/// One way in which a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The whole finding on one line.
    pub message: String,
    /// What was wanted.
    pub expected: String,
    /// What was seen instead, in order.
    pub seen: Vec<Seen>,
    /// The numbers of the events it rests on.
    pub events: Vec<u32>,
}

/// A finding with what it is best seen by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// In which way the rule does not hold.
    pub finding: Finding,
    /// What was wanted beside what was seen.
    pub difference: Option<Difference>,
    /// What to do.
    pub help: Option<String>,
}

/// Something a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A call, by its place in the trace; written out at the end of the turn, when its result is known.
    Call {
        /// Its place in [`Trace::calls`].
        index: usize,
        /// What it lacks, where it was nearly selected.
        misfit: Option<String>,
    },
    /// A call that was not selected, with everything that it lacks.
    Miss {
        /// Its place in [`Trace::calls`].
        index: usize,
        /// What it lacks, a line each.
        misfits: Vec<String>,
        /// Whether other calls lack more.
        is_closer: bool,
    },
    /// Anything else, in words.
    Words(String),
}

impl Judgement {
    /// Broken in one way.
    pub fn broken(finding: Finding) -> Self {
        Self::Broken(vec![finding])
    }
}
