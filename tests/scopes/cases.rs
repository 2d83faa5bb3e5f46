//! What a parent sets holds for its children, also while calls are on their way.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use toolgate::{
    ApprovalMode, ApprovalOutcome, ApprovalRequest, Approver, ErrorCode, GuardVerdict, Installer, OutputSpec, Placed,
    Plugin, PolicyError, PreDecision, PreNext, PrePolicy, RegisterError, Restriction, ToolCall, ToolExecution,
    ToolRegistry, guard_fn, observer_fn, tool,
};

use crate::{answering, ms, paused};

#[derive(Debug)]
struct Ask;

#[async_trait]
impl PrePolicy for Ask {
    fn name(&self) -> &str {
        "ask"
    }

    async fn decide(&self, _: &ToolExecution, _: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        Ok(PreDecision::ask("bash needs a yes"))
    }
}

#[derive(Debug, Default)]
struct Yes(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Approver for Yes {
    fn name(&self) -> &str {
        "yes"
    }

    async fn request(&self, request: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        self.0.lock().expect("sound").push(request.agent.to_string());
        Ok(ApprovalOutcome::AllowedOnce)
    }
}

fn code(registry: &ToolRegistry, name: &str, agent: &str) -> String {
    let result = paused(registry.execute(ToolCall::new("c", name).with_agent(agent)));
    result.code().map_or("ok".to_owned(), ToString::to_string)
}

#[test]
fn o_27_a_child_changes_nothing_for_its_parent() {
    let registry = ToolRegistry::new();
    registry.register(answering("bash", "done")).expect("good");
    let parent = registry.scope("parent");
    parent.pre_policy(Ask).expect("good");
    let asked = Arc::new(Mutex::new(Vec::new()));
    registry.approver(Yes(asked.clone())).expect("good");
    let subagent = tool("subagent").output(OutputSpec::text()).body({
        let (registry, parent) = (registry.clone(), parent.clone());
        move |_| {
            let (registry, parent) = (registry.clone(), parent.clone());
            async move {
                let child = parent.child("child").map_err(|e| toolgate::ToolError::failed(e.to_string()))?;
                let _own = child.guard(guard_fn("own", |_| GuardVerdict::deny("the child may not")));
                tokio::time::sleep(ms(200)).await;
                let result = registry.execute(ToolCall::new("inner", "bash").with_agent("child")).await;
                assert!(!result.is_success());
                child.close();
                panic!("scripted: the subagent fails");
            }
        }
    });
    registry.register(subagent).expect("good");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (child, own) = paused(async {
        let meanwhile = async {
            tokio::time::sleep(ms(100)).await;
            registry.execute(ToolCall::new("c", "bash").with_agent("parent")).await
        };
        tokio::join!(registry.execute(ToolCall::new("s", "subagent")), meanwhile)
    });
    std::panic::set_hook(hook);
    assert_eq!(child.code(), Some(&ErrorCode::TOOL_PANICKED));
    assert!(own.is_success());
    assert_eq!(
        *asked.lock().expect("sound"),
        ["parent"],
        "the parent's call still asks; the child's own guard denied first"
    );
    assert_eq!(code(&registry, "bash", "child"), "UNKNOWN_TOOL", "the child is gone");
    assert_eq!(code(&registry, "bash", "parent"), "ok");
}

#[test]
fn o_38_who_may_not_ask_cannot_be_made_to_by_a_child() {
    let registry = ToolRegistry::new();
    registry.register(answering("gated", "done")).expect("good");
    registry.pre_policy(Ask).expect("good");
    let asked = Arc::new(Mutex::new(Vec::new()));
    registry.approver(Yes(asked.clone())).expect("good");
    let root = registry.scope("root");
    assert!(root.set_approval_mode(ApprovalMode::Never));
    let child = root.child("child").expect("open");
    assert!(child.set_approval_mode(ApprovalMode::Ask), "it may say so");
    child.child("grandchild").expect("open");
    for agent in ["root", "child", "grandchild"] {
        assert_eq!(code(&registry, "gated", agent), "APPROVAL_REJECTED");
    }
    assert!(asked.lock().expect("sound").is_empty());
}

#[test]
fn closing_a_scope_closes_what_is_under_it_while_calls_run() {
    let registry = ToolRegistry::new();
    let parent = registry.scope("parent");
    let child = parent.child("child").expect("open");
    let closing = tool("closing").output(OutputSpec::text()).body({
        let parent = parent.clone();
        move |_| {
            let parent = parent.clone();
            async move {
                assert!(parent.close());
                Ok(json!("still here"))
            }
        }
    });
    parent.register(closing).expect("good");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let observer = observer_fn("o", move |cx, result| {
        kept.lock().expect("sound").push((cx.call_id().to_owned(), result.is_success()));
    });
    child.observer(observer).expect("good");
    assert_eq!(code(&registry, "closing", "child"), "ok", "a call on its way ends under the rules it began with");
    assert_eq!(seen.lock().expect("sound").len(), 1, "and its observers see it");
    for scope in [&parent, &child] {
        assert!(!scope.is_open());
    }
    assert_eq!(code(&registry, "closing", "child"), "UNKNOWN_TOOL");
    assert!(parent.child("child").is_err(), "not under a closed parent");
    assert!(registry.scope("parent").child("child").is_ok(), "under the one that is open now");
}

#[test]
fn a_scope_closed_during_a_call_keeps_the_body_from_starting() {
    #[derive(Debug)]
    struct Close(toolgate::Scope);

    #[async_trait]
    impl PrePolicy for Close {
        fn name(&self) -> &str {
            "close"
        }

        async fn decide(&self, _: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
            self.0.close();
            next.run().await
        }
    }

    let registry = ToolRegistry::new();
    registry.register(answering("t", "done")).expect("good");
    let scope = registry.scope("a");
    scope.pre_policy(Close(scope.clone())).expect("good");
    assert_eq!(code(&registry, "t", "a"), "UNKNOWN_TOOL");
    assert_eq!(code(&registry, "t", "a"), "UNKNOWN_TOOL");
    registry.scope("a");
    assert_eq!(code(&registry, "t", "a"), "ok", "opened again it starts empty");
}

#[test]
fn a_scope_has_one_parent() {
    let registry = ToolRegistry::new();
    let (one, two) = (registry.scope("one"), registry.scope("two"));
    let child = one.child("child").expect("free");
    assert_eq!(one.child("child").expect("the same").id(), child.id());
    let error = two.child("child").expect_err("it hangs elsewhere");
    assert_eq!(error.to_string(), "scope \"child\": scope: is open already, and not under this parent");
    assert!(one.child("two").is_err(), "a scope of its own is no child");
}

/// Registers a tool and a guard, restricts what is inherited, and wants to stand before the other pack.
struct Pack(&'static str, Option<&'static str>);

impl Plugin for Pack {
    fn name(&self) -> &str {
        self.0
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        installer.register(answering(self.0, self.0))?;
        installer.guard(guard_fn(self.0, |_| GuardVerdict::Abstain))?;
        installer.restrict(Restriction::allow(["shared"]))?;
        match self.1 {
            Some(other) => installer.pre_policy(Placed::new(Named(self.0)).before(other)),
            None => installer.pre_policy(Named(self.0)),
        }
    }
}

#[derive(Debug)]
struct Named(&'static str);

#[async_trait]
impl PrePolicy for Named {
    fn name(&self) -> &str {
        self.0
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        if let Some(order) = cx.extensions().get::<Arc<Mutex<Vec<&'static str>>>>() {
            order.lock().expect("sound").push(self.0);
        }
        next.run().await
    }
}

#[test]
fn plugins_come_and_go_in_a_scope_and_order_themselves_around_each_other() {
    let registry = ToolRegistry::new();
    for name in ["shared", "hidden"] {
        registry.register(answering(name, name)).expect("good");
    }
    assert!(registry.install(&Pack("one", None)).is_err(), "the global layer cannot be restricted");
    assert_eq!(registry.schemas().len(), 2, "and nothing of it is left");
    let scope = registry.scope("a");
    assert!(scope.install(&Pack("two", Some("one"))).is_err(), "the other is not there yet");
    let one = scope.install(&Pack("one", None)).expect("good");
    let two = scope.install(&Pack("two", Some("one"))).expect("good");
    let order: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let call = ToolCall::new("c", "shared").with_agent("a").with_extension(order.clone());
    assert!(paused(registry.execute(call)).is_success());
    assert_eq!(*order.lock().expect("sound"), ["two", "one"]);
    let listed = |scope: &toolgate::Scope| scope.schemas().iter().map(|s| s.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(listed(&scope), ["shared", "one", "two"]);
    assert!(one.unload());
    assert_eq!(listed(&scope), ["shared", "two"], "the other's restriction holds");
    assert!(two.unload());
    assert_eq!(listed(&scope), ["shared", "hidden"]);
}

struct Slow;
impl Plugin for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        installer.register(tool("slow").output(OutputSpec::text()).body(|_| async {
            tokio::time::sleep(ms(50)).await;
            Ok(json!("done"))
        }))
    }
}

