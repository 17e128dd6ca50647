//! Every rule, one line each, in the order in which people read them.

use super::collector::Collector;
use super::content::{outcome, output, state};
use super::sequence::sequence;
use super::text::{equals, must_match, must_not_match};
use super::tools::{allow_only, forbid, forbid_calls, max_calls, require};
use super::{script, snapshot};
use crate::model::AssertBlock;

/// A rule that assert blocks can define.
pub(crate) struct Registered {
    /// Its path in an assert block.
    pub(crate) path: &'static str,
    /// Reads its key of a block.
    pub(crate) compile: fn(&AssertBlock, &mut Collector<'_, '_>),
}

const fn rule(path: &'static str, compile: fn(&AssertBlock, &mut Collector<'_, '_>)) -> Registered {
    Registered { path, compile }
}

/// The rules; limits of time and tokens are in [`limits`](super::limits).
pub(crate) const RULES: &[Registered] = &[
    rule(forbid::PATH, forbid::compile),
    rule(require::PATH, require::compile),
    rule(forbid_calls::PATH, forbid_calls::compile),
    rule(allow_only::PATH, allow_only::compile),
    rule(max_calls::PATH, max_calls::compile),
    rule(must_match::PATTERNS, must_match::compile_patterns),
    rule(must_not_match::PATTERNS, must_not_match::compile_patterns),
    rule(must_match::LITERALS, must_match::compile_literals),
    rule(must_not_match::LITERALS, must_not_match::compile_literals),
    rule(equals::PATH, equals::compile),
    rule(sequence::PATH, sequence::compile),
    rule(output::PATH, output::compile),
    rule(state::PATH, state::compile),
    rule(script::PATH, script::compile),
    rule(outcome::PATH, outcome::compile),
    rule(snapshot::PATH, snapshot::compile),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_key_of_an_assert_block_has_a_line() {
        let schema = schemars::schema_for!(AssertBlock).to_value();
        let keys = |of: &Value| -> Vec<String> {
            of["properties"].as_object().unwrap().keys().map(String::clone).collect()
        };
        let within = |name: &str, prefix: &str| -> Vec<String> {
            keys(&schema["$defs"][name]).iter().map(|key| format!("{prefix}.{key}")).collect()
        };
        let mut written: BTreeSet<String> = keys(&schema).into_iter().collect();
        written.extend(within("ToolRules", "tools"));
        written.extend(within("TextRules", "text"));
        // Blocks, and keys that say how others are meant. The registry of limits is that of `limits`.
        for other in ["extends", "tools", "tools.subagents", "text", "text.of", "timing", "usage"] {
            assert!(written.remove(other), "{other}");
        }
        let registered: BTreeSet<String> = RULES.iter().map(|rule| rule.path.to_owned()).collect();
        assert_eq!(registered, written);
    }
}
