//! The result of an audit: the tools, their calls and the findings, as a document contains them.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{AuditCheck, CheckLevel};
use ananke_base::text::truncate;
use ananke_derive::Mask;

/// The reason for which a tool is not called that does not say that it only reads.
pub const MAY_CHANGE_DATA: &str = "it may change data";

/// The longest message or arguments of a finding, in bytes.
const SHOWN: usize = 300;

/// What an audit found, as `ananke audit --json` prints it.
#[derive(Clone, Debug, Default, Mask, Serialize, JsonSchema)]
pub struct Audit {
    /// The name of the target.
    pub target: String,
    /// The number that the arguments were made with.
    pub seed: u64,
    /// The tools, in the order in which they are declared.
    pub tools: Vec<AuditedTool>,
    /// The findings, in the order in which they were found.
    pub findings: Vec<AuditFinding>,
    /// Whether the time was up before all calls were made.
    #[serde(skip)]
    pub is_cut_short: bool,
    /// Whether it was stopped.
    #[serde(skip)]
    pub is_stopped: bool,
}

/// A tool, and how it was called.
#[derive(Clone, Debug, Mask, Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
pub struct AuditedTool {
    /// The name of the tool.
    pub name: String,
    /// The number of calls that were made.
    pub calls: usize,
    /// The number of calls with other arguments that were not made.
    pub calls_not_made: usize,
    /// The reason why it was not called; omitted if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<&'static str>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Mask, Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub struct AuditFinding {
    /// The check that found it.
    #[mask(skip)]
    pub check: AuditCheck,
    /// The level of the check.
    #[mask(skip)]
    pub level: CheckLevel,
    /// The tool; omitted if it is about all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The finding in words, at most 300 bytes.
    #[serde(serialize_with = "shortened")]
    pub message: String,
    /// The place in the schema of the arguments, as a JSON pointer; omitted if it is not about one.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to write there, or in the declaration of the tool if there is no place: a key and a value of JSON, with `…` for what only
    /// the author knows; omitted if it is about a call.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// The arguments of the call in words; omitted if it is not about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// The arguments as they were sent; omitted if it is not about a call.
    #[schemars(with = "Option<Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The number of other calls to the tool, or of other places in its declaration, with the same finding.
    pub more: usize,
}

/// How many tools, calls and findings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditCounts {
    /// The number of tools.
    pub tools: usize,
    /// The number of calls that were made.
    pub calls: usize,
    /// The number of findings of the level `error`.
    pub errors: usize,
    /// The number of findings of the level `warning`.
    pub warnings: usize,
    /// Whether the time was up before all calls were made.
    pub cut_short: bool,
}

impl AuditFinding {
    /// A finding about the declaration of a tool.
    pub fn of_tool(check: AuditCheck, tool: &str, message: String) -> Self {
        Self {
            tool: Some(tool.to_owned()),
            ..Self::of_list(check, message)
        }
    }

    /// A finding about all tools.
    pub fn of_list(check: AuditCheck, message: String) -> Self {
        Self {
            check,
            level: check.level(),
            tool: None,
            message,
            path: None,
            write: None,
            with: None,
            arguments: None,
            more: 0,
        }
    }

    /// The same finding with what to write at a place.
    #[must_use]
    pub fn writing(self, path: Option<String>, write: String) -> Self {
        Self {
            path,
            write: Some(write),
            ..self
        }
    }

    /// The finding on one line.
    pub fn words(&self) -> String {
        let details = self
            .details()
            .into_iter()
            .fold(String::new(), |words, line| {
                format!("{words}; {}", truncate::bytes(&line, SHOWN))
            });
        format!("{}: {}{details}", self.check.as_str(), self.line())
    }

    /// The lines under the message: the call or what to write, and how many others there are.
    pub fn details(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let (Some(with), Some(arguments)) = (&self.with, &self.arguments) {
            lines.push(format!("with {with}: {arguments}"));
        }
        match (&self.write, self.path.as_deref()) {
            (None, _) => {}
            (Some(write), None | Some("")) => lines.push(format!("write {write}")),
            (Some(write), Some(path)) => lines.push(format!("write at `{path}`: {write}")),
        }
        let other = match (&self.arguments, self.more) {
            (_, 0) => return lines,
            (Some(_), 1) => "call",
            (Some(_), _) => "calls",
            (None, 1) => "place",
            (None, _) => "places",
        };
        lines.push(format!("and {} other {other}", self.more));
        lines
    }

    /// The message on one line: of a long one its first line and its last, where a program names its exception. Lines that only
    /// underline what is above them say nothing here.
    pub fn line(&self) -> String {
        let message = self.message.replace(":\n", ": ");
        let underlines = |line: &str| line.chars().all(|character| "^~ ".contains(character));
        let lines: Vec<&str> = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !underlines(line))
            .collect();
        let whole = lines.join("; ");
        let short = |text| truncate::bytes(text, SHOWN);
        match lines.as_slice() {
            [first, .., last] if whole.len() > SHOWN => {
                format!("{}; … {}", short(first), short(last))
            }
            _ => short(&whole).into_owned(),
        }
    }
}

impl Audit {
    /// Adds a finding; of one check and one tool, the first call is shown and the others are counted.
    pub fn add(&mut self, finding: AuditFinding) {
        let is_same = |known: &&mut AuditFinding| {
            known.check == finding.check && known.tool == finding.tool && known.arguments.is_some()
        };
        match self.findings.iter_mut().find(is_same) {
            Some(known) => known.more += 1,
            None => self.findings.push(finding),
        }
    }

    /// The counts of the whole audit.
    pub fn counts(&self) -> AuditCounts {
        let of_level = |level| {
            let findings = self.findings.iter();
            findings.filter(|finding| finding.level == level).count()
        };
        AuditCounts {
            tools: self.tools.len(),
            calls: self.tools.iter().map(|tool| tool.calls).sum(),
            errors: of_level(CheckLevel::Error),
            warnings: of_level(CheckLevel::Warning),
            cut_short: self.is_cut_short,
        }
    }

    /// The number of tools that were not called since they may change data.
    pub fn unasked(&self) -> usize {
        let may_change = |tool: &&AuditedTool| tool.skipped == Some(MAY_CHANGE_DATA);
        self.tools.iter().filter(may_change).count()
    }

    /// The findings about the tool of this number. If several tools have one name, the first has all of them.
    pub fn findings_of(&self, number: usize) -> impl Iterator<Item = &AuditFinding> {
        let name = &self.tools[number].name;
        let is_first = self.tools[..number].iter().all(|tool| tool.name != *name);
        let own = move |finding: &&AuditFinding| is_first && finding.tool.as_ref() == Some(name);
        self.findings.iter().filter(own)
    }

    /// The findings about all tools.
    pub fn findings_of_all(&self) -> impl Iterator<Item = &AuditFinding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.tool.is_none())
    }
}

fn shortened<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&truncate::bytes(text, SHOWN))
}
