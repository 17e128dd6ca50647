//! One walk over a tree together with its schema: everything that is wrong with it, each mistake as one problem.
//!
//! For a union, the branch that is meant is picked (by `type`, by the only key, by the value's type), and the value is
//! compared with that branch alone. Good files are walked too, so this looks things up and compiles nothing.

use std::sync::Arc;

use serde_json::{Number, Value};

use super::demands::{SAME_AS, demands, is_demand, keyword};
use super::foreign_words::meanings;
use super::here::Here;
use super::lazy_schema::LazySchema;
use super::messages::{expected, one_of};
use super::problems::{KeyMeaning, Problems};
use super::prune::since;
use super::repairs::Repairs;
use super::schema_level::SchemaLevel;
use super::union::{self, Branch};
use super::{FileKind, Version};
use crate::model::{is_extension_key, is_reference};
use ananke_base::diagnostic::{Diagnostic, SourceFile, Span};
use ananke_base::source::{Entry, Node, NodeValue, printable};
use ananke_base::text::{is_one_typo, meant_boolean};

/// The key that declares the version of a file: it has rules and words of its own.
const VERSION: &str = "version";

/// The keys of a case that have assertions.
const ASSERTIONS: [&str; 4] = ["assert", "assertions", "assertion", "final_assertions"];

/// The most unknown keys of one mapping that are reported one by one: the time and memory of a problem are bounded for a file that is
/// none of ours.
const MOST_UNKNOWN: usize = 1_000;

/// The lists that make a file or a test: without them something else is missing.
const NEEDED_LISTS: [&str; 2] = ["turns", "tests"];

/// The fewest characters of an unknown key that is taken for a typo of a known one.
const SHORTEST_TYPO: usize = 4;

/// The result of a walk.
pub(super) struct CheckedTree {
    /// The problems, and the keys and branches that are newer than the file's version.
    pub(super) problems: Vec<Diagnostic>,
    /// The changes to the tree that make it readable all the same.
    pub(super) repairs: Repairs,
}

/// Holds a tree against the schema of its kind of file. Without a version (it is broken) nothing counts as newer.
pub(super) fn check(
    kind: FileKind,
    source: &Arc<SourceFile>,
    node: &Node,
    version: Option<Version>,
) -> CheckedTree {
    let schema = LazySchema::of(kind);
    let repairs = Repairs::new(schema);
    let version = version.filter(|version| *version < Version::newest());
    let mut check = Check {
        schema,
        policy: KeyPolicy::of(kind),
        version,
        declares: match node.get("version") {
            Some(_) => "this file says",
            None => "it has no `version`, and its config says",
        },
        needs: None,
        is_in_newer: false,
        levels: Vec::new(),
        problems: Problems::new(kind, schema, source),
        repairs,
    };
    check.value(&schema.root, node, None);
    if let (Some(version), Some(needed)) = (version, check.needs) {
        check.problems.offer_version(node, version, needed);
    }
    CheckedTree {
        problems: check.problems.list,
        repairs: check.repairs,
    }
}

/// Whether `false` is one of the forms that a value can have.
fn can_be_false(branches: &[Value]) -> bool {
    let is_false = |branch: &Value| keyword(branch, "const") == Some(&Value::Bool(false));
    branches.iter().any(is_false)
}

/// Whether a value is a Boolean or a reason in words, and has no other form.
fn is_boolean_or_reason(branches: &[Value]) -> bool {
    let types = || branches.iter().filter_map(|branch| keyword(branch, "type"));
    branches.len() == 2
        && types().eq(["boolean", "string"])
        && branches
            .iter()
            .all(|branch| keyword(branch, "pattern").is_none())
}

/// Whether a whole number is too large for every type of the model; one like `3.0` is not.
fn is_beyond_64_bits(number: &Number) -> bool {
    /// 2 to the power of 64.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    number.as_u64().is_none() && number.as_f64().is_some_and(|number| number >= BEYOND)
}

/// The policy of a kind of file for its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyPolicy {
    /// Each is one that the schema knows, and has a value.
    Exact,
    /// Programs write the file: an unknown key is odd, but in an assertion; one in another case is the known one.
    Lenient,
}

impl KeyPolicy {
    fn of(kind: FileKind) -> Self {
        match kind {
            FileKind::Config | FileKind::Test | FileKind::Script => Self::Exact,
            FileKind::Case => Self::Lenient,
        }
    }
}

