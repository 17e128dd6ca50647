//! What is left of a secret where a text was cut: its start before the cut, its end after it.
//!
//! Texts are cut before they are sealed, and a cut falls where it falls. Cuts are where a text ends, before a closing
//! backtick, and at the sign of an omission, whatever colour it has.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{MASK, replace_ranges};
use crate::variables::SHORTEST_SECRET;

/// Where a colour begins or ends, which may stand between a text and the sign that it was cut.
const ESCAPE: char = '\u{1b}';

/// The signs that something was left out: ours, and that of a drawn line of source.
const OMISSIONS: [&str; 2] = ["…", "..."];

/// `text` with the remains of secrets at its cuts masked; `None` where there are none.
pub(super) fn mask_cut(text: &str, forms: &BTreeSet<String>) -> Option<String> {
    // A text may have a cut at every other character, but hardly one of them with a piece of a secret.
    let starting: Vec<&String> = forms.iter().filter(|form| text.contains(first_of(form))).collect();
    let ending: Vec<&String> = forms.iter().filter(|form| text.contains(last_of(form))).collect();
    if starting.is_empty() && ending.is_empty() {
        return None;
    }
    let mut remains: Vec<Range<usize>> = Vec::new();
    let omissions = || OMISSIONS.iter().flat_map(|sign| text.match_indices(sign));
    let ends = omissions().chain(text.match_indices(['`', ESCAPE])).map(|(end, _)| end).chain([text.len()]);
    for end in ends {
        let length = starting.iter().filter_map(|form| start_of(form, &text[..end])).max();
        remains.extend(length.map(|length| end - length..end));
    }
    for (at, sign) in omissions() {
        let begin = at + sign.len() + colours(&text[at + sign.len()..]);
        let length = ending.iter().filter_map(|form| end_of(form, &text[begin..])).max();
        remains.extend(length.map(|length| begin..begin + length));
    }
    replace_ranges(text, remains.into_iter().map(|range| (range, MASK)).collect())
}

/// The shortest start of `form` that tells something.
fn first_of(form: &str) -> &str {
    let end = form.char_indices().map(|(index, _)| index).find(|index| *index >= SHORTEST_SECRET);
    end.map_or(form, |end| &form[..end])
}

/// The shortest end of `form` that tells something.
fn last_of(form: &str) -> &str {
    form.char_indices().rev().nth(SHORTEST_SECRET - 1).map_or(form, |(start, _)| &form[start..])
}

/// How many bytes of colours `text` begins with.
fn colours(text: &str) -> usize {
    let mut rest = text;
    while let Some((codes, after)) = rest.strip_prefix("\u{1b}[").and_then(|codes| codes.split_once('m'))
        && codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';')
    {
        rest = after;
    }
    text.len() - rest.len()
}

/// How many bytes of the start of `form` stand at the end of `text`, where they are enough to tell something.
fn start_of(form: &str, text: &str) -> Option<usize> {
    let cuts = form.char_indices().map(|(index, _)| index);
    cuts.rev().take_while(|cut| *cut >= SHORTEST_SECRET).find(|cut| text.ends_with(&form[..*cut]))
}

/// How many bytes of the end of `form` stand at the start of `text`, where they are enough to tell something.
fn end_of(form: &str, text: &str) -> Option<usize> {
    let cuts = form.char_indices().map(|(index, _)| index);
    let enough = form.chars().count().saturating_sub(SHORTEST_SECRET);
    cuts.take(enough + 1).skip(1).find(|cut| text.starts_with(&form[*cut..])).map(|cut| form.len() - cut)
}
