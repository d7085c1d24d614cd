//! The JavaScript interface for the worker, which passes only strings and bytes.

#[cfg(feature = "page")]
mod saving;

use wasm_bindgen::prelude::*;

#[cfg(not(feature = "page"))]
use crate::ReadingSession as Session;
#[cfg(feature = "page")]
use crate::Session;

/// A session in the worker.
#[wasm_bindgen]
pub struct Engine(Session);

#[wasm_bindgen]
impl Engine {
    /// Creates a session without files and database.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::new_without_default,
        reason = "JavaScript calls the constructor"
    )]
    pub fn new() -> Engine {
        Engine(Session::new())
    }

    /// Adds a file ([`Session::add_file`]).
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.add_file(name, bytes);
    }

    /// Answers a request ([`Session::call`]).
    pub fn call(&mut self, request: &str) -> String {
        self.0.call(request)
    }
}
