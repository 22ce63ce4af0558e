import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/run.js';
import { asFailure, type Failure, Interrupted } from '../../src/errors.js';
import { PROGRAM } from '../../src/main.js';
import type { Host } from '../../src/platform/host.js';
import { Output } from '../../src/terminal/output.js';
import { fakeHost } from './fake-host.js';

export interface InsideOptions {
  /** The folder that stands for PIT_HOME. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** As wide a terminal; a pipe where it is not given. */
  readonly columns?: number;
  /** Milliseconds since the Unix epoch; the clock stands still but for waits. */
  readonly now?: number;
  /** Parts of the host that are others. */
  readonly host?: Partial<Host>;
}

export interface RanInside {
  readonly stdout: string;
  readonly stderr: string;
  readonly failure: Failure | undefined;
}

/** Runs a command line in this process, as the program would: for what takes many of them. */
export async function runInside(words: readonly string[], options: InsideOptions): Promise<RanInside> {
  const { home, environment = {}, columns, now, host: parts = {} } = options;
  const [output, errors] = [screen(columns), screen(columns)];
  const directories = { config: `${home}/config`, state: `${home}/state`, cache: `${home}/cache` };
  const streams = { output: output.stream, errors: errors.stream };
  const clock = now === undefined ? {} : { now: () => now };
  const host: Host = { ...fakeHost(), ...clock, ...streams, directories, environment, arguments: words, ...parts };
  const failure = await failureOf(host);
  if (failure !== undefined) new Output(host, words.includes('--json') ? 'json' : 'table').error(failure);
  return { stdout: output.text(), stderr: errors.text(), failure };
}

async function failureOf(host: Host): Promise<Failure | undefined> {
  try {
    await run(host, PROGRAM);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    return asFailure(thrown);
  }
}

function screen(columns: number | undefined) {
  const texts: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk) => texts.push(String(chunk)));
  const terminal = columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns, rows: 50 });
  return { stream: terminal, text: () => texts.join('') };
}
