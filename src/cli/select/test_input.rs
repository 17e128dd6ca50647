//! The meaning of `-i`: a message, a file, standard input or a generator.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ananke::context::{Context, iso8601};
use ananke::{cases::is_case_file, helper::Generator, model::ReportFormat};
use serde_json::json;

use crate::cli::frame::Failed;
use crate::cli::options::ReportFile;

/// The most cases on standard input, in bytes: they are kept in memory.
const MOST_INPUT: u64 = 64 << 20;

/// The extensions of files of tests, and of those that look like one.
const EXTENSIONS: [&str; 5] = ["jsonl", "ndjson", "json", "yaml", "yml"];

/// The beginnings of a path.
const PATHS: [&str; 4] = ["/", "./", "../", "~/"];

/// The meaning of `-i`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TestInput {
    /// The message of a user.
    Message(String),
    /// A file of tests.
    File(PathBuf),
    /// Cases on standard input.
    Stdin,
    /// Cases that an agent or a script makes.
    Generated(Generator),
}

/// Tests that are ready to be planned.
pub(crate) struct GivenTests {
    /// The outside world, with cases over its files that are in none.
    pub(crate) context: Context,
    /// The file of the tests.
    pub(crate) path: PathBuf,
    /// The file for their results if no report is named.
    pub(crate) report: Option<ReportFile>,
}

impl TestInput {
    /// The input that `text` means.
    ///
    /// # Errors
    /// If it cannot be meant: what is wrong, and what to write.
    pub(crate) fn of(text: &str, context: &Context) -> Result<Self, String> {
        let path = context.working_directory.join(text);
        if text == "-" {
            return Ok(Self::Stdin);
        }
        if text.trim().is_empty() {
            return Err(
                "the value of `-i` is empty\nhelp: write a message, or name a case file".to_owned(),
            );
        }
        if let Some(generator) = Generator::parse(text) {
            return Ok(Self::Generated(generator));
        }
        if let Some(refused) = refused_generator(text) {
            return Err(refused);
        }
        let is_one_word = !text.contains(char::is_whitespace);
        if is_one_word && !context.files.is_file(&path) && text.starts_with("scripts.") {
            return Err(format!(
                "`{text}` names tests of scripts, which run in the runtime of their own system alone\n\
                 help: a script that makes cases is `scripts:{}`",
                &text["scripts.".len()..]
            ));
        }
        if context.files.is_directory(&path) {
            return Err(format!(
                "`-i {text}` is a directory, expected a case file\n\
                 help: run the tests of a directory with `ananke test {text}`"
            ));
        }
        let extension = Path::new(text)
            .extension()
            .map(|known| known.to_string_lossy().to_ascii_lowercase());
        let is_json = extension.as_deref() == Some("json");
        let is_of_tests =
            extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()));
        let is_there = context.files.look(&path).is_ok();
        if is_there && (!is_of_tests || is_json) {
            return Err(format!(
                "`{text}` is not a case file by its file extension, which is `.jsonl`\n\
                 help: read it from standard input with `-i - < {text}`"
            ));
        }
        let is_like_path = is_one_word
            && (is_of_tests || PATHS.iter().any(|beginning| text.starts_with(beginning)));
        Ok(if is_there || is_like_path {
            Self::File(text.into())
        } else {
            Self::Message(text.to_owned())
        })
    }
}

/// The reason that `text` names no generator, if that is meant.
fn refused_generator(text: &str) -> Option<String> {
    let (prefix, name) = text.split_once(':')?;
    let is_nameless = || name.split('?').next().unwrap_or_default().trim().is_empty();
    let nothing = format!("`{text}` names nothing\nhelp: write");
    let of_what =
        |what| format!("{nothing} `{prefix}:NAME` with the name of {what} that makes cases");
    match prefix {
        "agents" => is_nameless().then(|| of_what("a target")),
        "scripts" => is_nameless().then(|| of_what("a script")),
        "agent" | "script" if !text.contains(char::is_whitespace) => {
            Some(format!("{nothing} `{prefix}s:{name}`"))
        }
        _ => None,
    }
}

impl GivenTests {
    /// A message as a test.
    pub(crate) fn of_message(message: &str, context: &Context) -> Self {
        let case = json!({ "id": "message", "input": message });
        Self::of_cases("message.jsonl", case.to_string().as_bytes(), context)
    }

