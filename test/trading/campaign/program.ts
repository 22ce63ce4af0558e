import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { PIT } from '../../support/command.js';

/** A command that ran. */
export interface Run {
  readonly words: readonly string[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** ms since the Unix epoch */
  readonly started: number;
  readonly ended: number;
}

/** Whether a command ended before it could report anything: 130 is Ctrl-C. */
export function wasKilled({ code, signal }: Run): boolean {
  return signal !== null || code === 130;
}

export interface Started {
  readonly child: ChildProcess;
  readonly done: Promise<Run>;
}

/** The built program with one PIT_HOME, and an exchange given by the environment. */
export class Program {
  readonly #address: Pick<SandboxAddress, 'accessKey' | 'secretKey' | 'safePwd'>;
  readonly #url: string;

  /** Everything that its commands have printed on stderr. */
  readonly runs: Run[] = [];

  constructor(
    readonly home: string,
    address: Pick<SandboxAddress, 'accessKey' | 'secretKey' | 'safePwd'>,
    url: string,
  ) {
    this.#address = address;
    this.#url = url;
  }

  run(words: readonly string[], input?: string, environment?: Readonly<Record<string, string>>): Promise<Run> {
    return this.start(words, input, environment).done;
  }

  /**
   * Starts it, with an open stdin.
   * @param environment what is added to its environment
   */
  spawn(words: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
    const { PATH = '' } = process.env;
    const { accessKey, secretKey } = this.#address;
    const env = {
      ...{ PATH, TZ: 'UTC', PIT_HOME: this.home, PIT_BASE_URL: this.#url, PIT_TRADE_URL: this.#url },
      ...{ PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey },
      ...environment,
    };
    return spawn(PIT.command, [...PIT.arguments, ...words], { env, stdio: 'pipe' });
  }

  /** @param environment what is added to its environment */
  start(words: readonly string[], input = '', environment: Readonly<Record<string, string>> = {}): Started {
    const started = Date.now();
    const child = this.spawn(words, environment);
    child.stdin.on('error', () => undefined).end(input);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    }
    const done = new Promise<Run>((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => {
        const run = { words, code, signal, ...texts, started, ended: Date.now() };
        this.runs.push(run);
        resolve(run);
      });
    });
    return { child, done };
  }

  /** Whether anything that it printed contains a secret. */
  get leaks(): boolean {
    const { accessKey, secretKey, safePwd } = this.#address;
    return this.runs.some(({ stdout, stderr }) =>
      [accessKey, secretKey, safePwd].some((key) => stdout.includes(key) || stderr.includes(key)),
    );
  }
}

/** The document on stdout, if any. */
export function documentOf<Document>({ stdout }: Run): Document | undefined {
  return stdout === '' ? undefined : (JSON.parse(stdout) as Document);
}

/** A duplicate that a command warned of. */
export interface Warned {
  /** The client id of the order, or the id of a job or a record. */
  readonly clientId: string;
  /** The ids of the duplicates. */
  readonly ids: readonly string[];
  /** All ids that it names: the duplicates, and for an order also the intended one. */
  readonly named: readonly string[];
  /** The key of a withdrawal. */
  readonly what?: string;
}

/** Each message and each hint on stderr, whatever the format. */
function remarksIn(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return line;
    const { warning } = JSON.parse(line) as { warning?: { message: string; hint: string | null } };
    return warning === undefined ? [] : [warning.message, ...(warning.hint?.split('; ') ?? [])];
  });
}

export function warningsIn({ stderr }: Run): Warned[] {
  const lines = remarksIn(stderr);
  return lines.flatMap((line, index) => {
    const [, clientId] =
      /(?:ORDERS? (?:WAS|WERE) PLACED MORE THAN ONCE|(?:REJECTED ORDERS?|REJECTED|AS NOT SENT) (?:IS|ARE|HAS|HAVE|WAS|WERE) (?:LIVE|FILLED|PLACED|ON THE EXCHANGE)): .*\((?:client id|job) (\w+)\)/.exec(
        line,
      ) ?? [];
    const [, amount, coin, record, all] =
      /WITHDRAWAL (?:FOUND|WAS MADE MORE THAN ONCE|THAT COUNTED AS NOT SENT EXISTS): ([\d.]+) (\w+) to \S+ \((\w+)\) as ([\d and]+)\./.exec(
        line,
      ) ?? [];
    if (record !== undefined) {
      const named = all?.split(' and ') ?? [];
      return [{ clientId: record, ids: named, named, what: `withdraw ${amount} ${coin}` }];
    }
    if (clientId === undefined) return [];
    const ids = cancelledBy(lines.slice(index + 1));
    const [, both = ''] = / as (\d[\d and]*)\. /.exec(line) ?? [];
    return [{ clientId, ids, named: [...ids, ...both.split(' and ')] }];
  });
}

/** The ids in the suggested commands (several commands for many ids), and of orders that need none. */
function cancelledBy(lines: readonly string[]): string[] {
  const commands = lines.map(
    (line) =>
      (/To cancel (?:it|the rejected orders|these orders|the duplicates): pit cancel \S+ ([\d ]+)/.exec(line) ??
        /Order (\d+) (?:has already filled|is already cancelled)/.exec(line))?.[1],
  );
  const end = commands.indexOf(undefined);
  return commands.slice(0, end === -1 ? commands.length : end).flatMap((ids) => ids?.trim().split(' ') ?? []);
}
