//! What the paths of a mapping take of an event, in words for people who look for a wrong path (`run --debug`).

use super::mapping::{CompiledPick, ResponseMapping};
use super::path::Searched;
use ananke_trace::redact::truncated;

/// The most characters of a value that are shown.
const MOST_SHOWN: usize = 200;

/// The most values of one path that are shown.
const MOST_VALUES: usize = 10;

/// A line for each value that a path takes of an event: `response.text "[?type=token].content": "It is "`.
pub(crate) fn taken_words(mapping: &ResponseMapping, event: Searched<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, pick) in picks(mapping) {
        // The paths are tried one by one, because only the first that finds something counts.
        for path in &pick.paths {
            let one = CompiledPick {
                paths: vec![path.clone()],
                pattern: pick.pattern.clone(),
            };
            let hits = one.find(event, &mut Vec::new());
            for hit in hits.iter().take(MOST_VALUES) {
                let shown = truncated(&hit.value.to_string(), MOST_SHOWN);
                lines.push(format!("response.{key} \"{path}\": {shown}"));
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
    // An event that nothing reads is often the reason why a path is wrong, so that it is said.
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
    let mut picks = vec![("text", &text.pick)];
    if let Some(calls) = calls {
        picks.push(("calls.at", &calls.at));
    }
    if let Some(results) = results {
        picks.push(("results.at", &results.at));
    }
    if let Some(interrupts) = interrupts {
        picks.push(("interrupts.at", &interrupts.at));
    }
    let mut others = vec![
        ("error", error),
        ("done", done),
        ("reasoning", reasoning),
        ("state", state),
    ];
    if let Some(usage) = usage {
        others.push(("usage.input", &usage.input));
        others.push(("usage.cached", &usage.cached));
        others.push(("usage.output", &usage.output));
        others.push(("usage.total", &usage.total));
        others.push(("usage.model", &usage.model));
    }
    for (key, pick) in others {
        if let Some(pick) = pick {
            picks.push((key, pick));
        }
    }
    picks
}
