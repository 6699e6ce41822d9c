//! Processor time, which other programs on the same cores do not lengthen much.

/// The processor time of this thread, s.
#[cfg(unix)]
pub fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is one for a time. The call fails for unknown clocks alone, and POSIX has
    // this one.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Time since the first call, s.
#[cfg(not(unix))]
pub fn now() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_goes_on_while_work_is_done() {
        let start = super::now();
        let mut sum = 0.0_f64;
        for number in 0..10_000_000 {
            sum += std::hint::black_box(f64::from(number));
        }
        assert!(sum > 0.0 && super::now() > start);
    }
}
