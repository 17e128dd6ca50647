//! The target that answered, as a config has it.

use std::path::{Component, Path};

use ananke::agents::{AgentPlace, AgentTurns, TargetProposal};
use ananke::message::DeclaredTool;
use ananke::model::NEWEST_VERSION;
use ananke::source::{Node, to_yaml};
use ananke::variables::{literal, literal_value};
use serde_json::{Map, Value, json};

use super::place_options::Header;

/// A target that answered.
#[derive(Clone, Debug)]
pub(crate) struct FoundAgent {
    /// The name of what it speaks.
    pub(crate) speaks: &'static str,
    /// Its place.
    pub(crate) at: AgentPlace,
    /// The turns by which a test asks it.
    pub(crate) turns: AgentTurns,
    /// The keys of its target.
    pub(crate) target: Map<String, Value>,
    /// The tools or skills that it declares, if its protocol has such declarations.
    pub(crate) tools: Option<Vec<DeclaredTool>>,
    /// The proposal that its target is, if it speaks no known protocol.
    pub(crate) proposal: Option<Box<TargetProposal>>,
}

impl FoundAgent {
    /// The agent that a proposal is for.
    pub(super) fn proposed(proposal: TargetProposal) -> Self {
        Self {
            speaks: proposal.speaks,
            at: AgentPlace::Url(proposal.url.clone()),
            turns: AgentTurns::User,
            target: Map::new(),
            tools: None,
            proposal: Some(Box::new(proposal)),
        }
    }

    /// The text of a config with this target.
    pub(crate) fn config(&self) -> String {
        // The comments of a proposal are in its text alone.
        if let Some(proposal) = &self.proposal {
            let version = Value::from(NEWEST_VERSION);
            let redact = match proposal.redacted.join(", ") {
                none if none.is_empty() => none,
                names => format!("redact: [{names}]\n"),
            };
            return format!("version: {version}\n{redact}target:\n{}", proposal.target);
        }
        let config = json!({ "version": NEWEST_VERSION, "target": self.target });
        to_yaml(&Node::of_json(&config), 0)
    }

    /// Whether it answers what a user says.
    pub(crate) fn greets(&self) -> bool {
        self.turns == AgentTurns::User
    }

    /// Says where the relative paths of a program begin that was named in `here`, for a project in `folder`.
    pub(crate) fn in_folder(&mut self, folder: &Path, here: &Path) {
        if self.at.program().is_none() || folder == here {
            return;
        }
        let below = folder.strip_prefix(here).ok();
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let cwd = match below.filter(|below| below.components().all(is_plain)) {
            Some(below) => vec![".."; below.components().count()].join("/"),
            None => literal(&here.display().to_string()),
        };
        self.target.insert("cwd".to_owned(), json!(cwd));
    }
}

/// The keys of a target as files have them: nothing in them refers to a variable, but headers to those of the environment.
pub(super) fn written(target: Map<String, Value>, headers: &[Header]) -> Map<String, Value> {
    let Value::Object(mut keys) = literal_value(Value::Object(target)) else {
        return Map::new();
    };
    if !headers.is_empty() {
        let header = |header: &Header| {
            (
                header.name.clone(),
                json!(format!("${{ENV.{}}}", header.variable())),
            )
        };
        keys.insert("headers".to_owned(), headers.iter().map(header).collect());
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(at: AgentPlace) -> FoundAgent {
        FoundAgent {
            speaks: "",
            at,
            turns: AgentTurns::User,
            target: Map::new(),
            tools: None,
            proposal: None,
        }
    }

    #[test]
    fn a_program_keeps_the_directory_that_it_was_named_in() {
        for (folder, cwd) in [
            ("/a", None),
            ("/a/b/c", Some("../..")),
            ("/b", Some("/a")),
            ("/a/../b", Some("/a")),
        ] {
            let mut program = found(AgentPlace::Program(vec!["./x".to_owned()]));
            program.in_folder(Path::new(folder), Path::new("/a"));
            let written = program.target.get("cwd").and_then(Value::as_str);
            assert_eq!(written, cwd, "{folder}");
        }
        let url = AgentPlace::of_word("http://h/").and_then(Result::ok);
        let mut server = found(url.expect("a URL"));
        server.in_folder(Path::new("/b"), Path::new("/a"));
        assert!(!server.target.contains_key("cwd"));
    }
}
