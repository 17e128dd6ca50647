//! The shard that the environment of a job names: which of several machines this is.

use ananke::context::Context;
use ananke::plan::ShardNumber;

/// The way to name a shard without the environment.
const WRITE_IT: &str = "write `--shard K/N`, as in `--shard 2/5`";

/// Two variables that name a shard together.
#[derive(Clone, Copy, Debug)]
struct ShardVariables {
    index: &'static str,
    /// The index of the first shard.
    first: u32,
    total: &'static str,
}

/// GitLab sets the first two, and a Kubernetes Indexed Job sets `JOB_COMPLETION_INDEX`.
const VARIABLES: [ShardVariables; 2] = [
    ShardVariables {
        index: "CI_NODE_INDEX",
        first: 1,
        total: "CI_NODE_TOTAL",
    },
    ShardVariables {
        index: "JOB_COMPLETION_INDEX",
        first: 0,
        total: "ANANKE_SHARDS",
    },
];

/// What two variables say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FoundShard {
    /// Counted from 1.
    index: Option<u32>,
    total: Option<u32>,
}

/// The shard that the environment names.
///
/// # Errors
/// If it names none, one that does not exist, or two that differ; the text says so.
pub(crate) fn shard_of_environment(context: &Context) -> Result<ShardNumber, String> {
    let mut found = Vec::new();
    for variables in VARIABLES {
        found.push((variables, variables.found(context)?));
    }
    let mut complete = found.iter().filter_map(|(variables, found)| {
        let number = ShardNumber::new(found.index?, found.total?)?;
        Some((*variables, *found, number))
    });
    let Some((variables, shard, number)) = complete.next() else {
        return Err(incomplete(&found, context));
    };
    for (others, other) in &found {
        let differs = |own: Option<u32>, other: Option<u32>| other.is_some() && own != other;
        if differs(shard.index, other.index) || differs(shard.total, other.total) {
            return Err(format!(
                "{}, but {}\nhelp: unset what is not meant, or {WRITE_IT}",
                variables.written(context),
                others.written(context)
            ));
        }
    }
    Ok(number)
}

/// The error of an environment in which no two variables name a shard.
fn incomplete(found: &[(ShardVariables, FoundShard)], context: &Context) -> String {
    let half = found.iter().find_map(|(variables, found)| {
        let ShardVariables { index, total, .. } = variables;
        match (found.index, found.total) {
            (None, None) => None,
            (Some(_), _) => Some((index, total)),
            (None, Some(_)) => Some((total, index)),
        }
    });
    if let Some((set, missing)) = half {
        let value = context.variable(set).unwrap_or_default();
        return format!(
            "`--shard` without a value needs `{set}` and `{missing}`: `{set}` is `{value}`, and `{missing}` is not set\n\
             help: set `{missing}`, or {WRITE_IT}"
        );
    }
    let pairs = VARIABLES.map(
        |ShardVariables {
             index,
             first,
             total,
         }| format!("`{index}` (from {first}) and `{total}`"),
    );
    format!(
        "`--shard` has no value, and the environment names no shard\n\
         help: {WRITE_IT}, or set {}",
        pairs.join(", or ")
    )
}

impl ShardVariables {
    /// What they say. One shard needs no index.
    fn found(self, context: &Context) -> Result<FoundShard, String> {
        let most = ShardNumber::MOST;
        let total = number(context, self.total, 1, most)?;
        let last = total.unwrap_or(most) - 1 + self.first;
        let index = number(context, self.index, self.first, last).map_err(|error| match total {
            Some(count) => {
                let also = format!(", since `{}` is `{count}`", self.total);
                error.replacen('\n', &format!("{also}\n"), 1)
            }
            None => error,
        })?;
        let index = index.map(|index| index - self.first + 1);
        Ok(FoundShard {
            index: index.or(total.filter(|count| *count == 1)),
            total,
        })
    }

