import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { SandboxAddress } from './address.js';

/**
 * One administration call, such as `GET /status`. Rejects when nothing answers within `patience` ms, when what answers
 * is not this sandbox (its token is asked for), and when the call is refused.
 */
export function askAdmin(address: SandboxAddress, call: string, patience: number): Promise<unknown> {
  const [method = 'GET', path = '/'] = call.split(' ');
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${address.adminToken}` };
    const asked = request(new URL(path, address.adminUrl), { method, headers, agent: false });
    const limit = setTimeout(() => asked.destroy(new Error('no answer in time')), patience);
    asked.once('close', () => clearTimeout(limit));
    asked.once('error', reject);
    asked.once('response', (response) => collect(asked, response).then(resolve, reject));
    asked.end();
  });
}

const LONGEST_ANSWER = 1_000_000;

async function collect(asked: ClientRequest, response: IncomingMessage): Promise<unknown> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += piece;
    if (text.length > LONGEST_ANSWER) asked.destroy(new Error('too long an answer'));
  }
  if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
  return JSON.parse(text) as unknown;
}

/** Whether this very sandbox answers and is not about to stop; puts its idle stop off. */
export async function isAnswering(address: SandboxAddress, patience = 2_000): Promise<boolean> {
  try {
    await askAdmin(address, 'POST /hello', patience);
    return true;
  } catch {
    return false;
  }
}
