//! The parts of a step that can be omitted without it: arguments, keys of results and of the state, words of texts.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use ananke_agents::AgentStep;

/// The most words of a text that are omitted one by one; a longer text is omitted line by line.
const MOST_WORDS: usize = 400;

/// One part of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StepPart {
    /// A key of arguments, of a result, or of the state.
    Key(String),
    /// A word of a text, or a line of a long one, by its number.
    Words(usize),
}

/// Every part of a step.
pub(super) fn parts(step: &AgentStep) -> Vec<StepPart> {
    let keys = |value: &Value| {
        value
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .map(StepPart::Key)
            .collect()
    };
    match step {
        AgentStep::Calls {
            args: Some(args), ..
        } => keys(args),
        AgentStep::Answers { result, .. } => keys(result),
        AgentStep::Does(step) => match text_of(step) {
            Some((_, text)) => (0..pieces(text).len()).map(StepPart::Words).collect(),
            None => step.get("state").map(keys).unwrap_or_default(),
        },
        AgentStep::Calls { args: None, .. } | AgentStep::Interrupts(_) | AgentStep::Waits(_) => {
            Vec::new()
        }
    }
}

/// The step with these parts alone.
pub(super) fn with_parts(step: &AgentStep, kept: &BTreeSet<StepPart>) -> AgentStep {
    let mut step = step.clone();
    let retain = |value: &mut Value| {
        if let Value::Object(keys) = value {
            keys.retain(|key, _| kept.contains(&StepPart::Key(key.clone())));
        }
    };
    match &mut step {
        AgentStep::Calls { args, .. } => {
            args.iter_mut().for_each(retain);
            *args = args
                .take()
                .filter(|args| args.as_object().is_none_or(|args| !args.is_empty()));
        }
        AgentStep::Answers { result, .. } => retain(result),
        AgentStep::Does(written) => {
            let text = text_of(written).map(|(key, text)| {
                let pieces = pieces(text).into_iter().enumerate();
                let left = pieces.filter(|(number, _)| kept.contains(&StepPart::Words(*number)));
                (key, left.map(|(_, piece)| piece).collect::<String>())
            });
            match text {
                Some((key, text)) => written[key] = Value::String(text.trim_end().to_owned()),
                None => written.get_mut("state").into_iter().for_each(retain),
            }
        }
        AgentStep::Interrupts(_) | AgentStep::Waits(_) => {}
    }
    step
}

/// The key and the text of a step that says or thinks something.
fn text_of(step: &Value) -> Option<(&'static str, &str)> {
    ["say", "think"]
        .into_iter()
        .find_map(|key| Some((key, step.get(key)?.as_str()?)))
}

/// The words of a text, each with the whitespace after it; of a long one the lines.
fn pieces(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    if words.len() > MOST_WORDS {
        text.split_inclusive('\n').collect()
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_is_made_of_its_parts() {
        let call = |args: Value| AgentStep::Calls {
            id: "a".to_owned(),
            tool: "pay".to_owned(),
            subagent: None,
            args: (!args.is_null()).then_some(args),
        };
        let answer = |result: Value| AgentStep::Answers {
            id: "a".to_owned(),
            result,
            failure: None,
        };
        let does = AgentStep::Does;
        for (step, count, second, none) in [
            (
                call(json!({"x": 1, "y": 2})),
                2,
                call(json!({"y": 2})),
                call(Value::Null),
            ),
            (
                answer(json!({"ok": 1, "id": 2})),
                2,
                answer(json!({"id": 2})),
                answer(json!({})),
            ),
            (
                does(json!({"say": "one two"})),
                2,
                does(json!({"say": "two"})),
                does(json!({"say": ""})),
            ),
            (
                does(json!({"state": {"a": 1, "b": 2}})),
                2,
                does(json!({"state": {"b": 2}})),
                does(json!({"state": {}})),
            ),
        ] {
            let parts = parts(&step);
            assert_eq!(parts.len(), count, "{step:?}");
            assert_eq!(
                with_parts(&step, &parts.iter().cloned().collect()),
                step,
                "all of it"
            );
            assert_eq!(
                with_parts(&step, &BTreeSet::from([parts[1].clone()])),
                second
            );
            assert_eq!(with_parts(&step, &BTreeSet::new()), none);
        }
    }
}
