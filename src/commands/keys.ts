import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { confirm, requireConsent } from '../cli/consent.js';
import type { Context } from '../cli/context.js';
import { define, flag, toggle } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import { type KeyPair, lastFour, parseKeys, requireKeyText } from '../config/keys.js';
import { codeOf, Failure, suggest, usage } from '../errors.js';
import { record } from '../terminal/table.js';
import { DRY_CHANGE, dryChange } from './dry-run.js';
import { filePath } from './inputs.js';
import { warnOfLeftBehind } from './left-behind.js';
import { chosenProfile } from './profile.js';

const MASKED_KEYS = shape.object({
  profile: shape.text('its name'),
  accessKey: shape.nullable(shape.text('the last four characters')),
  secretKey: shape.nullable(shape.text('the last four characters')),
});

/** More than two keys of the greatest length with their line ends; a device such as /dev/zero would never end. */
const MAX_BYTES = 4_096;

const FILE_FORMAT = 'It must hold the access key and the secret key, one per line.';

export const set = define({
  summary: 'Store the API keys of a profile',
  flags: {
    stdin: toggle('--stdin', 'read the access key, a newline and the secret key from stdin (default: ask)'),
    file: flag('--file <path>', 'read the same two lines from a file (default: ask)', filePath),
  },
  examples: [
    'keys set --profile overseas',
    'keys set --profile overseas --stdin < keys.txt',
    'keys set --profile overseas --file keys.txt',
  ],
  output: MASKED_KEYS,
  dryRunOutput: DRY_CHANGE,
  async run(context, { stdin, file }) {
    if (stdin && file !== undefined) throw usage('--stdin and --file exclude each other.', 'Give one of them.');
    const profile = await chosenProfile(context);
    const { name, tradeUrl } = profile;
    const pair = stdin
      ? parseKeys(await context.budget.pausedDuring(() => readAll(context.host.input, 'stdin')))
      : file === undefined
        ? await ask(context, name)
        : await context.budget.pausedDuring(() => fromFile(file));
    await warnOfLeftBehind(context, profile, () => ({ tradeUrl, accessKey: pair.accessKey }));
    if (context.globals.dryRun) return dryChange('keys set', `Would store the keys of ${name}.`);
    await context.session.keys.set(name, pair);
    if (file !== undefined && isReadByOthers(file))
      context.output.warn(`${file} still holds the keys, and other users can read it. Delete it.`);
    return { data: masked(name, pair), show: () => `Stored the keys of ${name}.` };
  },
});

async function ask({ prompts }: Context, profile: string): Promise<KeyPair> {
  const accessKey = requireKeyText('access', await prompts.hidden(`Access key of ${profile}:`));
  return { accessKey, secretKey: requireKeyText('secret', await prompts.hidden(`Secret key of ${profile}:`)) };
}

async function fromFile(path: string): Promise<KeyPair> {
  const text = await readAll(createReadStream(path), path).catch((error: unknown) => {
    throw error instanceof Failure ? error : usage(`Cannot read the file ${path}: ${codeOf(error)}.`, FILE_FORMAT);
  });
  return parseKeys(text);
}

/** Whether the group or everyone may read a file. Windows has no such modes. */
function isReadByOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o044) !== 0;
}

async function readAll(stream: Readable, name: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.length > MAX_BYTES) throw usage(`${name} holds more than two keys.`, FILE_FORMAT);
  }
  // TextDecoder drops the byte order mark that some editors write
  return new TextDecoder().decode(bytes);
}

export const show = define({
  summary: 'Show the last four characters of the API keys',
  examples: ['keys show', 'keys show --profile overseas --json'],
  output: MASKED_KEYS,
  async run(context) {
    const { session, sandbox } = context;
    const { name, builtIn } = await chosenProfile(context);
    const pair = builtIn ? await sandbox.ensure() : await session.keys.get(name);
    if (pair === null)
      throw new Failure('credentials', `The profile ${name} has no keys.`, {
        hint: suggest('Store them', 'keys', 'set', '--profile', name),
      });
    const shown = masked(name, pair);
    return {
      data: shown,
      show: (screen) =>
        record(screen, [
          ['profile', name],
          ['access key', shown.accessKey],
          ['secret key', shown.secretKey],
        ]),
    };
  },
});

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
    await warnOfLeftBehind(context, profile, () => ({ tradeUrl, accessKey: null }));
    if (globals.dryRun) return dryChange('keys remove', `Would remove the keys of ${name}.`);
    await confirm(context, `Remove the keys of ${name}?`);
    if (!(await session.keys.remove(name))) throw usage(`The profile ${name} has no keys.`);
    return { data: { profile: name, accessKey: null, secretKey: null }, show: () => `Removed the keys of ${name}.` };
  },
});

function masked(profile: string, { accessKey, secretKey }: KeyPair) {
  return { profile, accessKey: lastFour(accessKey), secretKey: lastFour(secretKey) };
}
