//! The summary of a test that a comparison keeps: a few words and numbers, whatever the size of its transcript.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::conversation_facts::{ConversationFacts, FoundValue, LookedAt};
use crate::run_document::Dollars;
use ananke_base::text::{Usd, truncate};
use ananke_trace::outcome::{Outcome, Status, TranscriptLine};
use ananke_trace::trace::Cost;

/// The most ways in which the runs of one test went that are kept.
const MOST_WAYS: usize = 20;

/// The most bytes of a name, a place or a reason that is kept.
const LONGEST: usize = 400;

/// A test in the runs of one side: of several, all but the counts is about the first that failed, else about the first that ran.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub(crate) struct TestSummary {
    #[serde(skip)]
    pub(crate) id: String,
    /// The verdict: `passed`, `failed`, `error`, `timeout`, `skipped`.
    #[schemars(with = "String")]
    pub(crate) status: Status,
    /// How often it ran: once in each report, unless `--runs` repeated it; 0 if it was skipped.
    #[schemars(extend("x-since" = "1.1"))]
    pub(crate) runs: u32,
    /// How many of these runs passed.
    #[schemars(extend("x-since" = "1.1"))]
    pub(crate) passed: u32,
    /// Whether it was not run for a reason that is neither in its file nor on the command line.
    #[serde(skip)]
    pub(crate) is_not_run: bool,
    /// Whether it passed only on a retry.
    pub(crate) flaky: bool,
    /// Whether it is in quarantine, so that it does not fail the run.
    pub(crate) quarantined: bool,
    /// The agent's time, in milliseconds with up to three decimals; the mean of several runs that passed.
    #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
    #[schemars(with = "f64")]
    pub(crate) duration_us: u64,
    /// The tokens of a run, as far as all of them are known; the mean of several runs. Omitted otherwise.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// The cost of a run in US dollars, as far as all of it is known; the mean of several runs. Omitted otherwise.
    #[schemars(extend("x-since" = "1.1"), with = "Option<f64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_usd: Option<Dollars>,
    /// The number of turns that were sent.
    #[serde(skip)]
    pub(crate) turns: usize,
    /// The called tools, in the order in which the calls started.
    pub(crate) tools: Vec<String>,
    /// How its last run ended: `finished`, `error`, `interrupted`, `cancelled`; omitted if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ending: Option<String>,
    /// Why it did not pass or was not run, on one line; omitted if it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The file and the line of the rule that failed, or of the test; empty if it did not fail.
    #[serde(skip)]
    pub(crate) place: (String, u32),
    /// The value that the rule which failed is about, and that value.
    #[serde(skip)]
    pub(crate) looked_at: Option<(LookedAt, FoundValue)>,
    /// The values of a run that did not fail.
    #[serde(skip)]
    pub(crate) facts: Option<Box<ConversationFacts>>,
    /// The other ways in which its runs went.
    #[serde(skip)]
    other_ways: Vec<RunWay>,
}

/// The way in which a run went: the tools that it called, and its end.
#[derive(Clone, Debug, PartialEq)]
struct RunWay {
    tools: Vec<String>,
    ending: Option<String>,
}

#[expect(
    clippy::cast_precision_loss,
    reason = "285 years of microseconds are exact"
)]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "a serializer asks so")]
fn milliseconds<S: Serializer>(us: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*us as f64 / 1000.0)
}

/// A text that is kept, as far as there is room for it.
fn bounded(text: &str) -> String {
    truncate::bytes(text, LONGEST).into_owned()
}

/// The names of the called tools, in the order in which the calls started.
fn called_tools(outcome: &Outcome) -> Vec<String> {
    let mut tools = Vec::new();
    for turn in &outcome.transcript.turns {
        for line in &turn.lines {
            if let TranscriptLine::Calls(call) = line {
                tools.push(bounded(&call.name));
            }
        }
    }
    tools
}

/// The tokens and the cost of one of so many runs, as far as all of them are known.
fn spent_by_each(outcome: &Outcome, runs: u32) -> (Option<u64>, Option<Dollars>) {
    let (_, spent) = outcome.spent();
    let each = u64::from(runs.max(1));
    let mut tokens = None;
    if spent.turns > 0
        && spent.unreported == 0
        && let Some(total) = spent.usage.total.whole()
    {
        tokens = Some(total / each);
    }
    let mut cost = None;
    if let Some(Some(whole)) = spent.cost().map(Cost::whole) {
        cost = Some(Dollars(Usd(whole.0 / each)));
    }
    (tokens, cost)
}

/// The mean of two numbers with these weights; `None` if one of them is not known.
fn mean(numbers: [Option<u64>; 2], weights: [u64; 2]) -> Option<u64> {
    let mut sum = 0;
    for (number, weight) in numbers.into_iter().zip(weights) {
        // A test that did not run has no numbers, and needs none.
        if weight > 0 {
            sum += u128::from(number?) * u128::from(weight);
        }
    }
    let runs = u128::from(weights[0] + weights[1]).max(1);
    u64::try_from(sum / runs).ok()
}

