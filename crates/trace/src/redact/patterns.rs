//! Texts that are secret by what they look like: where patterns match, also where a part of a text is encoded.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;
use serde::de::IgnoredAny;

use super::packed_text::each_packed;
use super::readings::each_reading;

/// The places where one of `patterns` matches in `text` as it is, and in the parts of it that are in base64 or hexadecimal
/// digits, each with the number of the pattern, counted from 0.
pub(super) fn find(text: &str, patterns: &[Arc<Regex>]) -> Vec<(Range<usize>, usize)> {
    let matches = |text: &str| -> Vec<(Range<usize>, usize)> {
        let of_pattern = |(number, pattern): (usize, &Arc<Regex>)| {
            let found: Vec<_> = pattern
                .find_iter(text)
                .map(|found| (found.range(), number))
                .collect();
            found
        };
        let found = patterns.iter().enumerate().flat_map(of_pattern);
        found.filter(|(range, _)| !range.is_empty()).collect()
    };
    let mut found = matches(text);
    if !patterns.is_empty() {
        each_packed(text, |packed| {
            let inside = matches(&packed.text).into_iter();
            found.extend(inside.map(|(range, number)| (packed.origin(range), number)));
        });
    }
    found
}

/// The places where one of `patterns` matches in `text` however it is escaped; in `text` that is JSON only inside of each
/// of its strings: a pattern that reaches far must not reach over the end of one.
pub(super) fn find_in_strings(text: &str, patterns: &[Arc<Regex>]) -> Vec<(Range<usize>, usize)> {
    if patterns.is_empty() {
        return Vec::new();
    }
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return find_escaped(text, patterns);
    }
    let shifted = |string: Range<usize>| {
        let start = string.start;
        let found = find_escaped(&text[string], patterns).into_iter();
        found.map(move |(range, number)| (range.start + start..range.end + start, number))
    };
    strings(text).into_iter().flat_map(shifted).collect()
}

/// The places where one of `patterns` matches in `text` however it is escaped.
pub(super) fn find_escaped(text: &str, patterns: &[Arc<Regex>]) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    each_reading(text, |reading| {
        let matches = find(reading.text(), patterns).into_iter();
        found.extend(matches.map(|(range, number)| (reading.origin(range), number)));
    });
    // What holds no escape is found on every level.
    found.sort_by_key(|(range, number)| (range.start, range.end, *number));
    found.dedup();
    found
}

/// The ranges of the text between the quotes of each string of `json`.
fn strings(json: &str) -> Vec<Range<usize>> {
    let (mut found, mut begin, mut escaped) = (Vec::new(), None, false);
    for (at, byte) in json.bytes().enumerate() {
        match (begin, byte) {
            (None, b'"') => begin = Some(at + 1),
            (Some(start), b'"') if !escaped => {
                found.push(start..at);
                begin = None;
            }
            _ => {}
        }
        escaped = begin.is_some() && byte == b'\\' && !escaped;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str) -> Vec<String> {
        let patterns = [Arc::new(Regex::new(pattern).unwrap())];
        find_in_strings(text, &patterns)
            .into_iter()
            .map(|(range, _)| text[range].to_owned())
            .collect()
    }

    #[test]
    fn a_match_ends_with_its_string() {
        assert_eq!(
            found(r#"{"a":"key sk-12 x","sk-3":["sk-4"]}"#, "sk-.*"),
            ["sk-12 x", "sk-3", "sk-4"]
        );
        assert_eq!(found(r#"a sk-1", sk-2"#, "sk-.*"), [r#"sk-1", sk-2"#]);
        assert_eq!(
            found(r#"["a\"sk-1\\","sk-2"]"#, "sk-[0-9]"),
            ["sk-1", "sk-2"]
        );
    }

    #[test]
    fn a_match_is_found_however_it_is_escaped() {
        assert_eq!(found(r#"{"a":"\u0073k-12"}"#, "sk-[0-9]+"), [r"\u0073k-12"]);
        assert_eq!(found(r#"{"a":"{\"b\":\"s\/k\"}"}"#, "s/k"), [r"s\/k"]);
        assert_eq!(found("nothing", "x*"), [""; 0]);
    }
}
