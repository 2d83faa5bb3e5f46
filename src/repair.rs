//! Repairs of arguments, for callers who ask for them: before the call is made, without loss, and on record.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    pointer::escaped,
    schema::{ArgumentLimits, Guide, at, measure, parse_strictly},
};

/// Which repairs [`ToolRegistry::repair`](crate::ToolRegistry::repair) may make. All are without loss: what the model
/// meant is in what it sent, in another form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Repairs {
    object_in_string: bool,
    json_in_strings: bool,
    null_for_absent: bool,
}

impl Repairs {
    /// None at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// All there are.
    pub fn all() -> Self {
        Self { object_in_string: true, json_in_strings: true, null_for_absent: true }
    }

    /// The whole arguments encoded twice: a JSON string that holds a JSON object.
    #[must_use]
    pub fn object_in_string(mut self, yes: bool) -> Self {
        self.object_in_string = yes;
        self
    }

    /// A string that holds a JSON array or object, at a place where the parameters want that and no string.
    #[must_use]
    pub fn json_in_strings(mut self, yes: bool) -> Self {
        self.json_in_strings = yes;
        self
    }

    /// `null` for a member that is declared, not required, and must not be null: it is left out. This one is made even
    /// where the arguments stay invalid, so that the model is told of the rest alone. What only some alternative or
    /// condition requires is left out, too, where the arguments are valid without it.
    #[must_use]
    pub fn null_for_absent(mut self, yes: bool) -> Self {
        self.null_for_absent = yes;
        self
    }
}

/// What was done to the arguments of a call before it was made, and what they had been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    original: Arc<str>,
    repairs: Vec<Repair>,
}

impl Repaired {
    /// The arguments as they were: the text as the model sent it, or compact JSON of a value.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Every repair, in the order of the arguments.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }
}

impl fmt::Display for Repaired {
    /// `/files: was JSON inside a string; /mode: was null, left out`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, repair) in self.repairs.iter().enumerate() {
            let joint = if i == 0 { "" } else { "; " };
            write!(f, "{joint}{repair}")?;
        }
        Ok(())
    }
}

/// One repair: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    pointer: String,
    kind: RepairKind,
}

impl Repair {
    /// Where in the arguments: a JSON pointer, empty for the whole.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What was done there.
    pub fn kind(&self) -> RepairKind {
        self.kind
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            RepairKind::ObjectInString => "the whole was an object inside a string",
            RepairKind::JsonInString => "was JSON inside a string",
            RepairKind::NullForAbsent => "was null, left out",
        };
        f.write_str(&at(&self.pointer, what))
    }
}

/// A kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// The arguments were a string that held an object.
    ObjectInString,
    /// A string held an array or an object.
    JsonInString,
    /// A `null` stood for an absent member.
    NullForAbsent,
}