    /// The cases on standard input.
    ///
    /// # Errors
    /// If it cannot be read, or is too long.
    pub(crate) fn of_stdin(context: &Context) -> Result<Self, Failed> {
        let mut text = Vec::new();
        io::stdin()
            .lock()
            .take(MOST_INPUT + 1)
            .read_to_end(&mut text)?;
        if text.len() as u64 > MOST_INPUT {
            let message = format!("standard input is larger than {} MiB", MOST_INPUT >> 20);
            return Err(Failed::new(message).help("name a case file with `-i FILE`"));
        }
        Ok(Self::of_cases("stdin.jsonl", &text, context))
    }

    /// The tests of a file; case files have results next to them.
    pub(crate) fn of_file(path: PathBuf, context: &Context) -> Self {
        let report = is_case_file(&path).then(|| ReportFile {
            path: path.with_file_name(output_name(context.unix_ms())),
            format: ReportFormat::JsonLines,
        });
        Self {
            context: context.clone(),
            path,
            report,
        }
    }

    /// Cases that are in no file. They are named, and find files, as if they were in `name` in the working directory.
    pub(crate) fn of_cases(name: &str, cases: &[u8], context: &Context) -> Self {
        let path = context.working_directory.join(name);
        let files = context.files.with_given(path, cases);
        Self {
            context: Context {
                files,
                ..context.clone()
            },
            path: name.into(),
            report: None,
        }
    }
}

/// The name of the file with the results of a case file that runs at `unix_ms`: year, month, day, hours, minutes and seconds.
fn output_name(unix_ms: u64) -> String {
    let moment = iso8601(unix_ms);
    let digits: String = moment
        .chars()
        .filter(char::is_ascii_digit)
        .take("YYYYMMDDhhmmss".len())
        .collect();
    format!("output-{digits}.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_output_has_the_time_in_its_name() {
        assert_eq!(
            output_name(1_795_439_072_999),
            "output-20261123130432.jsonl"
        );
    }

    #[test]
    fn a_text_is_a_path_if_it_is_there_or_looks_like_one() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["inputs.jsonl", "two words.jsonl", "notes.txt", "list.json"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        std::fs::create_dir(folder.path().join("tests")).expect("a directory");
        let context = Context::isolated(folder.path());
        let meant = |text: &str| match TestInput::of(text, &context) {
            Ok(TestInput::Message(_)) => "message".to_owned(),
            Ok(TestInput::File(_)) => "file".to_owned(),
            Ok(TestInput::Stdin) => "stdin".to_owned(),
            Ok(TestInput::Generated(_)) => "generator".to_owned(),
            Err(message) => message.lines().last().unwrap_or_default().to_owned(),
        };
        for (text, expected) in [
            ("-", "stdin"),
            ("inputs.jsonl", "file"),
            ("two words.jsonl", "file"),
            ("missing.jsonl", "file"),
            ("missing words.jsonl", "message"),
            ("./Hello", "file"),
            (
                "/etc",
                "help: run the tests of a directory with `ananke test /etc`",
            ),
            ("Hello", "message"),
            ("Read notes.txt", "message"),
            ("agent: who are you?", "message"),
            ("agents:expense?count=2", "generator"),
            ("agents: who are they?", "message"),
            ("agent:expense", "help: write `agents:expense`"),
            (
                "agents:",
                "help: write `agents:NAME` with the name of a target that makes cases",
            ),
            (
                "scripts:?count=2",
                "help: write `scripts:NAME` with the name of a script that makes cases",
            ),
            (
                "scripts.expense.setup",
                "help: a script that makes cases is `scripts:expense.setup`",
            ),
            ("script:a.b?c=1", "help: write `scripts:a.b?c=1`"),
            (
                "tests",
                "help: run the tests of a directory with `ananke test tests`",
            ),
            (
                "notes.txt",
                "help: read it from standard input with `-i - < notes.txt`",
            ),
            (
                "list.json",
                "help: read it from standard input with `-i - < list.json`",
            ),
            (" ", "help: write a message, or name a case file"),
        ] {
            assert_eq!(meant(text), expected, "{text}");
        }
    }
}
