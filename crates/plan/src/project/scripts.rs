//! The scripts of a project: what the config names in `scripts`, and the files in `scripts/` next to it.
//!
//! Names flow in, commands flow out; what is wrong with a name is reported at its place.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::launch::{LaunchContext, WrittenProgram};
use ananke_base::context::Files;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::{FreeMap, printable};
use ananke_base::text::suggest;
use ananke_model::model::{ClientTool, Mock, ScriptProgram};
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_rules::{Block, Script, ScriptSource};
use ananke_trace::process::Launch;

/// The directory of scripts that the config does not name, next to the config.
const FOLDER: &str = "scripts";

/// The number of files of that folder, and the depth of folders, that are searched for a similar name.
const LISTED: (usize, usize) = (200, 4);

/// The number of names that are listed if none is similar.
const LISTED_NAMES: usize = 20;

/// The scripts of a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scripts<'a> {
    /// The config.
    pub(crate) source: &'a Arc<SourceFile>,
    /// Those that it names.
    pub(crate) named: Option<&'a FreeMap<ScriptProgram>>,
    /// The config's folder.
    pub(crate) home: &'a Path,
    pub(crate) files: &'a Files,
}

/// The script of a name.
enum FoundScript<'a> {
    Named(&'a ScriptProgram),
    /// The file, from the config's folder.
    File(String),
}

impl<'a> Scripts<'a> {
    /// Checks a name; the error is its problem.
    pub(crate) fn check(&self, name: &str) -> Result<(), Diagnostic> {
        self.find(name).map(|_| ())
    }

    /// Reports the names in a block that no script has. What is not of the config is of the file `other`.
    pub(crate) fn check_block(
        &self,
        block: &Block,
        other: &Arc<SourceFile>,
        problems: &mut Vec<Diagnostic>,
    ) {
        for entry in &block.entries {
            let Some(script) = entry.rule::<Script>() else {
                continue;
            };
            let ScriptSource::Named(name) = &script.program else {
                continue;
            };
            if let Err(problem) = self.check(name)
                && is_known(name)
            {
                let source = if entry.origin.place.file == self.source.name {
                    self.source
                } else {
                    other
                };
                problems.push(problem.at(source, entry.origin.span, ""));
            }
        }
    }

    /// Reports what is wrong with the programs that the config names, also if no test uses them.
    pub(crate) fn check_programs(
        &self,
        surroundings: LaunchContext<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut found = Vec::new();
        let scope = Scope::default().open();
        let mut interpolation = Interpolation::new(&scope, self.source, Mode::Send, &mut found);
        for (_, program) in self.named.into_iter().flatten() {
            WrittenProgram::from(program).fill(surroundings, &mut interpolation);
        }
        // What a program uses, the tests know that use it.
        found.retain(|problem| problem.code != Code::UndefinedVariable);
        problems.extend(found);
    }

    /// Reports what the programs of these names use and a test does not know.
    pub(crate) fn check_uses(
        &self,
        names: &BTreeSet<&str>,
        surroundings: LaunchContext<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut interpolation =
            Interpolation::new(surroundings.scope, self.source, Mode::Send, problems);
        for (name, program) in self.named.into_iter().flatten() {
            if names.contains(name.as_str()) {
                WrittenProgram::from(program).fill(surroundings, &mut interpolation);
            }
        }
    }

    /// The command that asks `program`; its problems go to `problems`.
    pub(crate) fn launch(
        &self,
        program: &ScriptSource,
        timeout_ms: Option<u64>,
        surroundings: LaunchContext<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Launch> {
        let launch = match program {
            ScriptSource::Command(argv) => surroundings.launch(argv.clone()),
            ScriptSource::Named(name) => {
                match self
                    .find(name)
                    .map_err(|problem| problems.push(problem))
                    .ok()?
                {
                    FoundScript::File(path) => surroundings.launch(vec![path]),
                    FoundScript::Named(program) => {
                        let mut interpolation = Interpolation::new(
                            surroundings.scope,
                            self.source,
                            Mode::Send,
                            problems,
                        );
                        WrittenProgram::from(program).fill(surroundings, &mut interpolation)?
                    }
                }
            }
        };
        let timeout = timeout_ms.map_or(launch.timeout, Duration::from_millis);
        Some(Launch { timeout, ..launch })
    }

    fn find(&self, name: &str) -> Result<FoundScript<'a>, Diagnostic> {
        let mut named = self.named.into_iter().flatten();
        if let Some((_, program)) = named.find(|(known, _)| known.value == name) {
            return Ok(FoundScript::Named(program));
        }
        let is_plain =
            |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
        if !name.split('/').all(is_plain) {
            let message = format!("`{}` is not a valid script name", printable(name));
            let help = format!(
                "a script is a name of the config's `scripts`, or a path below `{FOLDER}/`"
            );
            return Err(Diagnostic::error(Code::BadValue, message).help(help));
        }
        let mut files = self.files_of(name);
        if files.is_empty() {
            // The name of a function in a system whose modules are folders.
            files = self.files_of(&name.replace('.', "/"));
        }
        let path = match files.as_slice() {
            [] => return Err(self.unknown(name)),
            [one] => one.clone(),
            several => {
                let message = format!(
                    "`{name}` fits more than one script: `{}`",
                    several.join("`, `")
                );
                return Err(
                    Diagnostic::error(Code::BadValue, message).help("name one with its ending")
                );
            }
        };
        if self.files.is_executable(&self.home.join(&path)) {
            return Ok(FoundScript::File(path));
        }
        let help = format!(
            "run `chmod +x {path}`, or name its interpreter in the config's `scripts`: `{name}: {{ cmd: [\"bash\", \"{path}\"] }}`"
        );
        Err(Diagnostic::error(Code::BadValue, format!("`{path}` is not executable")).help(help))
    }

