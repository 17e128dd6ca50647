//! The figures: what is counted, of how much, and what a crate has that was rewritten.

use std::collections::HashSet;

use super::source::Source;
use super::{code_figures, comment_figures, functions};

/// What a count is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Per 1,000 lines with code.
    Lines,
    /// A share of the functions that are long, in percent.
    LongFunctions,
    /// A share of the comments, in percent.
    Comments,
    /// The count alone. The aim is that of the whole tree; a crate has the part of it that its lines have.
    InAll,
}

/// The direction in which a figure gets better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
    /// Down, but the aim is met already: it is a limit, so that other figures do not get better by making this one worse.
    Guard,
}

/// A figure.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) base: Base,
    pub(super) direction: Direction,
    pub(super) aim: f64,
    /// What to do where there are too many, or too few.
    pub(super) remedy: &'static str,
}

const fn figure(
    name: &'static str,
    base: Base,
    direction: Direction,
    aim: f64,
    remedy: &'static str,
) -> Figure {
    Figure {
        name,
        base,
        direction,
        aim,
        remedy,
    }
}

/// All figures, in the order of the table.
pub(super) const FIGURES: &[Figure] = &[
    figure(
        "adapters",
        Base::Lines,
        Direction::Down,
        20.0,
        "decide with `if`, `match` or `let … else`; a list may still be mapped",
    ),
    figure(
        "closures",
        Base::Lines,
        Direction::Down,
        35.0,
        "write the step where it happens",
    ),
    figure(
        "named closures",
        Base::Lines,
        Direction::Down,
        1.0,
        "a function has a name and a comment",
    ),
    figure(
        "closures named once",
        Base::Lines,
        Direction::Down,
        0.7,
        "write the closure where it is used",
    ),
    figure(
        "filters of nothing",
        Base::InAll,
        Direction::Down,
        20.0,
        "`.filter(|_| condition)` is an `if`",
    ),
    figure(
        "idle deciders",
        Base::Lines,
        Direction::Down,
        0.15,
        "a closure that decides without its parameter is an `if` before the chain",
    ),
    figure(
        "folds",
        Base::Lines,
        Direction::Down,
        6.0,
        "write `if`, `match` or `let … else` instead of `.then(…)`, `.and_then(…)` and `.map_or(…)`",
    ),
    figure(
        "deciding folds",
        Base::Lines,
        Direction::Down,
        3.0,
        "a condition, a value or a link that folds a decision is an `if`, a `match` or a `let … else`",
    ),
    figure(
        "tuples bound",
        Base::Lines,
        Direction::Down,
        0.5,
        "two names are two lines",
    ),
    figure(
        "tuples decided",
        Base::Lines,
        Direction::Down,
        1.2,
        "decide one thing, then the other",
    ),
    figure(
        "pronoun docs",
        Base::InAll,
        Direction::Down,
        30.0,
        "begin with a noun, or say nothing",
    ),
    figure(
        "restating docs",
        Base::Lines,
        Direction::Down,
        4.0,
        "say what the name does not say, or nothing",
    ),
    figure(
        "silent functions",
        Base::LongFunctions,
        Direction::Down,
        60.0,
        "say before a step what it is for, or why it is here",
    ),
    figure(
        "reasons",
        Base::Lines,
        Direction::Up,
        3.0,
        "say why: docs/internals and the history of the file have reasons",
    ),
    figure(
        "comments with reasons",
        Base::Comments,
        Direction::Up,
        4.0,
        "say why, and remove comments that say what the code says",
    ),
    figure(
        "long chains",
        Base::Lines,
        Direction::Guard,
        0.5,
        "give the value between the links a name",
    ),
    figure(
        "long closures",
        Base::Lines,
        Direction::Guard,
        2.9,
        "write a loop, or a function with a name",
    ),
    figure(
        "small functions",
        Base::Lines,
        Direction::Guard,
        1.2,
        "write the function where it is used",
    ),
];

/// A figure of a crate: how many of how much, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    pub(super) found: usize,
    pub(super) base: usize,
    pub(super) places: Vec<String>,
}

/// The figures of a crate, in the order of [`FIGURES`].
#[derive(Debug)]
pub(super) struct Voice {
    pub(super) lines: usize,
    pub(super) counts: Vec<Count>,
    /// Reasons that were found already: a reason that is copied is one.
    known_reasons: HashSet<String>,
}

impl Voice {
    pub(super) fn new() -> Self {
        Self {
            lines: 0,
            counts: vec![Count::default(); FIGURES.len()],
            known_reasons: HashSet::new(),
        }
    }

    /// Adds the file `path` with its `text`.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        let source = Source::new(text);
        let closures = functions::closures(&source);
        let functions = functions::functions(&source);
        let (named, named_once) = code_figures::named_closures(&source, &closures);
        let (folds, deciding_folds) = code_figures::folds(&source, &closures);
        let (bound, decided) = code_figures::tuples(&source);
        let (long_functions, silent) = comment_figures::silent_functions(&source, &functions);
        let mut reasons = Vec::new();
        for (line, reason) in comment_figures::reasons(&source) {
            if self.known_reasons.insert(reason) {
                reasons.push(line);
            }
        }
        let found = [
            code_figures::adapters(&source),
            closures.iter().map(|it| source.line(it.start)).collect(),
            named,
            named_once,
            code_figures::filters_of_nothing(&source, &closures),
            code_figures::idle_deciders(&source, &closures),
            folds,
            deciding_folds,
            bound,
            decided,
            comment_figures::pronouns(&source),
            comment_figures::restatements(&source),
            silent,
            reasons.clone(),
            reasons,
            code_figures::long_chains(&source),
            code_figures::long_closures(&source, &closures),
            code_figures::small_functions(&source, &functions),
        ];
        let lines = source.lines_in(0..source.code.len());
        self.lines += lines;
        for ((count, figure), found) in self.counts.iter_mut().zip(FIGURES).zip(found) {
            count.found += found.len();
            count.base += match figure.base {
                Base::Lines | Base::InAll => lines,
                Base::LongFunctions => long_functions,
                Base::Comments => source.comments.len(),
            };
            count
                .places
                .extend(found.iter().map(|line| format!("{path}:{line}")));
        }
    }
}
