//! Starting a program, and why it could not be started.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::{
    Foreground, OUT_OF_FILES_HELP, Process, Program, Started, group::GroupSetup, is_out_of_files,
};

/// The number of bytes of a file in which its first line is searched.
const FIRST_LINE: u64 = 256;

/// The reason why a program could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartError {
    /// The problem, as the end of a sentence: `cannot be started: …`.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

impl StartError {
    fn new(message: String, help: &str) -> Self {
        Self {
            message,
            help: help.to_owned(),
        }
    }
}

/// Starts a program in a process group of its own, with its whole environment and `stdin` given, and both outputs piped.
///
/// # Errors
/// If it cannot be started.
pub fn start(program: &Program<'_>, stdin: Stdio) -> Result<Started, StartError> {
    let (mut command, file) = prepare(program)?;
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = GroupSetup::prepare(&mut command).and_then(|setup| setup.start(&mut command));
    let (mut child, group) = started.map_err(|error| explain(program, &file, &error))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    Ok(Started {
        stdin,
        stdout,
        stderr,
        process: Process { group, child },
    })
}

/// Starts a program that has the terminal of this one: its input, its outputs and the signals of its keys.
///
/// # Errors
/// If it cannot be started.
pub fn start_in_foreground(program: &Program<'_>) -> Result<Foreground, StartError> {
    let (mut command, file) = prepare(program)?;
    let started = command.spawn();
    let child = started.map_err(|error| explain(program, &file, &error))?;
    Ok(Foreground { child })
}

/// The command of a program, ready but for its input and outputs, and the file that is executed.
fn prepare(program: &Program<'_>) -> Result<(Command, PathBuf), StartError> {
    // What the system would refuse without a place is found here, because its own error names neither the folder nor the word.
    if !program.folder.is_dir() {
        let why = if program.folder.exists() {
            "is not a directory"
        } else {
            "does not exist"
        };
        return Err(StartError::new(
            format!("cannot run in `{}`, which {why}", program.folder_name),
            "`cwd` is relative to the directory of the config",
        ));
    }
    let held = program
        .argv
        .iter()
        .map(|word| ("cmd".into(), OsStr::new(word)));
    let set = program
        .environment
        .iter()
        .map(|(name, value)| (name.to_string_lossy(), value));
    if let Some((place, _)) = held
        .chain(set)
        .find(|(_, text)| text.as_encoded_bytes().contains(&0))
    {
        return Err(StartError::new(
            format!("cannot be started: `{place}` holds a NUL character"),
            "neither the words of a command nor the environment can hold one",
        ));
    }
    let Some((written, arguments)) = program.argv.split_first() else {
        return Err(StartError::new("names no program".to_owned(), ""));
    };
    let file = file(program, written);
    let mut command = Command::new(&file);
    command
        .args(arguments)
        .env_clear()
        .envs(program.environment.iter())
        .current_dir(program.folder)
        .kill_on_drop(true);
    Ok((command, file))
}

/// A name alone is looked up on the `PATH`, anything else counts from the program's folder.
fn file(program: &Program<'_>, written: &str) -> PathBuf {
    if is_path(written) {
        program.folder.join(written)
    } else {
        PathBuf::from(written)
    }
}

fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

fn explain(program: &Program<'_>, file: &Path, error: &io::Error) -> StartError {
    let written = match program.argv.first() {
        Some(written) => written.as_str(),
        None => "",
    };
    match error.kind() {
        io::ErrorKind::NotFound if !is_path(written) => not_on_path(program, written),
        io::ErrorKind::NotFound => not_in_folder(program, written, file),
        io::ErrorKind::PermissionDenied if file.is_dir() => {
            StartError::new(format!("cannot be started: `{written}` is a directory"), "")
        }
        io::ErrorKind::PermissionDenied => StartError::new(
            format!("cannot be started: `{written}` is not executable"),
            &format!(
                "run `chmod +x {written}`, or name its interpreter: `cmd: [\"bash\", \"{written}\"]`"
            ),
        ),
        io::ErrorKind::ArgumentListTooLong => too_large(program),
        _ if is_out_of_files(error) => {
            let message = "cannot be started: this process has too many files open".to_owned();
            StartError::new(message, OUT_OF_FILES_HELP)
        }
        _ => StartError::new(format!("cannot be started: {error}"), ""),
    }
}

/// The help for a program that is written like a line of a shell; `None` if it is one word.
fn as_words(written: &str) -> Option<String> {
    let words: Vec<String> = written
        .split_whitespace()
        .map(|word| format!("\"{word}\""))
        .collect();
    (words.len() > 1).then(|| {
        format!(
            "no shell reads `cmd`: write every word on its own: `cmd: [{}]`",
            words.join(", ")
        )
    })
}

fn not_on_path(program: &Program<'_>, written: &str) -> StartError {
    let message = format!("cannot be started: there is no `{written}` on the `PATH`");
    let path = program
        .environment
        .text("PATH")
        .filter(|path| !path.is_empty());
    let help = if let Some(help) = as_words(written) {
        help
    } else if program.folder.join(written).is_file() {
        format!(
            "for the file of this name in `{}` write `./{written}`",
            program.folder_name
        )
    } else if path.is_none() {
        "`PATH` is not set: give the full path of the program".to_owned()
    } else {
        format!("install `{written}`, or give its full path")
    };
    StartError::new(message, &help)
}

fn not_in_folder(program: &Program<'_>, written: &str, file: &Path) -> StartError {
    if let Some(interpreter) = interpreter(file) {
        return StartError::new(
            format!(
                "cannot be started: `{written}` begins with `#!{interpreter}`, which does not exist"
            ),
            &format!("name the interpreter yourself: `cmd: [\"bash\", \"{written}\"]`"),
        );
    }
    let message = format!(
        "cannot be started: there is no `{written}` in `{}`",
        program.folder_name
    );
    let help = as_words(written);
    let paths = "paths in `cmd` are relative to the directory in which it runs";
    StartError::new(message, help.as_deref().unwrap_or(paths))
}

fn too_large(program: &Program<'_>) -> StartError {
    let set = program
        .environment
        .iter()
        .map(|(name, value)| (name.to_string_lossy(), value.len()));
    let words = program.argv.iter().map(|word| ("cmd".into(), word.len()));
    let largest = set.chain(words).max_by_key(|(_, bytes)| *bytes);
    let help = largest.map_or_else(String::new, |(name, bytes)| {
        format!("`{name}` alone has {bytes} bytes: what is large is better written to a file, and its path handed on")
    });
    StartError::new(
        "cannot be started: its environment and words are too large".to_owned(),
        &help,
    )
}

/// The interpreter that the first line of a script names; `None` if the file is no script, or is not there.
fn interpreter(file: &Path) -> Option<String> {
    let file = std::fs::File::open(file).ok()?;
    let mut line = Vec::new();
    io::BufReader::new(file.take(FIRST_LINE))
        .read_until(b'\n', &mut line)
        .ok()?;
    let line = String::from_utf8_lossy(&line);
    Some(
        line.strip_prefix("#!")?
            .split_whitespace()
            .next()?
            .to_owned(),
    )
}
