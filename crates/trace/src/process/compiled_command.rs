//! The keys `cmd`, `env` and `cwd` that every program of a config has: how they are written, checked and filled.

use ananke_base::diagnostic::Code;
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf, is_secret_name};

/// A program as a config writes it.
#[derive(Clone, Copy)]
pub struct WrittenCommand<'a> {
    /// The program and its arguments.
    pub cmd: &'a [Text],
    /// Its own environment variables.
    pub env: Option<&'a FreeMap<Text>>,
    /// The folder that it runs in.
    pub cwd: Option<&'a Text>,
}

/// A program with every variable filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its own environment variables, in addition to those of this program.
    pub environment: Vec<(String, String)>,
    /// The folder that it runs in, as it is written.
    pub cwd: Option<String>,
}

impl WrittenCommand<'_> {
    /// Fills the keys, each text by `fill`, and reports everything that is wrong with them; `None` if something is known
    /// later or was reported.
    pub fn fill<'f>(
        &self,
        interpolation: &mut Interpolation<'f>,
        fill: impl Fn(&mut Interpolation<'f>, &Text) -> Leaf<String>,
    ) -> Option<CompiledCommand> {
        let words: Vec<Option<String>> = self
            .cmd
            .iter()
            .map(|word| fill(interpolation, word).ok())
            .collect();
        let environment = self.environment(interpolation, &fill);
        let cwd = self
            .cwd
            .map(|folder| fill(interpolation, folder))
            .transpose()
            .ok();
        let argv = words.into_iter().collect::<Option<Vec<_>>>()?;
        if argv.first().is_none_or(String::is_empty) {
            // The schema reports an empty list.
            let span = self.cmd.first()?.span;
            interpolation.report(
                Code::BadValue,
                span,
                "the first entry names no program",
                None,
            );
            return None;
        }
        Some(CompiledCommand {
            argv,
            environment: environment?,
            cwd: cwd?,
        })
    }

    fn environment<'f>(
        &self,
        interpolation: &mut Interpolation<'f>,
        fill: &impl Fn(&mut Interpolation<'f>, &Text) -> Leaf<String>,
    ) -> Option<Vec<(String, String)>> {
        let one = |(name, text): &(Text, Text)| {
            let value = fill(interpolation, text).ok();
            if name.is_empty() || name.contains(['=', '\0']) {
                let message = format!(
                    "`{}` is not a valid name of an environment variable",
                    name.escape_debug()
                );
                interpolation.report(Code::BadValue, name.span, message, None);
                return None;
            }
            let value = value?;
            if is_secret_name(&name.value) {
                interpolation.add_named_secret(&format!("env.{}", name.value), &value);
            }
            Some((name.value.clone(), value))
        };
        let filled: Vec<Option<(String, String)>> =
            self.env.into_iter().flatten().map(one).collect();
        filled.into_iter().collect()
    }
}
