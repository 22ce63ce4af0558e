import type { Account, OrderRequest } from '../../exchange.js';
import { Refusal } from '../../refusals.js';

interface ApiRequest {
  readonly acctType?: string | undefined;
  readonly enableExpress?: string | undefined;
  readonly enableRepay?: string | undefined;
}

/**
 * What an order says of the wallet it trades with: nothing for spot. Throws {@link Refusal} 3005 for a loan on spot and
 * 1012 for margin without the permission; both are chosen, see LEVERAGE in the choices.
 */
export function walletOf(
  { permissions }: Account,
  { acctType = '0', enableExpress, enableRepay }: ApiRequest,
): Pick<OrderRequest, 'account' | 'borrow' | 'repay'> {
  const [borrow, repay] = [enableExpress === 'true', enableRepay === 'true'];
  if (acctType === '0') {
    if (borrow || repay) throw new Refusal('badParameter', 'enableExpress and enableRepay need acctType 1 or 2');
    return {};
  }
  if (!permissions.lever) throw new Refusal('noPermission', 'margin');
  return { account: acctType === '1' ? 'isolated' : 'cross', borrow, repay };
}
