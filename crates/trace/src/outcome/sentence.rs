//! Sentences that say the same of different values.

use ananke_base::text::truncate;

/// The word instead of values that differ.
const DIFFERING: &str = "…";

/// The signs around a value that are no part of it.
const AROUND: &[char] = &[
    '`', '"', '\'', ',', ';', ':', '.', '(', ')', '[', ']', '{', '}',
];

/// The units of [`ananke_base::text::duration`].
const UNITS: [&str; 4] = ["ms", "s", "min", "h"];

/// The most bytes of a sentence that are compared.
const LONGEST: usize = 4 << 10;

/// What two sentences have in common, with `…` for each word that differs. If their numbers of words differ, only the
/// beginning and the end are compared.
pub(super) fn without_differing(one: &str, other: &str) -> String {
    let other = truncate::bytes(other, LONGEST);
    if one == other {
        return one.to_owned();
    }
    let ones: Vec<&str> = one.split(' ').collect();
    let others: Vec<&str> = other.split(' ').collect();
    let pairs = || ones.iter().zip(&others);
    let mut words: Vec<String> = Vec::with_capacity(ones.len());
    if ones.len() == others.len() {
        words.extend(pairs().map(|(one, other)| common(one, other)));
    } else {
        let shorter = ones.len().min(others.len());
        let begin = pairs().take_while(|(one, other)| one == other).count();
        let ends = ones.iter().rev().zip(others.iter().rev());
        let end = ends
            .take(shorter - begin)
            .take_while(|(one, other)| one == other)
            .count();
        words.extend(ones[..begin].iter().map(|word| (*word).to_owned()));
        words.push(DIFFERING.to_owned());
        words.extend(
            ones[ones.len() - end..]
                .iter()
                .map(|word| (*word).to_owned()),
        );
    }
    words.dedup_by(|word, before| {
        let is_same = before == DIFFERING && word.starts_with(DIFFERING);
        if is_same {
            *before = std::mem::take(word);
        }
        is_same
    });
    words.join(" ")
}

/// The word, or `…` between the signs that two words share at both ends.
fn common(one: &str, other: &str) -> String {
    if one == other {
        return one.to_owned();
    }
    let inner = |word: &str| word.trim_matches(AROUND).to_owned();
    let begin = &one[..one.len() - one.trim_start_matches(AROUND).len()];
    let end = &one[one.trim_end_matches(AROUND).len().max(begin.len())..];
    let is_alike = other.len() >= begin.len() + end.len()
        && other.starts_with(begin)
        && other.ends_with(end)
        && !inner(one).is_empty();
    if is_alike {
        [begin, DIFFERING, end].concat()
    } else {
        DIFFERING.to_owned()
    }
}

/// `text` without its words that have a digit, and without their units of time: what is left of a sentence about data. A place
/// in a file keeps them (`agent.py:24`), and so does the word after `HTTP` and after `code`.
pub(super) fn without_data(text: &str) -> String {
    let mut before = "";
    let mut is_number_before = false;
    let mut kept: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let is_named = matches!(before.trim_matches(AROUND), "HTTP" | "code");
        let has_digit = word.contains(|sign: char| sign.is_ascii_digit());
        let is_data = has_digit && !is_named && !is_place(word);
        // A time is the same with another unit: `850 ms`, `1.2 s`.
        let is_unit = is_number_before && UNITS.contains(&word.trim_matches(AROUND));
        if !is_data && !is_unit {
            kept.push(word);
        }
        is_number_before = is_data;
        before = word;
    }
    kept.join(" ")
}

/// A finding without its numbers and without what it quotes.
pub fn without_values(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let words = parts.map(|(index, part)| if index % 2 == 0 { part } else { "" });
    without_data(&words.collect::<Vec<_>>().join("`"))
}

/// Whether a word is a file with a line: `(agent.py:24)`.
fn is_place(word: &str) -> bool {
    let parts = word.trim_matches(AROUND).rsplit_once(':');
    parts.is_some_and(|(file, line)| {
        let is_number = !line.is_empty() && line.bytes().all(|sign| sign.is_ascii_digit());
        is_number && file.contains('.') && file.contains(|sign: char| sign.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_omitted() {
        for (one, other, common) in [
            (
                "`refund` was called with `amount` 89.5, expected 90.5",
                "`refund` was called with `amount` 7.5, expected 8.5",
                "`refund` was called with `amount` …, expected …",
            ),
            (
                "nothing contains `O-1 is closed`",
                "nothing contains `O-2 is closed`",
                "nothing contains `… is closed`",
            ),
            ("the same", "the same", "the same"),
            (
                "timeout after 2 s: the agent was silent",
                "timeout after 2.1 s: the agent was very silent",
                "timeout after … silent",
            ),
            ("one", "another sentence", "…"),
            ("a b", "a b c", "a b …"),
            ("a … c", "a b c", "a … c"),
            ("", "a", "…"),
        ] {
            assert_eq!(without_differing(one, other), common, "{one} / {other}");
            assert_eq!(without_differing(common, other), common, "once more");
        }
    }

    #[test]
    fn a_number_is_omitted_with_its_unit() {
        let one = "timeout after 300 ms: 1 event received";
        let other = "timeout after 2 s: 2 events received";
        let common = without_differing(one, other);
        assert_eq!(common, "timeout after …: … received");
    }

    #[test]
    fn data_is_no_part_of_a_reason() {
        for (text, reason) in [
            ("timeout after 2.003 s", "timeout after"),
            ("timeout after 850 ms: silence", "timeout after silence"),
            ("it took 1 h 3 min, expected <1 ms", "it took expected"),
            ("s and ms are units", "s and ms are units"),
            ("HTTP 503 (1234 bytes)", "HTTP 503 bytes)"),
            (
                "KeyError: 'content' (agent.py:24)",
                "KeyError: 'content' (agent.py:24)",
            ),
            ("boom (code `E42`), run 7", "boom (code `E42`), run"),
            ("contains `O-1 is closed`", "contains is closed`"),
            ("12:30 is no place", "is no place"),
        ] {
            assert_eq!(without_data(text), reason);
        }
    }

    #[test]
    fn what_is_quoted_and_measured_is_no_part_of_a_finding() {
        for (one, other) in [
            (
                "`pay` took 850 ms, the limit is 500 ms",
                "`look` took 1.2 s, the limit is 1 min 5 s",
            ),
            (
                "`pay` was called 2 times",
                "`two words` was called 12 times",
            ),
        ] {
            assert_eq!(without_values(one), without_values(other));
        }
        let other = "`pay` was called 2 times, expected once";
        assert_ne!(
            without_values("`pay` was called 2 times"),
            without_values(other)
        );
    }
}
