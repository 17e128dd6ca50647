//! How the responses of a target are read, compiled: paths are parsed, and patterns are regular expressions.

use std::borrow::Cow;

use serde_json::Value;

use super::path::{Hit, Path, Place, Searched};
use super::response_config::{
    CallMode, CallPicks, InterruptPicks, Pick, ResponseConfig, ResultPicks, StreamForm, TextMode,
    TextPick, UsagePicks,
};
use ananke_base::diagnostic::Code;
use ananke_model::model::{OneOrMany, Short, Text};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Pattern, Patterns, fill_all};

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

/// Where text is.
#[derive(Clone, Debug)]
pub(crate) struct TextMapping {
    pub(crate) pick: CompiledPick,
    /// `None` if the form of the response decides.
    pub(crate) mode: Option<TextMode>,
    pub(crate) is_optional: bool,
}

/// Where calls are.
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

/// Where results are.
#[derive(Clone, Debug)]
pub(crate) struct ResultMapping {
    pub(crate) at: CompiledPick,
    pub(crate) id: Option<CompiledPick>,
    pub(crate) name: Option<CompiledPick>,
    pub(crate) result: Option<CompiledPick>,
    pub(crate) error: Option<CompiledPick>,
}

/// Where interrupts are.
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
    pub(crate) output: Option<CompiledPick>,
    pub(crate) total: Option<CompiledPick>,
    pub(crate) adds: bool,
}

/// Paths of which the first that finds something counts.
#[derive(Clone, Debug)]
pub(crate) struct CompiledPick {
    paths: Vec<Path>,
    /// The expression whose first group counts of a text.
    pattern: Option<Pattern>,
}