/// What the arguments were when they came.
pub(crate) enum Original<'a> {
    Text(&'a str),
    Value(&'a Value),
}

/// Repairs what may be; the result is an object that differs from the original and `fits`, or lacks nothing but nulls that
/// stood for nothing. None if the original fits, or neither can be had.
pub(crate) fn repair(
    original: &Original<'_>,
    schema: &Value,
    allowed: Repairs,
    limits: ArgumentLimits,
    fits: impl Fn(&Value) -> bool,
) -> Option<(Value, Repaired)> {
    let read = match original {
        Original::Text(text) => parse_strictly(text, limits).ok()?,
        Original::Value(value) => {
            measure(value, limits).ok()?;
            (*value).clone()
        }
    };
    if read.is_object() && fits(&read) {
        return None;
    }
    let guide = Guide::new(schema);
    let mend = |allowed, bold, fits: &dyn Fn(&Value) -> bool| mended(&read, &guide, allowed, bold, limits, fits);
    let (object, repairs) = mend(allowed, false, &fits)
        .or_else(|| mend(allowed, true, &fits).filter(|_| allowed.null_for_absent))
        // A null that stands for nothing is in the way of what is really wrong, and of a model that cannot leave it out.
        .or_else(|| mend(Repairs::none().null_for_absent(allowed.null_for_absent), false, &|_| true))?;
    let original = match original {
        Original::Text(text) => Arc::from(*text),
        Original::Value(value) => Arc::from(value.to_string()),
    };
    Some((object, Repaired { original, repairs }))
}

/// A copy in which all is done that may be, if something was, and what came out `fits`. `bold`: what some alternative requires,
/// or takes null for, is left out, too: it may be one that does not apply.
fn mended(
    read: &Value,
    guide: &Guide<'_>,
    allowed: Repairs,
    bold: bool,
    limits: ArgumentLimits,
    fits: &dyn Fn(&Value) -> bool,
) -> Option<(Value, Vec<Repair>)> {
    let mut workshop = Workshop { allowed, bold, limits, done: Vec::new() };
    let mut object = workshop.whole(read.clone())?;
    if workshop.done.is_empty() || !fits(&object) {
        workshop.mend(&mut object, guide, &mut String::new());
    }
    // Strings have been unpacked: the limits hold for what came out.
    let sound = !workshop.done.is_empty() && measure(&object, limits).is_ok() && fits(&object);
    sound.then_some((object, workshop.done))
}

struct Workshop {
    allowed: Repairs,
    bold: bool,
    limits: ArgumentLimits,
    done: Vec<Repair>,
}

impl Workshop {
    fn whole(&mut self, read: Value) -> Option<Value> {
        match read {
            object @ Value::Object(_) => Some(object),
            Value::String(text) if self.allowed.object_in_string => {
                let object = parse_strictly(&text, self.limits).ok().filter(Value::is_object)?;
                self.note("", RepairKind::ObjectInString);
                Some(object)
            }
            _ => None,
        }
    }

    /// Mends what is below `value` and itself. No deeper than the limits on arguments, as what a string holds keeps to them too.
    fn mend(&mut self, value: &mut Value, guide: &Guide<'_>, pointer: &mut String) {
        if let Value::String(text) = value
            && let Some(held) = self.held(text, guide)
        {
            *value = held;
            self.note(pointer, RepairKind::JsonInString);
            return;
        }
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter_mut().enumerate() {
                    step(pointer, &i.to_string(), |pointer| self.mend(item, &guide.item(i), pointer));
                }
            }
            Value::Object(members) => self.members(members, guide, pointer),
            _ => {}
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>, guide: &Guide<'_>, pointer: &mut String) {
        members.retain(|name, value| {
            let there = guide.member(name);
            let escaped = escaped(name);
            let goes = value.is_null() && self.allowed.null_for_absent && guide.declares(name);
            let goes = goes
                && if self.bold {
                    !guide.always_requires(name) && !there.may_always_be("null")
                } else {
                    !guide.requires(name) && !there.may_be("null")
                };
            step(pointer, &escaped, |pointer| {
                if goes {
                    self.note(pointer, RepairKind::NullForAbsent);
                } else {
                    self.mend(value, &there, pointer);
                }
            });
            !goes
        });
    }

    /// What a string holds, where that is wanted and a string is not.
    fn held(&self, text: &str, guide: &Guide<'_>) -> Option<Value> {
        if !self.allowed.json_in_strings || guide.may_be("string") {
            return None;
        }
        let wanted = match text.trim_start().as_bytes().first()? {
            b'[' => "array",
            b'{' => "object",
            _ => return None,
        };
        guide.may_be(wanted).then(|| parse_strictly(text, self.limits).ok()).flatten()
    }

    fn note(&mut self, pointer: &str, kind: RepairKind) {
        self.done.push(Repair { pointer: pointer.to_owned(), kind });
    }
}

/// Runs `visit` with `name` at the end of the pointer.
fn step(pointer: &mut String, name: &str, visit: impl FnOnce(&mut String)) {
    let end = pointer.len();
    pointer.push('/');
    pointer.push_str(name);
    visit(pointer);
    pointer.truncate(end);
}
