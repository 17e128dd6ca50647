//! `tools.max_calls`: how many calls there may be.

use crate::assertion::describe::{listed, short};
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::diagnostic::Spanned;
use crate::model::Given;
use crate::trace::Delta;
use crate::variables::Filling;

/// How many calls there may be on its home. A level further in overrides it for what that level is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaxCalls {
    /// The most that pass.
    pub most: u64,
    /// The number as it is written, where it is known later: nothing is held against it until then.
    pub written: Option<String>,
}

impl MaxCalls {
    pub(crate) fn compile(given: &Spanned<Given<u64>>, filling: &mut Filling<'_>) -> Option<Self> {
        let written = filling.written_number(given);
        let most = filling.number(given).ready().or_else(|| written.as_ref().map(|_| u64::MAX))?;
        Some(Self { most, written })
    }

    /// Whether more calls pass than with `outer`; where a number is known later it is not.
    pub(crate) fn is_looser(&self, outer: &Self) -> bool {
        self.written.is_none() && outer.written.is_none() && self.most > outer.most
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        match (&self.written, self.most) {
            (Some(written), _) => format!("at most {written} calls"),
            (None, 0) => "no call of any tool".to_owned(),
            (None, 1) => "at most 1 call".to_owned(),
            (None, most) => format!("at most {most} calls"),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("broken as soon as there is a call too many in {}", home.words())
    }

    pub(crate) fn start(&self) -> Monitor {
        Monitor { expected: self.describe(), most: self.most, calls: 0 }
    }
}

/// Counts the calls of its home; broken once, by the first call too many.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    most: u64,
    calls: u64,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if scope.counts(index) => {
                self.calls += 1;
                if self.calls != self.most.saturating_add(1) {
                    return Judgement::Open;
                }
                let call = &scope.trace.calls[index];
                let names: Vec<&str> = (0..=index)
                    .filter(|call| scope.counts(*call))
                    .map(|call| scope.trace.calls[call].name.as_str())
                    .collect();
                let home = match scope.home {
                    Home::Turn(_) => "this turn",
                    Home::Test => "the test",
                };
                Judgement::broken(Finding {
                    message: format!(
                        "`{}` is call {} of {home}, expected {}",
                        short(&call.name),
                        self.calls,
                        self.expected
                    ),
                    expected: format!("{} in {home}", self.expected),
                    seen: vec![Seen::Words(format!("called: {}", listed(&names)))],
                    events: vec![call.first_event],
                })
            }
            Moment::HomeEnd | Moment::TestEnd => Judgement::Holds,
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}
