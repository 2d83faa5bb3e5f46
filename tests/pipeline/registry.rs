//! Registration: what is refused, what is seen, what comes and goes together.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate::{
    Annotations, ApprovalMode, ApprovalOutcome, Installer, Order, OutputSpec, Placed, Plugin, PreDecision,
    RegisterError, ToolCall, ToolRegistry, tool,
};

use crate::support::{Act, Asked, Count, Pre, Trace, Wrap, body_tool, counting, paused};

fn pre(name: &'static str, trace: &Trace) -> Pre {
    Pre(name, Act::GoOn, None, trace.clone())
}

fn order(registry: &ToolRegistry, trace: &Trace) -> Vec<String> {
    let before = trace.all().len();
    paused(registry.execute(ToolCall::new("c", "t")));
    trace.all().into_iter().skip(before).filter(|who| who != "body").collect()
}

#[test]
fn every_problem_of_a_definition_is_listed_at_once() {
    let registry = ToolRegistry::new();
    let bad = tool("two words")
        .parameters(json!({"type": "object", "properties": {"a": {"$ref": "https://example.invalid/x"}, "b": {"$ref": "x.json"}}}))
        .timeout(std::time::Duration::ZERO);
    let error = registry.register(bad).expect_err("nearly everything is wrong with it");
    let fields: Vec<_> = error.problems().iter().map(toolgate::Problem::field).collect();
    assert_eq!(fields, ["name", "parameters", "parameters", "output", "body", "timeout"]);
    assert!(registry.schemas().is_empty());
}

#[test]
fn names_are_what_mcp_allows() {
    let registry = ToolRegistry::new();
    let long = "x".repeat(128);
    for good in ["a", "A.b-c_9", &long] {
        registry.register(counting(good, &Count::default())).expect(good);
    }
    for bad in ["", "a b", "é", "a/b", &"x".repeat(129), "line\nbreak"] {
        let error = registry.register(counting(bad, &Count::default())).expect_err(bad);
        assert_eq!(error.problems()[0].field(), "name");
    }
}

#[test]
fn parameters_describe_an_object() {
    let registry = ToolRegistry::new();
    for bad in [json!({"type": "string"}), json!({"type": ["array", "null"]}), json!(false), json!([]), json!("object")]
    {
        let definition = counting("t", &Count::default()).parameters(bad.clone());
        assert!(registry.register(definition).is_err(), "{bad}");
    }
    registry.register(counting("t", &Count::default()).parameters(json!({"properties": {}}))).expect("no type is fine");
}

#[test]
fn a_listing_is_the_manual_and_nothing_else_in_the_authors_order() {
    let registry = ToolRegistry::new();
    let schema =
        json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer"}}, "required": ["z"]});
    let full = counting("b", &Count::default())
        .description("does b")
        .parameters(schema)
        .timeout(std::time::Duration::from_secs(1))
        .annotations(Annotations::read_only())
        .present(|_, _| None);
    registry.register(full).expect("good");
    registry.register(counting("a", &Count::default())).expect("good");
    let listed = serde_json::to_string(&*registry.schemas()).expect("JSON");
    assert_eq!(
        listed,
        concat!(
            r#"[{"name":"b","description":"does b","parameters":{"type":"object","properties":{"z":{"type":"string"},"#,
            r#""a":{"type":"integer"}},"required":["z"]}},{"name":"a","description":"","parameters":{"type":"object"}}]"#
        )
    );
    let (one, two) = (registry.schemas(), registry.schemas());
    assert!(Arc::ptr_eq(&one, &two), "cached");
}

#[test]
fn a_listing_for_programs_has_what_the_author_declared_beside_the_manual() {
    let registry = ToolRegistry::new();
    let scope = registry.scope("s");
    let listed = tool("t")
        .annotations(Annotations::read_only())
        .timeout(std::time::Duration::from_secs(3))
        .output(OutputSpec::text())
        .body(|_| async { Ok(json!("x")) });
    scope.register(listed).expect("good");
    assert!(registry.tools().is_empty(), "it is the scope's own");
    for tools in [scope.tools(), registry.tools_for("s")] {
        let info = tools.first().expect("one");
        assert_eq!((info.name(), info.schema().name()), ("t", "t"));
        assert_eq!(info.output_schema(), &json!({"type": "string"}));
        assert!(info.annotations().read_only);
        assert_eq!(info.timeout(), Some(std::time::Duration::from_secs(3)));
    }
    scope.close();
    assert!(scope.tools().is_empty());
}

