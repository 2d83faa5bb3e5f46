//! One agent turn over Anthropic's Messages, complete responses: a picture and an error go back to the model.
//!
//! `cargo run --example 08_turn_anthropic` talks to a scripted server on loopback. With `ANTHROPIC_API_KEY` set, and
//! `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL` if they are to differ, it talks to a real one.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::{env, error::Error, time::Duration};

use axum::{Json, Router, http::StatusCode, routing::post};
use serde_json::{Value, json};
use toolgate::{
    BatchOptions, ContentBlock, OutputSpec, RegisterError, ToolError, ToolRegistry,
    provider::{Export, Exporter, Format, Strict, Turn},
    tool,
};

const FORMAT: Format = Format::Anthropic;
/// A picture of eight pixels by eight, all of one blue.
const BLUE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mNQSPiPFTEMLQkAMjNfwS0RZUgAAAAASUVORK5CYII=";

fn register(registry: &ToolRegistry) -> Result<(), RegisterError> {
    let shown = OutputSpec::text().render(|name| {
        vec![ContentBlock::text(name.as_str().unwrap_or_default()), ContentBlock::image(BLUE, "image/png")]
    });
    let photo = tool("camera.photo").description("Takes a photo and shows it").output(shown);
    registry.register(photo.body(|_| async { Ok(json!("photo_1.png")) }))?;
    let print = tool("printer.print").description("Prints the last photo").output(OutputSpec::text());
    registry.register(print.body(|_| async { Err(ToolError::new("OUT_OF_PAPER", "the printer is out of paper")) }))?;
    Ok(())
}

/// Where to ask, and as whom.
struct Endpoint {
    client: reqwest::Client,
    base_url: String,
    key: String,
    model: String,
}

impl Endpoint {
    async fn find() -> Result<Self, Box<dyn Error>> {
        // The only thing that a program has to say about TLS: whose cryptography it is. A second one may not.
        _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(Duration::from_secs(60));
        let var = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
        let model = var("ANTHROPIC_MODEL", "claude-haiku-4-5");
        Ok(match env::var("ANTHROPIC_API_KEY") {
            Ok(key) => {
                let base_url = var("ANTHROPIC_BASE_URL", "https://api.anthropic.com");
                Self { client: client.build()?, base_url, key, model }
            }
            Err(_) => {
                Self { client: client.no_proxy().build()?, base_url: serve().await?, key: "none".to_owned(), model }
            }
        })
    }

    async fn ask(&self, messages: &[Value], export: &Export) -> Result<Turn, Box<dyn Error>> {
        let body = json!({"model": self.model, "max_tokens": 1024, "messages": messages, "tools": export.tools()});
        let request = self.client.post(format!("{}/v1/messages", self.base_url));
        let request = request.header("x-api-key", &self.key).header("anthropic-version", "2023-06-01");
        let response: Value = request.json(&body).send().await?.json().await?;
        // An error that the provider reports is one here.
        Ok(Turn::read(FORMAT, &response, export.names())?)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = ToolRegistry::new();
    register(&registry)?;
    let export = Exporter::new(FORMAT).strict(Strict::WherePossible).export(&registry.tools());
    for (report, reason) in export.refused() {
        println!("{} stays here: {reason}", report.name);
    }

    let endpoint = Endpoint::find().await?;
    let request = "Take a photo, print it, and tell me its colour.";
    println!("{}\n\nuser       {request}", endpoint.base_url);
    let mut messages = vec![json!({"role": "user", "content": request})];
    for _ in 0..8 {
        let turn = endpoint.ask(&messages, &export).await?;
        if !turn.text().is_empty() {
            println!("assistant  {}", turn.text());
        }
        let calls = turn.calls().iter().map(|call| export.receive(&registry, call.clone()));
        let results = registry.execute_batch(calls, BatchOptions::new()).await;
        for (call, result) in turn.calls().iter().zip(&results) {
            let images = result.content().iter().filter(|block| block.as_text().is_none()).count();
            println!("  {:<8} {} -> {} and {images} images", call.id(), call.name(), result.text());
        }
        // The assistant's message, and one of the user with an answer to each of its calls.
        messages.extend(turn.exchange(&results));
        if let Some(why) = turn.stopped() {
            println!("           stopped: {why}");
        } else if turn.calls().is_empty() {
            println!("\n{} messages in the history, every call answered", messages.len());
            return Ok(());
        }
    }
    Err("the model came to no answer".into())
}

/// A server that speaks Messages, with a model that has learnt its lines.
async fn serve() -> Result<String, Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = Router::new().route("/v1/messages", post(play));
    // Ends with the program.
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(format!("http://{address}"))
}

async fn play(Json(request): Json<Value>) -> (StatusCode, Json<Value>) {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let Err(why) = pairs(messages) {
        let error = json!({"type": "invalid_request_error", "message": why});
        return (StatusCode::BAD_REQUEST, Json(json!({"type": "error", "error": error})));
    }
    let name = |i: usize| request["tools"][i]["name"].clone();
    let call = |id: &str, name: Value| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let seen = messages.last().map(Value::to_string).unwrap_or_default();
    let (content, reason) = match messages.len() {
        1 => (vec![text("Say cheese."), call("toolu_1", name(0)), call("toolu_2", name(1))], "tool_use"),
        _ if seen.contains(BLUE) && seen.contains("out of paper") => {
            (vec![text("It is blue all over. I could not print it: the printer is out of paper.")], "end_turn")
        }
        _ => (vec![text("I see no photo.")], "end_turn"),
    };
    let message =
        json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content, "stop_reason": reason});
    (StatusCode::OK, Json(message))
}

/// What the real one checks too: the very next message answers every call, before anything else.
fn pairs(messages: &[Value]) -> Result<(), String> {
    let of = |message: &Value, kind: &str, member: &str| {
        let blocks = message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == kind);
        blocks.map(|block| block[member].clone()).collect::<Vec<_>>()
    };
    let mut open = Vec::new();
    for message in messages {
        if of(message, "tool_result", "tool_use_id") != open {
            return Err(format!("not answered in the next message: {}", json!(open)));
        }
        open = of(message, "tool_use", "id");
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never answered: {}", json!(open))) }
}
