//! The plan of a verification: each test of a file of rules, for each conversation of the traces.
//!
//! Flows in: traces, and rules. Flows out: a plan whose tests are held by the conversations.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::rules_file::{RULES_OF_TARGET, blank, completed};
use super::{TraceContext, TraceError, TraceFile, TraceFormat};
use ananke_base::context::{Context, display_name};
use ananke_base::{diagnostic::Diagnostic, source::read, text::escape};
use ananke_conversation::observed::{ObservedConversation, ObservedConversations};
use ananke_model::model::NEWEST_VERSION;
use ananke_plan::project::locate;
use ananke_plan::{CaseEntry, Plan, Planned, Selection, TestEntry, plan};
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::redact::Redactor;

/// The config where there is no project, with `VERSION` for its version.
const NO_CONFIG: &str = include_str!("no_config.yaml");

/// The name of that config.
const NO_CONFIG_FILE: &str = "rules-without-a-project.config.yaml";

/// The input of a verification.
pub struct VerifyRequest {
    /// The format of the traces.
    pub format: &'static dyn TraceFormat,
    /// The traces, each with what messages call it.
    pub files: Vec<(PathBuf, String)>,
    /// The rules; without them they are those of the target, or of the tests that the traces are of.
    pub rules: Option<PathBuf>,
    /// The config, the target and the variables.
    pub selection: Selection,
}

/// The tests and conversations that are going to be verified.
pub struct VerifyPlan {
    /// A test for each conversation and each test of the rules.
    pub plan: Plan,
    /// The outside world, with the rules that are in no file.
    pub context: Context,
    /// Masks what is secret.
    pub redactor: Redactor,
    /// The conversations.
    pub conversations: Arc<dyn ObservedConversations>,
    /// The warnings about the rules.
    pub problems: Vec<Diagnostic>,
    /// The warnings about the traces.
    pub notes: Vec<String>,
}

/// The reason that nothing is verified.
pub enum VerifyError {
    /// The errors of traces.
    Traces(Vec<TraceError>),
    /// The errors of the rules.
    Rules(Vec<Diagnostic>, Redactor),
}

/// The place of a conversation: the file, and its place in it.
type ConversationPlace = (usize, usize);

/// The conversations of a run, by the ids of its tests.
struct Traces {
    files: Vec<Box<dyn TraceFile>>,
    places: HashMap<String, ConversationPlace>,
}

impl ObservedConversations for Traces {
    fn conversation<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<ObservedConversation, Problem>> {
        if let Some((file, index)) = self.places.get(id) {
            self.files[*file].conversation(*index)
        } else {
            let message = format!("there is no conversation `{id}`");
            Box::pin(std::future::ready(Err(Problem {
                kind: ErrorKind::Setup,
                message,
                help: None,
            })))
        }
    }
}

/// Reads the traces and the rules.
///
/// # Errors
/// If something is wrong with a trace or with the rules: everything that is.
pub fn verify_plan(context: &Context, request: &VerifyRequest) -> Result<VerifyPlan, VerifyError> {
    let opened = opened(context, request)?;
    let notes = opened
        .iter()
        .flat_map(|file| file.notes())
        .cloned()
        .collect();
    let rules = RuleSource::of(context, request, &opened)?;
    let Planned {
        plan,
        problems,
        redactor,
        ..
    } = plan(&rules.context, &rules.selection, &Redactor::default());
    let Some(mut plan) = plan else {
        return Err(VerifyError::Rules(problems, redactor));
    };
    let (mut cases, mut places) = (Vec::new(), HashMap::new());
    for (number, file) in opened.iter().enumerate() {
        let shown = &request.files[number].1;
        for (index, id) in file.ids().iter().enumerate() {
            let is_own = |case: &&CaseEntry| {
                rules.is_named || file.test().is_none_or(|test| test == case.id())
            };
            for case in plan.cases.iter().filter(is_own) {
                let label = if file.test().is_some() {
                    shown.clone()
                } else {
                    format!("{shown}#{id}")
                };
                let case = of_conversation(case, &label, &places, rules.lines);
                places.insert(case.id().into_owned(), (number, index));
                cases.push(case);
            }
        }
    }
    plan.cases = cases;
    let conversations = Arc::new(Traces {
        files: opened,
        places,
    });
    Ok(VerifyPlan {
        plan,
        context: rules.context,
        redactor,
        conversations,
        problems,
        notes,
    })
}

