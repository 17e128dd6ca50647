//! What reports say that a run was made with.

use std::ffi::OsString;

use ananke::context::Context;
use ananke::outcome::RunFacts;
use ananke::plan::Plan;
use ananke::process::host_name;
use ananke::report::ci::BuildJob;

/// What is known of the run of `plan`, which `arguments` asked for.
pub(super) fn run_facts(
    arguments: impl Iterator<Item = OsString>,
    plan: &Plan,
    context: &Context,
) -> RunFacts {
    let target = plan.config.default_target();
    let BuildJob {
        commit,
        branch,
        url,
        ..
    } = BuildJob::of(context);
    RunFacts {
        command: without_values(arguments),
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
        host: host_name(),
        commit,
        branch,
        job_url: url,
        parallel: 0,
    }
}

/// The command line without the path of the program, and without the values of variables: which of them are secret is only
/// known when tests run.
fn without_values(arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut is_variable = false;
    let shown = |argument: OsString| {
        let argument = argument.to_string_lossy().into_owned();
        let own = argument.strip_prefix("--var=");
        let variable = if is_variable {
            Some(argument.as_str())
        } else {
            own
        };
        let name = variable.map(|text| {
            text.split_once('=')
                .map_or(text, |(name, _)| name)
                .to_owned()
        });
        let option = if is_variable { "" } else { "--var=" };
        is_variable = !is_variable && argument == "--var";
        name.map_or(argument, |name| format!("{option}{name}=***"))
    };
    ["ananke".to_owned()]
        .into_iter()
        .chain(arguments.skip(1).map(shown))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_are_left_out() {
        let shown =
            |arguments: &[&str]| without_values(arguments.iter().map(OsString::from)).join(" ");
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
    }
}
