//! The requirements of the config for `ananke mutate`, read and filled.

use regex::Regex;

use super::config::Config;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_base::statistics::Percentage;
use ananke_model::model::{HarmlessMutation, MutationOperator};
use ananke_model::settings::percentage;
use ananke_model::variables::{Interpolation, Mode, Scope};

/// The requirements of the config for `ananke mutate`.
#[derive(Clone, Debug, Default)]
pub struct MutationGate {
    /// The lowest score.
    pub min_score: Option<Percentage>,
    /// Changes that need not be noticed.
    pub harmless: Vec<HarmlessRule>,
}

/// Changes that need not be noticed.
#[derive(Clone, Debug)]
pub struct HarmlessRule {
    operator: Option<MutationOperator>,
    tool: Option<String>,
    test: Option<Regex>,
    /// The reason.
    pub reason: String,
}

impl MutationGate {
    /// Reads what `config` says; what is wrong goes to `problems`.
    pub fn of(config: &Config, problems: &mut Vec<Diagnostic>) -> Self {
        let Some(written) = &config.model.mutation else {
            return Self::default();
        };
        let scope = Scope::default();
        let mut interpolation = Interpolation::new(&scope, &config.source, Mode::Send, problems);
        let min_score = written
            .min_score
            .as_ref()
            .and_then(|min| percentage(min, &mut interpolation));
        let harmless = written.harmless.iter().flatten();
        let harmless = harmless
            .filter_map(|entry| HarmlessRule::of(entry, &mut interpolation))
            .collect();
        Self {
            min_score,
            harmless,
        }
    }
}

impl HarmlessRule {
    fn of(written: &HarmlessMutation, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let HarmlessMutation {
            operator,
            tool,
            test,
            reason,
        } = written;
        if operator.is_none() && tool.is_none() && test.is_none() {
            let message = "every change would be harmless";
            let help = Some("say which with `operator`, `tool` or `test`".to_owned());
            interpolation.report(Code::BadValue, reason.span, message, help);
        }
        let mut filled = |text: &ananke_model::model::Text| interpolation.text(text).ok();
        let (tool, reason) = (tool.as_ref().map(&mut filled), filled(reason));
        let pattern = test.as_ref().map(|test| Some((filled(test)?, test.span)));
        let test = match pattern {
            Some(pattern) => Some(id_pattern(pattern?, interpolation)?),
            None => None,
        };
        let tool = match tool {
            Some(tool) => Some(tool?),
            None => None,
        };
        Some(Self {
            operator: *operator,
            tool,
            test,
            reason: reason?,
        })
    }

    /// Whether it is about this kind of change to the test `id`, in which the calls to `tool` are changed.
    pub fn matches(&self, id: &str, operator: MutationOperator, tool: Option<&str>) -> bool {
        self.operator.is_none_or(|own| own == operator)
            && self.tool.as_deref().is_none_or(|own| Some(own) == tool)
            && self.test.as_ref().is_none_or(|test| test.is_match(id))
    }
}

fn id_pattern(
    (pattern, span): (String, Span),
    interpolation: &mut Interpolation<'_>,
) -> Option<Regex> {
    let escaped = regex::escape(&pattern)
        .replace("\\*", ".*")
        .replace("\\?", ".");
    let compiled = Regex::new(&format!("(?s)^{escaped}$")).ok();
    if compiled.is_none() {
        interpolation.report(
            Code::BadValue,
            span,
            "the pattern for ids is too long",
            None,
        );
    }
    compiled
}
