//! A problem as a value, and the order in which problems are reported.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::{Code, Edit, Place, SourceFile, Span};
use crate::text::natural_path_order;

/// The severity of a problem: an error stops the run before anything is sent, the others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing runs as long as there is one.
    Error,
    /// Worth a fix; the run goes on.
    Warning,
    /// Worth knowing; nothing fails because of it, also not with `--deny-warnings`.
    Note,
}

/// A place in a file and what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The text that is underlined.
    pub span: Span,
    /// The text next to the underline; may be empty.
    pub text: String,
}

/// One problem: what is wrong, where, and what to do.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The kind of problem: stable, searchable.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// The problem, on one line.
    pub message: String,
    /// The file, if the problem has one.
    pub source: Option<Arc<SourceFile>>,
    /// The primary place first, which is in `source`; others may be in other files.
    pub labels: Vec<Label>,
    /// The remedies, one sentence each.
    pub help: Vec<String>,
    /// The changes that remove the problem, where it is certain what was meant.
    pub fixes: Vec<Edit>,
}

impl Diagnostic {
    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            source: None,
            labels: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// A note without a place.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, message)
        }
    }

    /// Adds a place, with `text` next to it (may be empty). The first place is the primary one.
    #[must_use]
    pub fn at(mut self, source: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        self.source.get_or_insert_with(|| Arc::clone(source));
        self.labels.push(Label {
            source: Arc::clone(source),
            span,
            text: text.into(),
        });
        self
    }

    /// Puts the problem into a file as a whole.
    #[must_use]
    pub fn in_file(mut self, source: &Arc<SourceFile>) -> Self {
        self.source = Some(Arc::clone(source));
        self
    }

    /// Adds a change that removes the problem: `text` replaces what is at `span`.
    #[must_use]
    pub fn fix(mut self, source: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Edit {
            source: Arc::clone(source),
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a sentence that says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// File, line and column of the primary place (line and column 1 where only the file is known).
    pub fn place(&self) -> Option<Place> {
        let source = self.source.as_ref()?;
        Some(
            source.place(
                self.labels
                    .first()
                    .map_or(Span::default(), |label| label.span),
            ),
        )
    }
}

/// Sorts by file, then place, errors and warnings together, and drops exact repetitions: the order a person reads in.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(in_order);
    diagnostics.dedup_by(|again, first| in_order(again, first).is_eq());
}

/// The order of two problems; those that are equal in it say the same of the same place.
fn in_order(one: &Diagnostic, other: &Diagnostic) -> Ordering {
    let by_file = match (&one.source, &other.source) {
        (Some(own), Some(of_other)) => {
            natural_path_order(Path::new(&*own.name), Path::new(&*of_other.name))
                .then_with(|| own.name.cmp(&of_other.name))
                .then_with(|| own.first_line.cmp(&of_other.first_line))
        }
        (own, of_other) => own.is_some().cmp(&of_other.is_some()),
    };
    let span = |diagnostic: &Diagnostic| {
        diagnostic
            .labels
            .first()
            .map_or(Span::default(), |label| label.span)
    };
    by_file
        .then_with(|| span(one).cmp(&span(other)))
        .then_with(|| one.message.cmp(&other.message))
}

/// One line: `file:line:column: error[code]: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place() {
            write!(
                formatter,
                "{}:{}:{}: ",
                place.file, place.line, place.column
            )?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        write!(formatter, "{severity}[{}]: {}", self.code, self.message)
    }
}
