//! The same tools in rig: it neither validates arguments or results, nor has policies.

use std::convert::Infallible;

use rig_agent::tool::{
    DynamicTool, ToolContext, ToolOutput, ToolSet,
    server::{ToolServer, ToolServerHandle},
};
use rig_core::tool::PortableTool;
use serde_json::Value;

use crate::common::{adding, texts};

pub(crate) struct Add;

impl PortableTool for Add {
    const NAME: &'static str = "add";
    type Args = adding::Add;
    type Output = adding::Sum;
    type Error = Infallible;

    fn description(&self) -> String {
        "Adds two integers".to_owned()
    }

    fn parameters(&self) -> Value {
        adding::parameters()
    }

    async fn call(&self, args: adding::Add) -> Result<adding::Sum, Infallible> {
        Ok(adding::add(args).await.expect("adding does not fail"))
    }
}

pub(crate) struct Read;

impl PortableTool for Read {
    const NAME: &'static str = "read";
    type Args = texts::Read;
    type Output = texts::Text;
    type Error = Infallible;

    fn description(&self) -> String {
        "Reads a text".to_owned()
    }

    fn parameters(&self) -> Value {
        texts::read_parameters()
    }

    async fn call(&self, args: texts::Read) -> Result<texts::Text, Infallible> {
        Ok(texts::read(args).await.expect("reading does not fail"))
    }
}

pub fn set() -> ToolSet {
    let mut set = ToolSet::default();
    set.add_tool(Add);
    set.add_tool(Read);
    set
}

/// What a caller makes for a call.
pub fn request(arguments: &str) -> (String, ToolContext) {
    (arguments.to_owned(), ToolContext::new())
}

pub async fn call(set: &ToolSet, name: &str, (arguments, mut context): (String, ToolContext)) {
    let result = set.execute(name, arguments, &mut context).await;
    assert!(result.is_success());
}

/// A server with so many tools, `add` among them.
pub fn server(many: usize) -> ToolServerHandle {
    let others = (1..many).map(|i| {
        let name = rig_core::message::ToolName::new(format!("tool_{i}")).expect("it is a name");
        DynamicTool::new(name, "Adds two integers", adding::parameters(), |arguments| {
            Box::pin(async move { Ok(ToolOutput::from(arguments)) })
        })
    });
    ToolServer::new().tool(Add).dynamic_tools(others.collect()).run()
}

pub async fn call_server(server: &ToolServerHandle, (arguments, mut context): (String, ToolContext)) {
    let result = server.execute("add", &arguments, &mut context).await;
    assert!(result.is_success());
}
