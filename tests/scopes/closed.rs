//! What holds for a call on its way when its scope is closed: whatever the ancestors that are still open have set.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::json;
use toolgate::{
    ApprovalMode, ApprovalOutcome, ApprovalRequest, Approver, DispatchExecution, DispatchOutcome, ExecuteNext,
    ExecuteWrapper, GuardVerdict, OutputSpec, PolicyError, PreDecision, PreNext, PrePolicy, Restriction, Scope,
    ToolCall, ToolExecution, ToolRegistry, guard_fn, tool,
};

use crate::{answering, paused};

type Change = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

fn once(change: impl FnOnce() + Send + 'static) -> Change {
    Arc::new(Mutex::new(Some(Box::new(change))))
}

fn make(change: &Change) {
    let change = change.lock().expect("sound").take();
    if let Some(change) = change {
        change();
    }
}

/// Makes a change of the registry, then asks.
struct ChangeAndAsk(Change);

impl std::fmt::Debug for ChangeAndAsk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChangeAndAsk")
    }
}

#[async_trait]
impl PrePolicy for ChangeAndAsk {
    fn name(&self) -> &str {
        "ask"
    }

    async fn decide(&self, _: &ToolExecution, _: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        make(&self.0);
        Ok(PreDecision::ask("may it?"))
    }
}

/// Runs twice, with a change in between.
struct Again(Change);

impl std::fmt::Debug for Again {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Again")
    }
}

#[async_trait]
impl ExecuteWrapper for Again {
    fn name(&self) -> &str {
        "again"
    }

    async fn wrap(&self, _: &DispatchExecution, mut next: ExecuteNext<'_>) -> Result<DispatchOutcome, PolicyError> {
        next.run().await?;
        make(&self.0);
        next.run().await
    }
}

#[derive(Debug)]
struct Yes(Arc<AtomicUsize>);

#[async_trait]
impl Approver for Yes {
    fn name(&self) -> &str {
        "yes"
    }

    async fn request(&self, _: ApprovalRequest) -> Result<ApprovalOutcome, PolicyError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ApprovalOutcome::AllowedOnce)
    }
}

/// Global, grandparent, parent and child; a tool `t`, and who says yes.
struct Tree {
    registry: ToolRegistry,
    asked: Arc<AtomicUsize>,
    above: Scope,
    parent: Scope,
    child: Scope,
}

fn tree() -> Tree {
    let registry = ToolRegistry::new();
    registry.register(answering("t", "done")).expect("good");
    let asked = Arc::new(AtomicUsize::new(0));
    registry.approver(Yes(asked.clone())).expect("good");
    let above = registry.scope("above");
    let parent = above.child("parent").expect("open");
    let child = parent.child("child").expect("open");
    Tree { registry, asked, above, parent, child }
}

impl Tree {
    fn deny(scope: &Scope) {
        scope.guard(guard_fn("no", |_| GuardVerdict::deny("never"))).expect("good");
    }

    /// A call of the child, with `change` made while it is decided about: its code, and how often somebody was asked.
    fn ask_after(&self, change: impl FnOnce() + Send + 'static) -> (String, usize) {
        self.registry.pre_policy(ChangeAndAsk(once(change))).expect("good");
        (self.call(), self.asked.load(Ordering::SeqCst))
    }

    fn call(&self) -> String {
        let result = paused(self.registry.execute(ToolCall::new("c", "t").with_agent("child")));
        result.code().map_or("ok".to_owned(), ToString::to_string)
    }
}

fn denied() -> (String, usize) {
    ("GUARD_DENIED".to_owned(), 0)
}

#[test]
fn closing_a_child_leaves_its_parents_guards_on_the_call_and_asks_nobody() {
    let tree = tree();
    Tree::deny(&tree.parent);
    let child = tree.child.clone();
    assert_eq!(tree.ask_after(move || _ = child.close()), denied());
}

#[test]
fn closing_child_and_parent_leaves_the_guards_of_those_above() {
    let tree = tree();
    Tree::deny(&tree.above);
    let parent = tree.parent.clone();
    assert_eq!(tree.ask_after(move || _ = parent.close()), denied());
}

