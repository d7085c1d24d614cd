//! The JavaScript interface for the worker, which passes only strings and bytes.

#[cfg(feature = "page")]
use js_sys::{Function, JsString, Uint8Array};
use wasm_bindgen::prelude::*;

#[cfg(not(feature = "page"))]
use crate::ReadingSession as Session;
#[cfg(feature = "page")]
use crate::{Receiver, Session};

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

    /// Saves games ([`Session::save`]). `to` is called with the name of a method of [`Receiver`]
    /// and its arguments.
    #[cfg(feature = "page")]
    pub fn save(&mut self, request: &str, to: Function) -> String {
        self.0.save(request, &mut Caller(to))
    }
}

#[cfg(feature = "page")]
struct Caller(Function);

#[cfg(feature = "page")]
impl Caller {
    fn say(&self, word: &str, first: JsValue, second: JsValue, third: JsValue) {
        // The worker has already reported its exceptions.
        let word = JsString::from(word);
        let _ = self.0.call4(&JsValue::NULL, &word, &first, &second, &third);
    }
}

#[cfg(feature = "page")]
impl Receiver for Caller {
    fn create(&mut self, suffix: &str) {
        self.say("create", suffix.into(), JsValue::NULL, JsValue::NULL);
    }

    fn write(&mut self, file: u32, bytes: &[u8]) {
        let bytes = Uint8Array::from(bytes);
        self.say("write", file.into(), bytes.into(), JsValue::NULL);
    }

    fn patch(&mut self, file: u32, offset: u64, bytes: &[u8]) {
        let offset = JsValue::from(offset as f64);
        self.say("patch", file.into(), offset, Uint8Array::from(bytes).into());
    }

    fn progress(&mut self, games: u64, lost: u64) -> bool {
        let (games, lost) = (JsValue::from(games as f64), JsValue::from(lost as f64));
        self.say("progress", games, lost, JsValue::NULL);
        // The worker cannot receive messages meanwhile; to cancel, the page terminates it.
        true
    }
}
