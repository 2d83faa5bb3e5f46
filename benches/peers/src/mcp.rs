//! The same tools in rmcp: called at its router directly, and by a client over an in-memory duplex. It has no policies, and
//! validates nothing.

use std::sync::{Arc, OnceLock};

use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    handler::server::{
        router::tool::ToolRouter,
        tool::ToolCallContext,
        wrapper::{Json, Parameters},
    },
    model::{CallToolRequestParams, CallToolResponse, JsonObject, RequestId, ServerCapabilities, ServerConfig},
    service::{Peer, RequestContext, RunningService},
    tool, tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
pub struct AddArgs {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
pub struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
pub struct ReadArgs {
    bytes: usize,
}

#[derive(Clone)]
pub struct Server {
    router: Arc<ToolRouter<Self>>,
    /// What a call at the router needs: the other end of a connection that was served.
    peer: Arc<OnceLock<Peer<RoleServer>>>,
}

#[tool_router]
impl Server {
    #[tool(description = "Adds two integers")]
    async fn add(&self, Parameters(AddArgs { a, b }): Parameters<AddArgs>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Reads a text")]
    async fn read(&self, Parameters(ReadArgs { bytes }): Parameters<ReadArgs>) -> String {
        "x".repeat(bytes)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.peer.get_or_init(|| context.peer.clone());
        self.router.call(ToolCallContext::new(self, request, context)).await
    }
}

pub struct Connection {
    client: RunningService<RoleClient, ()>,
    server: Server,
    _served: RunningService<RoleServer, Server>,
}

pub async fn connect() -> Connection {
    let server = Server { router: Arc::new(Server::tool_router()), peer: Arc::default() };
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (served, client) = tokio::join!(server.clone().serve(theirs), ().serve(ours));
    let connection = Connection {
        client: client.expect("the client connects"),
        server,
        _served: served.expect("the server is served"),
    };
    // The first call tells the server who is at the other end.
    connection.over_duplex(request("add", r#"{"a": 2, "b": 3}"#)).await;
    connection
}

pub fn request(name: &'static str, arguments: &str) -> CallToolRequestParams {
    let arguments: JsonObject = serde_json::from_str(arguments).expect("it is an object");
    CallToolRequestParams::new(name).with_arguments(arguments)
}

impl Connection {
    pub async fn over_duplex(&self, request: CallToolRequestParams) {
        let result = self.client.call_tool(request).await.expect("the call is answered");
        assert_ne!(result.is_error, Some(true));
    }

    pub fn context(&self) -> RequestContext<RoleServer> {
        let peer = self.server.peer.get().expect("a call was served").clone();
        RequestContext::new(RequestId::Number(1), peer)
    }

    pub async fn at_router(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) {
        let call = ToolCallContext::new(&self.server, request, context);
        let response = self.server.router.call(call).await.expect("the call is answered");
        let CallToolResponse::Complete(result) = response else { panic!("the call is not over") };
        assert_ne!(result.is_error, Some(true));
    }
}
