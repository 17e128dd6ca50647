//! Targets that a protocol proposes for an agent that speaks none of the known protocols: from a request that the user has, or
//! that a description of the API gives, and from its response.
//!
//! **Invariant:** a request is announced before it is sent, with the names of secrets instead of their values; a proposal has been
//! read back over the responses that were seen.

use futures_util::future::BoxFuture;
use serde_json::Value;
use url::Url;

use super::error::TargetError;
use super::http::Transport;
use super::limits::Limits;
use ananke_base::context::Ids;

/// The place of an agent for which a target is proposed.
#[derive(Clone, Copy, Debug)]
pub enum ProposalPlace<'a> {
    /// The URL that its clients send requests to.
    Url(&'a Url),
    /// The command line of a program that sends such a request.
    Command(&'a [String]),
}

/// A value that files never have: they read it from a variable of the environment.
#[derive(Clone, PartialEq, Eq)]
pub struct NamedSecret {
    /// The header, parameter or field that it is the value of.
    pub name: String,
    /// The variable of the environment.
    pub variable: String,
    /// The value itself.
    pub value: String,
}

impl std::fmt::Debug for NamedSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value is omitted, since this form may be logged.
        write!(formatter, "{} from {}: ***", self.name, self.variable)
    }
}

/// The surroundings of a proposal: the user who reads what is sent.
pub trait ProposalConsole: Sync {
    /// Shows a line to the user. What a server sent is escaped already, so that the line may be printed as it is.
    fn say(&self, line: &str);

    /// Masks a value in all that follows.
    fn hide(&self, secret: &str);
}

/// The settings of a proposal, and its way to the network.
pub struct ProposalOptions<'a> {
    /// Headers of every request that the user gave, with the variables that files name.
    pub headers: Vec<NamedSecret>,
    /// The body of the request as JSON with `${INPUT}`, if the user knows it.
    pub body: Option<&'a str>,
    /// Whether a POST to the URL was refused already: then none is sent, since a server that takes none refuses each.
    pub is_refused: bool,
    /// The message of a second turn, if one is sent.
    pub second: Option<&'a str>,
    /// The connection to the agent.
    pub transport: &'a dyn Transport,
    /// The limits of each request.
    pub limits: Limits,
    /// The source of the id of the conversation, which is a new one, since a proposal must not continue another.
    pub ids: &'a dyn Ids,
    /// The user.
    pub console: &'a dyn ProposalConsole,
}

/// The keys of a target, and the turns that were sent to find them.
#[derive(Clone, Debug)]
pub struct TargetProposal {
    /// The API in words, with its article.
    pub speaks: &'static str,
    /// The URL that is asked.
    pub url: Url,
    /// The keys of the target with comments, as lines of YAML that begin after two spaces.
    pub target: String,
    /// The turns that were sent, as the proposal reads their responses.
    pub turns: Vec<ProposedTurn>,
    /// The variables that a config lists as secrets, because only those of headers are secret by themselves.
    pub redacted: Vec<String>,
    /// The values that the target reads from the environment.
    pub secrets: Vec<NamedSecret>,
}

/// A turn that was sent, and its response as the proposal reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposedTurn {
    /// The message of the user.
    pub user: String,
    /// The messages of the agent.
    pub texts: Vec<String>,
    /// The calls of the agent: the tool, and the arguments.
    pub calls: Vec<(String, Value)>,
    /// The number of objects that may be calls and are not read, so that rules about calls would have no result.
    pub unread: usize,
}

/// A protocol whose targets can describe an agent that speaks no known protocol.
pub trait ProposingProtocol: Sync {
    /// Whether a command line is that of a program that sends a request. It is not started, since the request is read from its words.
    fn reads_command(&self, words: &[String]) -> bool;

    /// Sends a greeting, and proposes a target by its response.
    ///
    /// # Errors
    /// If the request cannot be made, or nothing in the response can be read as text.
    fn propose<'a>(
        &'a self,
        place: ProposalPlace<'a>,
        options: &'a ProposalOptions<'a>,
    ) -> BoxFuture<'a, Result<TargetProposal, TargetError>>;
}
