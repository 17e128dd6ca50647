//! The patterns within a JSON Schema: which are valid, and the schema with each as the engine reads it.
//!
//! **Invariant:** a pattern is called invalid only where the standard reads it as one, and only if ECMA-262 says so.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::ecma_pattern::translated;
use super::idle_words::SCHEMAS;
use super::interruptible::{COSTLY_STEP, MAPS, VALUES, push_step};
use super::schema_error::SchemaError;

/// The validator of one pattern: the grammar of ECMA-262 itself.
static ECMA_262: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&json!({ "format": "regex" })).ok()
});

/// The patterns that a schema has.
#[derive(Default)]
pub(super) struct SchemaPatterns {
    /// Those that the engine writes differently, each in its words and as written.
    pub(super) rewritten: Vec<(String, String)>,
    /// The first that the engine has no words for.
    pub(super) untranslated: Option<String>,
    is_changed: bool,
}

/// What the standard makes of a part of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaPartKind {
    Schema,
    /// The value of a keyword that the standard does not know: a reference may use it as a schema.
    Unknown,
}

/// Reads the patterns of `schema`. The second value is the schema to compile, if that is another one.
///
/// # Errors
/// If a pattern is not valid.
pub(super) fn with_patterns(
    schema: &Value,
) -> Result<(SchemaPatterns, Option<Value>), SchemaError> {
    let mut patterns = SchemaPatterns::default();
    if !has_patterns(schema) {
        return Ok((patterns, None));
    }
    let mut copy = schema.clone();
    patterns.read(&mut copy, &mut Vec::new(), SchemaPartKind::Schema)?;
    let compiled = patterns.is_changed.then_some(copy);
    Ok((patterns, compiled))
}

/// A test that a key somewhere in `schema` is that of patterns.
fn has_patterns(schema: &Value) -> bool {
    match schema {
        Value::Object(keys) => keys
            .iter()
            .any(|(key, value)| key.starts_with("pattern") || has_patterns(value)),
        Value::Array(items) => items.iter().any(has_patterns),
        _ => false,
    }
}

