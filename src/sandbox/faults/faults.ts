import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { InclusiveTimeRange } from '../exchange/clock.js';
import { RequestRefused } from '../refusals.js';
import { CONTENT_TYPE, dateHeader, STATUS } from '../server/interface-details.js';
import { splitTarget } from '../server/parameters.js';
import type { ApiRequest, ApiResponse, RequestHandler } from '../server/request-handler.js';
import { type Effects, effectsOf, type FaultLog, parametersOf } from './log.js';
import { FaultRules, type RequestRule, requestFault, type Sent, type StreamFault, type StreamRule } from './rules.js';

/** What a proxy, or an exchange in trouble, sends instead of an answer. */
const PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n';

interface FaultyRequest {
  readonly request: ApiRequest;
  readonly response: ServerResponse;
  readonly handler: RequestHandler;
}

/** What a client gets of a faulty request: nothing, a part of the answer, or a whole one. */
export type FaultyReply =
  | { readonly kind: 'closed' }
  | { readonly kind: 'cut'; readonly body: string }
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly type: string;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };

interface CarriedOut {
  /** Of the last execution. */
  readonly answer: ApiResponse;
  readonly reply: FaultyReply;
  /** How far the date of the reply is off, in ms. */
  readonly skew: number;
}

interface FaultsOptions {
  /** The clock of the log. */
  readonly now: () => number;
  /** Waits before an answer that is delayed. A delayed answer must not keep a stopped sandbox alive. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Waits before a late request is executed (default: by the exchange's clock). */
  readonly waitFor?: (handler: RequestHandler, ms: number) => Promise<unknown>;
}

/** Applies faults to requests, and logs what was really executed. */
export class Faults {
  readonly #options: Required<FaultsOptions>;

  readonly rules: FaultRules;

  constructor(
    seed: number,
    readonly log: Pick<FaultLog, 'add' | 'after'>,
    options: FaultsOptions,
  ) {
    this.#options = {
      sleep: (ms) => delay(ms, undefined, { ref: false }),
      waitFor: ({ clock }, ms) => clock.reaches(clock.now() + ms),
      ...options,
    };

    this.rules = new FaultRules(seed);
  }

  /** The fault to apply to this request, which then counts; undefined for none. */
  match(url: string): RequestRule | undefined {
    return this.rules.none ? undefined : this.rules.match(operationIn(url));
  }

  /**
   * The fault to apply to a frame of this channel, which then counts and is logged; undefined for none.
   * @param without one that would change nothing now
   */
  matchFrame(channel: string, without?: StreamFault): StreamRule | undefined {
    const rule = this.rules.noneForStreams ? undefined : this.rules.matchFrame(channel, without);
    if (rule === undefined) return undefined;
    const { id, kind } = rule;
    const time = new Date(this.#options.now()).toISOString();
    this.log.add({ time, rule: id, kind, operation: channel, parameters: {}, executions: [] });
    return rule;
  }

  /** Answers the request as the fault says, or not at all. What was executed is logged before anything is sent. */
  async apply(rule: RequestRule, { request, response, handler }: FaultyRequest): Promise<ApiResponse> {
    const { answer, reply, skew } = await this.carryOut(rule, request, handler);
    send(response, reply, dateHeader(handler.clock.now() + skew));
    return answer;
  }

  /** Executes and logs the request. Resolves when what the client gets is to be sent. */
  async carryOut(rule: RequestRule, request: ApiRequest, handler: RequestHandler): Promise<CarriedOut> {
    const { now, sleep, waitFor } = this.#options;
    // the reqTime of a late request is checked as it arrives: later, it might be too old
    const times = handler.times.map((range) => shifted(range, rule.skew));
    const { sends, shifts } = requestFault(rule.kind);
    if (shifts === 'execution') await waitFor(handler, rule.delay);
    const [answer, executions] = await this.#execute(rule, { ...request, times }, handler);
    const { id, kind, skew } = rule;
    const [operation, parameters] = [operationIn(request.url), parametersOf(request.url)];
    this.log.add({ time: new Date(now()).toISOString(), rule: id, kind, operation, parameters, executions });
    if (shifts === 'answer') await sleep(rule.delay);
    return { answer, reply: REPLIES[sends](request, answer), skew };
  }

  async #execute(rule: RequestRule, request: ApiRequest, handler: RequestHandler): Promise<[ApiResponse, Effects[]]> {
    const effects: Effects[] = [];
    let answer = handler.refuse(request.url, new RequestRefused('tooFrequent'));
    for (let time = 0; time < requestFault(rule.kind).executions; time += 1) {
      answer = await handler.answer(request);
      effects.push(effectsOf(operationIn(request.url), parametersOf(request.url), answer.body));
    }
    return [answer, effects];
  }
}

function shifted({ from, to }: InclusiveTimeRange, ms: number): InclusiveTimeRange {
  return { from: from + ms, to: to + ms };
}

function operationIn(url: string): string {
  return splitTarget(url).path.split('/').at(-1) ?? '';
}

const whole = (status: number, type: string, body: string, headers = {}): FaultyReply => {
  return { kind: 'whole', status, type, body, headers };
};

/** What is sent, for each word of the table of faults. */
const REPLIES: Readonly<Record<Sent, (request: ApiRequest, answer: ApiResponse) => FaultyReply>> = {
  answer: (_, { body }) => whole(STATUS, CONTENT_TYPE, body),
  nothing: () => ({ kind: 'closed' }),
  half: (_, { body }) => ({ kind: 'cut', body }),
  'error page': () => whole(502, 'text/html', PAGE),
  page: () => whole(STATUS, 'text/html', PAGE),
  redirect: ({ url }) => whole(302, 'text/html', '', { location: url }),
};

function send(response: ServerResponse, reply: FaultyReply, date: string): void {
  if (reply.kind === 'closed') response.destroy();
  else if (reply.kind === 'cut') cutOff(response, reply.body, date);
  else {
    const { status, type, body, headers } = reply;
    const length = Buffer.byteLength(body);
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': length, Date: date, ...headers });
    response.end(body);
  }
}

/** Sends the length of the whole answer, and half of its body. */
function cutOff(response: ServerResponse, body: string, date: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(STATUS, { 'Content-Type': CONTENT_TYPE, 'Content-Length': bytes.length, Date: date });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
