import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Faults } from '../faults/faults.js';
import { Refusal } from '../refusals.js';
import { type Activity, isBrowser } from './activity.js';
import type { ApiRequest, ApiResponse, RequestHandler } from './answering.js';
import { CONTENT_TYPE, STATUS } from './choices.js';

interface ListenerOptions {
  /** Faults on demand; none when left out. */
  readonly faults?: Faults;
  /** Refuses a User-Agent that is not a desktop browser's, which the interface demands. */
  readonly strictAgent?: boolean;
}

/** Serves the interface over HTTP. The caller owns the port and its lifetime. */
export function interfaceListener(
  handler: RequestHandler,
  activity: Activity,
  { faults, strictAgent = false }: ListenerOptions = {},
): RequestListener {
  return (request, response) => {
    activity.begin(request.headers['user-agent']);
    // only GET has no body that would have to be read before the connection can be used again
    if (request.method !== 'GET') response.shouldKeepAlive = false;
    const asked = askedIn(request);
    const end = ({ refused }: ApiResponse) => activity.end(refused);
    const finish = (answer: ApiResponse) => {
      send(response, answer.body);
      end(answer);
    };
    if (strictAgent && !isBrowser(request.headers['user-agent'])) {
      finish(handler.refuse(asked.url, new Refusal('notBrowser')));
      return;
    }
    const fault = faults?.strike(asked.url);
    if (faults !== undefined && fault !== undefined) {
      void faults.apply(fault, { asked, response, handler }).then(end);
      return;
    }
    const answer = handler.answer(asked);
    if (answer instanceof Promise) void answer.then(finish);
    else finish(answer);
  };
}

function askedIn(request: IncomingMessage): ApiRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    address: request.socket.remoteAddress ?? '',
  };
}

/** Headers as a list of names and values, which Node copies as they are. */
function send(response: ServerResponse, body: string): void {
  response.writeHead(STATUS, ['Content-Type', CONTENT_TYPE, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
}