struct Check<'a> {
    schema: &'static LazySchema,
    policy: KeyPolicy,
    /// The version of the file, if there are newer ones.
    version: Option<Version>,
    /// The file that declares the version, in words before it.
    declares: &'static str,
    /// The newest version that something in the file needs, if that is newer than the file says.
    needs: Option<Version>,
    /// Whether the walk is inside something that was reported as newer.
    is_in_newer: bool,
    /// The mappings around what is looked at, outermost first.
    levels: Vec<SchemaLevel>,
    problems: Problems<'a>,
    repairs: Repairs,
}

impl Check<'_> {
    fn value(&mut self, schema: &'static Value, node: &Node, entry: Option<&Entry>) {
        let mut here = Here::new(node, entry);
        self.apply(schema, &mut here);
        for (key, unless) in std::mem::take(&mut here.missing) {
            self.repairs.add(
                node,
                key,
                here.properties.and_then(|properties| properties.get(key)),
            );
            if !here.is_meant(key) && !unless.is_some_and(|unless| here.is_meant(unless)) {
                self.problems.missing_key(&here, key);
            }
        }
    }

    fn apply(&mut self, schema: &'static Value, here: &mut Here<'_>) {
        let Some(keywords) = schema.as_object() else {
            return;
        };
        let node = here.node;
        if let Some(name) = keyword(schema, "type").and_then(Value::as_str)
            && !union::is_of_type(node, name)
        {
            self.wrong_type(schema, &expected(schema), here);
            return;
        }
        for (name, value) in keywords {
            match (name.as_str(), value, &node.value) {
                ("$ref", Value::String(target), _) => self.definition(target, here),
                ("oneOf", Value::Array(branches), _) => self.one_of(schema, branches, here),
                ("anyOf", Value::Array(branches), _) if branches.iter().all(is_demand) => {
                    self.any_demand(branches, here);
                }
                ("anyOf", Value::Array(branches), _) => self.any_of(schema, branches, here),
                ("if", condition, NodeValue::Map(_)) => self.condition(schema, condition, here),
                ("const", constant, _) if !node.is_scalar(constant) => {
                    self.unknown_value(schema, here);
                }
                ("enum", Value::Array(options), _)
                    if !options.iter().any(|value| node.is_scalar(value)) =>
                {
                    self.unknown_value(schema, here);
                }
                ("properties", _, NodeValue::Map(entries)) => self.entries(schema, entries, here),
                ("additionalProperties", Value::Object(_), NodeValue::Map(entries))
                    if !keywords.contains_key("properties") =>
                {
                    self.values(value, entries);
                }
                ("required", _, NodeValue::Map(_)) => self.required(schema, here),
                ("items", items, NodeValue::List(list)) => self.items(items, list),
                ("minItems", least, NodeValue::List(list)) => {
                    self.at_least(least, list.len(), "entry", here);
                }
                ("minProperties", least, NodeValue::Map(entries)) => {
                    self.at_least(least, entries.len(), "entry", here);
                }
                ("minLength", least, NodeValue::String(text)) => {
                    self.at_least(least, text.chars().take(64).count(), "character", here);
                }
                ("type", Value::String(name), NodeValue::Number(number))
                    if name == "integer" && is_beyond_64_bits(number) =>
                {
                    self.too_large(schema, here);
                }
                ("minimum", least, NodeValue::Number(number))
                    if number.as_f64() < least.as_f64() =>
                {
                    self.too_small(schema, least, here);
                }
                _ => {}
            }
        }
    }

    fn definition(&mut self, target: &'static str, here: &mut Here<'_>) {
        here.definition = target.rsplit('/').next();
        if let Some(target) = self.schema.definition(target) {
            self.apply(target, here);
        }
    }

    /// Applies the first of `branches` if the mapping has the keys of none.
    fn any_demand(&mut self, branches: &'static [Value], here: &mut Here<'_>) {
        let node = here.node;
        let is_met = |branch| demands(branch).all(|key| node.get(key).is_some());
        if let (Some(first), false) = (branches.first(), branches.iter().any(is_met)) {
            self.apply(first, here);
        }
    }

    /// Reports a number that is too large for its type.
    fn too_large(&mut self, schema: &'static Value, here: &Here<'_>) {
        let bound = |name: &str| keyword(schema, name).and_then(Value::as_u64);
        let least = bound("minimum").unwrap_or(0);
        let most = bound("maximum").unwrap_or(u64::MAX);
        self.problems
            .out_of_range(here, &least.into(), &most.into());
        self.repairs.replace(here.node, schema);
    }

    /// Reports a number that is too small. One with bounds is reported when it is filled, as the value of a variable is:
    /// then no other problem of the file waits for it.
    fn too_small(&mut self, schema: &'static Value, least: &Value, here: &Here<'_>) {
        let is_whole = matches!(&here.node.value, NodeValue::Number(number) if number.is_u64());
        match keyword(schema, "maximum") {
            Some(_) if is_whole => return,
            Some(most) => self.problems.out_of_range(here, least, most),
            None => {
                let what = format!("must be at least {least}, found {}", here.node.describe());
                let help = format!("write {least} or more");
                self.problems.bad_value(here, &what, &help);
            }
        }
        self.repairs.replace(here.node, schema);
    }

    fn one_of(&mut self, schema: &'static Value, branches: &'static [Value], here: &mut Here<'_>) {
        let tags = || branches.iter().filter_map(union::tag).collect::<Vec<_>>();
        match union::pick(branches, here.node) {
            Branch::At(index) => {
                let branch = &branches[index];
                here.find_elsewhere(self.problems.kind, branches, index);
                let outer = self.is_in_newer;
                match (since(branch), union::tag(branch), here.node.get("type")) {
                    (Some(since), Some(tag), Some(written)) => {
                        self.newer(since, written.span, || format!("`type: {tag}`"));
                    }
                    // A word of a closed set.
                    (Some(since), None, _) => {
                        let word = here.node.as_str().unwrap_or_default();
                        self.newer(since, here.node.span, || format!("`{}`", printable(word)));
                    }
                    _ => {}
                }
                self.apply(branch, here);
                self.is_in_newer = outer;
                return;
            }
            Branch::NoMapping => self
                .problems
                .no_mapping(here, schema, branches, &self.levels),
            Branch::WrongType => {
                self.problems
                    .wrong_type(here, &one_of(branches), schema, &self.levels);
            }
            Branch::UnknownValue => self.problems.unknown_value(here, schema, &self.levels),
            Branch::UnknownTag(written) => self.problems.unknown_tag(written, &tags()),
            Branch::NoTag => self.problems.no_tag(here, branches, &tags()),
            Branch::WrongKeys => {
                let keys: Vec<&'static str> = branches.iter().filter_map(union::only_key).collect();
                self.problems.wrong_keys(here, &keys, &self.levels);
            }
        }
        self.repairs.replace(here.node, schema);
    }

    fn any_of(&mut self, schema: &'static Value, branches: &'static [Value], here: &mut Here<'_>) {
        if let Some((name, word)) = union::mixed_keys(branches, here.node) {
            self.problems.mixed_keys(name, word);
            self.repairs.replace(here.node, schema);
            return;
        }
        if let Branch::At(index) = union::pick_by_type(branches, here.node) {
            let form = &branches[index];
            // The one pattern in the schemas is that of a text instead of another type: exactly one reference.
            let is_formed =
                keyword(form, "pattern").is_none() || here.node.as_str().is_some_and(is_reference);
            if is_formed {
                let known = self.problems.list.len();
                match here.node.as_str().and_then(meant_boolean) {
                    Some(meant) if is_boolean_or_reason(branches) => {
                        self.problems.text_for_boolean(here, &meant.to_string());
                    }
                    Some(false) if can_be_false(branches) && !self.is_about_texts() => {
                        self.problems.text_for_false(here.node);
                    }
                    _ => {}
                }
                let outer = self.is_in_newer;
                // A text that was meant as `false` is one mistake.
                if let (Some(since), false) = (since(form), self.problems.list.len() > known) {
                    self.newer(since, here.node.span, || format!("{} here", expected(form)));
                }
                let known = self.problems.list.len();
                self.apply(form, here);
                if keyword(form, "enum").is_some() {
                    self.problems.add_mappings(known, schema);
                }
                self.is_in_newer = outer;
                return;
            }
        }
        self.wrong_type(schema, &one_of(branches), here);
    }

    /// Whether the mapping has the rules about what an agent says, which can be `no`; the name of a tool is not.
    fn is_about_texts(&self) -> bool {
        let level = self.levels.last();
        level.is_some_and(|level| level.properties.contains_key("must_match"))
    }

    /// Checks the schema that applies if a key is there that excludes all others, or else.
    fn condition(
        &mut self,
        schema: &'static Value,
        condition: &'static Value,
        here: &mut Here<'_>,
    ) {
        let Some(alone) = demands(condition).next() else {
            return;
        };
        if here.node.get(alone).is_none() {
            here.unless = Some(alone);
            if let Some(otherwise) = keyword(schema, "else") {
                self.apply(otherwise, here);
            }
            here.unless = None;
            return;
        }
        let is_among = |schema: Option<&Value>, entry: &Entry| {
            schema
                .and_then(|schema| keyword(schema, "properties")?.get(&entry.key))
                .is_some()
        };
        let then = keyword(schema, "then");
        let is_excluded = |entry: &&Entry| is_among(Some(schema), entry) && !is_among(then, entry);
        let excluded: Vec<&Entry> = here.node.entries().iter().filter(is_excluded).collect();
        for entry in &excluded {
            self.repairs.drop(&entry.value);
        }
        self.problems.beside(alone, &excluded);
    }

    fn entries(&mut self, schema: &'static Value, entries: &[Entry], here: &mut Here<'_>) {
        let Some(properties) = keyword(schema, "properties").and_then(Value::as_object) else {
            return;
        };
        here.properties = Some(properties);
        let own = keyword(schema, "patternProperties")
            .and_then(|patterns| patterns.as_object()?.values().next());
        let is_root = self.schema.is_root(schema);
        let mut unknown = Vec::new();
        for entry in entries {
            match (properties.get_key_value(&entry.key), own) {
                (Some((_, property)), _) if is_root && entry.key == VERSION => {
                    if entry.value.as_str().is_none() {
                        self.repairs.replace(&entry.value, property);
                    }
                }
                (Some((key, property)), _) => {
                    self.spelling(property, entry, here);
                    self.levels.push(SchemaLevel {
                        schema,
                        properties,
                        key,
                    });
                    self.property(property, entry);
                    self.levels.pop();
                }
                (None, Some(own)) if is_extension_key(&entry.key) => {
                    self.is_newer(own, entry);
                }
                _ => unknown.push(entry),
            }
        }
        if !unknown.is_empty()
            && keyword(schema, "additionalProperties") == Some(&Value::Bool(false))
        {
            let known: Vec<&str> = properties
                .iter()
                .filter(|(_, property)| keyword(property, SAME_AS).is_none())
                .map(|(key, _)| key.as_str())
                .collect();
            let (first, further) = unknown.split_at(unknown.len().min(MOST_UNKNOWN));
            for entry in first {
                self.unknown_key(entry, &known, here);
            }
            if let [next, ..] = further {
                self.problems.further_unknown_keys(next, further.len());
                if self.ignores_unknown_keys() {
                    self.problems.warn_of_last();
                }
                for entry in further {
                    self.repairs.ignore(&entry.value);
                }
            }
        }
    }

    /// Whether an unknown key is odd and no mistake. In an assertion it is a condition that would not be checked.
    fn ignores_unknown_keys(&self) -> bool {
        let is_assertion = |level: &SchemaLevel| ASSERTIONS.contains(&level.key);
        self.policy == KeyPolicy::Lenient && !self.levels.iter().any(is_assertion)
    }

    /// A key that is another spelling of a key gets the name of that one, which is there only once.
    fn spelling(&mut self, property: &'static Value, entry: &Entry, here: &Here<'_>) {
        let Some(same) = keyword(property, SAME_AS).and_then(Value::as_str) else {
            return;
        };
        if here.node.get(same).is_some() {
            self.problems.both_cases(entry, same);
            self.repairs.drop(&entry.value);
        } else {
            self.repairs.rename(&entry.value, same);
        }
    }

    fn unknown_key(&mut self, entry: &Entry, known: &[&'static str], here: &mut Here<'_>) {
        let is_lenient = self.policy == KeyPolicy::Lenient;
        let same = known
            .iter()
            .find(|known| is_lenient && known.eq_ignore_ascii_case(&entry.key));
        match same {
            Some(same) if here.node.get(same).is_none() && !here.is_meant(same) => {
                here.meant.push((*same).to_owned());
                self.problems.other_case(entry, same);
                self.repairs.rename(&entry.value, same);
            }
            Some(same) => {
                self.problems.both_cases(entry, same);
                self.repairs.drop(&entry.value);
            }
            None => {
                let meaning = self.problems.unknown_key(here, entry, known, &self.levels);
                let is_typo = known.iter().any(|known| is_typo_of(&entry.key, known));
                let is_ignored = !is_typo && !is_assertion_word(&entry.key, known);
                if self.ignores_unknown_keys() && is_ignored {
                    self.problems.warn_of_last();
                }
                match meaning {
                    KeyMeaning::Certain(key) if !is_lenient => {
                        self.repairs.rename(&entry.value, key);
                    }
                    KeyMeaning::Certain(_) | KeyMeaning::Possible => {
                        self.repairs.drop(&entry.value);
                    }
                    KeyMeaning::Unknown => self.repairs.ignore(&entry.value),
                }
            }
        }
    }

    fn property(&mut self, property: &'static Value, entry: &Entry) {
        let outer = self.is_in_newer;
        // `type` is newer with its branch.
        if keyword(property, "const").is_none() && self.is_newer(property, entry) {
            self.is_in_newer = true;
        } else {
            // `null` is a value like others if any value is allowed; no value at all is a mistake.
            let is_empty = entry.value.value == NodeValue::Null
                && entry.value.span.start == entry.value.span.end;
            if is_empty && !self.is_in_newer && union::is_free(property) {
                self.problems.empty_value(entry);
            }
        }
        self.value(property, &entry.value, Some(entry));
        self.is_in_newer = outer;
    }

    fn required(&mut self, schema: &'static Value, here: &mut Here<'_>) {
        let is_root = self.schema.is_root(schema);
        for key in demands(schema).filter(|key| here.node.get(key).is_none()) {
            if is_root && key == VERSION {
                self.repairs
                    .add(here.node, key, schema.pointer("/properties/version"));
            } else {
                here.missing.push((key, here.unless));
            }
        }
    }

    fn at_least(&mut self, least: &Value, count: usize, of: &str, here: &Here<'_>) {
        let Some(least) = least.as_u64().filter(|least| (count as u64) < *least) else {
            return;
        };
        let what = match (of, least) {
            ("entry", 1) => "needs at least one entry".to_owned(),
            ("entry", least) => format!("needs at least {least} entries"),
            (_, 1) => "must not be an empty text".to_owned(),
            (_, least) => format!("needs at least {least} characters"),
        };
        let help = match (here.entry, self.levels.last()) {
            (None, _) => "write one, or delete the entry",
            (Some(entry), Some(level)) if level.key == entry.key && level.is_required() => {
                "write one: the key is required"
            }
            // What a test needs is required in some way, though its schema names no single key.
            (Some(entry), _) if NEEDED_LISTS.contains(&entry.key.as_str()) => "write one",
            (Some(_), _) => "write one, or leave the key out",
        };
        self.problems.bad_value(here, &what, help);
    }

    fn items(&mut self, schema: &'static Value, items: &[Node]) {
        for item in items {
            self.value(schema, item, None);
        }
    }

    /// The values of a mapping with any keys.
    fn values(&mut self, schema: &'static Value, entries: &[Entry]) {
        for entry in entries {
            self.value(schema, &entry.value, Some(entry));
        }
    }

    /// Reports a value that is of another type than `expected`.
    fn wrong_type(&mut self, schema: &'static Value, expected: &str, here: &Here<'_>) {
        self.problems
            .wrong_type(here, expected, schema, &self.levels);
        self.repairs.replace(here.node, schema);
    }

    fn unknown_value(&mut self, schema: &'static Value, here: &Here<'_>) {
        self.problems.unknown_value(here, schema, &self.levels);
        self.repairs.replace(here.node, schema);
    }

    /// Whether a key is newer than the file says, which is reported.
    fn is_newer(&mut self, property: &Value, entry: &Entry) -> bool {
        let key = || format!("`{}`", printable(&entry.key));
        self.version
            .and_then(|_| since(property))
            .is_some_and(|since| self.newer(since, entry.key_span, key))
    }

    /// Reports `what` at `span` if it is newer than the file says; what is inside it is not reported as newer again.
    fn newer(&mut self, since: Version, span: Span, what: impl Fn() -> String) -> bool {
        let Some(version) = self
            .version
            .filter(|version| since > *version && !self.is_in_newer)
        else {
            return false;
        };
        let declared = format!("{} {version}", self.declares);
        self.problems.newer(&what(), since, &declared, span);
        self.needs = self.needs.max(Some(since));
        self.is_in_newer = true;
        true
    }
}

/// Whether an unknown key is a known one with a typo: ignoring it would drop what it says. Short keys are too near to each other.
fn is_typo_of(key: &str, known: &str) -> bool {
    key.chars().count() >= SHORTEST_TYPO && is_one_typo(key, known)
}

/// Whether an unknown key of a case says in other words what is checked: ignoring it would leave the case without its assertions.
fn is_assertion_word(key: &str, known: &[&str]) -> bool {
    let means_assertions = meanings(FileKind::Case, key).contains(&"assert");
    known.contains(&"assert") && (means_assertions || key.starts_with("expect"))
}