impl SchemaPatterns {
    /// Reads a part, and rewrites its patterns.
    fn read(
        &mut self,
        part: &mut Value,
        path: &mut Vec<String>,
        kind: SchemaPartKind,
    ) -> Result<(), SchemaError> {
        let keys = match part {
            Value::Object(keys) => keys,
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.below(item, &index.to_string(), path, kind)?;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let is_backtracking = self.own_patterns(keys, path, kind)?;
        for (key, value) in keys.iter_mut() {
            match value {
                _ if VALUES.contains(&key.as_str()) => {}
                Value::Object(named) if MAPS.contains(&key.as_str()) => {
                    path.push(key.clone());
                    for (name, schema) in named.iter_mut() {
                        self.below(schema, name, path, kind)?;
                    }
                    path.pop();
                }
                _ if SCHEMAS.contains(&key.as_str()) => self.below(value, key, path, kind)?,
                _ => self.below(value, key, path, SchemaPartKind::Unknown)?,
            }
        }
        // Between two patterns that take long there is a look at the clock.
        if is_backtracking {
            self.is_changed = true;
            push_step(keys, COSTLY_STEP);
        }
        Ok(())
    }

    fn below(
        &mut self,
        part: &mut Value,
        step: &str,
        path: &mut Vec<String>,
        kind: SchemaPartKind,
    ) -> Result<(), SchemaError> {
        path.push(step.to_owned());
        self.read(part, path, kind)?;
        path.pop();
        Ok(())
    }

    /// Rewrites `pattern` and `patternProperties`. Answers whether one of the patterns may take long.
    fn own_patterns(
        &mut self,
        keys: &mut Map<String, Value>,
        path: &[String],
        kind: SchemaPartKind,
    ) -> Result<bool, SchemaError> {
        let mut is_backtracking = false;
        if let Some(Value::String(pattern)) = keys.get_mut("pattern") {
            let place = path.iter().map(String::as_str).chain(["pattern"]);
            is_backtracking |= self.rewrite(pattern, place, kind)?;
        }
        if let Some(Value::Object(named)) = keys.get_mut("patternProperties") {
            for (mut pattern, schema) in std::mem::take(named) {
                let place = path.iter().map(String::as_str);
                let place = place.chain(["patternProperties"]);
                is_backtracking |= self.rewrite(&mut pattern, place, kind)?;
                named.insert(pattern, schema);
            }
        }
        Ok(is_backtracking)
    }

    /// Rewrites one pattern as the engine reads it. Answers whether it may take long.
    fn rewrite<'s>(
        &mut self,
        pattern: &mut String,
        place: impl Iterator<Item = &'s str>,
        kind: SchemaPartKind,
    ) -> Result<bool, SchemaError> {
        let written = Value::from(pattern.as_str());
        if ECMA_262
            .as_ref()
            .is_some_and(|known| !known.is_valid(&written))
        {
            if kind == SchemaPartKind::Unknown {
                return Ok(false);
            }
            return Err(SchemaError {
                path: place.map(str::to_owned).collect(),
                message: format!("{written} is not a regular expression of ECMA-262"),
            });
        }
        let Some(engine) = translated(pattern) else {
            self.untranslated.get_or_insert_with(|| pattern.clone());
            return Ok(false);
        };
        if engine.text != *pattern {
            self.is_changed = true;
            let written = std::mem::replace(pattern, engine.text.clone());
            self.rewritten.push((engine.text, written));
        }
        Ok(engine.is_backtracking)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::value::ValueSchema;
    use ananke_base::context::interruption;

    #[test]
    fn patterns_are_those_of_ecma_262() {
        for (pattern, fitting, others) in [
            (
                r"^(?!__.*__$)[^\p{Cc}]{1,200}$",
                &["hello", "__a"][..],
                &["__a__", "a\tb", ""][..],
            ),
            (r"^(?!__)\p{L}+$", &["Zoë"], &["Zoë7", "__a"]),
            // Digits, letters, spaces and edges of words, with look-around and without.
            (r"^\d+$", &["12"], &["\u{661}"]),
            (r"^(?=.)\d+$", &["12"], &["\u{661}"]),
            (r"^(?=.)\w+$", &["a_1"], &["é"]),
            (r"^(?=.)[\W]+$", &["é-"], &["a"]),
            (r"^(?=[^])\s$", &["\u{feff}", "\u{2028}"], &["\u{85}"]),
            (r"\bcaf\b", &["a caf", "café"], &["cafe"]),
            (r"caf\B", &["cafe"], &["caf", "café"]),
            (r"^a.b$", &["a\u{85}b"], &["a\rb", "a\nb", "a\u{2028}b"]),
            (r"^[^]$", &["\n"], &["", "ab"]),
            (r"^a[]?$", &["a"], &["ab"]),
            // Escapes.
            (r"^\/\-\<$", &["/-<"], &["/-"]),
            (r"^\cI\0\x41\u0042\u{1F600}$", &["\t\0AB😀"], &["\t0AB😀"]),
            (r"^\uD83D\uDE00$", &["😀"], &["\u{fffd}"]),
            (r"^[\uD83D\uDE00-\uD83D\uDE4F]$", &["😀"], &["a"]),
            (r"^[^\uD800-\uDFFF]+$", &["a😀"], &[""]),
            (r"^[a\-z\]^&&~~[]+$", &["a-z]^&~["], &["b"]),
            (r"^[\b]$", &["\u{8}"], &["b"]),
            // References, also to what has matched nothing.
            (r#"^(?<q>["'])x\k<q>$"#, &["'x'"], &["'x\""]),
            (r"^(?:x(a)\1|b(?=(c))\2c)$", &["xaa"], &["xa", "bc"]),
            (r"^(\w)(\w)\2\1$", &["abba"], &["abab"]),
            (r"(?<=\$)\d+(?:\.\d*)?", &["$10.53"], &["10.53"]),
            (r"(?<!a+)b$", &["cb"], &["aab"]),
            (r"^(?i:a)b$", &["Ab"], &["AB"]),
        ] {
            let schema = ValueSchema::compile(json!({ "pattern": pattern })).unwrap();
            let keys =
                json!({ "patternProperties": {pattern: true}, "additionalProperties": false });
            let keys = ValueSchema::compile(keys).unwrap();
            for (texts, fits) in [(fitting, true), (others, false)] {
                for text in texts {
                    let found = schema.mismatches(&json!(text)).unwrap();
                    assert_eq!(found.is_empty(), fits, "{pattern} {text:?}: {found:?}");
                    let quoted = found
                        .iter()
                        .all(|one| one.message.contains(&format!("\"{pattern}\"")));
                    assert!(quoted, "{found:?}");
                    let found = keys.mismatches(&json!({ *text: 1 })).unwrap();
                    assert_eq!(found.is_empty(), fits, "{pattern} {text:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn a_pattern_is_invalid_only_if_ecma_262_says_so() {
        for pattern in [
            "(",
            "a**",
            "[b-a]",
            "a{2,1}",
            r"\",
            r"\k<q>",
            r"(?=a)*",
            r"a++",
            r"\2(a)",
            r"\p{L",
            r"(?>a)",
            r"(?P<n>a)",
            "^{x}$",
            r"\Aa\z",
        ] {
            for (schema, path) in [
                (
                    json!({"items": {"pattern": pattern}}),
                    &["items", "pattern"][..],
                ),
                (
                    json!({"patternProperties": {pattern: true}}),
                    &["patternProperties"],
                ),
            ] {
                let error = ValueSchema::compile(schema).unwrap_err();
                assert_eq!(error.path, path, "{pattern}: {error:?}");
            }
            // The standard knows neither as a pattern.
            for schema in [
                json!({"const": {"pattern": pattern}}),
                json!({"x-shown": {"pattern": pattern}}),
                json!({"properties": {"pattern": {"const": pattern}}}),
            ] {
                assert!(ValueSchema::compile(schema.clone()).is_ok(), "{schema}");
            }
        }
        // Valid, and more than the engine has words for.
        for pattern in [
            r"^(a)?b\1$",
            r"^(?:(a)|b)\1$",
            r"\1(a)",
            r"\p{Script=Unheard}",
            "(?s:.)",
            r"(?:(?<y>a)|(?<y>b))\k<y>",
        ] {
            let schema = ValueSchema::compile(json!({ "pattern": pattern })).unwrap();
            let error = schema.mismatches(&json!("a")).unwrap_err();
            assert!(
                error.message.contains("is not supported"),
                "{pattern}: {error:?}"
            );
        }
    }

    #[test]
    fn a_pattern_with_too_many_ways_decides_nothing() {
        let schema =
            json!({"properties": {"a": {"pattern": r"^(?:(?=a)a+)+$"}, "b": {"type": "integer"}}});
        let schema = ValueSchema::compile(schema).unwrap();
        let long = "a".repeat(60) + "!";
        let error = schema.mismatches(&json!({"a": long, "b": 1})).unwrap_err();
        assert_eq!(
            error.message,
            "a pattern takes too many steps for the text at `/a`"
        );
        // What is wrong whatever the pattern says is found.
        let found = schema.mismatches(&json!({"a": long, "b": "x"})).unwrap();
        assert_eq!(found[0].pointer, "/b");
        // Many of them end with the time for all.
        let schema =
            ValueSchema::compile(json!({"items": {"pattern": r"^(?:(?=a)a+)+$"}})).unwrap();
        let all: Vec<String> = (0..10_000)
            .map(|number| format!("{long}{number}"))
            .collect();
        let found =
            interruption::within(Duration::from_millis(50), || schema.mismatches(&json!(all)));
        assert_eq!(found, Err(interruption::Interrupted));
    }
}
