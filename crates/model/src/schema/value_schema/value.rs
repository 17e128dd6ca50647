//! JSON Schemas that people write into their rules.

use std::hash::{Hash, Hasher};
#[cfg(feature = "json-schema")]
use std::sync::Arc;

#[cfg(feature = "json-schema")]
use jsonschema::error::ValidationErrorKind;
#[cfg(feature = "json-schema")]
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

#[cfg(feature = "json-schema")]
use super::interruptible::{COSTLY_STEP, STEP, StepKeyword, interruptible};
use super::schema_error::SchemaError;
#[cfg(feature = "json-schema")]
use super::schema_patterns::{SchemaPatterns, with_patterns};
#[cfg(feature = "json-schema")]
use ananke_base::context::interruption::{costly_step, step};

/// The reason why this build cannot check values against schemas, if it cannot.
pub const NO_VALIDATOR: Option<&str> = if cfg!(feature = "json-schema") {
    None
} else {
    Some("this build of ananke has no validator: it needs the feature `json-schema`")
};

/// The most bytes that the matching of a pattern remembers. With less, some patterns of a few characters take minutes for a
/// megabyte of text.
#[cfg(feature = "json-schema")]
const LARGEST_CACHE: usize = 16 << 20;

/// The most ways that a pattern with look-around or references tries on one text: a fraction of a second.
#[cfg(feature = "json-schema")]
const MOST_STEPS: usize = 1_000_000;

/// The most mismatches that are reported for one value.
#[cfg(feature = "json-schema")]
const MOST_REPORTED: usize = 10;

/// The meaning of `format` in a schema.
#[cfg(feature = "json-schema")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum FormatMeaning {
    /// It says something about a text, and checks nothing.
    Annotation,
    /// It checks every text.
    Assertion,
}

/// A JSON Schema of a test or a tool, compiled.
#[derive(Clone, Debug)]
pub struct ValueSchema {
    written: Value,
    #[cfg(feature = "json-schema")]
    compiled: Validation,
}

/// A schema as it checks values.
#[cfg(feature = "json-schema")]
#[derive(Clone, Debug)]
enum Validation {
    /// Something of it is known later: every value fits.
    Later,
    /// It is valid, and no value can be checked against it.
    Unsupported(Arc<Undecided>),
    /// It checks values.
    ByValidator(Arc<CompiledValidator>),
}

#[cfg(feature = "json-schema")]
#[derive(Debug)]
struct CompiledValidator {
    validator: Validator,
    /// Patterns that are compiled in other words, each with the one that is written.
    rewritten: Vec<(String, String)>,
}

impl PartialEq for ValueSchema {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for ValueSchema {}

impl Hash for ValueSchema {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.written.hash(hasher);
    }
}

/// A way in which a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    /// The place in the value, as a JSON Pointer; empty for the whole.
    pub pointer: String,
    /// The mismatch at this place.
    pub message: String,
}

/// The reason why a schema neither takes nor refuses a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The reason, as a sentence without a full stop.
    pub message: String,
}

impl ValueSchema {
    /// Compiles a schema: that of its `$schema`, else of draft 2020-12. Nothing is fetched. A `format` checks nothing, as
    /// most who declare tools take it.
    ///
    /// # Errors
    /// Says what is wrong with it, and where.
    #[cfg(feature = "json-schema")]
    pub fn compile(written: Value) -> Result<Self, SchemaError> {
        Self::build(written, FormatMeaning::Annotation)
    }

    /// The same, where a text must have the `format` that the schema names.
    ///
    /// # Errors
    /// Says what is wrong with it, and where.
    #[cfg(feature = "json-schema")]
    pub fn compile_with_formats(written: Value) -> Result<Self, SchemaError> {
        Self::build(written, FormatMeaning::Assertion)
    }

