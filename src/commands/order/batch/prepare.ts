import type { Context } from '../../../cli/context.js';
import type { Market } from '../../../domain/market.js';
import type { TradingAccount } from '../../../trading/account.js';
import type { BatchPlan } from '../../../trading/batches/begin.js';
import { type Guarded, needMarket } from '../../../trading/guards/guards.js';
import { type GuardLimits, guardLimits } from '../../../trading/guards/limits.js';
import type { GuardName } from '../../../trading/guards/names.js';
import type { MarketSide } from '../../../trading/journal/archive.js';
import { type BatchFacts, guardBatch, previewBatch } from '../../../trading/preview/batch.js';
import { Outlook } from '../../../trading/preview/outlook.js';

/** What is known of a job's orders beforehand. */
interface PreparedBatch extends Guarded {
  /** Null where nobody is going to look: `--yes` has answered. */
  readonly facts: BatchFacts | null;
}

/** The exchange around a job, and the limits that hold for it. */
export class Surroundings {
  /** Guards and words hold against the best prices; there are too many orders to walk the book with each. */
  readonly outlook: Outlook;

  private constructor(
    private readonly account: TradingAccount,
    private readonly market: Market,
    private readonly where: MarketSide,
    private readonly limits: GuardLimits,
    private readonly overridden: readonly GuardName[],
    private readonly isSeen: boolean,
  ) {
    this.outlook = new Outlook(account.client, where, 1);
  }

  /** Asks at once for everything that will be needed. */
  static async of(
    { session, globals }: Context,
    account: TradingAccount,
    market: Market,
    where: MarketSide & Pick<BatchPlan, 'account'>,
    overridden: readonly GuardName[],
  ): Promise<Surroundings> {
    const limits = guardLimits((await session.connection()).settings);
    const isSeen = globals.dryRun || !globals.yes;
    const around = new Surroundings(account, market, where, limits, overridden, isSeen);
    if (isSeen || around.#needsMarket) around.outlook.market();
    if (isSeen && where.account === 'spot') around.outlook.available();
    if (isSeen) around.outlook.orders();
    return around;
  }

  /** Looks at everything where somebody is going to see it, and only at what the guards need where `--yes` has answered. */
  async prepare(plan: BatchPlan): Promise<PreparedBatch> {
    if (this.isSeen) return previewBatch(this.account, this.market, plan, this.outlook, this.limits);
    const seen = this.#needsMarket ? await this.outlook.market() : undefined;
    return { facts: null, ...guardBatch(this.account, this.market, plan, seen, this.limits) };
  }

  get #needsMarket(): boolean {
    return needMarket({ side: this.where.side, type: 'limit', quote: this.market.quote }, this.limits, this.overridden);
  }
}
