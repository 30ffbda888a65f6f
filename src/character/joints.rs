//! Joints as people call them: by name, or by their number among the file's nodes.

/// How many names a hint lists.
const HINTS: usize = 4;
/// Letters of a name that are compared for a hint; those of a file may be of any length.
const COMPARED: usize = 32;

/// The index of the first name that is `wanted`; else the index that `wanted` writes, if there is such a name.
#[must_use]
pub fn find<'a>(names: impl ExactSizeIterator<Item = &'a str>, wanted: &str) -> Option<usize> {
    let count = names.len();
    let by_number = || wanted.parse().ok().filter(|&index: &usize| index < count);
    names.into_iter().position(|name| name == wanted).or_else(by_number)
}

/// The sentence that a joint is missing, with the names most like it; `param` asked for it.
#[must_use]
pub fn missing<'a>(names: impl Iterator<Item = &'a str>, wanted: &str, param: &str) -> String {
    let mut near: Vec<(usize, &str)> =
        names.filter(|name| !name.is_empty()).map(|name| (edits(name, wanted), name)).collect();
    near.sort_unstable();
    near.dedup();
    let near: Vec<&str> = near.into_iter().take(HINTS).map(|(_, name)| name).collect();
    if near.is_empty() {
        return format!("{param}: there is no joint {wanted}, and none has a name");
    }
    format!("{param}: there is no joint {wanted}; the nearest names are {}", near.join(", "))
}

/// Letters to insert, leave out or replace to make one name of the other, whatever their case (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.chars().take(COMPARED).flat_map(char::to_lowercase).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["Hips", "LeftHand", "RightHand", "3", ""];

    #[test]
    fn a_name_comes_before_a_number() {
        let find = |wanted| find(NAMES.into_iter(), wanted);
        assert_eq!(find("RightHand"), Some(2));
        assert_eq!(find("1"), Some(1));
        assert_eq!(find("4"), Some(4));
        assert_eq!(find("5"), None);
        assert_eq!(find("righthand"), None);
        let named = super::find(["x", "y", "0"].into_iter(), "0");
        assert_eq!(named, Some(2), "a name that is a number is a name");
    }

    #[test]
    fn what_is_missing_is_said_with_what_is_like_it() {
        let sentence = missing(NAMES.into_iter(), "lefthnd", "growth.roots_at");
        assert!(sentence.contains("names are LeftHand, RightHand"), "{sentence}");
        assert!(missing([""].into_iter(), "a", "p").contains("none has a name"));
        assert_eq!(edits("kitten", "Sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
