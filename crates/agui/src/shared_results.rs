//! Results of ids that several calls of a run share: which call each is for is known when the run ends (SPEC 6).

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::messages::RunCalls;
use ananke_base::context::At;
use ananke_base::text::ShortText;
use ananke_trace::trace::ResultContent;

/// The results of a run that wait for its end, and what is known of the calls that share an id.
#[derive(Debug, Default)]
pub(super) struct SharedResults {
    waiting: IndexMap<ShortText, Vec<SharedResult>>,
    /// The number of results that were kept.
    kept: u32,
    /// The ids of calls that began before another call with their id had ended.
    overlapping: HashSet<ShortText>,
}

/// The order in which the calls of an id followed each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallOrder {
    /// Each began after the one before had ended.
    Sequential,
    /// One began before the one before had ended.
    Overlapping,
}

/// A result that waits.
#[derive(Debug)]
pub(super) struct SharedResult {
    /// The number under which its place in the order is kept.
    pub(super) number: u32,
    /// The moment at which it came.
    pub(super) at: At,
    pub(super) message_id: Option<String>,
    pub(super) content: ResultContent<'static>,
    pub(super) is_error: Option<bool>,
    /// Whether the call was denied, if the agent says later that it failed.
    pub(super) is_denied: Option<bool>,
    /// The further fields of its event.
    pub(super) fields: Map<String, Value>,
    /// The number of the calls that had ended before it.
    pub(super) ended_calls: u32,
}

impl SharedResults {
    /// A call begins while another one with its id has not ended.
    pub(super) fn overlap(&mut self, id: &str) {
        self.overlapping.insert(id.into());
    }

    /// The number of the next result that is kept.
    pub(super) fn next_number(&self) -> u32 {
        self.kept
    }

    /// Keeps a result for the end of the run.
    pub(super) fn keep(&mut self, id: &str, result: SharedResult) {
        self.kept = self.kept.wrapping_add(1);
        self.waiting.entry(id.into()).or_default().push(result);
    }

    /// The result with this message, if it waits.
    pub(super) fn find(&mut self, message_id: &str) -> Option<&mut SharedResult> {
        let mut results = self.waiting.values_mut().flatten();
        results.find(|result| result.message_id.as_deref() == Some(message_id))
    }

    /// The run is over: takes the results that waited, by their ids, and how the calls with the id followed each other.
    pub(super) fn take(&mut self) -> Vec<(ShortText, Vec<SharedResult>, CallOrder)> {
        let Self {
            waiting,
            overlapping,
            ..
        } = std::mem::take(self);
        let order = |id: &ShortText| {
            if overlapping.contains(id) {
                CallOrder::Overlapping
            } else {
                CallOrder::Sequential
            }
        };
        let waiting = waiting.into_iter();
        waiting
            .map(|(id, results)| {
                let order = order(&id);
                (id, results, order)
            })
            .collect()
    }
}

/// The number of the call of each result, counted among the calls of the run that share the id; `None` if it cannot be
/// known.
///
/// As many results as calls belong to them in order, and any more to the last. If there are fewer, each belongs to the newest
/// call that had ended before it and has none.
pub(super) fn calls_of(
    calls: RunCalls,
    results: &[SharedResult],
    order: CallOrder,
) -> Option<Vec<u32>> {
    let RunCalls { count, answered } = calls;
    let all = answered.saturating_add(u32::try_from(results.len()).unwrap_or(u32::MAX));
    if all >= count {
        return Some(
            (answered..all)
                .map(|number| number.min(count.saturating_sub(1)))
                .collect(),
        );
    }
    if order == CallOrder::Overlapping {
        return None;
    }
    let mut is_answered: Vec<bool> = (0..count).map(|number| number < answered).collect();
    let newest = |result: &SharedResult| {
        let ended = usize::try_from(result.ended_calls).ok()?;
        let number = is_answered
            .iter()
            .take(ended)
            .rposition(|answered| !answered)?;
        is_answered[number] = true;
        u32::try_from(number).ok()
    };
    results.iter().map(newest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls of results that came after so many calls had ended.
    fn given(count: u32, answered: u32, ended: &[u32], order: CallOrder) -> Option<Vec<u32>> {
        let result = |ended_calls: &u32| SharedResult {
            number: 0,
            at: At(0),
            message_id: None,
            content: ResultContent::Text("".into()),
            is_error: None,
            is_denied: None,
            fields: Map::new(),
            ended_calls: *ended_calls,
        };
        let results: Vec<SharedResult> = ended.iter().map(result).collect();
        calls_of(RunCalls { count, answered }, &results, order)
    }

    #[test]
    fn a_result_belongs_to_a_call_only_if_that_is_known() {
        // As many as calls: in order, whatever overlaps.
        assert_eq!(
            given(2, 0, &[2, 2], CallOrder::Overlapping),
            Some(vec![0, 1])
        );
        assert_eq!(
            given(3, 1, &[2, 3], CallOrder::Sequential),
            Some(vec![1, 2])
        );
        // More: the rest belong to the last.
        assert_eq!(
            given(2, 0, &[2, 2, 2], CallOrder::Overlapping),
            Some(vec![0, 1, 1])
        );
        // Fewer: the newest that had ended, unless calls overlap.
        assert_eq!(given(2, 0, &[2], CallOrder::Sequential), Some(vec![1]));
        assert_eq!(given(2, 0, &[2], CallOrder::Overlapping), None);
        assert_eq!(
            given(3, 0, &[2, 3], CallOrder::Sequential),
            Some(vec![1, 2])
        );
        assert_eq!(given(3, 1, &[2], CallOrder::Sequential), Some(vec![1]));
        // No call had ended that has none.
        assert_eq!(given(3, 1, &[1], CallOrder::Sequential), None);
    }
}
