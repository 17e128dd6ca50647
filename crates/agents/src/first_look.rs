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

/// The most characters of the name of a server's software that are shown.
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
    /// Sends a GET to each URL, all at the same time, since a server that does not answer takes the whole time of `limits`.
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

    /// The first error of a GET that found no server to connect to. `None` if another GET reached the server.
    pub fn unreachable(&self) -> Option<&TargetError> {
        let mut unreachable = None;
        for (_, seen) in &self.seen {
            match seen {
                Ok(_) => return None,
                Err(error) if error.is_unreachable() => {
                    unreachable.get_or_insert(error);
                }
                // Other errors leave it open whether there is a server.
                Err(_) => {}
            }
        }
        unreachable
    }

    /// Whether the first request to a candidate is worth sending, as far as the GETs and the requests so far show. `true` counts
    /// the request as sent.
    pub fn allows(&mut self, candidate: &TargetCandidate) -> bool {
        match &candidate.first {
            // The lines go to a program, about which no GET says anything.
            FirstRequest::Lines => true,
            // One URL with something at it is enough.
            FirstRequest::Get(urls) => !urls.iter().all(|url| self.finds_nothing(url)),
            // A server of such a protocol answers a GET too, so the GET decides, unless the URL refused the POST of another
            // candidate.
            FirstRequest::PostAfterGet(url) => {
                !self.finds_nothing(url) && !self.refused.contains(url)
            }
            // The URL refused the POST of another candidate with a status such as 404, so it gets no second one.
            FirstRequest::Post(url) if self.refused.contains(url) => false,
            // A server may accept a POST where a GET finds nothing. A path where the GET finds nothing is a guess, so only a few
            // are tried: most servers are not agents, and should not get a POST for each protocol.
            FirstRequest::Post(url) => {
                if !self.finds_nothing(url) {
                    return true;
                }
                self.posts += 1;
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

    /// Whether the URL refused a POST because it takes none.
    pub fn refuses(&self, url: &Url) -> bool {
        self.refused.contains(url)
    }

    /// The server at `place` in words, for a user whose server speaks no known protocol: `an API that answers in JSON (uvicorn)`.
    /// `None` if the server did not answer the GET, or if `place` is a program.
    pub fn seems(&self, place: &AgentPlace) -> Option<String> {
        let head = self.head(place.url()?)?;
        let server = match media_type(&head.content_type) {
            "text/event-stream" => "a stream of server-sent events",
            // JSON in answer to a POST comes before the page in answer to the GET: many APIs answer an unexpected GET with a
            // page.
            _ if self.has_json_answer || is_json(&head.content_type) => {
                "an API that answers in JSON"
            }
            "text/html" => "a web page",
            _ => "an HTTP server",
        };
        // The names come from the server, so they are escaped and shortened before they are printed.
        let software: Vec<_> = head
            .software
            .iter()
            .map(|name| escape::line(&truncate::chars(name, SHOWN)).into_owned())
            .collect();
        if software.is_empty() {
            return Some(server.to_owned());
        }
        Some(format!("{server} ({})", software.join(", ")))
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

/// The URLs that get a GET before any other request: the one of `place`, and those of each candidate's first request. Each is in
/// the list once; the list is empty if `place` is a program.
pub fn looked_at(place: &AgentPlace, candidates: &[TargetCandidate]) -> Vec<Url> {
    let mut urls: Vec<Url> = place.url().cloned().into_iter().collect();
    for candidate in candidates {
        let candidate_urls = match &candidate.first {
            // Lines go to the stdin of a program, which has no URL.
            FirstRequest::Lines => &[],
            FirstRequest::Get(urls) => urls.as_slice(),
            // The GET shows, at no cost, whether anything is there, before a POST is sent.
            FirstRequest::Post(url) | FirstRequest::PostAfterGet(url) => std::slice::from_ref(url),
        };
        for url in candidate_urls {
            if !urls.contains(url) {
                urls.push(url.clone());
            }
        }
    }
    urls
}
