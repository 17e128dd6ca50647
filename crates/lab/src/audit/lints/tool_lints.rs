//! The checks of what a model reads of the tools.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::promises::{described, is_one_of, promised};
use super::schema_places::{SchemaPlace, SchemaPlaces};
use ananke_base::message::DeclaredTool;
use ananke_trace::outcome::audit::{AuditCheck, AuditFinding};

/// The most findings of one check and one tool that are shown; the others are counted.
const MOST_SHOWN: usize = 10;

/// The first words of names of tools that write. Verbs that also name a computation (`add`, `merge`, `move`) are not among them.
const WRITING_VERBS: &str = "create delete destroy edit erase overwrite purge remove rename save send set update upload upsert wipe write";

/// The keywords of a schema that say what an object contains.
const CONTENTS: &str = "\
    $dynamicRef $ref additionalProperties allOf anyOf const default enum example examples if not oneOf \
    patternProperties properties propertyNames required unevaluatedProperties";

/// A tool, and what its schema contains.
struct LintedTool<'t> {
    tool: &'t DeclaredTool,
    places: Option<SchemaPlaces<'t>>,
    /// The names of its parameters at any depth.
    names: HashSet<&'t str>,
}

/// The findings about all `tools`, in their order.
pub fn lint_tools(tools: &[DeclaredTool]) -> Vec<AuditFinding> {
    let linted: Vec<LintedTool<'_>> = tools.iter().map(LintedTool::of).collect();
    let by_name: HashMap<&str, &LintedTool<'_>> = linted
        .iter()
        .map(|linted| (linted.tool.name.as_str(), linted))
        .collect();
    let mut folded_names: HashMap<String, &str> = HashMap::new();
    let mut findings = Vec::new();
    for linted in &linted {
        let mut found = ToolFindings {
            tool: &linted.tool.name,
            findings: Vec::new(),
        };
        lint_name(linted.tool, &mut folded_names, &mut found);
        lint_description(linted.tool, &mut found);
        linted.lint_places(&mut found);
        linted.lint_promises(&by_name, &mut found);
        findings.extend(found.findings);
    }
    findings
}

/// Whether a name is that of a tool before it but for case, `-` and `_`, and whether it contradicts a hint.
fn lint_name<'t>(
    tool: &'t DeclaredTool,
    folded_names: &mut HashMap<String, &'t str>,
    found: &mut ToolFindings<'_>,
) {
    let name = tool.name.as_str();
    let other = *folded_names.entry(folded(name)).or_insert(name);
    if other != name {
        let message = format!("the name differs from `{other}` in case, `-` or `_` alone");
        found.add(
            AuditCheck::SimilarName,
            None,
            message,
            r#""name": "…""#.to_owned(),
        );
    }
    let verb = first_word(name);
    if tool.is_read_only && is_one_of(&verb, WRITING_VERBS) {
        let message =
            format!("the tool says that it only reads, and its name begins with `{verb}`");
        let write = r#""readOnlyHint": false"#.to_owned();
        found.add(AuditCheck::ReadOnlyName, None, message, write);
    }
}

/// Whether a tool says what it does.
fn lint_description(tool: &DeclaredTool, found: &mut ToolFindings<'_>) {
    if tool.description.trim().is_empty() {
        let message = "the tool has no description".to_owned();
        let write = r#""description": "…""#.to_owned();
        found.add(AuditCheck::MissingDescription, None, message, write);
    }
}

impl<'t> LintedTool<'t> {
    fn of(tool: &'t DeclaredTool) -> Self {
        let places = tool.input.as_ref().map(SchemaPlaces::of);
        let names = places
            .iter()
            .flat_map(|found| &found.places)
            .filter_map(|place| place.parameter)
            .collect();
        Self {
            tool,
            places,
            names,
        }
    }

