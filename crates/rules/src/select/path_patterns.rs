//! Patterns that arguments of a call must not match.

use serde_json::Value;

use crate::describe::short;
use crate::values::text_of;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Pattern, Patterns};
use ananke_trace::outcome::JsonFocus;
use ananke_trace::trace::Path;

/// Paths in arguments and the pattern that each must not match (SPEC 7.2, `args_not_match`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PathPatterns(Vec<(Path, Pattern)>);

/// An argument that a pattern decides on.
pub(crate) struct PatternMiss {
    /// The mismatch, in words.
    pub(crate) words: String,
    /// The argument.
    pub(super) place: JsonFocus,
}

impl PathPatterns {
    /// Checks and fills the patterns; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: Option<&FreeMap<Text>>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let compile = |(key, text): &(Spanned<String>, Text)| {
            let path = Path::of_key(key, interpolation);
            path.ok().zip(interpolation.value_pattern(text).ok())
        };
        // Every pattern is looked at, so that every problem is reported.
        let compiled: Vec<_> = written.into_iter().flatten().map(compile).collect();
        compiled.into_iter().collect::<Option<_>>().map(Self)
    }

    /// Compiles the patterns.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(crate) fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.0
            .iter_mut()
            .try_for_each(|(_, pattern)| pattern.start(patterns))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every call that matches these also matches `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        fewer.0.iter().all(|condition| self.0.contains(condition))
    }

    /// Each pattern in words: `` `amount` matching `^10` ``; `how` is `matching` or `not matching`.
    pub(crate) fn describe<'p>(&'p self, how: &'p str) -> impl Iterator<Item = String> + 'p {
        let words = move |(path, pattern): &(Path, Pattern)| {
            format!("`{}` {how} `{}`", path.as_str(), short(pattern.as_str()))
        };
        self.0.iter().map(words)
    }

    /// The arguments that are looked at.
    pub(super) fn focus(&self) -> impl Iterator<Item = JsonFocus> + '_ {
        self.0.iter().map(|(path, _)| at(path, None))
    }

    /// Each argument that matches its pattern.
    pub(crate) fn hits<'m>(&'m self, args: &'m Value) -> impl Iterator<Item = PatternMiss> + 'm {
        self.0.iter().filter_map(|(path, pattern)| {
            let text = text_of(path.find(args)?);
            let unwanted = format!("`{}`", short(pattern.as_str()));
            pattern.is_match(&text).then(|| PatternMiss {
                words: format!("{}, which matches {unwanted}", is(path, &text)),
                place: at(path, Some(format!("no match of {unwanted}"))),
            })
        })
    }
}

/// A place in a value.
pub(super) fn at(path: &Path, expected: Option<String>) -> JsonFocus {
    JsonFocus {
        path: path.parts().to_vec(),
        expected,
    }
}

fn is(path: &Path, text: &str) -> String {
    format!("argument `{}` is `{}`", path.as_str(), short(text))
}
