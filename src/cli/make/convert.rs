//! `ananke convert`: a case file, or a file of promptfoo, as a YAML test file.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ananke::cases::{Conversion, is_case_file};
use ananke::context::{Context, Scratch};
use ananke::diagnostic::{Code, Diagnostic, sort};
use ananke::promptfoo::PromptfooConversion;
use ananke::{redact::Redactor, report::file::not_written, source::MAX_BYTES};
use clap::Args;

use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, print, print_problems};
use crate::cli::output::{ForceOption, OutputFiles, OutputKind, named_path};

#[derive(Debug, Args)]
pub(crate) struct ConvertOptions {
    /// The case file, `.jsonl`, or the YAML file of promptfoo
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

impl CommandOptions for ConvertOptions {
    /// Converts a file.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let broken = |problems| Failed::Problems(problems, Redactor::default());
        let warn = |problems: &[Diagnostic]| {
            print_problems(problems, self.color, context, &Redactor::default());
        };
        let (path, _) = named_path(&self.file, context);
        let output = self.output.as_ref().map(|file| named_path(file, context));
        let (conversion, problems) = if is_case_file(&path) {
            let conversion = Conversion::of(context, &path);
            let folder = output.as_ref().and_then(|(output, _)| output.parent());
            let mut problems = conversion.problems(folder);
            sort(&mut problems);
            (Converted::Cases(conversion), problems)
        } else {
            let conversion = PromptfooConversion::of(context, &path).map_err(broken)?;
            let problems = conversion.problems().to_vec();
            (Converted::Promptfoo(conversion), problems)
        };
        if problems.iter().any(Diagnostic::is_error) {
            return Err(broken(problems));
        }
        warn(&problems);
        let Some((path, shown)) = output else {
            print(|out| conversion.write(out))?;
            return Ok(Exit::Success);
        };
        let files = OutputFiles::of(context, self.force);
        files.check(&path, Path::new(&shown), OutputKind::Source)?;
        let written = write(&conversion, &path);
        let bytes = written.map_err(|error| not_written(&shown, &path, &error))?;
        if bytes > MAX_BYTES as u64 {
            let message = format!(
                "`{shown}` is larger than the {} MiB that are read",
                MAX_BYTES >> 20
            );
            let problem = Diagnostic::warning(Code::LimitExceeded, message);
            warn(&[problem.help("split it into several files")]);
        }
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

/// A file that is converted.
enum Converted<'a> {
    Cases(Conversion<'a>),
    Promptfoo(PromptfooConversion),
}

impl Converted<'_> {
    /// Writes the tests.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Cases(conversion) => conversion.write(out),
            Self::Promptfoo(conversion) => conversion.write(out),
        }
    }
}

/// Writes the tests into a file; how many bytes it has.
fn write(conversion: &Converted<'_>, output: &Path) -> io::Result<u64> {
    let mut scratch = Scratch::beside(output, "part")?;
    let mut out = BufWriter::new(&mut scratch.file);
    conversion.write(&mut out)?;
    out.flush()?;
    drop(out);
    let bytes = scratch.file.metadata()?.len();
    scratch.put_in_place(output)?;
    Ok(bytes)
}
