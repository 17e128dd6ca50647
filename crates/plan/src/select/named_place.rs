//! The project in which the arguments of a command are looked for, and which of them name files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ananke_base::context::{Context, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::nearest;

/// The file extensions of what is certainly meant as a file.
const EXTENSIONS: &[&str] = &["csv", "json", "jsonl", "ndjson", "yaml", "yml"];

/// The project in which the arguments of a command are looked for.
#[derive(Clone, Copy)]
pub(crate) struct NamedPlace<'a> {
    pub(crate) context: &'a Context,
    /// The directory of the config, which ids are relative to.
    pub(crate) folder: &'a Path,
    pub(crate) config: &'a Path,
    /// The globs of its test files.
    pub(crate) specs: &'a [String],
}

impl NamedPlace<'_> {
    /// The path of what `path` names in the working directory, else in that of the config.
    pub(super) fn find(&self, path: &Path) -> Option<PathBuf> {
        let is_named = !path.as_os_str().is_empty();
        let places = [absolute(self.context, path), self.folder.join(path)];
        let mut there = places.into_iter().filter(|_| is_named);
        there.find(|path| self.context.files.look(path).is_ok())
    }

    /// The problem of a file that is not there; `line` is what `written` names of it.
    pub(super) fn no_file(&self, file: &str, line: &str) -> Diagnostic {
        let message = format!("`{file}{line}` cannot be read: there is no such file");
        let path = absolute(self.context, Path::new(file));
        let siblings = path.parent().map(|folder| self.context.files.list(folder));
        let siblings = siblings
            .into_iter()
            .flatten()
            .filter(|path| self.context.files.is_file(path));
        let names = siblings.map(|path| display_name(self.context, &path));
        let names: Vec<String> = names.filter(|name| is_file_name(name)).collect();
        let near = nearest(stem(file), names.iter().map(|name| stem(name)));
        let near = near.and_then(|near| names.iter().find(|name| stem(name) == near));
        let problem = Diagnostic::error(Code::Unreadable, message);
        problem.help(match near {
            Some(name) => format!("did you mean `{name}{line}`?"),
            None => "check its name; `ananke list` prints the tests with their files".to_owned(),
        })
    }
}

/// The name of a file without its directory and its extensions, which most files have in common.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// True if this is written like the name of a file that contains tests or rows.
pub(super) fn is_file_name(written: &str) -> bool {
    let extension = Path::new(written).extension().and_then(OsStr::to_str);
    !written.contains("::") && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}
