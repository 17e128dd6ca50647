//! `ananke completions` and `ananke man`: what shells and `man` read.

use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_mangen::Man;

use super::exit::Exit;
use super::print::{print, say};

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

/// Prints the script by which a shell asks this program to complete its command line.
pub(super) fn completions(options: &CompletionsOptions) -> Exit {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let name = options.shell.to_string();
    let written = shells
        .completer(&name)
        .map(|shell| shell.write_registration(VARIABLE, "ananke", "ananke", "ananke", &mut script));
    match written {
        Some(Ok(())) => print(Exit::Success, |out| out.write_all(&script)),
        Some(Err(error)) => {
            say(&format!("error: {error}"));
            Exit::Failure
        }
        None => {
            say(&format!("error: there are no completions for `{name}`"));
            Exit::Failure
        }
    }
}

/// Prints a page for `man` about `ananke`, or about one of its commands.
pub(super) fn man(options: &ManOptions, mut ananke: Command) -> Exit {
    ananke.build();
    let page = match &options.command {
        None => Some(ananke.clone()),
        Some(name) => ananke.find_subcommand(name).cloned(),
    };
    if let Some(page) = page {
        return print(Exit::Success, |out| Man::new(page).render(out));
    }
    let names = ananke
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let names = names.map(Command::get_name).collect::<Vec<_>>().join(", ");
    let name = options.command.as_deref().unwrap_or_default();
    say(&format!(
        "error: there is no command `{name}`; the commands are {names}"
    ));
    Exit::Usage
}
