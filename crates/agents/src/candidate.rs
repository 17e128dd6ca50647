//! The targets that an agent could be of which only a URL or a program is known: each protocol names its own
//! ([`Protocol::PROBED`](super::Protocol::PROBED)), and they are tried one after the other.

use serde_json::{Map, Value};
use url::Url;

use super::{http::shown, lookup::NameLookup, protocol_turn::AgentTurns};
use ananke_base::text::escape;

/// All that is known of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// The URL of the agent, or of a server that it is somewhere below.
    Url(Url),
    /// The program, and its arguments.
    Program(Vec<String>),
}

impl AgentPlace {
    /// The URL; `None` for a program.
    pub fn url(&self) -> Option<&Url> {
        match self {
            Self::Url(url) => Some(url),
            Self::Program(_) => None,
        }
    }

    /// The place as messages show it, without what may be secret.
    pub fn shown(&self) -> String {
        match self {
            Self::Url(url) => shown(url),
            Self::Program(words) => format!("`{}`", escape::line(&words.join(" "))),
        }
    }

    /// The program and its arguments, if it is one.
    pub fn program(&self) -> Option<&[String]> {
        match self {
            Self::Url(_) => None,
            Self::Program(words) => Some(words),
        }
    }

    /// Reads a word of the command line as the URL of an agent. `None` if the word is not a URL but a file or a name.
    ///
    /// # Errors
    /// A message if the word is a URL, but not a valid one of HTTP, which is the only way to reach an agent by URL.
    pub fn of_word(word: &str) -> Option<Result<Self, String>> {
        // A scheme has no slash: `./a://b` is a path.
        let has_scheme = match word.split_once("://") {
            Some((scheme, _)) => !scheme.contains('/'),
            None => false,
        };
        let text = if has_scheme {
            word.to_owned()
        } else {
            // People often omit the scheme, so `localhost:80/agent` is a URL too. The port is required: without it, any word
            // would be a host, such as `shop`.
            let before_path = word.split('/').next()?;
            let (host, port) = before_path.rsplit_once(':')?;
            let is_port = !port.is_empty() && port.chars().all(|digit| digit.is_ascii_digit());
            if host.is_empty() || !is_port {
                return None;
            }
            format!("http://{word}")
        };

        // Control characters of the word must not reach the terminal.
        let shown = escape::line(word);
        Some(match Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Ok(Self::Url(url))
            }
            Ok(url) => Err(format!(
                "`{shown}` begins with `{}://`, and agents are asked over `http://` and `https://`",
                url.scheme()
            )),
            Err(error) => Err(format!("`{shown}` is not a URL: {error}")),
        })
    }
}

/// A target that an agent could be.
#[derive(Clone, Debug)]
pub struct TargetCandidate {
    /// The name of what it speaks: `OpenAI chat completions`.
    pub speaks: &'static str,
    /// The requests that are sent to find out: `GET http://h/v1/models`.
    pub sends: String,
    /// The keys of the target; `None` if no `type` of targets speaks it.
    pub target: Option<Map<String, Value>>,
    /// The request by which a server is known not to speak the protocol, before a question costs it anything.
    pub first: FirstRequest,
    /// The request before anything else, if there is one.
    pub lookup: Option<NameLookup>,
    /// The cheapest question whose answer shows the protocol.
    pub question: ProbeQuestion,
    /// The turns by which a test asks it.
    pub turns: AgentTurns,
    /// The URL that is asked, which may be below the one that people gave, or the program.
    pub at: AgentPlace,
    /// The reason why it could be there.
    pub place: CandidatePlace,
}

/// The first request to a candidate, which decides when it is sent, and whether it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstRequest {
    /// Lines to the stdin of a program.
    Lines,
    /// A GET of each of these URLs: the candidate is not there if nothing is at any of them.
    Get(Vec<Url>),
    /// A POST to this URL, which a server may have although a GET finds nothing there.
    Post(Url),
    /// A POST to this URL. A server of the protocol has something to say to a GET of it, too.
    PostAfterGet(Url),
}

/// The reason why a candidate could be where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CandidatePlace {
    /// People say that the agent is there.
    Given,
    /// Agents of its protocol are usually at such a path.
    Usual,
}

/// A question to a target by which its protocol is found out, from the one that costs nothing to the one that costs most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProbeQuestion {
    /// The list of its tools, or skills. Nothing is done.
    Tools,
    /// A greeting. It is over with the first sign of an answer.
    Greeting,
}

/// A protocol whose targets can be found.
pub trait ProbedProtocol: Sync {
    /// The targets that the agent at `place` could be. `name` is the agent or the model there, if people say which.
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate>;
}

/// A target in a config. `type` comes first, since people read it first.
pub fn target_keys(
    of_type: &str,
    keys: impl IntoIterator<Item = (&'static str, Value)>,
) -> Map<String, Value> {
    let mut target = Map::new();
    target.insert("type".to_owned(), Value::from(of_type));
    for (key, value) in keys {
        target.insert(key.to_owned(), value);
    }
    target
}

/// Whether a URL names a whole server, below which an agent usually has a path of its own.
pub fn is_base(url: &Url) -> bool {
    url.path() == "/"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_be_written_without_its_scheme() {
        for (word, expected) in [
            ("http://h/a", Some("http://h/a")),
            ("127.0.0.1:8411/agent", Some("http://127.0.0.1:8411/agent")),
            ("localhost:80", Some("http://localhost/")),
            ("[::1]:8000", Some("http://[::1]:8000/")),
            ("shop", None),
            ("a/b:7", None),
            ("./x", None),
            ("staging:eu", None),
        ] {
            let place = AgentPlace::of_word(word).map(Result::unwrap);
            let url = place.as_ref().and_then(AgentPlace::url).map(Url::as_str);
            assert_eq!(url, expected, "{word}");
        }
        for wrong in ["ftp://h/", "http://", "http://h:99999/"] {
            assert!(AgentPlace::of_word(wrong).unwrap().is_err(), "{wrong}");
        }
    }
}
