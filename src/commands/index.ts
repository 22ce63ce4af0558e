import type { Definition } from './definition.js';

type Load = () => Promise<{ readonly default: Definition }>;

/** Every command by its words, in the order that help shows them. Each is loaded only when it is needed. */
export const commands: Readonly<Record<string, Load>> = {
  markets: () => import('./markets.js'),
  ticker: () => import('./ticker.js'),
  depth: () => import('./depth.js'),
  trades: () => import('./trades.js'),
  kline: () => import('./kline.js'),
  order: () => import('./order/order.js'),
  'order show': () => import('./order/show.js'),
  orders: () => import('./orders.js'),
  cancel: () => import('./cancel.js'),
  account: () => import('./account.js'),
  balance: () => import('./balance.js'),
  'profile list': () => import('./profile/list.js'),
  'profile add': () => import('./profile/add.js'),
  'profile use': () => import('./profile/use.js'),
  'profile show': () => import('./profile/show.js'),
  'profile set': () => import('./profile/set.js'),
  'profile unset': () => import('./profile/unset.js'),
  'profile remove': () => import('./profile/remove.js'),
  'keys set': () => import('./keys/set.js'),
  'keys show': () => import('./keys/show.js'),
  'keys remove': () => import('./keys/remove.js'),
  'sandbox serve': () => import('./sandbox/serve.js'),
  'sandbox start': () => import('./sandbox/start.js'),
  'sandbox stop': () => import('./sandbox/stop.js'),
  'sandbox status': () => import('./sandbox/status.js'),
  'sandbox reset': () => import('./sandbox/reset.js'),
  'sandbox account add': () => import('./sandbox/account/add.js'),
  'sandbox account list': () => import('./sandbox/account/list.js'),
  'sandbox account show': () => import('./sandbox/account/show.js'),
  'sandbox deposit': () => import('./sandbox/deposit.js'),
  'sandbox transfer': () => import('./sandbox/transfer.js'),
  'sandbox clock stop': () => import('./sandbox/clock/stop.js'),
  'sandbox clock start': () => import('./sandbox/clock/start.js'),
  'sandbox clock set': () => import('./sandbox/clock/set.js'),
  'sandbox clock speed': () => import('./sandbox/clock/speed.js'),
  'sandbox clock advance': () => import('./sandbox/clock/advance.js'),
  'sandbox fault add': () => import('./sandbox/fault/add.js'),
  'sandbox fault list': () => import('./sandbox/fault/list.js'),
  'sandbox fault clear': () => import('./sandbox/fault/clear.js'),
  'sandbox fault log': () => import('./sandbox/fault/log.js'),
};

/** What a word that only groups commands is about. */
export const groups: Readonly<Record<string, string>> = {
  profile: 'Exchanges by name: their hosts and settings',
  keys: 'The key pair of a profile',
  sandbox: 'The exchange in a box',
  'sandbox account': 'Accounts of the sandbox and their play keys',
  'sandbox clock': "The sandbox's clock: stop it, set it, run it faster",
  'sandbox fault': 'Faults on demand, and what they really did',
};
