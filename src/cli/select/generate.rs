//! Test cases that an agent or a script of the project makes.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ananke::LabError;
use ananke::agents::Transport;
use ananke::agents::http::HttpTransport;
use ananke::assertion::ScriptSource;
use ananke::cases::{AllowedReach, CaseMaker, unallowed};
use ananke::context::{Context, display_name, write_file};
use ananke::diagnostic::{Diagnostic, Severity};
use ananke::helper::{Generator, GeneratorKind, HelperRole, cases_of, read_generated_cases};
use ananke::message::DeclaredTool;
use ananke::outcome::{Halt, Problem, TokenTotals};
use ananke::plan::{Plan, Planned, PreparedHelper, RunPurpose, Selection, TargetDescription, plan};
use ananke::redact::Redactor;
use ananke::report::file::not_written;
use ananke::run::{RunHelpers, Stopper};
use serde_json::Value;

use super::test_input::GivenTests;
use crate::cli::contact::Services;
use crate::cli::frame::{Colour, Failed, interruptible, print_problems};
use crate::cli::options::ReportOptions;
use crate::cli::output::{Outputs, Screen, named_path};

/// The name of cases that are in no file.
pub(crate) const FILE: &str = "generated.jsonl";

/// The placeholder that is planned while no case is known.
const PLACEHOLDER: &[u8] = br#"{"id": "generated", "input": "generated"}"#;

/// The cases that a generator made.
pub(crate) struct GeneratedCases {
    /// JSON Lines, one case each.
    pub(crate) lines: Vec<u8>,
    /// The tokens that they took; none of a script.
    pub(crate) tokens: TokenTotals,
}

/// The context in which a generator is asked.
pub(crate) struct Asking<'a> {
    pub(crate) selection: &'a Selection,
    pub(crate) colour: Colour,
    pub(crate) reports: &'a ReportOptions,
    pub(crate) allowed: AllowedReach,
    pub(crate) context: &'a Context,
}

impl Asking<'_> {
    /// The cases that `generator` makes for the agent under test, one per line.
    ///
    /// # Errors
    /// If there are none.
    pub(crate) fn cases(&self, generator: &Generator) -> Result<GeneratedCases, Failed> {
        let GivenTests { context, path, .. } =
            GivenTests::of_cases(FILE, PLACEHOLDER, self.context);
        let selection = Selection {
            paths: vec![path],
            purpose: RunPurpose::Answers,
            sends: true,
            ..self.selection.clone()
        };
        let Planned {
            plan,
            problems,
            redactor,
            ..
        } = plan(&context, &selection, &Redactor::default());
        let Some(plan) = plan else {
            return Err(Failed::Problems(problems, redactor));
        };
        let asked = match generator.kind {
            GeneratorKind::Agent => Some(generator.name.as_str()),
            GeneratorKind::Script => None,
        };
        refuse_unpriced(&plan, asked, &context)?;
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..context
        };
        let cases = interruptible(&context, async |stopper| {
            let outputs = Outputs::of_program(stopper);
            let screen = Screen {
                live: None,
                is_quiet: self.reports.quiet,
                colour: self.colour,
                context: &context,
                redactor: &redactor,
                outputs: &outputs,
            };
            ask(generator, plan, &context, stopper, screen).await
        });
        let (cases, tokens) = cases.map_err(|failed| failed.masked(&redactor))?;
        let lines = lines(&cases);
        self.check(generator, &lines, &redactor)?;
        Ok(GeneratedCases { lines, tokens })
    }

    /// Reports what the cases name that only authors of the project may name.
    ///
    /// # Errors
    /// If that is not allowed.
    fn check(
        &self,
        generator: &Generator,
        cases: &[u8],
        redactor: &Redactor,
    ) -> Result<(), Failed> {
        let given = GivenTests::of_cases(FILE, cases, self.context);
        let maker = match generator.kind {
            GeneratorKind::Agent => CaseMaker::Agent,
            GeneratorKind::Script => CaseMaker::Script,
        };
        let path = named_path(&given.path, self.context).0;
        let (files, shown) = (&given.context.files, display_name(&given.context, &path));
        let problems = unallowed(files, &path, &shown, maker, self.allowed);
        let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
        if problems.iter().any(is_error) {
            return Err(Failed::Problems(problems, redactor.clone()));
        }
        print_problems(&problems, self.colour, &given.context, redactor);
        Ok(())
    }
}

