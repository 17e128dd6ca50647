//! `provenance`: values, and where they must or must not come from.

use super::monitor::ProvenanceMonitor;
use super::source::{ProvenanceSource, either};
use super::traced_value::{Normaliser, Traced, Tracing};
use crate::collector::Collector;
use crate::describe::short;
use crate::evaluation::{Monitor, RuleScope};
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{RuleTool, ToolName};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{AssertBlock, OneOrMany, ProvenanceRule, TracedValues, ValueSource};
use ananke_model::variables::{Fill as _, Interpolation, Patterns};
use ananke_trace::trace::{Fact, Facts, Path};

/// Values, and where they must or must not come from (SPEC 7.6).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Provenance {
    name: Option<String>,
    message: Option<String>,
    of: Traced,
    from: Vec<ProvenanceSource>,
    not_from: Vec<ProvenanceSource>,
    normaliser: Normaliser,
    is_strict: bool,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for entry in collector
        .switched(block.provenance.as_ref())
        .into_iter()
        .flatten()
    {
        collector.add(entry.span, |interpolation| {
            Provenance::compile(entry, interpolation)
        });
    }
}

impl Provenance {
    fn compile(
        entry: &Spanned<ProvenanceRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let ProvenanceRule {
            name,
            of,
            from,
            not_from: not_from_written,
            normalise,
            strict,
            message,
        } = &entry.value;
        if from.is_none() && not_from_written.is_none() {
            let message = "nothing says where the values must or must not come from";
            let help = "add `from` or `not_from`".to_owned();
            interpolation.report(Code::MissingKey, entry.span, message, Some(help));
        }
        let of = Traced::compile(of, interpolation);
        let (from, not_from) = (
            sources(from.as_ref(), interpolation),
            sources(not_from_written.as_ref(), interpolation),
        );
        for source in not_from_written.iter().flat_map(|sources| &sources.value) {
            if let ValueSource::Detailed(source) = &source.value {
                for value in source.literal.iter().flatten() {
                    interpolation.check_prohibited(value);
                }
            }
        }
        let (name, message) = (name.fill(interpolation), message.fill(interpolation));
        let (name, message) = (name.ok()?, message.ok()?);
        let (from, not_from) = (from?, not_from?);
        let rule = Self {
            name,
            message,
            of: of?,
            from,
            not_from,
            normaliser: Normaliser(normalise.clone().unwrap_or_default()),
            is_strict: strict.unwrap_or(false),
        };
        (!rule.from.is_empty() || !rule.not_from.is_empty()).then_some(rule)
    }
}

/// Every source is looked at, so that every problem is reported.
fn sources(
    written: Option<&Spanned<Vec<Spanned<ValueSource>>>>,
    interpolation: &mut Interpolation<'_>,
) -> Option<Vec<ProvenanceSource>> {
    let Some(written) = written else {
        return Some(Vec::new());
    };
    let sources: Vec<Option<ProvenanceSource>> = written
        .value
        .iter()
        .map(|source| ProvenanceSource::compile(source, interpolation))
        .collect();
    sources.into_iter().collect()
}

impl Traced {
    fn compile(
        written: &Spanned<TracedValues>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let TracedValues { call, arg, says } = &written.value;
        match (call, says) {
            (Some(call), None) => {
                let (exact, matching) = (call.value.name.as_ref(), call.value.name_match.as_ref());
                let tool = ToolName::compile(exact, matching, call.span, interpolation);
                let written = arg.iter().flat_map(|OneOrMany(paths)| paths);
                let paths: Vec<Option<Path>> =
                    written.map(|text| text.fill(interpolation).ok()).collect();
                Some(Self::Arguments {
                    tool: tool?,
                    paths: paths.into_iter().collect::<Option<_>>()?,
                })
            }
            (None, Some(says)) if arg.is_none() => {
                Some(Self::Said(interpolation.pattern(says).ok()?))
            }
            _ => {
                let message =
                    "`of` is either `call`, with `arg` if only some arguments are meant, or `says`";
                let help = "write one of them".to_owned();
                interpolation.report(Code::Contradiction, written.span, message, Some(help));
                None
            }
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Arguments { tool, paths } if paths.is_empty() => {
                format!("every argument of {}", tool.describe())
            }
            Self::Arguments { tool, paths } => {
                let paths: Vec<String> = paths
                    .iter()
                    .map(|path| format!("`{}`", path.as_str()))
                    .collect();
                format!("{} of {}", paths.join(" and "), tool.describe())
            }
            Self::Said(pattern) => format!("what `{}` finds in a message", short(pattern.as_str())),
        }
    }

    fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        match &mut started {
            Self::Arguments { tool, .. } => tool.start(patterns)?,
            Self::Said(pattern) => pattern.start(patterns)?,
        }
        Ok(started)
    }
}

impl Rule for Provenance {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn lacks_something(&self) -> bool {
        !self.from.is_empty()
    }

    fn needs(&self) -> Facts {
        let of = match self.of {
            Traced::Arguments { .. } => Facts::of(&[Fact::Calls, Fact::Arguments]),
            Traced::Said(_) => Facts::of(&[Fact::Text]),
        };
        self.from
            .iter()
            .chain(&self.not_from)
            .fold(of, |needs, source| needs | source.needs())
    }

    fn describe(&self) -> String {
        let from = (!self.from.is_empty()).then(|| format!("comes from {}", either(&self.from)));
        let not_from = (!self.not_from.is_empty())
            .then(|| format!("does not come from {}", either(&self.not_from)));
        let where_from: Vec<String> = [from, not_from].into_iter().flatten().collect();
        let name = self
            .name
            .as_ref()
            .map(|name| format!("{name}: "))
            .unwrap_or_default();
        format!("{name}{} {}", self.of.describe(), where_from.join(" and "))
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn when_decided(&self, _: RuleScope) -> String {
        match self.of {
            Traced::Arguments { .. } => {
                "fails as soon as the arguments of such a call are known".to_owned()
            }
            Traced::Said(_) => "fails as soon as such a message is complete".to_owned(),
        }
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(ProvenanceMonitor::new(Tracing {
            expected: self.describe(),
            name: self.name.clone(),
            of: self.of.started(patterns)?,
            from: self.from.clone(),
            not_from: self.not_from.clone(),
            normaliser: self.normaliser.clone(),
            is_strict: self.is_strict,
        })))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        match &self.of {
            Traced::Arguments { tool, .. } => {
                vec![Claim::TriggeredBy {
                    name: tool,
                    selector: None,
                    is_result: false,
                }]
            }
            Traced::Said(_) => Vec::new(),
        }
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        let of_values = match &self.of {
            Traced::Arguments { tool, paths } => {
                let first = |path: &Path| path.parts().first().cloned();
                tool.with_arguments(&paths.iter().filter_map(first).collect::<Vec<_>>())
            }
            Traced::Said(_) => Vec::new(),
        };
        let sources = self
            .from
            .iter()
            .chain(&self.not_from)
            .filter_map(|source| match source {
                ProvenanceSource::Results { tool, .. } => tool.as_ref(),
                _ => None,
            });
        let sources = sources.flat_map(ToolName::named_tools);
        of_values.into_iter().chain(sources).collect()
    }

    fn names_tools(&self) -> bool {
        matches!(self.of, Traced::Arguments { .. })
    }
}
