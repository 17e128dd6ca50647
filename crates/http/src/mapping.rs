//! How the responses of a target are read, compiled: paths are parsed, and patterns are regular expressions.

use std::borrow::Cow;

use serde_json::Value;

use super::modes::{CallMode, StreamForm, TextMode};
use super::path::{EventPath, Hit, HitPlace, Searched};
use ananke_base::diagnostic::Code;
use ananke_model::model::{OneOrMany, Text};
use ananke_model::variables::{Interpolation, Leaf, Pattern, Patterns, fill_all};

/// How a response is read.
#[derive(Clone, Debug)]
pub(crate) struct ResponseMapping {
    pub(crate) form: StreamForm,
    pub(crate) text: TextMapping,
    pub(crate) calls: Option<CallMapping>,
    pub(crate) results: Option<ResultMapping>,
    pub(crate) error: Option<CompiledPick>,
    pub(crate) done: Option<CompiledPick>,
    pub(crate) interrupts: Option<InterruptMapping>,
    pub(crate) usage: Option<UsageMapping>,
    pub(crate) reasoning: Option<CompiledPick>,
    pub(crate) state: Option<CompiledPick>,
    pub(crate) is_strict: bool,
}

/// The paths to what the agent says. Unless text is optional, a turn in which they find nothing is an error, since a wrong path
/// would pass every prohibition on text.
#[derive(Clone, Debug)]
pub(crate) struct TextMapping {
    pub(crate) pick: CompiledPick,
    /// `None` if the form of the response decides.
    pub(crate) mode: Option<TextMode>,
    pub(crate) is_optional: bool,
}

/// The paths to calls: `at` leads to items, and the others begin at an item.
#[derive(Clone, Debug)]
pub(crate) struct CallMapping {
    pub(crate) at: CompiledPick,
    pub(crate) name: CompiledPick,
    pub(crate) id: Option<CompiledPick>,
    pub(crate) index: Option<CompiledPick>,
    pub(crate) args: Option<CompiledPick>,
    pub(crate) result: Option<CompiledPick>,
    pub(crate) error: Option<CompiledPick>,
    pub(crate) mode: CallMode,
}

/// The paths to results that are not in the items of their calls.
#[derive(Clone, Debug)]
pub(crate) struct ResultMapping {
    pub(crate) at: CompiledPick,
    pub(crate) id: Option<CompiledPick>,
    pub(crate) name: Option<CompiledPick>,
    pub(crate) result: Option<CompiledPick>,
    pub(crate) error: Option<CompiledPick>,
}

/// The paths to what the agent waits for.
#[derive(Clone, Debug)]
pub(crate) struct InterruptMapping {
    pub(crate) at: CompiledPick,
    pub(crate) id: Option<CompiledPick>,
    pub(crate) call: Option<CompiledPick>,
    pub(crate) message: Option<CompiledPick>,
}

/// Where the numbers of tokens are.
#[derive(Clone, Debug)]
pub(crate) struct UsageMapping {
    pub(crate) input: Option<CompiledPick>,
    pub(crate) cached: Option<CompiledPick>,
    pub(crate) output: Option<CompiledPick>,
    pub(crate) total: Option<CompiledPick>,
    pub(crate) model: Option<CompiledPick>,
    pub(crate) adds: bool,
}

/// Paths of which the first that finds something counts.
#[derive(Clone, Debug)]
pub(crate) struct CompiledPick {
    pub(crate) paths: Vec<EventPath>,
    /// The expression whose first group counts of a text.
    pub(crate) pattern: Option<Pattern>,
}

impl CompiledPick {
    /// What the first path finds that finds something in `searched`.
    pub(crate) fn find<'v>(
        &self,
        searched: Searched<'v>,
        passed_by: &mut Vec<HitPlace>,
    ) -> Vec<Hit<'v>> {
        for path in &self.paths {
            let mut hits = path.find(searched, passed_by);
            if let Some(pattern) = &self.pattern {
                hits = hits
                    .into_iter()
                    .filter_map(|hit| matched(hit, pattern))
                    .collect();
            }
            if !hits.is_empty() {
                return hits;
            }
        }
        Vec::new()
    }

    /// The first value that it finds in `searched`.
    pub(crate) fn first<'v>(&self, searched: Searched<'v>) -> Option<Hit<'v>> {
        self.find(searched, &mut Vec::new()).into_iter().next()
    }

    /// Whether one of its paths takes events as they are, whatever they hold.
    pub(crate) fn takes_whole_event(&self) -> bool {
        self.paths.iter().any(EventPath::takes_whole_event)
    }

    /// The paths as written, for messages.
    pub(crate) fn words(&self) -> String {
        let paths: Vec<String> = self
            .paths
            .iter()
            .map(|path| format!("\"{path}\""))
            .collect();
        paths.join(" or ")
    }
}

/// The part of a text that `pattern` finds; `None` if it finds nothing, or if the value is no text.
fn matched<'v>(hit: Hit<'v>, pattern: &Pattern) -> Option<Hit<'v>> {
    let text = hit.value.as_str()?;
    let found = pattern.find_all(text).into_iter().next()?;
    let value = Cow::Owned(Value::from(&text[found]));
    Some(Hit {
        value,
        place: hit.place,
    })
}

/// A choice as it is written.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it fills a key as any other function does"
)]
pub(crate) fn copied<T: Copy>(written: &T, _: &mut Interpolation<'_>) -> Leaf<T> {
    Ok(*written)
}

/// A pick of paths alone, such as those that a request waits for.
///
/// # Errors
/// If something is known later or was reported.
pub(crate) fn compile_paths(
    paths: &OneOrMany<Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledPick> {
    Ok(CompiledPick {
        paths: compiled_paths(paths, interpolation)?,
        pattern: None,
    })
}

/// The paths of a pick.
pub(crate) fn compiled_paths(
    paths: &OneOrMany<Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<EventPath>> {
    fill_all(paths, |written| {
        let text = interpolation.text(written)?;
        EventPath::parse(&text).map_err(|error| {
            let message = format!("`{text}` is not a path: {} at character {}", error.message, error.at + 1);
            let help = "paths are written like `a.b[0].c`, `list[*].key` and `[?type=token].content`; one that begins with `[` is quoted";
            interpolation.report(Code::BadValue, written.span, message, Some(help.to_owned()))
        })
    })
}

/// A regular expression with exactly one group.
pub(crate) fn group_pattern(
    written: &Text,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Pattern> {
    let mut pattern = interpolation.pattern(written)?;
    let groups = pattern.groups();
    if groups != 1 {
        let message = format!("`match` has {groups} groups, expected one");
        let help = "put what counts into parentheses: `Answer: (.*)`; `(?:…)` is not a group";
        let help = Some(help.to_owned());
        return Err(interpolation.report(Code::BadValue, written.span, message, help));
    }
    match pattern.start(&mut Patterns::default()) {
        Ok(()) => Ok(pattern),
        Err(error) => {
            Err(interpolation.report(Code::BadPattern, written.span, error.to_string(), None))
        }
    }
}
