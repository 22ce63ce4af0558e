import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdtempSync, openSync, read, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.js';
import { Failure, suggest } from '../../src/errors.js';
import type { Answer } from '../../src/terminal/answer.js';
import { type Format, Output, StdoutClosed } from '../../src/terminal/output.js';
import { table } from '../../src/terminal/table.js';
import { built } from './programs.js';
import { hostWith, Kept } from './screens.js';

const HOSTILE = '\u001b[31m=1+1\u202e\n比';

async function written(format: Format, answer: Partial<Answer>): Promise<string> {
  const output = new Kept();
  await new Output(hostWith({ output }), format).answer({ data: null, show: () => '', ...answer });
  return output.text;
}

describe('an answer as JSON', () => {
  it('prints one document and a newline, with null for undefined and decimals as strings', async () => {
    const data = [{ price: Decimal.of('1.50'), id: 123456789012345678n, fee: undefined, list: [undefined], count: 3 }];
    expect(await written('json', { data })).toBe(
      '[{"price":"1.50","id":"123456789012345678","fee":null,"list":[null],"count":3}]\n',
    );
    expect(await written('json', { data: undefined })).toBe('null\n');
  });

  it('keeps hostile text whole, escaped for terminals', async () => {
    const text = await written('json', { data: [`${HOSTILE}\u009b\u2028\u{e0041}`] });
    expect(text).toBe('["\\u001b[31m=1+1\\u202e\\n比\\u009b\\u2028\\udb40\\udc41"]\n');
    expect(JSON.parse(text)).toEqual([`${HOSTILE}\u009b\u2028\u{e0041}`]);
  });
});

describe('an answer as CSV', () => {
  it('prints a header with dots for nested names, and an empty cell for null', async () => {
    const data = [
      { id: '1', fee: null, permissions: { asset: true, deep: { x: 1 } }, duplicates: ['7', '8'] },
      { id: '2', fee: '0.1', permissions: { asset: false }, duplicates: [], extra: 'a "quoted", one' },
    ];
    expect(await written('csv', { data })).toBe(
      [
        'id,fee,permissions.asset,permissions.deep.x,duplicates,extra',
        '1,,true,1,7;8,',
        '2,0.1,false,,,"a ""quoted"", one"',
        '',
      ].join('\n'),
    );
  });

  it('prints one row for a single object, and one column for plain values', async () => {
    expect(await written('csv', { data: { market: 'btc_usdt', last: Decimal.of('1.0') } })).toBe(
      'market,last\nbtc_usdt,1.0\n',
    );
    expect(await written('csv', { data: ['a', 'b'] })).toBe('value\na\nb\n');
    expect(await written('csv', { data: [{ orders: [{ id: '1' }] }] })).toBe('orders\n"[{""id"":""1""}]"\n');
  });

  it('accepts its own rows and header', async () => {
    const csv = [{ side: 'bid', price: '1' }];
    expect(await written('csv', { data: { bids: [] }, csv })).toBe('side,price\nbid,1\n');
    expect(await written('csv', { data: [], csvHeader: ['side', 'price'] })).toBe('side,price\n');
    expect(await written('csv', { data: [] })).toBe('');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1+1', "'+1+1"],
    ['-cmd', "'-cmd"],
    ['@sum', "'@sum"],
    ['＝1', "'＝1"],
    ['  =1', "'  =1"],
    ['\t1', "' 1"],
    ['\r1', "' 1"],
    ['\u001b[31m=1', "'=1"],
    ['-0.5', '-0.5'],
    ['+5', '+5'],
    ['-1e5', "'-1e5"],
    ['1-2', '1-2'],
    // where the separator is a semicolon, a new cell begins after it
    ['x;=1+1', "x;'=1+1"],
    ['x; @sum;y', "x;' @sum;y"],
    ['1;-0.5;-x', "1;-0.5;'-x"],
  ])('writes the cell %j as %j', async (cell, expected) => {
    expect(await written('csv', { data: [{ [cell]: cell }] })).toBe(`${expected}\n${expected}\n`);
  });
});

