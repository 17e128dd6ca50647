//! The progress of a request before its response, for the words of a timeout.
//!
//! The library that connects reports nothing by itself. So its parts are given to it: what resolves names, what is around a
//! connection, and the random numbers with which TLS begins. They run in the task of the request, which has its progress.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::crypto::{self, GetRandomFailed, SecureRandom};
use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    /// The request that this task sends, since what connects is not given it.
    static CURRENT: RequestProgress;
}

const NOT_CONNECTED: &str = "no connection came about";
const NO_TLS: &str = "the connection was made, and TLS was not set up";
const NO_RESPONSE: &str = "the request was sent, and no response came";

/// The progress of a request; shared with who waits for its response.
#[derive(Clone, Debug, Default)]
pub struct RequestProgress(Arc<Mutex<Reached>>);

#[derive(Debug, Default)]
struct Reached {
    words: Option<String>,
    proxy: Option<String>,
    headers: Option<Arc<[(String, String)]>>,
    cookies: Vec<String>,
}

impl RequestProgress {
    /// The part that is still missing, in words that follow `timeout after 3s: `; `None` if nothing is known.
    pub fn words(&self) -> Option<String> {
        let reached = self.reached();
        let words = reached.words.as_deref()?;
        Some(match &reached.proxy {
            Some(proxy) => format!("{words} (through the proxy {proxy})"),
            None => words.to_owned(),
        })
    }

    /// Replaces the words.
    pub fn set(&self, words: impl Into<String>) {
        self.reached().words = Some(words.into());
    }

    /// All headers of the response, once it is there. They are for people: a recording keeps those that a protocol reads.
    pub fn response_headers(&self) -> Option<Arc<[(String, String)]>> {
        self.reached().headers.clone()
    }

    /// The response is there.
    pub(super) fn received(&self, headers: impl Iterator<Item = (String, String)>) {
        self.reached().headers = Some(headers.collect());
    }

    /// The response sets these cookies, each as its header has it.
    pub(super) fn set_cookies(&self, cookies: impl Iterator<Item = String>) {
        self.reached().cookies = cookies.collect();
    }

    /// The cookies that the response sets.
    pub(super) fn take_cookies(&self) -> Vec<String> {
        std::mem::take(&mut self.reached().cookies)
    }

    /// Sends a request through `proxy`, if there is one, whose progress is this.
    pub(super) async fn of<T>(&self, proxy: Option<String>, request: impl Future<Output = T>) -> T {
        self.reached().proxy = proxy;
        CURRENT.scope(self.clone(), request).await
    }

    fn reached(&self) -> MutexGuard<'_, Reached> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(words: impl Into<String>) {
    let _none = CURRENT.try_with(|progress| progress.set(words));
}

/// Resolves names as the system does.
pub(super) struct NotingResolver;

impl Resolve for NotingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        note(format!("the name `{}` was not resolved", name.as_str()));
        Box::pin(async move {
            let addresses: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            note(NOT_CONNECTED);
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Puts [`NotingConnector`] around what connects.
#[derive(Clone)]
pub(super) struct NotingLayer;

/// Connects, and notes that it begins and ends.
#[derive(Clone)]
pub(super) struct NotingConnector<S>(S);

impl<S> Layer<S> for NotingLayer {
    type Service = NotingConnector<S>;

    fn layer(&self, inner: S) -> Self::Service {
        NotingConnector(inner)
    }
}

impl<S, R> Service<R> for NotingConnector<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        note(NOT_CONNECTED);
        let connecting = self.0.call(request);
        Box::pin(async move {
            let connected = connecting.await;
            if connected.is_ok() {
                note(NO_RESPONSE);
            }
            connected
        })
    }
}

/// Random numbers: the first thing that TLS needs, so that it has begun.
#[derive(Debug)]
pub(super) struct NotingRandom;

impl SecureRandom for NotingRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        let _none = CURRENT.try_with(|progress| {
            // TLS asks for random numbers again later, when more than the connection has been made.
            if let Some(words) = &mut progress.reached().words
                && words == NOT_CONNECTED
            {
                NO_TLS.clone_into(words);
            }
        });
        crypto::ring::default_provider().secure_random.fill(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_missing_until_it_is_resolved() {
        let progress = RequestProgress::default();
        assert_eq!(progress.words(), None);
        let resolved = progress.of(Some("http://proxy:3128".to_owned()), async {
            let resolving = NotingResolver.resolve("localhost".parse().expect("a name"));
            let before = progress.words();
            (
                before,
                resolving
                    .await
                    .map(Iterator::count)
                    .map_err(|error| error.to_string()),
            )
        });
        let (before, found) = resolved.await;
        let through = "(through the proxy http://proxy:3128)";
        assert_eq!(
            before,
            Some(format!("the name `localhost` was not resolved {through}"))
        );
        assert!(found.is_ok_and(|count| count > 0));
        assert_eq!(
            progress.words(),
            Some(format!("no connection came about {through}"))
        );
    }
}
