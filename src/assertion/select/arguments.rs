//! What the arguments of a call must be to be selected.

use super::argument_patterns::{ArgumentPatterns, Matching};
use super::json_subset::Partial;
use super::mismatch::Misfits;
use crate::trace::{Args, ToolCall};
use crate::variables::Patterns;

/// Conditions on arguments; all must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentConditions {
    /// What they must hold.
    pub json: Option<Partial>,
    /// Arguments and the pattern each must match.
    pub matching: ArgumentPatterns,
    /// Arguments and the pattern that each must not match, if it is there.
    pub not_matching: ArgumentPatterns,
}

impl ArgumentConditions {
    /// Whether every call fits.
    pub fn is_empty(&self) -> bool {
        self.json.is_none() && self.matching.is_empty() && self.not_matching.is_empty()
    }

    /// Whether every call that fits these surely fits `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        (fewer.json.is_none() || fewer.json == self.json)
            && self.matching.include(&fewer.matching)
            && self.not_matching.include(&fewer.not_matching)
    }

    /// Each condition in words.
    pub(crate) fn describe(&self) -> Vec<String> {
        let json = self.json.iter().map(|json| json.describe("", "arguments"));
        json.chain(self.matching.describe("matching"))
            .chain(self.not_matching.describe("not matching"))
            .collect()
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Arguing, regex::Error> {
        Ok(Arguing {
            json: self.json.clone(),
            matching: self.matching.start(patterns)?,
            not_matching: self.not_matching.start(patterns)?,
        })
    }
}

/// Conditions at work.
#[derive(Debug)]
pub(crate) struct Arguing {
    json: Option<Partial>,
    matching: Matching,
    not_matching: Matching,
}

impl Arguing {
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_none() && self.matching.is_empty() && self.not_matching.is_empty()
    }

    /// In which ways the call's arguments do not fit.
    pub(crate) fn misfits(&self, call: &ToolCall, misfits: &mut Misfits) {
        if self.is_empty() {
            return;
        }
        match call.args() {
            Args::Json(value) => {
                if let Some(json) = &self.json {
                    misfits.add_of_args(json.differences(value));
                }
                self.matching.misfits(value).for_each(|misfit| misfits.add(misfit));
                self.not_matching.hits(value).for_each(|hit| misfits.add(hit));
            }
            Args::Malformed(error) if self.json.is_some() || !self.matching.is_empty() => {
                misfits.add(format!("the arguments are no JSON: {error}"));
            }
            // What is no JSON has no argument that could match.
            Args::Malformed(_) => {}
        }
    }
}
