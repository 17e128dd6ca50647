//! `ananke explain`: the rules in force in a test, or the meaning of a code. Nothing runs.

mod code;
mod layout;
mod test;

use std::io::Write as _;
use std::path::Path;

use ananke::context::Context;
use ananke::diagnostic::Code;
use ananke::redact::Redactor;

use super::arguments::{ExplainOptions, SelectionOptions};
use super::exit::Exit;
use super::problems::{self, Purpose};
use super::style::is_coloured;
use layout::Colours;

/// Explains a code where there is one of that name, else the test of a file.
pub(super) fn explain(options: &ExplainOptions, context: &Context) -> Exit {
    let colours = if is_coloured(options.color, context.stdout_is_terminal, context) {
        Colours::on_a_terminal()
    } else {
        Colours::default()
    };
    if let Some(code) = Code::named(&options.subject) {
        if options.turn.is_some() {
            return complain("a code has no turns: `--turn` goes with a test file", Exit::Usage);
        }
        return print(&code::text(code, colours));
    }
    let path = context.working_directory.join(&options.subject);
    if path.is_dir() {
        let message = format!("`{}` is a folder, expected one test file", options.subject);
        return complain(&message, Exit::Usage);
    }
    if !path.exists() && is_like_a_code(&options.subject) {
        return complain(&unknown_code(&options.subject), Exit::Usage);
    }
    of_file(options, colours, context)
}

fn of_file(options: &ExplainOptions, colours: Colours, context: &Context) -> Exit {
    let redactor = Redactor::default();
    let selection = SelectionOptions {
        paths: vec![options.subject.clone().into()],
        config: options.config.clone(),
        filter: None,
        allow_empty: false,
        variables: Vec::new(),
        color: options.color,
    };
    let plan = match problems::load(&selection, Purpose::default(), context, &redactor) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let mut text = String::new();
    for case in &plan.cases {
        if let Some(turn) = options.turn
            && !(1..=case.turns).contains(&turn)
        {
            let turns = if case.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", case.turns) };
            let message = format!("there is no turn {turn}: `{}` has {turns}", options.subject);
            return complain(&message, Exit::Usage);
        }
        match ananke::plan::explain(context, &plan, case) {
            Ok(explained) => {
                let shown = test::Shown { case, config: &plan.config, explained: &explained };
                text.push_str(&shown.text(options.turn, colours));
            }
            Err(broken) => {
                problems::print(&broken, options.color, context, &redactor);
                return Exit::Failure;
            }
        }
    }
    print(&redactor.text(&text))
}

/// Whether somebody who writes this means a code and no file.
fn is_like_a_code(subject: &str) -> bool {
    Path::new(subject).extension().is_none()
        && subject.chars().all(|character| character.is_ascii_lowercase() || character == '-')
}

fn unknown_code(subject: &str) -> String {
    let likeness = |code: &Code| strsim::jaro_winkler(subject, code.as_str());
    let nearest = Code::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let meant = nearest.filter(|code| likeness(code) > 0.8);
    let help = meant.map_or_else(
        || "name a test file, or the code in the brackets of a problem".to_owned(),
        |code| format!("did you mean `{code}`?"),
    );
    format!("there is neither a file nor a code `{subject}`\nhelp: {help}")
}

fn complain(message: &str, exit: Exit) -> Exit {
    let _ = writeln!(std::io::stderr().lock(), "error: {message}");
    exit
}

fn print(text: &str) -> Exit {
    // A closed pipe ends the printing, nothing else.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Exit::Success
}
