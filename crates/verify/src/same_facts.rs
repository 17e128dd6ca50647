//! One fact in several places of a message or a span: it is counted once, with what each place knows of it.
//!
//! **Invariant:** the cost is linear in the number of items, and no call is lost: as many calls are left as the place with the
//! most of them has.

use std::collections::{HashMap, HashSet, VecDeque};

use super::message_item::{MessageItem, inner_json, is_empty_arguments, same_arguments};
use ananke_trace::trace::{Unread, json_key};
use serde_json::Value;

/// The places of facts, to find one without a look at each.
#[derive(Default)]
struct FactPlaces {
    texts: HashSet<String>,
    others: HashSet<String>,
    calls_by_id: HashMap<String, VecDeque<usize>>,
    calls_by_arguments: HashMap<(Option<String>, String), VecDeque<usize>>,
    /// Calls whose arguments are not known yet, by their tools.
    open_calls: HashMap<Option<String>, VecDeque<usize>>,
    taken: HashSet<usize>,
}

/// Adds what `fresh` knows to the calls in `known`. Returns the items that `known` does not have; arguments of one call that
/// contradict each other are unread.
pub(crate) fn merge(known: &mut [MessageItem], fresh: Vec<MessageItem>) -> Vec<MessageItem> {
    let mut places = FactPlaces::of(known);
    let mut left = Vec::new();
    for item in fresh {
        match &item {
            MessageItem::Says(Some(text)) if places.texts.contains(text.trim()) => {}
            MessageItem::Calls { .. } => match places.call(known, &item) {
                Some(place) => {
                    left.extend(combine(&mut known[place], item).map(MessageItem::Unread));
                }
                None => left.push(item),
            },
            other if places.others.contains(&format!("{other:?}")) => {}
            _ => left.push(item),
        }
    }
    left
}

impl FactPlaces {
    fn of(items: &[MessageItem]) -> Self {
        let mut places = Self::default();
        for (place, item) in items.iter().enumerate() {
            match item {
                MessageItem::Says(Some(text)) => {
                    places.texts.insert(text.trim().to_owned());
                }
                MessageItem::Calls { id, name, args } => {
                    if let Some(id) = id {
                        let calls = places.calls_by_id.entry(id.clone()).or_default();
                        calls.push_back(place);
                    }
                    if let Some(args) = args.as_ref().filter(|args| !is_empty_arguments(args)) {
                        let key = (name.clone(), arguments_key(args));
                        let calls = places.calls_by_arguments.entry(key).or_default();
                        calls.push_back(place);
                    } else {
                        let calls = places.open_calls.entry(name.clone()).or_default();
                        calls.push_back(place);
                    }
                }
                other => {
                    places.others.insert(format!("{other:?}"));
                }
            }
        }
        places
    }

    /// The place of the call that `item` is too. No two items are one call.
    fn call(&mut self, known: &[MessageItem], item: &MessageItem) -> Option<usize> {
        let MessageItem::Calls { id, name, args } = item else {
            return None;
        };
        let args = args.as_ref().filter(|args| !is_empty_arguments(args));
        let by_id = id.as_ref().and_then(|id| self.calls_by_id.get_mut(id));
        let by_arguments = args.and_then(|args| {
            let key = (name.clone(), arguments_key(args));
            self.calls_by_arguments.get_mut(&key)
        });
        let lists = [by_id, by_arguments, self.open_calls.get_mut(name)];
        for places in lists.into_iter().flatten() {
            while places
                .front()
                .is_some_and(|place| self.taken.contains(place))
            {
                places.pop_front();
            }
            if let Some(place) = places.front().copied()
                && may_be_one_call(&known[place], item)
            {
                self.taken.insert(place);
                return Some(place);
            }
        }
        None
    }
}

/// Whether nothing that both items know of a call's identity is different.
fn may_be_one_call(known: &MessageItem, item: &MessageItem) -> bool {
    let (
        MessageItem::Calls { id, name, .. },
        MessageItem::Calls {
            id: other_id,
            name: other_name,
            ..
        },
    ) = (known, item)
    else {
        return false;
    };
    let is_compatible = |one: &Option<String>, other: &Option<String>| {
        one.is_none() || other.is_none() || one == other
    };
    is_compatible(id, other_id) && is_compatible(name, other_name)
}

