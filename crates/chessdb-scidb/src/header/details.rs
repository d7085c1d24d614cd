//! Tags that Scidb stores as details of names: the kind of an event, the country of its site, and
//! kind, sex and country of a player (docs/formats/scidb.md, section 3.2).

use chessdb_core::model::Tag;
use chessdb_core::{Charset, Color, Game};

/// The values of a detail, by number; empty for 0, which is an unknown value.
type Values = &'static [&'static str];

const EVENT_TYPES: Values = &[
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];
const MODES: Values = &[
    "",
    "OTB",
    "PM",
    "EM",
    "ICS",
    "TC",
    "Analysis",
    "Composition",
];
const TIME_MODES: Values = &["", "normal", "rapid", "blitz", "bullet", "corr"];
const KINDS: Values = &["", "human", "program"];
const SEXES: Values = &["", "m", "f"];

/// The codes of countries from number 1, separated by spaces.
const COUNTRIES: &str = "\
    ALA AFG ALB ALG ASA AND ANG AIA ATA ANT ARG ARM ARU ANZ AUS AUT AZE AHO BAH BRN BAN BAR \
    BAS BLR BEL BIZ BEN BER BHU BOL BIH BOT BVT BRA IOT IVB BRU BUL BUR BDI CAM CMR CAN CPV \
    CAT CAY CAF CHA CHI CHN TPE CXR CCK COL COM CGO COK CRC CRO CUB CYP CZE TCH COD DEN DJI \
    DMA DOM ECU GDR EGY ESA ENG GEQ ERI EST ETH FLK FAI FIJ FIN FRA GUF PYF ATF GAB GAM GEO \
    GER GHA GBZ GBR GRE GRL GRN GLP GUM GUA GGY GUI GBS GUY HAI HMD HON HKG HUN ISL IND INA \
    IRI IRQ IRL IMN ISR ITA CIV JAM SJM JPN JEY JOR KAZ KEN KIR KOS KUW KGZ LAO LAT LIB LES \
    LBR LBA LIE LTU LUX MAC MKD MAD MAW MAS MDV MLI MLT MHL MTQ MTN MRI MYT MEX FSM MDA MNC \
    MGL MNE MSR MAR MOZ MYA NAM NRU NEP NED NCL NZL NCA NIG NGR NIU NFK PRK NIR MNP NOR OMN \
    PAK PLW PLE PAN PNG PAR PER PHI PCN POL POR PUR QAT REU ROU RUS RWA SHN SKN LCA VIN SPM \
    SAM SMR STP KSA SCO SEN SRB SCG SEY SLE SIN SVK SLO SOL SOM RSA SGS KOR URS ESP SRI SUD \
    SUR SWZ SWE SUI SYR TJK TAN THA TIB TLS TOG TKL TGA TRI TUN TUR TKM TCA TUV VUS UGA UKR \
    UAE UMI USA URU UZB VAN VAT VEN VIE WLS WLF FRG ESH YEM YUG ZAM EAZ ZIM AIR SPC SEA NET \
    ZZX";

/// A detail: some bits of a field.
pub(super) struct Detail {
    /// The name of the tag; of a player without the color.
    name: &'static str,
    shift: u32,
    bits: u32,
    /// `None` for a country.
    values: Option<Values>,
}

/// The details in the flags of an event.
pub(super) const OF_EVENT: &[Detail] = &[
    Detail::new("EventType", 0, 4, Some(EVENT_TYPES)),
    Detail::new("Mode", 4, 3, Some(MODES)),
    Detail::new("TimeMode", 7, 3, Some(TIME_MODES)),
];
/// The details of a site.
pub(super) const OF_SITE: &[Detail] = &[Detail::new("EventCountry", 0, 16, None)];
/// The details in the flags of a player.
pub(super) const OF_PLAYER: &[Detail] = &[
    Detail::new("Type", 0, 2, Some(KINDS)),
    Detail::new("Sex", 3, 2, Some(SEXES)),
];
/// The details in the second value of a player.
pub(super) const OF_TITLE: &[Detail] = &[Detail::new("Country", 0, 9, None)];

impl Detail {
    const fn new(name: &'static str, shift: u32, bits: u32, values: Option<Values>) -> Detail {
        Detail {
            name,
            shift,
            bits,
            values,
        }
    }

