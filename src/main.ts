import { fstatSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import { isatty } from 'node:tty';
import type { Host } from './platform/host.js';
import { version } from './version.js';

/**
 * Runs pit as a program, and sets the exit code of the process.
 * @param holdProgram as {@link Host.holdProgram}; the single executable has nothing to read
 */
export async function start(holdProgram: () => void = () => undefined): Promise<void> {
  // Node prints warnings, such as a deprecation, as text among the JSON of stderr; main reports them instead
  process.removeAllListeners('warning');
  // by default Node opens its debugger at this signal, to every user of the machine
  process.on('SIGUSR1', () => undefined);
  const args = process.argv.slice(2);
  if (args[0] === 'keychain-helper' && process.connected) {
    const { serveKeychain } = await import('./config/keychain-helper.js');
    return serveKeychain();
  }
  if (args[0] === '__complete') {
    const { completion } = await import('./completion.js');
    return void print(await completion(args.slice(1)));
  }
  const answer = args.length === 1 ? readyAnswer(args[0]) : undefined;
  // if stdout cannot be written, the program reports it
  if (answer === undefined || !print(answer)) process.exitCode = await main(undefined, holdProgram);
}

/** The answers that need nothing else: the version, and the help that the build has written, unless stdout is a terminal. */
function readyAnswer(word: string | undefined): string | undefined {
  if (word === '--version' || word === '-V') return `${version}\n`;
  if (word !== '--help' && word !== '-h') return undefined;
  // isatty is slow, so only character devices are asked; the single executable has no help text
  if ((fstatSync(1).isCharacterDevice() && isatty(1)) || isSea()) return undefined;
  try {
    return readFileSync(path.join(__dirname, 'help.txt'), 'utf8');
  } catch {
    // the build runs this to write the text
    return undefined;
  }
}

/**
 * Writes to stdout, and opens its stream only if the reader of a pipe is slow. Returns whether that succeeded. A pipe that
 * was closed, as `head` does, counts as success.
 */
function print(text: string): boolean {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') process.stdout.on('error', () => {}).write(rest);
    else return code === 'EPIPE';
  }
  return true;
}

/** Runs the command line of a host, by default the system's, and returns the exit code. */
export async function main(host?: Host, holdProgram: () => void = () => undefined): Promise<number> {
  if (host !== undefined) return runOn(host);
  const { endSoon, reportUncaught, systemHost } = await import('./platform/host.js');
  const system = systemHost(holdProgram);
  const { reportFailure, reportNodeWarning } = await import('./cli/run.js');
  reportUncaught((thrown) => reportFailure(thrown, system));
  process.on('warning', (warning) => reportNodeWarning(warning, system));
  const code = await runOn(system);
  endSoon(code);
  return code;
}

async function runOn(host: Host): Promise<number> {
  const { runAndReport } = await import('./cli/run.js');
  const { PROGRAM } = await import('./commands/index.js');
  return runAndReport(host, PROGRAM);
}
