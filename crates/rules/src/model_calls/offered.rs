//! `model.offered.require` and `model.offered.forbid`: the tools that requests must and must not offer to the model.

use std::borrow::Cow;

use serde_json::Value;

use super::counted::{CONTENTS, OfModel};
use super::each_request::{Demand, EachRequest};
use crate::collector::Collector;
use crate::describe::{listed, short};
use crate::evaluation::{Finding, Monitor, RuleScope, View};
use crate::rule::{Rule, RuleKind};
use ananke_base::text::nearest;
use ananke_model::model::{AssertBlock, ModelRules, OfferedRules, Text, WhichRequests};
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Facts, LoggedModelCall};

/// A tool that requests must or must not offer, by exact name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OfferedName {
    of_model: OfModel,
    demand: Demand,
    name: String,
}

pub(crate) fn compile_required(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, offered) in switched(block, collector) {
        let which = match &offered.which {
            Some(which) => which.value,
            None => WhichRequests::default(),
        };
        let names = collector.switched(offered.require.as_ref());
        for name in names.into_iter().flatten() {
            add(model, Demand::Must(which), name, collector);
        }
    }
}

pub(crate) fn compile_forbidden(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, offered) in switched(block, collector) {
        let names = collector.switched(offered.forbid.as_ref());
        for name in names.into_iter().flatten() {
            add(model, Demand::Never, name, collector);
        }
    }
}

/// The rules about offered tools of each entry. `offered: false` switches off what outer levels say of the rule that is read.
pub(super) fn switched<'m>(
    block: &'m AssertBlock,
    collector: &mut Collector<'_, '_>,
) -> Vec<(&'m ModelRules, &'m OfferedRules)> {
    let mut found = Vec::new();
    for rules in block.model() {
        if let Some(offered) = collector.switched(rules.value.offered.as_ref()) {
            found.push((&rules.value, offered));
        }
    }
    found
}

fn add(model: &ModelRules, demand: Demand, name: &Text, collector: &mut Collector<'_, '_>) {
    collector.add(name.span, |interpolation| {
        Some(OfferedName {
            of_model: OfModel::compile(model, interpolation)?,
            demand,
            name: interpolation.text(name).ok()?,
        })
    });
}

/// The names of the tools that a request offers: those that the agent executes, then those that the provider executes.
pub(super) fn offered_names(logged: &LoggedModelCall) -> Vec<Cow<'_, str>> {
    let request = &logged.call.request;
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for tool in &request.tools {
        names.push(tool.name.as_str().into());
    }
    for tool in &request.hosted_tools {
        // Some APIs name such a tool by its type, and others by the only key of its declaration.
        let name = match tool.get("type") {
            Some(Value::String(name)) => name.into(),
            _ => match tool.as_object().and_then(|keys| keys.keys().next()) {
                Some(key) => key.into(),
                None => tool.to_string().into(),
            },
        };
        names.push(name);
    }
    names
}

impl Rule for OfferedName {
    fn kind(&self) -> RuleKind {
        match self.demand {
            Demand::Never => RuleKind::Prohibition,
            Demand::Must(_) => RuleKind::Requirement,
        }
    }

    fn needs(&self) -> Facts {
        CONTENTS
    }

    fn describe(&self) -> String {
        let name = short(&self.name);
        let model = self.of_model.words();
        match self.demand {
            Demand::Never => format!("no request to {model} that offers `{name}`"),
            Demand::Must(_) => format!("`{name}` offered in {} to {model}", self.demand.words()),
        }
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        self.demand.when_decided(scope)
    }

    /// A request that was not read may not offer it, unless one request is enough.
    fn is_exhaustive(&self) -> bool {
        self.demand != Demand::Must(WhichRequests::Any)
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
            demand: self.demand,
            expected: self.describe(),
            check: Box::new(move |view, logged| rule.check(view, logged)),
            nearest: None,
            has_failed: false,
        }))
    }
}

impl OfferedName {
    fn check(&self, view: &View<'_>, logged: &LoggedModelCall) -> Option<Finding> {
        let names = offered_names(logged);
        let is_offered = names.iter().any(|name| *name == self.name);
        let must_be = self.demand != Demand::Never;
        if is_offered == must_be {
            return None;
        }
        let call = self.of_model.call_in_words(view, logged);
        let name = short(&self.name);
        let verb = if must_be { "does not offer" } else { "offers" };
        let plain: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let mut lines = vec![if plain.is_empty() {
            "it offers no tool".to_owned()
        } else {
            format!("offered: {}", listed(&plain))
        }];
        if must_be && let Some(near) = nearest(&self.name, plain.iter().copied()) {
            lines.push(format!(
                "`{}` is offered: names are compared exactly",
                short(near)
            ));
        }
        Some(Finding {
            tool: Some(self.name.clone()),
            ..Finding::in_words(format!("{call} {verb} `{name}`"), self.describe(), lines)
        })
    }
}
