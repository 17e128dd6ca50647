//! What looks like a call and is found by no path: it is unread, since a wrong path must not make a prohibition pass.

use serde_json::{Map, Value};

use super::calls::KnownCalls;
use super::path::HitPlace;
use ananke_base::source::{printable, received_json};
use ananke_trace::trace::{Unread, call_ids, is_call};

/// The most of them that are kept of a response: one is enough to say that calls are not shown.
const MOST: usize = 100;

/// The longest text that is read as JSON, in bytes.
const LONGEST_JSON: usize = 1 << 20;

/// The places of an event that paths found.
#[derive(Debug, Default)]
pub(crate) struct ClaimedPlaces {
    /// Calls, results, interrupts, and what `[>…]` passed by.
    pub(crate) calls: Vec<HitPlace>,
    /// Text and reasoning.
    pub(crate) texts: Vec<HitPlace>,
}

/// The objects of a response that look like calls, and that no path found.
#[derive(Debug, Default)]
pub(crate) struct UnclaimedCalls {
    /// The place of each as a name, the ids that it has, and itself.
    found: Vec<(String, Vec<String>, Value)>,
}

impl UnclaimedCalls {
    /// Looks through an event, but for what is at the `claimed` places, inside them and around them.
    pub(crate) fn search(&mut self, value: &Value, claimed: &ClaimedPlaces) {
        let mut search = UnclaimedSearch {
            claimed,
            ids: Vec::new(),
            found: &mut self.found,
        };
        search.value(value, &mut HitPlace::new(), &mut String::new());
    }

    /// The calls that are known under none of their ids, since a response may repeat what it said.
    pub(crate) fn unread(self, known: &KnownCalls) -> Vec<Unread<'static>> {
        let mut unread = Vec::new();
        for (name, ids, value) in self.found {
            if !ids.iter().any(|id| known.has_id(id)) {
                unread.push(Unread::item(format!("item:{name}"), &value));
            }
        }
        unread
    }
}

/// A walk through one event.
struct UnclaimedSearch<'a> {
    claimed: &'a ClaimedPlaces,
    /// The ids of the objects around the one that is looked at.
    ids: Vec<String>,
    found: &'a mut Vec<(String, Vec<String>, Value)>,
}

impl UnclaimedSearch<'_> {
    fn value(&mut self, value: &Value, place: &mut HitPlace, name: &mut String) {
        let is_claimed = self.claimed.calls.contains(place) || self.claimed.texts.contains(place);
        if self.found.len() >= MOST || is_claimed {
            return;
        }
        match value {
            Value::Object(keys) => {
                let ids_around = self.ids.len();
                self.ids
                    .extend(call_ids(keys).into_iter().map(str::to_owned));
                if self.is_unclaimed_call(keys, place) {
                    let name = if name.is_empty() {
                        "$".to_owned()
                    } else {
                        name.clone()
                    };
                    self.found.push((name, self.ids.clone(), value.clone()));
                } else {
                    for (position, (key, value)) in keys.iter().enumerate() {
                        let length = name.len();
                        if !name.is_empty() {
                            name.push('.');
                        }
                        name.push_str(&printable(key));
                        self.inside(position, value, place, name);
                        name.truncate(length);
                    }
                }
                self.ids.truncate(ids_around);
            }
            Value::Array(items) => {
                let length = name.len();
                name.push_str("[]");
                for (position, item) in items.iter().enumerate() {
                    self.inside(position, item, place, name);
                }
                name.truncate(length);
            }
            Value::String(text)
                if text.len() <= LONGEST_JSON && text.trim_start().starts_with(['{', '[']) =>
            {
                if let Ok(read) = received_json::read(text)
                    && !read.value.is_string()
                {
                    self.value(&read.value, place, name);
                }
            }
            _ => {}
        }
    }

    /// Whether an object is a call that no path found. The object around a call that was read is its envelope. One around text is
    /// none: it is a call if the keys that are no text still make one, since an answer may have its text and a call side by side.
    fn is_unclaimed_call(&self, keys: &Map<String, Value>, place: &HitPlace) -> bool {
        let calls = &self.claimed.calls;
        if !is_call(keys) || calls.iter().any(|claimed| claimed.starts_with(place)) {
            return false;
        }
        let mut rest = Map::new();
        for (position, (key, value)) in keys.iter().enumerate() {
            let mut inner = place.clone();
            inner.push(u32::try_from(position).unwrap_or(u32::MAX));
            let mut texts = self.claimed.texts.iter();
            if !texts.any(|text| text.starts_with(&inner)) {
                rest.insert(key.clone(), value.clone());
            }
        }
        is_call(&rest)
    }

    fn inside(&mut self, position: usize, value: &Value, place: &mut HitPlace, name: &mut String) {
        place.push(u32::try_from(position).unwrap_or(u32::MAX));
        self.value(value, place, name);
        place.pop();
    }
}
