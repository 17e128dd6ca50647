//! The names of tools and of their arguments in a run: those that exist, and those in rules that no agent called or sent.
//!
//! The names of every attempt flow in, those that are probably misspelled come out when all tests are over. **Invariant:** what
//! is kept is bounded; within these bounds, what is found does not depend on the order in which tests end.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use ananke_base::context::lock;
use ananke_base::diagnostic::Place;
use ananke_base::message::{DeclaredTool, ToolDeclaration};
use ananke_base::text::{Spellings, after_prefixes, is_one_typo};
use ananke_model::variables::call_as_name;
use ananke_rules::NamedTool;
use ananke_trace::outcome::{NearName, NearNames};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Args, Trace};
use serde_json::Value;

/// The number of names of each kind that are kept.
const MOST_NAMES: usize = 2000;

/// At how many places a name in rules is kept.
const MOST_PLACES: usize = 20;

/// The longest name that is kept, in bytes; no tool has a longer one.
const LONGEST: usize = 128;

/// The fewest characters of a name in which a typo is looked for: among shorter ones many are one typo apart (`get`, `set`).
const SHORTEST: usize = 4;

/// The names of tools in a run.
#[derive(Debug, Default)]
pub(crate) struct ToolNames(Mutex<Names>);

#[derive(Debug, Default)]
struct Names {
    /// The names of tools that were called, or that a test gives its agent.
    existing: BTreeSet<String>,
    /// The parts after the prefixes of these names.
    existing_suffixes: BTreeSet<String>,
    /// The names of tools in rules that were not called so far, with their first places and the rule there.
    named: BTreeMap<RuleName, BTreeSet<(Place, &'static str)>>,
    /// The arguments that calls had or that tools declare, by tool.
    existing_arguments: BTreeSet<(String, String)>,
    /// The arguments of tools in rules, with their first places and the rule there.
    named_arguments: BTreeMap<(RuleName, String), BTreeSet<(Place, &'static str)>>,
    /// More tools exist than are kept.
    is_full: bool,
    /// Rules name more tools than are kept.
    is_partial: bool,
    /// Whether a tool that a test called is not known.
    is_unknown: bool,
}

/// The name of a tool in a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RuleName {
    /// The whole name.
    Whole(String),
    /// The end of the name: something may be before it that ends with `__` or `.`.
    Suffix(String),
}

impl RuleName {
    fn as_str(&self) -> &str {
        let (Self::Whole(name) | Self::Suffix(name)) = self;
        name
    }

    fn is_suffix(&self) -> bool {
        matches!(self, Self::Suffix(_))
    }

    /// Whether a rule with this name is about the tool `name`.
    fn is_of(&self, name: &str) -> bool {
        let suffix = self.as_str();
        name == suffix || self.is_suffix() && after_prefixes(name).any(|rest| rest == suffix)
    }
}

impl ToolNames {
    /// Adds the names of tools that exist.
    pub(crate) fn exist<'n>(&self, names: impl IntoIterator<Item = &'n str>, redactor: &Redactor) {
        let distinct: BTreeSet<&str> = names.into_iter().collect();
        let mut collected = self.names();
        for name in distinct {
            if !is_secret(name, redactor) {
                collected.add_tool(name);
            }
        }
    }

