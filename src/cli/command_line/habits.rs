//! The habits of users of other tools: the option of ananke that does the same.

use std::ffi::OsString;
use std::path::Path;

use ananke::text::nearest;
use clap::FromArgMatches as _;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::arguments::{CommandLine, command, command_names};
use crate::cli::options::with_joined_shard;

/// Options of other tools that have no equal here, each with what to write instead.
const HABITS: &[(&[&str], &str)] = &[
    (
        &[
            "--run",
            "--grep",
            "-g",
            "--testNamePattern",
            "--test-name-pattern",
        ],
        "select tests with `--filter WORD` (or `-k WORD`), `--filter 'name(/REGEX/)'` or `FILE::NAME`",
    ),
    (
        &[
            "--list",
            "--list-tests",
            "--collect-only",
            "--co",
            "--collectonly",
        ],
        "list the tests with `ananke list`",
    ),
    (
        &["--reporters", "--format", "--report"],
        "write reports with `-o FILE.xml`, `-o FILE.html` or `-o FILE.json`, or print JSON lines with `--json`",
    ),
    (
        &["--junitxml", "--junit-xml", "--outputFile"],
        "write a JUnit report with `--junit FILE`",
    ),
    (&["--html"], "write an HTML report with `-o FILE.html`"),
    (
        &["--no-color", "--no-colors", "--nocolor"],
        "switch colours off with `--color never`, or set `NO_COLOR`",
    ),
    (
        &["--colors", "--force-color"],
        "switch colours on with `--color always`",
    ),
    (
        &["--maxfail", "--max-failures"],
        "stop after the first failing test with `--fail-fast` (or `-x`)",
    ),
    (
        &[
            "--numprocesses",
            "--maxWorkers",
            "--max-workers",
            "--max-concurrency",
            "--concurrency",
        ],
        "run tests in parallel with `--parallel N` (or `-j N`)",
    ),
    (
        &["--update", "--updateSnapshot", "--snapshot-update"],
        "update snapshots with `--update-snapshots`",
    ),
    (
        &["--reruns", "--retry", "--repeat"],
        "retry failing tests with `--retries N`",
    ),
    (
        &[
            "--ff",
            "--failed",
            "--onlyFailures",
            "--only-failed",
            "--filter-failing",
        ],
        "run what did not pass last time with `--last-failed` (or `--lf`)",
    ),
    (
        &["--only", "--focus"],
        "run one test with `FILE:LINE` or `FILE::NAME`, those whose ids contain a word with `-k WORD`, or those with a tag with `--tag TAG`",
    ),
    (
        &["--tags", "--include-tags", "-m"],
        "select tests by a tag with `--tag TAG`, or `--filter 'tag(a) and not tag(b)'`",
    ),
    (
        &["--exclude", "--ignore", "--deselect", "--skip"],
        "leave tests out with `--filter 'not WORD'`",
    ),
    (
        &["--env", "-e"],
        "set a variable with `--var NAME=VALUE`, or name a file of environment variables with `--env-file FILE`",
    ),
    (
        &["--watch", "-w", "--watchAll"],
        "run the tests that a change touches with `ananke watch`",
    ),
    (
        &[
            "--shards",
            "--split",
            "--splits",
            "--partition",
            "--shard-index",
            "--shard-count",
            "--num-shards",
        ],
        "run one part of the tests on each machine with `--shard K/N`",
    ),
    (
        &["--ui", "--open", "--show-report"],
        "look at a run as a page with `-o report.html`, or run what a change touches with `ananke watch`",
    ),
    (
        &["--ctx"],
        "say who asks with `-u USER` and `-t TEAM`, or `caller` in a test",
    ),
    (
        &["--before", "--after"],
        "run commands around all tests with `setup` and `teardown` in the config",
    ),
    (
        &["--silent"],
        "print only what failed with `--quiet` (or `-q`)",
    ),
    (
        &["--url", "--endpoint", "--provider", "--providers"],
        "the agent's address is `endpoint` in `ananke.config.yaml`; `ananke init URL` writes one",
    ),
];

