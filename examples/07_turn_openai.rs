//! One agent turn over Chat Completions, streamed: tools out, calls in, a batch, results back, the answer.
//!
//! `cargo run --example 07_turn_openai` talks to a scripted server on loopback. With `OPENAI_API_KEY` set, and
//! `OPENAI_BASE_URL` and `OPENAI_MODEL` if they are to differ, it talks to a real one.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::{env, error::Error, time::Duration};

use axum::{Json, Router, body::Body, http::StatusCode, response::IntoResponse, routing::post};
use serde_json::{Value, json};
use toolgate::{
    BatchOptions, OutputSpec, RegisterError, ToolRegistry,
    provider::{Export, Exporter, Format, SseDecoder, Strict, Turn, TurnBuilder},
    tool,
};

const FORMAT: Format = Format::OpenAiChat;

fn weather(registry: &ToolRegistry) -> Result<(), RegisterError> {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
        "additionalProperties": false});
    let weather = tool("weather.today").description("The weather of a city today").parameters(city);
    registry.register(weather.output(OutputSpec::text()).body(|cx| async move {
        let city = cx.arguments()["city"].as_str().unwrap_or_default();
        Ok(json!(format!("{city}: {}", if city == "Lisbon" { "dry, 21 degrees" } else { "rain, 9 degrees" })))
    }))?;
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
        let model = var("OPENAI_MODEL", "gpt-4.1-mini");
        Ok(match env::var("OPENAI_API_KEY") {
            Ok(key) => {
                let base_url = var("OPENAI_BASE_URL", "https://api.openai.com/v1");
                Self { client: client.build()?, base_url, key, model }
            }
            Err(_) => {
                Self { client: client.no_proxy().build()?, base_url: serve().await?, key: "none".to_owned(), model }
            }
        })
    }

    /// Sends the history, and puts the turn together while it arrives.
    async fn ask(&self, messages: &[Value], export: &Export) -> Result<Turn, Box<dyn Error>> {
        let body = json!({"model": self.model, "messages": messages, "tools": export.tools(), "stream": true});
        let request = self.client.post(format!("{}/chat/completions", self.base_url)).bearer_auth(&self.key);
        let mut response = request.json(&body).send().await?;
        if !response.status().is_success() {
            return Err(format!("{}: {}", response.status(), response.text().await?).into());
        }
        let (mut events, mut turn) = (SseDecoder::new(), TurnBuilder::new(FORMAT, export.names()));
        while let Some(bytes) = response.chunk().await? {
            for data in events.push(&bytes)? {
                turn.push_text(&data);
            }
        }
        Ok(turn.finish())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = ToolRegistry::new();
    weather(&registry)?;
    let export = Exporter::new(FORMAT).strict(Strict::WherePossible).export(&registry.tools());
    for (report, reason) in export.refused() {
        println!("{} stays here: {reason}", report.name);
    }

    let endpoint = Endpoint::find().await?;
    let question = "In which of Lisbon and Oslo do I need an umbrella today?";
    println!("{}\n\nuser       {question}", endpoint.base_url);
    let mut messages = vec![json!({"role": "user", "content": question})];
    for _ in 0..8 {
        let turn = endpoint.ask(&messages, &export).await?;
        if !turn.text().is_empty() {
            println!("assistant  {}", turn.text());
        }
        let calls = turn.calls().iter().map(|call| export.receive(&registry, call.clone()));
        let results = registry.execute_batch(calls, BatchOptions::new()).await;
        for (call, result) in turn.calls().iter().zip(&results) {
            println!("  {:<8} {} -> {}", call.id(), call.name(), result.text().replace('\n', " "));
        }
        // The assistant's message, and an answer to each of its calls.
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

/// A server that speaks Chat Completions, with a model that has learnt its lines.
async fn serve() -> Result<String, Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = Router::new().route("/v1/chat/completions", post(play));
    // Ends with the program.
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(format!("http://{address}/v1"))
}

async fn play(Json(request): Json<Value>) -> axum::response::Response {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    if let Some(id) = unanswered(&messages) {
        let why = json!({"error": {"message": format!("call {id} is not answered")}});
        return (StatusCode::BAD_REQUEST, Json(why)).into_response();
    }
    let wire = request["tools"][0]["function"]["name"].as_str().unwrap_or_default();
    let call = |index: usize, id: &str, pieces: [&str; 2]| {
        let head = json!({"index": index, "id": id, "type": "function", "function": {"name": wire, "arguments": ""}});
        let piece = |text: &str| json!({"index": index, "function": {"arguments": text}});
        [head, piece(pieces[0]), piece(pieces[1])].map(|call| json!({"tool_calls": [call]})).to_vec()
    };
    let say = |text: &str| text.split_inclusive(' ').map(|word| json!({"content": word})).collect::<Vec<_>>();
    let (deltas, reason) = match messages.iter().filter(|m| m["role"] == "assistant").count() {
        0 => {
            // The second call is wrong, and is told so.
            let calls =
                [call(0, "call_1", ["{\"city\": ", "\"Lisbon\"}"]), call(1, "call_2", ["{\"town\": ", "\"Oslo\"}"])];
            ([say("Let me look at both."), calls.concat()].concat(), "tool_calls")
        }
        1 => (call(0, "call_3", ["{\"city\":", " \"Oslo\"}"]), "tool_calls"),
        _ => (say("In Oslo, where it rains; Lisbon is dry."), "stop"),
    };
    let chunk = |delta: Value, reason: Option<&str>| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}))
    };
    let mut events: Vec<String> = deltas.into_iter().map(|delta| chunk(delta, None)).collect();
    events.extend([chunk(json!({}), Some(reason)), "data: [DONE]\n\n".to_owned()]);
    let body = futures_util::stream::iter(events.into_iter().map(Ok::<_, std::convert::Infallible>));
    ([("content-type", "text/event-stream")], Body::from_stream(body)).into_response()
}

/// What the real one checks too: every call is answered before anything else is said.
fn unanswered(messages: &[Value]) -> Option<Value> {
    let mut open: Vec<&Value> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            open.retain(|id| **id != message["tool_call_id"]);
        } else if let Some(id) = open.first() {
            return Some((*id).clone());
        }
        open.extend(message["tool_calls"].as_array().into_iter().flatten().map(|call| &call["id"]));
    }
    open.first().map(|id| (*id).clone())
}
