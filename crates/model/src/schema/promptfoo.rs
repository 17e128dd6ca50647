//! A file of promptfoo, which is recognised as a whole instead of key by key.

use std::sync::Arc;

use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::{Entry, Node};

/// Keys at the top of a promptfoo file that no file of ananke has.
const OWN_KEYS: [&str; 5] = [
    "prompts",
    "providers",
    "defaultTest",
    "scenarios",
    "evaluateOptions",
];

/// Keys that only a file of ananke has: it has mistakes, and is no file of promptfoo.
const KEYS_OF_ANANKE: [&str; 4] = ["version", "turns", "target", "specs"];

/// The entry of a file of promptfoo that shows what it is; `None` for any other file. One key can be a slip, two are none;
/// a list of assertions under `tests` is enough alone.
fn sign(root: &Node) -> Option<&Entry> {
    let entries = root.entries();
    let has = |keys: &[&str]| entries.iter().any(|entry| keys.contains(&&*entry.key));
    if has(&KEYS_OF_ANANKE) {
        return None;
    }
    let is_own = |entry: &&Entry| OWN_KEYS.contains(&&*entry.key);
    let own: Vec<&Entry> = entries.iter().filter(is_own).collect();
    if let Some(tests) = entries.iter().find(|entry| entry.key == "tests") {
        let all = tests.value.items();
        if all.iter().any(|test| test.get("turns").is_some()) {
            return None;
        }
        if all.iter().any(has_typed_assertions) {
            return Some(own.first().copied().unwrap_or(tests));
        }
    }
    let is_shared = |entry: &&Entry| match entry.key.as_str() {
        "tests" => true,
        "targets" => !entry.value.items().is_empty(),
        _ => false,
    };
    if own.len() + entries.iter().filter(is_shared).count() < 2 {
        return None;
    }
    own.first().copied()
}

/// Whether a test has a list of assertions with types, which no test of ananke has.
fn has_typed_assertions(test: &Node) -> bool {
    let asserts = test.get("assert").map_or(&[][..], Node::items);
    asserts
        .iter()
        .any(|assertion| assertion.get("type").is_some())
}

/// Whether a tree is that of a promptfoo file.
pub fn is_promptfoo(root: &Node) -> bool {
    sign(root).is_some()
}

/// The one problem of a promptfoo file where a file of ananke is expected.
pub fn promptfoo_problem(source: &Arc<SourceFile>, root: &Node) -> Option<Diagnostic> {
    let sign = sign(root)?;
    let name = &*source.name;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let message = format!("`{name}` is a file of promptfoo, not of ananke");
    let problem = Diagnostic::error(Code::Promptfoo, message).at(source, sign.key_span, "");
    Some(problem.help(format!(
        "write its tests as tests of ananke: `ananke convert {name} -o {stem}.test.yaml`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::source::tree;

    fn is(text: &str) -> bool {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        tree(&source).0.is_some_and(|root| is_promptfoo(&root))
    }

    #[test]
    fn a_file_of_promptfoo_is_known_by_two_keys_or_by_its_assertions() {
        for text in [
            "prompts: [a]\nproviders: [b]\n",
            "prompts: [a]\ntests: tests.csv\n",
            "prompts: [a]\ntargets: [{ id: http://a }]\n",
            "defaultTest: { vars: { a: b } }\nscenarios: []\n",
            "description: a\ntests: [{ vars: { a: b }, assert: [{ type: contains, value: c }] }]\n",
        ] {
            assert!(is(text), "{text}");
        }
    }

    #[test]
    fn a_file_of_ananke_with_mistakes_is_none_of_promptfoo() {
        for text in [
            "name: a\nprompts: [b]\n",
            "name: a\nturns: [{ user: b }]\nprompts: [c]\nproviders: [d]\n",
            "version: a\nproviders: [a]\ntests: []\n",
            "target: { type: agui }\nproviders: [a]\nprompts: [b]\n",
            "targets: { a: { type: agui } }\nproviders: [b]\n",
            "tests: [{ name: a, turns: [{ user: b }], assert: [{ type: contains }] }]\n",
            "tests: [{ name: a, turns: [{ user: b }] }]\n",
            "- prompts\n- providers\n",
        ] {
            assert!(!is(text), "{text}");
        }
    }
}