#[test]
fn a_plugin_unloaded_while_its_tool_runs_ends_that_call_in_order() {
    let registry = ToolRegistry::new();
    let handle: Arc<Mutex<Option<toolgate::PluginHandle>>> = Arc::default();

    *handle.lock().expect("sound") = Some(registry.install(&Slow).expect("good"));
    let result = paused(async {
        let unload = async {
            tokio::time::sleep(ms(10)).await;
            handle.lock().expect("sound").take().expect("installed").unload()
        };
        let (result, unloaded) = tokio::join!(registry.execute(ToolCall::new("c", "slow")), unload);
        assert!(unloaded);
        result
    });
    assert_eq!(result.text(), "done");
    assert!(registry.schemas().is_empty());
}

#[test]
fn holders_of_a_listing_are_told_of_changes() {
    let registry = ToolRegistry::new();
    let mut changes = registry.changes();
    assert!(!changes.has_changed().expect("the registry is there"));
    let scope = registry.scope("a");
    assert!(changes.has_changed().expect("the registry is there"));
    changes.mark_unchanged();
    let before = scope.schemas();
    registry.register(answering("t", "v")).expect("good");
    assert!(changes.has_changed().expect("the registry is there"));
    assert_eq!((before.len(), scope.schemas().len()), (0, 1));
    changes.mark_unchanged();
    assert!(registry.register(answering("t", "v")).is_err());
    assert!(!changes.has_changed().expect("the registry is there"), "what is refused changes nothing");
}

