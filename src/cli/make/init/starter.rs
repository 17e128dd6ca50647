//! The files of a first project.

use std::path::{Path, PathBuf};

use ananke::audit::{PermittedTools, test_file};
use ananke::model::NEWEST_VERSION;
use ananke::project::CONFIG_NAME;
use ananke::schema::{FileKind, Version, for_editors, pruned, text};
use clap::ValueEnum;

use crate::cli::contact::FoundAgent;

/// The schemas of the two kinds of files, for editors.
const CONFIG_SCHEMA: &str = "schemas/ananke.config.schema.json";
const TEST_SCHEMA: &str = "schemas/ananke.test.schema.json";

/// A file of a first project.
pub(super) struct StarterFile {
    /// Its path in the project.
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// The purpose.
    pub(super) purpose: &'static str,
}

/// A project with a scripted agent.
pub(super) fn example() -> Vec<StarterFile> {
    let version = serde_json::Value::from(NEWEST_VERSION).to_string();
    let config = include_str!("checkout.config.yaml").replace("\"VERSION\"", &version);
    let test = include_str!("checkout.test.yaml").to_owned();
    project(config, vec![("checkout.test.yaml", test, "a first test")])
}

/// A language in which an adapter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AdapterLanguage {
    /// `agent.py`, run by python3
    Python,
    /// `agent.mjs`, run by node
    Node,
}

/// A project with a program around an agent that has no URL: it speaks JSON lines, and calls a tool.
pub(super) fn adapter(language: AdapterLanguage) -> Vec<StarterFile> {
    let (name, program, code) = match language {
        AdapterLanguage::Python => ("agent.py", "python3", include_str!("agent.py")),
        AdapterLanguage::Node => ("agent.mjs", "node", include_str!("agent.mjs")),
    };
    let version = serde_json::Value::from(NEWEST_VERSION);
    let config = format!(
        "{}version: {version}\n# The agent under test: a program that calls yours.\ntarget:\n  type: command\n  cmd: [{program}, {name}]\n",
        modeline(CONFIG_SCHEMA)
    );
    let test = include_str!("agent.test.yaml").to_owned();
    let tests = vec![
        ("agent.test.yaml", test, "a first test"),
        (
            name,
            code.to_owned(),
            "the way to your agent: replace `answer`",
        ),
    ];
    project(config, tests)
}

/// A project that tests an agent that answered; tools that may change data are called if they are permitted.
pub(super) fn of_agent(found: &FoundAgent, permitted: &PermittedTools) -> Vec<StarterFile> {
    let config = format!(
        "{}# The agent under test: it speaks {}.\n{}",
        modeline(CONFIG_SCHEMA),
        found.speaks,
        found.config()
    );
    let hello = || {
        let text = include_str!("hello.test.yaml").to_owned();
        ("hello.test.yaml", text, "a first test")
    };
    let tests = match found.tools.as_deref() {
        None | Some([]) if found.greets() => vec![hello()],
        Some(tools) if found.greets() => {
            let head = format!(
                "{}{}",
                modeline(TEST_SCHEMA),
                include_str!("skills.head.yaml")
            );
            let text = test_file(&head, tools, found.turns, permitted);
            vec![hello(), ("skills.test.yaml", text, "a test for each skill")]
        }
        tools => {
            let head = format!(
                "{}{}",
                modeline(TEST_SCHEMA),
                include_str!("tools.head.yaml")
            );
            let text = test_file(&head, tools.unwrap_or_default(), found.turns, permitted);
            vec![("tools.test.yaml", text, "a test for each tool")]
        }
    };
    project(config, tests)
}

/// The line by which editors find the schema of a file.
fn modeline(schema: &str) -> String {
    format!("# yaml-language-server: $schema={schema}\n")
}

/// The files of a project: its config, its tests, and the schemas for editors.
fn project(config: String, tests: Vec<(&str, String, &'static str)>) -> Vec<StarterFile> {
    let file = |path: &str, text: String, purpose| StarterFile {
        path: Path::new(path).into(),
        text,
        purpose,
    };
    let schema = |kind| text(&for_editors(kind, &pruned(kind, Version::newest())));
    let tests = tests
        .into_iter()
        .map(|(path, text, purpose)| file(path, text, purpose));
    let config = file(CONFIG_NAME, config, "the agent, and what all tests share");
    let schemas = [
        file(
            CONFIG_SCHEMA,
            schema(FileKind::Config),
            "for your editor: the keys of a config",
        ),
        file(
            TEST_SCHEMA,
            schema(FileKind::Test),
            "for your editor: the keys of a test",
        ),
    ];
    [config].into_iter().chain(tests).chain(schemas).collect()
}
