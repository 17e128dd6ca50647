//! What looks like a call and is found by no path: it is unread, since a wrong path must not make a prohibition pass.

use serde_json::{Map, Value};

use super::calls::{KnownCalls, TurnCalls};
use super::other_arguments::covers;
use super::path::HitPlace;
use ananke_base::source::{printable, received_json};
use ananke_trace::trace::{Unread, call_ids, is_arguments_key, is_call, written_arguments};

/// The most of them that are kept of a response: one is enough to say that calls are not shown.
const MOST: usize = 100;

/// The longest text that is read as JSON, in bytes.
const LONGEST_JSON: usize = 1 << 20;

/// The places of an event that paths found.
#[derive(Debug, Default)]
pub(crate) struct ClaimedPlaces {
    /// Calls, results, interrupts, and what `[>…]` passed by.
    calls: SortedPlaces,
    /// Text and reasoning.
    texts: SortedPlaces,
}

impl ClaimedPlaces {
    pub(crate) fn new(calls: Vec<HitPlace>, texts: Vec<HitPlace>) -> Self {
        Self {
            calls: SortedPlaces::new(calls),
            texts: SortedPlaces::new(texts),
        }
    }
}

/// Places in their order, since a document may have very many of them.
#[derive(Debug, Default)]
struct SortedPlaces(Vec<HitPlace>);

impl SortedPlaces {
    fn new(mut places: Vec<HitPlace>) -> Self {
        places.sort_unstable();
        Self(places)
    }

    /// Whether a path found exactly what is at `place`.
    fn has(&self, place: &[u32]) -> bool {
        let found = self.0.binary_search_by(|known| known.as_slice().cmp(place));
        found.is_ok()
    }

    /// Whether a path found something at `place` or below it.
    fn has_inside(&self, place: &[u32]) -> bool {
        // What is inside a place follows it.
        let first = self.0.partition_point(|known| known.as_slice() < place);
        match self.0.get(first) {
            Some(known) => known.starts_with(place),
            None => false,
        }
    }
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
            place: HitPlace::new(),
            depth: 0,
            found: &mut self.found,
        };
        search.value(value, None);
    }

    /// The calls that are known under none of their ids, since a response may repeat what it said, and those that have other arguments
    /// than were read.
    pub(crate) fn unread(self, known: &KnownCalls, calls: &TurnCalls) -> Vec<Unread<'static>> {
        let mut unread = Vec::new();
        for (name, ids, value) in self.found {
            if !ids.iter().any(|id| known.has_id(id)) {
                unread.push(Unread::item(format!("item:{name}"), &value));
                continue;
            }
            let Value::Object(keys) = &value else {
                continue;
            };
            // A call of an earlier turn has no arguments in this one.
            let Some((_, other)) = written_arguments(keys) else {
                continue;
            };
            for id in &ids {
                if let Some((tool, read)) = calls.arguments_of(id)
                    && !covers(&read, other)
                {
                    let reason =
                        format!("the call has other arguments in `{name}`, where no path leads");
                    unread.push(Unread::arguments(tool.to_owned(), reason));
                }
            }
        }
        unread
    }
}

/// The object or list around a value, and those around it.
struct Around<'a> {
    /// The object; `None` if it is a list.
    object: Option<&'a Map<String, Value>>,
    /// The key of the value; a list has none.
    key: &'a str,
    outer: Option<&'a Around<'a>>,
}

/// A walk through one event.
struct UnclaimedSearch<'a> {
    claimed: &'a ClaimedPlaces,
    place: HitPlace,
    /// The number of values around the one that is looked at, those in texts included.
    depth: usize,
    found: &'a mut Vec<(String, Vec<String>, Value)>,
}

