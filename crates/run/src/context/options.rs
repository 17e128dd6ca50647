//! The options of a run.

use std::time::Duration;

use futures_util::future::BoxFuture;

use ananke_model::model::MissingInput;
use ananke_model::settings::RunSettings;
use ananke_rules::Writing;

/// The options of a run: its settings, and what the program decides that starts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The settings of the run.
    pub settings: RunSettings,
    /// Whether people are asked when agents wait for input.
    pub people: People,
    /// The action if an agent waits for input and there is none, over that of the tests.
    pub on_missing_input: Option<MissingInput>,
    /// The snapshots that are written.
    pub writing: Writing,
    /// Whether what is sent and received is reported while a test runs.
    pub exchanges: bool,
    /// Whether it is reported which call a running test is in, and that its agent is heard.
    pub activity: bool,
}

impl From<RunSettings> for Options {
    fn from(settings: RunSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }
}

/// Whether people are asked when agents wait for input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum People {
    /// If the test says so.
    #[default]
    OfTest,
    /// In every test.
    Asked,
    /// In none.
    LeftOut,
}

/// The question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonQuestion {
    /// The id of the test, masked.
    pub test: String,
    /// The text of the agent, masked; empty at the beginning of a conversation.
    pub said: String,
    /// The hint of the agent about the input that it expects, masked.
    pub hint: Option<String>,
    /// The time that the person may take.
    pub timeout: Duration,
}

/// The result of a question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonAnswer {
    /// The text of the person; never empty.
    Said(String),
    /// Nothing in time.
    Late,
    /// Nothing more will come.
    Ended,
    /// The person wants to stop the run.
    Stops,
}

/// A person who takes part in conversations, one question after the other.
pub trait Person: Send + Sync {
    /// The answer of the person to `question`. Several questions at once are asked one after the other; waiting for an
    /// earlier one is no time of the person.
    fn ask(&self, question: PersonQuestion) -> BoxFuture<'_, PersonAnswer>;
}
