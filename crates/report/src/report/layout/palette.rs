//! The colours and signs of a verdict.

use anstyle::{AnsiColor, Style};

use ananke_base::context::Colouring;
use ananke_trace::outcome::{Status, StatusChange};

/// The style of each kind of text; all plain without colours.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    pub(crate) passed: Style,
    pub(crate) failed: Style,
    pub(crate) removed: Style,
    pub(crate) warning: Style,
    pub(crate) strong: Style,
    pub(crate) name: Style,
    pub(crate) faint: Style,
}

impl Palette {
    /// With colours, or all plain.
    pub(crate) fn new(colour: Colouring) -> Self {
        if colour == Colouring::Plain {
            return Self::default();
        }
        Self {
            passed: AnsiColor::Green.on_default(),
            failed: AnsiColor::Red.on_default().bold(),
            removed: AnsiColor::Red.on_default(),
            warning: AnsiColor::Yellow.on_default(),
            strong: Style::new().bold(),
            name: AnsiColor::Cyan.on_default(),
            faint: Style::new().dimmed(),
        }
    }

    pub(crate) fn of(&self, status: Status) -> Style {
        match status {
            Status::Passed => self.passed,
            Status::Failed | Status::Error | Status::Timeout => self.failed,
            Status::Skipped | Status::Undecided | Status::NotShown => self.warning,
        }
    }

    pub(crate) fn of_change(&self, change: StatusChange) -> Style {
        match change {
            StatusChange::New => self.strong,
            StatusChange::Known => self.faint,
            StatusChange::Fixed => self.passed,
        }
    }
}

/// The sign before a test or a finding.
pub(crate) fn mark(status: Status) -> &'static str {
    match status {
        Status::Passed => "✓",
        Status::Failed => "✗",
        Status::Error | Status::Timeout => "!",
        Status::Skipped => "-",
        Status::Undecided | Status::NotShown => "?",
    }
}
