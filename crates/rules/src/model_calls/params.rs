//! `model.params`: the parameters that each request must contain.

use serde_json::{Map, Value};

use super::counted::{CONTENTS, OfModel};
use super::each_request::{Demand, EachRequest};
use crate::collector::Collector;
use crate::describe::json;
use crate::evaluation::{Finding, Monitor, RuleScope, View};
use crate::rule::Rule;
use ananke_model::model::{AssertBlock, WhichRequests};
use ananke_model::variables::{Fill as _, Patterns};
use ananke_trace::trace::{Facts, LoggedModelCall, is_same_json};

const DEMAND: Demand = Demand::Must(WhichRequests::Every);

/// Parameters of every request: the keys that are written, with these values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Params {
    of_model: OfModel,
    params: Value,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        let Some(written) = &rules.value.params else {
            continue;
        };
        if let Some(params) = collector.switched(Some(written)) {
            collector.add(written.span, |interpolation| {
                Some(Params {
                    of_model: OfModel::compile(&rules.value, interpolation)?,
                    params: params.fill(interpolation).ok()?,
                })
            });
        }
    }
}

impl Rule for Params {
    fn needs(&self) -> Facts {
        CONTENTS
    }

    fn describe(&self) -> String {
        let params = json(&self.params);
        let model = self.of_model.words();
        format!("parameters containing `{params}` in every request to {model}")
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        DEMAND.when_decided(scope)
    }

    fn is_exhaustive(&self) -> bool {
        true
    }

    /// The monitor looks itself for what may be missing: a request that violates the rule stays one that does.
    fn lacks_something(&self) -> bool {
        false
    }

    fn of_model(&self) -> Option<&str> {
        self.of_model.name()
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let rule = self.clone();
        Ok(Box::new(EachRequest {
            of: self.of_model.clone(),
            demand: DEMAND,
            expected: self.describe(),
            check: Box::new(move |view, logged| rule.check(view, logged)),
            nearest: None,
            has_failed: false,
        }))
    }
}

impl Params {
    fn check(&self, view: &View<'_>, logged: &LoggedModelCall) -> Option<Finding> {
        let found = &logged.call.request.params;
        let mut lines = Vec::new();
        if let Value::Object(wanted) = &self.params {
            add_differences(wanted, found, "", &mut lines);
        }
        let first = lines.first()?;
        let call = self.of_model.call_in_words(view, logged);
        let message = format!("{call}: {first}");
        Some(Finding::in_words(message, self.describe(), lines))
    }
}

/// Adds a line for each value of `wanted` that is another one in `found`; `path` leads to both.
fn add_differences(
    wanted: &Map<String, Value>,
    found: &Map<String, Value>,
    path: &str,
    lines: &mut Vec<String>,
) {
    for (key, wanted) in wanted {
        let path = format!("{path}{key}");
        match (wanted, found.get(key)) {
            (Value::Object(wanted), Some(Value::Object(found))) => {
                add_differences(wanted, found, &format!("{path}."), lines);
            }
            (wanted, Some(found)) if is_same_json(wanted, found) => {}
            (wanted, Some(found)) => lines.push(format!(
                "the parameter `{path}` is {}, expected {}",
                json(found),
                json(wanted)
            )),
            (wanted, None) => {
                // A name in another spelling is likely, since each API has its own.
                let folded = folded(key);
                let other = found.keys().find(|known| self::folded(known) == folded);
                let near = match other {
                    Some(other) => format!(" (`{other}` is there)"),
                    None => String::new(),
                };
                lines.push(format!(
                    "the parameter `{path}` is missing{near}, expected {}",
                    json(wanted)
                ));
            }
        }
    }
}

/// A name without letter case and separators.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
