//! The patterns of texts that vary from run to run: times, dates, UUIDs and paths. They are offered for `ignore` if nothing else
//! differs from a recording. Nothing is ignored before it is written there.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::compared_request::{ComparedRequest, change_texts};
use ananke_trace::trace::ModelRequest;

/// The characters of the text before a varying part that its pattern has, so that it matches nothing else.
const CONTEXT_CHARS: usize = 24;

/// The most patterns that are offered: people read no longer list.
const MOST_PATTERNS: usize = 4;

/// The names of months, also in their short forms.
const MONTH: &str = "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)";

/// The names of days, also in their short forms.
const WEEKDAY: &str = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*day)?";

/// The kinds of varying texts, each with its pattern. One that contains another comes first.
const KINDS: &[(VaryingKind, &str)] = &[
    (
        VaryingKind::Same,
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
    ),
    (
        VaryingKind::Same,
        "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?:[:.,][0-9]+)*(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
    ),
    (VaryingKind::Same, "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    (
        VaryingKind::MonthFirst,
        r"(?:[A-Z][a-z]+,? )?[A-Z][a-z]+\.? [0-9]{1,2}[a-z]*(?:,? [0-9]{4})?",
    ),
    (
        VaryingKind::DayFirst,
        r"(?:[A-Z][a-z]+,? )?[0-9]{1,2}[a-z.]* [A-Z][a-z]+\.?(?:,? [0-9]{4})?",
    ),
    (VaryingKind::Weekday, "[A-Z][a-z]+"),
    (VaryingKind::Same, "[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}"),
    (
        VaryingKind::Same,
        r"[0-9]{1,2}:[0-9]{2}(?:[:.,][0-9]+)*(?: ?[AaPp]\.?[Mm]\.?)?",
    ),
    // Seconds and milliseconds since 1970.
    (VaryingKind::Same, r"\b1[0-9]{9}(?:[0-9]{3})?\b"),
    (
        VaryingKind::Same,
        r"(?:[A-Za-z]:\\|~?/)(?:[\w.@+~-]+[/\\])+[\w.@+~-]*",
    ),
];

/// The way in which a text is known to vary.
#[derive(Clone, Copy, Debug)]
enum VaryingKind {
    /// Texts that the offered pattern matches.
    Same,
    /// Dates with the name of a month before the day.
    MonthFirst,
    /// Dates with the name of a month after the day.
    DayFirst,
    /// Names of days.
    Weekday,
}

/// A search for all kinds, and a pattern for each kind.
static SEARCH: LazyLock<Option<(Regex, Vec<Regex>)>> = LazyLock::new(|| {
    let mut known = Vec::new();
    let mut single = Vec::new();
    for (kind, offered) in KINDS {
        let pattern = known_by(*kind, offered);
        single.push(Regex::new(&format!("^(?:{pattern})$")).ok()?);
        known.push(pattern);
    }
    Some((Regex::new(&known.join("|")).ok()?, single))
});

/// The pattern by which a text is known to be of this kind. Offered patterns are shorter, because people read them.
fn known_by(kind: VaryingKind, offered: &str) -> String {
    match kind {
        VaryingKind::Same => offered.to_owned(),
        VaryingKind::MonthFirst => format!(
            r"(?:{WEEKDAY},? )?\b{MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?\b(?:,? [0-9]{{4}})?"
        ),
        VaryingKind::DayFirst => format!(
            r"(?:{WEEKDAY},? )?\b[0-9]{{1,2}}(?:st|nd|rd|th)?\.? {MONTH}\b\.?(?:,? [0-9]{{4}})?"
        ),
        VaryingKind::Weekday => format!(r"\b{WEEKDAY}\b"),
    }
}

/// A varying part of a text.
struct VaryingPart<'t> {
    text: &'t str,
    /// The text before it on its line, without an earlier part.
    before: &'t str,
    pattern: &'static str,
}

/// The patterns with which the requests would be the same; empty if more than varying texts differ.
pub(crate) fn offered_patterns(recorded: &ModelRequest, asked: &ModelRequest) -> Vec<String> {
    let texts = texts_of(recorded);
    let of_asked = texts_of(asked);
    // Requests with other messages differ in more than varying texts.
    if texts.len() != of_asked.len() {
        return Vec::new();
    }
    let mut patterns = Vec::new();
    for (one, other) in texts.iter().zip(&of_asked) {
        if one != other && !add_patterns(one, other, &mut patterns) {
            return Vec::new();
        }
    }
    // The patterns have to do what they are offered for.
    let mut all = Vec::new();
    for pattern in &patterns {
        let Ok(pattern) = Regex::new(pattern) else {
            return Vec::new();
        };
        all.push(pattern);
    }
    if ComparedRequest::of(recorded, &all).key == ComparedRequest::of(asked, &all).key {
        patterns
    } else {
        Vec::new()
    }
}