    /// Returns the text of a value; empty for one that has none.
    fn text(&self, value: u16) -> &'static str {
        let number = usize::from(value);
        match (self.values, number.checked_sub(1)) {
            (Some(values), _) => values.get(number).copied().unwrap_or_default(),
            // Each code takes three letters and a space.
            (None, Some(index)) => COUNTRIES.get(4 * index..4 * index + 3).unwrap_or_default(),
            (None, None) => "",
        }
    }

    /// Returns the value with this text.
    fn value(&self, text: &[u8]) -> Option<u16> {
        let number = match self.values {
            Some(values) => values.iter().position(|value| value.as_bytes() == text)?,
            None => {
                1 + COUNTRIES
                    .split(' ')
                    .position(|code| code.as_bytes() == text)?
            }
        };
        // Number 0 has the empty text, which states nothing.
        u16::try_from(number).ok().filter(|&number| number > 0)
    }

    fn mask(&self) -> u16 {
        (u32::MAX >> (32 - self.bits) << self.shift) as u16
    }
}

/// Adds a tag for each known detail in a field. Returns the bits of the others.
pub(super) fn read(
    details: &[Detail],
    mut field: u16,
    color: Option<Color>,
    game: &mut Game,
) -> u16 {
    // Most names have no details.
    if field == 0 {
        return 0;
    }
    for detail in details {
        let text = detail.text((field & detail.mask()) >> detail.shift);
        if text.is_empty() {
            continue;
        }
        // The remaining bits become an extra, so values without a text come back too.
        field &= !detail.mask();
        let name = [side(color), detail.name.as_bytes()].concat();
        let name = game.texts.push(&name, Charset::UTF_8);
        let value = game.texts.push(text.as_bytes(), Charset::UTF_8);
        game.header.tags.push(Tag::Other { name, value });
    }
    field
}

fn side(color: Option<Color>) -> &'static [u8] {
    color.map_or(b"", |color| color.pick(b"White", b"Black"))
}

/// Returns a field with the details that tags of the game have. `used` gets a bit for each tag that
/// the field has completely: those after the 64th tag are not looked at.
pub(super) fn write(
    details: &[Detail],
    mut field: u16,
    color: Option<Color>,
    game: &Game,
    used: &mut u64,
) -> u16 {
    let prefix = side(color);
    let mut is_seen = [false; 4];
    for (n, tag) in game.header.tags.iter().enumerate().take(64) {
        let Tag::Other { name, value } = *tag else {
            continue;
        };
        let Some(name) = game.text(name).as_bytes().strip_prefix(prefix) else {
            continue;
        };
        let mut places = details.iter().zip(&mut is_seen);
        let place = places.find(|(detail, _)| name == detail.name.as_bytes());
        // Only the first tag of a name: readers find the details before all other tags.
        let Some((detail, is_seen)) = place.filter(|(_, is_seen)| !**is_seen) else {
            continue;
        };
        *is_seen = true;
        let is_misread = color.is_some_and(|color| has_fide_number(game, color));
        let text = game.text(value);
        // QUIRK: Scidb fails at a program that has a FIDE number.
        if field & detail.mask() != 0 || text.as_bytes() == b"program" && is_misread {
            continue;
        }
        if let Some(value) = detail.value(text.as_bytes()) {
            field |= value << detail.shift;
            *used |= 1 << n;
        }
    }
    field
}

fn has_fide_number(game: &Game, color: Color) -> bool {
    game.header.player(color).fide_id.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_round_trips() {
        for (details, most) in [
            (OF_EVENT, 0x400),
            (OF_SITE, 300),
            (OF_PLAYER, 32),
            (OF_TITLE, 512),
        ] {
            for field in 0..most {
                let mut game = Game::new();
                let rest = read(details, field, Some(Color::Black), &mut game);
                let mut used = 0;
                let again = write(details, rest, Some(Color::Black), &game, &mut used);
                assert_eq!(
                    (again, used.count_ones()),
                    (field, game.header.tags.len() as u32)
                );
            }
        }
        let text = |n| OF_SITE[0].text(n);
        assert_eq!([1, 82, 245, 265].map(text), ["ALA", "FRA", "USA", "ZZX"]);
        assert_eq!([0, 266, 999].map(text), ["", "", ""]);
    }
}