/// Commands of other tools that have no equal here, each with the arguments of ananke that do the same.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["lint", "validate", "doctor"], "check"),
    (&["ls", "collect"], "list"),
    (&["new", "create", "generate"], "init"),
    (&["eval", "exec", "start", "retry"], "run"),
    (&["diff"], "compare"),
    (&["replay"], "run --replay DIR"),
    (&["update"], "run --update-snapshots"),
    (&["view"], "run -o report.html"),
];

/// The command line of this process. If it is invalid, the program prints why and ends.
pub(crate) fn parse(arguments: Vec<OsString>) -> CommandLine {
    parsed(with_joined_shard(arguments)).unwrap_or_else(|error| with_tip(error).exit())
}

fn parsed<A: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = A>,
) -> Result<CommandLine, Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    CommandLine::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The error with what to write instead, if that is known; a guess that is far from what is written is dropped.
fn with_tip(mut error: Error) -> Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (written, known, guess, kind) = match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(written) = text(ContextKind::InvalidArg) else {
                return error;
            };
            (
                written,
                HABITS,
                text(ContextKind::SuggestedArg),
                ContextKind::SuggestedArg,
            )
        }
        ErrorKind::InvalidSubcommand => {
            let Some(written) = text(ContextKind::InvalidSubcommand) else {
                return error;
            };
            (written, &[][..], None, ContextKind::SuggestedSubcommand)
        }
        ErrorKind::InvalidValue => return with_tip_of_value(error),
        _ => return error,
    };
    let name = written.split('=').next().unwrap_or_default();
    let habit = known
        .iter()
        .find(|(names, _)| names.contains(&name))
        .map(|(_, tip)| (*tip).to_owned());
    let tip = habit.or_else(|| of_subcommand(kind, &written));
    let is_near = guess.as_ref().is_some_and(|guess| {
        nearest(
            name.trim_start_matches('-'),
            [guess.trim_start_matches('-')],
        )
        .is_some()
    });
    if tip.is_some() || (kind == ContextKind::SuggestedArg && !is_near) {
        // The usage is that of the guess.
        error.remove(kind);
        error.remove(ContextKind::Usage);
    }
    // What clap offers in addition is how to pass the text on as a value.
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// The error of an option without a value, which other tools have without one.
fn with_tip_of_value(mut error: Error) -> Error {
    let is_user = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(option)) if option.starts_with("--user ")
    );
    let is_missing = matches!(
        error.get(ContextKind::InvalidValue),
        Some(ContextValue::String(value)) if value.is_empty()
    );
    if is_user && is_missing {
        let tip = "`-u USER` says who asks; update snapshots with `--update-snapshots`";
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// The replacement for an unknown command: a file or a test needs `run`.
fn of_subcommand(kind: ContextKind, written: &str) -> Option<String> {
    if kind != ContextKind::SuggestedSubcommand {
        return None;
    }
    let is_test =
        written.contains("::") || Path::new(written).extension().is_some() || written.contains('/');
    if is_test {
        return Some(format!("run it with `ananke run {written}`"));
    }
    if let Some((_, command)) = COMMANDS.iter().find(|(names, _)| names.contains(&written)) {
        return Some(format!("use `ananke {command}`"));
    }
    let names = command_names();
    Some(match nearest(written, names.iter().copied()) {
        Some(name) => format!("did you mean `ananke {name}`?"),
        None => format!("the commands are {}", names.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::arguments::COMMON;
    use super::*;

    fn shown(arguments: &[&str]) -> String {
        let arguments = ["ananke"].iter().chain(arguments);
        with_tip(parsed(arguments).expect_err("it is invalid")).to_string()
    }

    #[test]
    fn every_habit_has_a_tip_and_is_not_an_option() {
        for (names, tip) in HABITS {
            for name in *names {
                let shown = shown(&["run", name]);
                assert!(
                    shown.contains(tip) && shown.matches("tip:").count() == 1,
                    "{name}: {shown}"
                );
            }
        }
        assert!(shown(&["run", "--reporters=dot"]).contains("write reports with `-o FILE.xml`"));
        assert!(shown(&["list", "--grep", "x"]).contains("`--filter WORD`"));
    }

    #[test]
    fn only_near_names_are_guessed() {
        assert!(shown(&["run", "--fail-fst"]).contains("'--fail-fast'"));
        assert!(shown(&["run", "--replays", "x"]).contains("'--replay'"));
        for far in ["--grip", "--zzz", "--headed"] {
            let shown = shown(&["run", far]);
            assert!(!shown.contains("tip:") && shown.contains(far), "{shown}");
        }
    }

    #[test]
    fn commands_are_guessed_too() {
        assert!(shown(&["lst"]).contains("did you mean `ananke list`?"));
        assert!(shown(&["specs/a.test.yaml"]).contains("`ananke run specs/a.test.yaml`"));
        assert!(shown(&["lint"]).contains("use `ananke check`"));
        assert!(shown(&["replay", "recordings"]).contains("use `ananke run --replay DIR`"));
        assert!(shown(&["frobnicate"]).contains("the commands are run, watch, show, check,"));
    }

    #[test]
    fn every_command_of_another_tool_has_a_tip_and_is_not_a_command() {
        for (names, command) in COMMANDS {
            let written = ["ananke"].into_iter().chain(command.split(' '));
            let error = parsed(written).err();
            let unknown = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument];
            assert!(
                error.is_none_or(|error| !unknown.contains(&error.kind())),
                "`ananke {command}` does not exist"
            );
            for name in *names {
                let shown = shown(&[name]);
                assert!(
                    shown.contains(&format!("use `ananke {command}`")),
                    "{name}: {shown}"
                );
            }
        }
    }

    #[test]
    fn an_option_without_its_value_may_be_that_of_another_tool() {
        assert!(shown(&["run", "-u"]).contains("--update-snapshots"));
        assert!(!shown(&["run", "-t"]).contains("--update-snapshots"));
    }

    #[test]
    fn habits_that_are_options() {
        for arguments in [
            &["run", "-k", "pay", "-x", "-j", "4", "-q"][..],
            &["run", "--bail", "--workers", "4", "--lf"],
            &["run", "--exitfirst", "--jobs", "2"],
            &["list", "-k", "pay"],
        ] {
            let arguments = ["ananke"].iter().chain(arguments);
            assert!(parsed(arguments).is_ok());
        }
    }

    #[test]
    fn every_command_is_in_one_group_of_the_help() {
        let help = command().render_help().to_string();
        for sub in command().get_subcommands() {
            let line = format!("\n  {:<12} ", sub.get_name());
            assert_eq!(help.matches(&line).count(), 1, "{}", sub.get_name());
        }
    }

    #[test]
    fn the_short_help_shows_what_is_common_and_the_long_help_all() {
        let run = command().find_subcommand("run").expect("a command").clone();
        let words = |help: clap::builder::StyledStr| -> HashSet<String> {
            let help = help.to_string();
            let words = help.split(|sign: char| sign.is_whitespace() || "[,".contains(sign));
            words.map(str::to_owned).collect()
        };
        let short = words(run.clone().render_help());
        let long = words(run.clone().render_long_help());
        for argument in run
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
        {
            let Some(flag) = argument.get_long().map(|flag| format!("--{flag}")) else {
                continue;
            };
            let is_common = COMMON.contains(&argument.get_id().as_str());
            assert_eq!(short.contains(&flag), is_common, "{flag}");
            assert!(long.contains(&flag), "{flag}");
        }
        let known = |id: &&str| run.get_arguments().any(|argument| argument.get_id() == *id);
        assert!(
            COMMON.iter().all(known),
            "every name is that of an argument"
        );
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
