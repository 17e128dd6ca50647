//! `sequence`: in which order calls, results and messages must come.
//!
//! Compiled steps flow in, what happened is walked over when the home is over ([`walk`]), matched with the steps
//! ([`matching`]) and, where it does not go with them, told beside them ([`miss`]). The mode `only` is a prohibition and
//! judges what comes when it comes ([`only`]). The cost grows with the steps times what happened, never faster.

use crate::assertion::judge::{Home, Judgement, Moment, Scope};
use crate::diagnostic::{Code, Span};
use crate::model::{SequenceMode, SequenceRule};
use crate::trace::Trace;
use crate::variables::{Filling, Patterns};

use super::matching::{self, Matched};
use super::miss::Miss;
use super::only::Only;
use super::step::{Fitting, Step};
use super::walk::{Item, Kinds, walk};

/// How many steps one rule may have: what is done for each thing that happens grows with them.
const MOST_STEPS: usize = 200;

/// How many steps are listed in words.
const LISTED_STEPS: usize = 6;

/// Steps, and how what happens must go with them (SPEC 7.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// How.
    pub mode: SequenceMode,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Sequence {
    pub(crate) fn compile(written: &SequenceRule, span: Span, filling: &mut Filling<'_>) -> Option<Self> {
        let SequenceRule { mode, steps } = written;
        if steps.len() > MOST_STEPS {
            let message =
                format!("a sequence of {} steps is longer than the {MOST_STEPS} it may have", steps.len());
            let help = "write a sequence on each turn, which is about that turn alone";
            filling.report(Code::LimitExceeded, span, message, Some(help.to_owned()));
            return None;
        }
        // Every step is looked at, so that every problem is reported.
        let steps: Vec<Option<Step>> = steps.iter().map(|step| Step::compile(step, *mode, filling)).collect();
        Some(Self { mode: *mode, steps: steps.into_iter().collect::<Option<_>>()? })
    }

    /// Whether what breaks it is there as soon as it happens, and nothing is owed.
    pub fn is_prohibition(&self) -> bool {
        self.mode == SequenceMode::Only
    }

    /// Whether it looks at calls or their results.
    pub fn is_about_tools(&self) -> bool {
        let Kinds { calls, results, .. } = Kinds::of(&self.steps);
        calls || results
    }

    /// The steps without which it does not hold.
    pub(crate) fn owed(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.optional && !self.is_prohibition())
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let mut steps: Vec<String> = self.steps.iter().take(LISTED_STEPS).map(Step::describe).collect();
        if self.steps.len() > LISTED_STEPS {
            steps.push(format!("and {} more", self.steps.len() - LISTED_STEPS));
        }
        let (kinds, steps) = (Kinds::of(&self.steps).words(), steps.join("; "));
        match self.mode {
            SequenceMode::Exact => format!("exactly these {kinds}, in this order: {steps}"),
            SequenceMode::InOrder => format!("in this order, others between: {steps}"),
            SequenceMode::AnyOrder => format!("exactly these {kinds}, in any order: {steps}"),
            SequenceMode::AtLeast => format!("in any order, others too: {steps}"),
            SequenceMode::Only => format!("no {kinds} but these: {steps}"),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        if self.is_prohibition() {
            return "broken as soon as something comes that no step allows".to_owned();
        }
        format!("settled at the end of {}", home.words())
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        let steps: Result<Vec<Fitting>, regex::Error> =
            self.steps.iter().map(|step| step.start(patterns)).collect();
        let watching = Watching { expected: self.describe(), kinds: Kinds::of(&self.steps), steps: steps? };
        Ok(if self.is_prohibition() {
            Monitor::Only(Only::new(watching))
        } else {
            Monitor::Owed(Owed { rule: self.clone(), watching })
        })
    }
}

/// What every mode watches with.
#[derive(Debug)]
pub(crate) struct Watching {
    pub(super) expected: String,
    pub(super) kinds: Kinds,
    /// The steps at work.
    pub(super) steps: Vec<Fitting>,
}

/// Watches over a sequence.
#[derive(Debug)]
pub enum Monitor {
    /// Nothing but what the steps allow may come.
    Only(Only),
    /// What the steps say is owed.
    Owed(Owed),
}

impl Monitor {
    pub(crate) fn is_obligation(&self) -> bool {
        matches!(self, Self::Owed(_))
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match self {
            Self::Only(only) => only.watch(scope, moment),
            Self::Owed(owed) => owed.watch(scope, moment),
        }
    }
}

/// Judged once, at the end of its home, on all that happened in it.
#[derive(Debug)]
pub struct Owed {
    rule: Sequence,
    watching: Watching,
}

impl Owed {
    fn watch(&self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let items = walk(scope, self.watching.kinds);
        let matched = self.matched(&items, scope.trace);
        if matched.holds() {
            return Judgement::Holds;
        }
        let Self { rule, watching } = self;
        Judgement::Told(Box::new(Miss { rule, watching, items: &items, matched: &matched, scope }.told()))
    }

    fn matched(&self, items: &[Item], trace: &Trace) -> Matched {
        let optional: Vec<bool> = self.rule.steps.iter().map(|step| step.optional).collect();
        let fits = |step: usize, item: usize| self.watching.steps[step].fits(trace, items[item]);
        match self.rule.mode {
            SequenceMode::Exact => matching::exact(&optional, items.len(), fits),
            SequenceMode::InOrder => matching::in_order(&optional, items.len(), fits),
            SequenceMode::AnyOrder => matching::any_order(&optional, items.len(), fits),
            SequenceMode::AtLeast | SequenceMode::Only => matching::at_least(&optional, items.len(), fits),
        }
    }
}
