//! Patterns that match nothing, or everything.

use regex_syntax::hir::{Hir, HirKind, Look};

/// The texts that a pattern matches, if that does not depend on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UselessMatch {
    /// No text at all.
    Nothing,
    /// Every text, the empty one too.
    Everything,
}

/// The texts that `pattern` matches if that does not depend on the text; `None` if it does, and for a pattern that is not valid.
pub fn useless_match(pattern: &str) -> Option<UselessMatch> {
    if !may_be_useless(pattern) {
        return None;
    }
    let parsed = regex_syntax::parse(pattern).ok()?;
    if matches_nothing(&parsed) {
        return Some(UselessMatch::Nothing);
    }
    matches_everything(&parsed).then_some(UselessMatch::Everything)
}

/// Whether a pattern has anything by which it could be useless: parsing all of them would be a fifth of loading a file.
fn may_be_useless(pattern: &str) -> bool {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    inner.is_empty()
        || inner.contains(['*', '?', '{', '^', '$'])
        || inner.starts_with('|')
        || inner.ends_with('|')
        || ["&&", "--", "~~", "||", "(|", "|)", "()"]
            .iter()
            .any(|part| inner.contains(part))
}

fn matches_nothing(parsed: &Hir) -> bool {
    match parsed.kind() {
        HirKind::Class(_) => parsed.properties().minimum_len().is_none(),
        HirKind::Concat(parts) => {
            // Something is matched before the start of the text, or after its end.
            let (mut is_after_something, mut is_after_end) = (false, false);
            parts.iter().any(|part| {
                let properties = part.properties();
                let takes_something = properties.minimum_len().is_some_and(|least| least > 0);
                let is_impossible = is_after_something
                    && properties.look_set_prefix().contains(Look::Start)
                    || is_after_end && takes_something;
                is_after_something |= takes_something;
                is_after_end |= properties.look_set_suffix().contains(Look::End);
                is_impossible || matches_nothing(part)
            })
        }
        HirKind::Alternation(branches) => branches.iter().all(matches_nothing),
        HirKind::Capture(group) => matches_nothing(&group.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && matches_nothing(&repetition.sub),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => false,
    }
}

fn matches_everything(parsed: &Hir) -> bool {
    match parsed.kind() {
        HirKind::Look(look) => matches!(look, Look::Start | Look::End),
        HirKind::Concat(parts) => match parts.as_slice() {
            [first, rest @ ..] if *first.kind() == HirKind::Look(Look::Start) => {
                rest.iter().all(matches_emptiness)
            }
            [rest @ .., last] if *last.kind() == HirKind::Look(Look::End) => {
                rest.iter().all(matches_emptiness)
            }
            parts => parts.iter().all(matches_emptiness),
        },
        _ => matches_emptiness(parsed),
    }
}

/// Whether it matches the empty text between any two characters.
fn matches_emptiness(parsed: &Hir) -> bool {
    match parsed.kind() {
        HirKind::Empty => true,
        HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
        HirKind::Repetition(repetition) => {
            repetition.min == 0 || matches_emptiness(&repetition.sub)
        }
        HirKind::Capture(group) => matches_emptiness(&group.sub),
        HirKind::Concat(parts) => parts.iter().all(matches_emptiness),
        HirKind::Alternation(branches) => branches.iter().any(matches_emptiness),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_does_not_depend_on_the_text() {
        for pattern in [
            "x^error", "[a&&b]", "error$x", "(a|b)^", "a(^b)", "$a", "x[a&&b]", "(?:a^)+",
        ] {
            assert_eq!(
                useless_match(pattern),
                Some(UselessMatch::Nothing),
                "{pattern}"
            );
        }
        for pattern in [
            "", ".*", "a*", "^.*", ".*$", "^", "$", "(a|)", "(?s).*", "a?b?",
        ] {
            assert_eq!(
                useless_match(pattern),
                Some(UselessMatch::Everything),
                "{pattern}"
            );
        }
        for pattern in [
            "a",
            "^a",
            "a$",
            "^$",
            "^.*$",
            ".+",
            "(?m)a^b",
            "(?m)a\n^b",
            "x?^a",
            "a$b?",
            "\\b",
            "(^a|b)",
            "[a&&b]*c",
            "(",
        ] {
            assert_eq!(useless_match(pattern), None, "{pattern}");
        }
    }
}
