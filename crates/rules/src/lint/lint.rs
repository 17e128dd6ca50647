//! Warnings about rules that can never fail and tests that can never pass.

use super::{LintContext, calls, exclusions, limits, rules::Rules, texts};
use crate::block::Block;
use crate::evaluation::Setting;
use crate::inherit::{Inherited, TurnRules, inherit};
use crate::rule::DroppedRule;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::is_case_file;
use ananke_trace::outcome::Level;

/// The schema version from which an entry of `require` that is written twice is reported.
const DUPLICATES_ARE_REPORTED: (u32, u32) = (1, 4);

/// The warnings of one test.
#[derive(Debug, Default)]
pub struct Lint {
    /// True of this test.
    pub certain: Vec<Diagnostic>,
    /// The limits and triggers of the target that never do anything in this test: a mistake only if it is so in every test.
    pub of_target: Vec<Diagnostic>,
}

/// Checks what applies in a test.
pub fn lint(target: &Block, test: &Block, turns: &[Block], surroundings: &LintContext<'_>) -> Lint {
    let merged = inherit(target, test, turns);
    let rules = Rules::new(&merged, surroundings);
    let mut lint = Lint::default();
    calls::lint(&rules, &mut lint.certain);
    let triggers = exclusions::lint(&rules, &mut lint.certain);
    texts::lint(&rules, &mut lint.certain);
    limits::unused(test, &merged, surroundings, &mut lint.certain);
    lint.of_target.extend(written_twice(target, surroundings));
    for block in std::iter::once(test).chain(turns) {
        lint.certain.extend(written_twice(block, surroundings));
    }
    for (level, warning) in limits::lint(&merged, surroundings)
        .into_iter()
        .chain(triggers)
    {
        let warnings = if level == Level::Target {
            &mut lint.of_target
        } else {
            &mut lint.certain
        };
        warnings.push(warning);
    }
    let is_later = |block: &Block| {
        block
            .limits
            .iter()
            .any(|(_, limit)| matches!(limit, Setting::Later(..)))
    };
    let later = [target, test].into_iter().chain(turns).any(is_later);
    if !later && asserts_nothing(&merged) {
        let message = "the test asserts nothing: it passes whenever the agent answers";
        let help = if is_case_file(&surroundings.test.path) {
            "add what the answer must be: `\"expected\": \"…\"`, or an `assert`"
        } else {
            "say in an `assert` what must hold, on the test or on one of its turns"
        };
        let problem = Diagnostic::warning(Code::AssertsNothing, message);
        let problem = problem.at(surroundings.test, surroundings.name, "");
        lint.certain.push(problem.help(help));
    }
    lint
}

/// Checks the rules of a checkpoint, which nothing is inherited by.
pub fn lint_checkpoint(block: &Block, surroundings: &LintContext<'_>) -> Vec<Diagnostic> {
    let merged = inherit(&Block::default(), block, &[]);
    let rules = Rules::new(&merged, surroundings);
    let mut found = Vec::new();
    calls::lint(&rules, &mut found);
    let triggers = exclusions::lint(&rules, &mut found);
    found.extend(triggers.into_iter().map(|(_, warning)| warning));
    texts::lint(&rules, &mut found);
    found
}

/// The warnings about entries of `require` that are written twice in one block.
fn written_twice<'b>(
    block: &'b Block,
    surroundings: &'b LintContext<'_>,
) -> impl Iterator<Item = Diagnostic> + 'b {
    let twice = block.dropped.iter().filter(|DroppedRule { entry, kept }| {
        let source = &entry.origin.source;
        // Blocks that are combined by `extends` may require the same.
        let between = source
            .text
            .get(kept.span.end as usize..entry.origin.span.start as usize);
        entry.path == "tools.require"
            && source.is_since(DUPLICATES_ARE_REPORTED)
            && kept.place.file == entry.origin.place.file
            && between.is_some_and(|text| !text.contains("require"))
    });
    twice.map(|DroppedRule { entry, kept }| {
        let message = "this entry is written twice and counts once: one call satisfies both";
        Diagnostic::warning(Code::DuplicateEntry, message)
            .at(surroundings.source(&entry.origin), entry.origin.span, "")
            .at(surroundings.source(kept), kept.span, "the first")
            .help("for two calls write `count: 2` in one entry, or remove one of the two")
    })
}

fn asserts_nothing(merged: &Inherited) -> bool {
    let is_empty = |turn: &TurnRules| turn.entries.is_empty() && turn.limits.is_empty();
    merged.test.is_empty() && merged.limits.is_empty() && merged.turns.iter().all(is_empty)
}