impl TestSummary {
    /// The summary of a test.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let status = outcome.status();
        let mut reason = None;
        if status != Status::Passed
            && let Some((_, finding)) = outcome.headline()
        {
            reason = finding.lines().next().map(bounded);
        }
        let (runs, passed) = match outcome.stability.as_deref() {
            Some(stability) => (stability.runs(), stability.passed),
            None if status == Status::Skipped => (0, 0),
            None => (1, u32::from(status == Status::Passed)),
        };
        let (tokens, cost_usd) = spent_by_each(outcome, runs);
        let facts = ConversationFacts::of(outcome);
        let mut place = (String::new(), 0);
        let mut looked_at = None;
        let mut kept_facts = None;
        // A failure is compared by the value that it looked at, which a run that did not fail has to be asked for.
        if status.fails_the_run() {
            let (file, line) = outcome.headline_place();
            place = (bounded(file), line);
            if let Some(at) = LookedAt::of(outcome, &facts) {
                let value = facts.value(&at);
                looked_at = Some((at, value));
            }
        } else {
            kept_facts = Some(Box::new(facts));
        }
        Self {
            id: outcome.test.id.clone(),
            status,
            runs,
            passed,
            is_not_run: status == Status::Skipped && !outcome.is_skipped_on_purpose(),
            flaky: outcome.is_flaky(),
            quarantined: outcome.test.quarantine.is_some(),
            duration_us: outcome.transcript.duration_us,
            tokens,
            cost_usd,
            turns: outcome.transcript.sent_turns().count(),
            tools: called_tools(outcome),
            ending: outcome
                .transcript
                .sent_turns()
                .next_back()
                .and_then(|turn| turn.run_end.as_ref())
                .map(|end| end.word().to_owned()),
            reason,
            place,
            looked_at,
            facts: kept_facts,
            other_ways: Vec::new(),
        }
    }

    /// The test in this run and in another one of the same side.
    pub(crate) fn merged(self, other: Self) -> Self {
        let is_before = self.weight() >= other.weight();
        let (mut kept, rest) = if is_before {
            (self, other)
        } else {
            (other, self)
        };
        if kept.status == Status::Passed && rest.status == Status::Passed {
            let [kept_runs, rest_runs] = [kept.runs, rest.runs].map(u64::from);
            let sum = kept.duration_us * kept_runs + rest.duration_us * rest_runs;
            kept.duration_us = sum / (kept_runs + rest_runs).max(1);
        }
        let weights = [kept.runs, rest.runs].map(u64::from);
        kept.tokens = mean([kept.tokens, rest.tokens], weights);
        let cost = mean([kept.cost(), rest.cost()], weights);
        kept.cost_usd = cost.map(|cost| Dollars(Usd(cost)));
        kept.runs += rest.runs;
        kept.passed += rest.passed;
        kept.flaky |= rest.flaky && !kept.fails();
        kept.facts = kept.facts.or(rest.facts);
        let own = RunWay {
            tools: rest.tools,
            ending: rest.ending,
        };
        if rest.turns > 0 {
            for way in [own].into_iter().chain(rest.other_ways) {
                let is_known = kept.other_ways.contains(&way);
                if !is_known && kept.other_ways.len() < MOST_WAYS {
                    kept.other_ways.push(way);
                }
            }
        }
        kept
    }

    /// The cost of a run in parts of a dollar, as far as all of it is known.
    pub(crate) fn cost(&self) -> Option<u64> {
        let Dollars(Usd(parts)) = self.cost_usd?;
        Some(parts)
    }

    /// The weight of a run as the one that shows a test best.
    fn weight(&self) -> u8 {
        match (self.fails_the_run(), self.fails(), self.status) {
            (true, ..) => 4,
            (_, true, _) => 3,
            (.., Status::Skipped) => u8::from(self.is_not_run),
            _ => 2,
        }
    }

    /// The share of its runs that passed is smaller than that of `before`, where one run alone does not say it.
    pub(crate) fn passes_less_often_than(&self, before: &Self) -> bool {
        let is_repeated = self.runs > 1 || before.runs > 1;
        let [own, was] = [self, before].map(|test| [test.passed, test.runs].map(u64::from));
        is_repeated && own[1] > 0 && own[0] * was[1] < was[0] * own[1]
    }

    /// The tools and the end of each way in which its runs went.
    fn ways(&self) -> impl Iterator<Item = (&[String], Option<&str>)> {
        let others = self.other_ways.iter();
        let others = others.map(|way| (way.tools.as_slice(), way.ending.as_deref()));
        [(self.tools.as_slice(), self.ending.as_deref())]
            .into_iter()
            .chain(others)
    }

    /// Whether no run called the same tools in the same order as one of `other`.
    pub(crate) fn has_other_tools_than(&self, other: &Self) -> bool {
        let is_shared = |tools: &[String]| other.ways().any(|(others, _)| others == tools);
        !self.ways().any(|(tools, _)| is_shared(tools))
    }

    /// Whether no run ended as one of `other`.
    pub(crate) fn has_other_ending_than(&self, other: &Self) -> bool {
        let is_shared = |ending| other.ways().any(|(_, others)| others == ending);
        !self.ways().any(|(_, ending)| is_shared(ending))
    }

    /// Whether it ran and did not pass.
    pub(crate) fn fails(&self) -> bool {
        self.status.fails_the_run()
    }

    /// Whether its failing counts.
    pub(crate) fn fails_the_run(&self) -> bool {
        self.fails() && !self.quarantined
    }
}
