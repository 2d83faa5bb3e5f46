//! Stage 6: policies look at what became of the call, a waterfall.

use std::future::poll_fn;

use futures_util::FutureExt;

use crate::{
    chain::{Chain, Course},
    code::ErrorCode,
    contain::{Panicked, let_go},
    content::ContentBlock,
    grace::{Grace, Waited},
    pipeline::{
        dispatch::{made, too_deep},
        draft::{Draft, take_success_away},
        running::RunningCall,
    },
    post_policy::{Attached, PostDecision, PostNext},
    result::ToolFailure,
    stage::Stage,
};

pub(crate) async fn post_execute(call: &RunningCall<'_>, mut draft: Draft, cancelled_before: bool) -> Draft {
    call.core().enter(Stage::PostExecute);
    if call.view.post.is_empty() {
        return draft;
    }
    let waited = {
        let course = Course { cx: &call.cx, timeout: call.registry.limits.policy_timeout };
        let mut link = PostNext { chain: Chain::new(&course, &call.view.post), outcome: draft.result() }.start();
        let mut grace = Grace::new(call.core().grace);
        poll_fn(|cx| grace.poll(cx, &call.cx, || false, |cx| link.poll_unpin(cx).map(Ok::<_, Panicked>))).await
    };
    if let Some(failure) = call.core().failure() {
        let_go(waited);
        return Draft::failure(failure.clone());
    }
    let Waited::Settled(Ok(decision)) = waited else {
        take_success_away(call.core(), &mut draft);
        return draft;
    };
    let blocked = matches!(decision, PostDecision::Block(..));
    let mut draft = decided(call, draft, decision);
    if !blocked && !cancelled_before && draft.result().is_success() && call.is_cancelled() {
        take_success_away(call.core(), &mut draft);
    }
    draft
}

fn decided(call: &RunningCall, mut draft: Draft, decision: PostDecision) -> Draft {
    match decision {
        PostDecision::Accept(attached) => with_contexts(draft, attached),
        PostDecision::ReplaceContent(content, attached) => {
            draft.edit().replace_content(content);
            with_contexts(draft, attached)
        }
        PostDecision::ReplaceValue(value, attached) => {
            if !draft.result().is_success() {
                return Draft::failure(value_of_a_failure(attached));
            }
            let said = std::mem::take(&mut draft.edit().contexts);
            let concludes = draft.result().concludes_turn;
            let attached = attached.into_parts();
            let mut draft = if attached.too_deep { Draft::failure(too_deep()) } else { made(call, value) };
            let result = draft.edit();
            result.contexts = said;
            result.concludes_turn = concludes && result.is_success();
            result.contexts.extend(attached.contexts);
            draft
        }
        PostDecision::Block(feedback, attached) => {
            let attached = attached.into_parts();
            let mut failure = ToolFailure::new(ErrorCode::BLOCKED, feedback);
            failure.source_name = attached.by;
            let content = ContentBlock::text(failure.message.clone());
            let mut draft = Draft::failure(failure);
            let result = draft.edit();
            result.replace_content(content);
            result.contexts = attached.contexts;
            draft
        }
    }
}

fn with_contexts(mut draft: Draft, attached: Attached) -> Draft {
    if !attached.contexts().is_empty() {
        draft.edit().contexts.extend(attached.into_parts().contexts);
    }
    draft
}

fn value_of_a_failure(attached: Attached) -> ToolFailure {
    let by = attached.into_parts().by;
    let message = format!("policy \"{}\" failed", by.as_deref().unwrap_or("post-policy"));
    let source = crate::error::Described("the value of a failed result cannot be replaced".to_owned());
    ToolFailure::new(ErrorCode::POLICY_FAILED, message).by(by).caused_by(std::sync::Arc::new(source))
}
