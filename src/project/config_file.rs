//! `ananke.config.yaml` as it is written.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{
    AssertBlock, File, OneOrMany, QuarantineEntry, RedactEntry, ReportEntry, ScriptProgram, Server,
    TAG_DEFAULTS, Text, extension_keys, is_extension_key,
};
use crate::source::{self, FreeMap, Node, TypeMismatch};
use crate::target::{ChosenTarget, NamedTarget, TargetConfig};

/// The project config: which agent is under test, and where its tests are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = extension_keys()))]
pub struct ConfigFile {
    /// The schema version this file is written for, as a quoted string: "1.0" to "1.3".
    #[schemars(extend("x-since" = "1.0"))]
    pub version: Text,
    /// The agent under test: a target, or the name of one of `targets`.
    #[schemars(extend("x-since" = "1.0"))]
    pub target: ChosenTarget,
    /// Other targets by their names: for `target`, for tests, for `--target`. The one written at `target` is `default`.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"staging": { "extends": "default", "endpoint": "https://staging.example.org/agent" }})
    )]
    pub targets: Option<FreeMap<NamedTarget>>,
    /// Blocks of assertions by their names, for `extends` in the `assert` of targets, tests and turns.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"no_errors": { "text": { "must_not_match": "(?i)error" } }})
    )]
    pub assertions: Option<FreeMap<AssertBlock>>,
    /// Programs by their names, for `script` in an `assert` and in the mock of a client tool.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"check-total": { "cmd": ["python3", "checks/total.py"], "timeout_ms": 5000 }})
    )]
    pub scripts: Option<FreeMap<ScriptProgram>>,
    /// Variables with their values, for everything in this file and in the tests. Hooks and `--var` win over them.
    #[schemars(
        extend("x-since" = "1.3"),
        with = "Option<std::collections::BTreeMap<String, serde_json::Value>>",
        example = serde_json::json!({"CURRENCY": "EUR", "LIMITS": { "order": 500 }})
    )]
    pub vars: Option<FreeMap<Node>>,
    /// What is masked in everything that is printed and written, beside what headers carry: variables by their names
    /// (`SESSION`, `ENV.KEY`), whatever gives them, and texts by patterns.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!(["SESSION", { "match": "sk-[A-Za-z0-9]{8,}" }]))]
    pub redact: Option<Vec<RedactEntry>>,
    /// A program, or a list of them, that is started before the tests and ended after them: the agent, mostly.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({ "cmd": ["python", "agent.py"], "ready": { "port": 8000 } })
    )]
    pub server: Option<OneOrMany<Server>>,
    /// Reports that every run writes: paths whose extension names the format (`.xml` JUnit, `.html` a page to read, `.json`
    /// one value, `.jsonl` a line a test, `.md` Markdown, `.tap` TAP), or a `path` and its `format`. Paths are relative to
    /// this file's folder.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!(["reports/junit.xml", { "path": "reports/results", "format": "jsonl" }])
    )]
    pub reports: Option<Vec<ReportEntry>>,
    /// Which files are tests: globs below this file's folder. Without it `**/*.test.yaml` and `**/*.test.yml`.
    #[schemars(extend("x-since" = "1.3"), example = "specs/**/*.test.yaml")]
    pub specs: Option<OneOrMany<Text>>,
    /// Tests that are known to fail: they run and are reported, and do not fail the run until a day.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([
            { "test": "checkout.test.yaml::pays once", "owner": "payments", "expires": "2026-12-31" }
        ])
    )]
    pub quarantine: Option<Vec<QuarantineEntry>>,
}

impl File for ConfigFile {
    fn read(root: &Node) -> Result<Self, TypeMismatch> {
        let file: Self = source::from_mapping(root, TAG_DEFAULTS, is_extension_key)?;
        if let ChosenTarget::Own(node) = &file.target {
            TargetConfig::read(node)?;
        }
        file.targets.iter().flat_map(FreeMap::values).try_for_each(NamedTarget::check)?;
        Ok(file)
    }
}