    /// Adds the names of tools and arguments in the rules of a test. When all tests are over, those that no agent used are
    /// compared with the names that exist.
    pub(crate) fn name<'r>(
        &self,
        tools: impl IntoIterator<Item = NamedTool<'r>>,
        redactor: &Redactor,
    ) {
        let mut collected = self.names();
        for tool in tools {
            // The report of a near name shows the name, so one that contains a secret is not collected.
            if is_secret(&tool.name, redactor) {
                continue;
            }
            let name = tool.name.as_ref().to_owned();
            let name = if tool.is_suffix {
                RuleName::Suffix(name)
            } else {
                RuleName::Whole(name)
            };
            for argument in &tool.arguments {
                if !is_secret(argument, redactor) {
                    collected.add_named_arg(&name, argument, (tool.place(), tool.rule));
                }
            }
            // The place of a tool that exists is not needed, and is then not computed.
            collected.add_named(name, tool.rule, || tool.place());
        }
    }

    /// Adds the names that exist by a trace: the tools that the agent called, the arguments of its calls, and the arguments in
    /// the tools that it declared.
    pub(crate) fn seen_in(&self, trace: &Trace, redactor: &Redactor) {
        self.exist(trace.calls.iter().map(|call| call.name.as_str()), redactor);
        for call in &trace.calls {
            if let Args::Json(args) = call.args() {
                // Tools also read JSON that is a text. `opened_args` has such texts read, and is `None` without any.
                let args = call.opened_args().unwrap_or(args);
                self.arguments_exist(&call.name, args, redactor);
            }
        }
        // A tool that is declared without a schema has arguments that are not known.
        for declarations in &trace.declarations {
            for DeclaredTool { name, input, .. } in &declarations.tools {
                if let Some(schema) = input {
                    self.schema_exists(name, schema, redactor);
                }
            }
        }
    }

    /// Adds the arguments of a client-side tool.
    pub(crate) fn declared(&self, tool: &ToolDeclaration, redactor: &Redactor) {
        self.schema_exists(&tool.name, &tool.parameters, redactor);
    }

    /// Adds the arguments that the schema of a tool declares.
    fn schema_exists(&self, tool: &str, schema: &Value, redactor: &Redactor) {
        if let Some(properties) = schema.get("properties") {
            self.arguments_exist(tool, properties, redactor);
        }
    }

    /// Adds the keys of a mapping as names of arguments.
    fn arguments_exist(&self, tool: &str, args: &Value, redactor: &Redactor) {
        let Value::Object(args) = args else { return };
        let mut collected = self.names();
        for argument in args.keys() {
            if !is_secret(argument, redactor) && !is_secret(tool, redactor) {
                collected.add_existing_argument(tool, argument);
            }
        }
    }

    /// Notes that a test ended without its thread, so that the calls of its agent are not known.
    pub(crate) fn lose_calls(&self) {
        self.names().is_unknown = true;
    }

    /// The names in rules that are probably misspelled, by place.
    pub(crate) fn near_names(&self) -> NearNames {
        self.names().near_names()
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        lock(&self.0)
    }
}

impl Names {
    /// Adds the name of a tool that exists, unless it is too long or there are too many.
    fn add_tool(&mut self, name: &str) {
        if self.is_full || name.len() > LONGEST || self.existing.contains(name) {
            return;
        }
        // Rules that name the tool, whole or by a suffix, are right, so they and their places need not be kept any more.
        self.named.remove(&RuleName::Whole(name.to_owned()));
        self.named.remove(&RuleName::Suffix(name.to_owned()));
        for suffix in after_prefixes(name) {
            self.named.remove(&RuleName::Suffix(suffix.to_owned()));
        }
        // Names in rules are compared only with a complete list: an incomplete one would make right names look wrong.
        if self.existing.len() == MOST_NAMES {
            self.is_full = true;
            return;
        }
        self.existing.insert(name.to_owned());
        let suffixes = after_prefixes(name).map(str::to_owned);
        self.existing_suffixes.extend(suffixes);
    }

    /// Adds the name of a tool in a rule with its place, unless the tool exists. `place` computes the place, which takes time,
    /// and is called only if it is needed.
    fn add_named(&mut self, named: RuleName, rule: &'static str, place: impl FnOnce() -> Place) {
        let name = named.as_str();
        let exists = self.existing.contains(name)
            || named.is_suffix() && self.existing_suffixes.contains(name);
        if name.len() > LONGEST || exists {
            return;
        }
        // Both limits drop what is last in the order of names or places, and not what came last: the result must not depend on
        // which test ends first. The report adds a note if names were dropped (`is_partial`).
        let places = self.named.entry(named).or_default();
        places.insert((place(), rule));
        if places.len() > MOST_PLACES {
            places.pop_last();
        }
        if self.named.len() > MOST_NAMES {
            self.named.pop_last();
            self.is_partial = true;
        }
    }

