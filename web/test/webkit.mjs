// The tests of cases/elsewhere.mjs in WebKit: `node test/webkit.mjs FOLDER [NAME]`.

import { rmSync } from 'node:fs';
import { elsewhere } from './cases/elsewhere.mjs';
import { work } from './common.mjs';
import { startWebKit } from './drivers.mjs';

const failed = await elsewhere(startWebKit);
rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
