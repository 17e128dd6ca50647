//! The options that say where an agent is, where no config does.

use std::sync::Arc;

use ananke::agents::AgentPlace;
use ananke::agents::http::is_header;
use ananke::context::{Context, Environment};
use clap::Args;

use crate::cli::frame::Failed;

/// The place of an agent.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PlaceOptions {
    /// A header of every request to the URL (repeatable). Files name a variable of the environment in its place
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub(crate) headers: Vec<Header>,
    /// The agent or the model at the URL, if it has several
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// After `--`: a program that is the agent or the server, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// A header with its value, which is secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// In lower case.
    pub(crate) name: String,
    pub(crate) value: String,
}

impl std::fmt::Debug for Header {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: ***", self.name)
    }
}

impl Header {
    /// The environment variable that has its value.
    pub(crate) fn variable(&self) -> String {
        let name = self.name.replace('-', "_").to_ascii_uppercase();
        format!("AGENT_{name}")
    }
}

/// Reads `NAME: VALUE`.
fn header(text: &str) -> Result<Header, String> {
    let form = "write it as `NAME: VALUE`, as in `-H \"authorization: Bearer $TOKEN\"`";
    let (name, value) = text.split_once(':').ok_or(form)?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    if is_header(&name, value) && !value.is_empty() {
        Ok(Header {
            name,
            value: value.to_owned(),
        })
    } else {
        Err(form.to_owned())
    }
}

impl PlaceOptions {
    /// The place that `word` or the program is, if one of them is one.
    ///
    /// # Errors
    /// If it is no place, or both are there.
    pub(crate) fn place(&self, word: Option<&str>) -> Result<Option<AgentPlace>, Failed> {
        match (word.and_then(AgentPlace::of_word), self.command.is_empty()) {
            (Some(_), false) => Err(Failed::new("write a URL or a program, not both")
                .help("if the program serves the URL, start it first")),
            (Some(url), true) => url.map(Some).map_err(Failed::new),
            (None, false) => Ok(Some(AgentPlace::Program(self.command.clone()))),
            (None, true) if !self.headers.is_empty() || self.agent.is_some() => Err(Failed::new(
                "`--header` and `--agent` are about a URL, and there is none",
            )),
            (None, true) => Ok(None),
        }
    }

    /// The headers as a request has them.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let pair = |header: &Header| (header.name.clone(), header.value.clone());
        self.headers.iter().map(pair).collect()
    }

    /// The outside world, with the values of the headers where files name them.
    pub(crate) fn context(&self, context: &Context) -> Context {
        let mut environment = Environment::clone(&context.environment);
        for header in &self.headers {
            environment.set(header.variable(), header.value.clone());
        }
        Context {
            environment: Arc::new(environment),
            ..context.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_header_is_named_by_a_variable() {
        let header = header("X-Api-Key:  abc ").unwrap();
        assert_eq!(header.variable(), "AGENT_X_API_KEY");
        assert_eq!((&*header.name, &*header.value), ("x-api-key", "abc"));
        assert_eq!(format!("{header:?}"), "x-api-key: ***");
        for wrong in ["abc", "a b: c", ": x", "a:"] {
            assert!(super::header(wrong).is_err(), "{wrong}");
        }
    }
}
