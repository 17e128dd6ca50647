//! The figures of comments: those that say what the code says, and those that give a reason.

use std::collections::HashSet;
use std::ops::Range;

use super::functions::{Function, header};
use super::source::{Comment, Source};

/// What documentation must not begin with: a reader who meets it first does not know of what.
const PRONOUNS: &[&str] = &[
    "it", "its", "they", "them", "their", "those", "these", "he", "she", "his", "her",
];

/// What begins a reason. `so` does not if it says how much.
const REASONS: &[&[&str]] = &[
    &["because"],
    &["since"],
    &["so"],
    &["otherwise"],
    &["to", "avoid"],
    &["or", "it", "would"],
];
const SO_MUCH: &[&str] = &["many", "much", "often", "long", "few", "far"];

/// Words without content of their own, sorted.
const EMPTY_WORDS: &[&str] = &[
    "a",
    "about",
    "after",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "being",
    "between",
    "both",
    "but",
    "by",
    "can",
    "did",
    "do",
    "does",
    "each",
    "either",
    "else",
    "every",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "here",
    "how",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "like",
    "may",
    "more",
    "most",
    "much",
    "must",
    "necessary",
    "need",
    "needed",
    "needs",
    "neither",
    "no",
    "none",
    "nor",
    "not",
    "now",
    "of",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "others",
    "out",
    "over",
    "own",
    "per",
    "required",
    "same",
    "shall",
    "should",
    "so",
    "some",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "to",
    "too",
    "under",
    "until",
    "up",
    "very",
    "was",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "will",
    "with",
    "without",
    "would",
    "yet",
];

/// A function of more lines needs a comment, and one for each [`LINES_OF_A_COMMENT`] that it begins.
const LONG_FUNCTION: usize = 20;
const LINES_OF_A_COMMENT: usize = 40;

/// The words that a comment needs to say more than the code.
const COMMENT_WORDS: usize = 4;

/// The words with content that follow `because`, and how many of them the code must not have.
const REASON_WORDS: usize = 3;
const NEW_REASON_WORDS: usize = 2;

