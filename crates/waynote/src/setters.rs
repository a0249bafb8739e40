//! Setters of options: one for each field that a caller may change.

/// Writes setters. Those of `or_none` also take none; those of `named` are called otherwise than the field, and take
/// what its type is made from.
macro_rules! setters {
    (
        $(exact { $($(#[$about:meta])* $exact:ident: $type:ty;)* })?
        $(or_none { $($(#[$of:meta])* $option:ident: $inner:ty;)* })?
        $(named { $($(#[$by:meta])* $name:ident($field:ident: $kind:ty);)* })?
    ) => {
        $($(
            $(#[$about])*
            pub fn $exact(self, $exact: $type) -> Self {
                Self { $exact, ..self }
            }
        )*)?
        $($(
            $(#[$of])*
            pub fn $option(self, $option: impl Into<Option<$inner>>) -> Self {
                Self { $option: $option.into(), ..self }
            }
        )*)?
        $($(
            $(#[$by])*
            pub fn $name(self, $field: impl Into<$kind>) -> Self {
                Self { $field: $field.into(), ..self }
            }
        )*)?
    };
}
