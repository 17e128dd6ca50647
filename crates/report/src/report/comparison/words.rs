//! The words of a comparison that all its forms share.

use super::tools::both;
use crate::compare::{
    ChangeKind, ComparedRun, ComparedSide, ComparedSum, Comparison, TestChange, TestSummary, ratio,
};
use crate::report::document::{EntryMark, counted};
use ananke_base::text::{Usd, duration, escape, grouped};
use ananke_trace::outcome::Status;

/// Headings, each with the kinds of changes under it if they are the first of a test; the most important come first.
pub(super) const SECTIONS: [(&str, &[ChangeKind]); 9] = [
    ("newly failing", &[ChangeKind::NewlyFailing]),
    ("not run", &[ChangeKind::NotRun]),
    ("still failing", &[ChangeKind::StillFailing]),
    ("newly flaky", &[ChangeKind::Flaky]),
    (
        "changed",
        &[
            ChangeKind::LowerRate,
            ChangeKind::Tools,
            ChangeKind::Ending,
            ChangeKind::Slower,
        ],
    ),
    ("newly passing", &[ChangeKind::NewlyPassing]),
    ("now skipped", &[ChangeKind::Skipped]),
    ("new", &[ChangeKind::New]),
    ("removed", &[ChangeKind::Removed]),
];

impl Comparison {
    /// Each report, with the word for its side.
    pub(super) fn reports(&self) -> impl Iterator<Item = (&'static str, &ComparedRun)> {
        let earlier = self.before.runs.iter().map(|run| ("before", run));
        earlier.chain(self.after.runs.iter().map(|run| ("after", run)))
    }

    /// The changes under the heading of these kinds.
    pub(super) fn section_of<'c>(
        &'c self,
        kinds: &'c [ChangeKind],
    ) -> impl Iterator<Item = &'c TestChange> {
        self.changes
            .iter()
            .filter(move |change| kinds.contains(&change.kinds[0]))
    }

    /// The number of tests that changed, for each way.
    pub(super) fn changed(&self) -> String {
        let counts = ChangeKind::ALL.map(|kind| (kind, self.count(kind)));
        let changed = listed(counts.into_iter());
        if changed.is_empty() {
            "nothing changed".to_owned()
        } else {
            changed
        }
    }

    /// Whether something became worse, and what.
    pub(super) fn verdict_in_words(&self) -> String {
        let regressions = self.regressions();
        if regressions.is_empty() {
            return "no regression".to_owned();
        }
        format!("regression: {}", listed(regressions.into_iter()))
    }

    /// The number of tests that could not be compared.
    pub(super) fn not_run(&self) -> Option<String> {
        let tests = counted(self.not_run, "test");
        if self.not_run == 0 {
            return None;
        }
        let before = names(&self.before);
        Some(format!("{tests} of `{before}` did not run this time"))
    }

    /// The change of the agent's time.
    pub(super) fn agents_time(&self) -> Option<String> {
        let time = self.agents_time;
        if time.tests == 0 {
            return None;
        }
        let before = duration::rounded(time.before_us);
        let after = duration::rounded(time.after_us);
        let tests = counted(time.tests, "test");
        Some(format!(
            "agent's time in {tests} that passed both times: {after}, before {before}"
        ))
    }

    /// The changes of the tokens and of the cost, each of the tests of which it is known both times.
    pub(super) fn spent(&self) -> Vec<String> {
        let spent = self.spent;
        let mut lines = Vec::new();
        lines.extend(sum_in_words("tokens", spent.tokens, grouped));
        lines.extend(sum_in_words("cost", spent.cost, dollars));
        lines
    }
}

/// An amount in parts of a dollar.
fn dollars(amount: u64) -> String {
    Usd(amount).rounded()
}

/// `tokens of a run of 3 tests that both have: 1,200, before 900`; `None` if it is known of none.
fn sum_in_words(name: &str, sum: ComparedSum, shown: fn(u64) -> String) -> Option<String> {
    if sum.tests == 0 {
        return None;
    }
    let tests = counted(sum.tests, "test");
    let before = shown(sum.before);
    let after = shown(sum.after);
    Some(format!(
        "{name} of a run of {tests} that both have: {after}, before {before}"
    ))
}

/// `2 newly failing, 1 slower`.
fn listed(counts: impl Iterator<Item = (ChangeKind, usize)>) -> String {
    let mut words = Vec::new();
    for (kind, count) in counts {
        if count > 0 {
            words.push(format!("{} {}", grouped(count), kind.words()));
        }
    }
    words.join(", ")
}

/// The names in messages for the reports of one side.
pub(super) fn names(side: &ComparedSide) -> String {
    let names: Vec<String> = side.runs.iter().map(name).collect();
    names.join(", ")
}

/// The name in messages for the report of a run.
pub(super) fn name(run: &ComparedRun) -> String {
    escape::line(&run.name).into_owned()
}

/// `base.json: 9 tests in 3.2 s`.
pub(super) fn run(run: &ComparedRun) -> String {
    format!("{}: {}", name(run), of_run(run))
}

