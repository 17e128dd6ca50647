//! The text of a snapshot, and its comparison with a file in which numbers may be spelled in another way.
//!
//! Flows in: the lines that were written, with where JSON begins in them. Flows out: the text, also in the spelling of a
//! file. **Invariant:** only numbers in JSON are spelled in another way; what an agent says is compared as it is.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::Number;

use ananke_base::source::number_key;

/// A snapshot as it was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// The text, in whole lines.
    pub text: String,
    /// The lines with JSON (0-based), and where it begins in them.
    pub(super) json: BTreeMap<usize, usize>,
}

impl RenderedText {
    /// The text in which every number that is the same in `kept` is spelled as it is there: `5` as `5.0`.
    pub fn spelled_as(&self, kept: &str) -> String {
        // Lines that say the same in another spelling, in their order.
        let mut spellings: HashMap<String, VecDeque<&str>> = HashMap::new();
        for line in kept.lines() {
            spellings.entry(by_value(line)).or_default().push_back(line);
        }
        let mut text = String::with_capacity(self.text.len());
        for (index, line) in self.text.lines().enumerate() {
            let spelled = spellings
                .get_mut(&by_value(line))
                .and_then(VecDeque::pop_front);
            let line = match (spelled, self.json.get(&index)) {
                (Some(spelled), Some(start)) if is_same_from(*start, line, spelled) => spelled,
                _ => line,
            };
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Whether two lines are equal up to `start`, and after it but for the spelling of numbers.
fn is_same_from(start: usize, line: &str, other: &str) -> bool {
    match (line.split_at_checked(start), other.split_at_checked(start)) {
        (Some((label, json)), Some((other_label, other_json))) => {
            label == other_label && by_value(json) == by_value(other_json)
        }
        _ => false,
    }
}

/// A line whose numbers outside of quotes are in their shortest form.
fn by_value(line: &str) -> String {
    let mut written = String::with_capacity(line.len());
    let mut rest = line;
    let is_in_number = |sign: char| sign.is_ascii_alphanumeric() || "+-._".contains(sign);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => quoted_length(rest),
            _ if is_in_number(first) => rest.find(|sign| !is_in_number(sign)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match token.parse::<Number>() {
            Ok(number) => written.push_str(&number_key(&number)),
            Err(_) => written.push_str(token),
        }
        rest = after;
    }
    written
}

/// The length of the text in quotes at the start of `rest`, or of all of it if nothing ends it.
fn quoted_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, sign) in rest.char_indices().skip(1) {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines, of which those with a number in front have JSON from there on.
    fn rendered(lines: &[(usize, &str)]) -> RenderedText {
        RenderedText {
            text: lines.iter().flat_map(|(_, line)| [line, "\n"]).collect(),
            json: lines
                .iter()
                .enumerate()
                .filter(|(_, (start, _))| *start > 0)
                .map(|(index, (start, _))| (index, *start))
                .collect(),
        }
    }

    #[test]
    fn numbers_of_json_take_the_spelling_of_the_file() {
        let text = rendered(&[
            (0, "  says: 5"),
            (8, "  args: {\"a\": 5, \"b\": [100, \"5\"]}"),
            (8, "  args: {\"a\": 5, \"b\": [100, \"5\"]}"),
            (5, "  1: 0.5"),
        ]);
        let kept = "  says: 5\n  args: {\"a\": 5.0, \"b\": [1e2, \"5\"]}\n  args: {\"a\": 5, \"b\": [100.0, \"5\"]}\n  1: 5e-1\n";
        assert_eq!(text.spelled_as(kept), kept);
    }

    #[test]
    fn what_differs_in_more_than_a_spelling_differs() {
        for (start, line, kept) in [
            (0, "  says: 5", "  says: 5.0"),
            (8, "  args: 5", "  args: 5.5"),
            (8, "  args: \"5\"", "  args: \"5.0\""),
            (8, "  args: 9007199254740993", "  args: 9007199254740992.0"),
            (5, "  1: 2", "  1.0: 2"),
            (8, "  args: [5]", "  args: [5, 5]"),
        ] {
            let spelled = rendered(&[(start, line)]).spelled_as(kept);
            assert_eq!(spelled, format!("{line}\n"));
        }
    }
}
