//! The source of a test's rows: they are read one after the other for the plan, and each again for its run.

use std::path::Path;
use std::sync::Arc;

use super::cell_blanks::CellBlanks;
use super::data_file::DataFile;
use super::loaded_rows::{LoadedRows, held};
use super::row::{Row, RowEntry, label, row_problem};
use super::{delimited, lines};
use ananke_base::context::{Context, absolute_from, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::source::printable;
use ananke_model::model::Cases;
use ananke_model::variables::Interpolation;

/// The number of problems of one file of rows that are reported.
const MOST_PROBLEMS: usize = 20;

/// The source of a test's rows.
#[derive(Debug)]
pub(crate) enum Rows {
    /// In a YAML file, or in the test itself.
    Loaded(LoadedRows),
    /// In a JSONL file.
    Lines(DataFile),
    /// In a CSV file.
    Delimited(DataFile),
}

impl Rows {
    /// Finds out where the rows are; those of YAML are read. A path counts from `folder`.
    pub(crate) fn of(
        written: &Spanned<Cases>,
        test: &Arc<SourceFile>,
        context: &Context,
        folder: &Path,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let path = match &written.value {
            Cases::Rows(rows) => {
                let (source, rows) = (Arc::clone(test), rows.clone());
                return Some(Self::Loaded(LoadedRows {
                    source,
                    rows,
                    is_filled: true,
                }));
            }
            Cases::File(path) => Spanned {
                value: path.clone(),
                span: written.span,
            },
        };
        let path = interpolation.text(&path).ok()?;
        let path = absolute_from(context, folder, Path::new(&path));
        let name = display_name(context, &path);
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv") => Some(Self::Delimited(DataFile {
                files: context.files.clone(),
                path,
                name,
            })),
            Some("jsonl" | "ndjson") => Some(Self::Lines(DataFile {
                files: context.files.clone(),
                path,
                name,
            })),
            Some("yaml" | "yml") => match held(&context.files, &path, &name) {
                Ok(held) => Some(Self::Loaded(held)),
                Err(problems) => {
                    for problem in problems {
                        interpolation.add(problem);
                    }
                    None
                }
            },
            _ => {
                let message = format!("`{}` is not a file of rows", printable(&name));
                let help =
                    "rows are a list in the test, or in a `.csv`, `.jsonl`, `.yaml` or `.yml` file";
                interpolation.report(Code::BadValue, written.span, message, Some(help.to_owned()));
                None
            }
        }
    }

    /// The path of the file that they are in; `None` if they are written in the test.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Loaded(rows) => (!rows.is_filled).then_some(&*rows.source.path),
            Self::Lines(file) | Self::Delimited(file) => Some(&file.path),
        }
    }

    /// Reads all rows, one after the other, and hands on the good ones; what is wrong with the others is reported, at
    /// `span` where they are in no file that a problem can show.
    pub(crate) fn each(
        &self,
        span: Span,
        interpolation: &mut Interpolation<'_>,
        hand_on: &mut dyn FnMut(RowEntry, Row),
    ) {
        let mut index = 0_u32;
        let mut wrong = 0;
        let mut blanks = CellBlanks::default();
        let mut take = |row: Result<Row, Diagnostic>, interpolation: &mut Interpolation<'_>| {
            if let (Ok(row), Self::Delimited(_)) = (&row, self) {
                blanks.warn(row, span, interpolation);
            }
            let row = row.and_then(|row| label(&row, index).map(|label| (label, row)));
            match row {
                Ok((label, row)) => {
                    let line = u32::try_from(row.line).unwrap_or(u32::MAX);
                    let entry = RowEntry {
                        label,
                        index,
                        line,
                        offset: row.offset,
                        hash: row.hash(),
                    };
                    hand_on(entry, row);
                }
                Err(error) => {
                    wrong += 1;
                    report(error, span, interpolation);
                }
            }
            index = index.saturating_add(1);
            wrong < MOST_PROBLEMS
        };
        match self {
            Self::Loaded(held) => {
                for number in 0..held.rows.len() {
                    let row = held.row(number, interpolation);
                    if let Some(row) = row
                        && !take(row, interpolation)
                    {
                        break;
                    }
                }
            }
            Self::Lines(file) => lines::each(file, &mut |row| take(row, interpolation)),
            Self::Delimited(file) => delimited::each(file, &mut |row| take(row, interpolation)),
        }
        // The schema reports an empty list in a test.
        if index == 0
            && !matches!(
                self,
                Self::Loaded(LoadedRows {
                    is_filled: true,
                    ..
                })
            )
        {
            let message = "there are no rows: the test would never run".to_owned();
            report(row_problem(message, ""), span, interpolation);
        }
    }

    /// Reads one row again; `None` where it is not what it was, or cannot be filled.
    pub(crate) fn again(
        &self,
        entry: &RowEntry,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Row> {
        let row = match self {
            Self::Loaded(held) => held.row(entry.index as usize, interpolation)?,
            Self::Lines(file) => lines::at(file, entry.offset),
            Self::Delimited(file) => delimited::at(file, entry.offset),
        };
        let row = row.ok().filter(|row| row.hash() == entry.hash)?;
        Some(Row {
            line: u64::from(entry.line),
            ..row
        })
    }
}

/// Reports a problem, at `span` where it is in no file that a problem can show.
fn report(problem: Diagnostic, span: Span, interpolation: &mut Interpolation<'_>) {
    let problem = if problem.source.is_some() {
        problem
    } else {
        interpolation.at(problem, span)
    };
    interpolation.add(problem);
}
