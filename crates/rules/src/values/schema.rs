//! JSON Schemas that values must satisfy, as they are written in rules.

use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::Node;
use ananke_model::schema::{SchemaError, ValueSchema, idle_words};
use ananke_model::variables::Interpolation;

/// Checks and fills a schema; `None` if something is known later or was reported.
pub(super) fn compile(node: &Node, interpolation: &mut Interpolation<'_>) -> Option<ValueSchema> {
    let written = interpolation.json(node).ok()?;
    if interpolation.json_waits(node) {
        return Some(ValueSchema::as_written(written));
    }
    for word in idle_words(&written) {
        let of_schema = node.at(word.path.iter().map(String::as_str));
        let mut entries = of_schema.entries().iter();
        let entry = entries.find(|entry| entry.key == word.key);
        let span = entry.map_or(of_schema.span, |entry| entry.key_span);
        let source = interpolation.source().clone();
        let code = if word.key == "format" {
            Code::UnknownValue
        } else {
            Code::UnknownKey
        };
        let warning = Diagnostic::warning(code, word.message);
        interpolation.add(warning.at(&source, span, "").help(word.help));
    }
    match ValueSchema::compile_with_formats(written) {
        Ok(schema) => Some(schema),
        Err(SchemaError { path, message }) => {
            let place = node.at(path.iter().map(String::as_str)).span;
            interpolation.report(
                Code::BadValue,
                place,
                format!("this is not a valid JSON Schema: {message}"),
                None,
            );
            None
        }
    }
}
