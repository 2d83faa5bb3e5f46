//! What comes out where the tool layer of a TypeScript agent is written down in Rust, object for object.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, RwLock},
};

use jsonschema::Validator;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Future<T> = Pin<Box<dyn std::future::Future<Output = T> + Send>>;
type Body = Arc<dyn Fn(Context) -> Future<Result<Value, String>> + Send + Sync>;
type Next = Box<dyn FnOnce(Context) -> Future<Result<Value, String>> + Send>;
type Middleware = Arc<dyn Fn(Context, Next) -> Future<Result<Value, String>> + Send + Sync>;

/// What every stage gets a copy of.
#[derive(Clone)]
#[expect(dead_code, reason = "it is there to be copied")]
pub struct Context {
    id: String,
    name: String,
    arguments: Value,
    meta: HashMap<String, Value>,
    signal: CancellationToken,
}

#[derive(Clone)]
struct Definition {
    parameters: Arc<Validator>,
    output: Arc<Validator>,
    body: Body,
}

#[derive(Clone, Default)]
pub struct Registry {
    tools: Arc<RwLock<HashMap<String, Definition>>>,
    middleware: Arc<RwLock<Vec<Middleware>>>,
}

impl Registry {
    pub fn add_tool(&self, name: &str, parameters: &Value, output: &Value, body: Body) {
        let compile = |schema| Arc::new(jsonschema::validator_for(schema).expect("the schema is valid"));
        let definition = Definition { parameters: compile(parameters), output: compile(output), body };
        self.tools.write().expect("nobody panics").insert(name.to_owned(), definition);
    }

    /// Somebody who looks at a call and passes it on.
    pub fn add_middleware(&self) {
        let through: Middleware = Arc::new(|context, next| Box::pin(async move { next(context.clone()).await }));
        self.middleware.write().expect("nobody panics").push(through);
    }

    pub async fn execute(&self, id: &str, name: &str, arguments: &Value, signal: &CancellationToken) -> Value {
        let Some(definition) = self.tools.read().expect("nobody panics").get(name).cloned() else {
            return json!({"ok": false, "error": "unknown tool"});
        };
        let errors: Vec<String> = definition.parameters.iter_errors(arguments).map(|e| e.to_string()).collect();
        if !errors.is_empty() {
            return json!({"ok": false, "error": errors});
        }
        let context = Context {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.clone(),
            meta: HashMap::new(),
            signal: signal.child_token(),
        };
        let middleware = self.middleware.read().expect("nobody panics").clone();
        match dispatch(middleware, 0, definition.body.clone(), context).await {
            Err(error) => json!({"ok": false, "error": error}),
            Ok(value) => {
                let errors: Vec<String> = definition.output.iter_errors(&value).map(|e| e.to_string()).collect();
                if errors.is_empty() {
                    json!({"ok": true, "value": value, "content": [{"type": "text", "text": value.to_string()}]})
                } else {
                    json!({"ok": false, "error": errors})
                }
            }
        }
    }

    pub async fn execute_spawned(&self, id: &str, name: &str, arguments: &Value, signal: &CancellationToken) -> Value {
        let (own, id, name) = (self.clone(), id.to_owned(), name.to_owned());
        let (arguments, signal) = (arguments.clone(), signal.clone());
        tokio::spawn(async move { own.execute(&id, &name, &arguments, &signal).await })
            .await
            .expect("it does not panic")
    }
}

fn dispatch(all: Vec<Middleware>, at: usize, body: Body, context: Context) -> Future<Result<Value, String>> {
    match all.get(at).cloned() {
        None => body(context),
        Some(one) => one(context, Box::new(move |context| dispatch(all, at + 1, body, context))),
    }
}

/// The tool `add` in it, with so many that look at calls.
pub fn adding(middleware: usize) -> Registry {
    let registry = Registry::default();
    let (parameters, output) = (crate::common::adding::parameters(), crate::common::adding::output());
    let body: Body = Arc::new(|context| {
        Box::pin(async move {
            let number = |name| context.arguments[name].as_i64().ok_or_else(|| format!("no {name}"));
            Ok(json!(number("a")? + number("b")?))
        })
    });
    registry.add_tool("add", &parameters, &output, body);
    for _ in 0..middleware {
        registry.add_middleware();
    }
    registry
}
