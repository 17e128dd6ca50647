//! `ananke verify`: the rules of tests over what something else recorded.

use std::path::PathBuf;
use std::sync::Arc;

use ananke::context::Context;
use ananke::plan::Selection;
use ananke::project::Variables;
use ananke::run::Options;
use ananke::settings::GivenSettings;
use ananke::verify::{
    TRACE_FORMATS, TraceFormat, VerifyError, VerifyPlan, VerifyRequest, trace_format, verify_plan,
};
use clap::Args;

use super::carry_out::PlannedRun;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, print_problems, say};
use crate::cli::options::{ReportOptions, RunOptions, variable};
use crate::cli::output::named_path;
use crate::cli::reporting::{FailedWalks, baseline, custom_reporter, run_facts};

/// The text after the options in the help of `ananke verify`.
const AFTER_HELP: &str = "\
Examples:
  ananke verify traces/*.json --from otel                     The rules of the target, over traces of OpenTelemetry
  ananke verify log.jsonl --from openai --rules rules.yaml    The rules of a file, over lists of messages
  ananke verify recordings/*/*.jsonl --from recording         Each recording with its own test

Exit codes:
  0    Every rule passed in every conversation
  1    A rule failed, or a file has a problem
  2    Invalid command line
  4    No rule failed, but a trace does not show what some rules are about
  130  Interrupted";

#[derive(Clone, Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct VerifyOptions {
    /// The files of traces
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// What wrote them: `otel` (JSON of OTLP), `openai` (lists of messages), `recording` (of `ananke run --record`)
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub(crate) from: String,
    /// A test file, or a file with `assert` alone, whose rules apply (default: the rules of the target; for recordings those
    /// of their tests)
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The target whose rules apply, by its name or `agentId`
    #[arg(short = 'n', long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Set a variable that rules use (repeatable)
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// Number of conversations to verify in parallel (default: 1)
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
    /// Stop after the first conversation that does not pass
    #[arg(short = 'x', long)]
    pub(crate) fail_fast: bool,
    /// Do not ask judges: their rules are not evaluated, and a warning says so
    #[arg(long)]
    pub(crate) no_judge: bool,
    #[command(flatten)]
    pub(crate) reports: ReportOptions,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

/// The names of the formats.
pub(crate) fn format_names() -> Vec<&'static str> {
    TRACE_FORMATS.iter().map(|format| format.name()).collect()
}

impl CommandOptions for VerifyOptions {
    /// Verifies the traces and reports what the rules found.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let Some(format) = trace_format(&self.from) else {
            return Err(Failed::Ended(Exit::Usage));
        };
        let planned = verify_plan(context, &request(self, format, context));
        let VerifyPlan {
            plan,
            context,
            redactor,
            conversations,
            problems,
            notes,
        } = planned.map_err(|error| match error {
            VerifyError::Traces(errors) => {
                for error in errors {
                    Failed::from(error).report(self.color, context);
                }
                Failed::REPORTED
            }
            VerifyError::Rules(problems, redactor) => Failed::Problems(problems, redactor),
        })?;
        print_problems(&problems, self.color, &context, &redactor);
        for note in &notes {
            say(&format!("note: {note}"));
        }
        let mut run_options = RunOptions::defaults();
        run_options.reports = self.reports.clone();
        run_options.selection.color = self.color;
        let reporter = custom_reporter(&mut run_options.reports, &plan, &redactor)?;
        let baseline = baseline(&self.reports, &context, &redactor)?;
        let run = PlannedRun {
            options: &run_options,
            run_options: Options {
                exchanges: self.reports.debug,
                ..Options::from(plan.settings)
            },
            recordings: None,
            baseline,
            measured: None,
            reporter,
            context: &context,
            redactor: &redactor,
            walks: FailedWalks::default(),
            observed: Some(Arc::clone(&conversations)),
            facts: run_facts(std::env::args_os(), &plan, &context),
            coverage: run_options.coverage(),
        };
        run.carry_out(plan)
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

fn request(
    options: &VerifyOptions,
    format: &'static dyn TraceFormat,
    context: &Context,
) -> VerifyRequest {
    let VerifyOptions {
        files,
        rules,
        config,
        target,
        variables,
        parallel,
        fail_fast,
        no_judge,
        ..
    } = options;
    let settings = GivenSettings {
        parallel: *parallel,
        fail_fast: fail_fast.then_some(true),
        no_judge: Some(*no_judge),
        ..options.reports.form.given
    };
    let selection = Selection {
        config: config.clone(),
        target: target.clone().into(),
        variables: Variables {
            given: variables.iter().cloned().collect(),
            ..Variables::default()
        },
        settings,
        ..Selection::default()
    };
    let files: Vec<_> = files.iter().map(|file| named_path(file, context)).collect();
    for (path, _) in &files {
        context.files.note(path);
    }
    VerifyRequest {
        format,
        files,
        rules: rules.clone(),
        selection,
    }
}