#[test]
fn a_deny_list_admits_what_comes_later_and_an_allow_list_does_not() {
    let registry = ToolRegistry::new();
    for name in ["a", "b"] {
        registry.register(answering(name, name)).expect("good");
    }
    let (denies, allows) = (registry.scope("denies"), registry.scope("allows"));
    denies.restrict(Restriction::deny(["a"])).expect("known");
    let held = allows.restrict(Restriction::allow(["a"])).expect("known");
    registry.register(answering("c", "c")).expect("good");
    let listed = |scope: &toolgate::Scope| scope.schemas().iter().map(|s| s.name().to_owned()).collect::<Vec<_>>();
    assert_eq!((listed(&denies), listed(&allows)), (vec!["b".to_owned(), "c".to_owned()], vec!["a".to_owned()]));
    allows.register(answering("d", "own")).expect("its own is not restricted");
    assert_eq!(listed(&allows), ["a", "d"]);
    assert!(held.remove());
    assert_eq!(listed(&allows), ["a", "b", "c", "d"]);
    let nothing = registry.scope("nothing");
    nothing.restrict(Restriction::allow(Vec::<&str>::new())).expect("an empty list is a list");
    assert!(nothing.schemas().is_empty());
    assert!(nothing.restrict(Restriction::new()).is_err(), "neither list");
}

/// Brings an approver along.
struct WithApprover;

impl Plugin for WithApprover {
    fn name(&self) -> &str {
        "with-approver"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        installer.register(answering("own", "own"))?;
        installer.approver(Yes::default())
    }
}

#[test]
fn a_plugin_in_one_scope_installs_no_approver_for_the_others() {
    let registry = ToolRegistry::new();
    registry.register(answering("gated", "done")).expect("good");
    registry.pre_policy(Ask).expect("good");
    registry.scope("a");
    let b = registry.scope("b");
    let plugin: &dyn Plugin = &WithApprover;
    let error = b.install(plugin).expect_err("an approver is for the whole registry");
    assert!(error.to_string().contains("install it globally"), "{error}");
    assert!(b.schemas().iter().all(|s| s.name() != "own"), "and nothing of the plugin is left");
    assert_eq!(code(&registry, "gated", "a"), "APPROVAL_UNAVAILABLE");
    registry.install(plugin).expect("globally it may");
    assert_eq!(code(&registry, "gated", "a"), "ok");
}

#[test]
fn a_nested_call_stays_with_the_opening_of_its_scope() {
    let registry = ToolRegistry::new();
    registry.register(answering("rm", "gone")).expect("good");
    let scope = registry.scope("a");
    scope
        .guard(guard_fn("no-rm", |cx| match cx.name() {
            "rm" => GuardVerdict::deny("not here"),
            _ => GuardVerdict::Abstain,
        }))
        .expect("good");
    let body = tool("work").output(OutputSpec::any()).body({
        let (registry, scope) = (registry.clone(), scope.clone());
        move |cx| {
            let (registry, scope) = (registry.clone(), scope.clone());
            async move {
                let mut codes = Vec::new();
                for step in 0..3 {
                    let result = cx.call(cx.nested_call("rm")).await;
                    codes.push(result.code().map(ToString::to_string));
                    match step {
                        0 => _ = scope.close(),
                        _ => _ = registry.scope("a"),
                    }
                }
                Ok(json!(codes))
            }
        }
    });
    registry.register(body).expect("good");
    let result = paused(registry.execute(ToolCall::new("c", "work").with_agent("a")));
    assert_eq!(result.value(), Some(&json!(["GUARD_DENIED", "UNKNOWN_TOOL", "UNKNOWN_TOOL"])));
}
