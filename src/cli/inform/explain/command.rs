//! `ananke explain`: the rules that apply to a test, or the meaning of a name. Nothing runs.

use std::path::{Path, PathBuf};

use ananke::assertion::rule_paths;
use ananke::context::{Context, OutputStream, TerminalSize};
use ananke::plan::{Filter, Selection};
use ananke::text::nearest;
use clap::Args;

use super::{layout::Colours, name::ExplainedName, test};
use crate::cli::frame::{Colour, Exit, Failed, colouring, print};
use crate::cli::select::load;

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// A test file, or a word: a key such as `must_match` or `text.contains`, a code such as `bad-pattern`, a status, a command, a
    /// rule of the protocol such as `text-not-open`
    #[arg(value_name = "FILE|WORD")]
    pub(crate) subject: String,
    /// Only the test of the file with this id (repeatable)
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only tests of the file matching this expression, as in `ananke run`
    #[arg(long, value_name = "EXPRESSION", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,
    /// Only the test as a whole and this turn (from 1)
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// The agent under test: one of the config's `targets`, or its `agentId`; a test that names its own keeps it
    #[arg(short = 'n', long, visible_alias = "name", value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

/// Explains a code, a rule of the protocol or a key if there is one of that name, else the test of a file.
pub(crate) fn explain(
    options: &ExplainOptions,
    commands: &[(String, String)],
    context: &Context,
) -> Result<Exit, Failed> {
    let colours = Colours::new(colouring(options.color, OutputStream::Stdout, context));
    let path = context.working_directory.join(&options.subject);
    let is_file = context.files.look(&path).is_ok();
    let names = ExplainedName::find(&options.subject, commands);
    // A file can be called as a key is.
    if names
        .iter()
        .any(|name| !(is_file && matches!(name, ExplainedName::Key(_))))
    {
        if options.turn.is_some() {
            return Err(Failed::usage(
                "a name has no turns: `--turn` goes with a test file",
            ));
        }
        if options.filter.is_some() || !options.ids.is_empty() {
            return Err(Failed::usage(
                "a name has no tests: `--id` and `--filter` go with a test file",
            ));
        }
        let width = TerminalSize::width(context.size_of(OutputStream::Stdout));
        let texts: Vec<String> = names.iter().map(|name| name.text(colours, width)).collect();
        print(|out| out.write_all(texts.join("\n").as_bytes()))?;
        return Ok(Exit::Success);
    }
    if context.files.is_directory(&path) {
        let message = format!(
            "`{}` is a directory, expected one test file",
            options.subject
        );
        return Err(Failed::usage(message));
    }
    if !is_file && is_like_a_name(&options.subject) {
        return Err(unknown_name(&options.subject, commands));
    }
    of_file(options, colours, context)
}

fn of_file(options: &ExplainOptions, colours: Colours, context: &Context) -> Result<Exit, Failed> {
    let selection = Selection {
        paths: vec![options.subject.clone().into()],
        config: options.config.clone(),
        target: options.target.clone().into(),
        filter: options.filter.clone(),
        ids: options.ids.clone(),
        ..Selection::default()
    };
    let (plan, redactor) = load(&selection, options.color, context)?;
    let explained = ananke::plan::explain(context, &plan)
        .map_err(|broken| Failed::Problems(broken, redactor.clone()))?;
    let mut texts = Vec::new();
    for (rows, test) in &explained {
        let [case, ..] = rows else { continue };
        let turns = case.test.turns;
        if let Some(turn) = options.turn
            && !(1..=turns).contains(&turn)
        {
            let whose = if explained.len() == 1 {
                &options.subject
            } else {
                &case.test.name
            };
            let turns = if turns == 1 {
                "1 turn".to_owned()
            } else {
                format!("{turns} turns")
            };
            let message = format!("there is no turn {turn}: `{whose}` has {turns}");
            return Err(Failed::usage(message).masked(&redactor));
        }
        let shown = test::ShownTest {
            case,
            rows: rows.len(),
            config: &plan.config,
            explained: test,
            redactor: &redactor,
        };
        texts.push(shown.text(
            options.turn,
            colours,
            TerminalSize::width(context.size_of(OutputStream::Stdout)),
        ));
    }
    print(|out| out.write_all(redactor.text(&texts.join("\n")).as_bytes()))?;
    Ok(Exit::Success)
}

/// Whether this is written like a name, not like a path.
fn is_like_a_name(subject: &str) -> bool {
    let is_of_a_name =
        |sign: char| sign.is_ascii_alphabetic() || matches!(sign, '-' | '_' | ':' | '.');
    let is_test = Path::new(subject)
        .extension()
        .is_some_and(|extension| ["yaml", "yml", "jsonl"].iter().any(|own| extension == *own));
    !is_test && subject.chars().all(is_of_a_name)
}

fn unknown_name(subject: &str, commands: &[(String, String)]) -> Failed {
    let names: Vec<ExplainedName> = ExplainedName::all(commands).collect();
    let mut known: Vec<&str> = names.iter().map(ExplainedName::as_str).collect();
    for rule in rule_paths() {
        known.push(rule);
    }
    let help = nearest(subject, known.iter().copied()).map_or_else(
        || {
            "name a test file, the code in the brackets of a problem, a key of a file, a command, a word of a report, or the rule of a violation"
                .to_owned()
        },
        |name| format!("did you mean `{name}`?"),
    );
    Failed::usage(format!("there is no file and no word `{subject}`")).help(help)
}
