//! Functions of the WebAssembly module. The page writes a request to the address that
//! `visakit_request` returns, calls `visakit_call`, and reads the answer from the address that
//! `visakit_answer` returns. No function receives an address.

use std::sync::{Mutex, MutexGuard, PoisonError};

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<String> = Mutex::new(String::new());

/// Allocates a request of `size` bytes and returns its address.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn visakit_request(size: usize) -> *mut u8 {
    let mut request = locked(&REQUEST);
    request.clear();
    request.resize(size, 0);
    request.as_mut_ptr()
}

/// Executes the request and returns the number of bytes of the answer.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn visakit_call() -> usize {
    let request = std::mem::take(&mut *locked(&REQUEST));
    let mut answer = locked(&ANSWER);
    *answer = crate::answer(&request);
    answer.len()
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn visakit_answer() -> *const u8 {
    locked(&ANSWER).as_ptr()
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
