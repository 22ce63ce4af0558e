import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Context } from '../../cli/context.js';
import { define, flag, toggle } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { warnOfLeftBehind } from '../../cli/left-behind.js';
import { type KeyPair, parseKeys, requireKeyText } from '../../config/keys.js';
import { codeOf } from '../../config/private.js';
import { Failure, usage } from '../../errors.js';
import { filePath } from '../inputs/words.js';
import { profileMeant } from '../profile/rows.js';
import { KEYS, shownKeys } from './shown-keys.js';

/** More than two keys of the longest kind with their line ends; a device would give bytes for ever. */
const MOST_BYTES = 4_096;

export default define({
  summary: 'Store the keys of a profile: asked for, from stdin, or from a file',
  flags: {
    stdin: toggle('--stdin', 'read the access key, a newline and the secret key from stdin'),
    file: flag('--file <path>', 'read the same two lines from a file', filePath),
  },
  examples: [
    'keys set --profile overseas',
    'keys set --profile overseas --stdin < keys.txt',
    'keys set --profile overseas --file keys.txt',
  ],
  output: KEYS,
  dry: DRY_CHANGE,
  async run(context, { stdin, file }) {
    if (stdin && file !== undefined) throw usage('--stdin and --file exclude each other.', 'Give one of them.');
    const profile = await profileMeant(context);
    const { name, tradeUrl } = profile;
    const pair = stdin
      ? parseKeys(await readAll(context.host.input, 'stdin'))
      : file === undefined
        ? await ask(context, name)
        : await fromFile(file);
    await warnOfLeftBehind(context, profile, () => ({ tradeUrl, accessKey: pair.accessKey }));
    if (context.globals.dryRun) return dryChange('keys set', `Would store the keys of ${name}.`);
    await context.session.keys.set(name, pair);
    return { data: shownKeys(name, pair), show: () => `Stored the keys of ${name}.` };
  },
});

async function ask({ prompts }: Context, profile: string): Promise<KeyPair> {
  const accessKey = requireKeyText('access', await prompts.hidden(`Access key of ${profile}:`));
  return { accessKey, secretKey: requireKeyText('secret', await prompts.hidden(`Secret key of ${profile}:`)) };
}

async function fromFile(path: string): Promise<KeyPair> {
  const text = await readAll(createReadStream(path), path).catch((error: unknown) => {
    throw error instanceof Failure ? error : usage(`The file ${path} could not be read: ${codeOf(error)}.`, TWO_LINES);
  });
  return parseKeys(text);
}

async function readAll(stream: Readable, name: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.length > MOST_BYTES) throw usage(`${name} holds more than two keys.`, TWO_LINES);
  }
  // Drops the mark that some editors put before the first line.
  return new TextDecoder().decode(bytes);
}

const TWO_LINES = 'It holds the access key and the secret key, a line each.';
