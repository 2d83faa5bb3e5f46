//! Names that mean one part to the compiler and another to a reader who knows other spellings.

use serde_json::{Map, Value, json};

use super::{
    CompiledSchema,
    hostile::{in_children, problems, quickly},
};

const FOUR: &str = "http://json-schema.org/draft-04/schema#";
const SEVEN: &str = "http://json-schema.org/draft-07/schema#";
const NINETEEN: &str = "https://json-schema.org/draft/2019-09/schema";
const TWENTY: &str = "https://json-schema.org/draft/2020-12/schema";

/// The spellings of a plain name.
fn spelt(keyword: &str, name: &str) -> Value {
    if keyword.ends_with("id") { json!(format!("#{name}")) } else { json!(name) }
}

/// The dialects, with the spelling each knows and those it does not.
const SPELLINGS: [(&str, &str, &[&str]); 6] = [
    (FOUR, "id", &["$id", "$anchor", "$dynamicAnchor"]),
    (SEVEN, "$id", &["id", "$anchor", "$dynamicAnchor"]),
    (NINETEEN, "$anchor", &["id", "$dynamicAnchor"]),
    (TWENTY, "$anchor", &["id"]),
    (TWENTY, "$dynamicAnchor", &["id"]),
    ("https://example.com/draft-04/schema", "$anchor", &["id"]),
];

/// A chain of references by plain names, each part looking at the next `times`, with decoys that lead nowhere.
fn chain(n: usize, times: usize, (dialect, own, decoy): (&str, &str, &str)) -> Value {
    let mut defs = Map::new();
    for i in 0..n {
        let next = json!({ "$ref": format!("#d{}", i + 1) });
        let mut part = json!({ "allOf": vec![next; times] });
        part[own] = spelt(own, &format!("d{i}"));
        let mut other = json!({ "type": "object" });
        other[decoy] = spelt(decoy, &format!("d{i}"));
        defs.insert(format!("a{i}"), other);
        defs.insert(format!("d{i}"), part);
    }
    let mut end = json!({ "type": "object", "properties": { "n": { "$ref": "#d0" } } });
    end[own] = spelt(own, &format!("d{n}"));
    defs.insert(format!("d{n}"), end);
    json!({ "$schema": dialect, "type": "object", "properties": { "x": { "$ref": "#d0" } }, "definitions": defs })
}

in_children! {
    decoys_in_spellings_of_other_dialects {
        for (dialect, own, others) in SPELLINGS {
            for decoy in others {
                let what = format!("{dialect} {own} {decoy}");
                for (n, times) in [(740, 1), (36, 2), (1, 1)] {
                    let schema = chain(n, times, (dialect, own, decoy));
                    quickly(&what, || assert!(problems(&schema).contains("may mean several parts"), "{what} {n}"));
                }
                // Without a part that the dialect knows by that name there is nothing to be referred to.
                let mut alone = json!({ "$schema": dialect, "$ref": "#a", "definitions": { "a": {} } });
                alone["definitions"]["a"][*decoy] = spelt(decoy, "a");
                assert!(problems(&alone).contains("leads nowhere"), "{what}");
            }
            let mut plain = json!({ "$schema": dialect, "type": "object", "properties": { "x": { "$ref": "#a" } },
                "definitions": { "a": { "type": "integer" } } });
            plain["definitions"]["a"][own] = spelt(own, "a");
            let compiled = CompiledSchema::compile(&plain).expect("one part by one name");
            assert!(compiled.is_valid(&json!({ "x": 1 })) && !compiled.is_valid(&json!({ "x": "a" })), "{dialect} {own}");
        }
    }

    decoys_before_cycles_and_unions {
        let pure = json!({ "$schema": SEVEN, "$anchor": "a", "type": "object", "properties": { "x": { "$ref": "#/definitions/d" } },
            "definitions": { "d": { "$id": "#a", "allOf": [{ "$ref": "#a" }] } } });
        assert_ne!(problems(&pure), "admitted");
        let hidden = json!({ "contentSchema": { "$anchor": "a" }, "$defs": { "d": { "$anchor": "a" } }, "$ref": "#a" });
        assert!(problems(&hidden).contains("may mean several parts"));
        let example = json!({ "examples": [{ "$anchor": "a" }], "$defs": { "d": { "$anchor": "a" } }, "$ref": "#a" });
        assert_ne!(problems(&example), "admitted");
        let never_referred_to = json!({ "type": "object", "$defs": { "d": { "$anchor": "a" }, "e": { "$anchor": "a" } } });
        assert_eq!(problems(&never_referred_to), "admitted");
        let recursive = json!({ "$schema": NINETEEN, "properties": { "x": { "$recursiveRef": "#/$defs/a" } }, "$defs": { "a": {} } });
        assert_ne!(problems(&recursive), "admitted", "the compiler takes it for the whole");
    }

    dialects_further_in {
        let other = json!({ "$schema": TWENTY, "type": "object", "$defs": { "a": { "$schema": SEVEN, "type": "string" } } });
        assert!(problems(&other).contains("another dialect"), "{}", problems(&other));
        let odd = json!({ "type": "object", "$defs": { "a": { "$schema": "https://x.y/z", "type": "string" } } });
        assert!(problems(&odd).contains("another dialect"));
        let same = json!({ "$schema": SEVEN, "type": "object", "definitions": { "a": { "$schema": SEVEN, "type": "string" } } });
        assert_eq!(problems(&same), "admitted");
        let newest = json!({ "$schema": "https://json-schema.org/schema", "type": "object" });
        assert_eq!(problems(&newest), "admitted");
    }

    identifiers_where_there_is_no_subschema {
        let schema = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/a" } },
            "$defs": { "$id": "https://x.y/z", "a": { "$ref": "#/$defs/b" }, "b": {} } });
        assert_ne!(problems(&schema), "admitted");
        let schema = json!({ "type": "object", "properties": { "x": { "$ref": "#/more/a" } },
            "more": { "$id": "https://x.y/z", "a": { "$ref": "#/more/b" }, "b": {} } });
        assert_ne!(problems(&schema), "admitted");
        let named_id = json!({ "type": "object", "properties": { "$id": { "type": "string" }, "id": { "type": "string" } } });
        assert_eq!(problems(&named_id), "admitted", "properties may be called so");
    }

    a_schema_that_calls_itself_by_its_own_name {
        for id in ["T0", "https://x.y/z.json", "https://x.y/z.json#"] {
            let refer = id.trim_end_matches('#');
            let schema = json!({ "$id": id, "type": "object", "properties": { "id": { "type": "string" },
                "nodes": { "type": "array", "items": { "$ref": refer } } }, "required": ["id", "nodes"] });
            let compiled = CompiledSchema::compile(&schema).unwrap_or_else(|p| panic!("{id}: {p:?}"));
            let tree = |leaf: Value| json!({ "id": "a", "nodes": [{ "id": "b", "nodes": [leaf] }] });
            assert!(compiled.is_valid(&tree(json!({ "id": "c", "nodes": [] }))));
            assert!(!compiled.is_valid(&tree(json!({ "id": "c" }))));
        }
        let pure = json!({ "$id": "T0", "allOf": [{ "$ref": "T0" }] });
        assert_ne!(problems(&pure), "admitted");
        // Another part may be taken for the whole.
        let two = json!({ "$id": "https://x.y/z.json", "type": "object", "properties": { "a": { "$ref": "https://x.y/z.json" } },
            "$defs": { "b": { "$id": "z.json", "type": "string" } } });
        assert_ne!(problems(&two), "admitted");
    }
}
