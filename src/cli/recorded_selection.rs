//! The options that say how a recording was made.

use std::path::PathBuf;

use ananke::plan::Selection;
use ananke::project::Variables;
use clap::Args;

use super::colour::Colour;
use super::selection_options::variable;

/// How a recording was made.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordedSelection {
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The agent that was recorded, if it was chosen on the command line
    #[arg(short = 'n', long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Who played the user, if that was chosen on the command line
    #[arg(long, value_name = "NAME")]
    pub(crate) simulator: Option<String>,
    /// A variable that was set on the command line (repeatable)
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl RecordedSelection {
    /// The config, the target and the variables; the test comes from the recording.
    pub(super) fn selection(&self) -> Selection {
        Selection {
            config: self.config.clone(),
            target: self.target.clone().into(),
            simulator: self.simulator.clone(),
            variables: Variables {
                given: self.variables.iter().cloned().collect(),
                ..Variables::default()
            },
            ..Selection::default()
        }
    }
}
