import { statSync } from 'node:fs';
import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { KeychainFailure } from '../../config/keychain.js';
import { type KeyPair, type KeyPlace, lastFour, parseKeys, requireKeyText, sandboxKeys } from '../../config/keys.js';
import { Failure, suggest, tryRead, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { record } from '../../terminal/table.js';
import { filePath, oneOf } from '../inputs/parsers.js';
import { readNamedFile, STDIN } from '../named-files/input.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { warnOfOrphanedWrites } from '../writes/orphaned-writes.js';
import { chosenProfile } from './profile.js';

const STORES = ['file', 'keychain'] as const satisfies readonly KeyPlace[];

const MASKED_KEYS = shape.object({
  profile: shape.text('its name'),
  accessKey: shape.nullable(shape.text('the last four characters')),
  secretKey: shape.nullable(shape.text('the last four characters')),
  store: shape.nullable(shape.enumOf(STORES, 'where they are; null if there are none, and for the sandbox')),
});

type MaskedKeys = shape.Infer<typeof MASKED_KEYS>;

/** In bytes: more than two keys of the greatest length with their line ends. */
const RULES = { max: 4_096, hint: 'It must hold the access key and the secret key, one per line.' };

export const set = define({
  summary: 'Store the API keys of a profile',
  flags: {
    stdin: toggle('--stdin', 'read the access key, a newline and the secret key from stdin (default: ask)'),
    file: flag('--file <path>', 'read the same two lines from a file (default: ask)', filePath, {
      excludes: ['--stdin'],
    }),
    store: flag(
      '--store <place>',
      "keep them in the system's keychain or in a file of pit; alone, it moves them (default: where they are, else file)",
      oneOf('--store', ...STORES),
    ),
  },
  examples: [
    'keys set --profile overseas',
    'keys set --profile overseas --stdin < keys.txt',
    'keys set --profile overseas --file keys.txt',
    'keys set --profile overseas --store keychain',
  ],
  output: MASKED_KEYS,
  dryRunOutput: DRY_CHANGE,
  async run(context, { stdin, file, store }) {
    const { session, globals, output } = context;
    const profile = await chosenProfile(context);
    const { name, tradeUrl, builtIn } = profile;
    if (builtIn) throw sandboxKeys();
    // a damaged file is replaced
    const found = (await tryRead(() => session.keys.find(name))) ?? null;
    if (store !== undefined && found !== null && !stdin && file === undefined)
      return moved(context, name, { from: found.store, to: store });
    // a terminal would show what is typed
    const source = file ?? (stdin && context.host.input.isTTY !== true ? STDIN : undefined);
    const pair = source === undefined ? await ask(context, name) : pairIn(await readNamedFile(context, source, RULES));
    await warnOfOrphanedWrites(context, profile, () => ({ tradeUrl, accessKey: pair.accessKey }));
    const place = store ?? found?.store ?? 'file';
    if (globals.dryRun) return dryChange('keys set', `Would store the keys of ${name} ${PLACES[place]}.`);
    const answer = await stored(context, name, pair, place).catch((thrown) => {
      // keys in a keychain that is away now would be left there
      if (!isWithoutKeychain(thrown) || found?.store === 'keychain') throw thrown;
      return storedInFile(context, name, pair, thrown);
    });
    if (file !== undefined && isReadByOthers(file))
      output.warn(`${file} still holds the keys, and other users can read it. Delete it.`);
    return answer;
  },
});

const PLACES: Readonly<Record<KeyPlace, string>> = { file: 'in a file', keychain: 'in the keychain' };

/** Moves keys to the other place. */
async function moved(context: Context, name: string, { from, to }: Record<'from' | 'to', KeyPlace>) {
  const { session, globals } = context;
  const pair = await session.keys.get(name);
  if (pair === null) throw withoutKeys(name);
  if (from === to) {
    const text = `The keys of ${name} are ${PLACES[to]} already. To replace them, leave --store out.`;
    return { data: masked(name, pair, to), show: () => text };
  }
  if (globals.dryRun) return dryChange('keys set', `Would move the keys of ${name} from ${from} to ${to}.`);
  return stored(context, name, pair, to).catch((thrown) => {
    if (!isWithoutKeychain(thrown)) throw thrown;
    return inFile(context, name, pair, thrown, 'stay');
  });
}

async function stored({ session }: Context, name: string, pair: KeyPair, place: KeyPlace): Promise<Answer<MaskedKeys>> {
  const left = await session.keys.set(name, pair, place);
  const where = await placeOf(session, name);
  const answer = { data: masked(name, pair, place), show: () => `Stored the keys of ${name} in ${where}.` };
  if (left === null) return answer;
  const message = `The keys that ${name} had before are still in the keychain: ${left.why}`;
  const hint = `Remove the entry "${left.entry}" of pit from the keychain.`;
  return { ...answer, failure: new Failure('partial', message, { hint }) };
}

/** A system without a keychain is no reason to have no keys, but one to say so. */
async function storedInFile(context: Context, name: string, pair: KeyPair, why: KeychainFailure) {
  await context.session.keys.set(name, pair, 'file');
  return inFile(context, name, pair, why, 'are');
}

/** The answer if keys are in the file and should be in the keychain. */
async function inFile(
  { session }: Context,
  name: string,
  pair: KeyPair,
  why: KeychainFailure,
  verb: 'are' | 'stay',
): Promise<Answer<MaskedKeys>> {
  const where = await placeOf(session, name);
  const message = `${why.message} The keys of ${name} ${verb} in ${where}.`;
  const later = suggest('Move them where there is one', 'keys', 'set', '--profile', name, '--store', 'keychain');
  return {
    data: masked(name, pair, 'file'),
    show: () => `The keys of ${name} ${verb} in ${where}.`,
    failure: new Failure('partial', message, { hint: [...(why.insteadHint ?? []), later] }),
  };
}

function isWithoutKeychain(thrown: unknown): thrown is KeychainFailure {
  return thrown instanceof Failure && 'insteadHint' in thrown && thrown.insteadHint !== null;
}

/** Where the keys of a profile are, in words. */
async function placeOf({ keys }: Context['session'], name: string): Promise<string> {
  const found = await keys.find(name);
  return found?.store === 'keychain'
    ? `the system's keychain, as the entry "${found.entry}" of pit`
    : `the file ${keys.fileOf(name)}`;
}

async function ask({ prompts }: Context, profile: string): Promise<KeyPair> {
  const asked = async (question: string) => {
    let typed = '';
    // blank lines before a pasted key
    while (typed.trim() === '') typed = await prompts.hidden(question);
    return typed;
  };
  const accessKey = requireKeyText('access', await asked(`Access key of ${profile}:`));
  const secretKey = requireKeyText('secret', await asked(`Secret key of ${profile}:`));
  return { accessKey, secretKey };
}

function pairIn(bytes: Uint8Array): KeyPair {
  // TextDecoder drops the byte order mark that some editors write
  return parseKeys(new TextDecoder().decode(bytes));
}

/** Whether it is a regular file that the group or everyone may read. */
function isReadByOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o044) !== 0;
}

