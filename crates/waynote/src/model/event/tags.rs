//! Events in JSON: the tag that names the variant must be a word.
//!
//! serde also takes the number of a variant as the tag of an enum. The order of the variants is not part of the form,
//! so `{"event": 0}` would mean another event in another version.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{IterationOutcome, SessionEvent};

/// The object, if the field that names its variant holds a text.
fn tagged<'de, D: Deserializer<'de>>(form: D, tag: &'static str) -> Result<Value, D::Error> {
    let value = Value::deserialize(form)?;
    match value.get(tag) {
        Some(Value::String(_)) => Ok(value),
        Some(_) => Err(D::Error::custom(format_args!("`{tag}` must be a string"))),
        None => Err(D::Error::missing_field(tag)),
    }
}

impl<'de> Deserialize<'de> for SessionEvent {
    fn deserialize<D: Deserializer<'de>>(form: D) -> Result<Self, D::Error> {
        // The derived function of the same name is inherent, not the trait's.
        Self::deserialize(tagged(form, "event")?).map_err(D::Error::custom)
    }
}

impl Serialize for SessionEvent {
    fn serialize<S: Serializer>(&self, form: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, form)
    }
}

impl<'de> Deserialize<'de> for IterationOutcome {
    fn deserialize<D: Deserializer<'de>>(form: D) -> Result<Self, D::Error> {
        Self::deserialize(tagged(form, "how")?).map_err(D::Error::custom)
    }
}

impl Serialize for IterationOutcome {
    fn serialize<S: Serializer>(&self, form: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, form)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_tag_of_an_event_is_a_word() {
        let of = |event| serde_json::from_value::<SessionEvent>(event).map_err(|e| e.to_string());

        let written = json!({"event": "iteration_started", "iteration": 3});
        let event = of(written.clone()).expect("a word");
        assert_eq!(
            event,
            SessionEvent::IterationStarted {
                iteration: 3,
                block: None
            }
        );
        assert_eq!(serde_json::to_value(&event).expect("JSON"), written);

        for event in [
            json!({"event": 2, "iteration": 3}),
            json!({"event": null, "iteration": 3}),
            json!({"event": true, "iteration": 3}),
        ] {
            assert_eq!(of(event), Err("`event` must be a string".to_owned()));
        }
        assert_eq!(of(json!({})), Err("missing field `event`".to_owned()));
        assert_eq!(of(json!([])), Err("missing field `event`".to_owned()));
        assert!(of(json!({"event": "no_such"})).is_err());
    }

    #[test]
    fn the_tag_of_an_outcome_is_a_word() {
        let of = |outcome| {
            serde_json::from_value::<SessionEvent>(json!({
                "event": "iteration_ended", "iteration": 1, "outcome": outcome,
                "duration_ms": null, "attempts": 1, "notes_added": 0,
            }))
            .map_err(|e| e.to_string())
        };
        assert!(of(json!({"how": "exited", "code": 0})).is_ok());
        assert_eq!(
            of(json!({"how": 0, "code": 0})),
            Err("`how` must be a string".to_owned())
        );
    }
}
