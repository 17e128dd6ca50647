//! Whether a text ends with something that its reader is to answer (SPEC 8).
//!
//! **Invariant:** only the last sentence counts, and it is read in linear time.

use regex::Regex;
use std::sync::LazyLock;

/// The question marks of all scripts.
const QUESTION_MARKS: &[char] = &[
    '?', '？', '؟', '⸮', ';', '՞', '፧', '⁇', '⁈', '⁉', '‽', '꘏', '꛷', '᥅', '﹖', '❓', '❔',
];

/// The characters that end a sentence, apart from question marks.
const ENDS: &[char] = &['.', '!', '…', '。', '！', '．'];

/// Words with which a question or a request begins.
static BEGINS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:what|how|when|where|which|who|please|could you)\b"));

/// An imperative that asks to confirm something: at the beginning of the sentence or of a part of it.
static IMPERATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[,;:–—] *)(?:(?:now|then|so|and|kindly|just|first|otherwise) )*(?:confirm|verify|proceed|continue)\b",
    )
});

/// An imperative to say or do something in order to confirm or to go on: "Reply YES to continue", "To proceed, type 1".
static ANSWER_TO_CONTINUE: LazyLock<Regex> = LazyLock::new(|| {
    let begins = r"(?:(?:now|then|so|and|kindly|just|first|otherwise|simply) )*";
    let verbs = "(?:reply|respond|answer|type|enter|say|write|send|press|hit|tap|click|choose|select|pick|provide|give|use)";
    let aim = "to (?:confirm|verify|proceed|continue)";
    pattern(&format!(
        r"(?:^|[,;:–—] *){begins}{verbs}\b.*\b{aim}\b|^{begins}{aim}\b.*[,;:–—] *{begins}{verbs}\b"
    ))
});

/// A question or an instruction to the user that asks to confirm something.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    let asks = "do you want|would you like|would you|will you|can you|shall i|shall we|should i|should we|can i|may i|\
                do you wish|are you ready|i need you to|you need to|you must|you have to|i ask you to|let me know if i (?:can|should|may)";
    pattern(&format!(
        r"\b(?:{asks})\b.*\b(?:confirm|verify|proceed|continue)\b"
    ))
});

fn pattern(text: &str) -> Regex {
    #[expect(
        clippy::expect_used,
        reason = "the patterns are fixed, and each is compiled by a test"
    )]
    Regex::new(text).expect("a fixed pattern")
}

/// Whether the last sentence of `text` is a question, or asks its reader to confirm, verify, proceed or continue.
pub fn ends_with_question(text: &str) -> bool {
    let text = text.trim_end_matches(|end| is_around(end) || end == '!');
    if text.ends_with(QUESTION_MARKS) {
        return true;
    }
    let text = text.trim_end_matches(|end| is_around(end) || ENDS.contains(&end));
    let sentence = last_sentence(text)
        .trim_start_matches(is_around)
        .to_lowercase();
    [&BEGINS, &IMPERATIVE, &ANSWER_TO_CONTINUE, &REQUEST]
        .iter()
        .any(|pattern| pattern.is_match(&sentence))
}

/// The text after the last end of a sentence. A point in a word, such as in `example.com`, ends none.
fn last_sentence(text: &str) -> &str {
    let mut next = None;
    for (at, character) in text.char_indices().rev() {
        let is_end = match character {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
            '.' | '!' => next.is_none_or(is_around),
            _ => ENDS.contains(&character) || QUESTION_MARKS.contains(&character),
        };
        if is_end {
            return &text[at + character.len_utf8()..];
        }
        next = Some(character);
    }
    text
}

/// Whether a character only stands around a sentence: space, markup, quotes, brackets, emoji.
fn is_around(character: char) -> bool {
    character.is_whitespace()
        || "*_~`#>|-–—=\"'“”„‘’«»()[]{}<>:,;\\/•·".contains(character) && character != ';'
        || matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}' | '\u{20e3}'
        ) && !QUESTION_MARKS.contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_requests_are_found() {
        for text in [
            "Which order?",
            "Done. Anything else?",
            "Really?!",
            "**Which one?**",
            "(Is that all?)",
            "“Shall we?”",
            "Which size? 👕",
            "Is it this one? ✅\n",
            "どれですか？",
            "أي واحد؟",
            "Ποιο;",
            "Which one do you mean.",
            "I have two orders.\nWhich one do you mean",
            "What's your name",
            "- Please enter the number of your order",
            "Could you tell me the number.",
            "1. Please choose",
            "Please confirm your address.",
            "Confirm the payment of 9.50 EUR.",
            "If that is right, confirm it",
            "Kindly verify the amount!",
            "Do you want me to proceed",
            "Would you like to continue with the booking.",
            "You must confirm the deletion.",
            "It costs 5 EUR. To go on, verify your card.",
            "Reply with a number ❓",
            "Reply YES to continue.",
            "**Type `confirm` to proceed**",
            "That is 9.50 EUR. Press 1 to confirm the payment, or 2 to go back",
            "To continue, reply YES.",
            "All is ready: click the link to verify your address",
        ] {
            assert!(ends_with_question(text), "{text}");
        }
    }

    #[test]
    fn statements_are_no_questions() {
        for text in [
            "",
            "   \n",
            "!!!",
            "Your order is cancelled.",
            "Which order? O-7. It is cancelled.",
            "Do you see? Yes!",
            "Whatever you say.",
            "However, it is done.",
            "Whose bag this is, is known.",
            "Your payment is confirmed.",
            "I will now proceed with the order.",
            "Before I continue, I look at the stock.",
            "We verify each card.",
            "I could confirm that it has arrived.",
            "The confirmation is on its way",
            "Thank you, and goodbye 👋",
            "See https://example.com/what.html",
            "Pleased to meet you.",
            "The reply is needed to continue.",
            "I sent a mail to confirm it.",
            "Your reply helps us to continue.",
            "To continue the order, I used your address.",
            "Reply at any time.",
        ] {
            assert!(!ends_with_question(text), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_read_in_linear_time() {
        for piece in ["?", "a ", ". ", "confirm ", "do you want ", "❓!", "\n"] {
            let _ = ends_with_question(&piece.repeat(100_000));
        }
    }
}
