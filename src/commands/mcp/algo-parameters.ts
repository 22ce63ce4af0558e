import { ALGO_FLAGS } from '../order/algo-args.js';
import { choice, optional, text, texts, toggle } from './parameters.js';

/** An agent runs no program of the user. */
const { exec: _exec, notify: _notify, ...AGENT_ALGO_FLAGS } = ALGO_FLAGS;

/** The flags of algo orders that an agent may give. */
export { AGENT_ALGO_FLAGS };

/** The same as parameters of a tool; undescribed in a tool that another one describes. */
export function algoParameters(isDescribed: boolean) {
  const of = (description: string) => (isDescribed ? description : '');
  return {
    take: optional(text(of('algo: take-profit price'))),
    stop: optional(text(of('algo: stop price'))),
    limit: optional(text(of('algo: of what the stop sends'))),
    trail: optional(text(of('algo: stop following by 2%, 300 or 50ticks'))),
    over: optional(text(of('algo: TWAP in slices over 2h'))),
    every: optional(text(of('time between slices (1m)'))),
    passive: optional(toggle(of('slices rest'))),
    show: optional(text(of('algo: iceberg; at most this rests at price'))),
    chase: optional(toggle(of('algo: rest at the best price, follow it'))),
    when: optional(texts(of('algo: wait for any: last>30000, close:15min>28000, trail<-2%, eth_usdt:bid<2000'))),
    for: optional(text(of('algo: give up the entry after 10m'))),
    slippage: optional(text(of('of stops and slices (1%)'))),
    trigger: optional(choice(of('of a stop (book)'), 'book', 'last')),
  } satisfies Readonly<Record<keyof typeof AGENT_ALGO_FLAGS, unknown>>;
}
