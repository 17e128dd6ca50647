//! Changes to what the agent says.

use std::borrow::Cow;

use serde_json::json;

use super::Mutation;
use super::rule_text::{quoted, yaml_text};
use super::tape_index::{TapeIndex, TapedText};
use super::{change_site::ChangeSubject, mutation::SnapshotEdit, other_value::other_text};
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_trace::outcome::mutation::{MutantSeverity, MutationLevel};
use ananke_trace::trace::{Change, EventNumber};

/// The number of words and of sentences of a message that are changed.
const MOST: usize = 3;

/// The claim of an agent that has not done it.
const CLAIM: &str = "I have also issued a refund.";

/// The text of an agent that hides a failure.
const RECOVERY: &str = "That worked without a problem.";

/// All changes to texts.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let mut found = Vec::new();
    for text in &index.texts {
        found.extend(
            words(text)
                .into_iter()
                .filter_map(|word| changed_word(text, items, word)),
        );
        found.extend(
            sentences(&text.text)
                .into_iter()
                .filter_map(|sentence| dropped(text, items, sentence)),
        );
    }
    for turn in 0..index.turns.len() {
        let texts = || index.texts.iter().filter(|text| text.turn == turn);
        let failed = index
            .calls
            .iter()
            .find(|call| call.turn == turn && call.has_failed);
        let after = |event: EventNumber| texts().find(|text| text.event > event);
        if let Some((call, text)) = failed.and_then(|call| Some((call, after(call.event)?))) {
            let words = format!("after `{}` failed, the agent says: {RECOVERY}", call.name);
            let recovered = said(
                MutationOperator::FalseRecovery,
                text,
                items,
                RECOVERY.to_owned(),
                words,
            );
            let rule = json!({ "text": { "contains": [quoted(&text.text)] } });
            found.extend(recovered.map(|mutation| {
                mutation
                    .of_tool(&call.name)
                    .severity(MutantSeverity::High)
                    .noticed_by(level(text), rule)
            }));
        }
        if let Some(text) = texts().next_back() {
            let claimed = format!("{} {CLAIM}", text.text.trim_end());
            let words = format!("the agent also says: {CLAIM}");
            let mutation = said(MutationOperator::AddClaim, text, items, claimed, words);
            let rule =
                json!({ "text": { "must_not_match": "(?i)\\bI have (also )?issued a refund\\b" } });
            found.extend(mutation.map(|mutation| {
                mutation
                    .severity(MutantSeverity::High)
                    .noticed_by(MutationLevel::Test, rule)
            }));
        }
    }
    found
}

fn level(text: &TapedText) -> MutationLevel {
    MutationLevel::Turn(text.turn)
}

/// The words that are changed: those with digits first, then the longest; in the order of the text.
fn words(text: &TapedText) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in text
        .text
        .split(|character: char| !character.is_alphanumeric())
    {
        if !words.contains(&word) && word.chars().count() > 1 {
            words.push(word);
        }
    }
    let mut ranked = words.clone();
    ranked.sort_by_key(|word| {
        (
            !word.contains(|character: char| character.is_ascii_digit()),
            usize::MAX - word.len(),
        )
    });
    ranked.truncate(MOST);
    words.retain(|word| ranked.contains(word));
    words
}

/// The sentences of a text, with the whitespace after them.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences: Vec<&str> = Vec::new();
    let (mut start, mut ends) = (0, false);
    for (at, character) in text.char_indices() {
        if ends && character.is_whitespace() || character == '\n' {
            sentences.push(&text[start..at + character.len_utf8()]);
            start = at + character.len_utf8();
        }
        ends = matches!(character, '.' | '!' | '?');
    }
    sentences.push(&text[start..]);
    sentences.retain(|sentence| !sentence.trim().is_empty());
    sentences.truncate(MOST);
    sentences
}

fn changed_word(text: &TapedText, items: &[TapeItem], word: &str) -> Option<Mutation> {
    let is_digits = word.contains(|character: char| character.is_ascii_digit());
    let new = if is_digits {
        other_text(word)
    } else {
        "something".to_owned()
    };
    let changed = text.text.replacen(word, &new, 1);
    let words = format!("the text says `{new}` instead of `{word}`");
    let mutation = said(MutationOperator::ChangeWord, text, items, changed, words)?;
    Some(mutation.noticed_by(
        level(text),
        json!({ "text": { "contains": [yaml_text(&json!(word))] } }),
    ))
}

fn dropped(text: &TapedText, items: &[TapeItem], sentence: &str) -> Option<Mutation> {
    let changed = text.text.replacen(sentence, "", 1);
    let shown = quoted(sentence);
    let words = format!("the text is missing a sentence: {}", sentence.trim());
    let mutation = said(MutationOperator::DropSentence, text, items, changed, words)?;
    Some(mutation.noticed_by(level(text), json!({ "text": { "contains": [shown] } })))
}

/// The message with another text.
fn said(
    operator: MutationOperator,
    text: &TapedText,
    items: &[TapeItem],
    new: String,
    words: String,
) -> Option<Mutation> {
    let (first, rest) = text.parts.split_first()?;
    let TapeItem::Change(at, _) = items[*first] else {
        return None;
    };
    let delta = Change::MessageText {
        id: Cow::Owned(text.id.clone()),
        delta: Cow::Owned(new.clone()),
    };
    let mut mutation = Mutation::new(operator, text.turn, text.event, ChangeSubject::Text, words)
        .of_id(&text.id)
        .instead(*first, TapeItem::Change(at, delta))
        .without(rest.iter().copied());
    mutation.site.texts.push((text.text.clone(), new.clone()));
    Some(mutation.in_snapshots(SnapshotEdit::Text(text.id.clone(), new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_with_a_mark_or_a_line() {
        assert_eq!(
            sentences("Paid 8.50 EUR. Thanks!\nBye"),
            ["Paid 8.50 EUR. ", "Thanks!\n", "Bye"]
        );
        assert_eq!(sentences(" \n"), [""; 0]);
    }
}
