import { listing } from '../../cli/answers.js';
import type { Context } from '../../cli/context.js';
import { define, required, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { ChainAddress } from '../../domain/funds.js';
import { Failure, usage } from '../../errors.js';
import { readDepositAddress, readDepositAddresses, readWithdrawalAddress } from '../../exchange/addresses.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import * as origin from '../../exchange/origins.js';
import type { Answer } from '../../terminal/answer.js';
import { qrCode } from '../../terminal/qr.js';
import type { Column } from '../../terminal/table.js';
import { coinName } from '../inputs/names.js';
import { addressBlocks, type CodedAddress, dangersOf, type Purpose, placeOf } from './address-blocks.js';
import { explained } from './explained.js';
import { gateColumn } from './gates.js';

type AddressRow = ReturnType<typeof addressRow>;

export default define({
  summary: 'Where to send a coin to: the address, and the memo, on each chain',
  arguments: { coin: required('the coin', coinName) },
  flags: {
    single: toggle('--single', 'ask for the one address of a coin with one chain'),
    withdraw: toggle('--withdraw', 'the verified address that you withdraw to'),
  },
  examples: ['address usdt', 'address xrp --json', 'address btc --withdraw'],
  output: shape.list(
    shape.record({
      coin: shape.text(''),
      chain: shape.orNull(shape.text('', origin.ADDRESS.chain)),
      address: shape.orNull(shape.text('of a chain with memos: the account', origin.ADDRESS.address)),
      memo: shape.orNull(shape.text('without it the coins are lost', origin.ADDRESS.memo)),
      canDeposit: shape.orNull(shape.yesNo('', origin.ADDRESS.canDeposit)),
      canWithdraw: shape.orNull(shape.yesNo('', origin.ADDRESS.canWithdraw)),
    }),
  ),
  async run(context, { coin, single, withdraw }) {
    if (single && withdraw) throw usage('--single and --withdraw exclude each other.', 'Give one of them.');
    const client = await context.session.signedClient();
    const read = async (): Promise<readonly ChainAddress[]> => {
      if (withdraw) return [await readWithdrawalAddress(client, coin)];
      return single ? [await readSingle(client, coin)] : readDepositAddresses(client, coin);
    };
    const addresses = await explained(context, { coin, permission: 'money' }, read);
    return answer(context, addresses, withdraw ? 'withdrawal' : 'deposit');
  },
});

async function readSingle(client: ExchangeClient, coin: string): Promise<ChainAddress> {
  try {
    return await readDepositAddress(client, coin);
  } catch (error) {
    throw error instanceof Failure ? error.hinting([...error.hints, 'Without --single every chain is listed.']) : error;
  }
}

async function answer({ output }: Context, addresses: readonly ChainAddress[], purpose: Purpose): Promise<Answer> {
  const rows = listing({ rows: addresses.map(addressRow), fields: FIELDS, columns: COLUMNS, empty: 'No address.' });
  if (output.format === 'table' && output.screen.width !== Number.POSITIVE_INFINITY) {
    const coded = await Promise.all(addresses.map((address) => withCode(output, address, purpose)));
    return { ...rows, show: (screen) => addressBlocks(screen, coded, purpose) };
  }
  for (const address of addresses) {
    for (const danger of dangersOf(address, purpose)) output.warn(`${placeOf(address)}: ${danger}`);
  }
  return rows;
}

/** A code for where coins may be sent now. Of an account with a memo it holds the account alone. */
async function withCode({ screen }: Context['output'], address: ChainAddress, purpose: Purpose): Promise<CodedAddress> {
  const isWanted = purpose === 'deposit' && address.address !== null && address.canDeposit !== false;
  return { ...address, code: isWanted ? await qrCode(screen, address.address ?? '') : undefined };
}

function addressRow({ coin, chain, address, memo, canDeposit, canWithdraw }: ChainAddress) {
  return { coin, chain, address, memo, canDeposit, canWithdraw };
}

const FIELDS = ['coin', 'chain', 'address', 'memo', 'canDeposit', 'canWithdraw'] as const;

const COLUMNS: readonly Column<AddressRow>[] = [
  { title: 'coin', value: ({ coin }) => coin },
  { title: 'chain', value: ({ chain }) => chain },
  { title: 'address', value: ({ address }) => address },
  { title: 'memo', value: ({ memo }) => memo },
  gateColumn<AddressRow>('deposits', ({ canDeposit }) => canDeposit, 1),
  gateColumn<AddressRow>('withdrawals', ({ canWithdraw }) => canWithdraw, 1),
];
