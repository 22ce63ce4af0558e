import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtHelp, helpFile, helpTopic } from '../../src/cli/help-text.js';
import { helpTemplates } from '../../src/cli/run.js';
import { commands, PROGRAM } from '../../src/commands/index.js';
import { groups } from '../../src/commands/names.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const home = temporaryHome();
const terminal = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
const WORDS = ['', ...Object.keys(commands), ...Object.keys(groups), 'help'];
let file: string;

beforeAll(async () => {
  file = helpFile(await helpTemplates(PROGRAM));
});

afterEach(() => void Object.assign(process.stdout, terminal));

describe('help made by the build', () => {
  it.each([1, 20, 35, 60, 80, 113, 200])('matches the output of commander at %i columns', async (columns) => {
    Object.assign(process.stdout, { isTTY: true, columns });
    for (const words of WORDS) {
      const { stdout } = await runPit([...words.split(' ').filter((word) => word !== ''), '--help'], { home });
      expect(builtHelp(file, words, columns)).toBe(stdout);
    }
  });

  it('covers every command and every group', () => {
    expect(WORDS.filter((words) => builtHelp(file, words, 80) === undefined)).toEqual([]);
    expect(builtHelp(file, 'order nope', 80)).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['', ''],
    ['--help', ''],
    ['help', ''],
    ['order show -h', 'order show'],
    ['help order show', 'order show'],
    ['help help', 'help'],
    ['order', undefined],
    ['order --id --help', undefined],
    ['--json', undefined],
    ['help --json', undefined],
  ])('"pit %s" asks for that of %j', (line, words) => {
    expect(helpTopic(line.split(' ').filter((word) => word !== ''))).toBe(words);
  });
});

describe('the built program', () => {
  const colours = { CLICOLOR_FORCE: '1' };
  const keys = { PIT_SECRET_KEY: 'nosuchcommand' };

  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['--help', {}],
    ['order show --help', colours],
    ['help sandbox clock', {}],
    ['help nope', {}],
    ['help exit-codes', {}],
    ['nope', {}],
    ['dept btc_usdt', {}],
    ['dept btc_usdt', colours],
    ['dept btc_usdt', { TERM: 'dumb' }],
    ['nosuchcommand', keys],
    ['--json nope', {}],
    ['nope --no-color', colours],
    ['buy btc_usdt 1 --at 2', {}],
    ['book btc_usdt', {}],
    ['profile', {}],
    ['profile ad', {}],
    ['--version', {}],
  ])('answers "pit %s" with %j as the whole program does', async (line, environment) => {
    const args = line.split(' ').filter((word) => word !== '');
    const options = { home, environment };
    expect(await runProgram(args, options)).toEqual(await runPit(args, options));
  });
});
