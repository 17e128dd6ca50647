//! What an audit found, as text and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::check::{AuditCheck, CheckLevel};
use super::permitted_tools::MAY_CHANGE_DATA;
use ananke_base::message::map_strings;
use ananke_base::text::escape;
use ananke_trace::redact::Redactor;

/// The version of this format.
const VERSION: &str = "1.0";

/// The longest message or arguments of a finding, in characters.
const SHOWN: usize = 300;

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The name of the target.
    pub target: String,
    /// What the arguments were made with.
    pub seed: u64,
    /// The tools, in the order in which they are declared.
    pub tools: Vec<AuditedTool>,
    /// What is wrong, in the order in which it was found.
    pub findings: Vec<AuditFinding>,
    /// Whether the time was up before all calls were made.
    pub is_cut_short: bool,
    /// Whether it was stopped.
    pub is_stopped: bool,
}

/// A tool, and how it was called.
#[derive(Clone, Debug)]
pub struct AuditedTool {
    /// Its name.
    pub name: String,
    /// How often it was called.
    pub calls: usize,
    /// How many calls with other arguments were not made.
    pub calls_not_made: usize,
    /// Why it was not called.
    pub skipped: Option<&'static str>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditFinding {
    /// What.
    pub check: AuditCheck,
    /// The tool; `None` if it is about all of them.
    pub tool: Option<String>,
    /// What was found.
    pub message: String,
    /// The arguments of the call in words, and as they were sent.
    pub call: Option<(String, Value)>,
    /// How many other calls to the tool found the same check.
    pub more: usize,
}

impl AuditFinding {
    /// A finding about the declaration of a tool.
    pub(super) fn of_tool(check: AuditCheck, tool: &str, message: String) -> Self {
        Self {
            check,
            tool: Some(tool.to_owned()),
            message,
            call: None,
            more: 0,
        }
    }

    /// A finding about all tools.
    pub(super) fn of_list(check: AuditCheck, message: String) -> Self {
        Self {
            check,
            tool: None,
            message,
            call: None,
            more: 0,
        }
    }
}

impl Audit {
    /// Adds a finding; of one check and one tool, the first call is shown and the others are counted.
    pub(super) fn add(&mut self, finding: AuditFinding) {
        let is_same = |known: &&mut AuditFinding| {
            known.check == finding.check && known.tool == finding.tool && known.call.is_some()
        };
        match self.findings.iter_mut().find(is_same) {
            Some(known) => known.more += 1,
            None => self.findings.push(finding),
        }
    }

    /// How many findings have this level.
    pub fn count(&self, level: CheckLevel) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.check.level() == level)
            .count()
    }

    /// How many calls were made.
    pub fn calls(&self) -> usize {
        self.tools.iter().map(|tool| tool.calls).sum()
    }

    /// The text for people about the last tool, when all of its calls are made.
    pub fn last_tool_text(&self, redactor: &Redactor) -> String {
        let mut text = String::new();
        let Some((tool, before)) = self.tools.split_last() else {
            return text;
        };
        // If several tools have one name, the first shows what is wrong with them.
        let is_shown = before.iter().all(|known| known.name != tool.name);
        let findings = self
            .findings
            .iter()
            .filter(|finding| finding.tool.as_deref() == Some(&tool.name));
        let findings: Vec<&AuditFinding> = findings.filter(|_| is_shown).collect();
        let calls = match tool.skipped {
            Some(why) => format!("not called: {why}"),
            None => counted(tool.calls, "call"),
        };
        let mark = if findings.is_empty() && tool.skipped.is_some() {
            "-"
        } else {
            mark(&findings)
        };
        let name = shown_name(&tool.name, redactor);
        let _ = writeln!(text, "  {mark} {name}  {calls}");
        for finding in findings {
            finding.write(&mut text, redactor);
        }
        text
    }

    /// The text for people after all tools: what is wrong with all of them, and a summary.
    pub fn end_text(&self, redactor: &Redactor) -> String {
        let mut text = String::new();
        let about_all: Vec<&AuditFinding> = self
            .findings
            .iter()
            .filter(|finding| finding.tool.is_none())
            .collect();
        if !about_all.is_empty() {
            let _ = writeln!(text, "  {} all tools", mark(&about_all));
            for finding in about_all {
                finding.write(&mut text, redactor);
            }
        }
        let may_change = |tool: &&AuditedTool| tool.skipped == Some(MAY_CHANGE_DATA);
        let unasked = self.tools.iter().filter(may_change).count();
        if unasked > 0 {
            let _ = writeln!(
                text,
                "\nnote: {} not called: `--call NAME` calls one that may change data, `--destructive` all",
                counted(unasked, "tool")
            );
        }
        let not_made: usize = self.tools.iter().map(|tool| tool.calls_not_made).sum();
        if not_made > 0 {
            let why = if self.is_cut_short {
                "the time was up"
            } else {
                "`--calls` makes more"
            };
            let _ = writeln!(
                text,
                "\nnote: {} not made: {why}",
                counted(not_made, "call")
            );
        }
        let _ = writeln!(
            text,
            "\naudit of {}: {}, {}, seed {}: {}, {}",
            shown_name(&self.target, redactor),
            counted(self.tools.len(), "tool"),
            counted(self.calls(), "call"),
            self.seed,
            counted(self.count(CheckLevel::Error), "error"),
            counted(self.count(CheckLevel::Warning), "warning"),
        );
        text
    }

    /// The report for programs.
    pub fn json(&self, redactor: &Redactor) -> Value {
        let tool = |tool: &AuditedTool| {
            json!({
                "name": redactor.text(&tool.name), "calls": tool.calls, "calls_not_made": tool.calls_not_made,
                "skipped": tool.skipped,
            })
        };
        let finding = |finding: &AuditFinding| {
            let call = finding.call.as_ref();
            json!({
                "check": finding.check.as_str(), "level": finding.check.level().as_str(),
                "tool": finding.tool.as_deref().map(|name| redactor.text(name)),
                "message": redactor.text(&shortened(&finding.message)),
                "with": call.map(|(words, _)| words),
                "arguments": call.map(|(_, args)| masked(args, redactor)),
                "more": finding.more,
            })
        };
        json!({
            "version": VERSION, "target": self.target, "seed": self.seed,
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "summary": {
                "tools": self.tools.len(), "calls": self.calls(), "errors": self.count(CheckLevel::Error),
                "warnings": self.count(CheckLevel::Warning), "cut_short": self.is_cut_short,
            },
        })
    }
}

