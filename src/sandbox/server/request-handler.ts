import type { Account } from '../accounts/accounts.js';
import { Clock, type InclusiveTimeRange } from '../exchange/clock.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { RequestRefused } from '../refusals.js';
import { NotWritten } from '../store/store.js';
import { marketDataRefusal, type RefusalBody, refusalBodyOf, signedRefusal, toJsonText } from './bodies.js';
import { type Dialect, REQUEST_TIME_TOLERANCE, ZONE } from './interface-details.js';
import type { EnforcedRateLimits } from './limits.js';
import { SERVED } from './operations/index.js';
import { checkParameters, readQuery, splitTarget } from './parameters.js';
import type { KlineSince, Served, ServedOpenly, ServedSigned } from './served-operation.js';
import { checkMethod, checkRequestTime, readCredentials, Verifier } from './verify.js';

interface HandlerOptions {
  readonly exchange: SandboxExchange;
  /** The machine's clock, for limits: the exchange's may be stopped. */
  readonly now: () => number;
  readonly limits: EnforcedRateLimits;
  /** How far reqTime may be from the exchange's clock, in ms (default: a minute). */
  readonly tolerance?: number | undefined;
  /** The zone of the interface's dates, in minutes ahead of UTC (default: UTC). */
  readonly zone?: number | undefined;
  /** Which rows kline gives if more than 1,000 follow its `since` (default: the latest). */
  readonly klineSince?: KlineSince | undefined;
  /** Default: the document's. */
  readonly dialect?: Dialect | undefined;
  /** Gets errors of the sandbox itself, never a request's parameters. */
  readonly log: (line: string) => void;
}

/** The relevant parts of an HTTP request. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly address: string;
  /** What reqTime may be (default: what a client may believe as the request is executed). */
  readonly times?: readonly InclusiveTimeRange[];
}

export interface ApiResponse {
  readonly body: string;
  readonly refused: boolean;
}

interface SignedRequest {
  readonly account: Account;
  readonly parameters: ReadonlyMap<string, string>;
  readonly reqTime: string;
}

type Respond = (request: ApiRequest, query: string) => ApiResponse | Promise<ApiResponse>;

interface Route {
  readonly refusalBody: RefusalBody;
  readonly respond: Respond;
}

/**
 * Routes a request to its operation, checks it, and writes the answer as the interface has it. Refusals and the sandbox's own
 * errors are answers too; it never throws.
 *
 * Signed answers, also refusals, wait until everything they report is durable. Market data do not wait: after a kill, at most one
 * commit of what they showed is undone. Once the disk failed, signed requests are refused (1002) and market data are still served.
 */
export class RequestHandler {
  readonly #options: HandlerOptions;

  readonly #routes = new Map<string, Route>();
  readonly #verifier = new Verifier();

  readonly #dialect: Dialect;
  readonly #tolerance: number;

  constructor(options: HandlerOptions) {
    this.#options = options;

    this.#dialect = options.dialect ?? 'document';
    this.#tolerance = options.tolerance ?? REQUEST_TIME_TOLERANCE;
    for (const served of SERVED) this.#addRoute(served);
  }

  #addRoute(served: Served): void {
    if (served.access === 'public') {
      const parsed = new ParsedQueries(served, this.#dialect);
      const respond: Respond = (request, query) => this.#runPublic(served, request, () => parsed.of(query));
      this.#routes.set(`/data/v1/${served.name}`, { refusalBody: marketDataRefusal, respond });
      return;
    }
    const respond: Respond =
      served.access === 'keyless'
        ? (request, query) => this.#runOpen(served, request, query)
        : (request, query) => this.#runSigned(served, request, query);
    this.#routes.set(`/api/${served.name}`, { refusalBody: signedRefusal(served.name, this.#dialect), respond });
  }

