import { afterAll } from 'vitest';
import { endFile } from './after-file.js';

// a vitest set-up file: runs for every test file, so that its hook belongs to that file
afterAll(endFile);