    #[cfg(feature = "json-schema")]
    fn build(written: Value, formats: FormatMeaning) -> Result<Self, SchemaError> {
        let (patterns, translated) = with_patterns(&written)?;
        let SchemaPatterns {
            rewritten,
            untranslated,
            ..
        } = patterns;
        if let Some(pattern) = untranslated {
            return Ok(Self::without_engine(written, &pattern));
        }
        // Linear, whatever the value holds, for patterns without look-around and references.
        let options = PatternOptions::fancy_regex()
            .backtrack_limit(MOST_STEPS)
            .dfa_size_limit(LARGEST_CACHE);
        let options = jsonschema::options()
            .with_pattern_options(options)
            .should_validate_formats(formats == FormatMeaning::Assertion)
            .with_keyword(STEP, |_, _, _| Ok(Box::new(StepKeyword(step))))
            .with_keyword(COSTLY_STEP, |_, _, _| {
                Ok(Box::new(StepKeyword(costly_step)))
            });
        let schema = translated.as_ref().unwrap_or(&written);
        let counted = interruptible(schema);
        let error = match options.build(counted.as_ref().unwrap_or(schema)) {
            Ok(validator) => {
                let ready = CompiledValidator {
                    validator,
                    rewritten,
                };
                let compiled = Validation::ByValidator(Arc::new(ready));
                return Ok(Self { written, compiled });
            }
            Err(error) => error,
        };
        if let Some(pattern) = uncompiled_pattern(&error) {
            let pattern = as_written(&rewritten, pattern).to_owned();
            return Ok(Self::without_engine(written, &pattern));
        }
        Err(SchemaError {
            path: error
                .instance_path()
                .iter()
                .map(|part| part.to_string())
                .collect(),
            message: error.to_string(),
        })
    }

    /// A schema that is valid, with a pattern that the engine cannot match.
    #[cfg(feature = "json-schema")]
    fn without_engine(written: Value, pattern: &str) -> Self {
        let message = format!("the pattern {} is not supported", Value::from(pattern));
        let compiled = Validation::Unsupported(Arc::new(Undecided { message }));
        Self { written, compiled }
    }

    /// Compiles no schema: this build has no validator.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "json-schema"))]
    pub fn compile(_: Value) -> Result<Self, SchemaError> {
        Err(SchemaError {
            path: Vec::new(),
            message: NO_VALIDATOR.unwrap_or_default().to_owned(),
        })
    }

    /// Compiles no schema: this build has no validator.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "json-schema"))]
    pub fn compile_with_formats(written: Value) -> Result<Self, SchemaError> {
        Self::compile(written)
    }

    /// A schema of which something is known later: it can be shown and compared, and takes every value.
    pub fn as_written(written: Value) -> Self {
        #[cfg(feature = "json-schema")]
        let schema = Self {
            written,
            compiled: Validation::Later,
        };
        #[cfg(not(feature = "json-schema"))]
        let schema = Self { written };
        schema
    }

    /// The reason why no value can be checked against it, though it is valid.
    pub fn unsupported(&self) -> Option<&Undecided> {
        #[cfg(feature = "json-schema")]
        if let Validation::Unsupported(why) = &self.compiled {
            return Some(why);
        }
        None
    }

    /// In which ways `value` does not fit: this build cannot know.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(feature = "json-schema"))]
    pub fn mismatches(&self, _: &Value) -> Result<Vec<SchemaMismatch>, Undecided> {
        Ok(Vec::new())
    }

    /// In which ways `value` does not fit, in its own order; not more than ten. It takes a [step](ananke_base::context::interruption::step) wherever
    /// the schema branches.
    ///
    /// # Errors
    /// If that depends on a pattern that cannot be matched, or would take too many steps.
    #[cfg(feature = "json-schema")]
    pub fn mismatches(&self, value: &Value) -> Result<Vec<SchemaMismatch>, Undecided> {
        let ready = match &self.compiled {
            Validation::Later => return Ok(Vec::new()),
            Validation::Unsupported(why) => return Err(why.as_ref().clone()),
            Validation::ByValidator(ready) => ready,
        };
        let errors = ready.validator.iter_errors(value).take(MOST_REPORTED);
        errors
            .map(|error| {
                if let ValidationErrorKind::BacktrackLimitExceeded { .. }
                | ValidationErrorKind::RegexEngineFailure { .. } = error.kind()
                {
                    let place = error.instance_path();
                    let message =
                        format!("a pattern takes too many steps for the text at `{place}`");
                    return Err(Undecided { message });
                }
                let mut message = error.masked().to_string();
                if let ValidationErrorKind::Pattern { pattern } = error.kind() {
                    let written = as_written(&ready.rewritten, pattern);
                    message = message.replace(pattern.as_str(), written);
                }
                Ok(SchemaMismatch {
                    pointer: error.instance_path().to_string(),
                    message,
                })
            })
            .collect()
    }
}

