import { SandboxMarket } from '../markets/market.js';
import { badLine, type ConfigEvent, type TapeEvent } from './tape-event.js';

/** A market by the rules of a tape. Throws Failure `usage` if the sandbox cannot have it. */
export function marketOf(event: ConfigEvent): SandboxMarket {
  try {
    return new SandboxMarket({ ...event, name: event.market });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badLine(event, `has a market that the sandbox cannot have, ${event.market}: ${error.message}`);
  }
}

export function unknownMarket(event: TapeEvent): never {
  throw badLine(
    event,
    `is of ${event.market}, a market whose rules are not known`,
    'A tape of pit stream --out begins with them: give one that has the market, too.',
  );
}
