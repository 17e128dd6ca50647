//! `tools.forbid_calls`: calls that must not happen, by name, arguments and result.

use std::collections::BTreeMap;

use crate::assertion::describe::short;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::assertion::select::Selector;
use crate::assertion::select::{Selecting, Written};
use crate::diagnostic::Spanned;
use crate::model::ForbidCalls;
use crate::trace::Delta;
use crate::variables::{Filling, Patterns};

/// Forbids the calls that satisfy all conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct ForbidCall {
    /// The conditions.
    pub selector: Selector,
}

impl ForbidCall {
    pub(crate) fn compile(entry: &Spanned<ForbidCalls>, filling: &mut Filling<'_>) -> Option<Self> {
        let ForbidCalls {
            name,
            name_match,
            args,
            args_match,
            args_not_match,
            result,
            result_match,
            result_not_match,
            exact,
            is_error,
            status,
        } = &entry.value;
        let written = Written {
            span: entry.span,
            name: name.as_ref(),
            name_match: name_match.as_ref(),
            args: args.as_ref(),
            args_match: args_match.as_ref(),
            args_not_match: args_not_match.as_ref(),
            result: result.as_ref(),
            result_match: result_match.as_ref(),
            result_not_match: result_not_match.as_ref(),
            exact: exact.clone(),
            is_error: *is_error,
            status: status.clone(),
            selects_not: true,
        };
        Selector::compile(&written, filling).map(|selector| Self { selector })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("no call of {}", self.selector.describe())
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        let result = &self.selector.result;
        let words = match (self.selector.args.is_empty(), result.is_empty()) {
            _ if result.is_pending() => {
                return format!("broken at the end of {} by a call that has no result", home.words());
            }
            _ if result.is_provisional() => {
                "broken at the end of the turn in which such a result comes, in a later turn too"
            }
            (_, false) => "broken as soon as such a result comes, in a later turn too",
            (false, true) => "broken as soon as the arguments of such a call are known",
            (true, true) => "broken as soon as the tool is called",
        };
        words.to_owned()
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor {
            expected: self.describe(),
            selecting: self.selector.start(patterns)?,
            suspects: BTreeMap::new(),
            answered: Vec::new(),
        })
    }
}

/// Follows each call of the name until it is convicted or can no longer be.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    selecting: Selecting,
    suspects: BTreeMap<usize, Suspect>,
    /// Those whose results fit but may turn out to be failures by the end of the turn.
    answered: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspect {
    /// Its arguments are still coming.
    Started,
    /// Its arguments are forbidden; its result decides.
    Accused,
    /// Convicted, or innocent for good.
    Decided,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => {
                if scope.counts(index) && self.selecting.name.means(&scope.trace.calls[index].name) {
                    self.suspects.insert(index, Suspect::Started);
                    if !self.selecting.has_args() {
                        return self.args_known(scope, index);
                    }
                }
                Judgement::Open
            }
            Moment::Touched(Delta::ArgsDone(index)) => self.args_known(scope, index),
            Moment::Touched(Delta::Answered(index)) => self.answered(scope, index),
            Moment::Touched(Delta::MessageClosed(_)) => Judgement::Open,
            Moment::TurnEnd => {
                let answered = std::mem::take(&mut self.answered);
                self.convict_all(scope, answered)
            }
            Moment::HomeEnd | Moment::TestEnd if self.selecting.is_pending() => {
                let accused = self.accused().collect();
                match self.convict_all(scope, accused) {
                    Judgement::Open => Judgement::Holds,
                    broken => broken,
                }
            }
            // A result that is still to come may convict a call of this home in a later turn.
            Moment::HomeEnd if self.accused().next().is_some() => Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => Judgement::Holds,
        }
    }

    fn accused(&self) -> impl Iterator<Item = usize> {
        let accused = self.suspects.iter().filter(|(_, suspect)| **suspect == Suspect::Accused);
        accused.map(|(index, _)| *index)
    }

    fn args_known(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if self.suspects.get(&index) != Some(&Suspect::Started) {
            return Judgement::Open;
        }
        if !self.selecting.takes_args(&scope.trace.calls[index]) {
            self.suspects.insert(index, Suspect::Decided);
            return Judgement::Open;
        }
        if self.selecting.on_result() {
            self.suspects.insert(index, Suspect::Accused);
            return Judgement::Open;
        }
        Judgement::broken(self.convict(scope, index))
    }

    /// Every result counts, not only the last (SPEC 6).
    fn answered(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        let accused = self.suspects.get(&index) == Some(&Suspect::Accused);
        if !accused || !self.selecting.takes_result(&scope.trace.calls[index]) {
            return Judgement::Open;
        }
        if self.selecting.is_provisional() {
            self.answered.push(index);
            return Judgement::Open;
        }
        Judgement::broken(self.convict(scope, index))
    }

    /// Convicts those that still fit.
    fn convict_all(&mut self, scope: &Scope<'_>, suspects: Vec<usize>) -> Judgement {
        let mut findings = Vec::new();
        for index in suspects {
            let accused = self.suspects.get(&index) == Some(&Suspect::Accused);
            if accused && self.selecting.takes_result(&scope.trace.calls[index]) {
                findings.push(self.convict(scope, index));
            }
        }
        if findings.is_empty() { Judgement::Open } else { Judgement::Broken(findings) }
    }

    fn convict(&mut self, scope: &Scope<'_>, index: usize) -> Finding {
        self.suspects.insert(index, Suspect::Decided);
        let call = &scope.trace.calls[index];
        let what = match (self.selecting.has_args(), self.selecting.on_result()) {
            _ if self.selecting.is_pending() => "was called and has no result, which is forbidden",
            (false, false) => "was called",
            (true, false) => "was called with arguments that are forbidden",
            (false, true) => "was called and had a result that is forbidden",
            (true, true) => "was called with arguments and a result that are forbidden together",
        };
        Finding {
            message: format!("`{}` {what}", short(&call.name)),
            expected: self.expected.clone(),
            seen: vec![Seen::Call { index, misfit: None }],
            events: [Some(call.first_event), call.result().map(|result| result.event)]
                .into_iter()
                .flatten()
                .collect(),
        }
    }
}
