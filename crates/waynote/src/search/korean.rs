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

/// The particles, between blanks, by what they follow.
const PARTICLES: [(After, &str); 4] = [
    (
        Any,
        "에서부터 에서는 에서 에게 에는 에도 한테 께서 까지 부터 보다 처럼 마다 조차 밖에 하고 의 에 도 만",
    ),
    (
        Consonant,
        "으로부터 이라도 으로는 이라는 으로 이나 이랑 은 이 을 과",
    ),
    (Vowel, "라도 라는 는 가 를 와"),
    (VowelOrL, "로부터 로"),
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
    while let Some(shorter) = without_particle(noun) {
        noun = shorter;
    }
    (noun != word).then_some(noun)
}

/// A word without its longest particle.
fn without_particle(word: &str) -> Option<&str> {
    let each = PARTICLES.iter().flat_map(|(after, particles)| {
        let particles = particles.split(' ');
        particles.filter_map(|particle| {
            let noun = word.strip_suffix(particle)?;
            fits(noun.chars().next_back()?, *after).then_some(noun)
        })
    });
    each.min_by_key(|noun| noun.len())
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
