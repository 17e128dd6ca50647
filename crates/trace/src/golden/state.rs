//! The changes of the agent's state from turn to turn.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{MaskPath, masks::Masks};
use crate::trace::is_same_json;

/// The last state, and what each turn changed.
#[derive(Debug, Default)]
pub struct States {
    last: Option<Value>,
    /// By turn, counted from 0.
    changes: BTreeMap<usize, StateChange>,
}

/// The difference between two states.
#[derive(Debug, PartialEq)]
pub(super) enum StateChange {
    /// The changed keys of an object with their new values; `None` if a key is gone.
    Keys(Vec<(String, Option<Value>)>),
    /// The new state, if one of both is not an object.
    Whole(Value),
}

impl States {
    /// Takes the state at the end of a turn, with `volatile` places masked. For the first turn all of it is new.
    pub fn note(&mut self, turn: usize, state: &Value, volatile: &[MaskPath]) {
        let mut state = state.clone();
        Masks(volatile).state(&mut state);
        let before = self
            .last
            .take()
            .unwrap_or_else(|| Value::Object(Map::new()));
        let change = match (&before, &state) {
            (Value::Object(before), Value::Object(now)) => {
                let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
                let new = keys
                    .into_iter()
                    .filter(|key| !is_same(before.get(*key), now.get(*key)));
                StateChange::Keys(
                    new.map(|key| (key.clone(), now.get(key).cloned()))
                        .collect(),
                )
            }
            (before, now) if is_same_json(before, now) => StateChange::Keys(Vec::new()),
            (_, Value::Null) if self.changes.is_empty() => StateChange::Keys(Vec::new()),
            _ => StateChange::Whole(state.clone()),
        };
        self.changes.insert(turn, change);
        self.last = Some(state);
    }

    /// The change of the state in the turn.
    pub(super) fn of(&self, turn: usize) -> Option<&StateChange> {
        self.changes.get(&turn)
    }
}

fn is_same(before: Option<&Value>, now: Option<&Value>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => is_same_json(before, now),
        _ => before.is_none() && now.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_turn_changes_is_new() {
        let volatile = [MaskPath::parse("state.at").unwrap()];
        let mut states = States::default();
        for (turn, state) in [
            json!({"step": 1, "at": 17, "cart": {"n": 2}}),
            json!({"step": 2, "at": 18, "cart": {"n": 2}}),
            json!({"step": 2, "at": 19}),
            json!({"step": 2, "at": 20}),
            json!([1]),
        ]
        .iter()
        .enumerate()
        {
            states.note(turn, state, &volatile);
        }
        let keys = |keys: &[(&str, Option<Value>)]| {
            StateChange::Keys(
                keys.iter()
                    .map(|(key, value)| ((*key).to_owned(), value.clone()))
                    .collect(),
            )
        };
        let first = [
            ("at", Some(json!("<volatile>"))),
            ("cart", Some(json!({"n": 2}))),
            ("step", Some(json!(1))),
        ];
        assert_eq!(states.of(0), Some(&keys(&first)));
        assert_eq!(states.of(1), Some(&keys(&[("step", Some(json!(2)))])));
        assert_eq!(states.of(2), Some(&keys(&[("cart", None)])));
        assert_eq!(states.of(3), Some(&keys(&[])));
        assert_eq!(states.of(4), Some(&StateChange::Whole(json!([1]))));
        assert_eq!(states.of(5), None);
    }
}
