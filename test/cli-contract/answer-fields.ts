/** Every field of every answer, transcribed by hand from the interface document. */
export const ANSWER_FIELDS: Readonly<Record<string, string>> = {
  markets: 'priceScale amountScale minAmount minSize',
  allTicker: 'high low buy sell last open riseRate vol',
  ticker: 'ticker high low buy sell last open riseRate vol date',
  depth: 'asks bids timestamp',
  trades: 'date price amount tid trade_type type',
  kline: 'data moneyType symbol',
  getAccountInfo:
    'result coins base username trade_password_enabled auth_google_enabled auth_mobile_enabled assetPerm leverPerm entrustPerm moneyPerm key enName cnName showName unitTag unitDecimal fundstype available freez isCanRecharge isCanWithdraw canLoan',
  getSpotBills: 'code message result id currencyName balance changeAmount total date showDate remark typeDesc',
  getUserAddress: 'code message des isSuc datas key',
  getPayinAddress: 'code message des isSuc datas blockChain canDeposit canWithdraw address isUseMemo account memo',
  getWithdrawAddress: 'code message des isSuc datas key',
  getWithdrawRecord:
    'code message des isSuc datas list pageIndex pageSize totalCount totalPage id amount fees status submitTime manageTime toAddress merchantOrderNo hash',
  getChargeRecord:
    'code message des isSuc datas list pageIndex pageSize total id address amount confirmTimes currency description hash itransfer status submit_time',
  getFeeInfo: 'code message result chainName mainChainName fee canDeposit canWithdraw',
  withdraw: 'code message id',
  order: 'code message id',
  orderMoreV2: 'code message data',
  cancelOrder: 'code message des isSuc datas amount price completeMonty completeAmount',
  cancelAllOrdersAfter: 'code message',
  getOrder: 'id currency price total_amount trade_amount trade_money trade_date status type fees useXxFee',
  getOrders: 'id currency price total_amount trade_amount trade_money trade_date status type fees useXxFee',
};
