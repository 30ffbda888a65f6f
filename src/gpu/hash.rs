//! A hash of bytes that is the same on every machine and in every version.

/// FNV-1a, 64 bits: for comparing the contents of buffers between runs, not against malice.
///
/// Source: Fowler, Noll, Vo; <http://www.isthe.com/chongo/tech/comp/fnv/>.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The hash of some plain data in its written form: 16 hexadecimal digits.
#[must_use]
pub fn hash_text<T: bytemuck::NoUninit>(data: &[T]) -> String {
    format!("{:016x}", fnv1a(bytemuck::cast_slice(data)))
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    /// The authors' published test vectors.
    #[test]
    fn equals_the_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
