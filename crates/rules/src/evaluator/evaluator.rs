//! Runs the monitors of a test.

use std::collections::HashSet;

use super::watch::{NewFindings, RuleWatch, WatchActivity};
use crate::evaluation::{
    CallCounting, Captured, CodedWarning, Decision, Exclusions, JudgingTime, Measure, Moment,
    Question, RuleOrigin, RuleScope, Writing, total,
};
use crate::inherit::{Inherited, TurnRules};
use crate::limit_registry::monitor;
use crate::rule::RuleEntry;
use crate::rule_properties::RuleProperties;
use ananke_base::context::interruption::is_everything_given_up;
use ananke_model::variables::Patterns;
use ananke_trace::outcome::{ErrorKind, Halt, Problem, RuleResult, TimeLimits};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Delta, RunEnd, Trace};

/// Whether a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It did.
    Complete,
    /// An error, a timeout or a rule ended it.
    Aborted,
}

/// The turns that follow a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Another turn, as far as is known.
    Turns,
    /// Nothing: it was the last turn.
    Nothing,
}

/// The monitors of one test: those with the test as their scope, those of the running turn, and those of earlier turns
/// that still wait for results.
#[derive(Debug)]
pub struct Evaluator {
    rules: Inherited,
    redactor: Redactor,
    patterns: Patterns,
    test: Vec<RuleWatch>,
    turn: Vec<RuleWatch>,
    waiting: Vec<RuleWatch>,
    found: NewFindings,
    not_shown: Vec<RuleResult>,
    counting: CallCounting,
    /// The warnings about calls that nothing counted.
    uncounted: Vec<String>,
    /// The number of warnings that `--deny-warnings` makes failures.
    denied_warnings: usize,
    /// The number of turns that have begun.
    begun: usize,
    /// The time that the rules may compute.
    time: JudgingTime,
}