/// `9 tests in 3.2 s`.
pub(super) fn of_run(run: &ComparedRun) -> String {
    let whole = run.summary;
    let time = match whole.elapsed_us {
        Some(us) => format!(" in {}", duration::rounded(us)),
        None => String::new(),
    };
    let end = match whole.exit_code {
        None => ", incomplete",
        Some(130) => ", interrupted",
        Some(_) => "",
    };
    format!("{}{time}{end}", counted(whole.total, "test"))
}

/// The mark before a test.
pub(super) fn mark(change: &TestChange) -> EntryMark {
    match (&change.after, change.kinds[0]) {
        (
            _,
            ChangeKind::Tools
            | ChangeKind::Ending
            | ChangeKind::Slower
            | ChangeKind::LowerRate
            | ChangeKind::Flaky,
        ) => EntryMark::Changed,
        (Some(after), _) => EntryMark::Test(after.status),
        (None, _) => EntryMark::None,
    }
}

/// The reason that it does not pass, where that is news.
pub(super) fn reason(change: &TestChange) -> Option<&str> {
    let reason = change.after.as_ref()?.reason.as_deref();
    let mut before = None;
    if let Some(test) = &change.before {
        before = test.reason.as_deref();
    }
    if reason == before { None } else { reason }
}

/// The place of what fails, where that is news: `pay.test.yaml:12`.
pub(super) fn place(change: &TestChange) -> Option<String> {
    let after = change.after.as_ref()?;
    let (file, line) = &after.place;
    reason(change)?;
    if file.is_empty() {
        return None;
    }
    Some(format!("{file}:{line}"))
}

/// The part of the verdict that the section does not show.
pub(super) fn note(change: &TestChange) -> String {
    let kind = change.kinds[0];
    let mut notes = Vec::new();
    if let Some(after) = &change.after {
        if after.fails() || (kind == ChangeKind::New && after.status == Status::Skipped) {
            notes.push(after.status.words().to_owned());
        }
        for (is_set, word) in [
            (after.flaky, "passed on a retry"),
            (after.quarantined, "quarantined"),
        ] {
            notes.extend(is_set.then(|| word.to_owned()));
        }
    }
    match &change.before {
        None if kind == ChangeKind::NewlyFailing => notes.push("new".to_owned()),
        Some(before) if Some(before.status) != change.after.as_ref().map(|after| after.status) => {
            notes.push(format!("{} before", before.status.words()));
        }
        _ => {}
    }
    notes.join(", ")
}

/// Something of a test that was otherwise before.
pub(super) struct TestDifference {
    /// The kind of change: `value`, `rate`, `tools`, `ending`, `time`, `tokens`, `cost`.
    pub(super) word: &'static str,
    pub(super) was: String,
    pub(super) is: String,
}

/// The differences in addition to the verdict.
pub(super) fn differences(change: &TestChange) -> Vec<TestDifference> {
    let Some(before) = &change.before else {
        return Vec::new();
    };
    let Some(after) = &change.after else {
        return Vec::new();
    };
    let mut differences = Vec::new();
    if let Some(value) = &change.value {
        differences.push(TestDifference {
            word: value.of,
            was: known(value.before.as_deref()),
            is: known(value.after.as_deref()),
        });
    }
    // The rate of one run on each side is its verdict.
    let is_repeated = before.runs > 1 || after.runs > 1;
    let has_other_rate = [before.passed, before.runs] != [after.passed, after.runs];
    if is_repeated && (has_other_rate || after.fails()) {
        differences.push(TestDifference {
            word: "rate",
            was: rate(before),
            is: rate(after),
        });
    }
    for kind in &change.kinds {
        differences.extend(difference(*kind, before, after));
    }
    differences.extend(spent("tokens", before.tokens, after.tokens, grouped));
    differences.extend(spent("cost", before.cost(), after.cost(), dollars));
    differences
}

/// The change of what a run of a test takes, if it is known both times.
fn spent(
    word: &'static str,
    before: Option<u64>,
    after: Option<u64>,
    shown: fn(u64) -> String,
) -> Option<TestDifference> {
    let before = before?;
    let after = after?;
    if before == after {
        return None;
    }
    Some(TestDifference {
        word,
        was: shown(before),
        is: shown(after),
    })
}

fn difference(
    kind: ChangeKind,
    before: &TestSummary,
    after: &TestSummary,
) -> Option<TestDifference> {
    let (word, was, is) = match kind {
        ChangeKind::Tools => {
            let (was, is) = both(&before.tools, &after.tools);
            ("tools", was, is)
        }
        ChangeKind::Ending => ("ending", ending(before), ending(after)),
        ChangeKind::Slower => {
            let times = ratio(before.duration_us, after.duration_us);
            let is = duration::rounded(after.duration_us);
            let is = if times.is_finite() {
                format!("{is} ({times:.1} times as long)")
            } else {
                is
            };
            ("time", duration::rounded(before.duration_us), is)
        }
        _ => return None,
    };
    Some(TestDifference { word, was, is })
}

fn known(value: Option<&str>) -> String {
    value.unwrap_or("none").to_owned()
}

/// `2 of 3 runs passed`.
fn rate(test: &TestSummary) -> String {
    let runs = counted(test.runs as usize, "run");
    format!("{} of {runs} passed", grouped(test.passed))
}

fn ending(test: &TestSummary) -> String {
    known(test.ending.as_deref())
}
