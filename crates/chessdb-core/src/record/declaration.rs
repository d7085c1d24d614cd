//! The macro that declares a record.

/// Declares a record of fixed size: its byte order, its size in bytes, and its fields with their
/// byte ranges, types and explanations.
///
/// ```
/// use chessdb_core::record::{Little, Record as _};
///
/// chessdb_core::record! {
///     /// The place of a game.
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     pub struct GamePlace: Little, 8 {
///         /// The number of the player.
///         0..3 player: u32 = "player {player}",
///         /// 0.
///         3..4 reserved: u8 = "not described" unknown unless *reserved == 0,
///         /// The number of annotations.
///         4..8 [28..32] annotations: u8 = "annotations: {annotations}",
///         /// The offset of the game.
///         4..8 [0..28] offset: u32 = "offset {:#x}" (offset),
///     }
/// }
///
/// let bytes = [1, 2, 0, 0, 5, 0, 0, 0x30];
/// let place = GamePlace::parse(&bytes);
/// assert_eq!((place.player, place.annotations, place.offset), (0x201, 3, 5));
/// assert_eq!(place.to_bytes(), bytes);
/// ```
///
/// * Several fields of bits may share the range of one number. Their bits are listed from the
///   highest: `[28..32, 0..4]` is a number of eight bits.
/// * An explanation is a format string over the fields, which are references. `unknown` and `slack`
///   state how well the bytes are understood; `unless` gives the condition under which they are
///   known.
/// * `struct Name: Big, 14, parse_plain, plain_bytes` names the two functions otherwise.
/// * `record!(field DateCode(u32))` and `record!(flags IndexFlags(u32))` make a wrapper of a number,
///   or a type of the crate bitflags, the type of a field.
///
/// A gap, an overlap or a wrong size does not compile.
#[macro_export]
macro_rules! record {
    ($(field $name:ident($inner:ty)),+ $(,)?) => {$(
        impl<const N: usize> $crate::record::FieldValue<N> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; N]) -> $name {
                $name(<$inner as $crate::record::FieldValue<N>>::from_field::<O>(bytes))
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; N] {
                <$inner as $crate::record::FieldValue<N>>::to_field::<O>(&self.0)
            }
        }
    )+};
    ($(flags $name:ident($inner:ty)),+ $(,)?) => {$(
        impl<const N: usize> $crate::record::FieldValue<N> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; N]) -> $name {
                $name::from_bits_retain(<$inner as $crate::record::FieldValue<N>>::from_field::<O>(bytes))
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; N] {
                <$inner as $crate::record::FieldValue<N>>::to_field::<O>(&self.bits())
            }
        }
    )+};
    (@read $order:ident $size:literal $bytes:ident $start:literal $end:literal [] $type:ty) => {
        <$type as $crate::record::FieldValue<{ $end - $start }>>::from_field::<$order>(
            $crate::record::part::<$start, { $end - $start }, $size>($bytes),
        )
    };
    (@read $order:ident $size:literal $bytes:ident $start:literal $end:literal
        [$($low:literal $high:literal)+] $type:ty) => {{
        let group = <$order as $crate::record::ByteOrder>::number(
            $crate::record::part::<$start, { $end - $start }, $size>($bytes),
        );
        let value = 0u64;
        $(let value = value << ($high - $low) | group >> $low & $crate::record::mask($high - $low);)+
        <$type as $crate::record::FieldValue<8>>::from_field::<$crate::record::Big>(value.to_be_bytes())
    }};
    (@write $order:ident $size:literal $bytes:ident $start:literal $end:literal [] $type:ty, $value:expr) => {
        $crate::record::put::<$start, { $end - $start }, $size>(
            &mut $bytes,
            <$type as $crate::record::FieldValue<{ $end - $start }>>::to_field::<$order>(&$value),
        )
    };
    (@write $order:ident $size:literal $bytes:ident $start:literal $end:literal
        [$($low:literal $high:literal)+] $type:ty, $value:expr) => {{
        let group = <$order as $crate::record::ByteOrder>::number(
            $crate::record::part::<$start, { $end - $start }, $size>(&$bytes),
        );
        let value = <$type as $crate::record::FieldValue<8>>::to_field::<$crate::record::Big>(&$value);
        let value = u64::from_be_bytes(value);
        let left = 0u32 $(+ ($high - $low))+;
        $(
            let left = left - ($high - $low);
            let mask = $crate::record::mask($high - $low);
            let group = group & !(mask << $low) | (value >> left & mask) << $low;
        )+
        let _ = left;
        $crate::record::put::<$start, { $end - $start }, $size>(
            &mut $bytes,
            <$order as $crate::record::ByteOrder>::bytes(group),
        )
    }};
    (@kind) => { $crate::dump::RegionKind::Known };
    (@kind unknown) => { $crate::dump::RegionKind::Unknown };
    (@kind slack) => { $crate::dump::RegionKind::Slack };
    (@kind $kind:ident $known:expr) => {
        if $known { $crate::dump::RegionKind::Known } else { $crate::record!(@kind $kind) }
    };
    ($(#[$meta:meta])* $visibility:vis struct $name:ident: $order:ident, $size:literal { $($body:tt)* }) => {
        $crate::record! {
            $(#[$meta])* $visibility struct $name: $order, $size, parse, to_bytes { $($body)* }
        }
    };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident: $order:ident, $size:literal, $parse:ident, $to_bytes:ident {$(
            $(#[$field_meta:meta])*
            $start:literal..$end:literal $([$($low:literal..$high:literal),+])? $field:ident: $type:ty
                = $text:literal $(($($argument:expr),+))? $($kind:ident $(unless $known:expr)?)?,
        )*}
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $visibility $field: $type,)*
        }

        const _: () = assert!($crate::record::is_complete(&[$(($start, $end)),*], $size));

        impl $name {
            /// The size in bytes.
            $visibility const SIZE: usize = $size;

            /// Parses the bytes, all of which are valid.
            #[inline(always)]
            $visibility fn $parse(bytes: &[u8; $size]) -> $name {
                $name {
                    $($field: $crate::record!(
                        @read $order $size bytes $start $end [$($($low $high)+)?] $type
                    ),)*
                }
            }

            /// Returns the bytes. Of a number that is too large for its field, the lowest bits
            /// are written.
            #[inline]
            #[allow(clippy::wrong_self_convention, reason = "large records are not Copy")]
            $visibility fn $to_bytes(&self) -> [u8; $size] {
                let mut bytes = [0; $size];
                $($crate::record!(
                    @write $order $size bytes $start $end [$($($low $high)+)?] $type, self.$field
                );)*
                bytes
            }
        }

        impl $crate::record::Record for $name {
            const SIZE: usize = $name::SIZE;

            #[inline(always)]
            fn from_slice(bytes: &[u8]) -> $name {
                match bytes.first_chunk() {
                    Some(bytes) => $name::$parse(bytes),
                    None => {
                        let mut padded = [0; $size];
                        for (to, from) in padded.iter_mut().zip(bytes) {
                            *to = *from;
                        }
                        $name::$parse(&padded)
                    }
                }
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.$to_bytes());
            }

            #[allow(unused_variables)]
            fn explain(&self, title: &str, fields: &mut $crate::dump::Fields<'_>) {
                let $name { $($field),* } = self;
                let mut explanation = $crate::record::Explanation::new(title, fields);
                $(explanation.add(
                    ($start, $end),
                    $crate::record!(@kind $($kind $($known)?)?),
                    format_args!($text $(, $($argument),+)?),
                );)*
                explanation.finish();
            }
        }

        impl $crate::record::FieldValue<$size> for $name {
            #[inline(always)]
            fn from_field<O: $crate::record::ByteOrder>(bytes: [u8; $size]) -> $name {
                $name::$parse(&bytes)
            }

            #[inline(always)]
            fn to_field<O: $crate::record::ByteOrder>(&self) -> [u8; $size] {
                self.$to_bytes()
            }
        }
    };
}
