//! Sends a request on as it is, and hands the response back as it comes: for a proxy.

use std::error::Error as StdError;

use bytes::Bytes;
use hyper::body::Body;
use reqwest::{Client, Url};

use super::{TlsOptions, cause::Cause, client_kind::ClientKind};

/// Headers that concern one connection (RFC 9110, 7.6.1), and those that the client of the next connection writes itself.
const OF_CONNECTION: [&str; 10] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
];

/// Sends requests on to one server.
#[derive(Clone, Debug)]
pub struct Forwarder {
    client: Client,
    endpoint: Url,
}

/// A response whose body is still arriving.
#[derive(Debug)]
pub struct ForwardedResponse {
    /// HTTP status.
    pub status: u16,
    /// The headers in their order, apart from those that concern the connection.
    pub headers: Vec<(String, String)>,
    response: reqwest::Response,
}

impl Forwarder {
    /// Sends requests on to the server of `endpoint`.
    ///
    /// # Errors
    /// The reason why no client can be made.
    pub fn new(endpoint: Url) -> Result<Self, String> {
        let client = ClientKind::of(&endpoint).build(&TlsOptions::default())?;
        Ok(Self { client, endpoint })
    }

    /// The URL that a request to the proxy is sent on to. `target` is its path and query.
    fn place(&self, target: &str) -> Url {
        // A client that has only the address of the proxy means the endpoint, whose path it does not need to know.
        if target == "/" {
            return self.endpoint.clone();
        }
        // Every other path is one of the endpoint's server. The endpoint's own path and query are replaced.
        let mut url = self.endpoint.clone();
        if let Some((path, query)) = target.split_once('?') {
            url.set_path(path);
            url.set_query(Some(query));
        } else {
            url.set_path(target);
            url.set_query(None);
        }
        url
    }

    /// Sends a request on to the server, and returns the head of its response with the body still to be read. `target` is the
    /// path and query of the request.
    ///
    /// # Errors
    /// The reason why there is no response.
    pub async fn forward<B>(
        &self,
        method: &str,
        target: &str,
        headers: &[(String, String)],
        body: B,
    ) -> Result<ForwardedResponse, String>
    where
        B: Body<Data = Bytes> + Send + Sync + 'static,
        B::Error: Into<Box<dyn StdError + Send + Sync>>,
    {
        let body = reqwest::Body::wrap(body);
        self.send(method, target, headers, body).await
    }

    /// The same with a body that is there as a whole.
    ///
    /// # Errors
    /// The reason why there is no response.
    pub async fn forward_whole(
        &self,
        method: &str,
        target: &str,
        headers: &[(String, String)],
        body: Bytes,
    ) -> Result<ForwardedResponse, String> {
        self.send(method, target, headers, body.into()).await
    }

    async fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(String, String)],
        body: reqwest::Body,
    ) -> Result<ForwardedResponse, String> {
        let method = method
            .parse()
            .map_err(|_| format!("`{method}` is no method of HTTP"))?;
        let mut request = self.client.request(method, self.place(target));
        for (name, value) in headers {
            // Headers of the connection to the client do not apply to the one to the server. Without `accept-encoding`, the
            // server sends its response uncompressed: a recording keeps it as text.
            if !OF_CONNECTION.contains(&name.as_str()) && name != "accept-encoding" {
                request = request.header(name, value);
            }
        }
        let result = request.body(body).send().await;
        let response = result.map_err(|error| Cause::of(&error).to_string())?;

        let mut response_headers = Vec::new();
        for (name, value) in response.headers() {
            if !OF_CONNECTION.contains(&name.as_str()) {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                response_headers.push((name.as_str().to_owned(), value));
            }
        }
        Ok(ForwardedResponse {
            status: response.status().as_u16(),
            headers: response_headers,
            response,
        })
    }
}

impl ForwardedResponse {
    /// The next bytes of the body; `None` when it is complete.
    ///
    /// # Errors
    /// The way in which the connection broke.
    pub async fn next(&mut self) -> Result<Option<Bytes>, String> {
        self.response
            .chunk()
            .await
            .map_err(|error| Cause::of(&error).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_of_the_server_and_the_root_is_the_endpoint() {
        let forwarder = Forwarder::new("http://127.0.0.1:1/agent?a=1".parse().unwrap()).unwrap();
        for (target, expected) in [
            ("/", "http://127.0.0.1:1/agent?a=1"),
            ("/info", "http://127.0.0.1:1/info"),
            ("/x%20y?b=2", "http://127.0.0.1:1/x%20y?b=2"),
        ] {
            assert_eq!(forwarder.place(target).as_str(), expected);
        }
    }
}