    /// The findings at each place of the schema of the arguments.
    fn lint_places(&self, found: &mut ToolFindings<'_>) {
        let Some(places) = &self.places else { return };
        let described = described(&self.tool.description);
        for place in &places.places {
            let at = Some(place.pointer.clone());
            let words = &place.words;
            if let Some(name) = place.parameter
                && !described.contains(name)
                && !is_constant(place)
                && !places.is_described(place.schema)
            {
                let message = format!("the parameter `{words}` has no description");
                let write = r#""description": "…""#.to_owned();
                found.add(
                    AuditCheck::MissingParameterDescription,
                    at.clone(),
                    message,
                    write,
                );
            }
            if is_bare_object(place.schema) {
                lint_bare_object(place, found);
            }
            if let Some([value]) = enum_of(place.schema)
                && !place.is_alternative
            {
                let message = format!(
                    "the `enum` of `{words}` has one value: add the others, or write that it is constant"
                );
                found.add(
                    AuditCheck::SingleValueEnum,
                    at,
                    message,
                    format!(r#""const": {value}"#),
                );
            }
        }
    }

    /// The parameters that a description promises, and that neither this tool has nor another one that the description names.
    fn lint_promises(
        &self,
        by_name: &HashMap<&str, &LintedTool<'_>>,
        found: &mut ToolFindings<'_>,
    ) {
        // An open schema takes every argument, and a reference to elsewhere may lead to any.
        let Some(places) = &self.places else { return };
        let Some(root) = self.tool.input.as_ref() else {
            return;
        };
        if !places.is_whole || is_open(root) {
            return;
        }
        let values = self.values_and_results();
        let in_tool = (String::new(), Some(self.tool.description.as_str()));
        let in_schema = places.places.iter().map(|place| {
            let description = place.schema.get("description").and_then(Value::as_str);
            (place.words.clone(), description)
        });
        for (of, description) in [in_tool].into_iter().chain(in_schema) {
            let Some(description) = description else {
                continue;
            };
            let named = tools_named_in(description, by_name);
            let is_known = |name: &str| {
                let is_of = |tool: &&LintedTool<'_>| tool.has_parameter(name);
                self.has_parameter(name) || named.iter().any(is_of)
            };
            for name in promised(description, &is_known) {
                if is_known(name) || by_name.contains_key(name) || values.contains(name) {
                    continue;
                }
                let of = if of.is_empty() {
                    String::new()
                } else {
                    format!(" of `{of}`")
                };
                let message = format!(
                    "the description{of} speaks of a parameter `{name}`, which the schema does not have"
                );
                let write = format!(r#"{}: {{ "type": "…", "description": "…" }}"#, json!(name));
                let at = Some("/properties".to_owned());
                found.add(AuditCheck::UnknownParameter, at, message, write);
            }
        }
    }

    /// Whether the tool has a parameter of this name; of a path such as `filter.from`, one of its parts.
    fn has_parameter(&self, name: &str) -> bool {
        name.split(['.', '[', ']'])
            .any(|part| self.names.contains(part))
    }

    /// The texts that are values of parameters, the names that are only required, and the names of fields of results.
    fn values_and_results(&self) -> HashSet<&str> {
        let of_results = self.tool.output.as_ref().map(SchemaPlaces::of);
        let results = of_results
            .iter()
            .flat_map(|found| &found.places)
            .filter_map(|place| place.parameter);
        let places = self.places.iter().flat_map(|found| &found.places);
        let values = places.flat_map(|place| {
            let lists = ["enum", "examples", "required"]
                .into_iter()
                .filter_map(|keyword| place.schema.get(keyword)?.as_array())
                .flatten();
            let single = ["const", "default", "example"]
                .into_iter()
                .filter_map(|keyword| place.schema.get(keyword));
            lists.chain(single).filter_map(Value::as_str)
        });
        values.chain(results).collect()
    }
}

fn lint_bare_object(place: &SchemaPlace<'_>, found: &mut ToolFindings<'_>) {
    let (message, write) = if place.pointer.is_empty() {
        (
            "the schema of the arguments has no `properties`, which some clients refuse".to_owned(),
            r#""properties": {}"#,
        )
    } else {
        (
            format!(
                "`{}` is an object, and nothing says what it contains",
                place.words
            ),
            r#""properties": { "…": { "type": "…", "description": "…" } }"#,
        )
    };
    let at = Some(place.pointer.clone());
    found.add(
        AuditCheck::ObjectWithoutProperties,
        at,
        message,
        write.to_owned(),
    );
}

/// The tools whose names are words of `text`.
fn tools_named_in<'l, 't>(
    text: &str,
    by_name: &HashMap<&str, &'l LintedTool<'t>>,
) -> Vec<&'l LintedTool<'t>> {
    let is_part = |character: char| character.is_alphanumeric() || "_-./".contains(character);
    text.split(|character| !is_part(character))
        .filter_map(|word| by_name.get(word.trim_end_matches('.')).copied())
        .collect()
}

/// Whether an object takes arguments that it does not name.
fn is_open(schema: &Value) -> bool {
    let takes_others =
        |keyword: &str| !matches!(schema.get(keyword), None | Some(Value::Bool(false)));
    takes_others("additionalProperties") || takes_others("patternProperties")
}

fn is_bare_object(schema: &Value) -> bool {
    let is_object = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.contains(&Value::from("object")),
        _ => false,
    };
    is_object
        && CONTENTS
            .split(' ')
            .all(|keyword| schema.get(keyword).is_none())
}

/// Whether a parameter has one value, which distinguishes alternatives or is the only one that there is.
fn is_constant(place: &SchemaPlace<'_>) -> bool {
    let is_single = matches!(enum_of(place.schema), Some([_]));
    place.schema.get("const").is_some() || (place.is_alternative && is_single)
}

fn enum_of(schema: &Value) -> Option<&[Value]> {
    Some(schema.get("enum")?.as_array()?.as_slice())
}

/// A name without its case, `-` and `_`.
fn folded(name: &str) -> String {
    let characters = name.chars().filter(|character| !"-_".contains(*character));
    characters.flat_map(char::to_lowercase).collect()
}

/// The first word of a name in lowercase: `delete` in `delete_file`, `deleteFile` and `Delete-File`.
fn first_word(name: &str) -> String {
    let end = name
        .char_indices()
        .skip(1)
        .find(|(_, character)| !character.is_lowercase())
        .map_or(name.len(), |(index, _)| index);
    name[..end].to_lowercase()
}

/// The findings about one tool.
struct ToolFindings<'t> {
    tool: &'t str,
    findings: Vec<AuditFinding>,
}