#[test]
fn removing_and_registering_again_changes_what_is_seen() {
    let registry = ToolRegistry::new();
    let handle = registry.register(counting("t", &Count::default())).expect("good");
    assert!(registry.register(counting("t", &Count::default())).is_err());
    assert!(handle.remove());
    assert!(!handle.remove(), "it is gone already");
    assert!(registry.schemas().is_empty());
    let guard = registry.register(counting("t", &Count::default())).expect("free again").into_guard();
    assert_eq!(registry.schemas().len(), 1);
    drop(guard);
    assert!(registry.schemas().is_empty());
    let kept = registry.register(counting("t", &Count::default())).expect("free again").into_guard().keep();
    drop(kept);
    assert_eq!(registry.schemas().len(), 1, "dropping a handle unregisters nothing");
}

#[test]
fn policies_run_in_the_order_of_registration_unless_placed() {
    let (registry, trace) = (ToolRegistry::new(), Trace::default());
    registry.register(body_tool(Act::GoOn, trace.clone())).expect("good");
    registry.pre_policy(pre("a", &trace)).expect("good");
    registry.pre_policy(pre("b", &trace)).expect("good");
    registry.pre_policy(Placed::new(pre("c", &trace)).before("b")).expect("good");
    registry.pre_policy(Placed::new(pre("d", &trace)).after("a").before("c")).expect("good");
    assert_eq!(order(&registry, &trace), ["a", "d", "c", "b"]);
    let error = registry.pre_policy(Placed::new(pre("e", &trace)).before("nobody")).expect_err("an unknown name");
    assert!(error.to_string().contains("\"nobody\""), "{error}");
    let error = registry.pre_policy(Placed::new(pre("e", &trace)).before("a").after("b")).expect_err("a cycle");
    assert!(error.to_string().contains("before one another"), "{error}");
    assert!(registry.pre_policy(pre("a", &trace)).is_err(), "a name is there once");
    assert_eq!(order(&registry, &trace), ["a", "d", "c", "b"], "what was refused has left nothing");
    registry.set_order(Order::new().pre_policies(["b", "c"])).expect_err("it contradicts what c asked for");
    registry.set_order(Order::new().pre_policies(["b", "a"])).expect_err("c and d stand in between");
    registry.set_order(Order::new().pre_policies(["a", "b"])).expect("as it is anyway");
    let error = registry.set_order(Order::new().pre_policies(["nobody"])).expect_err("an unknown name");
    assert!(error.to_string().contains("\"nobody\""), "{error}");
}

#[test]
fn configuration_orders_wrappers() {
    let (registry, trace) = (ToolRegistry::new(), Trace::default());
    registry.register(body_tool(Act::GoOn, trace.clone())).expect("good");
    for name in ["deadline", "metrics", "retry"] {
        registry.wrapper(Wrap(name, Act::GoOn, trace.clone())).expect("good");
    }
    registry.set_order(Order::new().wrappers(["retry", "deadline"])).expect("good");
    assert_eq!(order(&registry, &trace), ["metrics", "retry", "deadline"]);
}

#[derive(Debug)]
struct Pack {
    trace: Trace,
    broken: bool,
}

impl Plugin for Pack {
    fn name(&self) -> &str {
        "pack"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        installer.register(counting("one", &Count::default()))?;
        installer.pre_policy(pre("pack-pre", &self.trace))?;
        installer.wrapper(Placed::new(Wrap("pack-wrap", Act::GoOn, self.trace.clone())).before("host"))?;
        if self.broken {
            installer.register(counting("two words", &Count::default()))?;
        }
        installer.register(counting("two", &Count::default()))
    }
}

