//! Runs the monitors of a test.

use super::judgement::{Finding, Home, Judgement, Moment, Reach, Scope, Told};
use crate::assertion::block::Bound;
use crate::assertion::inherit::{Inherited, TurnRules};
use crate::assertion::limits::Measure;
use crate::assertion::limits::total;
use crate::assertion::rule::Monitor;
use crate::assertion::rule::{Entry, Origin, Rule};
use crate::assertion::script::Question;
use crate::assertion::snapshot::{Captured, Writing};
use crate::diagnostic::Difference;
use crate::outcome::{ErrorKind, Failure, Held, Problem, TimeLimits};
use crate::redact::Redactor;
use crate::trace::{Delta, RunEnd, Trace};
use crate::variables::Patterns;

/// The monitors of one test: those at home in the test, those of the running turn, and those of earlier turns that
/// still wait for results.
#[derive(Debug)]
pub struct Judge {
    rules: Inherited,
    redactor: Redactor,
    patterns: Patterns,
    test: Vec<Watch>,
    turn: Vec<Watch>,
    waiting: Vec<Watch>,
    found: Found,
    /// How many turns have begun.
    begun: usize,
}

/// How a rule stands after all that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can still go either way.
    Open,
    /// It holds, whatever comes.
    Holds,
    /// It does not hold.
    Broken,
}

#[derive(Debug)]
struct Watch {
    path: &'static str,
    origin: Origin,
    home: Home,
    reach: Reach,
    /// What it wants, in words, until it is told that it holds.
    wanted: Option<String>,
    monitor: Monitor,
    settled: bool,
    broken: bool,
    /// Whether somebody else has the last word on it, and has not said it.
    asks: bool,
    /// How many findings were taken since the judge was last asked for them.
    found: usize,
    /// Why it cannot be judged.
    unknown: Option<String>,
}

/// What came out so far.
#[derive(Debug, Default)]
struct Found {
    /// Since it was last told.
    broken: Vec<Broken>,
    /// What is to be kept.
    captured: Vec<Captured>,
    /// What may be.
    writing: Writing,
    /// What somebody else has to say.
    questions: Vec<Question>,
}

/// How often one rule may be found broken in one turn, or one home: an agent may break it without end.
const TOLD: usize = 100;

/// A rule that does not hold, before it is written out.
#[derive(Debug)]
struct Broken {
    path: &'static str,
    origin: Origin,
    finding: Finding,
    difference: Option<Difference>,
    help: Option<String>,
}

impl Judge {
    /// Starts the monitors of the test.
    ///
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub fn start(rules: Inherited, redactor: Redactor) -> Result<Self, regex::Error> {
        let mut patterns = Patterns::default();
        let mut test = Vec::new();
        for entry in &rules.test {
            let monitor = entry.rule.start(&mut patterns)?;
            let reach = rules.reach(entry);
            test.push(Watch { reach, ..Watch::of_rule(entry, Home::Test, monitor) });
        }
        for (measure, bound) in rules.limits.iter().filter(|(measure, _)| measure.is_summed()) {
            let answers = rules.turns.iter().map(|turn| turn.answers_for.contains(&measure)).collect();
            let same = rules.turns.iter().map(|turn| turn.limits.get(measure) == Some(bound)).collect();
            let monitor = Monitor::Sum(total::Monitor::new(measure, bound.clone(), answers, same));
            test.push(Watch::of_limit(measure, bound, Home::Test, monitor));
        }
        Ok(Self {
            rules,
            redactor,
            patterns,
            test,
            turn: Vec::new(),
            waiting: Vec::new(),
            found: Found::default(),
            begun: 0,
        })
    }

    /// The same judge, to whom a snapshot that may be written is no broken rule.
    #[must_use]
    pub fn writing(mut self, writing: Writing) -> Self {
        self.found.writing = writing;
        self
    }

    /// The snapshots that are to be written so that the rules hold which they belong to.
    pub fn take_captured(&mut self) -> Vec<Captured> {
        std::mem::take(&mut self.found.captured)
    }

