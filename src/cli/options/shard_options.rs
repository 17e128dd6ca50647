//! The options that select one shard of the tests.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::shard_environment::shard_of_environment;
use crate::cli::frame::Failed;
use ananke::{context::Context, outcome::ShardBy, plan::ShardNumber};

/// The name of the option.
const SHARD: &str = "--shard";

/// The value of an option that has none.
const NO_VALUE: &str = "environment";

/// Which part of the selected tests.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ShardOptions {
    /// Only part K of N of the selected tests, as in `--shard 2/5`; without a value, K and N are taken from the environment
    #[arg(long, value_name = "K/N", num_args = 0..=1, require_equals = true, default_missing_value = NO_VALUE, value_parser = written)]
    pub(crate) shard: Option<WrittenShard>,
    /// How to split the selected tests (default: count)
    #[arg(long, value_enum, value_name = "WHAT", requires = "shard")]
    pub(crate) shard_by: Option<SplitBy>,
}

/// A shard as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenShard {
    Number(ShardNumber),
    /// It is not: the environment names it.
    OfEnvironment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitBy {
    /// By the ids of the tests alone: a test stays in its shard when others are added
    Count,
    /// By the time that the tests took before, as `.ananke/history.jsonl` has it
    Time,
}

impl ShardOptions {
    /// The shard that is selected, if one is.
    ///
    /// # Errors
    /// If the environment is to name it, and does not.
    pub(crate) fn number(&self, context: &Context) -> Result<Option<ShardNumber>, Failed> {
        match self.shard {
            None => Ok(None),
            Some(WrittenShard::Number(number)) => Ok(Some(number)),
            Some(WrittenShard::OfEnvironment) => shard_of_environment(context)
                .map(Some)
                .map_err(Failed::usage),
        }
    }

    /// How the tests are split.
    pub(crate) fn by(&self) -> ShardBy {
        match self.shard_by {
            None | Some(SplitBy::Count) => ShardBy::Count,
            Some(SplitBy::Time) => ShardBy::Time,
        }
    }
}

/// `K/N`, or nothing.
fn written(text: &str) -> Result<WrittenShard, String> {
    if text == NO_VALUE {
        return Ok(WrittenShard::OfEnvironment);
    }
    let expected = "expected `K/N`, as in `2/5` for the second of five shards";
    let (index, total) = text.split_once('/').ok_or(expected)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_not_a_number| expected);
    let (index, total) = (number(index)?, number(total)?);
    if let Some(number) = ShardNumber::new(index, total) {
        return Ok(WrittenShard::Number(number));
    }
    Err(match total {
        0 => "expected at least one shard, as in `1/1`".to_owned(),
        total if total > ShardNumber::MOST => {
            format!("expected at most {} shards", ShardNumber::MOST)
        }
        total => format!("expected a shard from `1/{total}` to `{total}/{total}`"),
    })
}

/// The arguments of a command line, in which `--shard` and a value that follows it are one argument: clap would take any
/// path for its value.
pub(crate) fn with_joined_shard(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter().peekable();
    while let Some(mut argument) = arguments.next() {
        if argument == "--" {
            joined.push(argument);
            break;
        }
        let value = arguments.next_if(|next| argument == SHARD && is_shard(next));
        if let Some(value) = value {
            argument.push("=");
            argument.push(value);
        }
        joined.push(argument);
    }
    joined.extend(arguments);
    joined
}

/// Whether an argument after `--shard` is its value: it has only digits and `/`, right or wrong.
fn is_shard(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    let is_part = |character: char| character.is_ascii_digit() || character == '/';
    text.starts_with(|first: char| first.is_ascii_digit()) && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_joined_with_its_option_and_a_path_is_not() {
        for (arguments, expected) in [
            ("run --shard 2/5 specs/", "run --shard=2/5 specs/"),
            ("run --shard specs/", "run --shard specs/"),
            ("run --shard a/b", "run --shard a/b"),
            ("run --shard ./2/5", "run --shard ./2/5"),
            ("run --shard 3", "run --shard=3"),
            ("run --shard 0/5/7 -v", "run --shard=0/5/7 -v"),
            ("run --shard -v 2/5", "run --shard -v 2/5"),
            ("run specs --shard", "run specs --shard"),
            ("run --shard=2/5 3/5", "run --shard=2/5 3/5"),
            ("init -- node --shard 2/5", "init -- node --shard 2/5"),
        ] {
            let arguments = arguments.split(' ').map(OsString::from).collect();
            let joined: Vec<_> = with_joined_shard(arguments)
                .iter()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect();
            assert_eq!(joined.join(" "), expected);
        }
    }

    #[test]
    fn a_shard_that_does_not_exist_is_refused_with_what_is_expected() {
        let expected = "expected `K/N`, as in `2/5` for the second of five shards";
        for (text, error) in [
            ("3", expected),
            ("a/b", expected),
            ("", expected),
            ("1/2/3", expected),
            ("-1/3", expected),
            ("1/99999999999", expected),
            ("0/5", "expected a shard from `1/5` to `5/5`"),
            ("6/5", "expected a shard from `1/5` to `5/5`"),
            ("2/0", "expected at least one shard, as in `1/1`"),
            ("1/10001", "expected at most 10000 shards"),
        ] {
            assert_eq!(written(text), Err(error.to_owned()), "{text}");
        }
        let second = ShardNumber::new(2, 5).map(WrittenShard::Number);
        assert_eq!(written("2/5").ok(), second);
    }
}