/// The pattern that the engine could not compile, if that is the error.
#[cfg(feature = "json-schema")]
fn uncompiled_pattern<'e>(error: &'e ValidationError<'_>) -> Option<&'e str> {
    match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => error.instance().as_str(),
        _ => None,
    }
}

/// The pattern that was written for `pattern` of the engine.
#[cfg(feature = "json-schema")]
fn as_written<'p>(rewritten: &'p [(String, String)], pattern: &'p str) -> &'p str {
    let known = rewritten.iter().find(|(engine, _)| engine == pattern);
    known.map_or(pattern, |(_, written)| written)
}

#[cfg(all(test, feature = "json-schema"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use ananke_base::context::interruption;
    use serde_json::json;

    #[test]
    fn a_format_is_checked_where_it_is_meant_to_be() {
        let schema = json!({"format": "email"});
        let checked = ValueSchema::compile_with_formats(schema.clone()).unwrap();
        let declared = ValueSchema::compile(schema).unwrap();
        for (value, mismatches) in [
            (json!("a@b.example"), 0),
            (json!("nobody"), 1),
            (json!(1), 0),
        ] {
            assert_eq!(
                checked.mismatches(&value).unwrap().len(),
                mismatches,
                "{value}"
            );
            assert_eq!(declared.mismatches(&value).unwrap().len(), 0, "{value}");
        }
    }

    #[test]
    fn the_formats_that_are_known_are_those_of_the_validator() {
        for format in super::super::idle_words::FORMATS {
            let schema = ValueSchema::compile_with_formats(json!({"format": format})).unwrap();
            // No format has a text of two lines with brackets.
            let mismatches = schema.mismatches(&json!("{[(\n")).unwrap();
            assert_eq!(mismatches.len(), 1, "{format}");
        }
    }

    #[test]
    fn tells_what_does_not_fit_and_where() {
        let schema = json!({"properties": {"items": {"minItems": 1}, "total": {"type": "number"}}});
        let schema = ValueSchema::compile(schema).unwrap();
        assert_eq!(
            schema.mismatches(&json!({"items": [1], "total": 2})),
            Ok(vec![])
        );
        let found = schema
            .mismatches(&json!({"items": [], "total": "2"}))
            .unwrap();
        let found: Vec<&str> = found
            .iter()
            .map(|mismatch| mismatch.pointer.as_str())
            .collect();
        assert_eq!(found, ["/items", "/total"]);
    }

    #[test]
    fn a_bad_schema_says_where_and_nothing_is_fetched() {
        let bad = ValueSchema::compile(json!({"properties": {"a": {"type": "text"}}})).unwrap_err();
        assert_eq!(bad.path, ["properties", "a", "type"]);
        assert!(ValueSchema::compile(json!({"$ref": "https://example.org/schema"})).is_err());
    }

    #[test]
    fn values_are_compared_as_rules_compare_them() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (schema, value, fits) in [
            (r#"{"const": 5}"#, "5.0", true),
            (r#"{"const": 5.0}"#, "5", true),
            (r#"{"enum": [1, 5]}"#, "5e0", true),
            (r#"{"const": {"total": 3}}"#, r#"{"total": 3.0}"#, true),
            (r#"{"enum": [[3]]}"#, "[3.0]", true),
            (r#"{"const": 1}"#, "true", false),
            (r#"{"const": 9007199254740993}"#, "9007199254740993", true),
            (r#"{"const": 9007199254740993}"#, "9007199254740992", false),
            (
                r#"{"const": 18446744073709551617}"#,
                "18446744073709551617",
                true,
            ),
            (
                r#"{"const": 18446744073709551617}"#,
                "18446744073709551616",
                false,
            ),
            (r#"{"type": "integer"}"#, "5.0", true),
            (r#"{"uniqueItems": true}"#, "[1, 1.0]", false),
            (
                r#"{"uniqueItems": true}"#,
                "[9007199254740993, 9007199254740992]",
                true,
            ),
        ] {
            let compiled = ValueSchema::compile(read(schema)).unwrap();
            let found = compiled.mismatches(&read(value)).unwrap();
            assert_eq!(found.is_empty(), fits, "{schema} {value}: {found:?}");
        }
    }

    #[test]
    fn a_schema_that_means_more_than_any_machine_checks_is_given_up() {
        let doubled = |keyword: &str| {
            let mut defs = serde_json::Map::new();
            defs.insert("n0".to_owned(), json!({"type": "integer"}));
            for number in 1..=40 {
                let below = json!({"$ref": format!("#/$defs/n{}", number - 1)});
                let part = if keyword == "if" {
                    json!({"if": below, "then": below, "else": below})
                } else {
                    json!({ keyword: [below, below] })
                };
                defs.insert(format!("n{number}"), part);
            }
            json!({"properties": {"n": {"$ref": "#/$defs/n40"}}, "$defs": defs})
        };
        let itself = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"node": {
                "patternProperties": {"^a": {"$ref": "#/definitions/node"}, "a$": {"$ref": "#/definitions/node"}},
            }},
            "properties": {"n": {"$ref": "#/definitions/node"}},
        });
        let deep = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
        for (schema, value) in [
            (doubled("anyOf"), json!("five")),
            (doubled("allOf"), json!(5)),
            (doubled("oneOf"), json!(5)),
            (doubled("if"), json!("five")),
            (itself, deep),
        ] {
            let compiled = ValueSchema::compile(schema.clone()).unwrap();
            let value = json!({ "n": value });
            let found =
                interruption::within(Duration::from_millis(50), || compiled.mismatches(&value));
            assert!(found.is_err(), "{schema}");
        }
    }

    #[test]
    fn counted_steps_change_no_answer() {
        for (schema, value, fits) in [
            (
                json!({"$defs": {"a": {"not": {"type": "string"}}}, "$ref": "#/$defs/a"}),
                json!("x"),
                false,
            ),
            (
                json!({"properties": {"anyOf": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"anyOf": [{"minimum": 3}]}}}),
                json!({"anyOf": 2}),
                false,
            ),
            (
                json!({"properties": {"a": {"const": {"anyOf": [1], "$ref": "x"}}}, "$defs": {}}),
                json!({"a": {"anyOf": [1], "$ref": "x"}}),
                true,
            ),
            (
                json!({"dependentRequired": {"not": ["b"]}, "$ref": "#/$defs/n", "$defs": {"n": true}}),
                json!({"not": 1}),
                false,
            ),
            (
                json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}),
                json!({"a": 1}),
                true,
            ),
            (
                json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}),
                json!({"b": 1}),
                false,
            ),
            (
                json!({"parts": {"n": {"oneOf": [{"type": "null"}, {"type": "integer"}]}}, "$ref": "#/parts/n"}),
                json!(null),
                true,
            ),
        ] {
            let compiled = ValueSchema::compile(schema.clone()).expect("a schema");
            assert_eq!(
                compiled.mismatches(&value) == Ok(Vec::new()),
                fits,
                "{schema} {value}"
            );
        }
    }

    #[test]
    fn a_schema_that_means_itself_ends() {
        let schema = ValueSchema::compile(json!({"$ref": "#"}));
        let found = schema.map(|schema| schema.mismatches(&json!({"a": 1})));
        assert!(found.is_err() || found == Ok(Ok(Vec::new())));
    }
}
