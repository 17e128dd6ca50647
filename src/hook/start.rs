//! Starting a program, and why it could not be started.

use std::io::{self, BufRead as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::error::Trouble;
use super::group::Birth;
use super::process::Process;
use super::streams::Streams;
use crate::plan::Launch;

/// How much of a file is looked at for its first line.
const FIRST_LINE: u64 = 256;

/// Starts a program in a process group of its own, with its whole environment given and both outputs piped. Its stdin is
/// closed, or holds `input`.
pub(super) fn start(launch: &Launch, input: Option<Vec<u8>>) -> Result<Process, Trouble> {
    if !launch.folder.is_dir() {
        let why = if launch.folder.exists() { "is no folder" } else { "does not exist" };
        return Err(Trouble::start(
            format!("cannot run in `{}`, which {why}", launch.folder_name),
            "`cwd` counts from the folder of the config",
        ));
    }
    let held = launch.argv.iter().map(|word| ("`cmd`".to_owned(), word));
    let set = launch.environment.iter().map(|(name, value)| (format!("`{name}`"), value));
    if let Some((place, _)) = held.chain(set).find(|(_, text)| text.contains('\0')) {
        return Err(Trouble::start(
            format!("cannot be started: {place} holds a NUL character"),
            "neither the words of a command nor the environment can hold one",
        ));
    }
    let (Some(written), arguments) = (launch.argv.first(), launch.argv.get(1..).unwrap_or_default()) else {
        return Err(Trouble::start("names no program".to_owned(), ""));
    };
    let program = program(launch, written);
    let mut command = Command::new(&program);
    command
        .args(arguments)
        .env_clear()
        .envs(&launch.environment)
        .current_dir(&launch.folder)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let started = Birth::prepare(&mut command).and_then(|birth| Ok((birth, command.spawn()?)));
    let (birth, mut child) = started.map_err(|error| explain(launch, written, &program, &error))?;
    let input = child.stdin.take().zip(input);
    let streams = Streams::new(input, child.stdout.take(), child.stderr.take());
    Ok(Process { streams, group: birth.group(&child), child })
}

/// A name alone is looked up on the `PATH`, anything else counts from the program's folder.
fn program(launch: &Launch, written: &str) -> PathBuf {
    if is_path(written) { launch.folder.join(written) } else { PathBuf::from(written) }
}

fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

fn explain(launch: &Launch, written: &str, program: &Path, error: &io::Error) -> Trouble {
    let words: Vec<String> = written.split_whitespace().map(|word| format!("\"{word}\"")).collect();
    let as_words =
        format!("no shell reads `cmd`: write every word on its own: `cmd: [{}]`", words.join(", "));
    match error.kind() {
        io::ErrorKind::NotFound if !is_path(written) => {
            let message = format!("cannot be started: there is no `{written}` on the `PATH`");
            let path = launch.environment.get("PATH").filter(|path| !path.is_empty());
            let help = if words.len() > 1 {
                as_words
            } else if launch.folder.join(written).is_file() {
                format!("for the file of this name in `{}` write `./{written}`", launch.folder_name)
            } else if path.is_none() {
                "`PATH` is not set: name the program with its folder".to_owned()
            } else {
                format!("install `{written}`, or name it with its folder")
            };
            Trouble::start(message, &help)
        }
        io::ErrorKind::NotFound => match interpreter(program) {
            Some(interpreter) => Trouble::start(
                format!("cannot be started: `{written}` begins with `#!{interpreter}`, which there is not"),
                &format!("name the interpreter yourself: `cmd: [\"bash\", \"{written}\"]`"),
            ),
            None => Trouble::start(
                format!("cannot be started: there is no `{written}` in `{}`", launch.folder_name),
                if words.len() > 1 {
                    &as_words
                } else {
                    "paths in `cmd` count from the folder the hook runs in"
                },
            ),
        },
        io::ErrorKind::PermissionDenied if program.is_dir() => {
            Trouble::start(format!("cannot be started: `{written}` is a folder"), "")
        }
        io::ErrorKind::PermissionDenied => Trouble::start(
            format!("cannot be started: `{written}` is not executable"),
            &format!(
                "make it so (`chmod +x {written}`), or name its interpreter: `cmd: [\"bash\", \"{written}\"]`"
            ),
        ),
        io::ErrorKind::ArgumentListTooLong => {
            let largest = launch.environment.iter().max_by_key(|(_, value)| value.len());
            let help = largest.map_or_else(String::new, |(name, value)| {
                format!(
                    "`{name}` alone has {} bytes: what is large is better written to a file, and its path handed on",
                    value.len()
                )
            });
            Trouble::start("cannot be started: its environment and words are too large".to_owned(), &help)
        }
        _ => Trouble::start(format!("cannot be started: {error}"), ""),
    }
}

/// What the first line of a script names; `None` where it is no script, or not there.
fn interpreter(program: &Path) -> Option<String> {
    let file = std::fs::File::open(program).ok()?;
    let mut line = Vec::new();
    io::BufReader::new(file.take(FIRST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    Some(line.strip_prefix("#!")?.split_whitespace().next()?.to_owned())
}