#[test]
fn a_guard_that_an_open_ancestor_gets_after_the_close_applies() {
    let tree = tree();
    let (parent, child) = (tree.parent.clone(), tree.child.clone());
    let change = move || {
        child.close();
        Tree::deny(&parent);
    };
    assert_eq!(tree.ask_after(change), denied());
}

#[test]
fn a_child_reopened_elsewhere_takes_no_guard_off_the_call_and_puts_none_on() {
    for (old_parent_denies, wanted) in [(true, denied()), (false, ("UNKNOWN_TOOL".to_owned(), 1))] {
        let tree = tree();
        let other = tree.registry.scope("other");
        Tree::deny(if old_parent_denies { &tree.parent } else { &other });
        let child = tree.child.clone();
        let change = move || {
            child.close();
            other.child("child").expect("free");
        };
        assert_eq!(tree.ask_after(change), wanted);
    }
}

#[test]
fn a_parent_that_is_closed_and_reopened_is_another_one() {
    let tree = tree();
    let (above, parent) = (tree.above.clone(), tree.parent.clone());
    let change = move || {
        parent.close();
        let reopened = above.child("parent").expect("free");
        reopened.child("child").expect("free");
        Tree::deny(&reopened);
    };
    assert_eq!(tree.ask_after(change), ("UNKNOWN_TOOL".to_owned(), 1), "it began under the first one");
}

#[test]
fn a_closed_childs_parent_still_says_whether_questions_are_asked() {
    let tree = tree();
    let (parent, child) = (tree.parent.clone(), tree.child.clone());
    let change = move || {
        child.close();
        assert!(parent.set_approval_mode(ApprovalMode::Never));
    };
    assert_eq!(tree.ask_after(change), ("APPROVAL_REJECTED".to_owned(), 0));
}

#[test]
fn the_tool_is_gone_with_the_scope_whatever_an_open_ancestor_has() {
    for restricted in [false, true] {
        let tree = tree();
        if restricted {
            tree.parent.restrict(Restriction::allow(["t"])).expect("known");
        }
        let child = tree.child.clone();
        assert_eq!(tree.ask_after(move || _ = child.close()), ("UNKNOWN_TOOL".to_owned(), 1));
    }
}

#[test]
fn a_further_run_after_the_close_is_refused_by_an_open_ancestor_first() {
    for (denies, wanted) in [(true, "GUARD_DENIED"), (false, "UNKNOWN_TOOL")] {
        let tree = tree();
        let (parent, child) = (tree.parent.clone(), tree.child.clone());
        let change = once(move || {
            child.close();
            if denies {
                Tree::deny(&parent);
            }
        });
        tree.registry.wrapper(Again(change)).expect("good");
        assert_eq!(tree.call(), wanted);
    }
}

/// Closes the scope of a call of `t`, then asks.
#[derive(Debug)]
struct Close(Scope);

#[async_trait]
impl PrePolicy for Close {
    fn name(&self) -> &str {
        "close"
    }

    async fn decide(&self, cx: &ToolExecution, next: PreNext<'_>) -> Result<PreDecision, PolicyError> {
        if cx.name() == "t" {
            self.0.close();
            return Ok(PreDecision::ask("may it?"));
        }
        next.run().await
    }
}

#[test]
fn a_nested_call_on_its_way_keeps_the_guards_of_open_ancestors() {
    let tree = tree();
    let body = tool("work").output(OutputSpec::any()).body(|cx| async move {
        let result = cx.call(cx.nested_call("t")).await;
        Ok(json!(result.code().map(ToString::to_string)))
    });
    tree.registry.register(body).expect("good");
    let no = guard_fn("no", |cx| match cx.name() {
        "t" => GuardVerdict::deny("never"),
        _ => GuardVerdict::Abstain,
    });
    tree.parent.guard(no).expect("good");
    let child = tree.child.clone();
    tree.registry.pre_policy(Close(child)).expect("good");
    let result = paused(tree.registry.execute(ToolCall::new("c", "work").with_agent("child")));
    assert_eq!(result.value(), Some(&json!("GUARD_DENIED")));
    assert_eq!(tree.asked.load(Ordering::SeqCst), 0);
}
