//! The report in the Test Anything Protocol, version 14: one line per test as each ends, the plan at the end.
//!
//! A test that is skipped has the directive `SKIP`; one in quarantine that did not pass has the one for tests that are not
//! expected to pass yet, which fails no harness. What is wrong with a test is in a block of YAML after its line.
//! **Invariant:** no text of an agent is a line of its own: it is in a description with `\` and `#` escaped, or in a quoted string of YAML.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FileOptions, FileReport};
use crate::report::words::run_facts::run_facts;
use crate::report::words::stability::{checkpoint, flip, flip_rate, numbers, percent};
use crate::report::words::walks::summary;
use crate::report::words::{headline_in_one_line, picks};
use crate::report::{Reporter, words::ruling};
use crate::run_document::{RunTotals, milliseconds};
use ananke_base::context::Scratch;
use ananke_base::text::{escape, truncate};
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::{
    CountedStatus, NearName, Outcome, RuleResult, RunClose, RunEvent, Stability, Status,
};
use ananke_trace::redact::Sealed;

/// The first line.
const VERSION_LINE: &str = "TAP version 14";

/// The most bytes of one text.
const LONGEST: usize = 2 << 10;

/// The most characters of the reason of runs that failed.
const LONGEST_REASON: usize = 400;

/// The most further lines of a message.
const MOST_LINES: usize = 20;

/// The most findings of a test.
const MOST_FINDINGS: usize = 20;

/// The directive for tests that are not expected to pass yet; in pieces, since it is no mark for later.
const NOT_YET: &str = concat!("TO", "DO");

/// A TAP file.
pub struct TapReport {
    destination: PathBuf,
    scratch: Scratch,
    run: RunTotals,
}

impl FileReport for TapReport {
    const WORDS: &'static str = "TAP";

    fn is_own(file: &Path, beginning: &str) -> bool {
        ReportFormat::of(file) == Some(ReportFormat::Tap) && beginning.starts_with(VERSION_LINE)
    }

    fn create(destination: &Path, _: &FileOptions) -> io::Result<Self> {
        let mut scratch = Scratch::beside(destination, "part")?;
        writeln!(scratch.file, "{VERSION_LINE}")?;
        Ok(Self {
            destination: destination.to_owned(),
            scratch,
            run: RunTotals::default(),
        })
    }
}

impl Reporter for TapReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        match &**event {
            RunEvent::CaseFinished(outcome) => self
                .scratch
                .file
                .write_all(point(self.run.totals.tests(), outcome).as_bytes()),
            _ => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let text = facts(&self.run) + &end(&self.run);
        self.scratch.file.write_all(text.as_bytes())?;
        self.scratch.put_in_place(&self.destination)
    }
}

/// The line of one test with its block of YAML.
fn point(number: usize, outcome: &Outcome) -> String {
    let not = if outcome.status().fails_the_run() {
        "not "
    } else {
        ""
    };
    let mut point = format!(
        "{not}ok {number} - {}{}\n",
        described(&outcome.test.id),
        directive(outcome)
    );
    if outcome.status() != Status::Skipped {
        point.push_str(&diagnosis(outcome));
    }
    point
}

/// The directive to a harness for a test that did not pass, but does not fail the run.
fn directive(outcome: &Outcome) -> String {
    match outcome.counted() {
        CountedStatus::As(Status::Skipped) => {
            let why = outcome
                .headline()
                .map_or("skipped on purpose", |(_, why)| why);
            format!(" # SKIP {}", described(why))
        }
        CountedStatus::Quarantined(entry) => {
            format!(" # {NOT_YET} {}", described(&entry.to_string()))
        }
        CountedStatus::As(_) | CountedStatus::Flaky => String::new(),
    }
}

/// The block of YAML, if there is anything to say.
fn diagnosis(outcome: &Outcome) -> String {
    let mut block = DiagnosisBlock::default();
    if let Some(took) = outcome.transcript.duration() {
        block.put("duration_ms", milliseconds(took));
    }
    if let Some(change) = outcome.change {
        block.put("change", change.as_str());
    }
    if outcome.attempt() > 1 {
        block.put("attempts", outcome.attempt());
    }
    if let Some(stability) = &outcome.stability {
        block.stability(stability);
    }
    if let Some(picks) = picks::of_test(outcome) {
        block.put("picks", quoted(&picks));
    }
    if let Some(walks) = &outcome.walks {
        block.put("walks", quoted(&summary(walks)));
    }
    if let Some(flip) = flip(outcome) {
        block.put("comparison", quoted(&flip));
    }
    if outcome.status().fails_the_run() {
        block.failure(outcome);
    }
    if block.0.is_empty() {
        return String::new();
    }
    format!("  ---\n{}  ...\n", block.0)
}

/// The keys of a block of YAML.
#[derive(Default)]
struct DiagnosisBlock(String);

