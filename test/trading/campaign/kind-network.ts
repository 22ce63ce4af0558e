import { PASS, type Passing, type Treatment } from '../../support/proxy.js';
import type { Action } from './action.js';
import type { Exchange } from './exchange.js';
import type { CampaignNetwork } from './fault-campaign.js';
import { type Around, type CampaignFault, clockModule } from './fault-kinds.js';
import { requiring } from './required-module.js';

/** A write that a fault met. */
interface Met {
  readonly fault: CampaignFault;
  readonly write: Passing;
}

/** Every how many of the equal orders a fault meets. */
const CROWD_STEP = 4;

/** Applies one kind of fault to each action: to its first write, or to the reads that follow it. */
export class KindNetwork implements CampaignNetwork {
  readonly #faults: ReadonlyMap<Action, CampaignFault>;
  readonly #exchange: Exchange;
  readonly #tolerance: number;
  readonly #keyOf: (request: Passing) => string | undefined;
  readonly #done: Passing[];

  isCalm = false;
  /** The actions whose fault was applied. */
  readonly applied = new Set<Action>();
  readonly #byKey = new Map<string, { readonly action: Action; readonly fault: CampaignFault }>();
  readonly #counts = new Map<string, number>();
  readonly #met = new Map<Action, Met>();

  /** @param done writes that the exchange has executed, the newest last: also those of networks before this one */
  constructor(
    faults: ReadonlyMap<Action, CampaignFault>,
    exchange: Exchange,
    tolerance: number,
    keyOf: (request: Passing) => string | undefined,
    done: Passing[],
  ) {
    this.#faults = faults;
    this.#exchange = exchange;
    this.#tolerance = tolerance;
    this.#keyOf = keyOf;
    this.#done = done;

    for (const [action, fault] of faults) for (const key of action.keys) this.#byKey.set(key, { action, fault });
  }

  readonly environmentOf = (action: Action): Readonly<Record<string, string>> | undefined => {
    const clock = this.#faults.get(action)?.clock;
    return clock === undefined ? undefined : requiring(clockModule(clock));
  };

  readonly treat = (request: Passing): Treatment => {
    if (this.isCalm) return PASS;
    const key = this.#keyOf(request);
    const treatment = key === undefined ? this.#read(request) : this.#write(request, key);
    if (key !== undefined) this.#done.push(request);
    return treatment ?? PASS;
  };

  #write(request: Passing, key: string): Treatment | undefined {
    const found = this.#byKey.get(key);
    if (found === undefined) return undefined;
    const { action, fault } = found;
    if (fault.writes?.includes(request.operation) === false) return undefined;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (fault.isCrowd ? count % CROWD_STEP !== 0 : count > 1) return undefined;
    const treatment = fault.write?.(this.#around(request));
    if (treatment === undefined) return undefined;
    if (fault.read === undefined) this.applied.add(action);
    else this.#met.set(action, { fault, write: request });
    return { ...treatment, name: fault.name };
  }

  #read(request: Passing): Treatment | undefined {
    for (const [action, { fault, write }] of this.#met) {
      if (fault.read === undefined || Date.now() > (write.replied ?? Date.now()) + fault.read.ms) continue;
      const of = readOf(request, write, action);
      if (of === undefined || !fault.read.of.includes(of)) continue;
      const treatment = fault.read.treat(this.#around(request));
      if (treatment === undefined) continue;
      this.applied.add(action);
      return { ...treatment, name: fault.name };
    }
    return undefined;
  }

  #around(request: Passing): Around {
    return {
      request,
      tolerance: this.#tolerance,
      earlier: (isElsewhere) => this.#earlier(request, isElsewhere),
      lagging: (ms) => this.#lagging(request, Date.now() - ms),
    };
  }

  /** The newest good answer to such a write, as bytes with an empty head. */
  #earlier(request: Passing, isElsewhere: boolean): string | undefined {
    const fits = (one: Passing) =>
      one.operation === request.operation && (marketOf(one) === marketOf(request)) !== isElsewhere;
    const answers = this.#done.filter(fits).flatMap(({ executions }) => executions.map(({ answer = '' }) => answer));
    const good = answers.findLast((answer) => /^\{"code":"?1000/.test(answer));
    return good === undefined ? undefined : `\r\n\r\n${good}`;
  }

  async #lagging({ operation, parameters }: Passing, until: number): Promise<string> {
    const { currency = '', tradeType = '', pageIndex = '1', pageSize = '10' } = parameters;
    if (operation === 'getWithdrawRecord') {
      const body = await this.#exchange.ask(operation, { currency, pageIndex, pageSize });
      return body.replace(/"list":\[.*\]/s, `"list":[${rowsBefore(body, 'submitTime', until).join(',')}]`);
    }
    const rows: string[] = [];
    for (let page = 1; rows.length < 10 * Number(pageIndex); page += 1) {
      const body = await this.#exchange.ask(operation, { currency, tradeType, pageIndex: String(page) });
      rows.push(...rowsBefore(body, 'trade_date', until));
      if (!body.startsWith('[')) break;
    }
    const page = rows.slice(10 * (Number(pageIndex) - 1), 10 * Number(pageIndex));
    return page.length === 0 ? '{"code":3001,"message":"order not found"}' : `[${page.join(',')}]`;
  }
}

/** How a request reads what a write may have made; undefined if it reads something else. */
function readOf({ operation, parameters }: Passing, write: Passing, action: Action): 'lookup' | 'list' | undefined {
  const { id, customerOrderId, currency, tradeType } = parameters;
  if (operation === 'getOrder') {
    const names = [write.parameters.id, write.parameters.customerOrderId].filter((name) => name !== undefined);
    return names.includes(id ?? customerOrderId ?? '') ? 'lookup' : undefined;
  }
  if (currency !== action.market) return undefined;
  if (operation === 'getWithdrawRecord') return action.kind === 'withdraw' ? 'list' : undefined;
  const side = tradeType === '1' ? 'buy' : 'sell';
  return operation === 'getOrders' && side === action.side ? 'list' : undefined;
}

function marketOf({ parameters: { currency, market } }: Passing): string | undefined {
  return currency ?? market;
}

/** The flat objects in a body whose time is before this one, as text. */
function rowsBefore(body: string, name: string, until: number): string[] {
  const rows = body.match(/\{[^{}]*\}/g) ?? [];
  return rows.filter((row) => Number(new RegExp(`"${name}":(\\d+)`).exec(row)?.[1]) < until);
}