    /// Adds the name of an argument that exists.
    fn add_existing_argument(&mut self, tool: &str, argument: &str) {
        if tool.len() > LONGEST || argument.len() > LONGEST {
            return;
        }
        // One more than the limit is added, which shows later that there were too many.
        if self.existing_arguments.len() <= MOST_NAMES {
            let pair = (tool.to_owned(), argument.to_owned());
            self.existing_arguments.insert(pair);
        }
    }

    /// Adds the name of an argument of `tool` in a rule, with the place and the kind of the rule.
    fn add_named_arg(&mut self, tool: &RuleName, argument: &str, place: (Place, &'static str)) {
        // No tool has names this long, so an agent or a rule that sends one must not take the memory.
        if tool.as_str().len() > LONGEST || argument.len() > LONGEST {
            return;
        }
        // Both limits drop what is last in the order of names or places, and not what came last: the result must not depend on
        // which test ends first. The report adds a note if names were dropped (`is_partial`).
        let named = (tool.clone(), argument.to_owned());
        let places = self.named_arguments.entry(named).or_default();
        places.insert(place);
        if places.len() > MOST_PLACES {
            places.pop_last();
        }
        if self.named_arguments.len() > MOST_NAMES {
            self.named_arguments.pop_last();
            self.is_partial = true;
        }
    }

    /// The arguments in rules that are probably misspelled: the tool has an argument with a similar name, and none with this one.
    fn near_arguments(&self) -> Vec<NearName> {
        let mut found = Vec::new();
        // A list with more than the limit is not complete, so a right name could look misspelled.
        if self.existing_arguments.len() > MOST_NAMES {
            return found;
        }
        for ((tool, name), places) in &self.named_arguments {
            // A rule can name tools by a suffix that several of them have. An argument of any of these tools exists for the rule.
            let mut existing = Vec::new();
            for (owner, argument) in &self.existing_arguments {
                if tool.is_of(owner) {
                    existing.push(argument.as_str());
                }
            }
            if existing.contains(&name.as_str()) {
                continue;
            }

            // Arguments are shortened more often than tools, so a part of a name is near as well: `id` of `order_id`.
            let spellings = Spellings::of(existing.iter().copied());
            let mut nearest = near_name(name, &existing, &spellings);
            if nearest.is_none() {
                let mut candidates = existing.iter().copied();
                nearest = candidates.find(|whole| is_part_of(name, whole));
            }
            // A name that resembles no argument may be one that the agent never sent: that is no typo.
            let Some(nearest) = nearest else {
                continue;
            };
            // Each place that has the name is reported.
            found.extend(places.iter().map(|(place, rule)| NearName {
                place: place.clone(),
                name: name.clone(),
                tool: Some(tool.as_str().to_owned()),
                rule: Cow::Borrowed(*rule),
                nearest: nearest.to_owned(),
            }));
        }
        found
    }

    /// The tools and arguments in rules that are probably misspelled, in the order of their places, and a note if not all names
    /// could be compared.
    fn near_names(&self) -> NearNames {
        // The calls of a test that ended without its thread are lost, so a tool that a rule names may exist all the same.
        if self.is_unknown {
            return NearNames::default();
        }
        // A full list of existing tools is not complete, so a right name could look misspelled.
        if self.is_full {
            let note = "more than 2000 different tools were called: names in rules were not compared with theirs";
            return NearNames {
                found: Vec::new(),
                note: Some(note),
            };
        }
        let existing: Vec<&str> = self.existing.iter().map(String::as_str).collect();
        let spellings = Spellings::of(existing.iter().copied());
        let mut found = self.near_arguments();
        for (named, places) in &self.named {
            let name = named.as_str();
            // A name that is written as a call has its warning already, with the name to write.
            if call_as_name(name).is_some() {
                continue;
            }
            // A tool that resembles no other may just not have been called. Each place that has a near name is reported.
            if let Some(nearest) = near_name(name, &existing, &spellings) {
                found.extend(places.iter().map(|(place, rule)| NearName {
                    place: place.clone(),
                    name: name.to_owned(),
                    tool: None,
                    rule: Cow::Borrowed(*rule),
                    nearest: nearest.to_owned(),
                }));
            }
        }
        found.sort_unstable();
        // Names that were dropped cannot be compared, but those that were kept are reported.
        let mut note = None;
        if self.is_partial {
            note = Some(
                "rules name more than 2000 tools that were not called, or arguments: only the first of them were compared",
            );
        }
        NearNames { found, note }
    }
}

/// The name among `existing` that was probably meant by `name`, which is none of them.
fn near_name<'n>(name: &str, existing: &[&'n str], spellings: &Spellings<'n>) -> Option<&'n str> {
    if let Some(spelled) = spellings.other_than(name) {
        return Some(spelled);
    }
    if name.chars().count() < SHORTEST {
        return None;
    }
    let mut existing = existing.iter().copied();
    existing.find(|existing| is_one_typo(name, existing))
}

