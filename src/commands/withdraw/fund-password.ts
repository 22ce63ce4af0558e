import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { Failure, suggest, systemErrorCode, usage } from '../../errors.js';
import { fundPasswordProblem } from '../../exchange/description.js';
import { inputStream } from '../../platform/input-stream.js';
import type { Context } from '../session/command.js';

/** Where the fund password comes from; never an argument or the environment, which others can read. */
export type PasswordSource =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'descriptor'; readonly fd: number };

/** More than any password; a device would give bytes forever. */
const MAX_BYTES = 4_096;

/** Throws Failure `usage` if stdin would show what is typed. */
export function passwordSource(
  { host }: Pick<Context, 'host'>,
  { stdin, fd }: { readonly stdin: boolean; readonly fd: number | undefined },
): PasswordSource {
  if (stdin && host.input.isTTY === true)
    throw usage('On a terminal, --safe-pwd-stdin would show the password.', 'Leave it out to be asked, or pipe it in.');
  if (fd !== undefined) return { kind: 'descriptor', fd };
  return { kind: stdin ? 'stdin' : 'prompt' };
}

/**
 * Reads the fund password. From now on it is masked wherever it might be printed; nothing else keeps it.
 * @param question what it is for
 * @throws Failure `usage` for one that cannot be read or sent, `declined` if none was typed
 */
export async function readFundPassword(context: Context, source: PasswordSource, question: string): Promise<string> {
  const { budget } = context;
  const read = () => typedPassword(context, source, question);
  const text = await budget.pausedDuring(read);
  context.host.redaction.addSecret(text);
  if (text === '')
    throw source.kind === 'prompt'
      ? new Failure('declined', 'No fund password was typed; nothing was sent.', { hint: 'Start again to withdraw.' })
      : usage('The fund password is empty; nothing was sent.', ONE_LINE);
  const problem = fundPasswordProblem(text);
  if (problem === undefined) return text;
  throw usage(`The fund password ${problem}; nothing was sent.`, ONE_LINE);
}

async function typedPassword(
  { host, prompts, output, session }: Context,
  source: PasswordSource,
  question: string,
): Promise<string> {
  if (source.kind === 'stdin') return firstLine(host.input, 'stdin');
  if (source.kind === 'descriptor') return firstLine(opened(source.fd), `The file descriptor ${source.fd}`);
  if ((await session.connection()).sandbox)
    output.note(suggest('See the fund password of the sandbox', 'sandbox', 'status'));
  return prompts.hidden(`${question} Fund password:`);
}

/** The runtime has descriptors of its own, of other kinds; reading one of them would never end. */
function opened(fd: number): Readable {
  try {
    const status = fstatSync(fd);
    const isReadable = status.isFile() || status.isFIFO() || status.isSocket() || status.isCharacterDevice();
    if (isReadable) return inputStream(fd);
  } catch (error) {
    throw unreadable(`The file descriptor ${fd}`, systemErrorCode(error));
  }
  throw unreadable(`The file descriptor ${fd}`, 'it is not open');
}

/** Reads to the end of the line, so that a source that stays open does not block. */
async function firstLine(stream: Readable, name: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of stream) {
      bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
      if (bytes.length > MAX_BYTES) throw usage(`${name} contains more than a fund password.`, ONE_LINE);
      if (bytes.includes('\n')) break;
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(name, systemErrorCode(error));
  }
  const [line = '', ...rest] = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (rest.join('').trim() !== '') throw usage(`${name} contains more than one line.`, ONE_LINE);
  return line;
}

function unreadable(name: string, why: string): Failure {
  return usage(
    `${name} could not be read: ${why}.`,
    'The shell opens it, for instance: --safe-pwd-fd 3 3< password.txt',
  );
}

const ONE_LINE = 'It must be a single line.';
