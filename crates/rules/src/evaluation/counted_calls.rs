//! The warning `uncounted-call`: a call that an exact number does not include, and that no other rule looked at (SPEC 7.2).
//!
//! Each rule that passes reports the calls that it counted; at the end of the test the calls that nothing counted are
//! reported. **Invariant:** a call is reported once, whatever number of rules it is missing in.

use std::collections::{BTreeMap, BTreeSet};

use super::watch::RuleWatch;

/// The calls that a rule counted, and those that it did not, by their index in the trace.
#[derive(Debug, Default)]
pub(crate) struct CountedCalls {
    /// The calls that it selected or looked at.
    pub(crate) covered: Vec<usize>,
    /// The calls to its tool that its number does not include, each with what differs, in words.
    pub(crate) left_out: Vec<(usize, String)>,
}

/// The calls of a test, as far as its rules counted them.
#[derive(Debug, Default)]
pub(super) struct CallCounting {
    covered: BTreeSet<usize>,
    left_out: BTreeMap<usize, String>,
}

impl CallCounting {
    /// Takes over what a rule that has passed counted.
    pub(super) fn add(&mut self, watch: &RuleWatch) {
        if !watch.is_decided || watch.has_failed || watch.lacks.is_some() {
            return;
        }
        let CountedCalls { covered, left_out } = watch.monitor.counted_calls();
        self.covered.extend(covered);
        for (call, words) in left_out {
            self.left_out.entry(call).or_insert_with(|| {
                let (path, place) = (watch.path, &watch.origin.place);
                format!(
                    "uncounted-call: {words}: `{path}` ({place}) does not count this call, and no other rule does; `every` checks each call"
                )
            });
        }
    }

    /// Takes the warnings at the end of the test, in the order of the calls.
    pub(super) fn take_warnings(&mut self) -> Vec<String> {
        let left_out = std::mem::take(&mut self.left_out).into_iter();
        let uncounted = left_out.filter(|(call, _)| !self.covered.contains(call));
        uncounted.map(|(_, warning)| warning).collect()
    }
}
