//! The scripts of a project: what the config names in `scripts`, and the files below `scripts/` beside it.
//!
//! Names flow in, what is to be started flows out; what is wrong with a name is told where it is written.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::launch::{Launch, Surroundings};
use crate::assertion::{Block, Program, Script};
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::{ClientTool, Mock, ScriptProgram};
use crate::source::{FreeMap, printable};
use crate::text::suggest;
use crate::variables::{Interpolation, Mode, Scope};

/// The folder of scripts that the config does not name, beside the config.
const FOLDER: &str = "scripts";

/// How many files of that folder, and how many folders in one another, are looked at to find what was meant.
const LISTED: (usize, usize) = (200, 4);

/// How many names are told where none is near.
const TOLD: usize = 20;

/// The scripts of a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scripts<'a> {
    /// The config.
    pub(crate) source: &'a Arc<SourceFile>,
    /// Those that it names.
    pub(crate) named: Option<&'a FreeMap<ScriptProgram>>,
    /// The config's folder.
    pub(crate) home: &'a Path,
}

/// What a name stands for.
enum Found<'a> {
    Named(&'a ScriptProgram),
    /// The file, from the config's folder.
    File(String),
}

impl<'a> Scripts<'a> {
    /// What is wrong with a name.
    pub(crate) fn check(&self, name: &str) -> Result<(), Diagnostic> {
        self.find(name).map(|_| ())
    }

    /// Reports the names in a block that stand for nothing. What is not of the config is of the file `other`.
    pub(crate) fn check_block(&self, block: &Block, other: &Arc<SourceFile>, problems: &mut Vec<Diagnostic>) {
        for entry in &block.entries {
            let Some(script) = entry.rule::<Script>() else { continue };
            let Program::Named(name) = &script.program else { continue };
            if let Err(problem) = self.check(name)
                && is_known(name)
            {
                let source = if entry.origin.place.file == self.source.name { self.source } else { other };
                problems.push(problem.at(source, entry.origin.span, ""));
            }
        }
    }

    /// Reports what is wrong with the programs that the config names, whoever uses them.
    pub(crate) fn check_programs(&self, surroundings: Surroundings<'_>, problems: &mut Vec<Diagnostic>) {
        let mut found = Vec::new();
        let scope = Scope::default().open();
        let mut filling = Interpolation::new(&scope, self.source, Mode::Send, &mut found);
        for (_, program) in self.named.into_iter().flatten() {
            Launch::fill(program.into(), surroundings, &mut filling);
        }
        // What a program uses, the tests know that use it.
        found.retain(|problem| problem.code != Code::UndefinedVariable);
        problems.extend(found);
    }

    /// Reports what the programs of these names use and a test does not know.
    pub(crate) fn check_uses(
        &self,
        names: &BTreeSet<&str>,
        surroundings: Surroundings<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut filling = Interpolation::new(surroundings.scope, self.source, Mode::Send, problems);
        for (name, program) in self.named.into_iter().flatten() {
            if names.contains(name.as_str()) {
                Launch::fill(program.into(), surroundings, &mut filling);
            }
        }
    }

