//! The options about what is sent to an agent, and on whose behalf.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Args, ValueEnum};

use crate::cli::frame::Failed;
use ananke::{cases::AllowedReach, message::RequestContext, plan::Plan, text::escape};

/// What is sent to an agent, and on whose behalf.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputOptions {
    /// A message to send, a case file, `-` for cases on standard input, or a generator of cases: `agents:NAME?count=5` or
    /// `scripts:NAME`. The answer to a message is printed on standard output
    #[arg(
        short,
        long,
        value_name = "MESSAGE|FILE|GENERATOR",
        conflicts_with = "paths"
    )]
    pub(crate) input: Option<String>,
    /// Allow the cases of an agent to name files, or scripts of the project (repeatable); a URL is always `data:`
    #[arg(long, value_enum, value_name = "WHAT", requires = "input")]
    pub(crate) allow: Vec<Reach>,
    /// The user on whose behalf the agent is asked, over what cases say (default for cases: `test-user`)
    #[arg(short, long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// The team of that user, over what cases say (default for cases: `test-team`)
    #[arg(short, long, value_name = "TEAM")]
    pub(crate) team: Option<String>,
    /// The model that is asked, over what cases say
    #[arg(short, long, value_name = "MODEL", value_parser = connector)]
    pub(crate) connector: Option<String>,
}

/// A permission for cases that an agent makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reach {
    /// Name files of this machine, which are sent to the agent under test
    File,
    /// Name scripts of the project, which are run
    Script,
}

impl InputOptions {
    /// The permissions for cases that an agent makes.
    pub(crate) fn allowed(&self) -> AllowedReach {
        AllowedReach {
            files: self.allow.contains(&Reach::File),
            scripts: self.allow.contains(&Reach::Script),
        }
    }

    /// Refuses `-u`, `-t` and `-c`, which are for case files, if none is selected: other tools mean something else by them.
    ///
    /// # Errors
    /// The first of them, and what to write instead.
    pub(crate) fn refuse_misplaced(&self, plan: &Plan) -> Result<(), Failed> {
        let has_cases = self.input.is_some()
            || plan.cases.is_empty()
            || plan.cases.iter().any(|case| case.test.part.is_some());
        let written = [
            (
                &self.team,
                "-t",
                "the team",
                "to select tests by a tag write `--tag",
            ),
            (
                &self.user,
                "-u",
                "the user",
                "to update snapshots write `--update-snapshots",
            ),
            (
                &self.connector,
                "-c",
                "the model",
                "to name a config write `--config",
            ),
        ];
        for (value, flag, what, instead) in written {
            let Some(value) = value.as_ref().filter(|_| !has_cases) else {
                continue;
            };
            let shown = escape::line(value);
            let message = format!(
                "`{flag} {shown}` is {what} that cases are asked for, and no case file is selected"
            );
            return Err(Failed::usage(message).help(format!("{instead} {shown}`")));
        }
        Ok(())
    }

    /// The context that the agent gets with every request.
    pub(crate) fn request_context(&self) -> RequestContext {
        let given =
            |key: &str, text: &Option<String>| Some((key.to_owned(), text.as_deref()?.into()));
        let caller = [given("user", &self.user), given("team", &self.team)];
        RequestContext {
            options: given("connector", &self.connector).into_iter().collect(),
            caller: caller.into_iter().flatten().collect(),
            ..RequestContext::default()
        }
    }
}

/// The name of a model; a file in its place is a config.
fn connector(text: &str) -> Result<String, String> {
    match Path::new(text).extension().and_then(OsStr::to_str) {
        Some("yaml" | "yml") => Err(format!(
            "a model is not a file; name a config with `--config {text}`"
        )),
        _ => Ok(text.to_owned()),
    }
}
