//! Smaller pictures, where there is little room.

use resvg::tiny_skia::Pixmap;

use crate::Error;

/// A PNG of half the width and the height of another; each pixel is the mean of four.
///
/// # Errors
/// `analysis/figure-not-rasterised` for what is no PNG of two pixels or more in each direction.
pub fn half_size(png: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| {
        let message = format!("a picture cannot be made smaller: {reason}");
        Error::new("analysis/figure-not-rasterised", message)
    };
    let whole = Pixmap::decode_png(png).map_err(|error| failed(error.to_string()))?;
    let (width, height) = (whole.width() / 2, whole.height() / 2);
    let mut half = Pixmap::new(width, height).ok_or_else(|| failed("it is too small".into()))?;
    let row = 4 * whole.width() as usize;
    let of = 4 * width as usize;
    for (place, value) in half.data_mut().iter_mut().enumerate() {
        let (y, x) = (2 * (place / of), place % of);
        let first = y * row + 8 * (x / 4) + x % 4;
        let four = [first, first + 4, first + row, first + row + 4];
        let sum: u32 = four.iter().map(|at| u32::from(whole.data()[*at])).sum();
        *value = ((sum + 2) / 4) as u8;
    }
    half.encode_png().map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pixel_is_the_mean_of_four() {
        let mut whole = Pixmap::new(5, 2).unwrap();
        for (place, pixel) in whole.data_mut().chunks_exact_mut(4).enumerate() {
            pixel.copy_from_slice(&[10 * place as u8, 100, 0, 255]);
        }
        let half = half_size(&whole.encode_png().unwrap()).unwrap();
        let half = Pixmap::decode_png(&half).unwrap();
        assert_eq!((half.width(), half.height()), (2, 1));
        // Pixels 0, 1, 5, 6 and 2, 3, 7, 8 of the two rows of five.
        assert_eq!(half.data(), [30, 100, 0, 255, 50, 100, 0, 255]);
        assert!(half_size(b"no picture").is_err());
    }
}