    /// What they say, in words.
    fn written(self, context: &Context) -> String {
        let shown = [self.index, self.total].map(|name| {
            let value = context.variable(name).filter(|text| !text.is_empty());
            value.map(|value| format!("`{name}` is `{value}`"))
        });
        shown
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

/// The number of a variable; `None` if it is not set, or empty.
fn number(context: &Context, name: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
    let Some(text) = context.variable(name).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
        _ => Err(format!(
            "`{name}` is `{text}`: expected a whole number from {least} to {most}\n\
             help: correct it, or {WRITE_IT}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ananke::context::Environment;

    fn found(variables: &[(&str, &str)]) -> Result<(u32, u32), String> {
        let mut environment = Environment::default();
        for (name, value) in variables {
            environment.set(*name, *value);
        }
        let context = Context {
            environment: Arc::new(environment),
            ..Context::isolated("/")
        };
        let number = shard_of_environment(&context)?;
        let all = (1..=9).flat_map(|total| (1..=total).map(move |index| (index, total)));
        let same = |(index, total): &(u32, u32)| ShardNumber::new(*index, *total) == Some(number);
        Ok(all.into_iter().find(same).expect("a small shard"))
    }

    #[test]
    fn both_pairs_name_a_shard_and_may_agree() {
        for (variables, expected) in [
            (
                &[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")][..],
                (2, 5),
            ),
            (
                &[("JOB_COMPLETION_INDEX", "0"), ("ANANKE_SHARDS", "3")],
                (1, 3),
            ),
            (
                &[("JOB_COMPLETION_INDEX", "2"), ("ANANKE_SHARDS", "3")],
                (3, 3),
            ),
            (&[("CI_NODE_TOTAL", "1")], (1, 1)),
            (
                &[
                    ("CI_NODE_INDEX", "2"),
                    ("CI_NODE_TOTAL", "5"),
                    ("JOB_COMPLETION_INDEX", "1"),
                    ("ANANKE_SHARDS", ""),
                ],
                (2, 5),
            ),
        ] {
            assert_eq!(found(variables), Ok(expected), "{variables:?}");
        }
    }

    #[test]
    fn what_names_no_shard_is_an_error_that_says_what_was_found() {
        for (variables, expected) in [
            (
                &[][..],
                "`--shard` has no value, and the environment names no shard",
            ),
            (
                &[("CI_NODE_INDEX", "2")],
                "`--shard` without a value needs `CI_NODE_INDEX` and `CI_NODE_TOTAL`: `CI_NODE_INDEX` is `2`, and `CI_NODE_TOTAL` is not set",
            ),
            (
                &[("ANANKE_SHARDS", "4")],
                "`--shard` without a value needs `ANANKE_SHARDS` and `JOB_COMPLETION_INDEX`: `ANANKE_SHARDS` is `4`, and `JOB_COMPLETION_INDEX` is not set",
            ),
            (
                &[("CI_NODE_INDEX", "two"), ("CI_NODE_TOTAL", "5")],
                "`CI_NODE_INDEX` is `two`: expected a whole number from 1 to 5, since `CI_NODE_TOTAL` is `5`",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "5"), ("ANANKE_SHARDS", "5")],
                "`JOB_COMPLETION_INDEX` is `5`: expected a whole number from 0 to 4, since `ANANKE_SHARDS` is `5`",
            ),
            (
                &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "0")],
                "`CI_NODE_TOTAL` is `0`: expected a whole number from 1 to 10000",
            ),
            (
                &[
                    ("CI_NODE_INDEX", "2"),
                    ("CI_NODE_TOTAL", "5"),
                    ("JOB_COMPLETION_INDEX", "1"),
                    ("ANANKE_SHARDS", "3"),
                ],
                "`CI_NODE_INDEX` is `2` and `CI_NODE_TOTAL` is `5`, but `JOB_COMPLETION_INDEX` is `1` and `ANANKE_SHARDS` is `3`",
            ),
            (
                &[
                    ("CI_NODE_INDEX", "2"),
                    ("CI_NODE_TOTAL", "5"),
                    ("JOB_COMPLETION_INDEX", "4"),
                ],
                "`CI_NODE_INDEX` is `2` and `CI_NODE_TOTAL` is `5`, but `JOB_COMPLETION_INDEX` is `4`",
            ),
        ] {
            let error = found(variables).expect_err("no shard");
            let (message, help) = error.split_once("\nhelp: ").expect("what to do");
            assert_eq!(message, expected);
            assert!(help.contains(WRITE_IT), "{help}");
        }
    }
}
