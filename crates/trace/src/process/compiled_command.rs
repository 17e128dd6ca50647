//! The keys `cmd`, `env` and `cwd` that every program of a config has: how they are written, checked and filled.

use ananke_base::diagnostic::Code;
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf, NotReady, fill_all, is_secret_name};

/// A program as a config writes it.
#[derive(Clone, Copy)]
pub struct WrittenCommand<'a> {
    /// The program and its arguments.
    pub cmd: &'a [Text],
    /// Its own environment variables.
    pub env: Option<&'a FreeMap<Text>>,
    /// The folder that it runs in.
    pub cwd: Option<&'a Text>,
    /// Whether a variable of `env` whose name says that it is secret may be empty.
    pub may_lack_secrets: bool,
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
    /// Fills the keys, each text by `fill`, and reports everything that is wrong with them.
    ///
    /// # Errors
    /// If something is known later or was reported.
    pub fn fill<'f>(
        &self,
        interpolation: &mut Interpolation<'f>,
        fill: impl Fn(&mut Interpolation<'f>, &Text) -> Leaf<String>,
    ) -> Leaf<CompiledCommand> {
        let argv = fill_all(self.cmd, |word| fill(interpolation, word));
        let variables = self.env.into_iter().flatten();
        let environment = fill_all(variables, |(name, text)| {
            interpolation.check_sent(text);
            let value = fill(interpolation, text);
            if !self.may_lack_secrets && is_secret_name(name) {
                interpolation.require_values(&format!("`env.{}`", name.value), text)?;
            }
            variable(name, value, interpolation)
        });
        let cwd = self.cwd.map(|folder| fill(interpolation, folder));
        let argv: Vec<String> = argv?;
        if argv.first().is_none_or(String::is_empty) {
            // The schema reports an empty list.
            let span = self.cmd.first().ok_or(NotReady::Invalid)?.span;
            let message = "the first entry names no program";
            return Err(interpolation.report(Code::BadValue, span, message, None));
        }
        Ok(CompiledCommand {
            argv,
            environment: environment?,
            cwd: cwd.transpose()?,
        })
    }
}

fn variable(
    name: &Text,
    value: Leaf<String>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<(String, String)> {
    if name.is_empty() || name.contains(['=', '\0']) {
        let message = format!(
            "`{}` is not a valid name of an environment variable",
            name.escape_debug()
        );
        return Err(interpolation.report(Code::BadValue, name.span, message, None));
    }
    let value = value?;
    if is_secret_name(name) {
        interpolation.add_named_secret(&format!("env.{}", name.value), &value);
    }
    Ok((name.value.clone(), value))
}
