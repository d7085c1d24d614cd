// The tests of cases/elsewhere.mjs in Firefox: `node test/firefox.mjs FOLDER [NAME]`.

import { rmSync } from 'node:fs';
import { elsewhere } from './cases/elsewhere.mjs';
import { work } from './common.mjs';
import { startFirefox } from './drivers.mjs';

const failed = await elsewhere(startFirefox);
rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
