import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { bundleProgram } from '../support/bundled-program.js';

/** A program that the tests run in its own process, with its task in its arguments. */
const SOURCE = `
import { Profiles } from './src/config/profiles.js';
import { KeyStore } from './src/config/keys.js';
import { Cache } from './src/config/cache.js';
import { ConfigStore } from './src/config/store.js';
import { systemHost } from './src/platform/host.js';
const [task, folder, umask, who, count] = process.argv.slice(2);
if (umask !== undefined) process.umask(Number.parseInt(umask, 8));
const profiles = new Profiles(folder), keys = new KeyStore(folder, () => {});
const hosts = { baseUrl: 'https://api.example.com', tradeUrl: 'https://trade.example.com', wsUrl: null };
const pair = { accessKey: 'access-' + who, secretKey: 'secret-' + who };
const tasks = {
  async everything() {
    await profiles.add({ name: 'main', ...hosts });
    await profiles.use('main');
    await keys.set('main', pair, 'file');
    await new Cache(folder + '/../cache', Date.now).write('a', 'b');
  },
  async many() {
    for (let i = 0; i < Number(count); i++) {
      const name = who + '-' + i;
      await profiles.add({ name, ...hosts });
      await keys.set(name, pair, 'file');
      await new ConfigStore(folder).change((w) => w.write('shared.json', { ...w.read('shared.json'), [name]: i }));
      process.stdout.write(name + '\\n');
    }
  },
  async interrupt() {
    const work = async (signal) => {
      process.stdout.write('told of ' + signal);
      await new Promise((resolve) => setTimeout(resolve, count === 'twice' ? 60_000 : 50));
      process.stdout.write(', done');
    };
    systemHost().onInterrupt(work, () => process.stdout.write(', cut short'));
    await profiles.add({ name: 'main', ...hosts });
    process.kill(process.pid, who);
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (count === 'twice') process.kill(process.pid, who);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
};
await tasks[task]();
`;

/** Bundles the program before the tests of a file and gives a function that starts it. */
export function program(): (...words: string[]) => ChildProcess {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pit-config-program-'));
  const outfile = path.join(folder, 'program.mjs');
  beforeAll(async () => {
    await bundleProgram(path.resolve('program.js'), outfile, SOURCE);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  return (...words) => spawn(process.execPath, [outfile, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What a process printed by the time it ended, with its exit code (null: killed). */
export async function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, output };
}
