//! Rules about what the agent says that exclude each other.

use std::collections::HashMap;

use super::lists::meet;
use super::{Homed, Surroundings};
use crate::assertion::describe::literally;
use crate::assertion::inherit::Inherited;
use crate::assertion::judge::Home;
use crate::assertion::rule::{Entry, Rule};
use crate::assertion::text::{Equals, MustMatch, MustNotMatch, Sought, Wording};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::TextOf;
use crate::variables::Patterns;

/// How many pairs of rules of a test are looked at one by one: beyond that nothing is said.
const MOST_PAIRS: usize = 10_000;

pub(super) fn lint(
    all: &[Homed<'_>],
    merged: &Inherited,
    surroundings: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let mut ruled_out: HashMap<&Wording, Vec<Homed<'_>>> = HashMap::new();
    let mut literals: Vec<(&str, Homed<'_>)> = Vec::new();
    for homed @ (_, entry) in all {
        if let Rule::MustNotMatch(MustNotMatch { wording }) = &entry.rule {
            ruled_out.entry(wording).or_default().push(*homed);
            if let Sought::Literal(literal) = &wording.sought {
                literals.push((literal, *homed));
            }
        }
    }
    let mut pairs = 0;
    for homed @ (_, entry) in all {
        match &entry.rule {
            Rule::MustMatch(MustMatch { wording }) => {
                let same = ruled_out.get(wording).into_iter().flatten();
                let same: Vec<&Homed<'_>> = same.filter(|other| meet(**other, *homed, merged)).collect();
                found.extend(same.iter().map(|(_, other)| said_and_not(wording, entry, other, surroundings)));
                pairs += literals.len();
                if let (Sought::Literal(literal), true) = (&wording.sought, pairs <= MOST_PAIRS)
                    && is_known(literal)
                {
                    let within = literals.iter().find(|(part, (other, forbidden))| {
                        literal.contains(part)
                            && is_known(part)
                            && meet((*other, *forbidden), *homed, merged)
                            && covers(&forbidden.rule, wording.of)
                            && !same.iter().any(|(_, known)| std::ptr::eq(*known, *forbidden))
                    });
                    found.extend(
                        within.map(|(_, (_, other))| said_and_not(wording, entry, other, surroundings)),
                    );
                }
            }
            Rule::Equals(equals) => {
                pairs += all.len() * equals.texts.len();
                if pairs <= MOST_PAIRS && equals.texts.iter().all(|text| is_known(text)) {
                    found.extend(never_equal(equals, *homed, all, merged, surroundings));
                }
            }
            _ => {}
        }
    }
}

/// Whether what a literal prohibition rules out cannot stand in the text that `of` means.
fn covers(forbidden: &Rule, of: TextOf) -> bool {
    match forbidden {
        Rule::MustNotMatch(MustNotMatch { wording }) => wording.of == TextOf::All || of == TextOf::Final,
        _ => false,
    }
}

/// The rule that no text of `equals` keeps.
fn never_equal(
    equals: &Equals,
    (home, entry): Homed<'_>,
    all: &[Homed<'_>],
    merged: &Inherited,
    surroundings: &Surroundings<'_>,
) -> Option<Diagnostic> {
    let mut patterns = Patterns::default();
    let sees_the_same = |other: Home, against: &Entry| {
        other == home && merged.turns.iter().all(|turn| turn.leaves_out(entry) == turn.leaves_out(against))
    };
    let own = all.iter().position(|(_, other)| std::ptr::eq(*other, entry))?;
    let against = all.iter().enumerate().find(|(index, (other, against))| {
        *index != own
            && match &against.rule {
                Rule::MustMatch(MustMatch { wording }) => {
                    sees_the_same(*other, against)
                        && wording.of == equals.of
                        && equals.texts.iter().all(|text| finds(wording, text, &mut patterns) == Some(false))
                }
                Rule::MustNotMatch(MustNotMatch { wording }) => {
                    meet((*other, *against), (home, entry), merged)
                        && wording.of == equals.of
                        && equals.texts.iter().all(|text| finds(wording, text, &mut patterns) == Some(true))
                }
                Rule::Equals(other_equals) => {
                    sees_the_same(*other, against)
                        && other_equals.of == equals.of
                        // Of two such rules the later one is told of.
                        && *index < own
                        && other_equals.texts.iter().all(|text| is_known(text))
                        && !equals.texts.iter().any(|text| other_equals.texts.contains(text))
                }
                _ => false,
            }
    });
    against.map(|(_, (_, against))| {
        let message = format!(
            "{} is wanted here, and {} there: the test can never pass",
            entry.rule.describe(),
            against.rule.describe()
        );
        let places = ((&entry.origin, "must be this"), (&against.origin, "ruled out"));
        surroundings
            .warning(Code::ForbiddenText, message, places.0, places.1)
            .help("drop one of the two, or write each on the turns it is meant for")
    })
}

/// Whether a text holds nothing that only a run fills in.
fn is_known(text: &str) -> bool {
    !text.contains("${")
}

/// Whether the text holds what is sought; `None` where that cannot be told.
fn finds(wording: &Wording, text: &str, patterns: &mut Patterns) -> Option<bool> {
    let known = match &wording.sought {
        Sought::Pattern(pattern) => is_known(pattern.as_str()),
        Sought::Literal(literal) => is_known(literal),
    };
    let seeking = wording.start(patterns).ok().filter(|_| known)?;
    Some(seeking.find(text).is_some())
}

fn said_and_not(
    wording: &Wording,
    owed: &Entry,
    forbidden: &Entry,
    surroundings: &Surroundings<'_>,
) -> Diagnostic {
    let (message, beside) = match &wording.sought {
        Sought::Pattern(pattern) => {
            (format!("`{}` must match and must not match the same text", pattern.as_str()), "must match")
        }
        Sought::Literal(literal) => {
            (format!("`{}` must be said and must not be said", literally(literal)), "must be said")
        }
    };
    let places = ((&owed.origin, beside), (&forbidden.origin, "ruled out"));
    surroundings
        .warning(Code::ForbiddenText, format!("{message}: the test can never pass"), places.0, places.1)
        .help("drop one of the two, or write each on the turns it is meant for")
}