/// Whether the words of a name are the first or the last of another one: `id` of `order_id`.
fn is_part_of(name: &str, whole: &str) -> bool {
    let name = words(name);
    let whole = words(whole);
    !name.is_empty()
        && name.len() < whole.len()
        && (whole.starts_with(&name) || whole.ends_with(&name))
}

/// The words of a name in lowercase: `orderId` and `order_id` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    for sign in name.chars() {
        if sign.is_uppercase() || !sign.is_alphanumeric() {
            spaced.push(' ');
        }
        spaced.extend(sign.to_lowercase().filter(|sign| sign.is_alphanumeric()));
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Whether a name has a secret of its test in it: it is not shown, not even to say what it is near to.
fn is_secret(name: &str, redactor: &Redactor) -> bool {
    redactor.text(name) != name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The near names if rules name `named`, each on a line of its own, and tools of the names `existing` exist.
    fn near_names(named: &[&str], existing: &[&str]) -> NearNames {
        let mut kept = Names::default();
        let half = existing.len() / 2;
        existing[..half].iter().for_each(|name| kept.add_tool(name));
        for (name, line) in named.iter().zip(1..) {
            let name = match name.strip_prefix('*') {
                Some(suffix) => RuleName::Suffix(suffix.to_owned()),
                None => RuleName::Whole((*name).to_owned()),
            };
            kept.add_named(name, "tools.forbid", || Place {
                file: "a".into(),
                line,
                column: 1,
            });
        }
        existing[half..].iter().for_each(|name| kept.add_tool(name));
        kept.near_names()
    }

    fn words(near_names: &NearNames) -> Vec<String> {
        near_names
            .found
            .iter()
            .map(|tool| format!("{} {} {}", tool.place.line, tool.name, tool.nearest))
            .collect()
    }

    #[test]
    fn only_a_name_that_no_agent_called_is_reported_at_each_place() {
        let named = [
            "pay-order",
            "get_odrer",
            "get_order",
            "pay_order",
            "list",
            "get_odrer",
            "gte",
        ];
        let found = near_names(&named, &["get_order", "get", "pay_order"]);
        assert_eq!(
            words(&found),
            [
                "1 pay-order pay_order",
                "2 get_odrer get_order",
                "6 get_odrer get_order"
            ]
        );
        assert_eq!(found.note, None);
        assert_eq!(near_names(&named, &[]), NearNames::default());
        let as_calls = near_names(&["get_order:", "get_order()"], &["get_order"]);
        assert_eq!(as_calls.found, [], "`pattern-as-name` says what to write");
    }

    #[test]
    fn a_name_that_differs_in_spelling_is_reported() {
        let named = [
            "deleteOrder",
            "Pay",
            "shop.get",
            "bank__pay",
            "Delete_Order",
        ];
        let found = near_names(&named, &["delete_order", "pay", "get"]);
        assert_eq!(
            words(&found),
            [
                "1 deleteOrder delete_order",
                "2 Pay pay",
                "3 shop.get get",
                "4 bank__pay pay",
                "5 Delete_Order delete_order"
            ]
        );
    }

    /// Names of case files, which are marked with `*` here.
    #[test]
    fn a_suffix_exists_if_a_tool_ends_with_it() {
        let existing = ["shop__delete_order", "files.read", "pay"];
        let found = near_names(
            &["*delete_order", "*pay", "*deleteOrder", "*raed"],
            &existing,
        );
        assert_eq!(words(&found), ["3 deleteOrder shop__delete_order"]);
        let found = near_names(&["delete_order", "read"], &existing);
        assert_eq!(
            words(&found),
            ["1 delete_order shop__delete_order", "2 read files.read"]
        );
    }

    #[test]
    fn an_argument_that_no_call_had_is_reported_if_the_tool_has_one_of_nearly_its_name() {
        let mut kept = Names::default();
        for (tool, argument) in [
            ("pay", "order_id"),
            ("pay", "amount"),
            ("shop__pay", "currency"),
            ("refund", "orderId"),
        ] {
            kept.add_existing_argument(tool, argument);
        }
        let whole = |name: &str| RuleName::Whole(name.to_owned());
        let suffix = |name: &str| RuleName::Suffix(name.to_owned());
        let named = [
            (whole("pay"), "orderId"),
            (whole("pay"), "amuont"),
            (whole("pay"), "amount"),
            (whole("pay"), "total"),
            (whole("pay"), "id"),
            (whole("pay"), "Currency"),
            (suffix("pay"), "Currency"),
            (whole("refund"), "orderId"),
            (whole("refund"), "order_id"),
            (whole("delete"), "order-id"),
        ];
        for ((tool, argument), line) in named.iter().zip(1..) {
            let place = Place {
                file: "a".into(),
                line,
                column: 1,
            };
            kept.add_named_arg(tool, argument, (place, "tools.forbid_calls"));
        }
        assert_eq!(
            words(&kept.near_names()),
            [
                "1 orderId order_id",
                "2 amuont amount",
                "5 id order_id",
                "7 Currency currency",
                "9 order_id orderId"
            ]
        );
        for index in 0..=MOST_NAMES {
            kept.add_existing_argument("pay", &index.to_string());
        }
        assert_eq!(words(&kept.near_names()), Vec::<String>::new());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let many: Vec<String> = (0..=MOST_NAMES)
            .map(|index| format!("tool_number_{index}"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let full = near_names(&["tool_numbr_1"], &many);
        assert_eq!((words(&full), full.note.is_some()), (Vec::new(), true));
        let omitted = near_names(
            &[many.as_slice(), &["zzzz"]].concat(),
            &["tool_nmber_0", "zzz"],
        );
        assert_eq!(
            (words(&omitted), omitted.note.is_some()),
            (vec!["1 tool_number_0 tool_nmber_0".to_owned()], true)
        );
        let same = ["get_odrer"; MOST_PLACES + 5];
        assert_eq!(near_names(&same, &["get_order"]).found.len(), MOST_PLACES);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(near_names(&[&long], &[&long[1..]]), NearNames::default());
    }

    #[test]
    fn nothing_is_reported_if_what_a_test_called_is_not_known() {
        let names = Names {
            is_unknown: true,
            ..Names::default()
        };
        let names = ToolNames(Mutex::new(names));
        let place = || Place {
            file: "a".into(),
            line: 1,
            column: 1,
        };
        let name = RuleName::Whole("get_odrer".to_owned());
        names.names().add_named(name, "tools.forbid", place);
        names.names().add_tool("get_order");
        assert_eq!(names.near_names(), NearNames::default());
        names.names().is_unknown = false;
        assert_eq!(words(&names.near_names()), ["1 get_odrer get_order"]);
    }
}