export const show = define({
  summary: 'Show the last four characters of the API keys',
  examples: ['keys show', 'keys show --profile overseas --json'],
  output: MASKED_KEYS,
  async run(context) {
    const { session, sandbox } = context;
    const { name, builtIn } = await chosenProfile(context);
    const found = builtIn ? null : await session.keys.find(name);
    const pair = builtIn ? await sandbox.ensure() : await session.keys.get(name);
    if (pair === null) throw withoutKeys(name);
    const shown = masked(name, pair, found?.store ?? null);
    const where = found === null ? 'the sandbox' : await placeOf(session, name);
    return {
      data: shown,
      show: (screen) =>
        record(screen, [
          ['profile', name],
          ['access key', shown.accessKey],
          ['secret key', shown.secretKey],
          ['kept in', where],
        ]),
    };
  },
});

function withoutKeys(name: string): Failure {
  const hint = suggest('Store them', 'keys', 'set', '--profile', name);
  return new Failure('credentials', `The profile ${name} has no keys.`, { hint });
}

export const remove = define({
  summary: 'Remove the API keys of a profile; asks',
  examples: ['keys remove --profile overseas', 'keys remove --profile overseas --yes'],
  output: MASKED_KEYS,
  dryRunOutput: DRY_CHANGE,
  async run(context) {
    const { session, globals } = context;
    requireConsent(context);
    const profile = await chosenProfile(context);
    const { name, tradeUrl } = profile;
    await warnOfOrphanedWrites(context, profile, () => ({ tradeUrl, accessKey: null }));
    if (globals.dryRun) return dryChange('keys remove', `Would remove the keys of ${name}.`);
    await confirm(context, `Remove the keys of ${name}?`);
    if (!(await session.keys.remove(name))) throw usage(`The profile ${name} has no keys.`);
    const data = { profile: name, accessKey: null, secretKey: null, store: null };
    return { data, show: () => `Removed the keys of ${name}.` };
  },
});

function masked(profile: string, { accessKey, secretKey }: KeyPair, store: KeyPlace | null): MaskedKeys {
  return { profile, accessKey: lastFour(accessKey), secretKey: lastFour(secretKey), store };
}
