//! Korean nouns without their particles: `배포` of `배포는`, `서버` of `서버에서는`.
//!
//! Most particles have two forms: one after a syllable that ends with a consonant, one after a vowel. A syllable that
//! does not fit is a part of the noun: the `가` of `평가` is none.

/// What the syllable before a particle ends with.
#[derive(Clone, Copy)]
enum After {
    Any,
    Consonant,
    Vowel,
    /// A vowel, or ㄹ.
    VowelOrL,
}

use After::{Any, Consonant, Vowel, VowelOrL};

/// The longest first.
const PARTICLES: &[(&str, After)] = &[
    ("으로부터", Consonant),
    ("에서부터", Any),
    ("이라도", Consonant),
    ("에서는", Any),
    ("으로는", Consonant),
    ("로부터", VowelOrL),
    ("이라는", Consonant),
    ("에서", Any),
    ("에게", Any),
    ("에는", Any),
    ("에도", Any),
    ("한테", Any),
    ("께서", Any),
    ("으로", Consonant),
    ("까지", Any),
    ("부터", Any),
    ("보다", Any),
    ("처럼", Any),
    ("마다", Any),
    ("조차", Any),
    ("밖에", Any),
    ("하고", Any),
    ("이나", Consonant),
    ("이랑", Consonant),
    ("라도", Vowel),
    ("라는", Vowel),
    ("은", Consonant),
    ("는", Vowel),
    ("이", Consonant),
    ("가", Vowel),
    ("을", Consonant),
    ("를", Vowel),
    ("과", Consonant),
    ("와", Vowel),
    ("로", VowelOrL),
    ("의", Any),
    ("에", Any),
    ("도", Any),
    ("만", Any),
];

/// True for a whole syllable of Hangul.
fn is_syllable(char: char) -> bool {
    matches!(char, '가'..='힣')
}

/// True if all of a word is Hangul.
pub(super) fn is_korean(word: &str) -> bool {
    word.starts_with(is_syllable) && word.chars().all(is_syllable)
}

/// A Korean word without its particles; none if it has none. At least one syllable stays.
pub(super) fn without_particles(word: &str) -> Option<&str> {
    if !is_korean(word) {
        return None;
    }
    let mut noun = word;
    while let Some(shorter) = PARTICLES.iter().find_map(|(particle, after)| {
        let noun = noun.strip_suffix(particle)?;
        fits(noun.chars().next_back()?, *after).then_some(noun)
    }) {
        noun = shorter;
    }
    (noun != word).then_some(noun)
}

/// True if a particle of that kind can follow a syllable.
fn fits(syllable: char, after: After) -> bool {
    /// The forms of a syllable by its last consonant; 0: it ends with a vowel.
    const ENDS: u32 = 28;
    const L: u32 = 8;
    let end = (syllable as u32).wrapping_sub('가' as u32) % ENDS;
    match after {
        Any => true,
        Consonant => end != 0,
        Vowel => end == 0,
        VowelOrL => end == 0 || end == L,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_is_left_of_each_of_its_forms() {
        for form in [
            "배포는",
            "배포가",
            "배포를",
            "배포의",
            "배포에서",
            "배포에서는",
            "배포로",
            "배포와",
            "배포도",
            "배포까지",
        ] {
            assert_eq!(without_particles(form), Some("배포"), "{form}");
        }
        for form in ["값은", "값이", "값을", "값과", "값으로", "값만"] {
            assert_eq!(without_particles(form), Some("값"), "{form}");
        }
        // The last syllable is the noun's own.
        for noun in [
            "배포", "평가", "국가", "경로", "차이", "서버", "은", "deploy",
        ] {
            assert_eq!(without_particles(noun), None, "{noun}");
        }
        // Where both are possible, all forms come to one.
        assert_eq!(without_particles("속도"), without_particles("속도를"));
    }
}
