import * as shape from '../../cli/shapes.js';
import { DEPTH } from '../depth.js';
import { commandWords, type Tool } from './tool.js';

/** The tools that change nothing. Each is a command of pit. */
export const READ_TOOLS: readonly Tool[] = [
  {
    name: 'order_book',
    title: 'Order book',
    description: 'Use it to see at which prices and amounts a market can be bought and sold right now.',
    parameters: {
      market: { type: 'text', description: 'the market, such as btc_usdt', isRequired: true },
      size: { type: 'integer', description: 'levels per side, 1 to 50 (default: 10)' },
      merge: { type: 'text', description: 'group prices by this step; then at most 5 levels per side' },
    },
    output: shape.object(DEPTH),
    effect: 'read',
    answer: ({ given: { market, ...flags }, run }) => run(commandWords('depth', flags, [market as string])),
  },
];
