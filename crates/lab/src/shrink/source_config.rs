//! The config of a shrunk test: that of the recorded test, with an agent that needs no network.
//!
//! Flows in: the tree of the config and the name of the target. Flows out: the targets that it extends, with what rules and
//! client-side tools need, and the variables and named assertions.

use serde_json::json;

use crate::lab_error::LabError;
use ananke_base::context::Context;
use ananke_base::source::{self, Entry, Node, NodeValue};
use ananke_model::model::NEWEST_VERSION;
use ananke_plan::Plan;
use ananke_plan::project::is_default;
use ananke_trace::redact::Redactor;

/// The keys of a target that are kept.
const KEPT: [&str; 3] = ["client_tools", "state", "assert"];

/// The name of the file of a shrunk test.
pub(super) const TEST_FILE: &str = "shrunk.yaml";

/// The most targets that extend each other.
const LONGEST: usize = 32;

/// The config that a shrunk test has, but for what its agent does.
#[derive(Clone, Debug)]
pub(super) struct SourceConfig {
    /// The version, the file of the test, the variables and the named assertions.
    pub(super) shared: Node,
    /// The target and those that it extends, the last of which extends none: the name and the keys of each.
    pub(super) targets: Vec<(String, Node)>,
}

impl SourceConfig {
    /// Reads the config of `plan`, for its target `name`.
    ///
    /// # Errors
    /// If it cannot be read any more, or a tool is answered by a program.
    pub(super) fn read(context: &Context, plan: &Plan, name: &str) -> Result<Self, LabError> {
        let broken = |problems| LabError::Broken(problems, Redactor::default());
        let read = source::read(
            &context.files,
            &plan.config.source.path,
            &plan.config.source.name,
        );
        let read = read.map_err(|problem| broken(vec![problem]))?;
        let root = source::parse(&read).map_err(broken)?;
        // An agent written in YAML needs the newest version. The name of the test file is not one that the globs of another
        // project match.
        let mut shared = Node::of_json(&json!({ "version": NEWEST_VERSION, "specs": TEST_FILE }));
        for key in ["vars", "assertions"] {
            if let Some(value) = root.get(key) {
                shared.set(key, value.clone());
            }
        }
        let own = root
            .get("target")
            .filter(|target| matches!(target.value, NodeValue::Map(_)));
        let mut targets = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next.take().filter(|_| targets.len() < LONGEST) {
            let named = root.get("targets").and_then(|targets| targets.get(&name));
            let Some(written) = named.or(own.filter(|_| is_default(&name))) else {
                break;
            };
            next = written
                .get("extends")
                .and_then(Node::as_str)
                .map(str::to_owned);
            let kept = written
                .entries()
                .iter()
                .filter(|entry| KEPT.contains(&entry.key.as_str()));
            let target = Node {
                value: NodeValue::Map(kept.cloned().collect()),
                span: written.span,
            };
            refuse_programs(&target)?;
            targets.push((name, target));
        }
        Ok(Self { shared, targets })
    }

    /// The text of the config, with `agent` as what the agent is and does.
    pub(super) fn with_agent(&self, asserts: &[Option<Node>], agent: &Node) -> Node {
        let mut root = self.shared.clone();
        let last = self.targets.len().saturating_sub(1);
        let mut written: Vec<(String, Node)> = Vec::new();
        for (index, (name, target)) in self.targets.iter().enumerate() {
            let mut target = target.clone();
            target.remove("assert");
            let mut keys = if index == last {
                agent.clone()
            } else {
                Node::of_json(&json!({}))
            };
            if let Some((base, _)) = self.targets.get(index + 1) {
                keys.set("extends", Node::of_json(&json!(base)));
            }
            for Entry { key, value, .. } in target.entries() {
                keys.set(key, value.clone());
            }
            if let Some(Some(assert)) = asserts.get(index) {
                keys.set("assert", assert.clone());
            }
            written.push((name.clone(), keys));
        }
        match written.as_slice() {
            [(_, only)] => root.set("target", only.clone()),
            several => {
                let first = several
                    .first()
                    .map(|(name, _)| name.clone())
                    .unwrap_or_default();
                root.set("target", Node::of_json(&json!(first)));
                let entries = several
                    .iter()
                    .map(|(name, keys)| Entry::new(name.clone(), keys.clone()));
                root.set(
                    "targets",
                    Node {
                        value: NodeValue::Map(entries.collect()),
                        span: root.span,
                    },
                );
            }
        }
        root
    }
}

/// Refuses client-side tools that a program answers: a shrunk test starts none.
pub(super) fn refuse_programs(keys: &Node) -> Result<(), LabError> {
    for tool in keys.get("client_tools").map_or(&[][..], Node::items) {
        let mock = tool.get("mock");
        let has_program =
            mock.is_some_and(|mock| mock.get("script").is_some() || mock.get("cmd").is_some());
        if has_program {
            let name = tool.get("name").and_then(Node::as_str).unwrap_or_default();
            let message = format!(
                "the client-side tool `{name}` is answered by a program, and a shrunk test starts none"
            );
            return Err(LabError::refused(
                message,
                "give the tool a `result`, and record the test again",
            ));
        }
    }
    Ok(())
}
