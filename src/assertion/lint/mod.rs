//! What can never fail and what can never pass (SPEC 7.1): mistakes that no run shows.
//!
//! The blocks of the levels flow in, warnings come out. **Invariant:** a warning is true whatever the agent does, so
//! that `--deny-warnings` refuses no test that has a meaning.

mod calls;
mod limits;
mod lists;
mod texts;

use std::sync::Arc;

use crate::assertion::block::{Block, Setting};
use crate::assertion::inherit::{Inherited, TurnRules, inherit};
use crate::assertion::judge::Home;
use crate::assertion::rule::{Entry, Origin};
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};

/// A rule in force, with its home.
pub(super) type Homed<'e> = (Home, &'e Entry);

/// What the rules of a test are seen against.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The file of the target.
    pub config: &'a Arc<SourceFile>,
    /// The file of the test.
    pub test: &'a Arc<SourceFile>,
    /// Where the test has its name.
    pub name: Span,
    /// What cuts a turn off; `None` where it is known later.
    pub timeout: Option<TimeOut>,
    /// What cuts the whole test off, as the test says; `None` where it says nothing or it is known later.
    pub whole_timeout_ms: Option<u64>,
}

/// The time-out of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOut {
    /// In milliseconds.
    pub ms: u64,
    /// Where the config says so; `None` where it is the default.
    pub span: Option<Span>,
}

/// The warnings of one test.
#[derive(Debug, Default)]
pub struct Lint {
    /// True of this test.
    pub certain: Vec<Diagnostic>,
    /// What the target's limits never do in this test: a mistake only where it is so in every test.
    pub of_target: Vec<Diagnostic>,
}

impl Surroundings<'_> {
    fn source(&self, origin: &Origin) -> &Arc<SourceFile> {
        if origin.place.file == self.config.name { self.config } else { self.test }
    }

    /// A warning about what stands at `first` because of what stands at `second`: underlined as well where it is in
    /// the same file, else said in words.
    fn warning(
        &self,
        code: Code,
        message: String,
        (first, beside_first): (&Origin, &str),
        (second, beside_second): (&Origin, &str),
    ) -> Diagnostic {
        let warning = Diagnostic::warning(code, message).at(self.source(first), first.span, beside_first);
        if Arc::ptr_eq(self.source(first), self.source(second)) {
            return warning.at(self.source(second), second.span, beside_second);
        }
        warning.help(format!("{beside_second} by the {}, {}", second.level.as_str(), second.place))
    }
}

/// Looks at what is in force in a test.
pub fn lint(target: &Block, test: &Block, turns: &[Block], surroundings: &Surroundings<'_>) -> Lint {
    let merged = inherit(target, test, turns);
    let mut lint = Lint::default();
    let of_test = merged.test.iter().map(|entry| (Home::Test, entry));
    let of_turns = merged
        .turns
        .iter()
        .enumerate()
        .flat_map(|(index, turn)| turn.entries.iter().map(move |entry| (Home::Turn(index), entry)));
    let all: Vec<Homed<'_>> = of_test.chain(of_turns).collect();
    calls::lint(&all, &merged, surroundings, &mut lint.certain);
    lists::lint(&all, &merged, surroundings, &mut lint.certain);
    texts::lint(&all, &merged, surroundings, &mut lint.certain);
    limits::lint(&merged, surroundings, &mut lint);
    let is_later = |block: &Block| block.limits.iter().any(|(_, limit)| matches!(limit, Setting::Later(..)));
    let later = [target, test].into_iter().chain(turns).any(is_later);
    if !later && asserts_nothing(&merged) {
        let message = "the test asserts nothing: it passes whenever the agent answers";
        lint.certain.push(
            Diagnostic::warning(Code::AssertsNothing, message)
                .at(surroundings.test, surroundings.name, "")
                .help("say in an `assert` what must hold, on the test or on one of its turns"),
        );
    }
    lint
}

fn asserts_nothing(merged: &Inherited) -> bool {
    let is_empty = |turn: &TurnRules| turn.entries.is_empty() && turn.limits.is_empty();
    merged.test.is_empty() && merged.limits.is_empty() && merged.turns.iter().all(is_empty)
}