  /** The exchange's clock; while the exchange is being replaced, the machine's. */
  get clock(): SandboxExchange['clock'] {
    try {
      return this.#options.exchange.clock;
    } catch {
      return new Clock(this.#options.now, undefined, () => undefined);
    }
  }

  /** What reqTime may be now. */
  get times(): InclusiveTimeRange[] {
    return this.clock.believable(this.#tolerance);
  }

  answer(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const { path, query } = splitTarget(request.url);
    const route = this.#routes.get(path) ?? { refusalBody: refusalBodyOf(path), respond: unknownOperation };
    const refuse = (thrown: unknown) => this.#refusal(route.refusalBody, thrown, path);
    try {
      if (request.method !== 'GET' && !this.takesPost(request))
        throw new RequestRefused('badParameter', 'every operation is a GET');
      const answer = route.respond(request, query);
      return answer instanceof Promise ? answer.catch(refuse) : answer;
    } catch (error) {
      return refuse(error);
    }
  }

  /** Whether the parameters of this request may be in its body. */
  takesPost({ method }: Pick<ApiRequest, 'method'>): boolean {
    return this.#dialect === 'observed' && method === 'POST';
  }

  /** A refusal in the format of the operation at this URL. */
  refuse(url: string, refusal: RequestRefused): ApiResponse {
    const { path } = splitTarget(url);
    return this.#refusal(this.#routes.get(path)?.refusalBody ?? refusalBodyOf(path), refusal, path);
  }

  #runPublic(served: ServedOpenly<'public'>, request: ApiRequest, read: () => ParsedQuery): ApiResponse {
    const { exchange, now, limits, klineSince } = this.#options;
    if (served.operation.bucket === 'kline') limits.kline(request.address, now());
    const values = read();
    exchange.advance();
    return { body: toJsonText(served.run(values, { exchange, klineSince, dialect: this.#dialect })), refused: false };
  }

  /** The interface shows it without accesskey and sign. A signature is ignored. */
  #runOpen(served: ServedOpenly<'keyless'>, request: ApiRequest, query: string): ApiResponse {
    const { exchange, now, limits } = this.#options;
    limits.unsigned(request.address, now());
    const parameters = readQuery(query);
    checkMethod(served.name, parameters);
    const values = checkParameters(served, parameters, this.#dialect);
    return { body: toJsonText(served.run(values, { exchange, dialect: this.#dialect })), refused: false };
  }

  async #runSigned(served: ServedSigned, request: ApiRequest, query: string): Promise<ApiResponse> {
    const { exchange, now, limits, zone = ZONE } = this.#options;
    const { account, parameters, reqTime } = this.#readSigned(served, request, query);
    limits.address(request.address, now());
    checkRequestTime(reqTime, request.times ?? this.times, this.#tolerance);
    limits.key(account.accessKey, now());
    if (!account.permissions[served.permission]) throw new RequestRefused('noPermission');
    const values = checkParameters(served, parameters, this.#dialect);
    // nothing is begun that could not be kept: this rejects
    if (exchange.isFailing) await exchange.durable();
    if (served.permission === 'entrust' && served.operation.effect === 'write') await exchange.arrival();
    exchange.advance();
    try {
      return {
        body: toJsonText(served.run(values, { exchange, account, zone, dialect: this.#dialect })),
        refused: false,
      };
    } finally {
      await exchange.durable();
    }
  }

  /** The parameters of a request, and the account whose key signed them. A request without a signature counts apart. */
  #readSigned(served: Served, request: ApiRequest, query: string): SignedRequest {
    const { exchange, now, limits } = this.#options;
    try {
      const parameters = readQuery(query);
      const { accessKey, sign, reqTime } = readCredentials(served.name, parameters);
      const account = exchange.customers.byAccessKey(accessKey);
      if (account === undefined) throw new RequestRefused('noUser', 'the access key is not known');
      this.#verifier.checkSignature(account, parameters, sign);
      return { account, parameters, reqTime };
    } catch (error) {
      limits.unsigned(request.address, now());
      throw error;
    }
  }

  #refusal(refusalBody: RefusalBody, thrown: unknown, path: string): ApiResponse {
    if (thrown instanceof RequestRefused) return { body: refusalBody(thrown), refused: true };
    if (thrown instanceof NotWritten) {
      this.#options.log(`refused ${path.slice(0, 60)}: ${thrown.message}`);
      return { body: refusalBody(new RequestRefused('internal', thrown.message)), refused: true };
    }
    const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.#options.log(`internal error in ${path.slice(0, 60)}: ${trace}`);
    return { body: refusalBody(new RequestRefused('internal')), refused: true };
  }
}

const unknownOperation: Respond = () => {
  throw new RequestRefused('general', 'no such operation');
};

type ParsedQuery = Readonly<Record<string, string | undefined>>;

/** When there are more, all are forgotten, which is rare and cheap. */
const MOST = 500;

/**
 * The parsed queries of an operation. Clients that watch a market send the same text again and again, so it is parsed once.
 */
class ParsedQueries {
  readonly #served: Served;
  readonly #dialect: Dialect;

  readonly #parsedQueries = new Map<string, ParsedQuery>();

  constructor(served: Served, dialect: Dialect) {
    this.#served = served;
    this.#dialect = dialect;
  }

  /** The checked parameters of a query. Throws {@link RequestRefused}. */
  of(query: string): ParsedQuery {
    const cached = this.#parsedQueries.get(query);
    if (cached !== undefined) return cached;
    const parsed = checkParameters(this.#served, readQuery(query), this.#dialect);
    if (this.#parsedQueries.size >= MOST) this.#parsedQueries.clear();
    this.#parsedQueries.set(query, parsed);
    return parsed;
  }
}