impl ToolFindings<'_> {
    /// Adds a finding at `path`, with what to write there. Only the first ones of a check are kept.
    fn add(&mut self, check: AuditCheck, path: Option<String>, message: String, write: String) {
        let of_check = |finding: &&mut AuditFinding| finding.check == check;
        let mut same: Vec<&mut AuditFinding> = self.findings.iter_mut().filter(of_check).collect();
        if same.len() < MOST_SHOWN {
            let finding = AuditFinding::of_tool(check, self.tool, message);
            self.findings.push(finding.writing(path, write));
        } else if let Some(last) = same.last_mut() {
            last.more += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn tool(name: &str, description: &str, input: Value) -> DeclaredTool {
        DeclaredTool {
            name: name.to_owned(),
            description: description.to_owned(),
            input: Some(input),
            output: None,
            may_change_data: false,
            is_read_only: false,
            rest: Map::new(),
        }
    }

    /// The findings: check, path, and what to write.
    fn found(tools: &[DeclaredTool]) -> Vec<String> {
        let shown = |finding: AuditFinding| {
            let path = finding.path.unwrap_or_default();
            format!(
                "{} {path} {}",
                finding.check.as_str(),
                finding.write.unwrap_or_default()
            )
        };
        lint_tools(tools).into_iter().map(shown).collect()
    }

    fn of_schema(description: &str, input: Value) -> Vec<String> {
        found(&[tool("find", description, input)])
    }

    #[test]
    fn a_parameter_is_described_in_its_schema_or_by_a_line() {
        let described = json!({ "type": "object", "properties": { "city": { "type": "string", "description": "The city" } } });
        assert_eq!(of_schema("Finds", described), [""; 0]);
        let bare = json!({
            "type": "object",
            "properties": { "city": {}, "near": { "type": "object", "properties": { "lat": { "type": "number" } } } },
        });
        assert_eq!(
            of_schema("Finds\n\nArgs:\n  near: where\n", bare),
            [
                "missing-parameter-description /properties/city \"description\": \"…\"",
                "missing-parameter-description /properties/near/properties/lat \"description\": \"…\"",
            ]
        );
        let constants = json!({ "type": "object", "properties": { "kind": { "const": "a" } } });
        assert_eq!(of_schema("Finds", constants), [""; 0]);
    }

    #[test]
    fn an_object_says_what_it_contains() {
        assert_eq!(
            of_schema("Finds", json!({ "type": "object" })),
            ["object-without-properties  \"properties\": {}"]
        );
        for input in [
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "additionalProperties": false }),
            json!({ "type": "object", "properties": { "map": {
                "type": "object", "description": "Any", "additionalProperties": true } } }),
            json!({ "type": "string" }),
        ] {
            assert_eq!(of_schema("Finds", input.clone()), [""; 0], "{input}");
        }
        let nested = json!({ "type": "object", "properties": { "filter": {
            "type": ["object", "null"], "description": "What to find" } } });
        assert_eq!(
            of_schema("Finds", nested),
            [
                "object-without-properties /properties/filter \"properties\": { \"…\": { \"type\": \"…\", \"description\": \"…\" } }"
            ]
        );
    }

    #[test]
    fn an_enum_of_one_is_no_choice_unless_it_distinguishes_alternatives() {
        let one = json!({ "enum": ["C"], "description": "The unit" });
        let other = json!({ "enum": ["F"], "description": "The unit" });
        let properties = |unit: Value| json!({ "type": "object", "properties": { "unit": unit } });
        let expected = ["single-value-enum /properties/unit \"const\": \"C\""];
        assert_eq!(of_schema("Finds", properties(one.clone())), expected);
        let either = json!({ "anyOf": [one, other] });
        assert_eq!(of_schema("Finds", properties(either)), [""; 0]);
        let choice = json!({ "enum": ["C", "F"], "description": "The unit" });
        assert_eq!(of_schema("Finds", properties(choice)), [""; 0]);
    }

    #[test]
    fn a_tool_says_what_it_does() {
        let none = || json!({ "type": "object", "properties": {} });
        assert_eq!(of_schema("Finds", none()), [""; 0]);
        let expected = ["missing-description  \"description\": \"…\""];
        assert_eq!(of_schema(" ", none()), expected);
    }

    #[test]
    fn names_that_differ_in_case_alone_are_found() {
        let none = || json!({ "type": "object", "properties": {} });
        let of_name = |name: &str| tool(name, "Finds", none());
        let tools = ["get_user", "getUser", "get_users", "GET-USER", "get_user"].map(of_name);
        let message = "the name differs from `get_user` in case, `-` or `_` alone";
        let found: Vec<AuditFinding> = lint_tools(&tools);
        let names: Vec<_> = found
            .iter()
            .map(|finding| finding.tool.as_deref())
            .collect();
        assert_eq!(names, [Some("getUser"), Some("GET-USER")]);
        assert!(
            found.iter().all(|finding| finding.message == message),
            "{found:?}"
        );
    }

    #[test]
    fn a_read_only_tool_is_not_called_after_writing() {
        let named = |name: &str, is_read_only| DeclaredTool {
            is_read_only,
            ..tool(name, "Works", json!({ "type": "object", "properties": {} }))
        };
        let expected = ["read-only-name  \"readOnlyHint\": false"];
        for name in [
            "delete_file",
            "deleteFile",
            "Delete",
            "set-alarm",
            "update.user",
        ] {
            assert_eq!(found(&[named(name, true)]), expected, "{name}");
            assert_eq!(found(&[named(name, false)]), [""; 0], "{name}");
        }
        for name in ["settings", "get_updates", "deleted_items", "sender", "add"] {
            assert_eq!(found(&[named(name, true)]), [""; 0], "{name}");
        }
    }

    #[test]
    fn a_description_speaks_of_parameters_that_there_are() {
        let input = json!({
            "type": "object",
            "properties": {
                "query": { "description": "ignored if the `all` parameter is set" },
                "sort": { "enum": ["new", "old"], "description": "How" },
                "page": { "type": "object", "properties": { "size": { "description": "Items" } }, "description": "Which" },
            },
        });
        let missing =
            "unknown-parameter /properties \"all\": { \"type\": \"…\", \"description\": \"…\" }";
        assert_eq!(
            of_schema("Takes `query`, the `page.size` argument", input.clone()),
            [missing]
        );
        let limit =
            "unknown-parameter /properties \"limit\": { \"type\": \"…\", \"description\": \"…\" }";
        assert_eq!(
            of_schema("The `limit` parameter bounds it", input.clone()),
            [limit, missing]
        );
        // The argument of another tool, which the description names.
        let other =
            json!({ "type": "object", "properties": { "limit": { "description": "Most" } } });
        let tools = [
            tool("find", "As the `limit` parameter of list_all.", input),
            tool("list_all", "Lists", other),
        ];
        assert_eq!(found(&tools), [missing]);
        for open in [
            json!({ "type": "object", "additionalProperties": {} }),
            json!({ "$ref": "https://example.org/schema" }),
        ] {
            assert_eq!(of_schema("The `limit` parameter bounds it", open), [""; 0]);
        }
    }

    #[test]
    fn many_findings_of_a_check_are_counted() {
        let properties: Map<String, Value> =
            (0..25).map(|n| (format!("p{n}"), json!({}))).collect();
        let tools = [tool(
            "find",
            "Finds",
            json!({ "type": "object", "properties": properties }),
        )];
        let found = lint_tools(&tools);
        assert_eq!((found.len(), found[9].more), (10, 15));
    }
}
