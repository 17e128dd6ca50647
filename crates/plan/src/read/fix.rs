//! The work of `ananke check --fix`: applies the fixes that problems offer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::planned::plan;
use crate::select::Selection;
use ananke_base::context::{Context, write_file};
use ananke_base::diagnostic::{Code, Diagnostic, Edit, apply};
use ananke_base::source::reason;
use ananke_base::text::natural_path_order;
use ananke_trace::redact::Redactor;

/// The number of rounds in which fixes are applied: a fix may uncover another problem, such as a key in what was not
/// looked into before.
const MOST_ROUNDS: usize = 8;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The code of the problem.
    pub code: Code,
    /// The file as shown in messages.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
}

/// The result of the fixes of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedFiles {
    /// The fixes, in the order in which they were applied.
    pub done: Vec<Fixed>,
    /// The number of problems that are left, warnings included.
    pub left: usize,
}

/// Applies the fixes of all problems of what is selected, the config included, and writes the files.
///
/// # Errors
/// If a file cannot be written; those before it are fixed.
pub fn fix(context: &Context, selection: &Selection) -> Result<FixedFiles, Diagnostic> {
    let mut fixed = FixedFiles::default();
    for _ in 0..MOST_ROUNDS {
        let problems = plan(context, selection, &Redactor::default()).problems;
        fixed.left = problems.len();
        let mut files: BTreeMap<PathBuf, Vec<(Code, Edit)>> = BTreeMap::new();
        for problem in problems {
            for edit in problem.fixes {
                files
                    .entry(edit.source.path.clone())
                    .or_default()
                    .push((problem.code, edit));
            }
        }
        if files.is_empty() {
            break;
        }
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by(|(one, _), (other, _)| natural_path_order(one, other));
        for (_, mut fixes) in files {
            fixes.sort_by_key(|(_, edit)| edit.span);
            fixes.dedup_by(|(_, a), (_, b)| a.span.start < b.span.end || a.span == b.span);
            fixed.done.extend(write(&fixes)?);
        }
    }
    Ok(fixed)
}

/// Writes one file with its fixes applied.
fn write(fixes: &[(Code, Edit)]) -> Result<Vec<Fixed>, Diagnostic> {
    let Some((_, Edit { source, .. })) = fixes.first() else {
        return Ok(Vec::new());
    };
    let text = apply(source, fixes.iter().map(|(_, edit)| edit));
    let is_marked =
        std::fs::read(&source.path).is_ok_and(|bytes| bytes.starts_with("\u{feff}".as_bytes()));
    let text = if is_marked {
        format!("\u{feff}{text}")
    } else {
        text
    };
    write_file(&source.path, text.as_bytes()).map_err(|error| {
        Diagnostic::error(
            Code::Unreadable,
            format!("`{}` cannot be written: {}", source.name, reason(&error)),
        )
    })?;
    let applied = fixes
        .iter()
        .map(|(code, Edit { source, span, text })| Fixed {
            code: *code,
            file: source.name.to_string(),
            line: source.place(*span).line,
            before: source.text.get(span.range()).unwrap_or_default().to_owned(),
            after: text.clone(),
        });
    Ok(applied.collect())
}
