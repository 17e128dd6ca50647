//! `ananke init`: asks the agent what it speaks, writes a first project, and runs it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::agents::{AgentPlace, NamedSecret};
use ananke::audit::PermittedTools;
use ananke::context::{Context, Environment};
use ananke::source::reason;
use ananke::text::{columns, escape};
use clap::{Args, Parser};

use super::starter::{AdapterLanguage, StarterFile, adapter, example, of_agent};
use crate::cli::contact::{FoundAgent, PlaceOptions, ProposalWishes, probe};
use crate::cli::frame::{CommandOptions, Exit, Failed, interruptible, print_now, say};
use crate::cli::options::{PermissionOptions, RunOptions};

#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// The directory of the project, created if it does not exist (default: this one), and the URL of the agent, if it has one.
    /// Without an agent, one in YAML is written, to try ananke out
    #[arg(value_name = "DIR | URL", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) place: PlaceOptions,
    /// For an HTTP API of its own: the body of a request, with `${INPUT}` where the user speaks
    #[arg(long, value_name = "JSON", conflicts_with_all = ["command", "language"])]
    pub(crate) body: Option<String>,
    #[command(flatten)]
    pub(crate) permission: PermissionOptions,
    /// For an agent that is a library: also write a program around it, in this language
    #[arg(long = "for", value_enum, value_name = "LANGUAGE", conflicts_with_all = ["headers", "agent", "command"])]
    pub(crate) language: Option<AdapterLanguage>,
}

impl InitOptions {
    /// The directory and the place of the agent.
    ///
    /// # Errors
    /// If there are two of one of them, or a URL that is none.
    fn split(&self, context: &Context) -> Result<(PathBuf, Option<AgentPlace>), Failed> {
        let is_url = |word: &&String| AgentPlace::of_word(word).is_some();
        let urls: Vec<&String> = self.words.iter().filter(is_url).collect();
        let folders: Vec<&String> = self.words.iter().filter(|word| !is_url(word)).collect();
        if urls.len() > 1 || folders.len() > 1 {
            return Err(Failed::new(
                "write one directory and one URL, as in `ananke init tests http://127.0.0.1:8000/agent`",
            ));
        }
        let is_there = |word: &str| {
            let path = context.working_directory.join(word);
            context.files.is_directory(&path)
        };
        let is_unclear = |word: &&&String| may_be_host(word) && !is_there(word);
        if let Some(word) = folders.first().filter(is_unclear) {
            let shown = escape::line(word);
            let message = format!("is `{shown}` a directory or a URL?");
            return Err(Failed::new(message).help(format!("write `http://{shown}` or `./{shown}`")));
        }
        let folder = folders.first().map_or(".", |folder| folder.as_str());
        let place = self.place.place(urls.first().map(|url| url.as_str()))?;
        Ok((folder.into(), place))
    }
}

/// Whether a word that is no URL could be meant as one: it begins with what looks like the name of a host.
fn may_be_host(word: &str) -> bool {
    let (host, has_path) = word
        .split_once('/')
        .map_or((word, false), |(host, _)| (host, true));
    has_path && !host.starts_with('.') && host.contains('.')
}

/// The command line that tries the agent.
#[derive(Debug, Parser)]
struct Trial {
    #[command(flatten)]
    options: RunOptions,
}

impl CommandOptions for InitOptions {
    /// Writes the files, unless one of them exists, and says what to do next; tests of an agent are run.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let (shown, place) = self.split(context)?;
        let folder = context.working_directory.join(&shown);
        let command = match shown.as_path() {
            here if here == Path::new(".") => "ananke run".to_owned(),
            other => format!("ananke run {}", escape::line(&other.display().to_string())),
        };
        if let Some(language) = self.language {
            if place.is_some() {
                return Err(Failed::new(
                    "`--for` writes a program around an agent that has no URL: leave out one of them",
                ));
            }
            write_all(&adapter(language), &folder, &shown)?;
            return try_agent(&folder, &command, "-v", self, context);
        }
        let Some(place) = place else {
            write_all(&example(), &folder, &shown)?;
            let _lost = print_now(&format!("\nNext: {command}\n"));
            return Ok(Exit::Success);
        };
        // What would be overwritten is known before anything is sent.
        refuse_existing(&example()[..1], &folder, &shown)?;
        let wishes = ProposalWishes {
            body: self.body.clone(),
            second: self.permission.permitted.first().cloned(),
        };
        let mut found = interruptible(context, async |stopper| {
            probe(&place, &self.place, Some(&wishes), context, stopper).await
        })?;
        found.in_folder(&folder, &context.working_directory);
        let permitted = self.permission.permitted();
        write_all(&of_agent(&found, &permitted), &folder, &shown)?;
        say_not_called(&found, &permitted);
        // A conversation is shown; the tools of a server have many tests.
        let flag = if found.greets() { "-v" } else { "-j8" };
        let secrets = match &found.proposal {
            Some(proposal) => proposal.secrets.as_slice(),
            None => &[],
        };
        let mut environment = Environment::clone(&context.environment);
        for secret in secrets {
            environment.set(secret.variable.clone(), secret.value.clone());
        }
        let context = Context {
            environment: Arc::new(environment),
            ..context.clone()
        };
        let exit = try_agent(&folder, &command, flag, self, &context);
        say_exports(secrets, self);
        exit
    }
}

