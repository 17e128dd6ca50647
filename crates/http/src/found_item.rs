//! What the paths of a mapping find in an event, and which places of it they claim.

use std::borrow::Cow;

use serde_json::Value;

use super::path::HitPlace;
use super::unread::ClaimedPlaces;

/// Something that a path found in an event.
pub(crate) enum FoundItem<'v> {
    Text(Cow<'v, Value>),
    Call(Cow<'v, Value>),
    Result(Cow<'v, Value>),
    Interrupt(Cow<'v, Value>),
    Reasoning(Cow<'v, Value>),
}

/// The places of what was found. What `[>…]` passed by belongs to earlier turns, so that its calls are not looked for. An item with
/// nothing of a call is no claim, because `calls.at` may lead past the calls: `is_call` decides.
pub(crate) fn claimed_places(
    found: &[(HitPlace, FoundItem<'_>)],
    passed_by: Vec<HitPlace>,
    is_call: &dyn Fn(&Value) -> bool,
) -> ClaimedPlaces {
    let mut calls = passed_by;
    let mut texts = Vec::new();
    for (place, item) in found {
        match item {
            FoundItem::Text(_) | FoundItem::Reasoning(_) => texts.push(place.clone()),
            FoundItem::Call(value) if !is_call(value) => {}
            FoundItem::Call(_) | FoundItem::Result(_) | FoundItem::Interrupt(_) => {
                calls.push(place.clone());
            }
        }
    }
    ClaimedPlaces::new(calls, texts)
}
