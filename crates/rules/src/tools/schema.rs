//! `tools.schema`: the schemas of the declared tools are valid, and calls and structured results satisfy them.
//!
//! A call is checked when its arguments are complete, and a result when it comes, against the tools that are declared by then.
//! **Invariant:** a result that is an error is not checked; a tool without a schema takes every value.

use std::collections::HashMap;

use serde_json::Value;

use crate::collector::Collector;
use crate::describe::{json, listed, short};
use crate::evaluation::{
    Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View, schema_mismatches,
};
use crate::rule::{Rule, RuleKind};
use ananke_base::diagnostic::Code;
use ananke_base::message::DeclaredTool;
use ananke_model::model::AssertBlock;
use ananke_model::schema::{NO_VALIDATOR, ValueSchema};
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Args, Declaration, Delta, Fact, Facts, ToolCall};

/// Declared schemas are valid, and calls and structured results satisfy them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Schema;

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let Some(written) = block.tools().and_then(|tools| tools.schema.as_ref()) else {
        return;
    };
    if !written.value {
        return collector.disable(written.span);
    }
    collector.add(written.span, |interpolation| match NO_VALIDATOR {
        None => Some(Schema),
        Some(message) => {
            interpolation.report(Code::BadValue, written.span, message, None);
            None
        }
    });
}

const EXPECTED: &str = "schemas that are valid, and calls and structured results that satisfy them";

impl Rule for Schema {
    fn needs(&self) -> Facts {
        Facts::of(&[
            Fact::Calls,
            Fact::Arguments,
            Fact::Results,
            Fact::CallEnds,
            Fact::DeclaredTools,
        ])
    }

    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn describe(&self) -> String {
        EXPECTED.to_owned()
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        format!(
            "fails as soon as a schema is invalid or not satisfied in {}",
            scope.words()
        )
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(SchemaMonitor::default()))
    }
}

/// A schema that was declared; `None` if it is invalid, which is reported once.
type Compiled = Option<ValueSchema>;

/// The tools that are declared, compiled.
#[derive(Default)]
struct SchemaMonitor {
    /// The number of declarations that were read.
    read: usize,
    tools: HashMap<String, ToolSchemas>,
}

struct ToolSchemas {
    input: Compiled,
    output: Compiled,
}

impl Monitor for SchemaMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let mut findings = self.take_declarations(view);
        match moment {
            Moment::Touched(Delta::ArgsDone(index)) if view.counts(index) => {
                findings.extend(self.arguments(view, index));
            }
            Moment::Touched(Delta::Answered(index)) if view.counts(index) => {
                findings.extend(self.result(view, index));
            }
            Moment::ScopeEnd | Moment::TestEnd => {
                return Judgement::open_or(findings).or(Judgement::Passed);
            }
            Moment::Touched(_) | Moment::TurnEnd => {}
        }
        Judgement::open_or(findings)
    }
}

impl SchemaMonitor {
    /// Compiles what was declared since.
    fn take_declarations(&mut self, view: &View<'_>) -> Vec<Finding> {
        let declarations = &view.trace.declarations;
        let mut findings = Vec::new();
        for declaration in declarations.iter().skip(self.read) {
            self.tools.clear();
            for tool in &declaration.tools {
                if tool.input.is_none() {
                    findings.push(missing(tool, declaration));
                }
                let mut compiled = |kind: SchemaKind| {
                    let schema = kind.of(tool)?;
                    match ValueSchema::compile(schema.clone()) {
                        Ok(schema) => Some(schema),
                        Err(error) => {
                            let pointer = error.pointer();
                            findings.push(invalid(
                                tool,
                                kind,
                                &pointer,
                                &error.message,
                                declaration,
                            ));
                            None
                        }
                    }
                };
                let compiled = ToolSchemas {
                    input: compiled(SchemaKind::Input),
                    output: compiled(SchemaKind::Output),
                };
                self.tools.insert(tool.name.clone(), compiled);
            }
        }
        self.read = declarations.len();
        findings
    }

