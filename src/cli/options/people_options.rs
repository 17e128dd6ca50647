//! The options about people who take part in conversations.

use clap::{Args, ValueEnum};

use ananke::model::MissingInput;
use ananke::run::{Options, People};

/// Who answers when an agent waits for input.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct PeopleOptions {
    /// Ask at the terminal when an agent waits for input after the written turns, in every test
    #[arg(long)]
    pub(crate) interactive: bool,
    /// Never ask a person at the terminal, whatever tests say
    #[arg(long, conflicts_with = "interactive")]
    pub(crate) skip_interactive: bool,
    /// What to do if an agent waits for input and there is none, over what tests say
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) on_missing_input: Option<MissingInputAction>,
}

/// What to do if an agent waits for input and there is none.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MissingInputAction {
    /// Skip the test
    Skip,
    /// Fail the test
    Fail,
    /// End the conversation; the rules decide
    End,
}

impl From<MissingInputAction> for MissingInput {
    fn from(action: MissingInputAction) -> Self {
        match action {
            MissingInputAction::Skip => Self::Skip,
            MissingInputAction::Fail => Self::Fail,
            MissingInputAction::End => Self::End,
        }
    }
}

impl PeopleOptions {
    /// Puts these options into those of a run.
    pub(crate) fn put_into(self, options: Options) -> Options {
        let people = match self {
            Self {
                interactive: true, ..
            } => People::Asked,
            Self {
                skip_interactive: true,
                ..
            } => People::LeftOut,
            _ => People::OfTest,
        };
        Options {
            people,
            on_missing_input: self.on_missing_input.map(Into::into),
            ..options
        }
    }
}
