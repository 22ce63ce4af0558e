import type { Budget } from '../../exchange/budget.js';
import type { Host } from '../../platform/host.js';
import type { Output } from '../../terminal/output.js';
import type { TradingAccount } from '../../trading/account.js';
import { Journal } from '../../trading/journal/journal.js';
import type { Session } from './connection.js';
import { warnOfDuplicates, warnOfDuplicateWithdrawals } from './duplicate-warnings.js';
import { journalName, toleranceMemory } from './remembered.js';

/** The account that signed calls belong to, with its journal. */
export class Trading {
  #journal: Journal | undefined;

  constructor(
    private readonly host: Host,
    private readonly budget: Budget,
    private readonly output: Output,
    private readonly session: Session,
  ) {}

  /** What every write goes through. Throws Failure `credentials`. */
  async account(): Promise<TradingAccount> {
    const { host, budget, output, session } = this;
    const client = await session.signedClient();
    const connection = await session.connection();
    const { accessKey } = session.credentials(connection);
    this.#journal ??= new Journal(host, host.directories.state, journalName(connection, accessKey));
    return {
      ...{ host, budget, client, journal: this.#journal },
      tolerance: toleranceMemory(connection, session.profiles, session.cache),
      tell: (words) => {
        if (host.errors.isTTY === true) output.note(words);
      },
      warn: (words) => output.warn(words),
      reportDuplicateOrders: (duplicates) => warnOfDuplicates(output, duplicates),
      reportDuplicateWithdrawals: (duplicates) => warnOfDuplicateWithdrawals(output, duplicates),
    };
  }

  /** The ids of writes whose outcome is unknown; undefined if the journal was not used. */
  unresolved(): string[] | undefined {
    const open = this.#journal?.open().filter(({ isUnderWay }) => !isUnderWay);
    return open?.map(({ intent }) => intent.id);
  }
}