impl UnclaimedSearch<'_> {
    fn value(&mut self, value: &Value, around: Option<&Around<'_>>) {
        if self.found.len() >= MOST {
            return;
        }
        match value {
            Value::Object(keys) if !self.is_claimed() => {
                if self.is_unclaimed_call(keys) {
                    let mut ids = Vec::new();
                    add_ids(keys, around, &mut ids);
                    self.found.push((name_of(around), ids, value.clone()));
                    return;
                }
                for (position, (key, value)) in keys.iter().enumerate() {
                    let around = Around {
                        object: Some(keys),
                        key,
                        outer: around,
                    };
                    self.inside(position, value, &around);
                }
            }
            Value::Array(items) if !self.is_claimed() => {
                for (position, item) in items.iter().enumerate() {
                    let around = Around {
                        object: None,
                        key: "",
                        outer: around,
                    };
                    self.inside(position, item, &around);
                }
            }
            // A text in a text in a text may be deeper than any document, so that what is too deep stays a text.
            Value::String(text)
                if text.len() <= LONGEST_JSON
                    && text.trim_start().starts_with(['{', '['])
                    && self.depth <= received_json::MAX_DEPTH
                    && !self.is_claimed() =>
            {
                if let Ok(read) = received_json::read(text)
                    && !read.value.is_string()
                {
                    self.value(&read.value, around);
                }
            }
            _ => {}
        }
    }

    fn is_claimed(&self) -> bool {
        self.claimed.calls.has(&self.place) || self.claimed.texts.has(&self.place)
    }

    /// Whether an object is a call that no path found. The object around a call that was read is its envelope. One around text is
    /// none: it is a call if the keys that are no text still make one, since an answer may have its text and a call side by side.
    fn is_unclaimed_call(&self, keys: &Map<String, Value>) -> bool {
        if !is_call(keys) {
            return false;
        }
        for (position, key) in keys.keys().enumerate() {
            // What is in its arguments is not the call itself: `calls.at` leads one step too far there.
            let mut inner = self.place.clone();
            inner.push(u32::try_from(position).unwrap_or(u32::MAX));
            if self.claimed.calls.has_inside(&inner) && !is_arguments_key(key) {
                return false;
            }
        }
        if !self.claimed.texts.has_inside(&self.place) {
            return true;
        }
        let mut rest = Map::new();
        for (position, (key, value)) in keys.iter().enumerate() {
            let mut inner = self.place.clone();
            inner.push(u32::try_from(position).unwrap_or(u32::MAX));
            if !self.claimed.texts.has_inside(&inner) {
                rest.insert(key.clone(), value.clone());
            }
        }
        is_call(&rest)
    }

    fn inside(&mut self, position: usize, value: &Value, around: &Around<'_>) {
        // Nothing is in any other value, and most values are such ones.
        if !matches!(value, Value::Object(_) | Value::Array(_) | Value::String(_)) {
            return;
        }
        self.place.push(u32::try_from(position).unwrap_or(u32::MAX));
        self.depth += 1;
        self.value(value, Some(around));
        self.depth -= 1;
        self.place.pop();
    }
}

/// Adds the ids of an object and of those around it, the outermost first.
fn add_ids(keys: &Map<String, Value>, around: Option<&Around<'_>>, ids: &mut Vec<String>) {
    let mut objects = vec![keys];
    let mut outer = around;
    while let Some(it) = outer {
        objects.extend(it.object);
        outer = it.outer;
    }
    for keys in objects.into_iter().rev() {
        ids.extend(call_ids(keys).into_iter().map(str::to_owned));
    }
}

/// The place of a value as a name: its key and those of the objects around it, `steps[].call`.
fn name_of(around: Option<&Around<'_>>) -> String {
    let mut parts = Vec::new();
    let mut outer = around;
    while let Some(it) = outer {
        parts.push(it);
        outer = it.outer;
    }
    let mut name = String::new();
    for part in parts.into_iter().rev() {
        if part.object.is_none() {
            name.push_str("[]");
            continue;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(&printable(part.key));
    }
    if name.is_empty() {
        name.push('$');
    }
    name
}