describe('an answer for people', () => {
  it('prints the text and a newline', async () => {
    expect(await written('table', { show: () => 'one\ntwo' })).toBe('one\ntwo\n');
    expect(await written('table', {})).toBe('');
  });

  it('measures the widths of its data', async () => {
    const data = [{ name: 'ก็' }, { name: '比特' }];
    const show: Answer['show'] = (screen) =>
      table(
        screen,
        [
          { title: 'name', value: (row: { name: string }) => row.name },
          { title: '', value: () => '|' },
        ],
        data,
      );
    expect(await written('table', { data, show })).toBe('name\nก็     |\n比特  |\n');
  });
});

describe('messages beside the answer', () => {
  function said(format: Format, say: (output: Output) => void, environment = {}, columns?: number): string {
    const errors = new Kept(columns);
    say(new Output(hostWith({ errors, environment }), format));
    return errors.text;
  }
  const failure = new Failure('refused', `No balance ${HOSTILE}.`, { hint: 'Deposit first.', code: 2009 });

  it('prints each message on one line, without foreign escapes', () => {
    expect(said('table', (output) => output.note(HOSTILE))).toBe('=1+1 比\n');
    expect(said('table', (output) => output.warn('Old data'))).toBe('Warning: Old data\n');
    expect(said('table', (output) => output.preview(() => 'Buy\n1 btc'))).toBe('Buy\n1 btc\n');
  });

  it('never break a command line, whose beginning is another command', () => {
    const line = ['order', 'buy', 'btc_usdt', '0.001', '--at', 'bid-1%', '--post-only\u001b[2J'];
    const same = suggest('The same in one line', ...line);
    const narrow = said('table', (output) => output.note(same), { NO_COLOR: '1' }, 20);
    expect(narrow).toBe('The same in one\nline:\npit order buy btc_usdt 0.001 --at bid-1% --post-only\n');
    const hint = { hint: suggest('Find out', 'order', 'show', 'btc_usdt', '123456') };
    const failed = said(
      'table',
      (output) => output.error(new Failure('unknown', 'Lost.', hint)),
      { NO_COLOR: '1' },
      20,
    );
    expect(failed).toBe('pit: Lost.\n→ Find out:\npit order show btc_usdt 123456\n');
  });

  it('prints a failure and the next step', () => {
    expect(said('table', (output) => output.error(failure))).toBe('pit: No balance =1+1 比.\n→ Deposit first.\n');
    expect(said('csv', (output) => output.error(new Failure('usage', 'Bad.')), { TERM: 'dumb' })).toBe('pit: Bad.\n');
    expect(said('table', (output) => output.error(failure), { TERM: 'dumb' })).toContain('\n-> Deposit first.\n');
    expect(said('table', (output) => output.error(new Failure('usage', 'Bad.')), { TERM: 'xterm' }, 80)).toBe(
      '\u001b[31mpit: Bad.\u001b[39m\n',
    );
  });

  it('prints a message for a program as one JSON object on one line', () => {
    expect(said('json', (output) => output.error(failure))).toBe(
      '{"error":{"kind":"refused","message":"No balance \\u001b[31m=1+1\\u202e\\n比.","hint":"Deposit first.","exitCode":3,"code":2009,"clientId":null}}\n',
    );
  });
});

it.each(['EPIPE', 'ECONNRESET'])('an answer ends quietly once its reader has gone: %s', async (code) => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  gone.on('error', () => undefined);
  const print = () => new Output(hostWith({ output: gone }), 'json').answer({ data: [], show: () => '' });
  await expect(print()).rejects.toThrow(StdoutClosed);
  // the stream is destroyed by now
  await expect(print()).rejects.toThrow(StdoutClosed);
});

