//! The claims of a verdict next to a verdict: in prose, and among the keys of an object.
//!
//! **Invariant:** every spelling of the words for a verdict is found if it is set off from the sentence around it. A word
//! within a sentence ("it does not fail to name a price") is none.

use serde_json::Value;

use super::answer_text::shown;
use ananke_base::text::TextForm;

/// The words by which a text passes or fails, in lowercase.
const VERDICTS: [(&str, bool); 18] = [
    ("pass", true),
    ("passed", true),
    ("passes", true),
    ("passing", true),
    ("accept", true),
    ("accepted", true),
    ("accepts", true),
    ("approve", true),
    ("approved", true),
    ("fail", false),
    ("failed", false),
    ("fails", false),
    ("failing", false),
    ("failure", false),
    ("reject", false),
    ("rejected", false),
    ("rejects", false),
    ("rejection", false),
];

/// The words whose value is a verdict if it is one of [`VERDICTS`], or true or false.
const NAMES: [&str; 12] = [
    "verdict",
    "result",
    "decision",
    "outcome",
    "judgement",
    "judgment",
    "conclusion",
    "status",
    "ruling",
    "assessment",
    "evaluation",
    "overall",
];

/// The words that are a verdict if their value is true or false.
const QUALITIES: [(&str, bool); 10] = [
    ("ok", true),
    ("success", true),
    ("successful", true),
    ("satisfied", true),
    ("met", true),
    ("valid", true),
    ("correct", true),
    ("invalid", false),
    ("incorrect", false),
    ("violated", false),
];

/// The values that are true or false.
const TRUTHS: [(&str, bool); 9] = [
    ("true", true),
    ("yes", true),
    ("y", true),
    ("1", true),
    ("false", false),
    ("no", false),
    ("n", false),
    ("0", false),
    ("none", false),
];

/// The words that turn a word after them into its opposite; the last one is the end of "doesn't".
const NEGATIONS: [&str; 5] = ["not", "never", "cannot", "non", "t"];

/// The words that may be between the name of a verdict and its value.
const FILLERS: [&str; 10] = [
    "is", "was", "a", "an", "and", "the", "clear", "clearly", "overall", "final",
];

/// The number of words that may be between the name of a verdict and its value.
const MOST_BETWEEN: usize = 4;

/// The signs that mark a word up, or quote it.
const MARKUP: &[char] = &[
    '*', '_', '~', '`', '"', '\'', '“', '”', '‘', '’', '«', '»', '\\', '[', ']',
];

/// The signs between two parts of a sentence.
const PARTS: &[char] = &['.', '!', '?', ';', ':', ',', '\n'];

/// The verdict that a judge gave, which nothing else in its answer may contradict.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenVerdict {
    /// Whether the judge lets the agent pass.
    pub(super) passed: bool,
}

impl GivenVerdict {
    /// The first line of `text` with a word that looks like the opposite verdict; `None` if there is none.
    pub(super) fn contradiction(self, text: &str) -> Option<String> {
        // A verdict must not be missed for an invisible character in it.
        let visible = TextForm {
            is_composed: true,
            is_visible: true,
        };
        let text = visible.apply(text);
        let words = words(&text);
        for (index, word) in words.iter().enumerate() {
            if claim_of_word(&text, &words, index) == Some(!self.passed) {
                let line_before_word = text[..word.start].rsplit('\n').next()?;
                let line_start = word.start - line_before_word.len();
                let line = text[line_start..].lines().next()?;
                return Some(shown(line));
            }
        }
        None
    }

    /// A key in `value`, at any depth, that looks like the other verdict, with its value.
    pub(super) fn contradicting_key(self, value: &Value) -> Option<String> {
        match value {
            Value::Object(fields) => fields.iter().find_map(|(key, value)| {
                if claim_of_key(key, value) == Some(!self.passed) {
                    return Some(shown(&format!("{key}: {value}")));
                }
                self.contradicting_key(value)
            }),
            Value::Array(items) => items.iter().find_map(|item| self.contradicting_key(item)),
            _ => None,
        }
    }
}