    /// What is left to ask since this was last looked at: to be asked where all other rules hold, else forgotten.
    pub fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.found.questions)
    }

    /// The rule that `question` is about holds, says who was asked.
    pub fn agreed(&mut self, question: &Question) {
        for watch in self.test.iter_mut().chain(&mut self.turn).filter(|watch| watch.is_of(question)) {
            watch.asks = false;
        }
    }

    /// The rule that `question` is about does not hold, in these words of who was asked.
    pub fn refused(&mut self, question: &Question, words: Option<&str>, trace: &Trace) -> Failure {
        for watch in self.test.iter_mut().chain(&mut self.turn).filter(|watch| watch.is_of(question)) {
            watch.broken = true;
        }
        question.origin.failure(question.path, question.refused(words, &self.redactor), trace)
    }

    /// Takes over what is in force on the turn `index`, counted from 0, which could not be known when the test started.
    pub fn know_turn(&mut self, index: usize, rules: TurnRules) {
        for watch in &mut self.test {
            if let Monitor::Sum(sum) = &mut watch.monitor {
                sum.know_turn(index, &rules);
            }
        }
        if let Some(known) = self.rules.turns.get_mut(index) {
            *known = rules;
        }
    }

    /// Starts the monitors of the turn `index`, counted from 0.
    ///
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub fn begin_turn(&mut self, index: usize) -> Result<(), regex::Error> {
        let home = Home::Turn(index);
        self.begun = index + 1;
        self.waiting.extend(self.turn.drain(..).filter(|watch| !watch.settled && !watch.broken));
        let Some(rules) = self.rules.turns.get(index) else { return Ok(()) };
        for entry in &rules.entries {
            let monitor = entry.rule.start(&mut self.patterns)?;
            let reach = Reach { without_subagents: rules.without_subagents, ..Reach::default() };
            self.turn.push(Watch { reach, ..Watch::of_rule(entry, home, monitor) });
        }
        for (measure, bound) in rules.limits.iter() {
            let monitor = Monitor::of_limit(measure, bound.clone());
            self.turn.push(Watch::of_limit(measure, bound, home, monitor));
        }
        Ok(())
    }

    /// Something happened. Answers whether a rule broke with it.
    pub fn touched(&mut self, trace: &Trace, touch: Delta) -> bool {
        let before = self.found.broken.len();
        for watch in self.waiting.iter_mut().chain(&mut self.test).chain(&mut self.turn) {
            watch.feed(trace, &self.redactor, Moment::Touched(touch), &mut self.found);
        }
        self.found.broken.len() > before
    }

    /// The running turn is over; gives every rule that broke in it. Where it was cut short by an error or a time-out,
    /// nothing it still owed is judged (SPEC 5).
    pub fn end_turn(&mut self, trace: &Trace, cut_short: bool) -> Vec<Failure> {
        for watch in self.test.iter_mut().chain(&mut self.turn) {
            watch.feed(trace, &self.redactor, Moment::TurnEnd, &mut self.found);
        }
        // Behind the last turn nothing can come that a rule of it could wait for.
        let last = self.begun == self.rules.turns.len();
        let end = if last { Moment::TestEnd } else { Moment::HomeEnd };
        for watch in &mut self.turn {
            if !(cut_short && watch.monitor.is_obligation()) {
                watch.feed(trace, &self.redactor, end, &mut self.found);
            }
        }
        self.tell(trace)
    }

    /// The rules that are known to hold since this was last looked at, each with its home: those of the test first, outer
    /// levels first.
    pub fn take_held(&mut self) -> Vec<(Home, Held)> {
        let watches = self.test.iter_mut().chain(&mut self.waiting).chain(&mut self.turn);
        let held = watches.filter(|watch| watch.settled && !(watch.broken || watch.asks));
        let told = held.filter_map(|Watch { path, origin, home, wanted, .. }| {
            let wanted = wanted.take()?;
            Some((*home, Held { rule: path, level: origin.level, place: origin.place.clone(), wanted }))
        });
        told.collect()
    }

    /// A rule of the turn that has just ended that cannot be judged: the test cannot pass, and the rule is not broken.
    pub fn unjudged(&self) -> Option<Problem> {
        self.turn.iter().find_map(|watch| {
            let (why, level) = (watch.unknown.as_ref()?, watch.origin.level.as_str());
            let (path, place) = (watch.path, &watch.origin.place);
            Some(Problem {
                kind: ErrorKind::Agent,
                message: format!("{why}: the {level} rule `{path}` ({place}) cannot be judged"),
                help: Some("drop the limit, or switch it off for this turn with `false`".to_owned()),
            })
        })
    }

    /// What is allowed to the running turn.
    pub fn time_limits(&self) -> TimeLimits {
        let turn = self.begun.checked_sub(1).and_then(|index| self.rules.turns.get(index));
        let most = |measure| Some(turn?.limits.get(measure)?.most);
        TimeLimits {
            duration_ms: most(Measure::Duration),
            idle_ms: most(Measure::Idle),
            first_text_ms: most(Measure::FirstToken),
            tool_ms: most(Measure::Tool),
        }
    }

    /// Whether the running turn may end so: an error or a cancelled run is none where a rule expects it.
    pub fn expects(&self, outcome: &RunEnd) -> bool {
        let Some(index) = self.begun.checked_sub(1) else { return false };
        let last = self.rules.turns.iter().rposition(|turn| !turn.is_replay);
        let of_turn = self.rules.turns.get(index).map_or(&[][..], |turn| &turn.entries);
        let of_test: &[Entry] = if last == Some(index) { &self.rules.test } else { &[] };
        of_turn.iter().chain(of_test).any(|entry| match &entry.rule {
            Rule::Outcome(expected) => expected.expects(outcome),
            _ => false,
        })
    }

    /// The test is over; gives every rule that the test as a whole does not keep.
    pub fn settle(&mut self, trace: &Trace) -> Vec<Failure> {
        for watch in self.waiting.iter_mut().chain(&mut self.turn).chain(&mut self.test) {
            watch.feed(trace, &self.redactor, Moment::TestEnd, &mut self.found);
        }
        self.tell(trace)
    }

    /// What broke since it was last told, written out as the trace is now.
    fn tell(&mut self, trace: &Trace) -> Vec<Failure> {
        for watch in self.waiting.iter_mut().chain(&mut self.test).chain(&mut self.turn) {
            let untold = std::mem::take(&mut watch.found).saturating_sub(TOLD);
            if untold > 0
                && let Some(last) = self.found.broken.iter_mut().rfind(|broken| broken.is_of(watch))
            {
                let message = &last.finding.message;
                last.finding.message = format!("{message} (and {untold} more times, which are not listed)");
            }
        }
        let broken = self.found.broken.drain(..);
        let failure = |Broken { path, origin, finding, difference, help }: Broken| Failure {
            difference,
            help,
            ..origin.failure(path, finding, trace)
        };
        broken.map(failure).collect()
    }

    /// How each rule in force stands, outer levels first; a settled rule of a turn is gone when the next turn begins.
    pub fn standings(&self) -> impl Iterator<Item = (&'static str, Standing)> {
        self.test.iter().chain(&self.turn).chain(&self.waiting).map(|watch| {
            let standing = match (watch.broken, watch.settled) {
                (true, _) => Standing::Broken,
                (false, true) => Standing::Holds,
                (false, false) => Standing::Open,
            };
            (watch.path, standing)
        })
    }

    /// Whether a rule about tool calls is in force anywhere.
    pub fn looks_at_tools(&self) -> bool {
        let turns = self.rules.turns.iter().flat_map(|turn| &turn.entries);
        self.rules.test.iter().chain(turns).any(|entry| entry.rule.is_about_tools())
    }
}