impl Evaluator {
    /// Starts the monitors of the test.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn start(rules: Inherited, redactor: Redactor) -> Result<Self, regex::Error> {
        Self::start_with(Patterns::default(), rules, redactor)
    }

    /// The same with patterns that need not be compiled again.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn start_with(
        mut patterns: Patterns,
        rules: Inherited,
        redactor: Redactor,
    ) -> Result<Self, regex::Error> {
        let mut test = Vec::new();
        for entry in &rules.test {
            let monitor = entry.rule.monitor(&mut patterns)?;
            test.push(RuleWatch::of_rule(
                entry,
                RuleScope::Test,
                rules.exclusions(entry),
                monitor,
            ));
        }
        for (measure, bound) in rules
            .limits
            .iter()
            .filter(|(measure, _)| measure.has_total())
        {
            let mut monitor = total(measure, bound.clone());
            for (index, turn) in rules.turns.iter().enumerate() {
                monitor.set_turn_rules(index, &turn.limits, &turn.separate);
            }
            test.push(RuleWatch::of_limit(
                measure,
                bound,
                RuleScope::Test,
                monitor,
            ));
        }
        let (turn, waiting, found) = (Vec::new(), Vec::new(), NewFindings::default());
        Ok(Self {
            rules,
            redactor,
            patterns,
            test,
            turn,
            waiting,
            found,
            not_shown: Vec::new(),
            counting: CallCounting::default(),
            uncounted: Vec::new(),
            denied_warnings: 0,
            begun: 0,
            time: JudgingTime::default(),
        })
    }

    /// The compiled patterns of the rules that have watched so far.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The same evaluator, whose rules have no more than this time.
    #[must_use]
    pub fn with_time(mut self, time: JudgingTime) -> Self {
        self.time = time;
        self
    }

    /// The reason why a test ends whose rules were given up: they took longer than they may, or the program is to end.
    pub fn given_up(&self) -> Option<Halt> {
        let problem = self.overtime()?;
        let halt = if is_everything_given_up() {
            Halt::Stopped
        } else {
            problem.into()
        };
        Some(halt)
    }

    /// The problem of a test whose rules took longer than they may: nothing that they answered since counts.
    pub fn overtime(&self) -> Option<Problem> {
        if !self.time.is_over() {
            return None;
        }
        let mut watches = self.waiting.iter().chain(&self.test).chain(&self.turn);
        let slow = watches
            .find(|watch| watch.activity == WatchActivity::Computing)
            .map(RuleWatch::named);
        Some(self.time.problem(slow.as_deref()))
    }

    /// Whether the rules were given up.
    pub fn is_given_up(&self) -> bool {
        self.time.is_over()
    }

    /// The answer of `compute`; the default if there is no time for it.
    fn judge<T: Default>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> T {
        let time = self.time.clone();
        time.judge(|| compute(self)).unwrap_or_default()
    }

    /// What `compute` finds with the patterns and the redactor of the rules, in the time that they have; `None` if that is over.
    pub(crate) fn compute<T>(
        &mut self,
        compute: impl FnOnce(&mut Patterns, &Redactor) -> T,
    ) -> Option<T> {
        self.judge(|evaluator| Some(compute(&mut evaluator.patterns, &evaluator.redactor)))
    }

    /// The same evaluator, to which a snapshot that may be written is no failure.
    #[must_use]
    pub fn writing(mut self, writing: Writing) -> Self {
        self.found.writing = writing;
        self
    }

    /// The same evaluator, which reports rules that the conversation does not show apart from failures.
    #[must_use]
    pub fn withholding(mut self) -> Self {
        self.found.withholds = true;
        self
    }

    /// Takes the snapshots to write, so that their rules pass.
    pub fn take_captured(&mut self) -> Vec<Captured> {
        std::mem::take(&mut self.found.captured)
    }

    /// Takes the questions since the last call: to be asked if all other rules pass, else dropped.
    pub fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.found.questions)
    }

    /// Takes over what was decided about the rule of `question`; returns its failure if it fails.
    pub fn decide(
        &mut self,
        question: &Question,
        decision: Decision,
        trace: &Trace,
    ) -> Option<RuleResult> {
        let finding = question.rejection(&decision, &self.redactor);
        let (is_asked, ruling) = match decision {
            Decision::NotAsked => (false, None),
            Decision::Ruled(ruling) => (true, Some(ruling)),
            Decision::Confirmed | Decision::Rejected(_) => (true, None),
        };
        for watch in self.asking(question).filter(|_| is_asked) {
            (watch.is_asking, watch.has_failed) = (false, finding.is_some());
            watch.ruling.clone_from(&ruling);
        }
        let failure = question
            .origin
            .failure(question.path, finding?, trace, question.scope);
        Some(RuleResult { ruling, ..failure })
    }

    fn asking(&mut self, question: &Question) -> impl Iterator<Item = &mut RuleWatch> {
        let watches = self.test.iter_mut().chain(&mut self.turn);
        watches.filter(|watch| watch.is_of(question.path, &question.origin))
    }

    /// Takes over the rules of the turn `index`, counted from 0, which were unknown when the test started. It need not be
    /// one of the turns that are written.
    pub fn set_turn_rules(&mut self, index: usize, rules: TurnRules) {
        for unwritten in self.rules.turns.len()..=index {
            let rules = self.rules.of_unwritten_turn();
            self.set_total_rules(unwritten, &rules);
            self.rules.turns.push(rules);
        }
        self.set_total_rules(index, &rules);
        self.rules.turns[index] = rules;
    }

    fn set_total_rules(&mut self, index: usize, rules: &TurnRules) {
        for watch in &mut self.test {
            watch
                .monitor
                .set_turn_rules(index, &rules.limits, &rules.separate);
        }
    }

    /// Starts the monitors of the turn `index`, counted from 0. To a turn that is not written, the rules of the target and
    /// the test apply.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn begin_turn(&mut self, index: usize) -> Result<(), regex::Error> {
        let scope = RuleScope::Turn(index);
        self.begun = index + 1;
        for watch in self.turn.drain(..) {
            watch.count_calls(&mut self.counting);
            if !watch.is_decided && !watch.has_failed {
                self.waiting.push(watch);
            }
        }
        if index >= self.rules.turns.len() {
            self.set_turn_rules(index, self.rules.of_unwritten_turn());
        }
        let rules = &self.rules.turns[index];
        for entry in &rules.entries {
            let monitor = entry.rule.monitor(&mut self.patterns)?;
            let exclusions = Exclusions {
                subagents: rules.excludes_subagents,
                ..Exclusions::default()
            };
            self.turn
                .push(RuleWatch::of_rule(entry, scope, exclusions, monitor));
        }
        for (measure, bound) in rules.limits.iter() {
            self.turn.push(RuleWatch::of_limit(
                measure,
                bound,
                scope,
                monitor(measure, bound.clone()),
            ));
        }
        Ok(())
    }

    /// Something happened. Answers whether a rule failed with it, as far as is known now.
    pub fn touched(&mut self, trace: &Trace, touch: Delta) -> bool {
        let before = self.found.violations.len();
        self.time.judge(|| {
            let watches = self.waiting.iter_mut().chain(&mut self.test);
            for watch in watches.chain(&mut self.turn) {
                let moment = Moment::Touched(touch);
                watch.feed(trace, &self.redactor, moment, &mut self.found);
            }
        });
        std::mem::take(&mut self.found.fails_so_far) || self.found.violations.len() > before
    }

    /// The running turn has ended; returns every rule that failed in it. If it was aborted by an error or a timeout,
    /// requirements that are still open are not judged (SPEC 5).
    pub fn end_turn(
        &mut self,
        trace: &Trace,
        completion: Completion,
        following: Following,
    ) -> Vec<RuleResult> {
        self.judge(|evaluator| evaluator.feed_end_of_turn(trace, completion, following));
        self.judge(|evaluator| evaluator.take_failures(trace))
    }

    fn feed_end_of_turn(&mut self, trace: &Trace, completion: Completion, following: Following) {
        for watch in self.test.iter_mut().chain(&mut self.turn) {
            watch.feed(trace, &self.redactor, Moment::TurnEnd, &mut self.found);
        }
        // After the last turn nothing can arrive that a rule of it could wait for. What a turn that was aborted lacks is
        // missing for a reason that is reported already.
        let end = if following == Following::Nothing && completion == Completion::Complete {
            Moment::TestEnd
        } else {
            Moment::ScopeEnd
        };
        for watch in &mut self.turn {
            if completion == Completion::Complete || !watch.is_requirement() {
                watch.feed(trace, &self.redactor, end, &mut self.found);
            }
        }
    }

    /// Takes the rules that have passed since the last call, each with its scope: those of the test first, outer levels
    /// first. Rules that rest on what could not be read, or is not shown, are none of them (SPEC 13).
    pub fn take_passed(&mut self, trace: &Trace) -> Vec<(RuleScope, RuleResult)> {
        self.judge(|evaluator| evaluator.withhold_unread(trace));
        if self.time.is_over() {
            return Vec::new();
        }
        let watches = self
            .test
            .iter_mut()
            .chain(&mut self.waiting)
            .chain(&mut self.turn);
        let passed =
            watches.filter(|watch| watch.is_decided && !(watch.has_failed || watch.is_asking));
        let passed = passed.filter_map(
            |RuleWatch {
                 path,
                 origin,
                 scope,
                 expected,
                 measured,
                 looked_in,
                 ruling,
                 monitor,
                 ..
             }| {
                let passed = RuleResult {
                    measured: *measured,
                    looked_in: *looked_in,
                    ruling: ruling.take(),
                    counts: monitor.counts(),
                    ..origin.passed(path, expected.take()?)
                };
                Some((*scope, passed))
            },
        );
        passed.collect()
    }

    /// Takes the rules that neither passed nor failed since the last call, because something could not be read or is not shown.
    pub fn take_not_shown(&mut self) -> Vec<RuleResult> {
        std::mem::take(&mut self.not_shown)
    }

    /// Puts the rules away that are decided and rest on what was not read, or is not shown. A requirement that is satisfied
    /// is satisfied whatever else there is, unless it is complete.
    fn withhold_unread(&mut self, trace: &Trace) {
        let watches = self
            .test
            .iter_mut()
            .chain(&mut self.waiting)
            .chain(&mut self.turn);
        for watch in watches.filter(|watch| watch.is_decided && !watch.has_failed) {
            watch.reconsider(trace);
            let Some(lacks) = &watch.lacks else {
                continue;
            };
            let Some(wanted) = watch.expected.take() else {
                continue;
            };
            let rule = watch.origin.not_shown(watch.path, wanted, lacks.clone());
            self.not_shown.push(rule);
        }
    }

    /// Takes the warnings of rules since the last call, those of the test first.
    pub fn take_warnings(&mut self) -> Vec<String> {
        let watches = self
            .test
            .iter_mut()
            .chain(&mut self.waiting)
            .chain(&mut self.turn);
        let mut warnings = Vec::new();
        for RuleWatch {
            path,
            origin,
            monitor,
            ..
        } in watches
        {
            if let Some(warning) = monitor.take_warning() {
                warnings.push(format!("`{path}` ({}): {warning}", origin.place));
            }
            for warning in monitor.take_coded_warnings() {
                self.denied_warnings += usize::from(CodedWarning::is_deniable(origin));
                warnings.push(warning.line(path, origin));
            }
        }
        warnings.append(&mut self.uncounted);
        warnings
    }

    /// The values in rules that look like conditions or patterns and, as the conversation shows, are meant so: a warning each.
    pub fn lookalikes(&mut self, trace: &Trace) -> Vec<String> {
        let Inherited { test, turns, .. } = &self.rules;
        let of_turns = turns.iter().take(self.begun).flat_map(|turn| &turn.entries);
        let mut warnings = Vec::new();
        let mut known = HashSet::new();
        for RuleEntry { path, rule, origin } in test.iter().chain(of_turns) {
            // A rule can be in several turns.
            if !known.insert((*path, &origin.place)) {
                continue;
            }
            for selector in rule.selectors() {
                for warning in selector.lookalikes(&trace.calls) {
                    self.denied_warnings += usize::from(CodedWarning::is_deniable(origin));
                    warnings.push(warning.line(path, origin));
                }
            }
        }
        warnings
    }

    /// The number of warnings taken so far that `--deny-warnings` makes failures.
    pub fn denied_warnings(&self) -> usize {
        self.denied_warnings
    }

    /// A rule of the turn that has just ended that cannot be evaluated: the test cannot pass, and the rule has not failed.
    pub fn unjudged(&self) -> Option<Problem> {
        self.turn.iter().find_map(|watch| {
            let why = watch.unknown.as_ref()?;
            Some(Problem {
                kind: ErrorKind::Agent,
                message: format!("{why}: {} could not be evaluated", watch.named()),
                help: Some(
                    "drop the limit, or switch it off for this turn with `false`".to_owned(),
                ),
            })
        })
    }

    /// Whether so many requests are more than the limit of the running turn allows.
    pub fn exceeds_rounds(&self, requests: usize) -> bool {
        if let Some(index) = self.begun.checked_sub(1)
            && let Some(turn) = self.rules.turns.get(index)
            && let Some(bound) = turn.limits.get(Measure::Rounds)
            && let Ok(most) = usize::try_from(bound.most)
        {
            requests > most
        } else {
            false
        }
    }

    /// The limits of time of the running turn.
    pub fn time_limits(&self) -> TimeLimits {
        let turn = self
            .begun
            .checked_sub(1)
            .and_then(|index| self.rules.turns.get(index));
        let most = |measure| Some(turn?.limits.get(measure)?.most);
        TimeLimits {
            duration_ms: most(Measure::Duration),
            idle_ms: most(Measure::Idle),
            first_text_ms: most(Measure::FirstToken),
            tool_ms: most(Measure::Tool),
        }
    }

    /// Whether a rule expects the running turn to end so: an error or a cancelled run is then no problem.
    pub fn expects(&self, outcome: &RunEnd) -> bool {
        let Some(index) = self.begun.checked_sub(1) else {
            return false;
        };
        let of_turn = self
            .rules
            .turns
            .get(index)
            .map_or(&[][..], |turn| &turn.entries);
        let of_test: &[RuleEntry] = if self.rules.may_be_last(index) {
            &self.rules.test
        } else {
            &[]
        };
        of_turn
            .iter()
            .chain(of_test)
            .any(|entry| entry.rule.expects(outcome))
    }

    /// The test has ended; returns every rule that failed on the test as a whole.
    pub fn settle(&mut self, trace: &Trace) -> Vec<RuleResult> {
        self.time.judge(|| {
            let watches = self.waiting.iter_mut().chain(&mut self.turn);
            for watch in watches.chain(&mut self.test) {
                watch.feed(trace, &self.redactor, Moment::TestEnd, &mut self.found);
            }
        });
        self.judge(Self::count_calls);
        self.judge(|evaluator| evaluator.take_failures(trace))
    }

    /// Looks for the calls that an exact number does not include, and that no other rule looked at.
    fn count_calls(&mut self) {
        let watches = self.waiting.iter().chain(&self.turn).chain(&self.test);
        for watch in watches {
            watch.count_calls(&mut self.counting);
        }
        for (path, origin, warning) in std::mem::take(&mut self.counting).warnings() {
            self.denied_warnings += usize::from(CodedWarning::is_deniable(&origin));
            self.uncounted.push(warning.line(path, &origin));
        }
    }

    /// Takes what failed since the last call, written out as the trace is now.
    fn take_failures(&mut self, trace: &Trace) -> Vec<RuleResult> {
        for watch in self
            .waiting
            .iter_mut()
            .chain(&mut self.test)
            .chain(&mut self.turn)
        {
            watch.count_unlisted(&mut self.found.violations);
        }
        self.found
            .violations
            .drain(..)
            .map(|violation| violation.failure(trace))
            .collect()
    }

    /// The requirements of the whole test that nothing has decided yet, each rule with the place where it is defined.
    pub fn open_rules(&self) -> impl Iterator<Item = (&'static str, &RuleOrigin)> {
        let open = self
            .test
            .iter()
            .filter(|watch| watch.is_asking || !(watch.is_decided || watch.has_failed));
        open.map(|watch| (watch.path, &watch.origin))
    }

    /// Whether the turn at `index`, counted from 0, has rules about more than times and tokens.
    pub fn looks_at_agent_in(&self, index: usize) -> bool {
        let entries = self.rules.turns.get(index).map(|turn| &turn.entries);
        let mut entries = entries.into_iter().flatten();
        entries.any(|entry| RuleProperties::is_about_agent(entry.path))
    }

    /// Whether a rule about tool calls applies anywhere.
    pub fn looks_at_tools(&self) -> bool {
        let turns = self.rules.turns.iter().flat_map(|turn| &turn.entries);
        self.rules
            .test
            .iter()
            .chain(turns)
            .any(RuleEntry::is_about_tools)
    }
}
