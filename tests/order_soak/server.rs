//! A server on loopback that speaks every wire: the request says which case it is for, and each case has its responses.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::conversation::mocked;
use super::http_form::{HttpForm, HttpFraming};

/// What a case is answered with.
pub(super) struct ToldCase {
    /// The form of its bodies, if it has one of its own.
    pub(super) form: Option<HttpForm>,
    /// The events of each response, in order.
    pub(super) bodies: VecDeque<Vec<Value>>,
}

/// The responses of each case.
pub(super) type Responses = Arc<Mutex<HashMap<usize, ToldCase>>>;

/// A server that listens until the process ends.
pub(super) fn start() -> (SocketAddr, Responses) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let responses = Responses::default();
    let shared = Arc::clone(&responses);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let responses = Arc::clone(&shared);
            std::thread::spawn(move || serve(stream, &responses));
        }
    });
    (address, responses)
}

/// The method, the path and the body of a request.
fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 16384]);
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let length = line.to_lowercase();
                length.strip_prefix("content-length: ")?.parse().ok()
            });
            if body.len() >= length.unwrap_or(0_usize) {
                let line = head.lines().next()?.to_owned();
                return Some((line, serde_json::from_str(body).unwrap_or_default()));
            }
        }
        match stream.read(&mut chunk) {
            Ok(count @ 1..) => bytes.extend_from_slice(&chunk[..count]),
            _ => return None,
        }
    }
}

/// The number of the case: it is in the last message of the user.
fn case_of(body: &Value) -> Option<usize> {
    let text = body.to_string();
    let (_, rest) = text.rsplit_once("case ")?;
    rest.split(' ').next()?.parse().ok()
}

fn serve(mut stream: TcpStream, responses: &Responses) {
    let Some((line, body)) = request(&mut stream) else {
        return;
    };
    let response = if line.contains(" /mcp") {
        mcp(&line, &body)
    } else {
        let mut responses = responses.lock().unwrap_or_else(PoisonError::into_inner);
        let number = case_of(&body);
        let told = number.and_then(|number| responses.get_mut(&number));
        let form = told.as_ref().and_then(|told| told.form);
        let own = told.and_then(|told| told.bodies.pop_front());
        if let Some(form) = form {
            let line_end = if number.is_some_and(|number| number % 2 == 0) {
                "\n"
            } else {
                "\r\n"
            };
            let body = form.body(&own.unwrap_or_default(), line_end);
            let response = of_form(form.framing, &body);
            drop(responses);
            let _sent = stream.write_all(response.as_bytes());
            return;
        }
        let is_chat = line.contains("/chat/completions");
        let mut events = String::new();
        for mut event in own.unwrap_or_default() {
            if event["id"] == "REQUEST" {
                event["id"] = body["id"].clone();
            }
            let _written = write!(events, "data: {event}\n\n");
        }
        if is_chat {
            events += "data: [DONE]\n\n";
        }
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{events}",
            events.len()
        )
    };
    let _sent = stream.write_all(response.as_bytes());
}

/// A response of an HTTP API. What streams often has a content type that says nothing.
fn of_form(framing: HttpFraming, body: &str) -> String {
    let content_type = match framing {
        HttpFraming::Lists | HttpFraming::Steps => "application/json",
        HttpFraming::Sse => "text/event-stream",
        HttpFraming::Named | HttpFraming::Lines | HttpFraming::Prefixed => "text/plain",
    };
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn mcp(line: &str, body: &Value) -> String {
    let result = match body["method"].as_str() {
        Some("initialize") => {
            json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } })
        }
        Some("tools/call") => {
            let tool = body["params"]["name"].as_str().unwrap_or_default();
            json!({ "content": [{ "type": "text", "text": mocked(tool) }] })
        }
        Some("tools/list") => json!({ "tools": [] }),
        _ if line.starts_with("GET") => return empty("405 Method Not Allowed"),
        _ => return empty("202 Accepted"),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result }).to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    )
}

fn empty(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}