impl Watch {
    fn of_rule(Entry { rule, origin }: &Entry, home: Home, monitor: Monitor) -> Self {
        Self::new(rule.path(), origin, home, monitor, rule.describe())
    }

    fn of_limit(measure: Measure, bound: &Bound, home: Home, monitor: Monitor) -> Self {
        let wanted = format!("at most {}", bound.describe(measure));
        Self::new(measure.path(), &bound.origin, home, monitor, wanted)
    }

    fn new(path: &'static str, origin: &Origin, home: Home, monitor: Monitor, wanted: String) -> Self {
        Self {
            path,
            origin: origin.clone(),
            home,
            reach: Reach::default(),
            wanted: Some(wanted),
            monitor,
            settled: false,
            broken: false,
            asks: false,
            found: 0,
            unknown: None,
        }
    }

    /// Feeds the monitor; an obligation that is broken is settled, a prohibition may be broken again.
    fn feed(&mut self, trace: &Trace, redactor: &Redactor, moment: Moment, found: &mut Found) {
        // What broke in a turn is not told again when the home as a whole is looked at.
        let told = self.broken && matches!(moment, Moment::HomeEnd | Moment::TestEnd);
        if self.settled || told {
            return;
        }
        match self.monitor.watch(&Scope { trace, home: self.home, reach: &self.reach, redactor }, moment) {
            Judgement::Open => {}
            Judgement::Holds => self.settled = true,
            Judgement::Differs(captured) => {
                self.settled = true;
                if captured.is_taken(found.writing) {
                    return found.captured.push(*captured);
                }
                self.tell(captured.told(), found);
            }
            Judgement::Told(told) => {
                self.settled = true;
                self.tell(*told, found);
            }
            Judgement::Asks(asks) => {
                (self.settled, self.asks) = (true, true);
                let (script, request) = *asks;
                let (path, origin) = (self.path, self.origin.clone());
                found.questions.push(Question { script, request, path, origin });
            }
            Judgement::Unknown(why) => {
                self.unknown = Some(why);
                (self.broken, self.settled) = (true, true);
            }
            Judgement::Broken(findings) => {
                let again = matches!(self.monitor, Monitor::MustNotMatch(_)) && self.is_among(&found.broken);
                // The same text found in a message and again in the joined text is one failure.
                if !again {
                    let (path, origin, room) = (self.path, &self.origin, TOLD.saturating_sub(self.found));
                    self.found += findings.len();
                    let told = findings.into_iter().take(room);
                    let broken = |finding| Broken {
                        path,
                        origin: origin.clone(),
                        finding,
                        difference: None,
                        help: None,
                    };
                    found.broken.extend(told.map(broken));
                }
                self.broken = true;
                self.settled = self.monitor.is_obligation();
            }
        }
    }

    fn tell(&mut self, told: Told, found: &mut Found) {
        let (path, origin) = (self.path, self.origin.clone());
        let Told { finding, difference, help } = told;
        found.broken.push(Broken { path, origin, finding, difference, help });
        self.broken = true;
    }

    fn is_of(&self, question: &Question) -> bool {
        self.path == question.path && self.origin == question.origin
    }

    fn is_among(&self, broken: &[Broken]) -> bool {
        broken.iter().any(|known| known.is_of(self))
    }
}

impl Broken {
    fn is_of(&self, watch: &Watch) -> bool {
        self.path == watch.path && self.origin == watch.origin
    }
}
