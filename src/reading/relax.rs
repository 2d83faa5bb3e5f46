//! A copy of arguments in which the slips of models are mended, as far as the schema tells what was meant.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

use crate::reading::{
    path::Step,
    places::{Places, Said},
};

pub(super) struct Copy<'s> {
    pub(super) value: Value,
    schema: &'s Value,
}

impl<'s> Copy<'s> {
    pub(super) fn new(value: &Value, schema: &'s Value) -> Self {
        Self { value: value.clone(), schema }
    }

    /// Writes `5.0` as `5` wherever the schema says integer. False if there was nothing to do.
    pub(super) fn write_integers(&mut self) -> bool {
        let mut places = Places::new(self.schema);
        let said = places.of_root(&self.value);
        integers(&mut places, &mut self.value, &said)
    }

    /// Where properties at and below `steps` are `null`, declared, and not required.
    pub(super) fn nulls(&self, steps: &[Step]) -> Vec<Vec<Step>> {
        let mut places = Places::new(self.schema);
        let said = places.of_root(&self.value);
        let mut found = Vec::new();
        nulls(&mut places, &self.value, &said, steps, &mut Vec::new(), &mut found);
        found
    }

    /// The value without the properties at `paths`.
    pub(super) fn without(&self, paths: &[Vec<Step>]) -> Value {
        let mut value = self.value.clone();
        for path in paths {
            if let Some((Step::Key(last), way)) = path.split_last() {
                let object = way.iter().try_fold(&mut value, |here, step| step.inside_mut(here));
                if let Some(Value::Object(members)) = object {
                    members.shift_remove(last);
                }
            }
        }
        value
    }
}

fn integers<'s>(places: &mut Places<'s>, value: &mut Value, said: &Said<'s>) -> bool {
    let mut changed = false;
    match value {
        Value::Number(number) => {
            let says_integer = |schema: &&Map<String, Value>| schema.get("type").is_some_and(names_integer);
            if let Some(whole) = whole(number)
                && said.iter().any(says_integer)
            {
                *number = whole;
                return true;
            }
        }
        Value::Array(items) if !said.is_empty() => {
            for (index, item) in items.iter_mut().enumerate() {
                let inside = places.of_item(said, index, item);
                changed |= integers(places, item, &inside);
            }
        }
        Value::Object(members) if !said.is_empty() => {
            for (key, member) in members {
                let inside = places.of_member(said, key, member);
                changed |= integers(places, member, &inside);
            }
        }
        _ => {}
    }
    changed
}

fn nulls<'s>(
    places: &mut Places<'s>,
    value: &Value,
    said: &Said<'s>,
    steps: &[Step],
    path: &mut Vec<Step>,
    found: &mut Vec<Vec<Step>>,
) {
    if said.is_empty() {
        return;
    }
    let on_the_way = |step: &Step| steps.first().is_none_or(|wanted| wanted == step);
    let rest = steps.get(1..).unwrap_or_default();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let step = Step::Index(index);
                if on_the_way(&step) {
                    let inside = places.of_item(said, index, item);
                    path.push(step);
                    nulls(places, item, &inside, rest, path, found);
                    path.pop();
                }
            }
        }
        Value::Object(members) => {
            let mut required = None;
            for (key, member) in members {
                let step = Step::Key(key.clone());
                if !on_the_way(&step) {
                    continue;
                }
                path.push(step);
                if member.is_null() {
                    let required = required.get_or_insert_with(|| self::required(said));
                    if is_declared(said, key) && !required.contains(key.as_str()) {
                        found.push(path.clone());
                    }
                } else {
                    let inside = places.of_member(said, key, member);
                    nulls(places, member, &inside, rest, path, found);
                }
                path.pop();
            }
        }
        _ => {}
    }
}

fn is_declared(said: &Said<'_>, key: &str) -> bool {
    said.iter().any(|schema| schema.get("properties").is_some_and(|p| p.get(key).is_some()))
}

fn required<'s>(said: &Said<'s>) -> HashSet<&'s str> {
    let lists = said.iter().filter_map(|schema| schema.get("required").and_then(Value::as_array));
    lists.flatten().filter_map(Value::as_str).collect()
}

fn names_integer(kind: &Value) -> bool {
    match kind {
        Value::String(name) => name == "integer",
        Value::Array(names) => names.iter().any(|name| name == "integer"),
        _ => false,
    }
}

