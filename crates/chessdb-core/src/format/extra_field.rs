//! Descriptions of data that only their own format knows.

/// The meaning of a range of numbers in [`Extra::field`](crate::model::Extra::field), for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtraField {
    /// The format, see [`Extra::format`](crate::model::Extra::format).
    pub format: &'static str,
    /// The first field number with this meaning, see [`Extra::field`](crate::model::Extra::field).
    pub first: u16,
    /// The last field number with this meaning.
    pub last: u16,
    /// Whether the field belongs to a database; otherwise to a game.
    pub of_base: bool,
    /// The content of the field, in words.
    pub what: &'static str,
}

impl ExtraField {
    /// Describes a field of a game.
    pub const fn of_game(format: &'static str, field: u16, what: &'static str) -> ExtraField {
        ExtraField {
            format,
            first: field,
            last: field,
            of_base: false,
            what,
        }
    }

    /// Describes a field of a database.
    pub const fn of_base(format: &'static str, field: u16, what: &'static str) -> ExtraField {
        ExtraField {
            format,
            first: field,
            last: field,
            of_base: true,
            what,
        }
    }

    /// Extends the description to all field numbers up to `last`.
    #[must_use]
    pub const fn up_to(mut self, last: u16) -> ExtraField {
        self.last = last;
        self
    }

    /// Returns whether the description covers this extra of a database or game.
    pub fn is_of(&self, extra: &crate::model::Extra, of_base: bool) -> bool {
        let fields = self.first..=self.last;
        self.format == extra.format && self.of_base == of_base && fields.contains(&extra.field)
    }
}

/// Declares the field numbers of a format's extras as constants, and their descriptions for people
/// as a list of [`ExtraField`]s, in the same order. Numbers without a name have a description only.
///
/// ```
/// chessdb_core::extra_fields! {
///     /// The data that only this format understands.
///     pub FIELDS of "demo";
///     /// Of a game: an unknown byte.
///     of_game BYTE = 1, "an unknown byte";
///     of_game _ = 16..=31, "an annotation of an unknown type";
///     /// Of a database: the time of creation.
///     of_base CREATED = 1, "the time of creation";
/// }
///
/// assert_eq!((BYTE, CREATED, FIELDS[1].last, FIELDS[2].of_base), (1, 1, 31, true));
/// ```
#[macro_export]
macro_rules! extra_fields {
    (@const $(#[$doc:meta])* $vis:vis _ = $number:literal) => {};
    (@const $(#[$doc:meta])* $vis:vis $name:ident = $number:literal) => {
        $(#[$doc])*
        $vis const $name: u16 = $number;
    };
    (
        $(#[$doc:meta])* $vis:vis $list:ident of $format:expr;
        $(
            $(#[$field_doc:meta])*
            $owner:ident $name:tt = $first:literal $(..= $last:tt)?, $what:literal;
        )+
    ) => {
        $($crate::extra_fields!(@const $(#[$field_doc])* $vis $name = $first);)+
        $(#[$doc])*
        $vis const $list: &[$crate::format::ExtraField] = &[
            $($crate::format::ExtraField::$owner($format, $first, $what) $(.up_to($last))?,)+
        ];
    };
}
