//! Agents by the names that people know: the key of a target, its `agentId`, or the directory of an assistant.
//!
//! A name flows in, the place of a target flows out. **Invariant:** every name of an agent is resolved here, and a name that
//! could mean two targets means none. An `agentId` with a variable in it is no name.

use std::path::{Path, PathBuf};

use super::agent_choice::AgentChoice;
use super::config::Config;
use super::targets::{DEFAULT, ResolvedTarget};
use ananke_agents::ChosenTarget;
use ananke_base::context::{Context, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::printable;
use ananke_base::text::nearest;

/// The file that makes a directory an assistant.
const PACKAGE: &str = "package.yao";

/// The directory that ids of assistants are relative to.
const ASSISTANTS: &str = "assistants";

/// The number of targets that are listed.
const LISTED: usize = 20;

/// An assistant of a system whose agents are directories.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Assistant {
    /// Its id: the path after `assistants/`, dotted.
    id: String,
    /// Its `package.yao`.
    package: PathBuf,
}

impl Assistant {
    /// The assistant that `path` belongs to: the nearest `package.yao` at or above it and below `folder`, the directory of
    /// the config, which counts as nearer.
    ///
    /// # Errors
    /// If its `package.yao` is not below a directory of assistants, so that it names none.
    fn of(context: &Context, path: &Path, folder: &Path) -> Option<Result<Self, Diagnostic>> {
        let inside = path.ancestors().take_while(|above| *above != folder);
        let package = inside
            .map(|above| above.join(PACKAGE))
            .find(|file| context.files.is_file(file))?;
        let parts: Vec<_> = package
            .parent()?
            .iter()
            .map(|part| part.to_string_lossy())
            .collect();
        let after = parts.iter().rposition(|part| part == ASSISTANTS);
        let id = after.map(|after| parts[after + 1..].join("."));
        Some(match id.filter(|id| !id.is_empty()) {
            Some(id) => Ok(Self { id, package }),
            None => Err(Diagnostic::error(
                Code::UnknownName,
                format!(
                    "`{}` names no assistant: it is not in a directory under `{ASSISTANTS}/`",
                    display_name(context, &package)
                ),
            )
            .help(format!(
                "name the target with `-n NAME`, or move the directory under `{ASSISTANTS}/`"
            ))),
        })
    }
}

impl ResolvedTarget {
    /// The agent as it is called in its system, if that is written as it is.
    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.model
            .agent_id()
            .map(|id| id.value.as_str())
            .filter(|id| !id.contains("${"))
    }
}

fn no_target(name: &str) -> String {
    format!("there is no target `{}`", printable(name))
}

