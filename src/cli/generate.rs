//! Test cases that an agent or a script of the project makes.

use std::io::{self};
use std::path::Path;
use std::sync::Arc;

use ananke::agents::Transport;
use ananke::agents::http::HttpTransport;
use ananke::assertion::ScriptSource;
use ananke::cases::{AllowedReach, CaseMaker, unallowed};
use ananke::context::{Context, display_name, write_file};
use ananke::diagnostic::{Diagnostic, Severity};
use ananke::helper::{Generator, GeneratorKind, HelperRole, cases_of, read_generated_cases};
use ananke::message::DeclaredTool;
use ananke::outcome::{Halt, Problem};
use ananke::plan::{Plan, Planned, PreparedHelper, RunPurpose, Selection, TargetDescription, plan};
use ananke::redact::Redactor;
use ananke::report::file::not_written;
use ananke::run::{RunHelpers, Stopper};
use serde_json::Value;

use super::colour::Colour;
use super::exit::Exit;
use super::interrupt;
use super::named_path::named_path;
use super::output_files::{ForceOption, OutputFiles, OutputKind};
use super::outputs::Outputs;
use super::print::say;
use super::print_problems::print_problems;
use super::report_options::ReportOptions;
use super::runtime::runtime;
use super::screen::Screen;
use super::services::Services;
use super::test_input::GivenTests;

/// The name of cases that are in no file.
pub(super) const FILE: &str = "generated.jsonl";

/// The placeholder that is planned while no case is known.
const PLACEHOLDER: &[u8] = br#"{"id": "generated", "input": "generated"}"#;

/// The context in which a generator is asked.
pub(super) struct Asking<'a> {
    pub(super) selection: &'a Selection,
    pub(super) colour: Colour,
    pub(super) reports: &'a ReportOptions,
    pub(super) allowed: AllowedReach,
    pub(super) context: &'a Context,
}

impl Asking<'_> {
    /// The cases that `generator` makes for the agent under test, one per line.
    ///
    /// # Errors
    /// If there are none, which is reported.
    pub(super) fn cases(&self, generator: &Generator) -> Result<Vec<u8>, Exit> {
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
            print_problems(&problems, self.colour, &context, &redactor);
            return Err(Exit::Failure);
        };
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..context
        };
        let stopper = Stopper::default();
        let outputs = Outputs::of_program(&stopper);
        let screen = Screen {
            live: None,
            is_quiet: self.reports.quiet,
            colour: self.colour,
            context: &context,
            redactor: &redactor,
            outputs: &outputs,
        };
        let cases = interrupt::listen(stopper.clone(), &context, || {})
            .and_then(|()| runtime())
            .map_err(|error| Unanswered::Message(error.to_string()))
            .and_then(|runtime| runtime.block_on(ask(generator, plan, &context, &stopper, screen)));
        match cases {
            Ok(cases) => {
                let cases = lines(&cases);
                self.check(generator, &cases, &redactor)?;
                return Ok(cases);
            }
            Err(Unanswered::Reported) => {}
            Err(Unanswered::Problems(problems)) => screen.print_problems(&problems),
            Err(Unanswered::Message(message)) => {
                say(&format!("error: {}", redactor.text(&message)));
            }
        }
        Err(if stopper.reason().is_some() {
            Exit::Interrupted
        } else {
            Exit::Failure
        })
    }

    /// Reports what the cases name that only authors of the project may name.
    ///
    /// # Errors
    /// If that is not allowed.
    fn check(&self, generator: &Generator, cases: &[u8], redactor: &Redactor) -> Result<(), Exit> {
        let given = GivenTests::of_cases(FILE, cases, self.context);
        let maker = match generator.kind {
            GeneratorKind::Agent => CaseMaker::Agent,
            GeneratorKind::Script => CaseMaker::Script,
        };
        let path = named_path(&given.path, self.context).0;
        let (files, shown) = (&given.context.files, display_name(&given.context, &path));
        let problems = unallowed(files, &path, &shown, maker, self.allowed);
        print_problems(&problems, self.colour, &given.context, redactor);
        let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
        if problems.iter().any(is_error) {
            return Err(Exit::Failure);
        }
        Ok(())
    }
}

/// The reason that there are no cases.
enum Unanswered {
    /// It was reported, or the command was interrupted.
    Reported,
    /// The generator cannot be asked.
    Problems(Vec<Diagnostic>),
    /// It did not answer, or with something else.
    Message(String),
}

impl From<Halt> for Unanswered {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped | Halt::Skipped(..) => Self::Reported,
            Halt::Broken(Problem { message, help, .. }) => Self::Message(
                help.map_or(message.clone(), |help| format!("{message}\nhelp: {help}")),
            ),
        }
    }
}

impl From<Vec<Diagnostic>> for Unanswered {
    fn from(problems: Vec<Diagnostic>) -> Self {
        Self::Problems(problems)
    }
}

/// The cases, while the servers of the project run.
async fn ask(
    generator: &Generator,
    mut plan: Plan,
    context: &Context,
    stopper: &Stopper,
    screen: Screen<'_>,
) -> Result<Vec<Value>, Unanswered> {
    let services = Services::start(&mut plan, context, stopper.token(), screen).await;
    let services = services.map_err(|_reported| Unanswered::Reported)?;
    let cases = answer(generator, &plan, context, stopper).await;
    services.stop(screen).await;
    cases
}

async fn answer(
    generator: &Generator,
    plan: &Plan,
    context: &Context,
    stopper: &Stopper,
) -> Result<Vec<Value>, Unanswered> {
    let transport: Arc<dyn Transport> = Arc::new(HttpTransport::new(context.clock.clone()));
    let helpers = RunHelpers::new(context, &transport, &plan.redactor, stopper);
    let TargetDescription {
        agent,
        target,
        description,
        mut tools,
    } = plan.target_description(context);
    if let Some(name) = generator.tools_of() {
        let declared = declared_tools(&helpers, &plan.helper(name, context)?).await?;
        let none =
            || Unanswered::Message(format!("the target `{name}` does not declare its tools"));
        tools = declared.ok_or_else(none)?;
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
            let helper = plan.helper(&generator.name, context)?;
            let name = &generator.name;
            Ok(helpers
                .ask(
                    HelperRole::Generator,
                    name,
                    &helper,
                    keys,
                    read_generated_cases,
                )
                .await?)
        }
        GeneratorKind::Script => {
            let program = ScriptSource::Named(generator.name.clone());
            let launch = plan.script(&program, context)?;
            let answer = helpers.ask_script(&program, &launch, keys).await?;
            let wrong =
                |what| Unanswered::Message(format!("the script {program} answered with {what}"));
            cases_of(answer).map_err(wrong)
        }
    }
}

/// The tools that a target declares by itself, as a generator gets them; `None` if it declares none.
async fn declared_tools(
    helpers: &RunHelpers,
    target: &PreparedHelper,
) -> Result<Option<Vec<Value>>, Unanswered> {
    let declared = helpers.declared_tools(target).await;
    let unknown =
        |error| Unanswered::Message(format!("the tools of the agent are not known: {error}"));
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

/// Writes generated cases.
///
/// # Errors
/// If they cannot be written.
pub(super) fn write(
    cases: &[u8],
    file: &Path,
    force: ForceOption,
    context: &Context,
) -> io::Result<()> {
    let (path, shown) = named_path(file, context);
    OutputFiles::of(context, force).check(&path, file, OutputKind::Source)?;
    write_file(&path, cases).map_err(|error| not_written(&shown, &path, &error))
}
