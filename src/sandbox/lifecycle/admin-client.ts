import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Advice, Failure, isAdvice, suggest } from '../../errors.js';
import type { SandboxAddress } from './files.js';

/** Thrown for a refusal. `reason` names it for a program, if it has a name. */
export class AdminError extends Error {
  override readonly name = 'AdminError';

  constructor(
    readonly status: number,
    message: string,
    readonly hint: Advice | null,
    readonly reason: string | null,
  ) {
    super(message);
  }
}

/**
 * One administration call, such as `GET /status`; `input` becomes the JSON body. Rejects when nothing answers within
 * `patience` ms, when what answers is not this sandbox (its token is asked for), and with {@link AdminError} when the
 * call is refused.
 */
export function askAdmin(address: SandboxAddress, call: string, timeout: number, input?: object): Promise<unknown> {
  const [method = 'GET', path = '/'] = call.split(' ');
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${address.adminToken}` };
    const asked = request(new URL(path, address.adminUrl), { method, headers, agent: false });
    const limit = setTimeout(() => asked.destroy(new Error('no answer in time')), timeout);
    asked.once('close', () => clearTimeout(limit));
    asked.once('error', reject);
    asked.once('response', (response) => collect(asked, response).then(resolve, reject));
    // a GET has no body
    asked.end(input === undefined || method === 'GET' ? undefined : JSON.stringify(input));
  });
}

/**
 * The same for a command: a refusal is Failure `usage` with the sandbox's own words, anything else Failure `unreachable`.
 * {@link AdminError} is the cause of the former.
 */
export async function administer(address: SandboxAddress, call: string, input: object, timeout: number) {
  try {
    return await askAdmin(address, call, timeout, input);
  } catch (cause) {
    if (cause instanceof AdminError && cause.status === 400) {
      throw new Failure('usage', cause.message, { hint: cause.hint ?? undefined, cause });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = suggest('See how it is', 'sandbox', 'status');
    throw new Failure('unreachable', `The sandbox did not answer: ${reason}`, { hint, cause });
  }
}

const LONGEST_ANSWER = 4_000_000;

async function collect(asked: ClientRequest, response: IncomingMessage): Promise<unknown> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += piece;
    if (text.length > LONGEST_ANSWER) asked.destroy(new Error('too long an answer'));
  }
  if (response.statusCode === 200) return JSON.parse(text) as unknown;
  throw adminError(response.statusCode ?? 0, text);
}

function adminError(status: number, text: string): AdminError {
  const answer = /^\s*\{/.test(text) ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
  const word = (name: string) => (typeof answer[name] === 'string' ? answer[name] : null);
  return new AdminError(
    status,
    word('error') ?? `answered with status ${status}`,
    isAdvice(answer.hint) ? answer.hint : null,
    word('reason'),
  );
}

/** In milliseconds. */
const ANSWER_TIMEOUT = 5_000;

/** Whether this very sandbox answers and is not about to stop; puts its idle stop off. */
export async function isAnswering(address: SandboxAddress): Promise<boolean> {
  try {
    await askAdmin(address, 'POST /hello', ANSWER_TIMEOUT);
    return true;
  } catch {
    return false;
  }
}
