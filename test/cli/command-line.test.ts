import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/context.js';
import { optional, repeated, required, several, toggle } from '../../src/cli/definition.js';
import { exitCodeHelp } from '../../src/cli/exit-codes.js';
import { parseLine } from '../../src/cli/run.js';
import * as shape from '../../src/cli/shapes.js';
import type { Correction } from '../../src/cli/usage-error.js';
import { Failure, suggest, usage } from '../../src/errors.js';
import type { Screen } from '../../src/terminal/screen.js';
import { version } from '../../src/version.js';
import { DRAW, draw } from './made-up-program.js';

const word = (text: string) => text;

describe('the flags of all commands', () => {
  it('are before or after the command, and have defaults', async () => {
    expect((await draw('ticker')).context?.globals).toEqual({
      ...{ format: 'table', fields: undefined, yes: false, dryRun: false },
      ...{ timeoutMs: 30_000, isTimeoutGiven: false, color: true, verbose: false },
    });
    for (const line of [
      'ticker --json --yes --dry-run --timeout 1.5 --no-color --verbose --profile far',
      '--profile=far --timeout=1.5 --json ticker --yes --verbose --no-color --dry-run',
    ])
      expect((await draw(line)).context?.globals).toEqual({
        ...{ format: 'json', fields: undefined, yes: true, dryRun: true, profile: 'far' },
        ...{ timeoutMs: 1_500, isTimeoutGiven: true, color: false, verbose: true },
      });
  });

  it('take fields with blanks around the commas, and none without a name', async () => {
    expect((await draw(['ticker', '--csv', '--fields', ' id , price '])).stdout).toBe('id,price\n1,2\n');
    const { code, stderr } = await draw('ticker --fields id,,price');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'pit: --fields must be a list of names, not "id,,price".\n→ Write it as in --fields id,price.\n',
    });
  });

  it('take a time from a millisecond to a day', async () => {
    for (const seconds of ['0.001', '86400'])
      expect((await draw(`ticker --timeout ${seconds}`)).context?.globals.timeoutMs).toBe(Number(seconds) * 1_000);
    for (const seconds of ['0', '0.0001', '86400.001', '5x', 'x5', '1e3'])
      expect(await draw(`ticker --timeout ${seconds}`)).toMatchObject({
        code: 2,
        stderr: `pit: --timeout must be a number of seconds from 0.001 to 86400, not "${seconds}".\n`,
      });
  });

  it('are refused with the reason if one that takes a single value is given twice', async () => {
    const { code, stderr } = await draw('ticker --timeout 5 --timeout=9');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'pit: --timeout is given more than once.\n→ It takes one value.\n',
    });
  });

  it.each(['--json', '--dry-run'])('name no fields of a table if there is none: %s', async (flag) => {
    expect(await draw(`ticker --fields id ${flag}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--fields and ${flag} exclude each other.`),
      steps: [],
    });
  });

  it('are no flags after --, where another program may have them', async () => {
    const arguments_ = { words: several('the words of a program', word) };
    let given: unknown;
    const run = async (_: unknown, input: object) => {
      given = input;
      return undefined;
    };
    await draw('ticker --yes -- bot --json --profile far', { arguments: arguments_, run });
    expect(given).toEqual({ words: ['bot', '--json', '--profile', 'far'] });
  });
});

describe('an error', () => {
  const failing = { run: () => Promise.reject(new Failure('refused', 'No.', { hint: suggest('See it', 'ticker') })) };

  it('is one JSON object with --json, and text if --json is a word for another program', async () => {
    const { error } = JSON.parse((await draw('ticker --nope --json')).stderr);
    expect(error).toMatchObject({ kind: 'usage', message: "unknown option '--nope'", exitCode: 2 });
    expect((await draw('ticker --nope -- --json')).stderr).toMatch(/^pit: /);
  });

  it('has the profile of the command line in the commands that it names', async () => {
    expect((await draw('ticker --profile far', failing)).stderr).toBe('pit: No.\n→ See it: pit --profile far ticker\n');
  });

  it('is in colour where that is asked for, but never with --no-color', async () => {
    const host = { environment: { CLICOLOR_FORCE: '1' } };
    expect((await draw('ticker', failing, { host })).stderr).toContain('\u001b[');
    expect((await draw('ticker --no-color', failing, { host })).stderr).not.toContain('\u001b[');
  });
});

it('a remark has the profile of the command line too, and a table no colour with --no-color', async () => {
  const parts = {
    run: async ({ output }: CommandContext) => {
      output.warn(suggest('See it', 'ticker'));
      return { data: [], show: ({ paint }: Screen) => paint.bad('red') };
    },
  };
  const host = { environment: { CLICOLOR_FORCE: '1' } };
  expect(await draw('ticker --no-color --profile far', parts, { host })).toMatchObject({
    stdout: 'red\n',
    stderr: 'Warning: See it: pit --profile far ticker\n',
  });
  expect((await draw('ticker', parts, { host })).stdout).toContain('\u001b[');
});

