//! Nations (docs/formats/cbh.md, section 12).

/// The codes of the nations, from 1.
#[rustfmt::skip]
static CODES: [&str; 253] = [
    "AFG", "ALB", "ALG", "AND", "ANG", "ANT", "ARG", "ARM", "AUS", "AUT", "AZE", "BAH", "BRN", "BAN",
    "BAR", "BLR", "BEL", "BIZ", "BER", "BOL", "BIH", "BOT", "BRA", "IVB", "BRU", "BUL", "BUR", "CAN",
    "CHI", "CHN", "COL", "CRC", "CRO", "CUB", "CYP", "CZE", "DEN", "DJI", "DOM", "ECU", "EGY", "ENG",
    "ESP", "EST", "ETH", "FRO", "FIJ", "FIN", "FRA", "MKD", "GAM", "GEO", "GER", "GHA", "GRE", "GUA",
    "GCI", "GUY", "HAI", "HON", "HKG", "HUN", "ISL", "IND", "INA", "IRI", "IRQ", "ISR", "IRL", "ITA",
    "CIV", "JAM", "JPN", "GCI", "JOR", "KAZ", "KEN", "KOR", "KGZ", "KUW", "LAT", "LIB", "LBA", "LIE",
    "LTU", "LUX", "MAC", "MAD", "MAS", "MLI", "MLT", "MTN", "MRI", "MEX", "MDA", "MON", "MGL", "MAR",
    "MOZ", "MYA", "NAM", "NEP", "NED", "AHO", "NZL", "NCA", "NGR", "NOR", "PAK", "PLE", "PAN", "PNG",
    "PAR", "PER", "PHI", "POL", "POR", "PUR", "QAT", "ROU", "RUS", "ESA", "SMR", "SCO", "SEN", "SEY",
    "SIN", "SVK", "SLO", "RSA", "SRI", "SUD", "SUR", "SWE", "SUI", "SYR", "TJK", "TAN", "THA", "TTO",
    "TUN", "TUR", "TKM", "UGA", "UKR", "UAE", "USA", "URU", "URS", "UZB", "VEN", "VIE", "ISV", "WLS",
    "YEM", "SCG", "ZAM", "ZIM", "ZAI", "DDR", "TCH", "CMR", "CHA", "CPV", "KIR", "COM", "CGO", "PRK",
    "LAO", "LES", "MAW", "MDV", "MHL", "OMA", "NRU", "MIC", "NIG", "KSA", "TOG", "TGA", "VAN", "VAT",
    "TUV", "SWZ", "SLE", "LCA", "PAP", "SVI", "SAM", "SKI", "SOL", "GE2", "ZAR", "RWA", "LBR", "NET",
    "TPE", "ASA", "AGG", "ARU", "BEN", "BHU", "BDI", "CAM", "CAY", "CAF", "GCI", "CIA", "COA", "COK",
    "GEQ", "ERI", "FGB", "FRG", "FRP", "GAB", "GGB", "GRN", "GRL", "FGA", "GUM", "GUI", "GBS", "IOM",
    "JMY", "MFR", "MYF", "MSG", "NCF", "NNN", "NNA", "NMI", "OTM", "PLW", "PIG", "RUF", "STP", "SOM",
    "SVN", "HGB", "PGB", "TKI", "TCI", "WFR", "NIR", "ISS", "GBR", "SAA", "MNE", "SRB", "CAT", "BAS",
    "KOS",
];

/// Returns the code of a nation. `None` for 0 and unknown numbers.
pub(crate) fn code(nation: u8) -> Option<&'static str> {
    CODES.get(usize::from(nation).checked_sub(1)?).copied()
}

/// Returns the first number with this code.
pub(crate) fn number(code: &str) -> Option<u8> {
    let index = CODES.iter().position(|other| *other == code)?;
    u8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_agrees() {
        let samples = [
            (42, "ENG"),
            (53, "GER"),
            (121, "RUS"),
            (197, "TPE"),
            (250, "SRB"),
        ];
        for (nation, expected) in samples {
            assert_eq!(code(nation), Some(expected));
        }
        assert_eq!((code(0), code(254)), (None, None));
    }
}
