//! Every rule, one line each, in the order in which people read them.
//!
//! **Why:** The order of this list is the order in which people read rules, in explanations and in reports, and no file
//! of a rule knows it. A line is a function and not a type, so that two keys may be read in one file (`text.contains`
//! and `text.must_match`).

use super::content::{outcome, output, state};
use super::model_calls::{calls, limit, offered, params, prompt};
use super::text::{equals, must_match, must_not_match};
use super::tools::{
    allow_only, every, forbid, forbid_calls, max_calls, max_identical_calls, require, schema,
};
use super::{collector::Collector, provenance::provenance, sequence::sequence, whenever::whenever};
use super::{judge, script, snapshot};
use crate::evaluation::Measure;
use ananke_model::model::AssertBlock;

/// A rule that assert blocks can define: its path in the block, and what reads it there.
pub(crate) type RegisteredRule = (&'static str, fn(&AssertBlock, &mut Collector<'_, '_>));

/// The rules; limits of time and tokens are in [`limit_registry`](super::limit_registry).
pub(crate) const RULES: &[RegisteredRule] = &[
    ("tools.forbid", forbid::compile),
    ("tools.require", require::compile),
    ("tools.every", every::compile),
    ("tools.forbid_calls", forbid_calls::compile),
    ("tools.allow_only", allow_only::compile),
    ("tools.max_calls", max_calls::compile),
    ("tools.max_identical_calls", max_identical_calls::compile),
    ("tools.schema", schema::compile),
    ("text.must_match", must_match::compile_patterns),
    ("text.must_not_match", must_not_match::compile_patterns),
    ("text.contains", must_match::compile_literals),
    ("text.not_contains", must_not_match::compile_literals),
    ("text.equals", equals::compile),
    ("sequence", sequence::compile),
    ("whenever", whenever::compile),
    ("provenance", provenance::compile),
    ("output", output::compile),
    ("state", state::compile),
    ("script", script::compile),
    ("judge", judge::compile),
    ("model.calls", calls::compile),
    ("model.max_calls", limit::compile_calls),
    ("model.attempts", limit::compile_attempts),
    ("model.prompt", prompt::compile),
    ("model.offered.require", offered::compile_required),
    ("model.offered.forbid", offered::compile_forbidden),
    ("model.offered.max", limit::compile_offered),
    ("model.params", params::compile),
    ("model.same_request", limit::compile_same_request),
    ("model.usage.max_input_tokens", limit::compile_input_tokens),
    (
        "model.usage.max_output_tokens",
        limit::compile_output_tokens,
    ),
    ("model.usage.max_cost_usd", limit::compile_cost),
    ("model.max_prompt_chars", limit::compile_prompt_chars),
    ("outcome", outcome::compile),
    ("snapshot", snapshot::compile),
];

/// The path of every rule and limit, as reports name them.
pub fn rule_paths() -> impl Iterator<Item = &'static str> {
    let rules = RULES.iter().map(|(path, _)| *path);
    rules.chain(Measure::ALL.into_iter().map(Measure::path))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::rule_properties::RuleProperties;

    #[test]
    fn every_key_of_an_assert_block_has_a_line() {
        let schema = schemars::schema_for!(AssertBlock).to_value();
        let keys = |of: &Value| -> Vec<String> {
            of["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(String::clone)
                .collect()
        };
        let within = |name: &str, prefix: &str| -> Vec<String> {
            keys(&schema["$defs"][name])
                .iter()
                .map(|key| format!("{prefix}.{key}"))
                .collect()
        };
        let mut written: BTreeSet<String> = keys(&schema).into_iter().collect();
        written.extend(within("ToolRules", "tools"));
        written.extend(within("TextRules", "text"));
        written.extend(within("ModelRules", "model"));
        written.extend(within("OfferedRules", "model.offered"));
        written.extend(within("ModelUsageLimits", "model.usage"));
        // Blocks, and keys that say how others are meant. The registry of limits is that of `limits`.
        for other in [
            "extends",
            "tools",
            "tools.subagents",
            "text",
            "text.normalise",
            "text.of",
            "timing",
            "usage",
            "model",
            "model.of_model",
            "model.offered",
            "model.offered.in",
            "model.usage",
        ] {
            assert!(written.remove(other), "{other}");
        }
        let mut registered: BTreeSet<String> =
            RULES.iter().map(|(path, _)| (*path).to_owned()).collect();
        // A key of an entry of `require`, whose result is one of its own.
        assert!(registered.remove("tools.every"));
        assert_eq!(registered, written);
        for path in rule_paths() {
            assert!(RuleProperties::of(path).is_some(), "{path}");
        }
    }
}
