import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';

/** What one administration call answers; `afterwards` runs after the answer was sent. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly afterwards?: () => void;
}

export type AdminCall = () => AdminAnswer | Promise<AdminAnswer>;

/**
 * The administration, apart from the interface: its own port, a bearer token, JSON.
 * `calls` is keyed by method and path, as in `POST /stop`.
 */
export function adminListener(token: string, calls: ReadonlyMap<string, AdminCall>): RequestListener {
  return (request, response) => {
    request.resume();
    const asked = authorized(request, token) ? answerTo(request, calls) : Promise.resolve(denied);
    void asked.then((answer) => {
      response.statusCode = answer.status;
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Connection', 'close');
      response.end(`${JSON.stringify(answer.body)}\n`, () => answer.afterwards?.());
    });
  };
}

const denied: AdminAnswer = { status: 401, body: { error: 'the admin token is missing or wrong' } };

async function answerTo(request: IncomingMessage, calls: ReadonlyMap<string, AdminCall>): Promise<AdminAnswer> {
  const call = calls.get(`${request.method} ${request.url}`);
  if (call === undefined) return { status: 404, body: { error: 'no such administration call' } };
  try {
    return await call();
  } catch (error) {
    return { status: 500, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

/** Digests have the same length, so that the comparison tells nothing about the token. */
function authorized(request: IncomingMessage, token: string): boolean {
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
