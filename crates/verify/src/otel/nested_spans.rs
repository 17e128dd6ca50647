//! Spans of one fact, of which one is inside the other: each fact is counted once (SPEC 13).
//!
//! Two instrumentations at once, or a library around another, write two spans for one request to a model or one call.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::observed_span::{NO_ID, ObservedSpan, PlacedSpan};
use super::span_messages::missing_in;

use crate::conventions::SpanKind;
use crate::message_item::{is_empty_arguments, same_arguments};
use ananke_trace::trace::{Tokens, Usage};

/// Combines spans of one fact that are inside each other.
pub(super) fn merge(spans: &mut Vec<PlacedSpan>) {
    let mut places: HashMap<u64, usize> = HashMap::new();
    // A span that a file has twice is in the first of them.
    let mut twice = Vec::new();
    for (index, placed) in spans.iter().enumerate() {
        match places.entry(placed.id) {
            Entry::Vacant(place) => {
                place.insert(index);
            }
            Entry::Occupied(first) if placed.id != NO_ID => twice.push((index, *first.get())),
            Entry::Occupied(_) => {}
        }
    }
    for (index, first) in twice {
        spans[index].within = Some(spans[first].id);
        spans[index].depth += 1;
    }
    let mut models: Vec<Vec<usize>> = vec![Vec::new(); spans.len()];
    let mut repeated = HashSet::new();
    // The innermost ones first.
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(spans[*index].depth));
    for inner in order.iter().copied() {
        let outer = spans[inner]
            .within
            .and_then(|outer| places.get(&outer).copied());
        let Some(outer) = outer.filter(|outer| *outer != inner) else {
            continue;
        };
        match (spans[outer].span.kind, spans[inner].span.kind) {
            (SpanKind::Model, SpanKind::Model) => models[outer].push(inner),
            (SpanKind::Tool, SpanKind::Tool)
                if is_same_call(&spans[outer].span, &spans[inner].span) =>
            {
                let inner_span = std::mem::replace(&mut spans[inner].span, ObservedSpan::silent());
                take_call(&mut spans[outer].span, inner_span);
                repeated.insert(inner);
            }
            _ => {}
        }
    }
    for outer in order {
        let mut inner = std::mem::take(&mut models[outer]);
        inner.sort_unstable();
        if !inner.is_empty() {
            merge_models(spans, outer, &inner);
        }
    }
    let mut index = 0;
    spans.retain(|_| {
        index += 1;
        !repeated.contains(&(index - 1))
    });
}

/// Whether two spans execute one call: nothing that both know is different.
fn is_same_call(outer: &ObservedSpan, inner: &ObservedSpan) -> bool {
    let is_same = |one: &Option<String>, other: &Option<String>| match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    is_same(&outer.tool, &inner.tool)
        && is_same(&outer.call_id, &inner.call_id)
        && has_same_arguments(outer.args.as_deref(), inner.args.as_deref())
}

/// Whether two spans have the same arguments; empty ones may be any.
fn has_same_arguments(outer: Option<&str>, inner: Option<&str>) -> bool {
    let is_any = |args: Option<&str>| args.is_none_or(is_empty_arguments);
    is_any(outer) || is_any(inner) || same_arguments(outer, inner)
}

/// Takes what the inner span of a call knows and the outer does not.
fn take_call(outer: &mut ObservedSpan, inner: ObservedSpan) {
    let ObservedSpan {
        tool,
        call_id,
        args,
        result,
        end,
        error,
        unread,
        ..
    } = inner;
    outer.tool = outer.tool.take().or(tool);
    outer.call_id = outer.call_id.take().or(call_id);
    let is_empty = outer.args.as_deref().is_none_or(is_empty_arguments);
    outer.args = if is_empty {
        args.or(outer.args.take())
    } else {
        outer.args.take()
    };
    outer.result = outer.result.take().or(result);
    outer.end = outer.end.take().or(end);
    outer.error = outer.error.take().or(error);
    outer.unread.extend(unread);
}

/// Combines a request to a model with the requests inside it.
fn merge_models(spans: &mut [PlacedSpan], outer: usize, inner: &[usize]) {
    let sum = inner.iter().map(|index| spans[*index].span.usage);
    let sum = sum.reduce(|sum, own| Some(sum? + own?)).flatten();
    spans[outer].span.usage = match (spans[outer].span.usage, sum) {
        (Some(own), Some(sum)) => Some(greater(own, sum)),
        (own, sum) => own.or(sum),
    };
    if spans[outer].span.usage.is_some() {
        for index in inner {
            spans[*index].span.usage = Some(Usage::default());
        }
    }
    // The tokens of the outer one are those of the inner ones. If these are of different models, it is not known which are of which.
    if spans[outer].span.model.is_none()
        && let Some(first) = inner.first()
    {
        let model = spans[*first].span.model.clone();
        if inner.iter().all(|index| spans[*index].span.model == model) {
            spans[outer].span.model = model;
        }
    }
    let own = spans[outer].span.messages.output.take();
    let mut is_known = false;
    let mut left = own.clone().unwrap_or_default();
    for index in inner {
        if let Some(output) = &mut spans[*index].span.messages.output {
            is_known = true;
            left = missing_in(left, output);
        }
    }
    if is_known {
        spans[outer].span.messages.output = Some(left);
        for index in inner {
            spans[*index].span.messages.output.get_or_insert_default();
        }
    } else if own.is_some() {
        spans[outer].span.messages.output = own;
        for index in inner {
            spans[*index].span.messages.output = Some(Vec::new());
        }
    }
    // The turn begins with the outer one.
    if spans[outer].span.messages.input.is_none() {
        let first = inner
            .iter()
            .find(|index| spans[**index].span.messages.input.is_some());
        if let Some(first) = first {
            let input = spans[*first].span.messages.input.replace(Vec::new());
            spans[outer].span.messages.input = input;
        }
    } else {
        for index in inner {
            spans[*index].span.messages.input.get_or_insert_default();
        }
    }
}

/// The greater one of each number.
fn greater(one: Usage, other: Usage) -> Usage {
    let greater = |one: Tokens, other: Tokens| {
        if other.counted > one.counted {
            other
        } else {
            one
        }
    };
    Usage {
        input: greater(one.input, other.input),
        cached: greater(one.cached, other.cached),
        output: greater(one.output, other.output),
        total: greater(one.total, other.total),
        ..Usage::UNKNOWN
    }
}
