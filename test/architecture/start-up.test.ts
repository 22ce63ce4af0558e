import { beforeAll, expect, it } from 'vitest';
import { loadedBy } from '../support/loaded.js';
import { temporaryHome } from '../support/pit.js';
import { serveSandboxProgram } from '../support/program.js';

interface Start {
  readonly line: string;
  readonly exitCode?: number;
  /** The files of the program. */
  readonly files: readonly string[];
  /** The most that these files may hold, in thousands of bytes. */
  readonly kilobytes: number;
  /** Node's own modules that may be loaded, those of any supported Node. */
  readonly modules: readonly string[];
  /** How many of Node's own modules may be loaded, internal ones included. Node 26 has ten more of those than Node 20. */
  readonly moduleCount: number;
}

const STREAMS = ['diagnostics_channel', 'process', 'stream', 'stream/promises', 'string_decoder', 'vm'];
const REQUESTS = [...STREAMS, 'net', 'http'];
const SIGNED_REQUESTS = [...REQUESTS, 'crypto', 'os'];

/**
 * What a command loads when it starts, which is most of what a start costs. Before you add to a row, look whether the module
 * is needed by every run of the command: what is not can be imported when it is.
 */
const STARTS: readonly Start[] = [
  { line: '--version', files: [], kilobytes: 8, modules: [], moduleCount: 0 },
  { line: '--help', files: ['help.txt'], kilobytes: 100, modules: [], moduleCount: 0 },
  {
    line: 'depht',
    exitCode: 2,
    files: ['unknown-command.cjs'],
    kilobytes: 25,
    modules: [],
    moduleCount: 0,
  },
  {
    line: 'profile list',
    files: ['main.cjs', 'profiles.cjs', 'table.cjs'],
    kilobytes: 215,
    modules: ['process', 'vm'],
    moduleCount: 5,
  },
  {
    line: 'profile list --json',
    files: ['main.cjs', 'profiles.cjs'],
    kilobytes: 175,
    modules: ['process', 'vm'],
    moduleCount: 5,
  },
  {
    line: 'depth btc_usdt --json',
    files: ['exchange.cjs', 'got.cjs', 'main.cjs'],
    kilobytes: 322,
    modules: REQUESTS,
    moduleCount: 50,
  },
  {
    line: 'order buy btc_usdt 0.01 --at 20000 --override price-band --yes',
    files: ['exchange.cjs', 'got.cjs', 'main.cjs', 'order.cjs', 'signed.cjs', 'table.cjs'],
    kilobytes: 500,
    modules: SIGNED_REQUESTS,
    moduleCount: 70,
  },
];

const home = temporaryHome();
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  ({ environment } = await serveSandboxProgram(temporaryHome()));
  // reads the list of markets, which later commands find
  await loadedBy(['markets'], home, environment);
});

it.each(STARTS)('$line loads nothing that it does not need', async (start) => {
  const { line, exitCode = 0, files, kilobytes, modules, moduleCount } = start;
  const loaded = await loadedBy(line.split(' '), home, environment);
  expect(loaded.code).toBe(exitCode);
  expect(loaded.files).toEqual([...files, 'bin.cjs', 'pit.js'].sort());
  expect(loaded.bytes).toBeLessThanOrEqual(kilobytes * 1_000);
  expect(loaded.modules.filter((name) => !modules.includes(name))).toEqual([]);
  expect(loaded.moduleCount).toBeLessThanOrEqual(moduleCount);
});
