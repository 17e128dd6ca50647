//! An audit for people and programs.

use super::document::{EntryMark, counted};
use super::{Conclusion, DocumentText, Documented};
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::audit::{Audit, AuditCounts, AuditFinding, CheckLevel};

/// The levels that fail an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedLevels {
    /// Errors.
    Errors,
    /// Errors and warnings.
    ErrorsAndWarnings,
}

impl Documented for Audit {
    const NAME: &'static str = "audit";
    /// All but the first are reports of a run.
    const FORMATS: &'static [ReportFormat] = &[
        ReportFormat::Json,
        ReportFormat::Junit,
        ReportFormat::Markdown,
        ReportFormat::Html,
        ReportFormat::Tap,
        ReportFormat::JsonLines,
    ];
    type Counts = AuditCounts;
    type Body<'b> = &'b Self;

    fn counts(&self) -> AuditCounts {
        self.counts()
    }

    fn body(&self) -> &Self {
        self
    }

    fn write(&self, text: &mut DocumentText) {
        for number in 0..self.tools.len() {
            write_audited_tool(text, self, number);
        }
        write_audit_end(text, self);
    }
}

/// Writes the tool of this number with what is wrong with it; the first under the headline.
pub fn write_audited_tool(text: &mut DocumentText, audit: &Audit, number: usize) {
    if number == 0 {
        write_headline(text, audit);
        text.part();
    }
    let tool = &audit.tools[number];
    let calls = match tool.skipped {
        Some(why) => format!("not called: {why}"),
        None => counted(tool.calls, "call"),
    };
    let findings: Vec<&AuditFinding> = audit.findings_of(number).collect();
    let mark = if findings.is_empty() && tool.skipped.is_some() {
        EntryMark::None
    } else {
        worst(&findings)
    };
    let name = match tool.name.as_str() {
        "" => "(no name)",
        name => name,
    };
    text.entry(mark, name, &calls);
    write_findings(text, &findings);
}

fn write_headline(text: &mut DocumentText, audit: &Audit) {
    let Audit { target, seed, .. } = audit;
    text.heading(&format!("audit of {target}, seed {seed}"));
}

/// Writes what comes after the tools: what is wrong with all of them, and remarks.
pub fn write_audit_end(text: &mut DocumentText, audit: &Audit) {
    let about_all: Vec<&AuditFinding> = audit.findings_of_all().collect();
    if audit.tools.is_empty() {
        write_headline(text, audit);
    }
    if audit.tools.is_empty() && !about_all.is_empty() {
        text.part();
    }
    if !about_all.is_empty() {
        text.entry(worst(&about_all), "all tools", "");
        write_findings(text, &about_all);
    }
    let unasked = audit.unasked();
    let unasked = (unasked > 0).then(|| {
        format!(
            "{} not called: `--call NAME` calls one that may change data, `--destructive` all",
            counted(unasked, "tool")
        )
    });
    let not_made: usize = audit.tools.iter().map(|tool| tool.calls_not_made).sum();
    let not_made = (not_made > 0).then(|| {
        let why = if audit.is_cut_short {
            "the time was up"
        } else {
            "`--calls` makes more"
        };
        format!("{} not made: {why}", counted(not_made, "call"))
    });
    let AuditCounts { tools, calls, .. } = audit.counts();
    let made = format!("{}, {}", counted(tools, "tool"), counted(calls, "call"));
    text.remarks(unasked.into_iter().chain(not_made).chain([made]));
}

/// Whether an audit found nothing that fails it.
pub fn audit_conclusion(audit: &Audit, denied: DeniedLevels) -> Conclusion {
    let AuditCounts {
        errors, warnings, ..
    } = audit.counts();
    let failing = match denied {
        DeniedLevels::Errors => errors,
        DeniedLevels::ErrorsAndWarnings => errors + warnings,
    };
    Conclusion {
        exit_code: u8::from(failing > 0),
        reason: format!(
            "{}, {}{}",
            counted(errors, "error"),
            counted(warnings, "warning"),
            if failing > errors {
                " (`--deny-warnings`)"
            } else {
                ""
            }
        ),
    }
}

fn write_findings(text: &mut DocumentText, findings: &[&AuditFinding]) {
    for finding in findings {
        text.finding(worst(&[finding]), finding.check.as_str(), &finding.line());
        for line in finding.details() {
            text.line_of_finding(&line);
        }
    }
}

/// The mark of the worst of `findings`.
fn worst(findings: &[&AuditFinding]) -> EntryMark {
    match findings.iter().map(|finding| finding.level).min() {
        Some(CheckLevel::Error) => EntryMark::Bad,
        Some(CheckLevel::Warning) => EntryMark::Doubtful,
        None => EntryMark::Good,
    }
}