/// Refuses `--max-cost` for tests, or for the agent `helper` that makes them, whose cost cannot be known.
///
/// # Errors
/// If it cannot be known.
pub(crate) fn refuse_unpriced(
    plan: &Plan,
    helper: Option<&str>,
    context: &Context,
) -> Result<(), Failed> {
    if plan.settings.max_cost.is_none() {
        return Ok(());
    }
    let Some(why) = plan.unpriced(helper, context) else {
        return Ok(());
    };
    let message = format!("`--max-cost` needs the cost of every test: {why}");
    let help = "name every model in `prices` of the config, or leave out `--max-cost`";
    Err(Failed::usage(message).help(help))
}

/// The reason that a helper gave no answer.
fn unanswered(halt: Halt) -> Failed {
    match halt {
        Halt::Stopped | Halt::Skipped(..) => Failed::REPORTED,
        Halt::Broken(Problem { message, help, .. }) => LabError::Refused { message, help }.into(),
    }
}

/// The cases, while the servers of the project run.
async fn ask(
    generator: &Generator,
    mut plan: Plan,
    context: &Context,
    stopper: &Stopper,
    screen: Screen<'_>,
) -> Result<(Vec<Value>, TokenTotals), Failed> {
    let services = Services::start(&mut plan, context, stopper.token(), screen).await;
    let services = services.map_err(|_why| Failed::REPORTED)?;
    let cases = answer(generator, &plan, context, stopper, screen.redactor).await;
    services.stop(screen).await;
    cases
}

async fn answer(
    generator: &Generator,
    plan: &Plan,
    context: &Context,
    stopper: &Stopper,
    redactor: &Redactor,
) -> Result<(Vec<Value>, TokenTotals), Failed> {
    let transport: Arc<dyn Transport> = Arc::new(HttpTransport::new(context.clock.clone()));
    let helpers =
        RunHelpers::new(context, &transport, &plan.redactor, stopper).priced(plan.prices.clone());
    let broken = |problems| Failed::Problems(problems, redactor.clone());
    let TargetDescription {
        agent,
        target,
        description,
        mut tools,
    } = plan.target_description(context);
    if let Some(name) = generator.tools_of() {
        let target = plan.helper(name, context).map_err(broken)?;
        let none = || Failed::new(format!("the target `{name}` does not declare its tools"));
        tools = declared_tools(&helpers, &target).await?.ok_or_else(none)?;
    } else if let Ok(target) = plan.helper(&target, context) {
        // What is wrong with the target is reported by the run of the cases.
        tools.extend(
            declared_tools(&helpers, &target)
                .await?
                .into_iter()
                .flatten(),
        );
    }
    let keys = generator.keys(&agent, &description, &tools.into());
    match generator.kind {
        GeneratorKind::Agent => {
            let (name, role) = (&generator.name, HelperRole::Generator);
            let helper = plan.helper(name, context).map_err(broken)?;
            let asked = helpers.ask(role, name, &helper, keys, read_generated_cases);
            let cases = asked.await.map_err(unanswered)?;
            Ok((cases, helpers.spent().generator))
        }
        GeneratorKind::Script => {
            let program = ScriptSource::Named(generator.name.clone());
            let launch = plan.script(&program, context).map_err(broken)?;
            let answer = helpers.ask_script(&program, &launch, keys).await;
            let wrong = |what| Failed::new(format!("the script {program} answered with {what}"));
            let cases = cases_of(answer.map_err(unanswered)?).map_err(wrong)?;
            Ok((cases, TokenTotals::default()))
        }
    }
}

/// The tools that a target declares by itself, as a generator gets them; `None` if it declares none.
async fn declared_tools(
    helpers: &RunHelpers,
    target: &PreparedHelper,
) -> Result<Option<Vec<Value>>, Failed> {
    let declared = helpers.declared_tools(target).await;
    let unknown = |error| Failed::new(format!("the tools of the agent are not known: {error}"));
    Ok(declared
        .map_err(unknown)?
        .map(|tools| tools.iter().map(DeclaredTool::summary).collect()))
}

/// One case per line.
fn lines(cases: &[Value]) -> Vec<u8> {
    let mut lines = Vec::new();
    for case in cases {
        lines.extend(case.to_string().into_bytes());
        lines.push(b'\n');
    }
    lines
}

/// Writes generated cases to a file, which may be written.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn write(cases: &[u8], file: &Path, context: &Context) -> io::Result<()> {
    let (path, shown) = named_path(file, context);
    write_file(&path, cases).map_err(|error| not_written(&shown, &path, &error))
}
