/** Examples of signing by a client of other hands, each checked again with OpenSSL. `reqTime` is sent and not signed. */
export const REQ_TIME = '1540295995557';

/** Secret keys and their SHA-1 digests. */
export const SECRETS = [
  { secret: '48939bbc-8d49-402b-b731-adadf2ea9628', sha1: '6186ec9223b8f8e3fe28b5f5c831427ed99950a6' },
  { secret: 'sk-0002', sha1: '1538299203da9904c12a73dad4d48093d7fb9296' },
] as const;

interface Example {
  readonly name: string;
  readonly secret: string;
  /** Raw, in order. */
  readonly signed: string;
  readonly signature: string;
  /** The parameters of the URL; null if no operation has such parameters. */
  readonly query: string | null;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'getAccountInfo',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed: 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&method=getAccountInfo',
    signature: 'fa5d8d4e37caa86551b9ac740df2b14c',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&method=getAccountInfo&sign=fa5d8d4e37caa86551b9ac740df2b14c&reqTime=1540295995557',
  },
  {
    name: 'order limit buy',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=0.0123&currency=btc_usdt&method=order&price=31000.5&tradeType=1',
    signature: '1a4cf619958f1be464dd20018b7e2ec1',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=0.0123&currency=btc_usdt&method=order&price=31000.5&tradeType=1&sign=1a4cf619958f1be464dd20018b7e2ec1&reqTime=1540295995557',
  },
  {
    name: 'order PostOnly',
    secret: 'sk-0002',
    signed: 'accesskey=ak-0001&amount=0.01&currency=btc_usdt&method=order&orderType=1&price=30000&tradeType=1',
    signature: 'bdddf73a0c422f4bfad6d8046b61407f',
    query:
      'accesskey=ak-0001&amount=0.01&currency=btc_usdt&method=order&orderType=1&price=30000&tradeType=1&sign=bdddf73a0c422f4bfad6d8046b61407f&reqTime=1540295995557',
  },
  {
    name: 'order with all optional parameters',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&acctType=2&amount=0.0123&currency=btc_usdt&customerOrderId=abc123XYZ&enableExpress=true&enableRepay=false&method=order&orderType=2&price=31000.50&tradeType=1',
    signature: '34941d459a3bec2f42c7734a35ac1696',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&acctType=2&amount=0.0123&currency=btc_usdt&customerOrderId=abc123XYZ&enableExpress=true&enableRepay=false&method=order&orderType=2&price=31000.50&tradeType=1&sign=34941d459a3bec2f42c7734a35ac1696&reqTime=1540295995557',
  },
  {
    name: 'orderMoreV2 buy',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&market=btc_usdt&method=orderMoreV2&tradeParams=[[31000.5,0.01],[30999,0.02]]&tradeType=1',
    signature: '35d6190e504c216df48b0572f5f66130',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&market=btc_usdt&method=orderMoreV2&tradeParams=%5B%5B31000.5%2C0.01%5D%2C%5B30999%2C0.02%5D%5D&tradeType=1&sign=35d6190e504c216df48b0572f5f66130&reqTime=1540295995557',
  },
  {
    name: 'cancelOrder by id',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed: 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=btc_usdt&id=202202224851151555&method=cancelOrder',
    signature: '2d5a1d49b0fded4000f038eb7abdc28d',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=btc_usdt&id=202202224851151555&method=cancelOrder&sign=2d5a1d49b0fded4000f038eb7abdc28d&reqTime=1540295995557',
  },
  {
    name: 'getOrders',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed: 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=btc_usdt&method=getOrders&pageIndex=1&tradeType=1',
    signature: '21cdda7c5beee13f76f801fad1c25657',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=btc_usdt&method=getOrders&pageIndex=1&tradeType=1&sign=21cdda7c5beee13f76f801fad1c25657&reqTime=1540295995557',
  },
  {
    name: 'getSpotBills with dates (space, colon)',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=usdt&dataType=0&endDate=2022-03-29 10:00:00&method=getSpotBills&pageIndex=1&pageSize=10&startDate=2022-03-28 10:00:00',
    signature: '9c652cfa26f8691d17349c7cf7c8887d',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&currency=usdt&dataType=0&endDate=2022-03-29%2010%3A00%3A00&method=getSpotBills&pageIndex=1&pageSize=10&startDate=2022-03-28%2010%3A00%3A00&sign=9c652cfa26f8691d17349c7cf7c8887d&reqTime=1540295995557',
  },
  {
    name: 'withdraw',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=10.5&currency=usdt&fees=1&itransfer=0&method=withdraw&receiveAddr=14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp&safePwd=fund-pass-1',
    signature: 'fd6739d21a981539d1a868b69b0cd059',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=10.5&currency=usdt&fees=1&itransfer=0&method=withdraw&receiveAddr=14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp&safePwd=fund-pass-1&sign=fd6739d21a981539d1a868b69b0cd059&reqTime=1540295995557',
  },
  {
    name: 'withdraw, account plus memo',
    secret: '48939bbc-8d49-402b-b731-adadf2ea9628',
    signed:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=3&currency=eos&fees=0.1&method=withdraw&receiveAddr=eosaccount12_1000234&safePwd=fund-pass-1',
    signature: 'b5582b8bde212cfc2ecf6fb966945c11',
    query:
      'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=3&currency=eos&fees=0.1&method=withdraw&receiveAddr=eosaccount12_1000234&safePwd=fund-pass-1&sign=b5582b8bde212cfc2ecf6fb966945c11&reqTime=1540295995557',
  },
  {
    name: 'ASCII order: upper case sorts before lower case, underscore between',
    secret: 'sk-0002',
    signed: 'B=2&Z=5&_c=3&a=4&a1=6&aB=7&ab=8&accesskey=ak-0001&b=1&method=order',
    signature: '9170536f8ee48ef53bd5323d4711a4f7',
    query: null,
  },
  {
    name: 'empty value stays as name=',
    secret: 'sk-0002',
    signed: 'accesskey=ak-0001&amount=1&currency=btc_usdt&customerOrderId=&method=order&price=2&tradeType=1',
    signature: '3774a8e2df67a17ce55af8395758eb73',
    query:
      'accesskey=ak-0001&amount=1&currency=btc_usdt&customerOrderId=&method=order&price=2&tradeType=1&sign=3774a8e2df67a17ce55af8395758eb73&reqTime=1540295995557',
  },
];