    /// The files that a name fits: the one of exactly that name, else those of that name with a file extension. If some of several
    /// such files are executable, only those.
    fn files_of(&self, name: &str) -> Vec<String> {
        let whole = format!("{FOLDER}/{name}");
        if self.files.is_file(&self.home.join(&whole)) {
            return vec![whole];
        }
        let (folder, last) = whole.rsplit_once('/').unwrap_or((FOLDER, name));
        let mut files = self.files.list(&self.home.join(folder));
        files.retain(|path| {
            path.file_stem().is_some_and(|stem| stem == last) && self.files.is_file(path)
        });
        if files.len() > 1 && files.iter().any(|file| self.files.is_executable(file)) {
            files.retain(|file| self.files.is_executable(file));
        }
        let names = files.iter().filter_map(|file| file.file_name());
        names
            .map(|name| format!("{folder}/{}", name.to_string_lossy()))
            .collect()
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let mut known: Vec<String> = self
            .named
            .into_iter()
            .flatten()
            .map(|(name, _)| name.value.clone())
            .collect();
        let mut files = BTreeSet::new();
        self.list(&self.home.join(FOLDER), "", LISTED.1, &mut files);
        known.extend(files);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = match suggest(name, &known, "") {
            _ if known.is_empty() => {
                format!(
                    "{} has no `scripts`, and there is no file in the directory `{FOLDER}/` next to it",
                    self.source.name
                )
            }
            near if known.len() <= LISTED_NAMES || near.starts_with("did you mean") => {
                suggest(name, &known, "the scripts are")
            }
            _ => suggest(name, &known[..LISTED_NAMES], "among the scripts are"),
        };
        Diagnostic::error(
            Code::UnknownName,
            format!("there is no script `{}`", printable(name)),
        )
        .help(help)
    }

    /// Collects the files below `folder` by their paths without their extensions.
    fn list(&self, folder: &Path, before: &str, depth: usize, found: &mut BTreeSet<String>) {
        for path in self.files.list(folder) {
            let [name, stem] = [path.file_name(), path.file_stem()]
                .map(|name| name.unwrap_or_default().to_string_lossy());
            if found.len() >= LISTED.0 || name.starts_with('.') {
                continue;
            }
            if self.files.is_file(&path) {
                found.insert(format!("{before}{stem}"));
            } else if depth > 0 {
                self.list(&path, &format!("{before}{name}/"), depth - 1, found);
            }
        }
    }
}

/// Whether a name holds nothing that is known later.
fn is_known(name: &str) -> bool {
    !name.contains("${")
}

/// The names of the scripts that the rules of a block and mocks ask.
pub(crate) fn script_names<'n>(
    blocks: impl IntoIterator<Item = &'n Block>,
    tools: impl IntoIterator<Item = &'n ClientTool>,
) -> BTreeSet<&'n str> {
    let entries = blocks.into_iter().flat_map(|block| &block.entries);
    let rules = entries.filter_map(|entry| match &entry.rule::<Script>()?.program {
        ScriptSource::Named(name) => Some(name.as_str()),
        ScriptSource::Command(_) => None,
    });
    let mocks = tools.into_iter().flat_map(ClientTool::mocks);
    let mocks = mocks.filter_map(|mock| match mock {
        Mock::Script(name) => Some(name.value.as_str()),
        _ => None,
    });
    rules.chain(mocks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_is_not_saved_yet_is_there_and_not_executable() {
        let folder = tempfile::tempdir().expect("a folder");
        let saved = Files::default();
        let unsaved = saved.with_unsaved(folder.path().join("scripts/check.sh"), "#!/bin/sh");
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", ""));
        let said = |files: &Files| {
            let scripts = Scripts {
                source: &source,
                named: None,
                home: folder.path(),
                files,
            };
            scripts.check("check").map_err(|problem| problem.message)
        };
        assert_eq!(said(&saved), Err("there is no script `check`".to_owned()));
        if cfg!(unix) {
            assert_eq!(
                said(&unsaved),
                Err("`scripts/check.sh` is not executable".to_owned())
            );
        }
    }
}