    fn arguments(&self, view: &View<'_>, index: usize) -> Vec<Finding> {
        let call = &view.trace.calls[index];
        let Some(tool) = self.tools.get(call.name.as_str()) else {
            let message = format!(
                "`{}` was called, which is not a declared tool",
                short(&call.name)
            );
            let mut names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
            names.sort_unstable();
            let declared = if names.is_empty() {
                "no tool is declared".to_owned()
            } else {
                format!("declared: {}", listed(&names))
            };
            let mut finding = Finding::of_call(message, EXPECTED, index, call);
            finding.evidence.push(Evidence::Words(declared));
            return vec![finding];
        };
        let args = match call.args() {
            Args::Json(args) => args.clone(),
            Args::Malformed(_) => Value::from(call.args_text.as_str()),
        };
        mismatches(view, index, tool.input.as_ref(), &args, "arguments")
    }

    fn result(&self, view: &View<'_>, index: usize) -> Vec<Finding> {
        let call = &view.trace.calls[index];
        let schema = self
            .tools
            .get(call.name.as_str())
            .and_then(|tool| tool.output.as_ref());
        let (Some(schema), Some(result)) = (schema, call.result()) else {
            return Vec::new();
        };
        if result.is_error == Some(true) {
            return Vec::new();
        }
        if !result.is_structured {
            let name = short(&call.name);
            let message = format!(
                "the result of `{name}` has no structured content, though `{name}` declares a schema for it"
            );
            return vec![Finding {
                events: vec![result.event],
                ..Finding::of_call(message, EXPECTED, index, call)
            }];
        }
        mismatches(
            view,
            index,
            Some(schema),
            &result.value(),
            "structured result",
        )
    }
}

/// The kind of the schema of a tool.
#[derive(Clone, Copy)]
enum SchemaKind {
    Input,
    Output,
}

impl SchemaKind {
    fn of(self, tool: &DeclaredTool) -> Option<&Value> {
        match self {
            Self::Input => tool.input.as_ref(),
            Self::Output => tool.output.as_ref(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Input => "the schema of the arguments",
            Self::Output => "the schema of the results",
        }
    }
}

/// A tool without a schema of its arguments, which it must have (MCP 2025-11-25, "Tool").
fn missing(tool: &DeclaredTool, declaration: &Declaration) -> Finding {
    let message = format!(
        "`{}` declares no schema of its arguments",
        short(&tool.name)
    );
    Finding {
        events: vec![declaration.event],
        ..Finding::in_words(message, EXPECTED.to_owned(), Vec::<Evidence>::new())
    }
}

fn invalid(
    tool: &DeclaredTool,
    kind: SchemaKind,
    pointer: &str,
    why: &str,
    declaration: &Declaration,
) -> Finding {
    let (name, words, at) = (short(&tool.name), kind.words(), place(pointer));
    let found = kind.of(tool).and_then(|schema| schema.pointer(pointer));
    let found = found.map(|found| format!("found: {}", json(found)));
    Finding {
        events: vec![declaration.event],
        ..Finding::in_words(
            format!("{words} of `{name}` is not valid{at}: {}", short(why)),
            EXPECTED.to_owned(),
            found,
        )
    }
}

/// A finding for each place of `value`, which is the `part` of the call, that does not satisfy `schema`.
fn mismatches(
    view: &View<'_>,
    index: usize,
    schema: Option<&ValueSchema>,
    value: &Value,
    part: &str,
) -> Vec<Finding> {
    let Some(schema) = schema else {
        return Vec::new();
    };
    let call: &ToolCall = &view.trace.calls[index];
    let finding = |mismatch: ananke_model::schema::SchemaMismatch| {
        let at = place(&mismatch.pointer);
        let message = format!(
            "the {part} of `{}`{at}: {}",
            short(&call.name),
            short(&mismatch.message)
        );
        let mut finding = Finding::of_call(message, EXPECTED, index, call);
        if let Some(found) = value.pointer(&mismatch.pointer) {
            finding
                .evidence
                .push(Evidence::Words(format!("found: {}", json(found))));
        }
        finding
    };
    let mismatches = schema_mismatches(schema, value);
    mismatches.into_iter().map(finding).collect()
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!(" at `{}`", short(pointer))
    }
}