/// Adds what `other`, the same call in another place, knows: arguments that are not empty are the real ones.
fn combine(known: &mut MessageItem, other: MessageItem) -> Option<Unread<'static>> {
    let (
        MessageItem::Calls { id, name, args },
        MessageItem::Calls {
            id: other_id,
            name: other_name,
            args: other_args,
        },
    ) = (known, other)
    else {
        return None;
    };
    *id = id.take().or(other_id);
    *name = name.take().or(other_name);
    let other_args = other_args?;
    if args.as_ref().is_none_or(|args| is_empty_arguments(args)) {
        *args = Some(other_args);
        return None;
    }
    if is_empty_arguments(&other_args) || same_arguments(args.as_deref(), Some(&other_args)) {
        return None;
    }
    Some(contradiction(name.as_deref(), &other_args))
}

/// Arguments that contradict others of the same call to `tool`.
pub(crate) fn contradiction(tool: Option<&str>, args: &str) -> Unread<'static> {
    let why = format!("other arguments of the same call are different: {args}");
    Unread::arguments(tool.unwrap_or_default().to_owned(), why).into_owned()
}

/// Arguments as a text that is equal where they are the same JSON.
pub(crate) fn arguments_key(args: &str) -> String {
    match inner_json(&Value::from(args)) {
        Value::String(text) => text.trim().to_owned(),
        json => json_key(&json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>, args: Option<&str>) -> MessageItem {
        MessageItem::Calls {
            id: id.map(str::to_owned),
            name: Some("pay".to_owned()),
            args: args.map(str::to_owned),
        }
    }

    /// The calls that are left of `fresh`, and those of `known` then.
    fn merged(
        known: &[MessageItem],
        fresh: &[MessageItem],
    ) -> (Vec<MessageItem>, Vec<MessageItem>) {
        let mut known = known.to_vec();
        let left = merge(&mut known, fresh.to_vec());
        (known, left)
    }

    #[test]
    fn a_call_in_two_places_has_the_arguments_that_are_not_empty() {
        let real = call(Some("c"), Some(r#"{"n":1}"#));
        for empty in [None, Some(""), Some("{}"), Some(" { } "), Some("null")] {
            let empty = call(Some("c"), empty);
            for (one, other) in [(&empty, &real), (&real, &empty)] {
                let (known, left) = merged(std::slice::from_ref(one), std::slice::from_ref(other));
                assert_eq!(known, std::slice::from_ref(&real), "{one:?} {other:?}");
                assert!(left.is_empty(), "{one:?} {other:?}");
            }
        }
        let spaced = call(None, Some(r#"{ "n": 1.0 }"#));
        let (known, left) = merged(std::slice::from_ref(&real), &[spaced]);
        assert_eq!((known, left), (vec![real], Vec::new()));
    }

    #[test]
    fn arguments_that_contradict_each_other_are_unread() {
        let (one, other) = (call(Some("c"), Some("1")), call(Some("c"), Some("2")));
        let (known, left) = merged(std::slice::from_ref(&one), &[other]);
        assert_eq!(known, [one]);
        let [MessageItem::Unread(unread)] = &left[..] else {
            panic!("{left:?}");
        };
        assert_eq!(unread.name, "arguments:pay");
    }

    #[test]
    fn as_many_calls_are_left_as_the_place_with_the_most_of_them_has() {
        let pay = call(None, Some("{}"));
        let (known, left) = merged(std::slice::from_ref(&pay), &[pay.clone(), pay.clone()]);
        assert_eq!((known.len(), left.len()), (1, 1));
        let (known, left) = merged(&[pay.clone(), pay.clone()], std::slice::from_ref(&pay));
        assert_eq!((known.len(), left.len()), (2, 0));
        let other = call(Some("d"), Some(r#"{"n":1}"#));
        let (_, left) = merged(&[call(Some("c"), Some(r#"{"n":1}"#))], &[other]);
        assert_eq!(left.len(), 1, "another id is another call");
    }
}
