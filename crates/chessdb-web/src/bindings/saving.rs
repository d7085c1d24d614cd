//! Saving games, with a JavaScript function that receives the pieces of the files.

use js_sys::{Function, JsString, Uint8Array};
use wasm_bindgen::prelude::*;

use super::Engine;
use crate::Receiver;

#[wasm_bindgen]
impl Engine {
    /// Saves games ([`crate::Session::save`]). `to` is called with the name of a method of
    /// [`Receiver`] and its arguments.
    pub fn save(&mut self, request: &str, to: Function) -> String {
        self.0.save(request, &mut Caller(to))
    }
}

struct Caller(Function);

impl Caller {
    fn say(&self, word: &str, first: JsValue, second: JsValue, third: JsValue) {
        // The worker has already reported its exceptions.
        let word = JsString::from(word);
        let _ = self.0.call4(&JsValue::NULL, &word, &first, &second, &third);
    }
}

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
