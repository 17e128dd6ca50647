//! Words of a JSON Schema that check nothing: a keyword with a typo, a format that nothing knows.
//!
//! **Invariant:** only what is a schema is looked at, never the name of a property nor a value.

use serde_json::{Map, Value};

use ananke_base::text::{nearest, suggest};

/// The keywords of all drafts, and those of `OpenAPI` that are near one of them.
const KEYWORDS: &str = "$anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary \
    additionalItems additionalProperties allOf anyOf const contains contentEncoding contentMediaType contentSchema \
    default definitions dependencies dependentRequired dependentSchemas deprecated description else enum example \
    examples exclusiveMaximum exclusiveMinimum format id if items maxContains maxItems maxLength maxProperties \
    maximum minContains minItems minLength minProperties minimum multipleOf not oneOf pattern patternProperties \
    prefixItems properties propertyNames readOnly required then title type unevaluatedItems unevaluatedProperties \
    uniqueItems writeOnly";

/// Keywords that hold a schema, or a list of schemas.
pub(super) const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords that hold schemas by name.
const NAMED_SCHEMAS: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The formats that are checked, in the order of the drafts that added them.
pub(crate) const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "regex",
    "time",
    "uri",
    "json-pointer",
    "uri-reference",
    "uri-template",
    "iri",
    "iri-reference",
    "relative-json-pointer",
    "duration",
    "uuid",
];

/// Older drafts in a `$schema`, with the number of formats that each has.
const OLDER_DRAFTS: [(&str, usize); 3] = [("draft-04", 9), ("draft-06", 12), ("draft-07", 15)];

/// A word of a schema that checks nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleWord {
    /// The keys and positions that lead to the schema in which it is.
    pub path: Vec<String>,
    /// The keyword that it is, or whose value it is.
    pub key: String,
    /// The word, and why it checks nothing.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// The words of `schema` that check nothing, in their order.
pub fn idle_words(schema: &Value) -> Vec<IdleWord> {
    let draft = schema.get("$schema").and_then(Value::as_str);
    let older = OLDER_DRAFTS
        .iter()
        .find(|(name, _)| draft.is_some_and(|draft| draft.contains(name)));
    let mut search = IdleSearch {
        formats: &FORMATS[..older.map_or(FORMATS.len(), |(_, count)| *count)],
        path: Vec::new(),
        found: Vec::new(),
    };
    search.schema(schema);
    search.found
}

/// The search so far.
struct IdleSearch {
    /// The formats of the draft.
    formats: &'static [&'static str],
    /// The keys and positions that lead to the schema that is looked at.
    path: Vec<String>,
    found: Vec<IdleWord>,
}

impl IdleSearch {
    fn schema(&mut self, schema: &Value) {
        let Value::Object(keywords) = schema else {
            return;
        };
        for (key, value) in keywords {
            let word = self.idle_word(keywords, key, value);
            self.found.extend(word);
            self.path.push(key.clone());
            match value {
                Value::Array(items) if SCHEMAS.contains(&key.as_str()) => {
                    for (place, item) in items.iter().enumerate() {
                        self.within(item, place.to_string());
                    }
                }
                Value::Object(schemas) if NAMED_SCHEMAS.contains(&key.as_str()) => {
                    for (name, inner) in schemas {
                        self.within(inner, name.clone());
                    }
                }
                inner if SCHEMAS.contains(&key.as_str()) => self.schema(inner),
                _ => {}
            }
            self.path.pop();
        }
    }

    fn within(&mut self, schema: &Value, step: String) {
        self.path.push(step);
        self.schema(schema);
        self.path.pop();
    }

    fn idle_word(
        &self,
        keywords: &Map<String, Value>,
        key: &str,
        value: &Value,
    ) -> Option<IdleWord> {
        let known = || KEYWORDS.split(' ');
        let (message, help) = match value.as_str() {
            Some(format) if key == "format" && !self.formats.contains(&format) => (
                format!("the format `{format}` is not known, and is not checked"),
                suggest(format, self.formats, "the formats are"),
            ),
            _ if known().any(|known| known == key) => return None,
            // A keyword that is near none is an annotation.
            _ => {
                let meant = nearest(key, known()).filter(|meant| !keywords.contains_key(*meant))?;
                (
                    format!("`{key}` is no keyword of JSON Schema, and checks nothing"),
                    format!("did you mean `{meant}`?"),
                )
            }
        };
        Some(IdleWord {
            path: self.path.clone(),
            key: key.to_owned(),
            message,
            help,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keywords_with_a_typo_and_unknown_formats_are_found_in_schemas_alone() {
        let schema = json!({
            "typ": "object",
            "requierd": ["a"],
            "x-own": 1,
            "nullable": true,
            "example": { "typ": 1 },
            "properties": {
                "typ": { "type": "string", "format": "emial" },
                "mail": { "format": "email" },
                "all": { "items": [{ "minimun": 1 }], "enum": [{ "typ": 1 }] },
            },
        });
        let found = idle_words(&schema);
        let shown: Vec<_> = found
            .iter()
            .map(|word| format!("{}/{} {}", word.path.join("/"), word.key, word.help))
            .collect();
        assert_eq!(
            shown,
            [
                "/typ did you mean `type`?",
                "/requierd did you mean `required`?",
                "properties/typ/format did you mean `email`?",
                "properties/all/items/0/minimun did you mean `minimum`?",
            ]
        );
    }

    #[test]
    fn a_format_that_is_near_none_is_reported_with_all() {
        let [word] = &idle_words(&json!({ "format": "phone-number" }))[..] else {
            panic!("one word")
        };
        assert_eq!(
            word.message,
            "the format `phone-number` is not known, and is not checked"
        );
        assert!(word.help.starts_with("the formats are: `date`"));
    }

    #[test]
    fn an_older_draft_has_fewer_formats() {
        for (draft, count) in [("draft-07", 1), ("draft/2020-12", 0)] {
            let schema = json!({ "$schema": format!("https://json-schema.org/{draft}/schema#"), "format": "uuid" });
            assert_eq!(idle_words(&schema).len(), count, "{draft}");
        }
    }
}
