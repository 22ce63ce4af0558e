/**
 * Which fields of the interface each field of the output carries, as `OPERATION.FIELD`: `pit schema` prints them, so that a
 * reader of the interface finds every field again.
 */

export const MARKET = {
  market: 'markets.MARKET',
  base: 'markets.MARKET',
  quote: 'markets.MARKET',
  priceScale: 'markets.priceScale',
  amountScale: 'markets.amountScale',
  minAmount: 'markets.minAmount',
  minNotional: 'markets.minSize',
} as const;

export const TICKER = {
  market: 'allTicker.MARKET',
  time: 'ticker.date',
  bid: 'ticker.buy allTicker.buy',
  ask: 'ticker.sell allTicker.sell',
  last: 'ticker.last allTicker.last',
  open: 'ticker.open allTicker.open',
  high: 'ticker.high allTicker.high',
  low: 'ticker.low allTicker.low',
  change: 'ticker.riseRate allTicker.riseRate',
  volume: 'ticker.vol allTicker.vol',
} as const;

export const DEPTH = {
  time: 'depth.timestamp',
  bids: 'depth.bids',
  asks: 'depth.asks',
} as const;

export const TRADE = {
  id: 'trades.tid',
  time: 'trades.date',
  side: 'trades.type trades.trade_type',
  price: 'trades.price',
  amount: 'trades.amount',
} as const;

export const CANDLE = {
  time: 'kline.data[0]',
  open: 'kline.data[1]',
  high: 'kline.data[2]',
  low: 'kline.data[3]',
  close: 'kline.data[4]',
  volume: 'kline.data[5]',
} as const;

export const ACCOUNT = {
  username: 'getAccountInfo.username',
  tradePassword: 'getAccountInfo.trade_password_enabled',
  googleAuth: 'getAccountInfo.auth_google_enabled',
  mobileAuth: 'getAccountInfo.auth_mobile_enabled',
  asset: 'getAccountInfo.assetPerm',
  lever: 'getAccountInfo.leverPerm',
  entrust: 'getAccountInfo.entrustPerm',
  money: 'getAccountInfo.moneyPerm',
} as const;

export const COIN = {
  key: 'getAccountInfo.key',
  enName: 'getAccountInfo.enName',
  cnName: 'getAccountInfo.cnName',
  showName: 'getAccountInfo.showName',
  unitTag: 'getAccountInfo.unitTag',
  unitDecimal: 'getAccountInfo.unitDecimal',
  fundstype: 'getAccountInfo.fundstype',
  coin: 'getAccountInfo.key',
  name: 'getAccountInfo.showName',
  available: 'getAccountInfo.available',
  frozen: 'getAccountInfo.freez',
  canDeposit: 'getAccountInfo.isCanRecharge',
  canWithdraw: 'getAccountInfo.isCanWithdraw',
  canLoan: 'getAccountInfo.canLoan',
} as const;

export const BILL = {
  id: 'getSpotBills.id',
  time: 'getSpotBills.date getSpotBills.showDate',
  coin: 'getSpotBills.currencyName',
  type: 'getSpotBills.typeDesc',
  change: 'getSpotBills.changeAmount',
  balance: 'getSpotBills.balance getSpotBills.total',
  remark: 'getSpotBills.remark',
} as const;

export const ADDRESS = {
  chain: 'getPayinAddress.blockChain',
  address: 'getPayinAddress.address getPayinAddress.account getUserAddress.key getWithdrawAddress.key',
  memo: 'getPayinAddress.memo getPayinAddress.isUseMemo',
  canDeposit: 'getPayinAddress.canDeposit',
  canWithdraw: 'getPayinAddress.canWithdraw',
} as const;

export const DEPOSIT = {
  id: 'getChargeRecord.id',
  time: 'getChargeRecord.submit_time',
  timeRaw: 'getChargeRecord.submit_time',
  coin: 'getChargeRecord.currency',
  amount: 'getChargeRecord.amount',
  address: 'getChargeRecord.address',
  hash: 'getChargeRecord.hash',
  confirmations: 'getChargeRecord.confirmTimes',
  internal: 'getChargeRecord.itransfer',
  description: 'getChargeRecord.description',
  state: 'getChargeRecord.status',
  status: 'getChargeRecord.status',
} as const;

export const WITHDRAWAL = {
  id: 'getWithdrawRecord.id',
  time: 'getWithdrawRecord.submitTime',
  processedTime: 'getWithdrawRecord.manageTime',
  amount: 'getWithdrawRecord.amount',
  fee: 'getWithdrawRecord.fees',
  address: 'getWithdrawRecord.toAddress',
  hash: 'getWithdrawRecord.hash',
  merchantOrderNo: 'getWithdrawRecord.merchantOrderNo',
  state: 'getWithdrawRecord.status',
  status: 'getWithdrawRecord.status',
} as const;

export const CHAIN_FEE = {
  coin: 'getFeeInfo.COIN',
  chain: 'getFeeInfo.chainName',
  mainChain: 'getFeeInfo.mainChainName',
  fee: 'getFeeInfo.fee',
  canDeposit: 'getFeeInfo.canDeposit',
  canWithdraw: 'getFeeInfo.canWithdraw',
} as const;

export const WITHDRAW = {
  id: 'withdraw.id',
} as const;

export const PLACED_ORDER = {
  id: 'order.id',
} as const;

export const PLACED_ORDERS = {
  id: 'orderMoreV2.data',
} as const;

export const CANCELLATION = {
  price: 'cancelOrder.price',
  amount: 'cancelOrder.amount',
  filled: 'cancelOrder.completeAmount',
  filledValue: 'cancelOrder.completeMonty',
  code: 'cancelOrder.code',
  message: 'cancelOrder.des',
} as const;

/** What the exchange said of a write. */
export const WRITE_MESSAGE = 'order.message orderMoreV2.message cancelOrder.message cancelOrder.des withdraw.message';

export const ORDER = {
  id: 'getOrder.id getOrders.id',
  market: 'getOrder.currency getOrders.currency',
  side: 'getOrder.type getOrders.type',
  type: 'getOrder.type getOrders.type',
  price: 'getOrder.price getOrders.price',
  amount: 'getOrder.total_amount getOrders.total_amount',
  filled: 'getOrder.trade_amount getOrders.trade_amount',
  filledValue: 'getOrder.trade_money getOrders.trade_money',
  fee: 'getOrder.fees getOrders.fees',
  feeDiscount: 'getOrder.useXxFee getOrders.useXxFee',
  time: 'getOrder.trade_date getOrders.trade_date',
  state: 'getOrder.status getOrders.status',
  status: 'getOrder.status getOrders.status',
} as const;
