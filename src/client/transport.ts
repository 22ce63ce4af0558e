import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Got, RequestError } from 'got';

/** "Clients must send a `User-Agent` header that looks like a desktop browser's." */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const CONNECT_TIMEOUT_MS = 5_000;

/** A hundred times what the interface's longest answers take, counted after decompression: a few bytes may hold gigabytes. */
const MOST_BYTES = 32 * 2 ** 20;

export interface Delivery {
  /** A connection of its own, closed afterwards: a reused one may break under the request with nobody knowing how far it came. */
  readonly fresh: boolean;
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** The `Date` header in milliseconds since the Unix epoch, to the second; null where there is none. */
  readonly date: number | null;
}

/** How a request failed to bring an answer. */
export type TransportFault =
  | 'unresolved'
  | 'refused'
  | 'certificate'
  | 'unconnected'
  | 'reset'
  | 'truncated'
  | 'endless'
  | 'timeout'
  | 'broken';

/** No whole HTTP answer came. The message never holds the URL. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly fault: TransportFault,
    /** False when the connection was never made, so that not a byte of the request left. */
    readonly sent: boolean,
    message: string,
  ) {
    super(message);
  }
}

let instance: Promise<Got> | undefined;

/** The one got instance: it sends a request once, follows nothing, and judges no status. */
function gotOnce(): Promise<Got> {
  instance ??= import('got').then(({ got }) =>
    got.extend({
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      headers: { 'user-agent': USER_AGENT, accept: 'application/json, text/javascript, */*' },
    }),
  );
  return instance;
}

/** Sends one GET, once. Throws {@link TransportError}. */
export async function get(url: string, { fresh, timeoutMs }: Delivery): Promise<HttpAnswer> {
  const request = await gotOnce();
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  try {
    const answer = request.get(url, {
      timeout: { lookup: connectMs, connect: connectMs, secureConnect: connectMs, request: timeoutMs },
      ...(fresh
        ? { agent: { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) } }
        : {}),
    });
    answer.on('downloadProgress', ({ transferred }) => {
      if (transferred > MOST_BYTES) answer.cancel();
    });
    const response = await answer;
    return { status: response.statusCode, body: response.body, date: dateOf(response.headers.date) };
  } catch (error) {
    throw transportError(error, url.startsWith('https:'));
  }
}

function dateOf(header: string | undefined): number | null {
  const date = Date.parse(header ?? '');
  return Number.isNaN(date) ? null : date;
}

function transportError(thrown: unknown, secure: boolean): unknown {
  if (!isRequestError(thrown)) return thrown;
  const { timings, code } = thrown;
  const sent = timings !== undefined && (secure ? timings.secureConnect : timings.connect) !== undefined;
  const fault = faultOf(thrown, sent);
  return new TransportError(fault, sent, `${FAULT_WORDS[fault]} (${code})`);
}

function isRequestError(thrown: unknown): thrown is RequestError {
  return thrown instanceof Error && 'code' in thrown && 'options' in thrown;
}

const FAULT_WORDS: Readonly<Record<TransportFault, string>> = {
  unresolved: 'the host name could not be resolved',
  refused: 'the host refused the connection',
  certificate: "the host's certificate was not accepted",
  unconnected: 'no connection could be made',
  reset: 'the connection broke before an answer came',
  truncated: 'the answer was cut off',
  endless: `the answer was longer than ${MOST_BYTES / 2 ** 20} MB`,
  timeout: 'no answer came in time',
  broken: 'the answer was not valid HTTP',
};

function faultOf({ name, code }: RequestError, sent: boolean): TransportFault {
  if (!sent) return unsentFault(code);
  if (name === 'TimeoutError') return 'timeout';
  if (name === 'CancelError') return 'endless';
  if (name === 'ReadError') return 'truncated';
  return code.startsWith('HPE_') ? 'broken' : 'reset';
}

function unsentFault(code: string): TransportFault {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unresolved';
  if (code === 'ECONNREFUSED') return 'refused';
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/.test(code) ? 'certificate' : 'unconnected';
}
