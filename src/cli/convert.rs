//! `ananke convert`: a case file as a YAML test file.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ananke::cases::{Conversion, is_case_file};
use ananke::context::{Context, Scratch};
use ananke::diagnostic::{Code, Diagnostic, Severity, sort};
use ananke::redact::Redactor;
use ananke::report::file::not_written;
use ananke::source::MAX_BYTES;
use clap::Args;

use super::colour::Colour;
use super::exit::Exit;
use super::named_path::named_path;
use super::output_files::{ForceOption, OutputFiles, OutputKind};
use super::print::{print, say};
use super::print_problems::print_problems;

#[derive(Debug, Args)]
pub(crate) struct ConvertOptions {
    /// The case file, `.jsonl`
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the YAML to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

/// Converts a case file.
pub(super) fn convert(options: &ConvertOptions, context: &Context) -> Exit {
    let report = |problems: &[Diagnostic]| {
        print_problems(problems, options.color, context, &Redactor::default());
        Exit::Failure
    };
    let (path, shown) = named_path(&options.file, context);
    if !is_case_file(&path) {
        let problem = Diagnostic::error(Code::BadValue, format!("`{shown}` is not a case file"));
        return report(&[problem.help("name a `.jsonl` file")]);
    }
    let output = options
        .output
        .as_ref()
        .map(|output| named_path(output, context));
    let conversion = Conversion::of(context, &path);
    let mut problems = conversion.problems(output.as_ref().and_then(|(output, _)| output.parent()));
    sort(&mut problems);
    if problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
    {
        return report(&problems);
    }
    report(&problems);
    if let Some((path, shown)) = &output {
        let files = OutputFiles::of(context, options.force);
        if let Err(refusal) = files.check(path, Path::new(shown), OutputKind::Source) {
            return complain(&refusal.into());
        }
    }
    match output {
        None => print(Exit::Success, |out| conversion.write(out)),
        Some((output, shown)) => match write(&conversion, &output) {
            Ok(bytes) if bytes > MAX_BYTES as u64 => {
                let message = format!(
                    "`{shown}` is larger than the {} MiB that are read",
                    MAX_BYTES >> 20
                );
                report(&[Diagnostic::warning(Code::LimitExceeded, message)
                    .help("split it into several files")]);
                Exit::Success
            }
            Ok(_) => Exit::Success,
            Err(error) => complain(&not_written(&shown, &output, &error)),
        },
    }
}

fn complain(error: &io::Error) -> Exit {
    say(&format!("error: {error}"));
    Exit::Failure
}

/// Writes the tests into a file; how many bytes it has.
fn write(conversion: &Conversion<'_>, output: &Path) -> io::Result<u64> {
    let mut scratch = Scratch::beside(output, "part")?;
    let mut out = BufWriter::new(&mut scratch.file);
    conversion.write(&mut out)?;
    out.flush()?;
    drop(out);
    let bytes = scratch.file.metadata()?.len();
    scratch.put_in_place(output)?;
    Ok(bytes)
}