impl Config {
    /// The place of the target that `choice` means for tests at `path` among the [`targets`](Self::targets); `None` if it
    /// means none of its own. What is wrong with it goes to `problems`.
    pub(super) fn chosen_agent(
        &self,
        choice: &AgentChoice,
        path: Option<&Path>,
        context: &Context,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Result<usize, ()>> {
        let found = match choice {
            AgentChoice::OfConfig => return None,
            AgentChoice::Named(name) => self.agent(name, || no_target(name)),
            AgentChoice::OfAssistant => {
                let path = absolute(context, path.unwrap_or(Path::new("")));
                let Assistant { id, package } = match Assistant::of(context, &path, &self.folder)? {
                    Ok(assistant) => assistant,
                    Err(problem) => {
                        problems.push(problem);
                        return Some(Err(()));
                    }
                };
                let package = display_name(context, &package);
                let unknown =
                    || format!("there is no target for the assistant `{id}` of `{package}`");
                self.agent(&id, unknown)
            }
        };
        Some(found.map_err(|problem| problems.extend(problem)))
    }

    /// The target with this name, else the one with this `agentId`.
    ///
    /// # Errors
    /// If there is none, or it is broken.
    pub(crate) fn agent_named(&self, name: &str) -> Result<&ResolvedTarget, Option<Diagnostic>> {
        self.agent(name, || no_target(name))
            .map(|place| &self.targets[place])
    }

    /// The place of the target with this name, else of the one with this `agentId`.
    ///
    /// # Errors
    /// If there is none, with `unknown` as its message; without a problem if the target is broken, which was reported.
    fn agent(&self, name: &str, unknown: impl Fn() -> String) -> Result<usize, Option<Diagnostic>> {
        let place = |wanted: &str| self.targets.iter().position(|target| target.name == wanted);
        if self.target_names().contains(&name) {
            return place(name).ok_or(None);
        }
        let has_it = |target: &&ResolvedTarget| target.agent_id() == Some(name);
        let same: Vec<&str> = self
            .targets
            .iter()
            .filter(has_it)
            .map(|target| target.name.as_str())
            .collect();
        match same[..] {
            [only] => place(only).ok_or(None),
            [] => {
                let problem = Diagnostic::error(Code::UnknownName, unknown());
                let help = self.known_agents(name);
                Err(Some(Diagnostic { help, ..problem }))
            }
            _ if same.contains(&self.written_default()) => {
                place(self.written_default()).ok_or(None)
            }
            _ => {
                let message = format!("several targets have the `agentId` `{}`", printable(name));
                let help = format!("name one of them: `{}`", same.join("`, `"));
                Err(Some(
                    Diagnostic::error(Code::UnknownName, message).help(help),
                ))
            }
        }
    }

    /// The name of the config's own choice, as it is written: of several targets with one `agentId` it is meant.
    fn written_default(&self) -> &str {
        match &self.model.target {
            ChosenTarget::Own(_) => DEFAULT,
            ChosenTarget::Named(name) => &name.value,
        }
    }

    /// The targets that `name` could refer to, and every target with its `agentId`.
    fn known_agents(&self, name: &str) -> Vec<String> {
        let names = self.target_names();
        let known = names
            .iter()
            .copied()
            .chain(self.targets.iter().filter_map(ResolvedTarget::agent_id));
        let near = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        let is_number = !name.is_empty() && name.chars().all(|digit| digit.is_ascii_digit());
        let near = near
            .or_else(|| is_number.then(|| format!("to run tests in parallel write `-j {name}`")));
        let mut shown: Vec<String> = names
            .iter()
            .take(LISTED)
            .map(
                |name| match self.target(name).and_then(ResolvedTarget::agent_id) {
                    Some(id) if id != *name => format!("`{name}` (`agentId: {}`)", printable(id)),
                    _ => format!("`{name}`"),
                },
            )
            .collect();
        if names.len() > LISTED {
            shown.push(format!("{} more", names.len() - LISTED));
        }
        let all = if shown.is_empty() {
            format!("`{}` has no `targets`", self.source.name)
        } else {
            format!(
                "the targets of `{}` are {}",
                self.source.name,
                shown.join(", ")
            )
        };
        near.into_iter().chain([all]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assistant_is_named_by_its_directory() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let below = |path: &str| {
            std::fs::create_dir_all(root.join(path)).expect("a directory");
            root.join(path)
        };
        for package in [
            "assistants/keyword",
            "assistants/workers/system/keyword",
            "elsewhere",
            "assistants",
        ] {
            std::fs::write(below(package).join(PACKAGE), "{}").expect("a file");
        }
        let context = Context::isolated(root);
        let id = |path: &str, config: &str| {
            let assistant = Assistant::of(&context, &below(path), &below(config))?;
            Some(assistant.map_or_else(|_| "names none".to_owned(), |assistant| assistant.id))
        };
        for (path, config, expected) in [
            ("assistants/keyword", "", Some("keyword")),
            ("assistants/keyword/tests/deep", "", Some("keyword")),
            (
                "assistants/workers/system/keyword/tests",
                "",
                Some("workers.system.keyword"),
            ),
            ("assistants/workers/system", "", Some("names none")),
            ("assistants/keyword/tests", "assistants/keyword", None),
            ("assistants/keyword/tests", "assistants/keyword/tests", None),
            ("elsewhere", "", Some("names none")),
            ("", "", None),
        ] {
            assert_eq!(id(path, config).as_deref(), expected, "{path} {config}");
        }
    }
}
