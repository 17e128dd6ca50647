//! The command that runs the tests that failed again.

use std::path::Path;

use ananke_base::text::escape::shell_word;

/// The forms of the option that selects the agent, and the one that a message shows.
const TARGET: ([&str; 3], &str) = (["--target", "--name", "-n"], "--target");

/// The forms of the option that gives tests by itself.
const INPUT: [&str; 2] = ["--input", "-i"];

/// The command line that repeats a run with this command line and this config, as messages show it; it can be pasted
/// into a shell. `None` if its tests were in no file, or nothing was run: what is verified is in its traces, what is audited in no test,
/// and what is evaluated again changes no last result.
pub(crate) fn rerun(command: &[String], config: Option<&str>) -> Option<String> {
    let runs_no_tests = ["audit", "verify"];
    if command
        .get(1)
        .is_some_and(|command| runs_no_tests.contains(&&**command))
        || command.iter().any(|argument| argument == "--again")
    {
        return None;
    }
    let mut words = vec!["ananke run --last-failed".to_owned()];
    if let Some(config) = config.filter(|config| !is_found(config)) {
        words.extend(["--config".to_owned(), shell_word(config).into_owned()]);
    }
    let mut arguments = command.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        let (name, value) = split(argument);
        if TARGET.0.contains(&name) {
            let target = value.or_else(|| arguments.next()).unwrap_or_default();
            words.extend([TARGET.1.to_owned(), shell_word(target).into_owned()]);
        } else if INPUT.contains(&name) {
            let file = value.or_else(|| arguments.next()).unwrap_or_default();
            if Path::new(file).extension().is_none() || file.contains(':') {
                return None;
            }
            words.extend(["-i".to_owned(), shell_word(file).into_owned()]);
        }
    }
    Some(words.join(" "))
}

/// The name of an option, and its value if that is in the same argument: `--name=x`, `-nx`.
fn split(argument: &str) -> (&str, Option<&str>) {
    if argument.starts_with("--") {
        return argument
            .split_once('=')
            .map_or((argument, None), |(name, value)| (name, Some(value)));
    }
    match argument.split_at_checked(2) {
        Some((name, value)) if name.starts_with('-') && !value.is_empty() => {
            (name, Some(value.trim_start_matches('=')))
        }
        _ => (argument, None),
    }
}

/// Whether the program finds the config by itself: it is in the working directory or above it.
fn is_found(config: &str) -> bool {
    config.trim_start_matches("../") == "ananke.config.yaml"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_config_and_the_target_are_kept() {
        for (command, config, expected) in [
            (
                &["run"][..],
                "ananke.config.yaml",
                "ananke run --last-failed",
            ),
            (
                &["run", "--id", "y"],
                "../../ananke.config.yaml",
                "ananke run --last-failed",
            ),
            (
                &["run", "specs"],
                "a b/ananke.config.yaml",
                "ananke run --last-failed --config 'a b/ananke.config.yaml'",
            ),
            (
                &["run", "--target=x", "--config", "b.yaml"],
                "b.yaml",
                "ananke run --last-failed --config b.yaml --target x",
            ),
            (
                &["run", "--target", "it's"],
                "ananke.config.yaml",
                "ananke run --last-failed --target 'it'\\''s'",
            ),
            (
                &["test", "-i", "tests/inputs.jsonl", "-nkeyword"],
                "ananke.config.yaml",
                "ananke run --last-failed -i tests/inputs.jsonl --target keyword",
            ),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(rerun(&command, Some(config)).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_in_no_file_cannot_be_run_again() {
        for command in ["audit", "verify"] {
            let command = ["ananke", command, "a"].map(str::to_owned);
            assert_eq!(rerun(&command, None), None);
        }
        for input in ["Hello", "-", "agents:a.b?count=2"] {
            let command = ["test", "-i", input].map(str::to_owned);
            assert_eq!(rerun(&command, Some("ananke.config.yaml")), None);
        }
    }
}
