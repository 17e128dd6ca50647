//! The tie of a step to its trigger: the tool, and arguments that must be the same.

use super::happening::Happening;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_model::model::{SamePaths, Text};
use ananke_model::variables::{Fill as _, Interpolation};
use ananke_trace::trace::{Args, Path, Trace, json_key};

/// The values that must be the same in a step and in its trigger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Tie {
    /// Whether the tool must be the same.
    pub(super) is_same_tool: bool,
    /// Own paths and those of the trigger.
    pub(super) paths: Vec<(Path, Path)>,
}

/// The values that a tie compares, as one text: equal texts are equal values.
pub(super) type Key = String;

impl Tie {
    /// Checks and fills the paths; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &SamePaths,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Vec<(Path, Path)>> {
        let paths: Vec<Option<(Path, Path)>> = match written {
            SamePaths::Paths(paths) => {
                let both = |text: &Text| {
                    let path: Path = text.fill(interpolation).ok()?;
                    Some((path.clone(), path))
                };
                paths.iter().map(both).collect()
            }
            SamePaths::Pairs(pairs) => {
                let mut pair = |(own, of_trigger): &(Spanned<String>, Text)| {
                    let own = Path::of_key(own, interpolation);
                    own.ok().zip(of_trigger.fill(interpolation).ok())
                };
                pairs.iter().map(&mut pair).collect()
            }
        };
        if paths.is_empty() {
            let message = "`same` without a path says nothing";
            let help = "add the name of an argument, or drop it".to_owned();
            interpolation.report(Code::EmptyValue, span, message, Some(help));
            return None;
        }
        paths.into_iter().collect()
    }

    /// Whether nothing must be the same.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_same_tool && self.paths.is_empty()
    }

    /// The values of the step; `None` if one is missing.
    pub(super) fn of_step(&self, trace: &Trace, step: &Happening) -> Option<Key> {
        self.key(trace, step, |(own, _)| own)
    }

    /// The values of the trigger; `None` if one is missing.
    pub(super) fn of_trigger(&self, trace: &Trace, trigger: &Happening) -> Option<Key> {
        self.key(trace, trigger, |(_, of_trigger)| of_trigger)
    }

    fn key(&self, trace: &Trace, of: &Happening, side: fn(&(Path, Path)) -> &Path) -> Option<Key> {
        if self.is_empty() {
            return Some(Key::new());
        }
        let call = &trace.calls[of.item.call()?];
        let mut key = Key::new();
        if self.is_same_tool {
            key.push_str(&call.name);
            key.push('\n');
        }
        for pair in &self.paths {
            let Args::Json(args) = call.args() else {
                return None;
            };
            key.push_str(&json_key(side(pair).find(args)?));
            key.push('\n');
        }
        Some(key)
    }

    /// The condition in words: `` with the same `card` ``.
    pub(super) fn describe(&self) -> String {
        let paths = self.paths.iter().map(|(own, of_trigger)| {
            if own == of_trigger {
                format!("`{}`", own.as_str())
            } else {
                format!(
                    "`{}` as `{}` of the trigger",
                    own.as_str(),
                    of_trigger.as_str()
                )
            }
        });
        let paths: Vec<String> = paths.collect();
        if paths.is_empty() {
            String::new()
        } else {
            format!(" with the same {}", paths.join(" and "))
        }
    }
}