/// Says which variables of the environment a proposed target reads, other than those of headers that the user gave.
fn say_exports(secrets: &[NamedSecret], options: &InitOptions) {
    let is_given = |secret: &&NamedSecret| {
        let headers = &options.place.headers;
        headers.iter().any(|header| header.name == secret.name)
    };
    let read: Vec<&NamedSecret> = secrets.iter().filter(|it| !is_given(it)).collect();
    if read.is_empty() {
        return;
    }
    say("note: the config reads secret values from the environment. Before the next run, fill in:");
    for secret in read {
        let name = escape::line(&secret.name);
        say(&format!(
            "  export {}=''  # `{name}` of the request",
            secret.variable
        ));
    }
}

/// Says which tools the tests do not call.
fn say_not_called(found: &FoundAgent, permitted: &PermittedTools) {
    let tools = found.tools.iter().flatten();
    let skipped: Vec<String> = tools
        .filter(|tool| !permitted.contains(tool))
        .map(|tool| escape::line(&tool.name).into_owned())
        .collect();
    if !skipped.is_empty() {
        let _lost = print_now(&format!(
            "\nMay change data, so not called: {}\n  `--call NAME` calls one of them, `--destructive` all\n",
            skipped.join(", ")
        ));
    }
}

/// Runs the tests, whose report says what the agent does.
fn try_agent(
    folder: &Path,
    command: &str,
    flag: &str,
    options: &InitOptions,
    context: &Context,
) -> Result<Exit, Failed> {
    let _lost = print_now(&format!("\nRunning {command} {flag}\n\n"));
    let arguments = ["ananke", flag]
        .into_iter()
        .map(Into::into)
        .chain([folder.as_os_str().to_owned()]);
    let trial = Trial::try_parse_from(arguments).map_err(|error| Failed::new(error.to_string()))?;
    let exit = trial.options.execute(&options.place.context(context));
    for header in &options.place.headers {
        let (name, variable) = (escape::line(&header.name), header.variable());
        say(&format!(
            "note: the config reads the header `{name}` from `{variable}`: set it before `{command}`"
        ));
    }
    Ok(exit)
}

/// Writes the files and says so, unless one of them exists.
fn write_all(files: &[StarterFile], folder: &Path, shown: &Path) -> Result<(), Failed> {
    refuse_existing(files, folder, shown)?;
    for file in files {
        write(file, folder).map_err(|error| {
            let shown = shown_path(shown, &file.path);
            Failed::new(format!("cannot write `{shown}`: {}", reason(&error)))
        })?;
    }
    let names: Vec<String> = files
        .iter()
        .map(|file| shown_path(shown, &file.path))
        .collect();
    let width = names.iter().map(|name| columns::width(name)).max();
    let line = |(name, file): (&String, &StarterFile)| {
        let gap = " ".repeat(width.unwrap_or_default() - columns::width(name) + 2);
        format!("wrote {name}{gap}{}\n", file.purpose)
    };
    let lines: Vec<String> = names.iter().zip(files).map(line).collect();
    let _lost = print_now(&lines.concat());
    Ok(())
}

/// Refuses to write if some of the files exist.
fn refuse_existing(files: &[StarterFile], folder: &Path, shown: &Path) -> Result<(), Failed> {
    let existing: Vec<String> = files
        .iter()
        .filter(|file| folder.join(&file.path).symlink_metadata().is_ok())
        .map(|file| format!("`{}`", shown_path(shown, &file.path)))
        .collect();
    let exist = match existing.len() {
        0 => return Ok(()),
        1 => "exists",
        _ => "exist",
    };
    let existing = existing.join(", ");
    let message = format!("{existing} {exist} already: nothing was written");
    Err(Failed::new(message).help("name another directory, as in `ananke init DIR`"))
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
fn shown_path(folder: &Path, path: &Path) -> String {
    let path = if folder == Path::new(".") {
        path.to_path_buf()
    } else {
        folder.join(path)
    };
    escape::line(&path.display().to_string()).into_owned()
}
