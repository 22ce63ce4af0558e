import type { RequestListener, ServerResponse } from 'node:http';
import type { Activity } from './activity.js';
import type { Answer, Answering } from './answering.js';
import { CONTENT_TYPE, STATUS } from './choices.js';

/** Serves the interface over HTTP. The caller owns the port and its lifetime. */
export function interfaceListener(answering: Answering, activity: Activity): RequestListener {
  return (request, response) => {
    activity.begin(request.headers['user-agent']);
    // only GET has no body that would have to be read before the connection can be used again
    if (request.method !== 'GET') response.shouldKeepAlive = false;
    const finish = (answer: Answer) => {
      send(response, answer.body);
      activity.end(answer.refused);
    };
    const answer = answering.answer({
      method: request.method ?? '',
      url: request.url ?? '',
      address: request.socket.remoteAddress ?? '',
    });
    if (answer instanceof Promise) void answer.then(finish);
    else finish(answer);
  };
}

function send(response: ServerResponse, body: string): void {
  response.statusCode = STATUS;
  response.setHeader('Content-Type', CONTENT_TYPE);
  response.end(body);
}