#[test]
fn a_plugin_comes_and_goes_as_one() {
    let (registry, trace) = (ToolRegistry::new(), Trace::default());
    registry.register(body_tool(Act::GoOn, trace.clone())).expect("good");
    let good = Pack { trace: trace.clone(), broken: false };
    let error = registry.install(&good).expect_err("its wrapper wants to stand before one that is not there");
    assert!(error.to_string().starts_with("plugin \"pack\": "), "{error}");
    registry.wrapper(Wrap("host", Act::GoOn, trace.clone())).expect("good");
    let error = registry.install(&Pack { broken: true, ..good }).expect_err("a bad name");
    assert!(error.to_string().contains("two words"), "{error}");
    assert_eq!(registry.schemas().len(), 1);
    assert_eq!(order(&registry, &trace), ["host"], "nothing is left behind");

    let handle = registry.install(&Pack { trace: trace.clone(), broken: false }).expect("good");
    assert_eq!(registry.schemas().iter().map(|s| s.name().to_owned()).collect::<Vec<_>>(), ["t", "one", "two"]);
    assert_eq!(order(&registry, &trace), ["pack-pre", "pack-wrap", "host"]);
    assert!(registry.install(&Pack { trace: trace.clone(), broken: false }).is_err(), "its names are taken");
    assert!(handle.unload());
    assert!(!handle.unload());
    assert_eq!(registry.schemas().len(), 1);
    assert_eq!(order(&registry, &trace), ["host"]);
}

#[test]
fn a_scope_has_its_own_tools_and_policies() {
    let (registry, trace, runs) = (ToolRegistry::new(), Trace::default(), Count::default());
    registry.register(counting("shared", &runs)).expect("good");
    let scope = registry.scope("a");
    scope.register(counting("own", &runs)).expect("good");
    scope
        .register(tool("shared").output(OutputSpec::text()).body(|_| async { Ok(json!("shadow")) }))
        .expect("it shadows");
    scope.pre_policy(pre("inner", &trace)).expect("good");
    registry.pre_policy(pre("outer", &trace)).expect("good");
    let run = |name: &str, agent: Option<&str>| {
        let call = ToolCall::new("c", name);
        paused(registry.execute(agent.map_or(call.clone(), |a| call.with_agent(a)))).0
    };
    assert_eq!(run("shared", Some("a")).value(), Some(&json!("shadow")));
    assert_eq!(trace.all(), ["outer", "inner"], "the global layer is outermost");
    assert_eq!(run("shared", None).value(), Some(&json!({})));
    assert!(run("own", None).code().is_some_and(|c| c == "UNKNOWN_TOOL"));
    let names: Vec<_> = scope.schemas().iter().map(|s| s.name().to_owned()).collect();
    assert_eq!(names, ["shared", "own"]);

    assert!(scope.close());
    assert!(!scope.close());
    assert!(run("shared", Some("a")).code().is_some_and(|c| c == "UNKNOWN_TOOL"), "never the global view");
    assert!(scope.register(counting("late", &runs)).is_err());
    assert!(scope.schemas().is_empty());
    let again = registry.scope("a");
    assert!(again.is_open() && !scope.is_open(), "another opening");
    assert_eq!(again.schemas().len(), 1, "it starts empty");
}

#[test]
fn the_stricter_approval_mode_counts() {
    for (global, own, wanted) in [
        (ApprovalMode::Ask, ApprovalMode::Ask, None),
        (ApprovalMode::Never, ApprovalMode::Ask, Some("APPROVAL_REJECTED")),
        (ApprovalMode::Ask, ApprovalMode::Never, Some("APPROVAL_REJECTED")),
    ] {
        let (registry, trace) = (ToolRegistry::new(), Trace::default());
        registry.register(body_tool(Act::GoOn, trace.clone())).expect("good");
        registry.pre_policy(Pre("p", Act::GoOn, Some(PreDecision::ask("?")), trace.clone())).expect("good");
        registry.approver(Asked(Act::GoOn, ApprovalOutcome::AllowedOnce, trace.clone())).expect("good");
        registry.set_approval_mode(global);
        assert!(registry.scope("a").set_approval_mode(own));
        let (result, _) = paused(registry.execute(ToolCall::new("c", "t").with_agent("a")));
        assert_eq!(result.code().map(toolgate::ErrorCode::as_str), wanted);
        assert_eq!(trace.count("approver"), usize::from(wanted.is_none()));
    }
}

