//! `ananke init`: writes a first project, and tries the agent.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ananke::context::{Context, Files};
use ananke::diagnostic::{Diagnostic, Severity};
use ananke::plan::{Selection, plan};
use ananke::redact::Redactor;
use ananke::text::{columns, escape};
use clap::{Args, Parser};

use super::super::colour::Colour;
use super::super::exit::Exit;
use super::super::print_problems::print_problems;
use super::super::run::run;
use super::super::run_options::RunOptions;
use super::starter::{StarterFile, starter};
use crate::cli::print::{print_now, say};

#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// The directory of the project; created if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The URL of an AG-UI agent to test; it is tried at once (default: a scripted agent, to try ananke out)
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
}

/// The command line that tries the agent.
#[derive(Debug, Parser)]
struct Trial {
    #[command(flatten)]
    options: RunOptions,
}

/// Writes the files, unless one of them exists, and says what to do next; with an endpoint it runs the test.
pub(crate) fn init(options: &InitOptions, context: &Context) -> Exit {
    let folder = context.working_directory.join(&options.folder);
    let files = starter(options.endpoint.as_deref());
    let shown = |file: &StarterFile| shown(&options.folder, &file.path);
    let existing: Vec<String> = files
        .iter()
        .filter(|file| folder.join(&file.path).symlink_metadata().is_ok())
        .map(|file| format!("`{}`", shown(file)))
        .collect();
    if !existing.is_empty() {
        let exist = if existing.len() == 1 {
            "exists"
        } else {
            "exist"
        };
        return fail(&format!(
            "{} {exist} already: nothing was written\nhelp: name another directory, as in `ananke init DIR`",
            existing.join(", ")
        ));
    }
    let problems = problems(&files, &folder, context);
    if !problems.is_empty() {
        print_problems(&problems, Colour::Auto, context, &Redactor::default());
        return Exit::Failure;
    }
    for file in &files {
        if let Err(error) = write(file, &folder) {
            return fail(&format!("cannot write `{}`: {error}", shown(file)));
        }
    }
    let width = files
        .iter()
        .map(|file| columns::width(&shown(file)))
        .max()
        .unwrap_or_default();
    let mut lines: Vec<String> = files
        .iter()
        .map(|file| {
            let name = shown(file);
            let gap = " ".repeat(width - columns::width(&name) + 2);
            format!("wrote {name}{gap}{}\n", file.purpose)
        })
        .collect();
    let command = match options.folder.as_path() {
        here if here == Path::new(".") => "ananke run".to_owned(),
        other => format!("ananke run {}", escape::line(&other.display().to_string())),
    };
    lines.push(match options.endpoint {
        None => format!("\nNext: {command}\n"),
        Some(_) => format!("\nTrying the agent: {command} -v\n\n"),
    });
    let _lost = print_now(&lines.concat());
    if options.endpoint.is_some() {
        try_agent(&folder, &command, context)
    } else {
        Exit::Success
    }
}

/// Runs the test, whose report says what the agent does.
fn try_agent(folder: &Path, command: &str, context: &Context) -> Exit {
    let arguments = ["ananke", "-v"]
        .map(Into::into)
        .into_iter()
        .chain([folder.as_os_str().to_owned()]);
    let exit = match Trial::try_parse_from(arguments) {
        Ok(Trial { options }) => run(&options, context),
        Err(error) => return fail(&error.to_string()),
    };
    if exit == Exit::Failure {
        say(&format!(
            "note: the files are written; when the agent runs and the config says how to reach it, try `{command}`"
        ));
    }
    exit
}

/// What would be wrong with the files, such as the URL of the agent. A variable of the environment may be set later.
fn problems(files: &[StarterFile], folder: &Path, context: &Context) -> Vec<Diagnostic> {
    let unsaved = files.iter().fold(Files::default(), |unsaved, file| {
        unsaved.with_unsaved(folder.join(&file.path), &file.text)
    });
    let context = Context {
        files: unsaved,
        ..context.clone()
    };
    let mut paths = files.iter().map(|file| folder.join(&file.path));
    let (config, test) = (paths.next(), paths.next());
    let selection = Selection {
        config,
        paths: test.into_iter().collect(),
        ..Selection::default()
    };
    let mut problems = plan(&context, &selection, &Redactor::default()).problems;
    problems.retain(|problem| problem.severity == Severity::Error);
    problems
}

fn write(file: &StarterFile, folder: &Path) -> io::Result<()> {
    let path = folder.join(&file.path);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?
        .write_all(file.text.as_bytes())
}

/// The path of a file as messages show it.
fn shown(folder: &Path, path: &Path) -> String {
    let path = if folder == Path::new(".") {
        path.to_path_buf()
    } else {
        folder.join(path)
    };
    escape::line(&path.display().to_string()).into_owned()
}

fn fail(message: &str) -> Exit {
    say(&format!("error: {message}"));
    Exit::Failure
}
