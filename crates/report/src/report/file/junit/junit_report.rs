//! Writes the JUnit report.
//!
//! A finished test goes to a spool file at once; what stays in memory is a few numbers per test file. The end of the run
//! writes the head with the totals, copies the spool after it and moves the whole into place.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use quick_xml::Writer;

use super::suite::{Suite, SuiteCounts, timed};
use super::{Element, JunitProfile, case, element, spool::SuiteSpool, words};
use crate::report::Reporter;
use crate::report::build_job::BuildJob;
use crate::report::file::{FileOptions, FileReport};
use crate::report::words::run_facts::{RunFact, run_facts};
use crate::run_document::RunTotals;
use ananke_base::context::{Scratch, iso8601};
use ananke_base::text::duration;
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::{Outcome, RunEvent};
use ananke_trace::redact::Sealed;

/// A report in a file.
pub struct JunitReport {
    destination: PathBuf,
    profile: JunitProfile,
    job: BuildJob,
    cases: SuiteSpool,
    /// The part that the strict profile writes with each suite, after its cases.
    accounts: Option<SuiteSpool>,
    suites: IndexMap<String, Suite>,
    /// The mark instead of the sentence of a cause until that is known. No agent can guess it.
    cause_mark: String,
    run: RunTotals,
}

impl FileReport for JunitReport {
    const WORDS: &'static str = "JUnit XML";

    fn is_own(file: &Path, beginning: &str) -> bool {
        ReportFormat::of(file) == Some(ReportFormat::Junit) && beginning.contains("<testsuite")
    }

    fn create(destination: &Path, options: &FileOptions) -> io::Result<Self> {
        let profile = options.junit_profile;
        let accounts = match profile {
            JunitProfile::Default => None,
            JunitProfile::Strict => Some(SuiteSpool::beside(destination)?),
        };
        Ok(Self {
            cases: SuiteSpool::beside(destination)?,
            accounts,
            destination: destination.to_owned(),
            profile,
            job: options.job.clone(),
            suites: IndexMap::new(),
            cause_mark: format!("cause-{:016x}", RandomState::new().hash_one(0)),
            run: RunTotals::default(),
        })
    }
}

impl JunitReport {
    fn case(&mut self, outcome: &Outcome) -> io::Result<()> {
        let suite = self
            .suites
            .entry(words::suite(&outcome.test))
            .or_insert_with(|| {
                let class = self.accounts.as_ref().map(|_| words::class(&outcome.test));
                Suite::new(class, outcome.transcript.started_unix_ms)
            });
        // The sentence of the cause is known at the end of the run.
        let reason = outcome.reason().filter(|_| outcome.fails_the_run());
        let cause = reason.and_then(|reason| self.run.causes.index(&reason));
        let mark = cause.map(|_| &*self.cause_mark);
        let mut xml = Writer::new(Vec::new());
        match self.profile {
            JunitProfile::Default => case::write(&mut xml, outcome, &self.job, mark)?,
            JunitProfile::Strict => case::write_strict(&mut xml, outcome, mark)?,
        }
        let xml = xml.into_inner();
        match cause {
            Some(index) => {
                let text = String::from_utf8_lossy(&xml);
                let cause = (&*self.cause_mark, index);
                self.cases.add_with_cause(&mut suite.cases, &text, cause)?;
            }
            None => self.cases.add(&mut suite.cases, &xml)?,
        }
        // A case that could not be written is not counted either.
        suite.add(outcome);
        if let Some(accounts) = &mut self.accounts {
            suite.account(accounts, &element::content(&case::account(outcome)))?;
        }
        Ok(())
    }

    /// The sum of the times of the suites; `None` if there are some, and none has one.
    fn time_us(&self) -> Option<u64> {
        let times = self.suites.values().filter_map(Suite::time_us);
        let known: Vec<u64> = times.collect();
        if known.is_empty() && !self.suites.is_empty() {
            return None;
        }
        Some(known.iter().sum())
    }

    fn write(&mut self, out: impl Write) -> io::Result<()> {
        let mut writer = Writer::new(out);
        writer
            .get_mut()
            .write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        let root = Element::new("testsuites", 0);
        let root = match self.profile {
            JunitProfile::Default => {
                let root = SuiteCounts::of(&self.run.totals).on(root.with("name", "ananke"));
                timed(root, self.time_us()).with("timestamp", &iso8601(self.run.started_unix_ms))
            }
            // Windy Road's schema gives the root no attribute.
            JunitProfile::Strict => root,
        };
        if self.suites.is_empty() {
            root.empty(&mut writer)?;
        } else {
            root.open(&mut writer)?;
            let mut facts = run_facts(&self.run);
            facts.splice(..0, wall_clock_time(&self.run));
            for (number, (name, suite)) in self.suites.iter().enumerate() {
                match &mut self.accounts {
                    None => {
                        let causes = &self.run.causes;
                        suite.write(&mut writer, (name, &facts), &mut self.cases, causes)?;
                    }
                    Some(accounts) => {
                        suite.write_strict(
                            &mut writer,
                            number,
                            &facts,
                            (&mut self.cases, accounts),
                            &self.run.causes,
                        )?;
                    }
                }
            }
            root.close(&mut writer)?;
        }
        writer.get_mut().write_all(b"\n")?;
        writer.get_mut().flush()
    }
}

/// The fact of how long a run took, which is not the sum of the times of its tests: they run at once, are replayed, or have a
/// virtual clock. None if the run did not come to its end, or is no run of tests but an audit.
fn wall_clock_time(run: &RunTotals) -> Option<RunFact> {
    match run.end.as_ref()?.elapsed_us {
        0 => None,
        elapsed_us => Some(RunFact {
            name: "wall-clock time",
            value: duration::rounded(elapsed_us),
        }),
    }
}

impl Reporter for JunitReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        if let RunEvent::CaseFinished(outcome) = &**event {
            self.case(outcome)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let whole = Scratch::beside(&self.destination, "part")?;
        self.write(BufWriter::new(&whole.file))?;
        whole.put_in_place(&self.destination)
    }
}
