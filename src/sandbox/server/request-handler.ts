import type { Operation } from '../../exchange/operations/operation.js';
import type { Account } from '../accounts/accounts.js';
import type { Exchange } from '../exchange/exchange-service.js';
import { Refusal } from '../refusals.js';
import { NotWritten } from '../store/errors.js';
import { type Family, familyOf, marketData, signedFamily, write } from './bodies.js';
import { PERMISSIONS, ZONE } from './choices.js';
import type { Limits } from './limits.js';
import { SERVED } from './operations/index.js';
import { checkParameters, readQuery, splitTarget } from './parameters.js';
import type { KlineSince, Served, ServedOpenly, ServedSigned } from './served-operation.js';
import { checkMethod, checkRequestTime, readCredentials, Verifier } from './verify.js';

interface HandlerOptions {
  readonly exchange: Exchange;
  /** The machine's clock, ms since the Unix epoch: a client cannot know a driven clock, so reqTime and limits go by this. */
  readonly now: () => number;
  readonly limits: Limits;
  /** How far reqTime may be from the clock, in ms; a minute when it is not given. */
  readonly tolerance?: number | undefined;
  /** The zone of the interface's dates in minutes ahead of UTC; UTC when it is not given. */
  readonly zone?: number;
  /** Which 1,000 rows of more follow kline's `since`; the latest when it is not given. */
  readonly klineSince?: KlineSince | undefined;
  /** Told what went wrong in the sandbox itself; never a request's parameters. */
  readonly log: (line: string) => void;
}

/** What matters of an HTTP request. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly address: string;
  /** How far the clock that reqTime is held against is off, in ms; it is right when this is left out. */
  readonly skew?: number;
}

export interface ApiResponse {
  readonly body: string;
  readonly refused: boolean;
}

type Work = (asked: ApiRequest, query: string) => ApiResponse | Promise<ApiResponse>;

interface Route {
  readonly family: Family;
  readonly work: Work;
}

/**
 * Turns requests into answers of the interface's kind, refusals and the sandbox's own defects included; it never throws.
 *
 * Once the disk took nothing, signed requests are refused (1002) and market data are served on.
 *
 * Signed answers, refusals too, wait until everything that they tell is durable. Market data do not wait: what they show of a moment
 * that a kill undid is at most one commit old.
 */
export class RequestHandler {
  private readonly routes = new Map<string, Route>();
  private readonly verifier = new Verifier();

  constructor(private readonly options: HandlerOptions) {
    for (const served of SERVED) this.addRoute(served);
  }

  private addRoute(served: Served): void {
    if (served.access === 'public') {
      const parsed = new ParsedQueries(served.operation);
      const work: Work = (asked, query) => this.runPublic(served, asked, () => parsed.of(query));
      this.routes.set(`/data/v1/${served.name}`, { family: marketData, work });
      return;
    }
    const work: Work =
      served.access === 'open'
        ? (asked, query) => this.runOpen(served, asked, query)
        : (asked, query) => this.runSigned(served, asked, query);
    this.routes.set(`/api/${served.name}`, { family: signedFamily(served.name), work });
  }

  answer(asked: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const { path, query } = splitTarget(asked.url);
    const route = this.routes.get(path) ?? { family: familyOf(path), work: nowhere };
    const refuse = (thrown: unknown) => this.refusal(route.family, thrown, path);
    try {
      if (asked.method !== 'GET') throw new Refusal('badParameter', 'every operation is a GET');
      const answer = route.work(asked, query);
      return answer instanceof Promise ? answer.catch(refuse) : answer;
    } catch (error) {
      return refuse(error);
    }
  }

  /** A refusal in the shape that the operation of this address has. */
  refuse(url: string, refusal: Refusal): ApiResponse {
    const { path } = splitTarget(url);
    return this.refusal(this.routes.get(path)?.family ?? familyOf(path), refusal, path);
  }

  private runPublic(served: ServedOpenly<'public'>, asked: ApiRequest, read: () => ParsedQuery): ApiResponse {
    const { exchange, now, limits, klineSince } = this.options;
    if (served.operation.bucket === 'kline') limits.kline(asked.address, now());
    const values = read();
    exchange.advance();
    return { body: write(served.run(values, { exchange, klineSince })), refused: false };
  }

  /** Shown without accesskey and sign. A signature that is sent all the same is not looked at: it counts for the IP only. */
  private runOpen(served: ServedOpenly<'open'>, asked: ApiRequest, query: string): ApiResponse {
    const { exchange, now, limits } = this.options;
    limits.address(asked.address, now());
    const parameters = readQuery(query);
    checkMethod(served.name, parameters);
    const values = checkParameters(served.operation, parameters);
    return { body: write(served.run(values, { exchange })), refused: false };
  }

  private async runSigned(served: ServedSigned, asked: ApiRequest, query: string): Promise<ApiResponse> {
    const { exchange, now, limits, zone = ZONE } = this.options;
    limits.address(asked.address, now());
    const parameters = readQuery(query);
    const account = this.authenticate(served, parameters, asked.skew);
    const values = checkParameters(served.operation, parameters);
    // what would not last is not begun: this rejects
    if (exchange.isFailing) await exchange.durable();
    exchange.advance();
    try {
      return { body: write(served.run(values, { exchange, account, zone })), refused: false };
    } finally {
      await exchange.durable();
    }
  }

  /** The account whose key signed the request. A request counts against the key only when it is the key owner's. */
  private authenticate(served: Served, parameters: ReadonlyMap<string, string>, skew = 0): Account {
    const { exchange, now, limits, tolerance } = this.options;
    const { accessKey, sign, reqTime } = readCredentials(served.name, parameters);
    const account = exchange.account(accessKey);
    if (account === undefined) throw new Refusal('noUser', 'the access key is not known');
    this.verifier.checkSignature(account, parameters, sign);
    checkRequestTime(reqTime, now() + skew, tolerance);
    limits.key(accessKey, now());
    const permission = PERMISSIONS[served.name];
    if (permission !== undefined && !account.permissions[permission]) throw new Refusal('noPermission');
    return account;
  }

  private refusal(family: Family, thrown: unknown, path: string): ApiResponse {
    if (thrown instanceof Refusal) return { body: family(thrown), refused: true };
    if (thrown instanceof NotWritten) {
      this.options.log(`refused ${path.slice(0, 60)}: ${thrown.message}`);
      return { body: family(new Refusal('internal', thrown.message)), refused: true };
    }
    const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.options.log(`internal error in ${path.slice(0, 60)}: ${trace}`);
    return { body: family(new Refusal('internal')), refused: true };
  }
}

const nowhere: Work = () => {
  throw new Refusal('general', 'no such operation');
};

export type ParsedQuery = Readonly<Record<string, string | undefined>>;

/** So many are kept; then all are forgotten, which is rare and cheap. */
const MOST = 500;

/**
 * What the queries of an operation mean. That depends on their text alone, and who watches a market asks the same again
 * and again, so it is read once.
 */
class ParsedQueries {
  private readonly known = new Map<string, ParsedQuery>();

  constructor(private readonly operation: Operation) {}

  /** The checked parameters of a query. Throws Refusal where they are wrong, each time anew. */
  of(query: string): ParsedQuery {
    const known = this.known.get(query);
    if (known !== undefined) return known;
    const meaning = checkParameters(this.operation, readQuery(query));
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(query, meaning);
    return meaning;
  }
}