impl AuditFinding {
    /// The finding on one line, not masked.
    pub(super) fn words(&self) -> String {
        let call = self
            .call
            .as_ref()
            .map(|(words, args)| format!("; with {words}: {args}"));
        let call = shortened(&call.unwrap_or_default());
        let more = if self.more > 0 {
            format!("; and {}", counted(self.more, "other call"))
        } else {
            String::new()
        };
        format!(
            "{}: {}{call}{more}",
            self.check.as_str(),
            shortened(&self.line())
        )
    }

    /// The message on one line: of a long one its first line and its last, where a program names its exception. Lines that only
    /// underline what is above them say nothing here.
    fn line(&self) -> String {
        let message = self.message.replace(":\n", ": ");
        let underlines = |line: &str| line.chars().all(|character| "^~ ".contains(character));
        let lines: Vec<&str> = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !underlines(line))
            .collect();
        let whole = lines.join("; ");
        match lines.as_slice() {
            [first, .., last] if whole.chars().count() > SHOWN => {
                format!("{}; … {}", shortened(first), shortened(last))
            }
            _ => whole,
        }
    }

    fn write(&self, text: &mut String, redactor: &Redactor) {
        let line = |written: &str| escape::line(&redactor.text(&shortened(written))).into_owned();
        let message = line(&self.line());
        let _ = writeln!(
            text,
            "      {} {}: {message}",
            mark(&[self]),
            self.check.as_str()
        );
        if let Some((words, args)) = &self.call {
            let _ = writeln!(
                text,
                "        with {}: {}",
                line(words),
                line(&args.to_string())
            );
        }
        if self.more > 0 {
            let _ = writeln!(text, "        and {}", counted(self.more, "other call"));
        }
    }
}

/// A name as people read it.
fn shown_name(name: &str, redactor: &Redactor) -> String {
    if name.is_empty() {
        "(no name)".to_owned()
    } else {
        escape::line(&redactor.text(&shortened(name))).into_owned()
    }
}

/// The mark of the worst of `findings`.
fn mark(findings: &[&AuditFinding]) -> &'static str {
    match findings.iter().map(|finding| finding.check.level()).min() {
        Some(CheckLevel::Error) => "✗",
        Some(CheckLevel::Warning) => "!",
        None => "✓",
    }
}

fn masked(value: &Value, redactor: &Redactor) -> Value {
    let mut value = value.clone();
    map_strings(&mut value, &|text| redactor.text(text).into_owned());
    value
}

/// `text`, truncated to what is read.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            ananke_trace::redact::excerpt(text, 0..end)
                + &ananke_base::text::truncate::missing(text.len() - end)
        }
        None => text.to_owned(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
