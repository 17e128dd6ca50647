//! The files of a first project.

use std::path::{Path, PathBuf};

use ananke::model::NEWEST_VERSION;
use ananke::project::CONFIG_NAME;
use ananke::schema::{FileKind, Version, pruned, text};

/// A file of a first project.
pub(super) struct StarterFile {
    /// Its path in the project.
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// What it is for.
    pub(super) purpose: &'static str,
}

/// A project with a scripted agent; with the `endpoint` of an agent, one that tests it.
pub(super) fn starter(endpoint: Option<&str>) -> Vec<StarterFile> {
    let (config, test_name, test) = match endpoint {
        None => (
            include_str!("checkout.config.yaml"),
            "checkout.test.yaml",
            include_str!("checkout.test.yaml"),
        ),
        Some(_) => (
            include_str!("hello.config.yaml"),
            "hello.test.yaml",
            include_str!("hello.test.yaml"),
        ),
    };
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let endpoint = endpoint.unwrap_or_default();
    let filled = |text: &str| {
        text.replace("\"VERSION\"", &quoted(NEWEST_VERSION))
            .replace("\"AGENT\"", &quoted(agent_of(endpoint)))
            .replace("\"ENDPOINT\"", &quoted(endpoint))
    };
    let file = |path: &str, text: String, purpose| StarterFile {
        path: Path::new(path).into(),
        text,
        purpose,
    };
    let schema = |kind| text(&pruned(kind, Version::newest()));
    vec![
        file(
            CONFIG_NAME,
            filled(config),
            "the agent under test, and what all tests have in common",
        ),
        file(test_name, filled(test), "a first test"),
        file(
            "schemas/ananke.config.schema.json",
            schema(FileKind::Config),
            "for your editor: the keys of a config",
        ),
        file(
            "schemas/ananke.test.schema.json",
            schema(FileKind::Test),
            "for your editor: the keys of a test",
        ),
    ]
}

/// A name for the agent at `endpoint`: the last part of its path that can be one.
fn agent_of(endpoint: &str) -> &str {
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let path = endpoint.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let names = path
        .split('/')
        .skip(1)
        .filter(|part| !part.is_empty() && part.chars().all(is_part));
    names.last().unwrap_or("agent")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_called_after_their_path() {
        for (endpoint, name) in [
            ("http://127.0.0.1:8000/agent", "agent"),
            ("http://host/api/shop/?key=a/b", "shop"),
            ("https://host/agents/my shop", "agents"),
            ("https://host", "agent"),
            ("${ENV.URL}/weather", "weather"),
            ("", "agent"),
        ] {
            assert_eq!(agent_of(endpoint), name, "{endpoint}");
        }
    }
}
