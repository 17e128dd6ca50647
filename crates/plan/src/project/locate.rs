//! Finds the project config of a command.

use std::path::{Path, PathBuf};

use ananke_base::context::{Context, Files, PathKind, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::{self, is_case_file};
use ananke_base::text::any_of;
use ananke_model::schema::promptfoo_problem;

use super::config_file::{CONFIG_NAME, nearest};
use super::discover::configs_below;

/// The config: the `named` one, else the nearest above the first of `paths`, else above the working directory.
///
/// # Errors
/// If there is none.
pub fn locate(
    context: &Context,
    named: Option<&Path>,
    paths: &[PathBuf],
) -> Result<PathBuf, Diagnostic> {
    if let Some(named) = named {
        return Ok(absolute(context, named));
    }
    let first = paths.first().map(|path| absolute(context, path));
    let start = first.as_deref().unwrap_or(&context.working_directory);
    nearest(&context.files, start).ok_or_else(|| {
        if let Some(missing) = missing_file(context, paths) {
            return missing;
        }
        if let Some(problem) = file_of_promptfoo(context, paths) {
            return problem;
        }
        let misnamed = misnamed(&context.files, start);
        let folder = match context.files.look(start) {
            Ok(PathKind::Directory) => start,
            _ => start.parent().unwrap_or(start),
        };
        let below = configs_below(context, folder, MOST_BELOW);
        let directory = folder;
        let folder = display_name(context, folder);
        let problem = Diagnostic::error(
            Code::ConfigMissing,
            format!("no `{CONFIG_NAME}` in `{folder}` or a directory above it"),
        );
        if let Some(misnamed) = misnamed {
            let misnamed = display_name(context, &misnamed);
            return problem.help(format!("rename `{misnamed}` to `{CONFIG_NAME}`"));
        }
        if below.is_empty() {
            let help = "start a project with `ananke init`, or name a config with `--config PATH`";
            let problem = problem.help(help);
            if context.files.is_file(&directory.join(PROMPTFOO)) {
                let help = format!("then write its tests with `ananke convert {PROMPTFOO}`");
                return problem.help(help);
            }
            return problem;
        }
        let options: Vec<String> = below
            .iter()
            .map(|config| format!("`--config {}`", display_name(context, config)))
            .collect();
        problem.help(format!("name one that is below it: {}", any_of(&options)))
    })
}

/// The problem of the first of `paths`, if it is that of a file and there is none; it may also be the id or the name of a test.
fn missing_file(context: &Context, paths: &[PathBuf]) -> Option<Diagnostic> {
    let named = paths.first()?;
    let is_path = named.components().count() > 1 || is_case_file(named) || is_yaml(named);
    if !is_path || context.files.look(&absolute(context, named)).is_ok() {
        return None;
    }
    let message = format!(
        "`{}` cannot be read: there is no such file",
        named.display()
    );
    Some(Diagnostic::error(Code::Unreadable, message).help("check its name"))
}

/// The problem of the first of `paths`, if it is a file of promptfoo, which needs no config to be converted.
fn file_of_promptfoo(context: &Context, paths: &[PathBuf]) -> Option<Diagnostic> {
    let named = paths.first().filter(|path| is_yaml(path))?;
    let path = absolute(context, named);
    let source = source::read(&context.files, &path, &display_name(context, &path)).ok()?;
    let root = source::tree(&source).0?;
    promptfoo_problem(&source, &root)
}

fn is_yaml(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The usual name of a file of promptfoo.
const PROMPTFOO: &str = "promptfooconfig.yaml";

/// The most configs that are named below a directory without one.
const MOST_BELOW: usize = 3;

/// Names that a config does not have.
const OTHER_NAMES: [&str; 3] = ["ananke.config.yml", "ananke.yaml", "ananke.config.json"];

/// The nearest file at or above `path` that is a config but for its name.
fn misnamed(files: &Files, path: &Path) -> Option<PathBuf> {
    let names = |folder: &Path| OTHER_NAMES.map(|name| folder.join(name));
    path.ancestors()
        .flat_map(names)
        .find(|file| files.is_file(file))
}

/// A warning if a file is nearer to where the tests are than `config` that has almost its name.
pub(crate) fn check_name_of_config(
    context: &Context,
    config: &Path,
    paths: &[PathBuf],
) -> Option<Diagnostic> {
    let first = paths.first().map(|path| absolute(context, path));
    let file = misnamed(
        &context.files,
        first.as_deref().unwrap_or(&context.working_directory),
    )?;
    if !file.parent()?.starts_with(config.parent()?) {
        return None;
    }
    let (file, config) = (display_name(context, &file), display_name(context, config));
    let message = format!("`{file}` is not read: the config is `{config}`");
    let help = format!("rename it to `{CONFIG_NAME}`, or delete it");
    Some(Diagnostic::warning(Code::LeftOut, message).help(help))
}
