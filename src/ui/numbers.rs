//! How numbers are written and read in fields.

/// Writes a number with about four significant digits and no trailing zeros.
#[must_use]
pub fn format(value: f64) -> String {
    let decimals = if value == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).clamp(0, 6) };
    let text = format!("{value:.*}", decimals as usize);
    if !text.contains('.') {
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Reads what a person types: with a decimal point or comma, with or without the unit. What is no finite number
/// changes nothing.
#[must_use]
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".").replace('\u{2212}', "-");
    // The exponent's letter is the only one a number holds; a unit behind it may begin with another.
    let end = (0..=text.len())
        .rev()
        .filter(|&end| text.is_char_boundary(end))
        .find(|&end| text[..end].trim_end().parse::<f64>().is_ok())?;
    text[..end].trim_end().parse().ok().filter(|value: &f64| value.is_finite())
}

/// A unit as it is shown behind a number.
#[must_use]
pub fn unit_suffix(unit: &str) -> String {
    match unit {
        "" => String::new(),
        "deg" => "°".into(),
        unit => format!(" {}", unit.replace("s2", "s²")),
    }
}

/// A whole number with its thousands apart.
#[must_use]
pub fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back() {
        for (value, text) in [
            (0.0, "0"),
            (0.0135, "0.0135"),
            (0.00995, "0.00995"),
            (22.0, "22"),
            (-0.000_000_1, "0"),
            (123_456.7, "123457"),
            (2.5, "2.5"),
            (-35.25, "-35.25"),
        ] {
            assert_eq!(format(value), text);
            assert!((parse(text).expect("a number") - value).abs() <= 5e-4 * value.abs().max(1e-3));
        }
    }

    #[test]
    fn what_is_no_finite_number_is_refused() {
        for text in ["nan", "NaN", "inf", "-inf", "", " ", "abc", "1e999", ",", "."] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn commas_units_and_exponents_are_read() {
        for (text, value) in
            [("1,5", 1.5), ("0.02 H", 0.02), ("90°", 90.0), ("1e30", 1e30), ("-5", -5.0), ("3 H/s²", 3.0)]
        {
            assert_eq!(parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_048_576), "1\u{2009}048\u{2009}576");
    }
}