/// The traces.
///
/// # Errors
/// If one cannot be read: everything that is wrong with any.
fn opened(
    context: &Context,
    request: &VerifyRequest,
) -> Result<Vec<Box<dyn TraceFile>>, VerifyError> {
    let trace_context = TraceContext {
        context: context.clone(),
        selection: request.selection.clone(),
    };
    let (mut opened, mut errors) = (Vec::new(), Vec::new());
    for (path, shown) in &request.files {
        match request.format.open(path, shown, &trace_context) {
            Ok(file) => opened.push(file),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(opened)
    } else {
        Err(VerifyError::Traces(errors))
    }
}

/// The test of the rules for one conversation, with an id of its own, at one of the `lines` of its file.
fn of_conversation(
    case: &CaseEntry,
    label: &str,
    known: &HashMap<String, ConversationPlace>,
    lines: u32,
) -> CaseEntry {
    let label = escape::line(label);
    let named = |label: &str| {
        let test = &*case.test;
        let (id, name) = (
            format!("{} [{label}]", test.id),
            format!("{} [{label}]", test.name),
        );
        let (skip, runs, walk, simulator) = (None, None, None, None);
        let (turns, asks_person, hooks, line) = (0, false, false, test.line.min(lines));
        let test = TestEntry {
            id,
            name,
            simulator,
            asks_person,
            skip,
            runs,
            walk,
            turns,
            hooks,
            ..test.clone()
        };
        let test = TestEntry { line, ..test };
        CaseEntry {
            test: Arc::new(test),
            ..case.clone()
        }
    };
    let mut number = 1;
    let mut entry = named(&label);
    while known.contains_key(&*entry.id()) {
        number += 1;
        entry = named(&format!("{label} {number}"));
    }
    entry
}

/// The source of the rules.
struct RuleSource {
    context: Context,
    selection: Selection,
    /// Whether a file was named, whose tests are for every conversation.
    is_named: bool,
    /// The number of lines of the file; the lines that it lacks are added after them.
    lines: u32,
}

impl RuleSource {
    fn of(
        context: &Context,
        request: &VerifyRequest,
        traces: &[Box<dyn TraceFile>],
    ) -> Result<Self, VerifyError> {
        let mut selection = request.selection.clone();
        selection.variables.without_hooks = true;
        let mut context = context.clone();
        if let Some(path) = &request.rules {
            let path = context.working_directory.join(path);
            return Ok(Self::of_file(context, selection, path));
        }
        let tests: Vec<PathBuf> = traces
            .iter()
            .filter_map(|file| file.test().map(PathBuf::from))
            .collect();
        if !tests.is_empty() {
            selection.paths = tests;
            selection.paths.dedup();
            return Ok(Self {
                context,
                selection,
                is_named: false,
                lines: u32::MAX,
            });
        }
        let config = locate(&context, selection.config.as_deref(), &[]);
        let config = config.map_err(|problem| {
            let problem = problem
                .help("name the rules with `--rules FILE`, or start a project with `ananke init`");
            VerifyError::Rules(vec![problem], Redactor::default())
        })?;
        let folder = config.parent().unwrap_or(Path::new(""));
        let file = folder.join(RULES_OF_TARGET);
        context.files = context.files.with_unsaved(file.clone(), blank());
        selection.paths = vec![file];
        selection.config = Some(config);
        Ok(Self {
            context,
            selection,
            is_named: true,
            lines: u32::MAX,
        })
    }
    /// The rules of a file that was named. What its tests lack is added to it.
    fn of_file(mut context: Context, mut selection: Selection, path: PathBuf) -> Self {
        let config = selection.config.as_deref();
        if locate(&context, config, std::slice::from_ref(&path)).is_err() {
            let config = path.with_file_name(NO_CONFIG_FILE);
            let text = NO_CONFIG.replace("VERSION", NEWEST_VERSION);
            context.files = context.files.with_unsaved(config.clone(), text);
            selection.config = Some(config);
        }
        let mut lines = u32::MAX;
        if let Ok(source) = read(&context.files, &path, &display_name(&context, &path))
            && let Some(text) = completed(&path, &source.text)
        {
            lines = u32::try_from(source.text.lines().count())
                .unwrap_or(u32::MAX)
                .max(1);
            context.files = context.files.with_unsaved(path.clone(), &text);
        }
        selection.paths = vec![path];
        Self {
            context,
            selection,
            is_named: true,
            lines,
        }
    }
}
