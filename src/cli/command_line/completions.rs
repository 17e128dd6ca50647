//! `ananke completions` and `ananke man`: what shells and `man` read.

use ananke::context::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_mangen::Man;

use crate::cli::frame::{CommandOptions, Exit, Failed, print};

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManOptions {
    /// The command whose page is printed, such as `run` (default: the page of ananke itself)
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

/// The environment variable in which a shell that completes names itself.
pub(super) const VARIABLE: &str = "ANANKE_COMPLETE";

impl CommandOptions for CompletionsOptions {
    /// Prints the script by which a shell asks this program to complete its command line.
    fn run(&self, _: &Context) -> Result<Exit, Failed> {
        let shells = Shells::builtins();
        let name = self.shell.to_string();
        let Some(shell) = shells.completer(&name) else {
            return Err(Failed::new(format!(
                "there are no completions for `{name}`"
            )));
        };
        let mut script = Vec::new();
        shell.write_registration(VARIABLE, "ananke", "ananke", "ananke", &mut script)?;
        print(|out| out.write_all(&script))?;
        Ok(Exit::Success)
    }
}

/// Prints a page for `man` about `ananke`, or about one of its commands.
pub(super) fn man(options: &ManOptions, mut ananke: Command) -> Result<Exit, Failed> {
    ananke.build();
    let page = match &options.command {
        None => Some(&ananke),
        Some(name) => ananke.find_subcommand(name),
    };
    if let Some(page) = page {
        print(|out| Man::new(page.clone()).render(out))?;
        return Ok(Exit::Success);
    }
    let names = ananke
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let names = names.map(Command::get_name).collect::<Vec<_>>().join(", ");
    let name = options.command.as_deref().unwrap_or_default();
    Err(Failed::usage(format!(
        "there is no command `{name}`; the commands are {names}"
    )))
}
