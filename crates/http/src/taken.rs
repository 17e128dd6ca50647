//! What the paths of a mapping take of an event, in words for people who look for a wrong path (`run --debug`).

use super::mapping::{CompiledPick, ResponseMapping};
use super::path::Searched;

/// The most characters of a value that are shown.
const MOST_SHOWN: usize = 200;

/// The most values of one path that are shown.
const MOST_VALUES: usize = 10;

/// A line for each value that a path takes of an event: `response.text "[?type=token].content": "It is "`.
pub(crate) fn taken_words(mapping: &ResponseMapping, event: Searched<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, pick) in picks(mapping) {
        // The first path that finds something counts, so that only its words are of use.
        for path in &pick.paths {
            let one = CompiledPick {
                paths: vec![path.clone()],
                pattern: pick.pattern.clone(),
            };
            let hits = one.find(event, &mut Vec::new());
            for hit in hits.iter().take(MOST_VALUES) {
                let value = hit.value.to_string();
                let shown: String = value.chars().take(MOST_SHOWN).collect();
                let more = if shown.len() < value.len() { "…" } else { "" };
                lines.push(format!("response.{key} \"{path}\": {shown}{more}"));
            }
            if hits.len() > MOST_VALUES {
                let more = hits.len() - MOST_VALUES;
                lines.push(format!("response.{key} \"{path}\": … {more} more"));
            }
            if !hits.is_empty() {
                break;
            }
        }
    }
    if lines.is_empty() {
        lines.push("no path of `response` finds anything here".to_owned());
    }
    lines
}

/// The picks that look at events, with their keys, in the order of the documentation.
fn picks(mapping: &ResponseMapping) -> Vec<(&'static str, &CompiledPick)> {
    let ResponseMapping {
        form: _,
        text,
        calls,
        results,
        error,
        done,
        interrupts,
        usage,
        reasoning,
        state,
        is_strict: _,
    } = mapping;
    let (mut input, mut output, mut total) = (None, None, None);
    if let Some(usage) = usage {
        (input, output, total) = (
            usage.input.as_ref(),
            usage.output.as_ref(),
            usage.total.as_ref(),
        );
    }
    let all = [
        ("text", Some(&text.pick)),
        ("calls.at", calls.as_ref().map(|calls| &calls.at)),
        ("results.at", results.as_ref().map(|results| &results.at)),
        ("error", error.as_ref()),
        ("done", done.as_ref()),
        (
            "interrupts.at",
            interrupts.as_ref().map(|interrupts| &interrupts.at),
        ),
        ("usage.input", input),
        ("usage.output", output),
        ("usage.total", total),
        ("reasoning", reasoning.as_ref()),
        ("state", state.as_ref()),
    ];
    let mut picks = Vec::new();
    for (key, pick) in all {
        if let Some(pick) = pick {
            picks.push((key, pick));
        }
    }
    picks
}
