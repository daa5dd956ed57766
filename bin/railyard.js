#!/usr/bin/env node
// A committed shim: npm links it before the build has made `dist`.
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'cli', 'main.js');
if (existsSync(main)) {
  require(main).main(process.argv);
} else {
  process.stderr.write(
    'error: Railyard has not been built yet.\nRun `npm ci` or `npm run build`, then try again.\n',
  );
  process.exitCode = 5;
}
