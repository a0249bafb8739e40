//! JSON in which a structure is written as an object. A deserializer that serde derives also takes a list of the fields'
//! values in their order. No document says so, and the next field would break it.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Reads values of a self-describing format so.
pub(super) struct Objects<D>(pub(super) D);

/// Passes on what is read; a structure takes no list.
struct Of<V> {
    visitor: V,
    is_structure: bool,
}

impl<V> Of<V> {
    fn any(visitor: V) -> Self {
        Self {
            visitor,
            is_structure: false,
        }
    }

    fn structure(visitor: V) -> Self {
        Self {
            visitor,
            is_structure: true,
        }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(Of::any(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0
            .deserialize_struct(name, fields, Of::structure(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_option(Of::any(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, Of::any(visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, Of::any(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_ignored_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// Passes values on as they are.
macro_rules! values {
    ($($name:ident: $type:ty,)*) => {$(
        fn $name<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$name(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Of<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.visitor.expecting(f)
    }

    values! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_str: &str,
        visit_borrowed_str: &'de str,
        visit_string: String,
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, of: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Objects(of))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, of: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(Objects(of))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, of: A) -> Result<V::Value, A::Error> {
        match self.is_structure {
            true => Err(A::Error::invalid_type(
                Unexpected::Other("list"),
                &"an object with named fields",
            )),
            false => self.visitor.visit_seq(Objects(of)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, of: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Objects(of))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, of: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Objects(of))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, of: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Objects(of))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Objects<A> {
    type Error = A::Error;
    type Variant = Objects<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.0.variant_seed(seed)?;
        Ok((value, Objects(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Objects(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Of::any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Of::structure(visitor))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use waynote::context::BlockAsk;
    use waynote::store::Ask;
    use waynote::wire::ApplyRequest;

    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(json: &str) -> Result<T, serde_json::Error> {
        T::deserialize(Objects(&mut serde_json::Deserializer::from_str(json)))
    }

    #[test]
    fn a_list_is_no_structure_at_any_depth() {
        for json in [
            "[]",
            "[[null,null]]",
            r#"{"journal":[[null,null]]}"#,
            r#"{"pages":[{"of":{"keyed":["agent:a",true]}}]}"#,
        ] {
            let error = read::<Ask>(json).unwrap_err().to_string();
            assert!(
                error.contains("an object with named fields"),
                "{json}: {error}"
            );
        }
        let stamp = r#"{"now":"2026-05-17T12:00:00Z","author":"person"}"#;
        for change in [
            r#"["agent:a#k","text"]"#,
            r#"{"address":"agent:a#k","content":"text","limits":[1,2,3]}"#,
        ] {
            let json = format!(r#"{{"changes":[{{"save":{change}}}],"stamp":{stamp}}}"#);
            assert!(read::<ApplyRequest>(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn what_is_documented_is_read_as_ever() {
        for json in [
            "{}",
            r#"{"journal":[{"before":null,"limit":3}],"kinds":["agent"],"version":true}"#,
            r#"{"pages":[{"of":{"keyed":{"scope":"agent:a","pinned":true}},"skip":2}],"counts":[{"counted":"agent:a"}]}"#,
        ] {
            let plain: Ask = serde_json::from_str(json).unwrap();
            assert_eq!(read::<Ask>(json).unwrap(), plain);
        }
        // A text of bytes is a list.
        let json = r#"{"changes":[{"save":{"address":"agent:a#k","content":[255,1],"pin":true}},
            {"append":{"session":"s","type":"tip","iteration":-3,"content":"text"}}],
            "stamp":{"now":"2026-05-17T12:00:00Z","author":"person","secrets":{"allow":["jwt"]}}}"#;
        let plain: ApplyRequest = serde_json::from_str(json).unwrap();
        assert_eq!(read::<ApplyRequest>(json).unwrap(), plain);
        let json = r#"{"request":{"agent":"a","place":"~/p","style":"stable","now":"2026-05-17T12:00:00Z"},
            "part":{"block":{}}}"#;
        let plain: BlockAsk = serde_json::from_str(json).unwrap();
        assert_eq!(read::<BlockAsk>(json).unwrap(), plain);
    }
}
