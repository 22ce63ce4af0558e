import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { TimeRange } from '../exchange/clock.js';
import { RequestRefused } from '../refusals.js';
import { CONTENT_TYPE, dateHeader, STATUS } from '../server/interface-details.js';
import { splitTarget } from '../server/parameters.js';
import type { ApiRequest, ApiResponse, RequestHandler } from '../server/request-handler.js';
import { type Effects, effectsOf, type FaultLog, parametersOf } from './log.js';
import { FaultRules, REQUEST_FAULTS, type RequestFault, type RequestRule, type StreamRule } from './rules.js';

/** What a proxy, or an exchange in trouble, sends instead of an answer. */
const PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n';

interface FaultyRequest {
  readonly request: ApiRequest;
  readonly response: ServerResponse;
  readonly handler: RequestHandler;
}

/** Applies faults to requests, and logs what was really executed. */
export class Faults {
  readonly #now: () => number;

  readonly rules: FaultRules;

  /** `now` is the machine's clock, for the log. */
  constructor(
    seed: number,
    readonly log: FaultLog,
    now: () => number,
  ) {
    this.#now = now;

    this.rules = new FaultRules(seed);
  }

  /** The fault to apply to this request, which then counts; undefined for none. */
  match(url: string): RequestRule | undefined {
    return this.rules.none ? undefined : this.rules.match(operationIn(url));
  }

  /** The fault to apply to a frame of this channel, which then counts and is logged; undefined for none. */
  matchFrame(channel: string): StreamRule | undefined {
    const rule = this.rules.noneForStreams ? undefined : this.rules.matchFrame(channel);
    if (rule === undefined) return undefined;
    const { id, kind } = rule;
    const time = new Date(this.#now()).toISOString();
    this.log.add({ time, rule: id, kind, operation: channel, parameters: {}, executions: [] });
    return rule;
  }

  /** Answers the request as the fault says, or not at all. What was executed is logged before anything is sent. */
  async apply(rule: RequestRule, { request, response, handler }: FaultyRequest): Promise<ApiResponse> {
    // the reqTime of a late request is checked as it arrives: later, it might be too old
    const times = handler.times.map((range) => shifted(range, rule.skew));
    if (rule.kind === 'late') await handler.clock.reaches(handler.clock.now() + rule.delay);
    const [answer, executions] = await this.#execute(rule, { ...request, times }, handler);
    const { id, kind } = rule;
    const [operation, parameters] = [operationIn(request.url), parametersOf(request.url)];
    this.log.add({ time: new Date(this.#now()).toISOString(), rule: id, kind, operation, parameters, executions });
    // a delayed answer must not keep a stopped sandbox alive
    if (kind === 'delay') await delay(rule.delay, undefined, { ref: false });
    respond(kind, request, response, answer, dateHeader(handler.clock.now() + rule.skew));
    return answer;
  }

  async #execute(rule: RequestRule, request: ApiRequest, handler: RequestHandler): Promise<[ApiResponse, Effects[]]> {
    const effects: Effects[] = [];
    let answer = handler.refuse(request.url, new RequestRefused('tooFrequent'));
    for (let time = 0; time < REQUEST_FAULTS[rule.kind].executions; time += 1) {
      answer = await handler.answer(request);
      effects.push(effectsOf(operationIn(request.url), parametersOf(request.url), answer.body));
    }
    return [answer, effects];
  }
}

function shifted({ from, to }: TimeRange, ms: number): TimeRange {
  return { from: from + ms, to: to + ms };
}

function operationIn(url: string): string {
  return splitTarget(url).path.split('/').at(-1) ?? '';
}

function respond(
  kind: RequestFault,
  { url }: ApiRequest,
  response: ServerResponse,
  { body }: ApiResponse,
  date: string,
): void {
  const send = (status: number, type: string, text: string, headers = {}) => {
    const length = Buffer.byteLength(text);
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': length, Date: date, ...headers });
    response.end(text);
  };
  if (kind === 'drop-before' || kind === 'drop-after') response.destroy();
  else if (kind === 'truncate') cutOff(response, body, date);
  else if (kind === 'redirect') send(302, 'text/html', '', { location: url });
  else if (kind === 'error-before' || kind === 'error-after') send(502, 'text/html', PAGE);
  else if (kind === 'html-before' || kind === 'html-after') send(STATUS, 'text/html', PAGE);
  else send(STATUS, CONTENT_TYPE, body);
}

/** Sends the length of the whole answer, and half of its body. */
function cutOff(response: ServerResponse, body: string, date: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(STATUS, { 'Content-Type': CONTENT_TYPE, 'Content-Length': bytes.length, Date: date });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
