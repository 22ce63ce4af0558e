import { PassThrough } from 'node:stream';
import { argumentsOfPit, profileFlag } from '../../src/cli/hints.js';
import { ACTIVE_PROFILE } from '../../src/errors.js';
import type { Host } from '../../src/platform/host.js';

/** The command line that a hint names, and the one that printed the hint, both without `pit`. */
interface Hinted {
  readonly given: readonly string[];
  readonly argv: readonly string[];
}

const hinted: Hinted[] = [];

/** Called with each hint that a command in this process prints. */
export function recordHint(given: readonly string[], argv: readonly string[]): void {
  hinted.push({ given, argv: argv.map((word) => (word === ACTIVE_PROFILE ? 'NAME' : word)) });
}

/** The hints since the last call that pit cannot read, or that do more than was asked for. */
export async function wrongHints(): Promise<string[]> {
  const wrong: string[] = [];
  for (const hint of hinted.splice(0)) {
    const problem = (await unreadable(hint.argv)) ?? (await widening(hint));
    if (problem !== undefined) wrong.push(`${problem} pit ${hint.given.join(' ')} → pit ${hint.argv.join(' ')}`);
  }
  return wrong;
}

/** What hints leave to the user, each with something that may stand there. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ADDRESS: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  AMOUNT: '0.01',
  CLIENT: 'codex',
  COIN: 'btc',
  HOST: 'exchange.example',
  ID: '1234567',
  KEY: 'zone',
  KEYS: 'keys.txt',
  MARKET: 'btc_usdt',
  NAME: 'mine',
  ORDERID: '1234567',
  PRICE: '1',
  SECONDS: '5',
  URL: 'https://exchange.example',
  VALUE: '1',
  ZONE: 'UTC',
};
/** The same after `pit algo`. */
const OF_ALGOS: typeof PLACEHOLDERS = { ...PLACEHOLDERS, ID: 'a4k7x2q' };

const answers = new Map<string, Promise<string | undefined>>();

/** Why pit cannot read these words as a command line, if it cannot. */
export function unreadable(argv: readonly string[]): Promise<string | undefined> {
  const fits = argv[0] === 'algo' ? OF_ALGOS : PLACEHOLDERS;
  const words = argv.map((word) => word.replace(/\b[A-Z]{2,}\b/g, (name) => fits[name] ?? name));
  const line = words.join(' ');
  const answer = answers.get(line) ?? failureOf(words);
  answers.set(line, answer);
  return answer;
}

/** Reads the words as the program does, and goes no further. */
async function failureOf(words: readonly string[]): Promise<string | undefined> {
  const [{ run }, { PROGRAM }] = await Promise.all([
    import('../../src/cli/run.js'),
    import('../../src/commands/index.js'),
  ]);
  const output = new PassThrough().resume();
  const host = { arguments: words, environment: {}, output, errors: output } as unknown as Host;
  const wasRead = new Error('The command would run now.');
  try {
    await run(host, { ...PROGRAM, createContext: () => Promise.reject(wasRead), correct: async () => undefined });
  } catch (error) {
    if (error !== wasRead) return `${error}`;
  }
  return undefined;
}

/** What makes a command that changes something change more, or confirms it. */
const WIDE = ['--all', '--all-markets', '--cancel', '--flatten', '--override', '--force', '--borrow', '--yes', 'halt'];

/** Hints that may do more than their command line asked for. */
const EXCEPTIONS: readonly { readonly given: RegExp; readonly argv: RegExp; readonly why: string }[] = [
  {
    given: /\bcancel --all/,
    argv: /^cancel --all --all-markets$/,
    why: 'without a market, it may mean every market',
  },
  { given: /\bcancel-all/, argv: /^cancel --all/, why: 'it is the same in the words of pit' },
  {
    given: /\b(commit|prepared)\b/,
    argv: /^commit \S+ --profile /,
    why: 'what was prepared belongs to a profile, and is asked about',
  },
  { given: /\bresolve\b/, argv: /--resume \S+ --override /, why: 'the batch was placed with it' },
  {
    given: /\bprepare\b/,
    argv: /^order .*--override trail-distance$/,
    why: 'an agent may not, so it tells a person how; the words are typed',
  },
  { given: /./, argv: /^halt --lift/, why: 'it does less than a halt, and asks for a name' },
];

/** In which way the command of a hint would do more than was asked for, if it would. */
async function widening({ given, argv }: Hinted): Promise<string | undefined> {
  const asked = argumentsOfPit(given).filter((word) => word !== '--json');
  const [line, hint] = [asked.join(' '), argv.join(' ')];
  if (EXCEPTIONS.some((exception) => exception.given.test(line) && exception.argv.test(hint))) return undefined;
  const [profile, named] = [profileFlag(asked), profileFlag(argv)];
  if (profile !== undefined && named !== undefined && named !== 'NAME' && named !== profile) return 'Other profile:';
  if (namesAnother(/^[a-z0-9]{2,}_[a-z0-9]{2,}$/i, asked, argv)) return 'Other market:';
  if (!(await isWrite(argv))) return undefined;
  if (/\bcancel /.test(line) && namesAnother(/^\d{3,}$/, asked, argv)) return 'Other order:';
  if (asked.includes('--dry-run') && asked.includes(argv[0] ?? '') && !argv.includes('--dry-run')) return 'Not dry:';
  const added = WIDE.filter((word) => argv.includes(word) && !asked.includes(word));
  return added.length === 0 ? undefined : `Adds ${added.join(' ')}:`;
}

/** Whether a hint has a name of this form that its command line does not have, which has others. */
function namesAnother(form: RegExp, asked: readonly string[], argv: readonly string[]): boolean {
  const namesOf = (words: readonly string[]) =>
    words.map((word) => word.toLowerCase()).filter((word) => form.test(word));
  const known = namesOf(asked);
  return known.length > 0 && namesOf(argv).some((name) => !known.includes(name));
}

/** Whether it is a command that changes something. */
async function isWrite(argv: readonly string[]): Promise<boolean> {
  if (argv.includes('--help')) return false;
  const { commands } = await import('../../src/commands/index.js');
  const path = [3, 2, 1].map((length) => argv.slice(0, length).join(' ')).find((name) => Object.hasOwn(commands, name));
  return path !== undefined && (await commands[path]?.())?.default.dryRunOutput !== undefined;
}