/// The verdict that a key with its value looks like: `true` for a pass, `None` if it looks like none. The last word of the key
/// decides, such as `passed` of `is_passed`.
fn claim_of_key(key: &str, value: &Value) -> Option<bool> {
    let words = key_words(key);
    let (name, before) = words.split_last()?;
    let is_negated = before.iter().any(|word| is_one_of(&NEGATIONS, word));
    // The verdict that the name itself means: `true` for `passed`, `false` for `failures`.
    // `VERDICTS` are names that are verdicts themselves, such as `passed`; `NAMES` are those of keys that hold one, such as `status`.
    let verdict = find(&VERDICTS, name);
    let claim = match value {
        // `failed: false` is a pass, and so are `correct: true` and `result: true`.
        Value::Bool(truth) => match verdict.or(find(&QUALITIES, name)) {
            Some(meaning) => meaning == *truth,
            None if is_one_of(&NAMES, name) => *truth,
            None => return None,
        },
        // 0 and 1 are true and false. Larger numbers count something: `failures: 3` fails, but `passed: 3` leaves open whether
        // something else failed.
        Value::Number(number) => match number.as_f64()? {
            0.0 => !verdict?,
            1.0 => verdict?,
            _ if verdict? => return None,
            _ => false,
        },
        // A list counts its items in the same way. An empty one says nothing, since a judge may list what it did not find.
        Value::Array(items) if items.is_empty() || verdict? => return None,
        Value::Array(_) => false,
        Value::String(text) => claim_of_text(name, text)?,
        Value::Null | Value::Object(_) => return None,
    };
    Some(claim != is_negated)
}

/// The verdict that the key `name` with the value `text` looks like: `true` for a pass, `None` if it looks like none.
fn claim_of_text(name: &str, text: &str) -> Option<bool> {
    let verdict = find(&VERDICTS, name);
    // A value that is a verdict counts more than the name: `passed: "rejected"` fails.
    if (verdict.is_some() || is_one_of(&NAMES, name))
        && let Some(value_verdict) = only_verdict(text)
    {
        return Some(value_verdict);
    }
    // `passed: "no"` is the opposite of what the name means.
    if let Some(truth) = find(&TRUTHS, &text.to_lowercase()) {
        return Some(verdict? == truth);
    }
    // Any other text is a reason for what the name means, as in `failure: "no price"`. An empty text is no reason.
    if text.trim().is_empty() {
        return None;
    }
    verdict
}

/// The verdict of a text that consists of nothing but words for verdicts, such as `rejected, fail`: `true` for a pass. `None` if
/// it has another word.
fn only_verdict(text: &str) -> Option<bool> {
    let words = words(text);
    let mut verdict = None;
    for (index, word) in words.iter().enumerate() {
        if let Some(meaning) = find(&VERDICTS, &word.lowercase) {
            let meaning = meaning != is_negated(text, &words, index);
            // Words that contradict each other fail, because a pass must be clear.
            verdict = Some(meaning && verdict.unwrap_or(true));
        } else if !is_filler(word) {
            return None;
        }
    }
    verdict
}

