//! Bytes as text, in the usual alphabet with padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three bytes are four letters.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn known_texts_come_out() {
        let text = |plain: &str| base64(plain.as_bytes());
        assert_eq!([text(""), text("f"), text("fo"), text("foo")], ["", "Zg==", "Zm8=", "Zm9v"]);
        assert_eq!(text("foobar"), "Zm9vYmFy");
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }
}
