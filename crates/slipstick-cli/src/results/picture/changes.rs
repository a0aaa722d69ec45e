//! What differs between two frames.

use super::pixels::Pixels;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Rectangle {
    /// All of a picture.
    pub(crate) fn whole(picture: &Pixels) -> Self {
        Self { left: 0, top: 0, width: picture.width, height: picture.height }
    }

    /// The smallest that holds all differences of two pictures of one size; one pixel if there are none.
    pub(crate) fn of_changes(before: &Pixels, after: &Pixels) -> Self {
        let row = 3 * after.width as usize;
        let rows = || before.rgb.chunks_exact(row).zip(after.rgb.chunks_exact(row));
        let differs = |(a, b): (&[u8], &[u8])| a != b;
        let one = Self { left: 0, top: 0, width: 1, height: 1 };
        let (Some(top), Some(below)) = (rows().position(differs), rows().rev().position(differs)) else {
            return one;
        };
        let bottom = rows().count() - below;
        let (mut left, mut right) = (after.width as usize, 0);
        for (a, b) in rows().take(bottom).skip(top).filter(|pair| differs(*pair)) {
            let pixels = || a.chunks_exact(3).zip(b.chunks_exact(3));
            left = pixels().position(differs).map_or(left, |x| x.min(left));
            right = pixels().rposition(differs).map_or(right, |x| (x + 1).max(right));
        }
        let side = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        Self { left: side(left), top: side(top), width: side(right - left), height: side(bottom - top) }
    }

    /// The bytes of a picture that it holds.
    pub(crate) fn cut(&self, picture: &Pixels) -> Vec<u8> {
        let row = 3 * picture.width as usize;
        let (from, length) = (3 * self.left as usize, 3 * self.width as usize);
        let rows = picture.rgb.chunks_exact(row).skip(self.top as usize).take(self.height as usize);
        rows.flat_map(|row| &row[from..from + length]).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_holds_just_the_changes() {
        let before = Pixels { width: 4, height: 3, rgb: vec![7; 36] };
        let mut after = before.clone();
        after.rgb[3 * 5] = 1;
        after.rgb[3 * 10 + 2] = 1;
        let changes = Rectangle::of_changes(&before, &after);
        assert_eq!(changes, Rectangle { left: 1, top: 1, width: 2, height: 2 });
        assert_eq!(changes.cut(&after), [1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1]);
        assert_eq!(Rectangle::of_changes(&before, &before).width, 1);
        assert_eq!(Rectangle::whole(&before).cut(&before), before.rgb);
    }
}