describe('a number below zero', () => {
  const input = { arguments: { amount: required('how much', word) } };

  it.each(['-1', '-1.', '-1.5', '-.5'])('%s is refused as such, also after --', async (number) => {
    const stderr = `pit: "${number}" is below zero.\n→ Use a number above zero.\n`;
    expect(await draw(`ticker ${number}`, input)).toMatchObject({ code: 2, stderr });
    expect(await draw(`ticker 1 -- ${number}`, input)).toMatchObject({ code: 2, stderr });
  });

  it('is not what only begins like one', async () => {
    expect((await draw('ticker 1 -- -.x', input)).stderr).not.toContain('below zero');
  });
});

describe('a line that cannot be read', () => {
  it.each([
    ['ticker --jsn', "pit: unknown option '--jsn'\n→ Did you mean --json?\n"],
    ['ticker --nope', "pit: unknown option '--nope'\n→ See its usage: pit ticker --help\n"],
    ['--nope', "pit: unknown option '--nope'\n→ List the commands: pit --help\n"],
    ['zzzz', "pit: unknown command 'zzzz'\n→ List the commands: pit --help\n"],
    ['tikcer', "pit: unknown command 'tikcer'\n→ Did you mean ticker?\n"],
    ['help tikcer', "pit: unknown command 'tikcer'\n→ Did you mean ticker?\n"],
    ['constructor', "pit: unknown command 'constructor'\n→ List the commands: pit --help\n"],
    ['ticker 1 -- --ink', 'pit: "--ink" comes after --, so it is not a flag.\n→ Write flags before --.\n'],
    ['ticker --profile', "pit: option '--profile <name>' argument missing\n"],
    ['paint btc_usdt', "pit: unknown command 'paint'\n→ Run this: pit ticker btc_usdt\n"],
    ['ticker it btc_usdt', "pit: unknown command 'ticker it'\n→ Run this: pit ticker --watch btc_usdt\n"],
  ])('says what is wrong and what fits: pit %s', async (line, stderr) => {
    const program = { synonyms: { paint: ['ticker'], 'ticker it': ['ticker', '--watch'] } };
    expect(await draw(line, {}, { program })).toMatchObject({ code: 2, stdout: '', stderr, steps: [] });
  });

  it('means a flag of its command rather than one of all commands', async () => {
    const flags = { jsan: toggle('--jsan', 'draw it in sand') };
    expect((await draw('ticker --jsn', { flags })).stderr).toBe(
      "pit: unknown option '--jsn'\n→ Did you mean --jsan?\n",
    );
  });

  const correcting = (correction: Correction) => ({ program: { correct: async () => correction } });

  it('is corrected with --dry-run, but without a flag that confirms', async () => {
    const hint = [suggest('Run this', 'ticker', 'btc_usdt'), suggest('See its usage', 'ticker', '--help'), 'Or wait.'];
    const { stderr } = await draw(
      'ticker --nope --yes --dry-run',
      {},
      correcting({ message: 'There is no nope.', hint }),
    );
    expect(stderr).toBe(
      'pit: There is no nope.\n→ Run this: pit ticker btc_usdt --dry-run\n→ See its usage: pit ticker --help\n→ Or wait.\n',
    );
    expect((await draw('ticker --nope', {}, correcting({ hint: 'Or wait.' }))).stderr).toBe(
      "pit: unknown option '--nope'\n→ Or wait.\n",
    );
  });

  it('is the only one that is corrected: not what a command refuses itself, nor another failure', async () => {
    const correction = correcting({ message: 'There is no nope.', hint: '' });
    const refusing = { run: () => Promise.reject(usage('There is no such line.')) };
    expect((await draw('ticker', refusing, correction)).stderr).toBe('pit: There is no such line.\n');
    const parse = () => {
      throw new Failure('credentials', 'There is no key.');
    };
    expect(await draw('ticker 1', { arguments: { point: required('', parse) } }, correction)).toMatchObject({
      code: 4,
      stderr: 'pit: There is no key.\n',
    });
  });
});

describe('commands of a group', () => {
  const loaded: string[] = [];
  const profile = (name: string) => async () => {
    loaded.push(name);
    return { default: { ...DRAW, summary: `Accounts: ${name}`, run: async () => ({ data: [], show: () => name }) } };
  };
  const program = {
    commands: { 'profile add': profile('add'), 'profile list': profile('list'), 'keys set': profile('keys') },
    groups: { profile: 'Choose an account' },
  };
  const ran = (line: string) => {
    loaded.length = 0;
    return draw(line, {}, { program });
  };

  it('are not loaded for the one that runs, which begins sooner', async () => {
    expect(await ran('profile add')).toMatchObject({ code: 0, stdout: 'add\n' });
    expect(loaded).toEqual(['add']);
    await ran('profile add list');
    expect(loaded).toEqual(['add']);
  });

  it.each(['profile --help', 'profile -h', 'help profile'])('are in its help: pit %s', async (line) => {
    const { code, stdout } = await ran(line);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Choose an account\n[\s\S]*\n {2}add +Accounts: add\n {2}list +Accounts: list/);
    expect(stdout).toContain('--profile <name>');
  });

  it.each([
    ['profile', 'pit: A command is missing.\n→ See its usage: pit profile --help\n'],
    ['profile lst', "pit: unknown command 'lst'\n→ Did you mean list?\n"],
  ])('are named if none of them is: pit %s', async (line, stderr) => {
    expect(await ran(line)).toMatchObject({ code: 2, stderr });
  });
});

