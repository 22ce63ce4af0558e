import { flag, optional } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { CANDLE_TYPES } from '../../domain/candle.js';
import type { Market } from '../../domain/market.js';
import { suggest, tryRead, usage } from '../../errors.js';
import { candleType, marketName } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';

export default define({
  summary: 'Watch a market and trade, on one screen',
  arguments: { market: optional('the market (default: the one watched or traded last)', marketName) },
  flags: { type: flag('--type <type>', `of the candles: ${CANDLE_TYPES.join(', ')} (default: 1min)`, candleType) },
  timeout: 'stop each order and cancellation after this time; the screen itself has no limit',
  examples: ['watch', 'watch btc_usdt', 'watch eth_usdt --type 15min'],
  output: shape.object({}),
  async run(context, { market, type = '1min' }) {
    requireScreen(context);
    const shown = await chosenMarket(context, market);
    const { runWatch, lastMarketKey } = await import('./runner.js');
    const { profile } = await context.session.connection();
    await context.session.cache.write(lastMarketKey(profile), shown.market);
    await runWatch(context, shown, type);
    return undefined;
  },
});

/** Throws Failure `usage` if there is no terminal to draw on and to read keys from. */
function requireScreen({ host, output }: Context): void {
  if (output.canDraw && host.input.isTTY === true) return;
  throw usage('pit watch needs a terminal: it draws a screen and reads keys.', [
    'In a pipe or script, use --watch on a command, or pit stream.',
    suggest('For instance', 'depth', 'btc_usdt', '--watch', '--json'),
    suggest('Or', 'stream', 'depth:btc_usdt'),
  ]);
}

/** The named market, or the one that was watched last, else traded last, else the first one. */
async function chosenMarket({ session }: Context, named: string | undefined): Promise<Market> {
  const catalog = await session.markets();
  if (named !== undefined) return catalog.find(named);
  const { profile } = await session.connection();
  const { lastMarketKey } = await import('./runner.js');
  const traded = (await tryRead(async () => (await session.journal()).markets())) ?? [];
  const markets = await catalog.all();
  const candidates = [session.cache.read(lastMarketKey(profile))?.value, ...traded];
  const known = candidates.flatMap((name) => markets.find(({ market }) => market === name) ?? []);
  const [first] = [...known, ...markets];
  if (first === undefined) throw usage('The exchange lists no markets.', suggest('Check the connection', 'doctor'));
  return first;
}
