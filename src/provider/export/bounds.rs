//! Bounds of numbers, of which the tighter ones hold.

use serde_json::{Value, json};

use super::{
    merge::larger,
    report::LossKind,
    subset::{Schema, Writer},
};

impl Writer<'_> {
    /// A bound that is not itself taken, as one that is.
    pub(super) fn exclusive(&mut self, key: &str, value: &Value, kind: &str, out: &mut Schema, at: &str) {
        let (bound, step) = if key == "exclusiveMinimum" { ("minimum", 1) } else { ("maximum", -1) };
        let next = value.as_i64().and_then(|n| n.checked_add(step)).filter(|_| kind == "integer");
        if next.is_none() {
            self.losses.add(at, key, LossKind::Widened, format!("written as {bound}: the bound itself is taken too"));
        }
        tighten(out, bound, next.map_or_else(|| value.clone(), |n| json!(n)));
    }
}

/// Writes a keyword. Of bounds the tighter one stays: another keyword may have been written as one.
pub(super) fn tighten(out: &mut Schema, keyword: &str, value: Value) {
    let stays = out.get(keyword).is_some_and(|own| {
        let most = larger(own, &value);
        match keyword {
            "minimum" => most.as_ref() == Some(own),
            "maximum" => most.as_ref() == Some(&value),
            _ => false,
        }
    });
    if !stays {
        out.insert(keyword.to_owned(), value);
    }
}
