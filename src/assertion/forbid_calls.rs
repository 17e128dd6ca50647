//! `tools.forbid_calls`: calls that must not happen, by name, arguments and result.

use std::collections::BTreeMap;

use super::selector::Selecting;
use super::{Finding, Judgement, Moment, Scope, Seen, Selector};
use crate::model::ForbidCalls;
use crate::trace::Touch;
use crate::variables::{Filling, Patterns};

/// Forbids the calls that satisfy all conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct ForbidCall {
    /// The conditions.
    pub selector: Selector,
}

impl ForbidCall {
    pub(super) fn compile(entry: &ForbidCalls, filling: &mut Filling<'_>) -> Option<Self> {
        let ForbidCalls { name, args_match, result_match } = entry;
        Selector::compile(name, args_match.as_ref(), result_match.as_ref(), filling)
            .map(|selector| Self { selector })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("no call of {}", self.selector.describe())
    }

    /// When it is settled, in words.
    pub fn settled(&self) -> &'static str {
        match (self.selector.args.is_empty(), &self.selector.result) {
            (_, Some(_)) => "broken as soon as such a result comes, in a later turn too",
            (false, None) => "broken as soon as the arguments of such a call are known",
            (true, None) => "broken as soon as the tool is called",
        }
    }

    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor {
            expected: self.describe(),
            selecting: self.selector.start(patterns)?,
            suspects: BTreeMap::new(),
        })
    }
}

/// Follows each call of the name until it is convicted or can no longer be.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    selecting: Selecting,
    suspects: BTreeMap<usize, Suspect>,
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
    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Touch::CallStarted(index)) => {
                if scope.counts(index) && scope.trace.calls[index].name == self.selecting.name {
                    self.suspects.insert(index, Suspect::Started);
                    if !self.selecting.has_args() {
                        return self.args_known(scope, index);
                    }
                }
                Judgement::Open
            }
            Moment::Touched(Touch::ArgsDone(index)) => self.args_known(scope, index),
            Moment::Touched(Touch::Answered(index)) => self.answered(scope, index),
            Moment::Touched(Touch::MessageClosed(_)) | Moment::TurnEnd => Judgement::Open,
            // A result that is still to come may convict a call of this home in a later turn.
            Moment::HomeEnd if self.suspects.values().any(|suspect| *suspect == Suspect::Accused) => {
                Judgement::Open
            }
            Moment::HomeEnd | Moment::TestEnd => Judgement::Holds,
        }
    }

    fn args_known(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if self.suspects.get(&index) != Some(&Suspect::Started) {
            return Judgement::Open;
        }
        if self.selecting.args_misfit(&scope.trace.calls[index]).is_some() {
            self.suspects.insert(index, Suspect::Decided);
            return Judgement::Open;
        }
        if self.selecting.result.is_some() {
            self.suspects.insert(index, Suspect::Accused);
            return Judgement::Open;
        }
        self.convict(scope, index)
    }

    /// Every result counts, not only the last (SPEC 6).
    fn answered(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        let accused = self.suspects.get(&index) == Some(&Suspect::Accused);
        if accused && self.selecting.result_misfit(&scope.trace.calls[index]).is_none() {
            return self.convict(scope, index);
        }
        Judgement::Open
    }

    fn convict(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        self.suspects.insert(index, Suspect::Decided);
        let call = &scope.trace.calls[index];
        let what = match (self.selecting.has_args(), self.selecting.result.is_some()) {
            (false, false) => "was called",
            (true, false) => "was called with arguments that are forbidden",
            (false, true) => "was called and had a result that is forbidden",
            (true, true) => "was called with arguments and a result that are forbidden together",
        };
        Judgement::broken(Finding {
            message: format!("`{}` {what}", self.selecting.name),
            expected: self.expected.clone(),
            seen: vec![Seen::Call { index, misfit: None }],
            events: [Some(call.first_event), call.result().map(|result| result.event)]
                .into_iter()
                .flatten()
                .collect(),
        })
    }
}