describe('a program with an answer', () => {
  let program = '';
  beforeAll(async () => {
    program = await built('answer');
  });

  it('ends without an error when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [program, '200000'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
  });

  it('writes all of a long answer to a slow reader', async () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, '200000'], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    expect(stdout.split('\n').length).toBe(200001);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'all written\n' });
  });

  it.skipIf(!existsSync('/dev/full'))('reports a full disk (needs /dev/full)', () => {
    const full = openSync('/dev/full', 'w');
    const { stderr, status } = spawnSync(process.execPath, [program, '10'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(
      /^pit: Cannot write to stdout: no space is left \(ENOSPC\)\.\n→ Redirect the output elsewhere/,
    );
    expect(status).toBe(1);
  });

  it('works with a closed stderr', () => {
    const { status } = spawnSync('/bin/sh', ['-c', '"$0" "$1" 10 2>&- >/dev/null', process.execPath, program]);
    expect(status).toBe(0);
  });

  /** Runs a line of the shell in which `pit` is the program: Node itself gives a process no pipes, but sockets. */
  const shell = (line: string, environment: Readonly<Record<string, string>> = {}) => {
    const script = `pit() { "$0" "$PROGRAM" "$@"; }; ${line}`;
    const env = { ...process.env, ...environment, PROGRAM: program };
    const options = { encoding: 'utf8', env, maxBuffer: 1 << 26 } as const;
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath], options);
    return { stdout, stderr };
  };
  /** So many lines are 2 MB, far more than a pipe holds. */
  const LONG = 200_000;

  it('loses nothing of 10 MB in a pipe whose reader begins late', () => {
    const count = 1_000_000;
    const { stdout, stderr } = shell(`{ pit ${count}; echo "exit $?" >&2; } | { sleep 1; cat; }`);
    expect(stdout).toBe(`${Array.from({ length: count }, (_, index) => `line ${index}`).join('\n')}\n`);
    expect(stderr).toBe('all written\nexit 0\n');
  });

  it('ends without an error when the reader of a pipe has left', () => {
    expect(shell(`{ pit ${LONG}; echo "exit $?" >&2; } | head -n 1`)).toEqual({
      stdout: 'line 0\n',
      stderr: 'exit 0\n',
    });
    expect(shell('{ sleep 1; pit 1; echo "exit $?" >&2; } | :')).toEqual({ stdout: '', stderr: 'exit 0\n' });
  });

  it.skipIf(process.platform !== 'linux')('leaves a pipe that it shares as it was', () => {
    const flags = `"$0" -p 'require("fs").readFileSync("/proc/self/fdinfo/3", "utf8").match(/flags.*/)[0]' >&2`;
    const { stderr } = shell(`{ ${flags} 3>&1; pit 3; ${flags} 3>&1; } | cat`);
    const [before, , after] = stderr.split('\n');
    expect(after).toBe(before);
  });

  it('writes the remarks after the answer in a pipe of both', () => {
    const { stdout } = shell(`pit ${LONG} 2>&1 | { sleep 1; tail -n 2; }`);
    expect(stdout).toBe(`line ${LONG - 1}\nall written\n`);
  });

  it('appends to a file, and masks secrets in one behind stderr', () => {
    const { stdout } = shell(
      'd=$(mktemp -d); echo first > $d/out; pit 2 >> $d/out 2> $d/errors; cat $d/out $d/errors; rm -r $d',
      { PIT_SECRET_KEY: 'all written' },
    );
    expect(stdout).toBe('first\nline 0\nline 1\n***\n');
  });

  it('reports a descriptor that cannot be written', () => {
    const { stderr } = shell('pit 3 1< /dev/null; echo "exit $?" >&2');
    expect(stderr).toMatch(/^pit: Cannot write to stdout: EBADF\.\n→ Redirect.*\nexit 1\n$/);
  });

  it('ends at SIGTERM although nobody reads the rest of its output', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pit-pipe-'));
    const name = path.join(folder, 'pipe');
    expect(spawnSync('mkfifo', [name]).status).toBe(0);
    // a reader that reads one byte
    const pipe = openSync(name, constants.O_RDWR);
    try {
      const child = spawn(process.execPath, [program, String(LONG)], { stdio: ['ignore', pipe, 'inherit'] });
      const ended = once(child, 'exit');
      await promisify(read)(pipe, Buffer.alloc(1), 0, 1, null);
      child.kill('SIGTERM');
      expect(await ended).toEqual([143, null]);
    } finally {
      closeSync(pipe);
      rmSync(folder, { recursive: true });
    }
  });
});