/// The same number as an integer, if it is written as none and is exactly one of 64 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers without a fraction, within the bounds of the type"
)]
fn whole(number: &Number) -> Option<Number> {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if number.is_i64() || number.is_u64() {
        return None;
    }
    let float = number.as_f64().filter(|f| f.fract() == 0.0)?;
    if (-TWO_TO_63..TWO_TO_63).contains(&float) {
        Some(Number::from(float as i64))
    } else if (TWO_TO_63..2.0 * TWO_TO_63).contains(&float) {
        Some(Number::from(float as u64))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn relaxed(value: &Value, schema: &Value) -> Value {
        let mut copy = Copy::new(value, schema);
        copy.write_integers();
        copy.value
    }

    #[test]
    fn whole_numbers_are_integers_only_if_they_are_exactly_one() {
        let schema = json!({"type": "integer"});
        for (value, expected) in [
            (json!(5.0), json!(5)),
            (json!(-5.0), json!(-5)),
            (json!(-0.0), json!(0)),
            (json!(1e3), json!(1000)),
            (json!(-9_223_372_036_854_775_808.0), json!(i64::MIN)),
            (json!(9_223_372_036_854_775_808.0), json!(9_223_372_036_854_775_808_u64)),
            (json!(18_446_744_073_709_549_568.0), json!(18_446_744_073_709_549_568_u64)),
        ] {
            assert_eq!(relaxed(&value, &schema), expected, "{value}");
        }
        for value in [json!(5.5), json!(18_446_744_073_709_551_616.0), json!(-1e19), json!(1e300), json!(7)] {
            assert_eq!(relaxed(&value, &schema), value);
        }
    }

    #[test]
    fn the_schema_is_followed_to_the_place() {
        let schema = json!({
            "$defs": {"n": {"type": ["null", "integer"]}},
            "properties": {
                "a": {"$ref": "#/$defs/n"},
                "b": {"items": {"anyOf": [{"type": "string"}, {"allOf": [{"type": "integer"}]}]}},
                "c": {"prefixItems": [{"type": "number"}, {"type": "integer"}], "items": {"type": "integer"}},
                "d": {"type": "number"},
                "e": {"additionalProperties": {"$ref": "#/properties/b"}},
            },
        });
        let value = json!({"a": 1.0, "b": ["1.0", 1.0], "c": [1.0, 1.0, 1.0], "d": 1.0, "e": {"x": [2.0]}, "f": 1.0});
        let expected = json!({"a": 1, "b": ["1.0", 1], "c": [1.0, 1, 1], "d": 1.0, "e": {"x": [2]}, "f": 1.0});
        assert_eq!(relaxed(&value, &schema), expected);
    }

    #[test]
    fn an_alternative_with_another_tag_says_nothing() {
        let schema = json!({"oneOf": [
            {"properties": {"t": {"const": "a"}, "x": {"type": "integer"}}},
            {"properties": {"t": {"const": "b"}, "x": {"type": "number"}}},
        ]});
        assert_eq!(relaxed(&json!({"t": "a", "x": 1.0}), &schema), json!({"t": "a", "x": 1}));
        assert_eq!(relaxed(&json!({"t": "b", "x": 1.0}), &schema), json!({"t": "b", "x": 1.0}));
    }

    #[test]
    fn nulls_go_where_they_are_in_the_way_and_may_be_left_out() {
        let inner = json!({"properties": {"x": {}, "y": {}}, "required": ["y"]});
        let schema = json!({"properties": {"a": inner, "b": {"items": {"$ref": "#/properties/a"}}, "c": {}}});
        let value = json!({"a": {"x": null, "y": null, "z": null}, "b": [{"x": null}, {"x": null}], "c": null});
        let without = |steps: &[Step]| {
            let copy = Copy::new(&value, &schema);
            copy.without(&copy.nulls(steps))
        };
        let key = |key: &str| Step::Key(key.to_owned());
        let all = json!({"a": {"y": null, "z": null}, "b": [{}, {}]});
        assert_eq!(without(&[]), all);
        let one = json!({"a": {"x": null, "y": null, "z": null}, "b": [{"x": null}, {}], "c": null});
        assert_eq!(without(&[key("b"), Step::Index(1), key("x")]), one);
        assert_eq!(without(&[key("a"), key("y")]), value);
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        let schema = json!({"$ref": "#", "anyOf": [{"$ref": "#"}, {"properties": {"a": {"$ref": "#"}}}]});
        assert_eq!(relaxed(&json!({"a": {"a": 1.0}}), &schema), json!({"a": {"a": 1.0}}));
    }
}
