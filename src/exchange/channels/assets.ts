import * as v from 'valibot';
import type { Coin } from '../../domain/account.js';
import { optionalText } from '../operations/fields.js';
import { coinEntry, toCoin } from '../operations/funds.js';
import { type ChannelDescription, describeChannel, observedBy, type Reading, type Snapshot } from './channel.js';
import { isSameNumber, RowState } from './newest.js';

const assets = v.object({ coins: v.array(coinEntry), version: optionalText });

const ofAssets = {
  parts: [],
  encode: (_: object) => ({}),
  decode: ({ coins }: v.InferOutput<typeof assets>): readonly Coin[] => coins.map(toCoin),
  timeOf: () => null,
  isWhole: false,
  isHistory: false,
  isOrdered: false,
  newest: () =>
    new RowState<Coin>({
      key: ({ coin }) => coin,
      isOld: () => false,
      isMissing: ({ available, frozen }, known) =>
        !(isSameNumber(known?.available ?? '0', available) && isSameNumber(known?.frozen ?? '0', frozen)),
      remains: () => false,
      most: 0,
    }),
  pollMs: 5_000,
};

/** Changed coins only. */
const push_user_incr_asset = describeChannel(
  {
    template: 'push_user_incr_asset',
    signed: true,
    parameters: {},
    frame: assets,
    sources: { name: 'document', parameters: observedBy(2), frame: observedBy(2) },
  },
  { ...ofAssets, word: 'balances', snapshot: readBalances },
);

async function readBalances(_: object, { client }: Reading<readonly Coin[]>): Promise<Snapshot<readonly Coin[]>> {
  return { data: (await client.account()).coins, scope: 'snapshot', unrecoverable: null };
}

/** All coins. */
const push_user_asset = {
  template: 'push_user_asset',
  signed: true,
  parameters: {},
  frame: assets,
  sources: { name: observedBy(4), parameters: observedBy(4), frame: observedBy(4) },
} as const satisfies ChannelDescription;

/** Coins of the cross margin account. Only its name is known: here it has the form of the spot account's channel. */
const push_user_cross_asset = describeChannel(
  {
    template: 'push_user_cross_asset',
    signed: true,
    parameters: {},
    frame: assets,
    sources: { name: 'document', parameters: 'choice', frame: 'choice' },
  },
  { ...ofAssets, word: 'cross-balances', snapshot: null },
);

export const ASSET_CHANNELS = { push_user_incr_asset, push_user_asset, push_user_cross_asset } as const;
