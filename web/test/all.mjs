// Tests of the page in a browser: `node test/all.mjs FOLDER [NAME]`. FOLDER is the output of
// `cargo xtask web`; the variable CHESSDB names the program to compare the page with.

import { rmSync } from 'node:fs';
import { start } from './browser.mjs';
import { runAll } from './check.mjs';
import { only, work } from './common.mjs';
import './cases/formats.mjs';
import './cases/opening.mjs';
import './cases/games.mjs';
import './cases/losses.mjs';
import './cases/safety.mjs';
import './cases/layout.mjs';
import './cases/search.mjs';
import './cases/columns.mjs';
import './cases/served.mjs';
import './cases/manners.mjs';
import './cases/analysis.mjs';
import './cases/tasks.mjs';
import './cases/bases.mjs';
import './cases/edit.mjs';
import './cases/truth.mjs';
import './cases/study.mjs';
import './cases/screens.mjs';
import './cases/written.mjs';
import './cases/openings.mjs';

const failed = await runAll(only, () => start({ viewport: { width: 1280, height: 800 } }));
rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
