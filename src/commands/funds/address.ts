import { listing } from '../../cli/answers.js';
import { required, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import type { ChainAddress } from '../../domain/funds.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { qrCode } from '../../terminal/qr.js';
import type { Screen } from '../../terminal/screen.js';
import type { Column } from '../../terminal/table.js';
import { safe, wrapped } from '../../terminal/text.js';
import { coinName } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { explainRefusal } from './refusal.js';
import { openColumn } from './state-columns.js';

const ADDRESS = shape.object({
  coin: shape.text(''),
  chain: shape.nullable(shape.outsideText('')),
  address: shape.nullable(shape.outsideText('the account on a chain with memos')),
  memo: shape.nullable(shape.outsideText('coins sent without it are lost')),
  canDeposit: shape.nullable(shape.boolean('')),
  canWithdraw: shape.nullable(shape.boolean('')),
});

type AddressRow = shape.Infer<typeof ADDRESS>;

export default define({
  summary: 'Show deposit addresses, or the verified withdrawal address',
  arguments: { coin: required('the coin', coinName) },
  flags: {
    single: toggle('--single', 'read the single address of a coin with one chain (default: every chain)', {
      excludes: ['--withdraw'],
    }),
    withdraw: toggle('--withdraw', 'show the verified address for withdrawals'),
  },
  examples: ['address usdt', 'address xrp --json', 'address btc --withdraw'],
  output: shape.array(ADDRESS),
  async run(context, { coin, single, withdraw }) {
    const client = await context.session.signedExchange();
    const read = async (): Promise<readonly ChainAddress[]> => {
      if (withdraw) return [await client.withdrawalAddress(coin)];
      return single ? [await readSingle(client, coin)] : client.depositAddresses(coin);
    };
    const addresses = await explainRefusal(context, { coin, command: 'address' }, read);
    return answer(context, addresses, withdraw ? 'withdrawal' : 'deposit');
  },
});

async function readSingle(client: Exchange, coin: string): Promise<ChainAddress> {
  try {
    return await client.depositAddress(coin);
  } catch (error) {
    throw error instanceof Failure ? error.hinting([...error.hints, 'Omit --single to list every chain.']) : error;
  }
}

async function answer(
  { output }: Context,
  addresses: readonly ChainAddress[],
  purpose: Purpose,
): Promise<Answer<readonly AddressRow[]>> {
  const rows = listing({ rows: addresses.map(addressRow), row: ADDRESS, columns: COLUMNS, empty: 'No address.' });
  if (output.format === 'table' && output.screen.width !== Number.POSITIVE_INFINITY) {
    const coded = await Promise.all(addresses.map((address) => withCode(output, address, purpose)));
    return { ...rows, show: (screen) => addressBlocks(screen, coded, purpose) };
  }
  for (const address of addresses) {
    for (const warning of warningsOf(address, purpose)) output.warn(`${titleOf(address)}: ${warning}`);
  }
  return rows;
}

/** Only addresses that can receive coins now get a QR code. It does not contain the memo. */
async function withCode({ screen }: Context['output'], address: ChainAddress, purpose: Purpose): Promise<CodedAddress> {
  const isWanted = purpose === 'deposit' && address.address !== null && address.canDeposit !== false;
  return { ...address, code: isWanted ? await qrCode(screen, address.address ?? '') : undefined };
}

function addressRow({ coin, chain, address, memo, canDeposit, canWithdraw }: ChainAddress): AddressRow {
  return { coin, chain, address, memo, canDeposit, canWithdraw };
}

const column = fieldColumns<AddressRow>(ADDRESS);

const COLUMNS: readonly Column<AddressRow>[] = [
  column('coin'),
  column('chain'),
  column('address'),
  column('memo'),
  openColumn<AddressRow>('deposits', ({ canDeposit }) => canDeposit, 1),
  openColumn<AddressRow>('withdrawals', ({ canWithdraw }) => canWithdraw, 1),
];

/** An address with its QR code: undefined if none is wanted, null if it does not fit. */
interface CodedAddress extends ChainAddress {
  readonly code: string | null | undefined;
}

type Purpose = 'deposit' | 'withdrawal';

/** Warnings to read before sending coins to an address. */
function warningsOf(place: ChainAddress, purpose: Purpose): string[] {
  const { chain, address, memo, needsMemo, canDeposit, canWithdraw } = place;
  const warnings: string[] = [];
  if (address === null) warnings.push('No address yet. Create it in the app or on the website first.');
  if (canDeposit === false && purpose === 'deposit') warnings.push('DEPOSITS ARE CLOSED: send nothing here now.');
  if (canWithdraw === false && purpose === 'withdrawal') warnings.push('Withdrawals are closed.');
  if (needsMemo && memo === null) warnings.push('A MEMO IS REQUIRED, but the exchange gave none: send nothing here.');
  if (memo !== null) warnings.push(`THE MEMO ${quotedName(memo)} IS REQUIRED: coins sent without it are lost.`);
  // the interface may join account and memo as `<account>_<remark>`
  if (chain === null && memo === null && address?.includes('_'))
    warnings.push('If its chain uses memos, this is ACCOUNT_MEMO and both are required.');
  return warnings;
}

function titleOf({ coin, chain }: ChainAddress): string {
  return chain === null ? coin : `${coin} on ${quotedName(chain)}`;
}

/** Addresses for a terminal: each alone on its line and never cut, so that it can be copied. */
function addressBlocks(screen: Screen, addresses: readonly CodedAddress[], purpose: Purpose): string {
  return addresses.map((address) => block(screen, address, purpose).join('\n')).join('\n\n');
}

function block(screen: Screen, address: CodedAddress, purpose: Purpose): string[] {
  const { paint, width } = screen;
  const lines = (text: string, style: (line: string) => string) => wrapped(safe(text), width).split('\n').map(style);
  const { code, memo } = address;
  return [
    ...lines(titleOf(address), paint.label),
    ...(address.address === null ? [] : [paint.strong(safe(address.address))]),
    ...(memo === null ? [] : [`memo ${paint.strong(safe(memo))}`]),
    ...warningsOf(address, purpose).flatMap((warning) => lines(warning, paint.bad)),
    ...(code === undefined ? [] : [code ?? paint.faint('The QR code does not fit here.')]),
    ...(code && memo !== null ? lines('The QR code lacks the memo: type it yourself.', paint.faint) : []),
  ];
}