/// The words of `text`, in lowercase; names of code are several words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let begins_word = c.is_uppercase() && was_lower;
        if (begins_word || !c.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The first four letters of `word`, which most forms of it have in common; nothing if it has no content.
fn stem(word: &str) -> Option<&str> {
    if word.len() < 2 || EMPTY_WORDS.binary_search(&word).is_ok() {
        return None;
    }
    let end = word.char_indices().nth(4).map_or(word.len(), |(at, _)| at);
    Some(&word[..end])
}

fn stems(text: &str) -> HashSet<String> {
    words(text)
        .iter()
        .filter_map(|word| stem(word))
        .map(str::to_owned)
        .collect()
}

/// The stems of the code in `range`.
fn stems_of_code(source: &Source<'_>, range: Range<usize>) -> HashSet<String> {
    let mut all = HashSet::new();
    for index in range {
        all.extend(stems(source.text(index)));
    }
    all
}

/// The lines of documentation that begins with a pronoun.
pub(super) fn pronouns(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    for comment in &source.comments {
        let first = comment.text.split_whitespace().next().unwrap_or_default();
        let word = first
            .trim_end_matches(|c: char| !c.is_alphabetic())
            .to_lowercase();
        if comment.is_doc && PRONOUNS.contains(&word.as_str()) {
            found.push(comment.first_line);
        }
    }
    found
}

/// The lines of documentation that says no more than the name of its item, the types, the parameters and the owner.
pub(super) fn restatements(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    for comment in &source.comments {
        if !comment.is_doc || comment.is_inner_doc {
            continue;
        }
        let names = stems_of_item(source, comment.next);
        if stems(&comment.text).is_subset(&names) {
            found.push(comment.first_line);
        }
    }
    found
}

/// The stems of the item that begins at `index`, after its attributes, and of its owner.
fn stems_of_item(source: &Source<'_>, index: usize) -> HashSet<String> {
    let mut start = index;
    while source.is(start, "#") && source.is(start + 1, "[") {
        start = source.after(start + 1);
    }
    let mut names = stems_of_code(source, start..end_of_head(source, start));
    if let Some(open) = source.opener(start) {
        names.extend(stems_of_code(source, header(source, open)));
    }
    names
}

/// The end of the head of the item at `start`: its body, its value, or the next item of a list.
fn end_of_head(source: &Source<'_>, start: usize) -> usize {
    let mut index = start;
    while index < source.code.len() {
        match source.text(index) {
            "{" | ";" | "," | "=" => break,
            _ if source.is_closer(index) => break,
            "<" => index = source.after_angles(index),
            _ => index = source.after(index),
        }
    }
    index
}

/// How many functions have more than [`LONG_FUNCTION`] lines, and the lines of those whose steps have no sentence.
pub(super) fn silent_functions(
    source: &Source<'_>,
    functions: &[Function<'_>],
) -> (usize, Vec<usize>) {
    let mut long = 0;
    let mut silent = Vec::new();
    for function in functions {
        if function.lines <= LONG_FUNCTION {
            continue;
        }
        long += 1;
        let sentences = source
            .comments
            .iter()
            .filter(|it| !it.is_doc && function.body.contains(&it.next))
            .filter(|it| says_more(source, it))
            .count();
        if sentences < function.lines.div_ceil(LINES_OF_A_COMMENT) {
            silent.push(function.line);
        }
    }
    (long, silent)
}

/// The comment has a sentence of which the next line of code is not all.
fn says_more(source: &Source<'_>, comment: &Comment) -> bool {
    comment.text.split_whitespace().count() >= COMMENT_WORDS
        && !stems(&comment.text).is_subset(&stems_of_line(source, comment.next))
}

/// The stems of the line of code that begins at `index`.
fn stems_of_line(source: &Source<'_>, index: usize) -> HashSet<String> {
    let line = source.line(index);
    let mut end = index;
    while end < source.code.len() && source.line(end) == line {
        end += 1;
    }
    stems_of_code(source, index.min(end)..end)
}

/// The comments that give a reason: each with its line and its text.
pub(super) fn reasons(source: &Source<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for comment in &source.comments {
        let words = words(&comment.text);
        let mut reasons = (0..words.len()).filter_map(|at| reason_after(&words, at));
        if reasons.any(|start| is_reason(&words, start, &stems_of_subject(source, comment))) {
            found.push((comment.first_line, words.join(" ")));
        }
    }
    found
}

/// The stems of the code that `comment` is about.
fn stems_of_subject(source: &Source<'_>, comment: &Comment) -> HashSet<String> {
    if comment.is_inner_doc {
        HashSet::new()
    } else if comment.is_doc {
        stems_of_item(source, comment.next)
    } else {
        stems_of_line(source, comment.next)
    }
}

/// The index after what begins a reason at `index`.
fn reason_after(words: &[String], index: usize) -> Option<usize> {
    let rest = &words[index..];
    for marker in REASONS {
        let is_here = rest.len() > marker.len() && marker.iter().zip(rest).all(|(a, b)| a == b);
        let says_how_much = is_here && *marker == ["so"] && SO_MUCH.contains(&rest[1].as_str());
        if is_here && !says_how_much {
            return Some(index + marker.len());
        }
    }
    None
}

/// What follows `start` begins with enough content, and neither the code nor the words before `start` have all of it.
fn is_reason(words: &[String], start: usize, code: &HashSet<String>) -> bool {
    let (before, after) = words.split_at(start);
    let said: HashSet<&str> = before.iter().filter_map(|word| stem(word)).collect();
    let content = after.iter().filter_map(|word| stem(word));
    let content: Vec<&str> = content.take(REASON_WORDS).collect();
    let mut new: HashSet<&str> = content.iter().copied().collect();
    new.retain(|it| !code.contains(*it) && !said.contains(it));
    content.len() == REASON_WORDS && new.len() >= NEW_REASON_WORDS
}