#[test]
fn only_an_exact_yes_may_overlap() {
    let registry = ToolRegistry::new();
    let needs = json!({"type": "object", "required": ["path"]});
    registry.register(counting("plain", &Count::default())).expect("good");
    registry.register(counting("reads", &Count::default()).annotations(Annotations::read_only())).expect("good");
    let by_path = |args: &Value| args["path"] == "a";
    registry.register(counting("some", &Count::default()).parameters(needs).concurrency_safe(by_path)).expect("good");
    registry.register(counting("odd", &Count::default()).concurrency_safe(|_| panic!("scripted"))).expect("good");
    crate::support::quiet();
    for (name, arguments, safe) in [
        ("plain", "{}", false),
        ("reads", "{}", true),
        ("reads", "[]", false),
        ("some", r#"{"path":"a"}"#, true),
        ("some", r#"{"path":"b"}"#, false),
        ("some", "{}", false),
        ("odd", "{}", false),
        ("nobody", "{}", false),
    ] {
        assert_eq!(
            registry.is_concurrency_safe(&ToolCall::from_model("c", name, arguments)),
            safe,
            "{name} {arguments}"
        );
    }
}

#[test]
fn the_digest_a_body_sees_is_the_one_that_was_asked_about() {
    let registry = ToolRegistry::new();
    let tool = tool("t").output(OutputSpec::any()).body(|cx| async move {
        let toolgate::Approval::AllowedOnce { by, digest, .. } = cx.approval() else { return Ok(json!("not asked")) };
        Ok(json!([&*by, digest.to_string()]))
    });
    registry.register(tool).expect("good");
    registry.scope("a");
    let call = || ToolCall::new("c", "t").with_arguments(json!({"b": 1, "a": 2})).with_agent("a");
    assert_eq!(paused(registry.execute(call())).0.value(), Some(&json!("not asked")));
    registry.pre_policy(Pre("p", Act::GoOn, Some(PreDecision::ask("?")), Trace::default())).expect("good");
    registry.approver(Asked(Act::GoOn, ApprovalOutcome::AllowedOnce, Trace::default())).expect("good");
    let (one, _) = paused(registry.execute(call()));
    let (two, _) = paused(registry.execute(call().with_arguments(json!({"a": 2, "b": 1}))));
    assert_eq!(one.value(), two.value());
    assert_eq!(one.value().expect("asked")[0], "approver");
}

/// A tool that takes another registration along when it goes.
fn taking_along(registry: &ToolRegistry, name: &str, other: &str) -> toolgate::ToolDefinition {
    let other = registry.register(counting(other, &Count::default())).expect("free").into_guard();
    tool(name).output(OutputSpec::any()).body(move |_| {
        let _held = &other;
        async { Ok(json!(null)) }
    })
}

/// Registers tools of which one is refused.
struct Broken(std::sync::Mutex<Vec<toolgate::ToolDefinition>>);

impl Plugin for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        self.0.lock().expect("sound").drain(..).try_for_each(|tool| installer.register(tool))
    }
}

#[test]
fn a_destructor_may_use_the_registry_whatever_it_is_dropped_for() {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let registry = ToolRegistry::new();
        registry.register(counting("t", &Count::default())).expect("free");
        let refused = registry.register(taking_along(&registry, "t", "a"));
        assert!(refused.is_err(), "the name is taken");
        let tools = vec![
            taking_along(&registry, "fine", "b"),
            taking_along(&registry, "t", "c"),
            taking_along(&registry, "late", "d"),
        ];
        assert!(registry.install(&Broken(std::sync::Mutex::new(tools))).is_err());
        let held = registry.register(taking_along(&registry, "held", "e")).expect("free");
        assert!(held.remove());
        let left: Vec<_> = registry.schemas().iter().map(|s| s.name().to_owned()).collect();
        assert_eq!(left, ["t"]);
        done.send(()).expect("somebody waits");
    });
    let waited = finished.recv_timeout(std::time::Duration::from_secs(20));
    assert!(waited.is_ok(), "it failed, or waits for itself: {waited:?}");
}
