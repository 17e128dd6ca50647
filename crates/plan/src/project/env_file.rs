//! Files of environment variables: `NAME=value` lines.
//!
//! Flows in: the text of a file. Flows out: names and values. **Invariant:** no problem quotes a line of a file, since it may
//! contain a secret.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::Config;
use super::read_config::ReadConfig;
use ananke_base::context::{Context, PathKind, absolute, absolute_from, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_base::source;
use ananke_model::model::{EnvFile, EnvFileEntry};
use ananke_model::variables::{Interpolation, Mode, Scope};

/// The context with what the files give in its environment: those of the config, and over them those `named` on the command line,
/// each over those before it. A variable that is set already keeps its value.
pub(crate) fn with_env_files(
    context: &Context,
    named: &[PathBuf],
    reading: Option<&ReadConfig>,
    problems: &mut Vec<Diagnostic>,
) -> Context {
    let mut given = Vec::new();
    if let Some(reading) = reading {
        let (config, mut found) = (reading.config(), Vec::new());
        for (path, span) in config.env_files(context, &mut found) {
            given
                .push(read(context, &path).map_err(|problem| problem.at(&config.source, span, "")));
        }
        reading.report(found, problems);
    }
    given.extend(
        named
            .iter()
            .map(|path| read(context, &absolute(context, path))),
    );
    let mut environment = Arc::clone(&context.environment);
    for read in given {
        match read {
            Ok(variables) => {
                let is_new = |(name, _): &(String, String)| !context.environment.contains(name);
                Arc::make_mut(&mut environment).extend(variables.into_iter().filter(is_new));
            }
            Err(problem) => problems.push(problem),
        }
    }
    Context {
        environment,
        ..context.clone()
    }
}

impl Config {
    /// The files that `env_file` names and that have to be read.
    fn env_files(&self, context: &Context, problems: &mut Vec<Diagnostic>) -> Vec<(PathBuf, Span)> {
        let scope = Scope::new(Arc::clone(&context.environment));
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let mut files = Vec::new();
        for entry in self.model.env_file.iter().flat_map(|files| &files.0) {
            let (written, required) = match entry {
                EnvFileEntry::Text(path) => (path, None),
                EnvFileEntry::Mapping(EnvFile { path, required }) => (path, required.as_ref()),
            };
            let required = required.map_or(Ok(true), |flag| interpolation.flag(flag));
            let (Ok(path), Ok(required)) = (interpolation.text(written), required) else {
                continue;
            };
            let path = absolute_from(context, &self.folder, Path::new(&path));
            if required || context.files.look(&path).is_ok() {
                files.push((path, written.span));
            }
        }
        files
    }
}

/// Reads one file.
fn read(context: &Context, path: &Path) -> Result<Vec<(String, String)>, Diagnostic> {
    let name = display_name(context, path);
    if matches!(context.files.look(path), Ok(PathKind::Directory)) {
        return Err(Diagnostic::error(
            Code::Unreadable,
            format!("`{name}` cannot be read: it is a directory"),
        ));
    }
    let text = source::read(&context.files, path, &name)?;
    parse(&text.text).map_err(|EnvFileError { line, what }| {
        Diagnostic::error(Code::BadValue, format!("{name}:{line}: {what}")).help(
            "write one `NAME=value` per line; quote a value that has line breaks, or ` #` in it",
        )
    })
}

/// The error in a file, and its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
struct EnvFileError {
    line: usize,
    what: &'static str,
}

/// Reads `NAME=value` lines. Empty lines and those that begin with `#` are skipped, `export` before a name is allowed. A value
/// without quotes ends with its line or before ` #`; in double quotes `\n`, `\r`, `\t`, `\"` and `\\` are escapes, in single
/// quotes nothing is. `$` is never special.
fn parse(text: &str) -> Result<Vec<(String, String)>, EnvFileError> {
    let mut variables = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let wrong = |what| EnvFileError { line, what };
        let end = rest.find('\n').unwrap_or(rest.len());
        let first = rest[..end].trim();
        if first.is_empty() || first.starts_with('#') {
            rest = rest.get(end + 1..).unwrap_or_default();
            line += 1;
            continue;
        }
        let equals = rest[..end]
            .find('=')
            .ok_or_else(|| wrong("expected `NAME=value`"))?;
        let name = rest[..equals].trim();
        let name = name
            .strip_prefix("export")
            .filter(|rest| rest.starts_with([' ', '\t']))
            .unwrap_or(name)
            .trim();
        let is_name = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        if name.is_empty() || !is_name {
            return Err(wrong(
                "what is before `=` is not a valid name of an environment variable",
            ));
        }
        let value = rest[equals + 1..].trim_start_matches([' ', '\t']);
        let quote = value
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''));
        let (value, after) = if let Some(quote) = quote {
            let unclosed = || wrong("a quote that begins here is not closed");
            let (value, after) = quoted(&value[1..], quote).ok_or_else(unclosed)?;
            let left = after.split('\n').next().unwrap_or_default().trim();
            if !left.is_empty() && !left.starts_with('#') {
                return Err(wrong("there is text after the closing quote"));
            }
            (value, after)
        } else {
            let written = value.split('\n').next().unwrap_or_default();
            let value = written
                .find(" #")
                .map_or(written, |comment| &written[..comment]);
            let value = if value.starts_with('#') { "" } else { value };
            (value.trim().to_owned(), &rest[end..])
        };
        if value.contains('\0') {
            return Err(wrong("a value cannot contain a NUL character"));
        }
        variables.push((name.to_owned(), value));
        let after = after.find('\n').map_or("", |end| &after[end + 1..]);
        line += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    Ok(variables)
}

/// The value up to its closing `quote`, and what is after it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            _ if character == quote => return Some((value, &text[at + 1..])),
            '\\' if quote == '"' => match characters.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                other @ ('"' | '\\') => value.push(other),
                other => value.extend(['\\', other]),
            },
            '\r' if text[at + 1..].starts_with('\n') => {}
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(parse(text), Ok(expected), "{text:?}");
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        check("", &[]);
        check("# nothing\n\n  # more\n", &[]);
        check(
            "A=1\r\nexport B = two words \r\n",
            &[("A", "1"), ("B", "two words")],
        );
        check(
            "A=x # why\nB=x#y\nC=#\nD=\nE= # only",
            &[("A", "x"), ("B", "x#y"), ("C", ""), ("D", ""), ("E", "")],
        );
        check(
            "A=$HOME ${B}\nexport=1",
            &[("A", "$HOME ${B}"), ("export", "1")],
        );
        check(
            r#"A="x # \"y\" \\ \n\d" # why"#,
            &[("A", "x # \"y\" \\ \n\\d")],
        );
        check(
            "A='x # \\n'\nB='it\"s'",
            &[("A", "x # \\n"), ("B", "it\"s")],
        );
        check(
            "KEY=\"-----\nabc=\n-----\"\nB=2",
            &[("KEY", "-----\nabc=\n-----"), ("B", "2")],
        );
        check("A=b=c==", &[("A", "b=c==")]);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, what) in [
            ("A=1\nhunter2\n", 2, "expected `NAME=value`"),
            ("\n=x", 2, "what is before `=`"),
            ("A B=x", 1, "what is before `=`"),
            ("A=\"1\n2\"\nB='x\ny", 3, "a quote that begins here"),
            ("A='x' y", 1, "there is text after"),
            ("A=a\0b", 1, "a value cannot contain a NUL"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.line == line && error.what.starts_with(what),
                "{text:?}: {error:?}"
            );
        }
    }
}
