//! The hooks of a test: checked when it is loaded, filled one by one when it starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::discover;
use crate::context::Context;
use crate::diagnostic::Code;
use crate::model::{Hook, Target, Text};
use crate::source::FreeMap;
use crate::variables::{Filling, Late, Piece, Scope, as_text, is_reserved, scan};

/// How long a hook may take without a setting (SPEC 3).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// What goes before a variable's name in the environment of a hook.
const VARIABLE_PREFIX: &str = "ANANKE_VAR_";

/// A hook that is ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// Its number in the test, counted from 1.
    pub number: usize,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// The folder as shown in messages.
    pub folder_name: String,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether it runs when the test is over: what it prints means nothing then.
    pub is_teardown: bool,
    /// Whether what it prints may be quoted: not where a header takes variables, so that it may be a secret.
    pub may_be_quoted: bool,
}

/// Fills one hook, and reports everything that is wrong with it; `None` where something is known later or was
/// reported. `number` is counted from 1, `home` the config's folder.
pub(super) fn fill(
    hook: &Hook,
    number: usize,
    context: &Context,
    home: &Path,
    scope: &Scope,
    filling: &mut Filling<'_>,
) -> Option<HookCommand> {
    let words: Vec<Option<String>> = hook.cmd.iter().map(|word| filling.text(word).ready()).collect();
    let own = environment(hook.env.as_ref(), filling, Filling::text);
    let timeout = match &hook.timeout_ms {
        Some(number) => filling.number(number).ready().map(Duration::from_millis),
        None => Some(DEFAULT_TIMEOUT),
    };
    let folder = Late::optional(hook.cwd.as_ref().map(|folder| filling.text(folder))).ready();
    let argv = words.into_iter().collect::<Option<Vec<_>>>()?;
    program(&argv, &hook.cmd, filling)?;
    let folder = folder?
        .map_or_else(|| home.to_path_buf(), |folder| discover::absolute_from(context, home, folder.as_ref()));
    let variables = scope.values().map(|(name, value)| (format!("{VARIABLE_PREFIX}{name}"), as_text(value)));
    let mut environment: BTreeMap<String, String> = (*context.environment).clone();
    environment.extend(variables);
    environment.extend(own?);
    Some(HookCommand {
        number,
        argv,
        environment,
        folder_name: discover::display_name(context, &folder),
        folder,
        timeout: timeout?,
        is_teardown: false,
        may_be_quoted: true,
    })
}

/// Whether the first word names a program; reports it where it does not.
pub(super) fn program(argv: &[String], written: &[Text], filling: &mut Filling<'_>) -> Option<()> {
    if argv.first().is_some_and(|program| !program.is_empty()) {
        return Some(());
    }
    let span = written.first().map(|word| word.span).unwrap_or_default();
    filling.report(Code::BadValue, span, "the first entry of `cmd` names no program", None);
    None
}

/// The variables of `env`, each filled by `fill`.
pub(super) fn environment<'f>(
    written: Option<&FreeMap<Text>>,
    filling: &mut Filling<'f>,
    fill: impl Fn(&mut Filling<'f>, &Text) -> Late<String>,
) -> Option<Vec<(String, String)>> {
    let one = |(name, text): &(Text, Text)| {
        let value = fill(filling, text).ready();
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("`{}` is no name of an environment variable", name.escape_debug());
            filling.report(Code::BadValue, name.span, message, None);
            return None;
        }
        Some((name.value.clone(), value?))
    };
    let filled: Vec<Option<(String, String)>> = written.into_iter().flatten().map(one).collect();
    filled.into_iter().collect()
}

/// Whether a header of `target` takes a variable that a hook may have given.
pub(super) fn feeds_headers(target: &Target) -> bool {
    headers_with(target, |name| !is_reserved(name)).next().is_some()
}

/// The headers of `target` that take a variable whose name `is_meant`.
pub(super) fn headers_with(target: &Target, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &Text> {
    let texts = target.headers().into_iter().flat_map(FreeMap::values);
    texts.filter(move |text| {
        let pieces = scan(&text.value).unwrap_or_default();
        pieces.iter().any(|piece| matches!(piece, Piece::Reference(reference) if is_meant(reference.name)))
    })
}
