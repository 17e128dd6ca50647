//! The options of `ananke run`, and what they come to.

use std::path::{Display, Path, PathBuf};

use clap::{Args, Command, FromArgMatches as _};

use super::setting_options::{AttemptOptions, ExecutionOptions, RepeatOptions, RetryOptions};
use super::{
    AgentAnswers, RecordingOptions, ReportOptions, SelectionOptions, ShardOptions, Strictness,
};
use super::{input_options::InputOptions, people_options::PeopleOptions, snapshots::Update};
use ananke::model::ReportFormat;
use ananke::plan::{Filter, KEPT_TEXT, RunPurpose, Selection};
use ananke::project::AgentChoice;
use ananke::recording::{RecordingMode, Recordings};
use ananke::settings::GivenSettings;
use ananke::{compare::Coverage, context::Context};

/// The text after the options in the help of `ananke run`.
const AFTER_HELP: &str = "\
Examples:
  ananke run                              Run every test of the project
  ananke run specs/pay.test.yaml -v       One file, with transcripts
  ananke run --tag smoke --parallel 8     All tests with a tag, in parallel
  ananke run -o junit.xml -o report.html  Write reports
  ananke run -i \"What is open?\"           Send a message, and print the answer
  ananke run --record recordings          Record the agent's responses …
  ananke run --replay recordings          … and run without the agent
  ananke run --shard 2/5 -o part.json     The second of five parts of the tests
  ananke run --again                      Evaluate changed rules on the kept answers

Exit codes:
  0    Every test passed
  1    A test failed, or a file or the run has a problem
  2    Invalid command line
  3    No test failed, but a test is undecided after all runs it may have
  4    No test failed, but kept answers do not show some (`--again`)
  130  Interrupted

Environment variables:
  NO_COLOR        No colours, unless `--color always` is given
  FORCE_COLOR, CLICOLOR_FORCE
                  Colours also if the output is not a terminal
  CI              If set, snapshots are not written
  GITHUB_ACTIONS  If `true`, annotations and a job summary are written
  CI_NODE_INDEX, CI_NODE_TOTAL
                  Part and number of parts for `--shard` without a value, from 1
  JOB_COMPLETION_INDEX, ANANKE_SHARDS
                  The same, from 0
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                  Proxies for agents that are not on this machine";

#[derive(Clone, Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct RunOptions {
    #[command(flatten, next_help_heading = "Selection")]
    pub(crate) selection: SelectionOptions,
    #[command(flatten, next_help_heading = "Selection")]
    pub(crate) shard: ShardOptions,
    #[command(flatten, next_help_heading = "Messages and cases")]
    pub(crate) input: InputOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) execution: ExecutionOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) attempt: AttemptOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) people: PeopleOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) retries: RetryOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) repeats: RepeatOptions,
    #[command(flatten, next_help_heading = "Reports")]
    pub(crate) reports: ReportOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) strictness: Strictness,
    #[command(flatten, next_help_heading = "Record and replay")]
    pub(crate) recordings: RecordingOptions,
    /// Only run selected tests that did not pass last time
    #[arg(long, alias = "lf", help_heading = "Selection")]
    pub(crate) last_failed: bool,
    /// Evaluate today's rules on the kept answers of the last runs; nothing is sent
    #[arg(long, help_heading = "Record and replay", conflicts_with_all = ["record", "replay", "input"])]
    pub(crate) again: bool,
    /// Update snapshots: write missing and changed ones, delete unused ones; `changed` or `missing` write only those.
    /// Without this option missing ones are written, and none if `CI` is set
    #[arg(long, help_heading = "Snapshots", value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) update_snapshots: Option<Update>,
    /// Skip hooks; pass their values with `--var`
    #[arg(long, help_heading = "Execution")]
    pub(crate) no_hooks: bool,
    /// Only the tests of this file; how `ananke watch` selects what a change touches
    #[arg(long = "only-file", hide = true, value_name = "FILE")]
    pub(crate) only_files: Vec<PathBuf>,
    /// Only the selected tests that did not pass last time; how `ananke watch` selects them
    #[arg(long = "failed-tests", hide = true)]
    pub(crate) failed_tests: bool,
    /// Only tests matching this expression, whatever `--filter` says; how `ananke watch` selects what a person chose
    #[arg(long = "only-filter", hide = true, value_name = "EXPRESSION", value_parser = Filter::parse)]
    pub(crate) only_filter: Option<Filter>,
    /// List the ids of the tests that would run, one per line, without running them
    #[arg(long, help_heading = "Selection", conflicts_with_all = ["json", "record"])]
    pub(crate) dry_run: bool,
}

impl RunOptions {
    /// The options of a command line without any.
    pub(crate) fn defaults() -> Self {
        let command = RunOptions::augment_args(Command::new("run"));
        let matches = command.get_matches_from(["run"]);
        Self::from_arg_matches(&matches).expect("every option has a default")
    }

    /// The selection that is planned.
    pub(crate) fn selection(&self, recordings: Option<&Recordings>) -> Selection {
        let mut selection = Selection {
            kept_text: if self.dry_run { 0 } else { KEPT_TEXT },
            sends: !self.dry_run
                && !self.again
                && recordings.is_none_or(|kept| kept.mode != RecordingMode::Replay),
            settings: self.settings(),
            only_files: self.only_files.clone(),
            request_context: self.input.request_context(),
            purpose: self.purpose(),
            ..self.selection.selection()
        };
        if self.input.input.is_some() && selection.target == AgentChoice::OfConfig {
            selection.target = AgentChoice::OfAssistant;
        }
        selection.variables.without_hooks = self.no_hooks;
        if let Some(filter) = &self.only_filter {
            selection.filter = Some(filter.clone());
        }
        selection
    }

    /// The path that was meant as the file of a report, after `--json`.
    pub(crate) fn file_of_json(&self, context: &Context) -> Option<Display<'_>> {
        let is_report = |path: &Path| match ReportFormat::of(path) {
            Some(ReportFormat::Json) => true,
            Some(_) => context
                .files
                .look(&context.working_directory.join(path))
                .is_err(),
            None => false,
        };
        let path = self.selection.paths.iter().find(|path| is_report(path));
        path.filter(|_| self.reports.json)
            .map(|path| path.display())
    }

    /// Whether all tests of the project are selected.
    pub(crate) fn coverage(&self) -> Coverage {
        let SelectionOptions {
            paths,
            filter,
            tags,
            ids,
            ..
        } = &self.selection;
        let is_whole = paths.is_empty()
            && filter.is_none()
            && tags.is_empty()
            && ids.is_empty()
            && self.only_files.is_empty()
            && self.only_filter.is_none()
            && !self.is_of_failed();
        if is_whole {
            Coverage::AllTests
        } else {
            Coverage::SelectedTests
        }
    }

    /// Whether only tests run that did not pass last time.
    pub(crate) fn is_of_failed(&self) -> bool {
        self.last_failed || self.failed_tests
    }

    /// The purpose of the run.
    fn purpose(&self) -> RunPurpose {
        match self.reports.answers {
            AgentAnswers::InReport | AgentAnswers::Omitted => RunPurpose::Verdicts,
            AgentAnswers::Printed => RunPurpose::Answers,
        }
    }

    /// The settings of the run, as the command line gives them.
    fn settings(&self) -> GivenSettings {
        let settings = self.execution.given;
        settings
            .or(self.attempt.given)
            .or(self.retries.given)
            .or(self.repeats.given)
            .or(self.reports.form.given)
            .or(self.strictness.given)
    }
}
