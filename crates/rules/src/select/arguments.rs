//! The conditions on the arguments of a call that is selected.

use serde_json::Value;

use super::json_subset::{JsonComparison, JsonSubset};
use super::path_conditions::{ConditionMiss, PathConditions};
use super::{Mismatches, PathPatterns, mismatches::Whole, path_patterns::PatternMiss};
use crate::values::{NearMiss, Purpose};
use ananke_base::diagnostic::Code;
use ananke_base::source::FreeMap;
use ananke_model::model::{CallSelector, Text};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::outcome::JsonFocus;
use ananke_trace::trace::{Args, ToolCall};

/// Conditions on arguments; a call is selected if all match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ArgumentConditions {
    /// The JSON that they must contain.
    json: Option<JsonSubset>,
    /// Arguments and the condition that each must meet.
    conditions: PathConditions,
    /// Arguments and the pattern that each must not match, if it is there.
    not_matching: PathPatterns,
}

impl ArgumentConditions {
    /// Checks and fills the conditions; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &CallSelector,
        unwanted: Option<&FreeMap<Text>>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        if let Some(args) = &written.args
            && args.entries().is_empty()
            && !written.is_exact()
        {
            let help = "add `exact: true` where calls without arguments are meant, or drop it";
            let message = "`args` without a key selects every call";
            interpolation.report(Code::EmptyValue, args.span, message, Some(help.to_owned()));
        }
        let json = JsonSubset::compile(
            written.args.as_ref(),
            JsonComparison::of(written),
            interpolation,
        );
        let conditions = PathConditions::compile(
            written.args_match.as_ref(),
            written.args_where.as_ref(),
            interpolation,
        );
        let not_matching = PathPatterns::compile(unwanted, interpolation);
        Some(Self {
            json: json.ok()?,
            conditions: conditions?,
            not_matching: not_matching?,
        })
    }

    /// The JSON that they must contain.
    pub(super) fn json(&self) -> Option<&JsonSubset> {
        self.json.as_ref()
    }

    /// Whether every call matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_none() && self.conditions.is_empty() && self.not_matching.is_empty()
    }

    /// Whether the call's arguments match, or nearly do.
    pub(super) fn nearly_match(&self, call: &ToolCall, near: &mut NearMiss) -> bool {
        let Args::Json(args) = call.args() else {
            return self.match_call(call, ArgumentReading::Last);
        };
        let args = match call.opened_args() {
            Some(opened) if !args.is_object() => opened,
            _ => args,
        };
        if let Some(json) = &self.json
            && !json.is_nearly(args, Whole::Arguments, near)
        {
            return false;
        }
        self.conditions.are_nearly_met(args, near) && self.not_matching.hits(args).next().is_none()
    }

    /// Whether every call that matches these surely matches `fewer`.
    pub(super) fn include(&self, fewer: &Self) -> bool {
        (fewer.json.is_none() || fewer.json == self.json)
            && self.conditions.include(&fewer.conditions)
            && self.not_matching.include(&fewer.not_matching)
    }

    /// The same conditions, each alone.
    pub(super) fn each(&self) -> Vec<Self> {
        let Self {
            json,
            conditions,
            not_matching,
        } = self.clone();
        let all = [
            Self {
                json,
                ..Self::default()
            },
            Self {
                conditions,
                ..Self::default()
            },
            Self {
                not_matching,
                ..Self::default()
            },
        ];
        all.into_iter().filter(|alone| !alone.is_empty()).collect()
    }

    /// Each condition in words.
    pub(super) fn describe(&self) -> Vec<String> {
        let json = self.json.iter().map(|json| json.describe(Whole::Arguments));
        json.chain(self.conditions.describe())
            .chain(self.not_matching.describe("not matching"))
            .collect()
    }

    /// The arguments that are looked at.
    pub(super) fn focus(&self) -> Vec<JsonFocus> {
        let json = self.json.iter().flat_map(JsonSubset::focus);
        json.chain(self.conditions.focus())
            .chain(self.not_matching.focus())
            .collect()
    }

    /// The names of the arguments that are looked at.
    pub(super) fn names(&self) -> Vec<String> {
        let paths = self.focus().into_iter();
        paths
            .filter_map(|focus| focus.path.into_iter().next())
            .collect()
    }

    /// Compiles the patterns.
    pub(super) fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.conditions.start(patterns)?;
        self.not_matching.start(patterns)
    }

    /// Whether the call's arguments match.
    pub(super) fn match_call(&self, call: &ToolCall, reading: ArgumentReading) -> bool {
        if self.is_empty() {
            return true;
        }
        let Args::Json(last) = call.args() else {
            let text = || self.may_match_text(&call.args_text);
            return self.is_about_nothing_in_text() || reading == ArgumentReading::Any && text();
        };
        // Arguments that are the text of an object mean this object, to everyone.
        let opened = || call.opened_args().filter(|_| !last.is_object());
        let purpose = reading.purpose();
        let is_match = |args: &Value| self.match_value(args, purpose);
        let is_last = is_match(last) || opened().is_some_and(is_match);
        let mut others = call.other_args().iter();
        match reading {
            ArgumentReading::Last => is_last,
            ArgumentReading::Any => is_last || others.chain(call.opened_args()).any(is_match),
            ArgumentReading::Every => is_last && others.all(is_match),
        }
    }

    /// The author's own words for a failure.
    pub(super) fn message(&self) -> Option<&str> {
        self.conditions.message()
    }

    fn match_value(&self, args: &Value, purpose: Purpose) -> bool {
        let mut mismatches = Mismatches::default();
        self.mismatches_of(args, purpose, &mut mismatches);
        mismatches.count() == 0
    }

    /// Whether every pattern finds something in the text of arguments that are not valid JSON.
    fn may_match_text(&self, text: &str) -> bool {
        self.json.is_none() && self.conditions.all_find(text)
    }

    /// Whether arguments that are not valid JSON match: they have no argument that could be what it must not be.
    fn is_about_nothing_in_text(&self) -> bool {
        self.json.is_none() && self.conditions.is_empty()
    }

    /// Adds the ways in which the call's arguments do not match.
    pub(super) fn mismatches(&self, call: &ToolCall, mismatches: &mut Mismatches) {
        if self.match_call(call, ArgumentReading::Last) {
            return;
        }
        match call.args() {
            Args::Json(value) => self.mismatches_of(value, Purpose::Require, mismatches),
            Args::Malformed(error) => {
                mismatches.add(format!("the arguments are not valid JSON: {error}"));
            }
        }
    }

    /// Adds the ways in which these arguments do not match.
    fn mismatches_of(&self, args: &Value, purpose: Purpose, mismatches: &mut Mismatches) {
        if let Some(json) = &self.json {
            json.compare(args, Whole::Arguments, mismatches);
        }
        for ConditionMiss { place, .. } in self.conditions.mismatches(args, purpose) {
            mismatches.add_at(Whole::Arguments, place, 1);
        }
        for PatternMiss { place, .. } in self.not_matching.hits(args) {
            mismatches.add_at(Whole::Arguments, place, 1);
        }
    }
}

/// The values of arguments that count if they can mean several things, or cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentReading {
    /// The last value of a duplicate key: to require something.
    Last,
    /// Any value of a duplicate key, JSON in the texts of arguments, and what a pattern finds in the text of arguments that are not valid JSON: to forbid
    /// something.
    Any,
    /// Every value of a duplicate key: to allow something.
    Every,
}

impl ArgumentReading {
    /// The purpose of conditions on values that are read so.
    pub(super) fn purpose(self) -> Purpose {
        match self {
            Self::Last | Self::Every => Purpose::Require,
            Self::Any => Purpose::Forbid,
        }
    }
}
