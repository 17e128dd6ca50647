//! Rules about what the agent says that exclude each other.

use std::collections::HashMap;

use super::rules::{MOST_PAIRS, Rules, Scoped};
use crate::describe::literally;
use crate::evaluation::RuleScope;
use crate::needle::{ComparedText, Needle, TextMatcher};
use crate::rule::{Claim, RuleEntry};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::model::TextOf;
use ananke_model::variables::{Patterns, UselessMatch, useless_match};

#[expect(
    clippy::mutable_key_type,
    reason = "a pattern is its text, whether it is compiled or not"
)]
pub(super) fn lint(rules: &Rules<'_>, found: &mut Vec<Diagnostic>) {
    let mut ruled_out: HashMap<&Needle, Vec<Scoped<'_>>> = HashMap::new();
    let mut literals: Vec<(&str, ComparedText, Scoped<'_>)> = Vec::new();
    for (scoped, claim) in rules.claims() {
        if let Claim::NeverSays(needle) = claim {
            ruled_out.entry(needle).or_default().push(scoped);
            if let TextMatcher::Literal(literal) = &needle.matcher {
                literals.push((literal, needle.compared, scoped));
            }
        }
    }
    let mut pairs = 0;
    for (scoped @ (_, entry), claim) in rules.claims() {
        found.extend(useless(&claim, entry, rules));
        match claim {
            Claim::Says(needle) => {
                let same = ruled_out.get(needle).into_iter().flatten();
                let same: Vec<&Scoped<'_>> = same
                    .filter(|other| rules.overlap(**other, scoped))
                    .collect();
                found.extend(
                    same.iter()
                        .map(|(_, other)| said_and_not(needle, entry, other, rules)),
                );
                pairs += literals.len();
                if let (TextMatcher::Literal(literal), true) =
                    (&needle.matcher, pairs <= MOST_PAIRS)
                    && is_known(literal)
                {
                    let within = literals.iter().find(|(part, of, (other, forbidden))| {
                        let wanted = needle.compared;
                        literal.contains(part)
                            && is_known(part)
                            && rules.overlap((*other, *forbidden), scoped)
                            && of.form == wanted.form
                            && (of.of != TextOf::Final || wanted.of == TextOf::Final)
                            && !same
                                .iter()
                                .any(|(_, known)| std::ptr::eq(*known, *forbidden))
                    });
                    found.extend(
                        within.map(|(_, _, (_, other))| said_and_not(needle, entry, other, rules)),
                    );
                }
            }
            Claim::SaysOneOf(texts, compared) => {
                pairs += rules.all.len() * texts.len();
                if pairs <= MOST_PAIRS && texts.iter().all(|text| is_known(text)) {
                    found.extend(never_equal(texts, compared, scoped, rules));
                }
            }
            _ => {}
        }
    }
}

/// The warning about a pattern that matches every text.
fn useless(claim: &Claim<'_>, entry: &RuleEntry, rules: &Rules<'_>) -> Option<Diagnostic> {
    let (why, effect) = match claim {
        Claim::Says(needle) => (matches_everything(needle), "rule can never fail"),
        Claim::NeverSays(needle) => (matches_everything(needle), "test can never pass"),
        Claim::MatchesText(pattern) => (pattern_matches_everything(pattern), "rule can never fail"),
        _ => return None,
    };
    let message = format!("{}: the {effect}", why?);
    let source = rules.surroundings.source(&entry.origin);
    let warning = Diagnostic::warning(Code::UselessPattern, message);
    let warning = warning.at(source, entry.origin.span, "");
    Some(warning.help("write a pattern that matches some texts and not others"))
}

/// The rule that none of `texts` satisfies.
fn never_equal(
    texts: &[String],
    compared: ComparedText,
    (scope, entry): Scoped<'_>,
    rules: &Rules<'_>,
) -> Option<Diagnostic> {
    let mut patterns = Patterns::default();
    let looks_at_the_same = |other: RuleScope, against: &RuleEntry| {
        let mut turns = rules.merged.turns.iter();
        other == scope && turns.all(|turn| turn.leaves_out(entry) == turn.leaves_out(against))
    };
    let mut is_earlier = true;
    let against = rules.claims().find(|((other, against), claim)| {
        if std::ptr::eq(*against, entry) {
            is_earlier = false;
            return false;
        }
        match claim {
            Claim::Says(needle) => {
                looks_at_the_same(*other, against)
                    && needle.compared.is_of_same_texts(compared)
                    && containing(texts, needle, &mut patterns) == Some(0)
            }
            Claim::NeverSays(needle) => {
                rules.overlap((*other, against), (scope, entry))
                    && needle.compared.is_of_same_texts(compared)
                    && containing(texts, needle, &mut patterns) == Some(texts.len())
            }
            Claim::SaysOneOf(others, other_compared) => {
                looks_at_the_same(*other, against)
                    && other_compared.is_of_same_texts(compared)
                    // The later one of two such rules is reported.
                    && is_earlier
                    && others.iter().all(|text| is_known(text))
                    && !texts.iter().any(|text| others.contains(text))
            }
            _ => false,
        }
    });
    against.map(|((_, against), _)| {
        let (wanted, other) = (entry.rule.describe(), against.rule.describe());
        let message =
            format!("{wanted} is wanted here, and {other} there: the test can never pass");
        let places = (
            (&entry.origin, "must be this"),
            (&against.origin, "ruled out"),
        );
        rules
            .surroundings
            .warning(Code::ForbiddenText, message, places.0, places.1)
            .help("drop one of the two, or write each on the turns it is meant for")
    })
}

/// The reason why every text contains the needle, if every text does.
fn matches_everything(needle: &Needle) -> Option<String> {
    match &needle.matcher {
        // An empty pattern is reported where it is written.
        TextMatcher::Pattern(pattern) => pattern_matches_everything(pattern.as_str()),
        TextMatcher::Literal(literal) => literal
            .is_empty()
            .then(|| "an empty text is in every text".to_owned()),
        TextMatcher::Whole(_) | TextMatcher::Json(_) => None,
    }
}

fn pattern_matches_everything(pattern: &str) -> Option<String> {
    let is_useless = !pattern.is_empty() && is_known(pattern);
    (is_useless && useless_match(pattern) == Some(UselessMatch::Everything))
        .then(|| format!("`{}` matches every text", literally(pattern)))
}

/// Whether a text contains nothing that only a run fills in.
fn is_known(text: &str) -> bool {
    !text.contains("${")
}

/// The number of the texts that contain the needle; `None` if that is unknown.
fn containing(texts: &[String], needle: &Needle, patterns: &mut Patterns) -> Option<usize> {
    let is_known = match &needle.matcher {
        TextMatcher::Pattern(pattern) => is_known(pattern.as_str()),
        TextMatcher::Literal(text) | TextMatcher::Whole(text) => is_known(text),
        TextMatcher::Json(value) => is_known(&value.to_string()),
    };
    let needle = needle.started(patterns).ok().filter(|_| is_known)?;
    Some(texts.iter().filter(|text| needle.is_in(text)).count())
}

fn said_and_not(
    needle: &Needle,
    required: &RuleEntry,
    forbidden: &RuleEntry,
    rules: &Rules<'_>,
) -> Diagnostic {
    let (message, beside) = match &needle.matcher {
        TextMatcher::Pattern(pattern) => (
            format!(
                "`{}` must match and must not match the same text",
                pattern.as_str()
            ),
            "must match",
        ),
        TextMatcher::Literal(text) | TextMatcher::Whole(text) => (
            format!("`{}` must be said and must not be said", literally(text)),
            "must be said",
        ),
        TextMatcher::Json(value) => (
            format!("`{value}` must be said and must not be said"),
            "must be said",
        ),
    };
    let places = ((&required.origin, beside), (&forbidden.origin, "ruled out"));
    rules
        .surroundings
        .warning(
            Code::ForbiddenText,
            format!("{message}: the test can never pass"),
            places.0,
            places.1,
        )
        .help("drop one of the two, or write each on the turns it is meant for")
}