    /// What is started to ask `program`; what is wrong with it goes to `problems`.
    pub(crate) fn launch(
        &self,
        program: &Program,
        timeout_ms: Option<u64>,
        surroundings: Surroundings<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Launch> {
        let launch = match program {
            Program::Command(argv) => Launch::at_home(argv.clone(), surroundings),
            Program::Named(name) => match self.find(name).map_err(|problem| problems.push(problem)).ok()? {
                Found::File(path) => Launch::at_home(vec![path], surroundings),
                Found::Named(program) => {
                    let mut filling =
                        Interpolation::new(surroundings.scope, self.source, Mode::Send, problems);
                    Launch::fill(program.into(), surroundings, &mut filling)?
                }
            },
        };
        let timeout = timeout_ms.map_or(launch.timeout, Duration::from_millis);
        Some(Launch { timeout, ..launch })
    }

    fn find(&self, name: &str) -> Result<Found<'a>, Diagnostic> {
        let mut named = self.named.into_iter().flatten();
        if let Some((_, program)) = named.find(|(known, _)| known.value == name) {
            return Ok(Found::Named(program));
        }
        let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
        if !name.split('/').all(is_plain) {
            let message = format!("`{}` is no name of a script", printable(name));
            let help = format!("a script is a name of the config's `scripts`, or a path below `{FOLDER}/`");
            return Err(Diagnostic::error(Code::BadValue, message).help(help));
        }
        let path = match self.files_of(name).as_slice() {
            [] => return Err(self.unknown(name)),
            [one] => one.clone(),
            several => {
                let message = format!("`{name}` fits more than one script: `{}`", several.join("`, `"));
                return Err(Diagnostic::error(Code::BadValue, message).help("name one with its ending"));
            }
        };
        if is_executable(&self.home.join(&path)) {
            return Ok(Found::File(path));
        }
        let help = format!(
            "make it so (`chmod +x {path}`), or have the config's `scripts` name its interpreter: `{name}: {{ cmd: [\"bash\", \"{path}\"] }}`"
        );
        Err(Diagnostic::error(Code::BadValue, format!("`{path}` is not executable")).help(help))
    }

    /// The files that a name fits: the one of that very name, else those that have it before their ending; beside files
    /// that can be run, no others.
    fn files_of(&self, name: &str) -> Vec<String> {
        let whole = format!("{FOLDER}/{name}");
        if self.home.join(&whole).is_file() {
            return vec![whole];
        }
        let (folder, last) = whole.rsplit_once('/').unwrap_or((FOLDER, name));
        let entries = fs::read_dir(self.home.join(folder)).into_iter().flatten().flatten();
        let fitting = entries.filter(|entry| {
            let path = entry.path();
            path.file_stem().is_some_and(|stem| stem == last) && path.is_file()
        });
        let mut files: Vec<String> =
            fitting.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())).collect();
        if files.len() > 1 && files.iter().any(|file| is_executable(&self.home.join(file))) {
            files.retain(|file| is_executable(&self.home.join(file)));
        }
        files.sort();
        files
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let mut known: Vec<String> =
            self.named.into_iter().flatten().map(|(name, _)| name.value.clone()).collect();
        let mut files = BTreeSet::new();
        list(&self.home.join(FOLDER), "", LISTED.1, &mut files);
        known.extend(files);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = match suggest(name, &known, "") {
            _ if known.is_empty() => {
                format!(
                    "{} has no `scripts`, and there is no file in `{FOLDER}/` beside it",
                    self.source.name
                )
            }
            near if known.len() <= TOLD || near.starts_with("did you mean") => {
                suggest(name, &known, "the scripts are")
            }
            _ => suggest(name, &known[..TOLD], "among the scripts are"),
        };
        Diagnostic::error(Code::UnknownName, format!("there is no script `{}`", printable(name))).help(help)
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
    let asked = entries.filter_map(|entry| match &entry.rule::<Script>()?.program {
        Program::Named(name) => Some(name.as_str()),
        Program::Command(_) => None,
    });
    let mocks = tools.into_iter().filter_map(|tool| match &tool.mock {
        Some(Mock::Script(name)) => Some(name.value.as_str()),
        _ => None,
    });
    asked.chain(mocks).collect()
}

/// The files below `folder` by their paths without their endings.
fn list(folder: &Path, before: &str, depth: usize, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(stem) = path.file_stem().map(|stem| format!("{before}{}", stem.to_string_lossy())) else {
            continue;
        };
        if files.len() >= LISTED.0 || entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_file() {
            files.insert(stem);
        } else if depth > 0 {
            let name = entry.file_name();
            list(&path, &format!("{before}{}/", name.to_string_lossy()), depth - 1, files);
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

/// Elsewhere the ending decides, when it is started.
#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}
