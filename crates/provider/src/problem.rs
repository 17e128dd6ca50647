//! Errors of a test that the side of its model finds, whatever the agent makes of them.

use std::fmt;

/// The mistakes that the side of a model can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelProblemKind {
    /// A request that nothing answers.
    Miss,
    /// A script answers with a call that the request does not allow.
    NotOffered,
    /// A reply or a rule was not used.
    Unused,
    /// A body is no request of its API, or names a response that is not known.
    Unread,
    /// A path that no API has.
    UnknownPath,
    /// A request that belongs to no lane for certain.
    Unattributed,
    /// A request that differs from the recorded one in its place.
    Stale,
    /// Recorded calls that were not asked for.
    UnusedRecording,
    /// A recording that cannot be read or written.
    Recording,
    /// A provider that does not answer.
    Upstream,
    /// Other parameters of sampling than those that were recorded.
    Params,
    /// An answer in another form than it was recorded in.
    OtherForm,
    /// A key in what was recorded, which is masked there.
    RecordedSecret,
}

/// An error of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProblem {
    /// The kind.
    pub kind: ModelProblemKind,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// Facts about it, one line each: what was expected, and what was asked.
    pub facts: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
    /// Whether it fails no test.
    pub is_warning: bool,
}

impl ModelProblemKind {
    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Miss => "model-miss",
            Self::NotOffered => "script-not-offered",
            Self::Unused => "unused-reply",
            Self::Unread => "model-unread",
            Self::UnknownPath => "model-path",
            Self::Unattributed => "unattributed",
            Self::Stale => "stale-recording",
            Self::UnusedRecording => "unused-recording",
            Self::Recording => "model-recording",
            Self::Upstream => "model-upstream",
            Self::Params => "model-params",
            Self::OtherForm => "model-form",
            Self::RecordedSecret => "recorded-secret",
        }
    }

    /// Whether such a problem fails no test, unless a run says otherwise.
    fn is_warning(self) -> bool {
        matches!(self, Self::Params | Self::OtherForm | Self::RecordedSecret)
    }
}

impl ModelProblem {
    /// A problem without facts and without a remedy.
    pub(crate) fn new(kind: ModelProblemKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            facts: Vec::new(),
            help: None,
            is_warning: kind.is_warning(),
        }
    }

    /// The problem of a run that asks for less.
    pub(crate) fn into_warning(mut self) -> Self {
        self.is_warning = true;
        self
    }

    /// The problem with one more fact.
    pub(crate) fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    /// The problem with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message, the facts and the remedy in one line, for the agent that asked and for lists of warnings.
    pub fn line(&self) -> String {
        let mut line = self.message.clone();
        for fact in &self.facts {
            line.push_str("; ");
            line.push_str(fact);
        }
        if let Some(help) = &self.help {
            line.push_str("; ");
            line.push_str(help);
        }
        line
    }
}

impl fmt::Display for ModelProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_warning { "warning" } else { "error" };
        let kind = self.kind.as_str();
        write!(formatter, "{severity}[{kind}]: {}", self.message)?;
        for fact in &self.facts {
            write!(formatter, "\n  {fact}")?;
        }
        if let Some(help) = &self.help {
            write!(formatter, "\n  help: {help}")?;
        }
        Ok(())
    }
}
