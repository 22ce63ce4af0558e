import type { CommandTable, Definition } from '../cli/definition.js';
import type { Program } from '../cli/run.js';
import { groups, synonyms } from './reference/command-words.js';

/** Loads one of several commands that share a file. */
function from<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Definition>>>,
  name: Name,
): CommandTable[string] {
  return async () => ({ default: (await load())[name] });
}

/** Every command by its words, in the sections and the order of help. A command's file is loaded only when it is needed. */
const BY_SECTION: Readonly<Record<string, CommandTable>> = {
  'Market data': {
    markets: () => import('./market/markets.js'),
    ticker: () => import('./market/ticker.js'),
    depth: () => import('./market/depth.js'),
    trades: () => import('./market/trades.js'),
    kline: () => import('./kline/kline.js'),
    stream: () => import('./stream/stream.js'),
    watch: () => import('./watch/watch.js'),
    alert: () => import('./alert/alert.js'),
  },
  Trading: {
    order: () => import('./order/order.js'),
    'order batch': () => import('./order/batch.js'),
    'order show': () => import('./order/show.js'),
    'order replace': () => import('./order/replace.js'),
    orders: () => import('./listings/orders.js'),
    fills: () => import('./listings/fills.js'),
    pnl: () => import('./pnl/pnl.js'),
    cancel: () => import('./cancel/cancel.js'),
    'cancel-after': () => import('./cancel/cancel-after.js'),
    halt: () => import('./halt/halt.js'),
    'algo list': () => import('./algo/list.js'),
    'algo show': () => import('./algo/show.js'),
    'algo cancel': () => import('./algo/cancel.js'),
    'algo pause': from(() => import('./algo/pause.js'), 'pause'),
    'algo resume': from(() => import('./algo/pause.js'), 'resume'),
    'algo run': () => import('./algo/run.js'),
    'algo service': () => import('./algo/service-command.js'),
    resolve: () => import('./writes/resolve.js'),
    api: () => import('./api/api.js'),
  },
  Funds: {
    account: () => import('./account/account.js'),
    balance: () => import('./account/balance.js'),
    bills: () => import('./funds/bills.js'),
    ledger: () => import('./ledger/ledger.js'),
    address: () => import('./funds/address.js'),
    deposits: () => import('./funds/deposits.js'),
    withdrawals: () => import('./funds/withdrawals.js'),
    fees: () => import('./funds/fees.js'),
    withdraw: () => import('./withdraw/withdraw.js'),
  },
  Agents: {
    mcp: async () => ({ default: (await import('./mcp/mcp.js')).mcpCommand(PROGRAM) }),
    'mcp config': () => import('./mcp/config.js'),
    commit: () => import('./commit/commit.js'),
  },
  Setup: {
    'profile list': from(() => import('./profiles/profile.js'), 'list'),
    'profile add': from(() => import('./profiles/profile.js'), 'add'),
    'profile use': from(() => import('./profiles/profile.js'), 'use'),
    'profile show': from(() => import('./profiles/profile.js'), 'show'),
    'profile set': from(() => import('./profiles/profile.js'), 'set'),
    'profile unset': from(() => import('./profiles/profile.js'), 'unset'),
    'profile remove': from(() => import('./profiles/profile.js'), 'remove'),
    'keys set': from(() => import('./profiles/keys.js'), 'set'),
    'keys show': from(() => import('./profiles/keys.js'), 'show'),
    'keys remove': from(() => import('./profiles/keys.js'), 'remove'),
    shell: async () => ({ default: (await import('./shell/shell.js')).shellCommand(PROGRAM) }),
    doctor: () => import('./doctor/doctor.js'),
    completion: from(() => import('./completion/commands.js'), 'print'),
    'completion install': from(() => import('./completion/commands.js'), 'install'),
    'completion uninstall': from(() => import('./completion/commands.js'), 'uninstall'),
    schema: async () => ({ default: (await import('./reference/schema.js')).schemaCommand(commands) }),
  },
  Sandbox: {
    rehearse: async () => ({ default: (await import('./rehearse/rehearse.js')).rehearseCommand(PROGRAM) }),
    'sandbox serve': from(() => import('./sandbox/server.js'), 'serve'),
    'sandbox start': from(() => import('./sandbox/server.js'), 'start'),
    'sandbox stop': from(() => import('./sandbox/server.js'), 'stop'),
    'sandbox status': from(() => import('./sandbox/server.js'), 'status'),
    'sandbox reset': from(() => import('./sandbox/server.js'), 'reset'),
    'sandbox account add': from(() => import('./sandbox/account.js'), 'add'),
    'sandbox account list': from(() => import('./sandbox/account.js'), 'list'),
    'sandbox account show': from(() => import('./sandbox/account.js'), 'show'),
    'sandbox deposit': from(() => import('./sandbox/account.js'), 'deposit'),
    'sandbox transfer': from(() => import('./sandbox/account.js'), 'transfer'),
    'sandbox price': from(() => import('./sandbox/state.js'), 'price'),
    'sandbox replay': () => import('./sandbox/replay.js'),
    'sandbox export': from(() => import('./sandbox/state.js'), 'exportState'),
    'sandbox import': from(() => import('./sandbox/state.js'), 'importState'),
    'sandbox clock stop': from(() => import('./sandbox/clock.js'), 'stop'),
    'sandbox clock start': from(() => import('./sandbox/clock.js'), 'start'),
    'sandbox clock set': from(() => import('./sandbox/clock.js'), 'set'),
    'sandbox clock speed': from(() => import('./sandbox/clock.js'), 'setSpeed'),
    'sandbox clock advance': from(() => import('./sandbox/clock.js'), 'advance'),
    'sandbox fault add': from(() => import('./sandbox/faults.js'), 'add'),
    'sandbox fault list': from(() => import('./sandbox/faults.js'), 'list'),
    'sandbox fault clear': from(() => import('./sandbox/faults.js'), 'clear'),
    'sandbox fault log': from(() => import('./sandbox/faults.js'), 'log'),
  },
};

export const commands: CommandTable = Object.assign({}, ...Object.values(BY_SECTION));

/** The sections of `pit --help` and of docs/commands.md, with the first words of their commands. */
export const SECTIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(BY_SECTION).map(([section, table]) => [
    section,
    [...new Set(Object.keys(table).map((words) => words.replace(/ .*/, '')))],
  ]),
);

/** Everything that a command line may ask for. */
export const PROGRAM: Program = {
  commands,
  groups,
  synonyms,
  sections: SECTIONS,
  createContext: async (base) => (await import('./session/context.js')).createContext(base, commands),
  correct: async (args, host, market) =>
    (await import('./completion/corrections.js')).correct(args, host, commands, market),
};
