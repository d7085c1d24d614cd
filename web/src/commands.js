// Functions of modules at the top that the modules below call. They are registered here, so that no imports form a circle.

/** @import { StepHow, Tab, View } from './types.d.ts' */

/** @typedef {object} Commands
 * @property {(view: View) => void} show
 * @property {(text: string) => void} alarm
 * @property {(how?: StepHow) => void} fragment
 * @property {(encoding: string) => Promise<void>} again
 * @property {() => void} analyse
 * @property {() => boolean} hasOther
 * @property {() => void} other
 * @property {() => Promise<void>} recover
 * @property {(tab: Tab) => Promise<void>} turnTo
 * @property {() => Promise<void> | void} closeCurrent */

/** @type {Commands} */
let commands;

/** Called by app.js before anything else.
 * @param {Commands} given */
export const provide = given => { commands = given; };

/** Shows a view.
 * @param {View} view */
export const show = view => commands.show(view);
/** Shows a message above every view, until it is closed.
 * @param {string} text */
export const alarm = text => commands.alarm(text);
/** Writes what is shown into the address, as a step to which Back leads if it is one (travel.js).
 * @param {StepHow} [how] */
export const fragment = how => commands.fragment(how);
/** Reads the same files once more, in another encoding or after an accident.
 * @param {string} encoding */
export const again = encoding => commands.again(encoding);
/** Whether there is more to open than what is open. */
export const hasOther = () => commands.hasOther();
/** Starts the engine, or ends it. */
export const analyse = () => commands.analyse();
/** Offers another database. */
export const other = () => commands.other();
/** Reads the same files and searches the damaged ones for games. */
export const recover = () => commands.recover();
/** Shows another database that is open.
 * @param {Tab} tab */
export const turnTo = tab => commands.turnTo(tab);
/** Closes the database that is shown, and shows another one or the first screen. */
export const closeCurrent = () => commands.closeCurrent();