/// Adds the patterns of the parts in which two texts differ; `false` if something else differs.
fn add_patterns(one: &str, other: &str, patterns: &mut Vec<String>) -> bool {
    let parts = parts_of(one);
    let of_other = parts_of(other);
    if parts.len() != of_other.len() {
        return false;
    }
    for (part, other) in parts.iter().zip(&of_other) {
        // Another text between the parts is a change that people mean.
        if part.before != other.before || part.pattern != other.pattern {
            return false;
        }
        if part.text == other.text {
            continue;
        }
        let pattern = format!("{}{}", regex::escape(context(part.before)), part.pattern);
        if !patterns.contains(&pattern) {
            if patterns.len() == MOST_PATTERNS {
                return false;
            }
            patterns.push(pattern);
        }
    }
    true
}

/// The varying parts of a text, in their order.
fn parts_of(text: &str) -> Vec<VaryingPart<'_>> {
    let mut parts = Vec::new();
    let Some((all, single)) = &*SEARCH else {
        return parts;
    };
    let mut end = 0;
    for found in all.find_iter(text) {
        let number = single
            .iter()
            .position(|pattern| pattern.is_match(found.as_str()));
        parts.push(VaryingPart {
            text: found.as_str(),
            before: &text[end..found.start()],
            pattern: KINDS[number.unwrap_or_default()].1,
        });
        end = found.end();
    }
    parts
}

/// The last words before a part, on its line.
fn context(before: &str) -> &str {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut start = 0;
    if let Some((index, _)) = line.char_indices().rev().nth(CONTEXT_CHARS) {
        start = index;
        // The context begins with a whole word, so that people recognize it.
        if let Some(space) = line[index..].find(' ') {
            start = index + space + 1;
        }
    }
    &line[start..]
}

/// The texts of a request that may vary.
fn texts_of(request: &ModelRequest) -> Vec<String> {
    let mut texts = Vec::new();
    change_texts(&mut request.clone(), &mut |text| {
        texts.push(text.to_owned());
        Cow::Borrowed(text)
    });
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_recording::tests::call;

    fn offered(recorded: &str, asked: &str) -> Vec<String> {
        let patterns = offered_patterns(&call(recorded).request, &call(asked).request);
        for pattern in &patterns {
            let pattern = Regex::new(pattern).unwrap();
            assert!(pattern.is_match(recorded) && pattern.is_match(asked));
        }
        patterns
    }

    #[test]
    fn what_varies_has_the_pattern_of_its_kind() {
        for (recorded, asked, start) in [
            (
                "Today is 2026-11-30.",
                "Today is 2026-12-01.",
                "Today is [0-9]{4}-",
            ),
            (
                "at 2026-11-30T10:00:00Z",
                "at 2026-12-01T11:30:00.5Z",
                "at [0-9]{4}",
            ),
            (
                "It is Monday, 30 November 2026",
                "It is Tuesday, 1 December 2026",
                "It is (?:[A-Z]",
            ),
            (
                "It is Nov 30, 2026",
                "It is Dec 1st, 2026",
                "It is (?:[A-Z]",
            ),
            (
                "Be kind.\nNow: 10:00",
                "Be kind.\nNow: 9:30 PM",
                "Now: [0-9]{1,2}:",
            ),
            ("on 30.11.2026", "on 1.12.2026", "on [0-9]{1,2}"),
            ("Day: Monday", "Day: Tuesday", "Day: [A-Z]"),
            ("t=1732900000", "t=1732900001123", "t=\\b1"),
            (
                "id (0b6f7a34-1111-4222-8333-abcdefabcdef)",
                "id (0b6f7a34-1111-4222-8333-abcdefabcde0)",
                "id \\([0-9a-fA-F]{8}",
            ),
            ("in /a1/work now", "in /b2/x/work now", "in (?:"),
            ("in C:\\a\\b.txt", "in C:\\c\\d.txt", "in (?:"),
        ] {
            let patterns = offered(recorded, asked);
            assert_eq!(patterns.len(), 1, "{recorded}");
            assert!(patterns[0].starts_with(start), "{patterns:?}");
        }
        let two = offered(
            "from 2026-01-01 to 2026-01-02",
            "from 2026-01-03 to 2026-01-04",
        );
        assert_eq!(two.len(), 2, "{two:?}");
    }

    #[test]
    fn nothing_else_is_offered() {
        for (recorded, asked) in [
            ("Pay 5", "Pay 6"),
            ("Today is 2026-11-30. Pay.", "Today is 2026-12-01. Buy."),
            ("Today is 2026-11-30.", "Today is 10:00."),
            ("Today is 2026-11-30.", "Today is 2026-11-30. At 10:00"),
            ("a/b", "a/c"),
        ] {
            assert!(offered(recorded, asked).is_empty(), "{recorded}");
        }
        let mut other = call("on 2026-01-02").request;
        other.model = "n".to_owned();
        let recorded = call("on 2026-01-01").request;
        assert!(offered_patterns(&recorded, &other).is_empty());
        let many = |day: &str| {
            let mut text = String::new();
            for letter in ["a", "b", "c", "d", "e"] {
                text.push_str(letter);
                text.push_str(" 2026-01-");
                text.push_str(day);
                text.push('\n');
            }
            text
        };
        assert!(offered(&many("01"), &many("02")).is_empty());
    }
}