impl DiagnosisBlock {
    fn put(&mut self, key: &str, value: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "  {key}: {value}");
    }

    /// A list, if it has items.
    fn list(&mut self, key: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_some() {
            let _ = writeln!(self.0, "  {key}:");
        }
        for item in items {
            let _ = writeln!(self.0, "    - {item}");
        }
    }

    /// The first results, and the number of the others.
    fn results<'r>(&mut self, key: &str, results: impl Iterator<Item = &'r RuleResult>) {
        let results: Vec<&RuleResult> = results.collect();
        let first = results.iter().take(MOST_FINDINGS);
        self.list(key, first.map(|result| rule_line(result)));
        if results.len() > MOST_FINDINGS {
            let further = results.len() - MOST_FINDINGS;
            self.put(&format!("further_{key}"), further);
        }
    }

    fn stability(&mut self, stability: &Stability) {
        let runs = stability.runs();
        let rate = percent(stability.pass_rate() / 100.0);
        self.put("runs", runs);
        self.put("pass_rate", rate.trim_end_matches('%'));
        self.put("stability", stability.class().as_str());
        let checkpoints = stability.checkpoints.iter();
        let checkpoints = checkpoints.map(|reached| quoted(&checkpoint(reached, runs)));
        self.list("checkpoints", checkpoints);
        let failures = stability.failures.iter().map(|failed| {
            let message = truncate::chars(&failed.message, LONGEST_REASON);
            quoted(&format!("{}: {message}", numbers(failed)))
        });
        self.list("failed_runs", failures);
    }

    fn failure(&mut self, outcome: &Outcome) {
        let word = outcome.status().as_str();
        let (kind, message) = outcome.headline().unwrap_or((word, word));
        let (severity, first) = if outcome.status() == Status::Failed {
            ("fail", outcome.all_failures().next())
        } else {
            ("error", None)
        };
        let (file, line) = first.map_or(
            (outcome.test.file.as_str(), outcome.test.line),
            |(_, failure)| (&*failure.place.file, failure.place.line),
        );
        let sentence = headline_in_one_line(outcome);
        self.put("message", quoted(sentence.as_deref().unwrap_or(word)));
        let details = message.lines().skip(1).take(MOST_LINES);
        self.list("details", details.map(|line| quoted(line.trim())));
        self.put("severity", severity);
        self.put("status", word);
        self.put("kind", quoted(kind));
        if outcome.test.has_file(file) {
            let place = format!("{{ file: {}, line: {line} }}", quoted(file));
            self.put("at", place);
        }
        let failures = outcome.all_failures().map(|(_, failure)| failure);
        self.results("findings", failures);
        self.results("not_shown", outcome.verdict.not_shown());
    }
}

fn rule_line(result: &RuleResult) -> String {
    let (rule, message) = (quoted(&result.rule), quoted(&result.message));
    let (expected, file) = (quoted(&result.expected), quoted(&result.place.file));
    let (level, line) = (result.level.as_str(), result.place.line);
    format!(
        "{{ rule: {rule}, level: {level}, message: {message}, expected: {expected}, file: {file}, line: {line} }}"
    )
}

/// The facts, the duration and the tokens of the run, in comments.
fn facts(run: &RunTotals) -> String {
    run_facts(run).iter().fold(String::new(), |mut text, fact| {
        let _ = writeln!(text, "# {}: {}", fact.name, described(&fact.value));
        text
    })
}

/// The plan, and what made the run fail or end although no test says so.
fn end(run: &RunTotals) -> String {
    let RunTotals { totals, end, .. } = run;
    let tests = totals.tests();
    let reason = run.reason();
    let found = end
        .as_ref()
        .map_or(&[][..], |end| &end.verdict.near_names.found);
    let mut warnings: String = found.iter().take(MOST_FINDINGS).map(warning).collect();
    if found.len() > MOST_FINDINGS {
        let _ = writeln!(
            warnings,
            "# warning: and {} more",
            found.len() - MOST_FINDINGS
        );
    }
    match end {
        None
        | Some(RunClose {
            interrupted: true, ..
        }) => format!("1..{tests}\nBail out! {reason}\n"),
        Some(RunClose { verdict, .. })
            if !verdict.is_pass()
                && totals.failing() + totals.undecided + totals.not_shown == 0 =>
        {
            let number = tests + 1;
            format!("not ok {number} - the run: {reason}\n{warnings}1..{number}\n")
        }
        Some(_) => {
            let notes = ruling::totals(totals.judged)
                .into_iter()
                .chain(flip_rate(totals));
            notes.fold(
                format!("1..{tests}\n# {reason}\n{warnings}"),
                |text, note| text + "# " + &note + "\n",
            )
        }
    }
}

fn warning(tool: &NearName) -> String {
    let warning = format!(
        "warning: {}: {}: {}",
        tool.place,
        tool.message(),
        tool.help()
    );
    format!("# {}\n", described(&warning))
}

/// `text` in a description or after a directive.
fn described(text: &str) -> String {
    escape::line(&truncate::bytes(text, LONGEST))
        .replace('\\', r"\\")
        .replace('#', r"\#")
}

/// `text` as a string of YAML: on one line, and with what a terminal must not get made visible.
fn quoted(text: &str) -> String {
    let text = escape::line(&truncate::bytes(text, LONGEST))
        .replace('\\', r"\\")
        .replace('"', "\\\"");
    format!("\"{text}\"")
}