impl CompiledPick {
    /// What the first path finds that finds something in `searched`.
    pub(crate) fn find<'v>(
        &self,
        searched: Searched<'v>,
        passed_by: &mut Vec<Place>,
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
        self.paths.iter().any(Path::takes_whole_event)
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

/// Checks and compiles the keys of `response`.
///
/// # Errors
/// If something is known later or was reported.
pub(crate) fn compile_mapping(
    config: &ResponseConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ResponseMapping> {
    // Everything is compiled before anything is returned, so that all problems are reported at once.
    let text = text(&config.text, interpolation);
    let calls = part(config.calls.as_deref(), interpolation, calls);
    let results = part(config.results.as_deref(), interpolation, results);
    let error = optional(config.error.as_ref(), interpolation);
    let done = optional(config.done.as_ref(), interpolation);
    let interrupts = part(config.interrupts.as_deref(), interpolation, interrupts);
    let usage = part(config.usage.as_ref(), interpolation, usage);
    let reasoning = optional(config.reasoning.as_ref(), interpolation);
    let state = optional(config.state.as_ref(), interpolation);
    let is_strict: Leaf<Option<bool>> = config.strict.fill(interpolation);
    if let (Some(results), None) = (&config.results, &config.calls) {
        let message = "`results` need `calls`: a result answers a call";
        let help = Some(
            "say where the calls are: `calls: { at: \"tool_calls[*]\", name: name }`".to_owned(),
        );
        return Err(interpolation.report(Code::MissingKey, results.span, message, help));
    }
    Ok(ResponseMapping {
        form: config.stream.unwrap_or_default(),
        text: text?,
        calls: calls?,
        results: results?,
        error: error?,
        done: done?,
        interrupts: interrupts?,
        usage: usage?,
        reasoning: reasoning?,
        state: state?,
        is_strict: is_strict?.unwrap_or_default(),
    })
}

/// Compiles a part of the keys, if it is written.
fn part<W, T>(
    written: Option<&W>,
    interpolation: &mut Interpolation<'_>,
    compile: fn(&W, &mut Interpolation<'_>) -> Leaf<T>,
) -> Leaf<Option<T>> {
    match written {
        Some(written) => compile(written, interpolation).map(Some),
        None => Ok(None),
    }
}

fn text(written: &TextPick, interpolation: &mut Interpolation<'_>) -> Leaf<TextMapping> {
    let pick = compiled(&written.path, written.r#match.as_ref(), interpolation);
    let is_optional: Leaf<Option<bool>> = written.optional.fill(interpolation);
    Ok(TextMapping {
        pick: pick?,
        mode: written.mode,
        is_optional: is_optional?.unwrap_or_default(),
    })
}

fn calls(written: &CallPicks, interpolation: &mut Interpolation<'_>) -> Leaf<CallMapping> {
    let at = pick(&written.at, interpolation);
    let name = pick(&written.name, interpolation);
    let id = optional(written.id.as_ref(), interpolation);
    let index = optional(written.index.as_ref(), interpolation);
    let args = optional(written.args.as_ref(), interpolation);
    let result = optional(written.result.as_ref(), interpolation);
    let error = optional(written.error.as_ref(), interpolation);
    Ok(CallMapping {
        at: at?,
        name: name?,
        id: id?,
        index: index?,
        args: args?,
        result: result?,
        error: error?,
        mode: written.mode.unwrap_or_default(),
    })
}

fn results(written: &ResultPicks, interpolation: &mut Interpolation<'_>) -> Leaf<ResultMapping> {
    let at = pick(&written.at, interpolation);
    let id = optional(written.id.as_ref(), interpolation);
    let name = optional(written.name.as_ref(), interpolation);
    let result = optional(written.result.as_ref(), interpolation);
    let error = optional(written.error.as_ref(), interpolation);
    Ok(ResultMapping {
        at: at?,
        id: id?,
        name: name?,
        result: result?,
        error: error?,
    })
}

fn interrupts(
    written: &InterruptPicks,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<InterruptMapping> {
    let at = pick(&written.at, interpolation);
    let id = optional(written.id.as_ref(), interpolation);
    let call = optional(written.call.as_ref(), interpolation);
    let message = optional(written.message.as_ref(), interpolation);
    Ok(InterruptMapping {
        at: at?,
        id: id?,
        call: call?,
        message: message?,
    })
}

fn usage(written: &UsagePicks, interpolation: &mut Interpolation<'_>) -> Leaf<UsageMapping> {
    let input = optional(written.input.as_ref(), interpolation);
    let output = optional(written.output.as_ref(), interpolation);
    let total = optional(written.total.as_ref(), interpolation);
    let adds: Leaf<Option<bool>> = written.add.fill(interpolation);
    Ok(UsageMapping {
        input: input?,
        output: output?,
        total: total?,
        adds: adds?.unwrap_or_default(),
    })
}

fn optional(
    written: Option<&Short<Pick>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Option<CompiledPick>> {
    match written {
        Some(written) => pick(written, interpolation).map(Some),
        None => Ok(None),
    }
}

fn pick(written: &Pick, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledPick> {
    compiled(&written.path, written.r#match.as_ref(), interpolation)
}

fn compiled(
    paths: &OneOrMany<Text>,
    pattern: Option<&Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledPick> {
    let paths = compiled_paths(paths, interpolation);
    let pattern = match pattern {
        Some(written) => group_pattern(written, interpolation).map(Some),
        None => Ok(None),
    };
    Ok(CompiledPick {
        paths: paths?,
        pattern: pattern?,
    })
}

/// A pick of paths alone, such as those that a request waits for.
///
/// # Errors
/// If something is known later or was reported.
pub(crate) fn compile_paths(
    paths: &OneOrMany<Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledPick> {
    compiled(paths, None, interpolation)
}

fn compiled_paths(
    paths: &OneOrMany<Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<Path>> {
    fill_all(paths, |written| {
        let text = interpolation.text(written)?;
        Path::parse(&text).map_err(|error| {
            let message = format!("`{text}` is not a path: {} at character {}", error.message, error.at + 1);
            let help = "paths are written like `a.b[0].c`, `list[*].key` and `[?type=token].content`; one that begins with `[` is quoted";
            interpolation.report(Code::BadValue, written.span, message, Some(help.to_owned()))
        })
    })
}

/// A regular expression with exactly one group.
fn group_pattern(written: &Text, interpolation: &mut Interpolation<'_>) -> Leaf<Pattern> {
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
