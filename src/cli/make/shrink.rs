//! `ananke shrink`: the smallest conversation that violates the rule that a recording violates.

use std::io;
use std::path::PathBuf;

use ananke::context::{Context, OutputStream};
use ananke::shrink::{ShrinkProgress, ShrinkRequest, ShrunkTest, shrink as shrink_recording};
use ananke::text::escape;
use clap::Args;

use super::freeze::open_recording;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, block_on, print, say, say_styled};
use crate::cli::options::RecordedSelection;
use crate::cli::output::{ForceOption, OutputFiles, named_path, shown_path};

/// The directory of shrunk tests.
const FOLDER: &str = "shrunk";

#[derive(Debug, Args)]
pub(crate) struct ShrinkOptions {
    /// A recording of a test in which a rule fails
    #[arg(value_name = "RECORDING")]
    pub(crate) recording: PathBuf,
    /// Write the config and the test into this directory (default: `shrunk/`, and the name of the recording)
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Stop after this many tries
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tries: u32,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) recorded: RecordedSelection,
}

impl CommandOptions for ShrinkOptions {
    /// Shrinks a recording and says what is left of it.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let (path, shown) = named_path(&self.recording, context);
        let recording = open_recording(&path, &shown)?;
        let folder = match &self.output {
            Some(folder) => named_path(folder, context).0,
            None => context
                .working_directory
                .join(FOLDER)
                .join(path.file_stem().unwrap_or_default()),
        };
        let request = ShrinkRequest {
            recording,
            selection: self.recorded.selection(),
            folder,
            most_tries: usize::try_from(self.max_tries).unwrap_or(usize::MAX),
        };
        let mut line = ProgressLine {
            is_shown: context.is_terminal(OutputStream::Stderr),
            last: None,
        };
        let mut show = |progress| line.show(progress);
        let shrunk = block_on(shrink_recording(context, &request, &mut show))?;
        line.clear();
        let shrunk = shrunk?;
        context.files.note(&path);
        OutputFiles::of(context, self.force).check_sources(shrunk.paths(), context)?;
        shrunk
            .write()
            .map_err(|error| Failed::new(format!("the test cannot be written: {error}")))?;
        if !shrunk.omitted.is_empty() {
            let omitted = shrunk.omitted.join(", ");
            say(&format!(
                "note: there are no steps for {omitted}, which are omitted"
            ));
        }
        if !shrunk.is_smallest {
            let tried = shrunk.tried;
            say(&format!(
                "note: stopped after {tried} tries: `--max-tries` allows more"
            ));
        }
        print(|out| summarize(&shrunk, out, context))?;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.recorded.color
    }
}

fn summarize(shrunk: &ShrunkTest, out: &mut dyn io::Write, context: &Context) -> io::Result<()> {
    let counted =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    for path in shrunk.paths() {
        writeln!(out, "wrote {}", shown_path(path, context))?;
    }
    let size = |(turns, events)| {
        format!(
            "{} with {}",
            counted(turns, "turn"),
            counted(events, "event")
        )
    };
    let (recorded, left) = (size(shrunk.recorded), size(shrunk.left));
    let tries = if shrunk.tried == 1 {
        "1 try".to_owned()
    } else {
        format!("{} tries", shrunk.tried)
    };
    writeln!(out, "shrunk {recorded} to {left}, in {tries}")?;
    let message = escape::terminal(&shrunk.message);
    writeln!(
        out,
        "it violates `{}` of the {}: {message}",
        shrunk.rule.path,
        shrunk.rule.level.as_str()
    )
}

/// The line that shows how far the search is.
struct ProgressLine {
    is_shown: bool,
    last: Option<ShrinkProgress>,
}

impl ProgressLine {
    fn show(&mut self, progress: ShrinkProgress) {
        if self.is_shown && self.last != Some(progress) {
            let ShrinkProgress {
                tried,
                turns,
                steps,
            } = progress;
            say_styled(&format!(
                "\r\x1b[Kshrinking: {tried} tried, {turns} turns and {steps} steps left"
            ));
            self.last = Some(progress);
        }
    }

    fn clear(&self) {
        if self.last.is_some() {
            say_styled("\r\x1b[K");
        }
    }
}