it('the words of a command may stand after the flags of the command that they begin with', async () => {
  const curve = { ...DRAW, run: async () => ({ data: [], show: () => 'a curve' }) };
  const wide = { ...DRAW, flags: { wide: toggle('--wide', 'ticker it wide') } };
  const program = {
    commands: { ticker: async () => ({ default: wide }), 'ticker curve': async () => ({ default: curve }) },
  };
  expect(await draw('ticker --wide curve', {}, { program })).toMatchObject({ code: 0, stdout: 'a curve\n' });
  for (const line of ['ticker --help', 'ticker -h'])
    expect((await draw(line, {}, { program })).stdout).toMatch(/\n {2}curve +Draw a line\n/);
});

it('the version is a word of text, whatever else the line says', async () => {
  for (const line of ['--version', '-V', 'ticker --version'])
    expect(await draw(line)).toMatchObject({ code: 0, stdout: `${version}\n`, steps: [] });
});

describe('help', () => {
  it('of a command has its summary, examples, rules and flags, and of the flags of all commands those that it takes', async () => {
    const parts = {
      arguments: { shape: optional('what to draw', word) },
      flags: { wide: toggle('--wide', 'ticker it wide', { excludes: ['shape'] }) },
      ...{ excludes: ['--yes'], timeout: 'stop drawing after this time', examples: ['ticker line', 'ticker --wide'] },
    };
    const { code, stdout } = await draw('ticker --help', parts);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: pit ticker \[options\] \[shape\]\n\nDraw a line\n/);
    expect(stdout).toMatch(/\nExamples:\n {2}pit ticker line\n {2}pit ticker --wide\n$/);
    expect(stdout).toContain('ticker it wide (not with SHAPE)');
    expect(stdout).toMatch(/--timeout <seconds> +stop drawing after this time\n/);
    expect(stdout).not.toMatch(/--yes|stop the command/);
    expect(stdout.match(/^ {2}--json/gm)).toHaveLength(1);
  });

  it('of pit lists the flags of all commands once', async () => {
    const { stdout } = await draw('--help');
    for (const flag of ['--json', '--yes', '--version']) expect(stdout.split(`${flag} `)).toHaveLength(2);
  });

  it('on exit codes has their table', async () => {
    const { stdout } = await draw('help exit-codes');
    expect(stdout).toMatch(/^Exit codes, [\s\S]*\n {4}2 {2}usage {8}wrong command line/);
  });

  it('on exit codes has each meaning in a column on a narrow terminal', () => {
    const [first, second, empty, ...codes] = exitCodeHelp(50).split('\n');
    expect([first, second, empty, codes.at(-1)]).toEqual([
      'Exit codes, with the kind of the error object that',
      '--json writes to stderr:',
      ...['', ''],
    ]);
    expect(codes.slice(0, 3)).toEqual([
      '    0               done',
      '    1  internal     a bug in pit, or an answer',
      '                    that breaks the interface',
    ]);
  });
});

describe('a line that is kept for later', () => {
  const commands = { ticker: async () => ({ default: { ...DRAW, arguments: { point: optional('', word) } } }) };

  it('is read without running its command', async () => {
    expect((await parseLine(commands, ['ticker', '1'])).input).toEqual({ point: '1' });
  });

  it.each([[['--json', 'ticker']], [[]], [['help', 'exit-codes']]])(
    'is refused if it is none of a command: %j',
    async (words) => {
      await expect(parseLine(commands, words)).rejects.toThrow(/is not a command line of pit\.$/);
    },
  );

  it('is refused with the reason if the command does not take its words', async () => {
    await expect(parseLine(commands, ['ticker', '1', '2'])).rejects.toThrow('too many arguments');
  });
});

it('an argument and a flag that are given several times have all of their values', async () => {
  let given: unknown;
  const run = async (_: unknown, input: object) => {
    given = input;
    return undefined;
  };
  const parts = { arguments: { points: several('', Number) }, flags: { ink: repeated('--ink <colour>', '', word) } };
  await draw('ticker 1 2 3 --ink red --ink blue', { ...parts, run, output: shape.anything });
  expect(given).toEqual({ points: [1, 2, 3], ink: ['red', 'blue'] });
});
