//! `ananke.config.yaml` as it is written, and where it is found.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use ananke_agents::{ChosenTarget, NamedTarget, TargetConfig};
use ananke_base::context::Files;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{self, FreeMap, Node, TypeMismatch};
use ananke_model::model::{
    AssertBlock, Awaiting, CaseLine, EnvFileEntry, File, Hook, MutationSettings, OneOrMany,
    ProjectLimits, QuarantineEntry, RedactEntry, ReportEntry, ReportSettings, ScriptFile,
    ScriptProgram, Server, TAG_DEFAULTS, TestFile, Text, WrittenModel, WrittenPrices,
    extension_keys, is_extension_key, version_schema,
};
use ananke_model::schema::{FileKind, generate_of};
use ananke_model::settings::RunDefaults;
use std::path::{Path, PathBuf};

/// The project config: the agent under test, and its tests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = extension_keys()))]
pub struct ConfigFile {
    /// The schema version of this file. Quotes around it are optional.
    #[schemars(schema_with = "version_schema", extend("x-since" = "1.0"))]
    pub version: Text,
    /// The agent under test: a target, or the name of one of `targets`.
    #[schemars(extend("x-since" = "1.0"))]
    pub target: ChosenTarget,
    /// Other targets by name: for `target`, for tests, for `--target`. The one under `target` is called `default`.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"staging": { "extends": "default", "endpoint": "https://staging.example.org/agent" }})
    )]
    pub targets: Option<FreeMap<NamedTarget>>,
    /// Named `assert` blocks, for `extends` in the `assert` of targets, tests and turns.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"no_errors": { "text": { "must_not_match": "(?i)error" } }})
    )]
    pub assertions: Option<FreeMap<AssertBlock>>,
    /// Named programs, for `script` in an `assert` and in the mock of a client-side tool.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({"check-total": { "cmd": ["python3", "checks/total.py"], "timeout_ms": 5000 }})
    )]
    pub scripts: Option<FreeMap<ScriptProgram>>,
    /// Variables, available in this file and in the tests. Hooks and `--var` take precedence.
    #[schemars(
        extend("x-since" = "1.3"),
        with = "Option<std::collections::BTreeMap<String, serde_json::Value>>",
        example = serde_json::json!({"CURRENCY": "EUR", "LIMITS": { "order": 500 }})
    )]
    pub vars: Option<FreeMap<Node>>,
    /// Additional values to mask in all output: names of variables (`SESSION`, `ENV.KEY`), and patterns.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!(["SESSION", { "match": "sk-[A-Za-z0-9]{8,}" }]))]
    pub redact: Option<Vec<RedactEntry>>,
    /// A program (or a list of programs), such as the agent, to start before the tests and stop after them.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!({ "cmd": ["python", "agent.py"], "ready": { "port": 8000 } })
    )]
    pub server: Option<OneOrMany<Server>>,
    /// The models that the agent's own code asks, by name. A server on this machine replaces the provider of each while the tests
    /// run, and answers as the tests say. They start before `server`.
    #[schemars(
        extend("x-since" = "1.4"),
        with = "Option<std::collections::BTreeMap<String, WrittenModel>>",
        example = serde_json::json!({ "main": { "rules": [{ "when": { "user": "(?i)hello" }, "do": [{ "say": "Hello." }] }] } })
    )]
    pub models: Option<FreeMap<Spanned<WrittenModel>>>,
    /// Commands that run once, before the first test and after the servers are ready. Each prints one JSON object, whose keys
    /// become variables of every test.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([{ "cmd": ["python3", "scripts/create_tenant.py"] }])
    )]
    pub setup: Option<Vec<Hook>>,
    /// Commands that run once, after the last test, whether tests fail, `setup` fails or the run is interrupted.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([{ "cmd": ["python3", "scripts/delete_tenant.py", "${TENANT}"] }])
    )]
    pub teardown: Option<Vec<Hook>>,
    /// How tests run: defaults for the options of `ananke run`, such as `parallel` and `retries`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({ "parallel": 8, "retries": 1 }))]
    pub run: Option<RunDefaults>,
    /// Limits of every test.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({ "evaluation_ms": 60000 }))]
    pub limits: Option<ProjectLimits>,
    /// The prices of models, in US dollars per million tokens: by the names of the models, or the path of a file with them. Costs are
    /// shown where prices and tokens are known. Paths are relative to this file's directory.
    #[schemars(
        extend("x-since" = "1.4"),
        example = serde_json::json!({ "gpt-5": { "input": 1.25, "cached": 0.125, "output": 10 } })
    )]
    pub prices: Option<WrittenPrices>,
    /// How it is found out whether an agent waits for input.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({ "tools": ["ask_customer"] }))]
    pub awaiting: Option<Awaiting>,
    /// Files of environment variables (`NAME=value` lines) for `${ENV.NAME}` and for programs that are started. Variables that are
    /// set already take precedence.
    #[schemars(extend("x-since" = "1.3"), example = &".env")]
    pub env_file: Option<OneOrMany<EnvFileEntry>>,
    /// Reports that every run writes: paths whose extension selects the format (`.xml` JUnit, `.html` HTML, `.json`
    /// JSON, `.jsonl` JSON lines, `.md` Markdown, `.tap` TAP), or a `path` and its `format`. Paths are relative to this
    /// file's directory.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!(["reports/junit.xml", { "path": "reports/results", "format": "jsonl" }])
    )]
    pub reports: Option<Vec<ReportEntry>>,
    /// What reports contain.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({ "events": "all" }))]
    pub report: Option<ReportSettings>,
    /// Which files are tests: globs relative to this file's directory (default `**/*.test.yaml` and `**/*.test.yml`).
    #[schemars(extend("x-since" = "1.3"), example = "specs/**/*.test.yaml")]
    pub specs: Option<OneOrMany<Text>>,
    /// Known failures: these tests run and are reported, and do not fail the run until a given date.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([
            { "test": "checkout.test.yaml::pays once", "owner": "payments", "expires": "2026-12-31" }
        ])
    )]
    pub quarantine: Option<Vec<QuarantineEntry>>,
    /// What `ananke mutate` requires, and which changes to a conversation need not be noticed.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({ "min_score": "95%" }))]
    pub mutation: Option<MutationSettings>,
}

impl File for ConfigFile {
    fn read(root: &Node) -> Result<Self, TypeMismatch> {
        let file: Self = source::from_mapping(root, TAG_DEFAULTS, is_extension_key)?;
        if let ChosenTarget::Own(node) = &file.target {
            TargetConfig::read(node)?;
        }
        file.targets
            .iter()
            .flat_map(FreeMap::values)
            .try_for_each(NamedTarget::check)?;
        Ok(file)
    }
}

/// The schema of a kind of file, newest version, draft-07 (which every editor's YAML support reads).
pub fn file_schema(kind: FileKind) -> Value {
    match kind {
        FileKind::Config => generate_of::<ConfigFile>(kind.as_str(), kind.title()),
        FileKind::Test => generate_of::<TestFile>(kind.as_str(), kind.title()),
        FileKind::Case => generate_of::<CaseLine>(kind.as_str(), kind.title()),
        FileKind::Script => generate_of::<ScriptFile>(kind.as_str(), kind.title()),
    }
}

/// The file name of a project config.
pub const CONFIG_NAME: &str = "ananke.config.yaml";

/// The nearest config at or above `path`.
pub(super) fn nearest(files: &Files, path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .map(|folder| folder.join(CONFIG_NAME))
        .find(|file| files.is_file(file))
}
