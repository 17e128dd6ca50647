//! The GETs that come before anything else, side by side: what is at each URL, and what a server seems to be that no protocol
//! fits.

use futures_util::future::join_all;
use url::Url;

use super::candidate::{AgentPlace, FirstRequest, TargetCandidate};
use super::error::TargetError;
use super::http::Transport;
use super::limits::Limits;
use super::lookup::ServerHead;
use ananke_base::text::{escape, truncate};

/// The most POSTs to places where a GET found nothing.
const MOST_POSTS: usize = 5;

/// The most characters of what a server says of itself.
const SHOWN: usize = 40;

/// The answers to the GETs, and the POSTs since.
#[derive(Debug, Default)]
pub struct FirstLook {
    seen: Vec<(Url, Result<Option<ServerHead>, TargetError>)>,
    /// The URLs that refused a POST.
    refused: Vec<Url>,
    /// A POST was answered in JSON.
    has_json_answer: bool,
    /// The number of POSTs to places where a GET found nothing.
    posts: usize,
}

impl FirstLook {
    /// Sends a GET to each URL at the same time.
    pub async fn at(
        urls: Vec<Url>,
        headers: &[(String, String)],
        transport: &dyn Transport,
        limits: &Limits,
    ) -> Self {
        let looks = urls.into_iter().map(async |url| {
            let head = ServerHead::of(&url, headers, transport, limits).await;
            (url, head)
        });
        Self {
            seen: join_all(looks).await,
            ..Self::default()
        }
    }

    /// The error if no GET reached a server.
    pub fn unreachable(&self) -> Option<&TargetError> {
        let mut unreachable = None;
        for (_, seen) in &self.seen {
            match seen {
                Ok(_) => return None,
                Err(error) if error.is_unreachable() => {
                    unreachable.get_or_insert(error);
                }
                Err(_) => {}
            }
        }
        unreachable
    }

    /// Whether the first request to a candidate is worth sending; it counts as sent then.
    pub fn allows(&mut self, candidate: &TargetCandidate) -> bool {
        match &candidate.first {
            FirstRequest::Lines => true,
            FirstRequest::Get(urls) => !urls.iter().all(|url| self.finds_nothing(url)),
            FirstRequest::PostAfterGet(url) => {
                !self.finds_nothing(url) && !self.refused.contains(url)
            }
            FirstRequest::Post(url) if self.refused.contains(url) => false,
            FirstRequest::Post(url) => {
                self.posts += usize::from(self.finds_nothing(url));
                self.posts <= MOST_POSTS
            }
        }
    }

    /// Notes how a candidate answered that is none.
    pub fn answered(&mut self, candidate: &TargetCandidate, error: &TargetError) {
        let content_type = error.received.content_type.as_deref().unwrap_or_default();
        self.has_json_answer |= is_json(content_type);
        if let FirstRequest::Post(url) | FirstRequest::PostAfterGet(url) = &candidate.first
            && matches!(error.received.status, Some(404 | 405 | 410))
        {
            self.refused.push(url.clone());
        }
    }

    /// What the server at `place` seems to be: `an API that answers in JSON (uvicorn)`; `None` if it did not answer.
    pub fn seems(&self, place: &AgentPlace) -> Option<String> {
        let head = self.head(place.url()?)?;
        let what = match media_type(&head.content_type) {
            "text/event-stream" => "a stream of server-sent events",
            // Many servers answer a GET that they do not expect with a page.
            _ if self.has_json_answer || is_json(&head.content_type) => {
                "an API that answers in JSON"
            }
            "text/html" => "a web page",
            _ => "an HTTP server",
        };
        let names: Vec<_> = head
            .software
            .iter()
            .map(|name| escape::line(&truncate::chars(name, SHOWN)).into_owned())
            .collect();
        if names.is_empty() {
            return Some(what.to_owned());
        }
        Some(format!("{what} ({})", names.join(", ")))
    }

    fn head(&self, url: &Url) -> Option<&ServerHead> {
        let (_, seen) = self.seen.iter().find(|(seen, _)| seen == url)?;
        seen.as_ref().ok()?.as_ref()
    }

    fn finds_nothing(&self, url: &Url) -> bool {
        match self.head(url) {
            Some(head) => head.is_nothing(),
            // A server that did not answer a GET may still answer a POST.
            None => false,
        }
    }
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

fn is_json(content_type: &str) -> bool {
    matches!(
        media_type(content_type),
        "application/json" | "application/problem+json"
    )
}

/// The URLs of the first look at `place`: its own, and those of each candidate's first request, each once.
pub fn looked_at(place: &AgentPlace, candidates: &[TargetCandidate]) -> Vec<Url> {
    let mut urls: Vec<Url> = place.url().cloned().into_iter().collect();
    for candidate in candidates {
        let first = match &candidate.first {
            FirstRequest::Lines => &[],
            FirstRequest::Get(urls) => urls.as_slice(),
            FirstRequest::Post(url) | FirstRequest::PostAfterGet(url) => std::slice::from_ref(url),
        };
        for url in first {
            if !urls.contains(url) {
                urls.push(url.clone());
            }
        }
    }
    urls
}
