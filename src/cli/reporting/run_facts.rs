//! The facts of a run in reports.

use std::ffi::OsString;

use ananke::context::Context;
use ananke::outcome::RunFacts;
use ananke::plan::Plan;
use ananke::process::host_name;
use ananke::report::ci::BuildJob;

use crate::cli::options::with_joined_shard;

/// The facts of the run of `plan`, which `arguments` asked for.
pub(crate) fn run_facts(
    arguments: impl Iterator<Item = OsString>,
    plan: &Plan,
    context: &Context,
) -> RunFacts {
    let target = plan.config.default_target();
    RunFacts {
        // The config of rules without a project is in memory.
        config: plan
            .config
            .source
            .path
            .is_file()
            .then(|| plan.config.source.name.to_string()),
        target: target.map(|target| target.name.clone()),
        target_description: target
            .and_then(|target| plan.config.description(target, context, &plan.variables)),
        model: target.and_then(|target| plan.config.model_of(target, context, &plan.variables)),
        ..command_facts(arguments, context)
    }
}

/// The facts of a command without a project, which `arguments` asked for.
pub(crate) fn command_facts(
    arguments: impl Iterator<Item = OsString>,
    context: &Context,
) -> RunFacts {
    let BuildJob {
        commit,
        branch,
        url,
        blob_url,
        ..
    } = BuildJob::of(context);
    RunFacts {
        command: without_values(with_joined_shard(arguments.collect())),
        host: host_name(),
        commit,
        branch,
        job_url: url,
        blob_url,
        ..RunFacts::default()
    }
}

/// The command line without the path of the program, and without the values of variables and headers: which of them are
/// secret is only known when they are used.
fn without_values(arguments: Vec<OsString>) -> Vec<String> {
    /// The options whose argument is a name and a value, each with what is between the two.
    const NAMED_VALUES: [(&str, &str); 3] = [("--var", "="), ("--header", ":"), ("-H", ":")];
    // Behind `--` is a command of another program, which may have secrets anywhere.
    let is_init = arguments.get(1).is_some_and(|word| word == "init");
    let end = arguments.iter().position(|word| word == "--");
    let own = match end {
        Some(end) if is_init => end + 1,
        _ => arguments.len(),
    };
    let has_program = own < arguments.len();
    let mut separator = None;
    let masked = |text: &str, separator: &str| {
        let name = text.split_once(separator).map_or(text, |(name, _)| name);
        format!("{name}{separator}***")
    };
    let shown = |argument: OsString| {
        let argument = argument.to_string_lossy().into_owned();
        if let Some(separator) = separator.take() {
            return masked(&argument, separator);
        }
        for (option, between) in NAMED_VALUES {
            let Some(value) = argument.strip_prefix(option) else {
                continue;
            };
            if value.is_empty() {
                separator = Some(between);
            } else if value.starts_with('=') || option == "-H" {
                let (equals, value) = value.split_at(usize::from(value.starts_with('=')));
                return format!("{option}{equals}{}", masked(value, between));
            }
        }
        without_credentials(argument)
    };
    let mut words = vec!["ananke".to_owned()];
    words.extend(arguments.into_iter().take(own).skip(1).map(shown));
    if has_program {
        words.push("…".to_owned());
    }
    words
}

/// A URL without its user, its password and its query, any of which may be a key; every other text as it is.
fn without_credentials(argument: String) -> String {
    let Some((scheme, rest)) = argument.split_once("://") else {
        return argument;
    };
    let (address, query) = match rest.split_once('?') {
        Some((address, _)) => (address, "?***"),
        None => (rest, ""),
    };
    let (authority, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let (user, host) = match authority.rsplit_once('@') {
        Some((_, host)) => ("***@", host),
        None => ("", authority),
    };
    format!("{scheme}://{user}{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_and_headers_are_masked() {
        let shown = |arguments: &[&str]| {
            without_values(arguments.iter().map(OsString::from).collect()).join(" ")
        };
        assert_eq!(
            shown(&[
                "/bin/ananke",
                "run",
                "--var",
                "A=b=c",
                "-v",
                "--var=B=d",
                "x=1"
            ]),
            "ananke run --var A=*** -v --var=B=*** x=1"
        );
        assert_eq!(
            shown(&[
                "/bin/ananke",
                "audit",
                "-H",
                "Authorization: Bearer abc",
                "-HX-Key: def",
                "--header=A: b",
                "--header",
                "broken",
                "http://me:abc@localhost:1/a@b?key=def"
            ]),
            "ananke audit -H Authorization:*** -HX-Key:*** --header=A:*** --header broken:*** http://***@localhost:1/a@b?***"
        );
    }
}
