//! The warning `uncounted-call`: a call that an exact number does not include, and that no other rule looked at (SPEC 7.2).
//!
//! Each rule that passes reports the calls that it counted; at the end of the test the calls that nothing counted are
//! reported. **Invariant:** a call is reported once, whatever number of rules it is missing in.

use std::collections::{BTreeMap, BTreeSet};

use super::CodedWarning;
use super::rule_origin::RuleOrigin;
use ananke_base::diagnostic::Code;

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
pub(crate) struct CallCounting {
    covered: BTreeSet<usize>,
    left_out: BTreeMap<usize, LeftOutCall>,
}

/// A call that a rule does not count.
#[derive(Debug)]
struct LeftOutCall {
    path: &'static str,
    origin: RuleOrigin,
    /// The difference from the calls that it counts.
    words: String,
}

impl CallCounting {
    /// Takes over what the rule `path`, which has passed, counted.
    pub(crate) fn add(&mut self, path: &'static str, origin: &RuleOrigin, counted: CountedCalls) {
        self.covered.extend(counted.covered);
        for (call, words) in counted.left_out {
            let left_out = LeftOutCall {
                path,
                origin: origin.clone(),
                words,
            };
            self.left_out.entry(call).or_insert(left_out);
        }
    }

    /// The warnings at the end of the test, in the order of the calls, each with the path and the origin of its rule.
    pub(crate) fn warnings(self) -> impl Iterator<Item = (&'static str, RuleOrigin, CodedWarning)> {
        let Self { covered, left_out } = self;
        let uncounted = left_out
            .into_iter()
            .filter(move |(call, _)| !covered.contains(call));
        uncounted.map(|(_, call)| {
            let code = Code::UncountedCall;
            let words = format!(
                "{}, and no rule counts this call: `every` checks each call",
                call.words
            );
            (call.path, call.origin, CodedWarning { code, words })
        })
    }
}