/// The verdict that the word `index` looks like, with the value after it or alone: `true` for a pass, `None` if it looks like
/// none.
fn claim_of_word(text: &str, words: &[AnswerWord<'_>], index: usize) -> Option<bool> {
    let mut claim = claim_with_value(text, words, index);
    // A word within a sentence gives no verdict: "it does not fail to name a price".
    if claim.is_none() && is_set_off(text, &words[index]) {
        claim = find(&VERDICTS, &words[index].lowercase);
    }
    Some(claim? != is_negated(text, words, index))
}

/// The verdict that the word `index` gives with the value after it, as in `passed: false`, `verdict = reject` or `FAIL: no
/// price`: `true` for a pass. `None` if no value follows, or the two are no verdict.
fn claim_with_value(text: &str, words: &[AnswerWord<'_>], index: usize) -> Option<bool> {
    // A value follows a sign such as `:`. After a name such as "verdict" it may also follow a verb or a dash: "the verdict is a
    // clear pass".
    let name = words[index].lowercase.as_str();
    let is_name = is_one_of(&NAMES, name);
    let after_markup = text[words[index].end..].trim_start_matches(MARKUP);
    let after = after_markup.trim_start();
    let rest = &words[index + 1..];
    let mut has_value = after.starts_with([':', '=', '>', '：']);
    if is_name {
        has_value |= after.starts_with(['-', '–', '—']);
        has_value |= matches!(rest, [next, ..] if is_one_of(&["is", "was"], &next.lowercase));
    }
    if !has_value {
        return None;
    }

    // A few filler words may come before the value, and one of them may turn it into its opposite: "the verdict is not a pass".
    let mut is_negated = false;
    let mut fillers = 0;
    for word in rest.iter().take(MOST_BETWEEN) {
        if !is_filler(word) {
            break;
        }
        is_negated |= is_one_of(&NEGATIONS, &word.lowercase);
        fillers += 1;
    }

    // The value is the next word, as a verdict ("pass") or as a truth ("true", "no").
    let mut value_truth = None;
    let mut value_verdict = None;
    if let Some(value) = rest.get(fillers) {
        value_verdict = find(&VERDICTS, &value.lowercase);
        // `FAIL: no price` has a reason, so a word such as `no` is a truth only if the sentence ends with it.
        if is_one_of(&["true", "false"], &value.lowercase) || is_alone(&text[value.end..]) {
            value_truth = find(&TRUTHS, &value.lowercase);
        }
    }

    // A word for a verdict needs no value that is true or false: what follows is then its reason.
    if let Some(verdict) = find(&VERDICTS, name) {
        return Some(match value_truth {
            Some(truth) => (truth != is_negated) == verdict,
            None => verdict,
        });
    }
    // A name such as "verdict" means what its value means, and a quality such as "correct" is a verdict only with a truth.
    if is_name {
        return Some(value_verdict.or(value_truth)? != is_negated);
    }
    Some((value_truth? != is_negated) == find(&QUALITIES, name)?)
}

/// Whether a word is allowed between the name of a verdict and its value.
fn is_filler(word: &AnswerWord<'_>) -> bool {
    is_one_of(&FILLERS, &word.lowercase) || is_one_of(&NEGATIONS, &word.lowercase)
}

/// Whether a word is set off from the sentence around it: in capitals, marked up, or alone between signs.
fn is_set_off(text: &str, word: &AnswerWord<'_>) -> bool {
    let before = &text[..word.start];
    let after = &text[word.end..];
    let is_in_capitals = word.text.chars().all(char::is_uppercase);
    let is_marked_up = before.ends_with(MARKUP) && after.starts_with(MARKUP);
    let starts = !before
        .trim_end_matches(is_no_sign)
        .ends_with(char::is_alphanumeric);
    is_in_capitals || is_marked_up || starts && is_alone(after)
}

/// Whether no word follows directly in the same sentence.
fn is_alone(after: &str) -> bool {
    !after
        .trim_start_matches(is_no_sign)
        .starts_with(char::is_alphanumeric)
}

fn is_no_sign(sign: char) -> bool {
    sign.is_whitespace() && sign != '\n' || MARKUP.contains(&sign)
}

/// Whether one of the two words before a word, in its part of a sentence, turns it into its opposite.
fn is_negated(text: &str, words: &[AnswerWord<'_>], index: usize) -> bool {
    words[index.saturating_sub(2)..index].iter().any(|before| {
        let between = &text[before.end..words[index].start];
        is_one_of(&NEGATIONS, &before.lowercase) && !between.contains(PARTS)
    })
}

/// A word of a text.
struct AnswerWord<'t> {
    text: &'t str,
    lowercase: String,
    start: usize,
    end: usize,
}

/// The words of a text, each with its place: a word is a sequence of letters and digits.
fn words(text: &str) -> Vec<AnswerWord<'_>> {
    let mut found = Vec::new();
    let mut end = 0;
    // Each part is a word, which may be empty, with the sign that ends it: so the lengths of the parts give the places.
    for part in text.split_inclusive(|sign: char| !sign.is_alphanumeric()) {
        let start = end;
        end += part.len();
        let word = part.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        if !word.is_empty() {
            found.push(AnswerWord {
                text: word,
                lowercase: word.to_lowercase(),
                start,
                end: start + word.len(),
            });
        }
    }
    found
}

/// The words of a key, in lowercase: `is_passed` and `isPassed` have two each.
fn key_words(key: &str) -> Vec<String> {
    // A capital after a lowercase letter begins a word, so a space is put before it. `words` finds the other ends of words.
    let mut spaced = String::with_capacity(key.len());
    let mut is_after_lowercase = false;
    for character in key.chars() {
        if is_after_lowercase && character.is_uppercase() {
            spaced.push(' ');
        }
        is_after_lowercase = character.is_lowercase();
        spaced.push(character);
    }
    let words = words(&spaced).into_iter();
    words.map(|word| word.lowercase).collect()
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.contains(&word)
}

fn find(table: &[(&str, bool)], word: &str) -> Option<bool> {
    let (_, meaning) = table.iter().find(|(known, _)| *known == word)?;
    Some(*meaning)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_is_set_off_like_a_verdict_is_one() {
        for (text, claimed) in [
            ("{\"passed\": true}", true),
            ("{'passed': False, 'evidence': 1}", false),
            ("**FAIL**", false),
            ("* **Fail** - no price is named", false),
            ("1. fail", false),
            ("[Failed] the date", false),
            ("| price | fail |", false),
            ("Criterion 2: fail", false),
            ("Criterion 2 → Passed.", true),
            ("So this is a FAIL of the criteria", false),
            ("it does NOT PASS at all", false),
            ("it does not FAIL", true),
            ("pass: ok", true),
            ("FAIL: no price", false),
            ("Fail: 1 of 3", false),
            ("fail: no", true),
            ("Passed = no", false),
            ("Verdict: fail", false),
            ("Final verdict - **not passed**", false),
            ("The verdict is a clear reject", false),
            ("overall: overall: pass", true),
            ("result = rejected", false),
            ("status: \"accepted\"", true),
            ("<passed>false</passed>", false),
            ("\"success\": false", false),
            ("is_valid: true", true),
            ("F\u{200b}AIL", false),
            ("FA\u{ad}ILED: x", false),
            ("REJECTED", false),
            ("{\"passed\":\n false}", false),
            ("Verdict:\n\n- fail", false),
            ("It is not\nPASS", true),
            ("It does not, FAIL", false),
        ] {
            let found =
                [true, false].map(|passed| GivenVerdict { passed }.contradiction(text).is_some());
            assert!(found[usize::from(claimed)], "{text}");
        }
    }

    #[test]
    fn a_word_of_a_sentence_is_no_verdict() {
        for text in [
            "It does not fail to name a price, and would pass in the sense of the criteria.",
            "The boarding pass is named. A failed call was made again.",
            "Fails of this kind are rare, and passing them over is fine.",
            "The result is 5 EUR, and the status of the order is open",
            "Result: the call failed, but the agent said so",
            "It is valid for a year: correct me",
            "passwords failover compass",
        ] {
            for passed in [true, false] {
                assert_eq!(GivenVerdict { passed }.contradiction(text), None, "{text}");
            }
        }
    }

    #[test]
    fn keys_of_every_name_must_agree() {
        for (value, claimed) in [
            (json!({"pass": false}), false),
            (json!({"isPassed": true}), true),
            (json!({"not_passed": true}), false),
            (json!({"failed": true}), false),
            (json!({"failed": 0}), true),
            (json!({"failed": ["price"]}), false),
            (json!({"failure": "no price"}), false),
            (json!({"verdict": "rejected, fail"}), false),
            (json!({"result": "not passed"}), false),
            (json!({"decision": "Pass and fail"}), false),
            (json!({"passed": "no"}), false),
            (json!({"success": false}), false),
            (
                json!({"details": [{"criterion": 1, "Passed": false}]}),
                false,
            ),
        ] {
            assert!(
                GivenVerdict { passed: !claimed }
                    .contradicting_key(&value)
                    .is_some(),
                "{value}"
            );
            assert_eq!(
                GivenVerdict { passed: claimed }.contradicting_key(&value),
                None,
                "{value}"
            );
        }
        let harmless = json!({
            "passed_count": 2, "passed": 2, "failed": [], "failure": "", "status": "open", "outcome": "a call failed",
            "reason": "{\"passed\": false} FAIL", "met": "at noon", "rejected": null, "note": {"failover": true},
        });
        for passed in [true, false] {
            assert_eq!(GivenVerdict { passed }.contradicting_key(&harmless), None);
        }
    }

    #[test]
    fn a_hostile_text_is_read_in_linear_time() {
        for piece in ["overall: ", "*", "not ", "pass**", "pass\n", "verdict is "] {
            let _ = GivenVerdict { passed: true }.contradiction(&piece.repeat(8_000));
        }
    }
}
