/*
 * What commands and trading code know of an exchange: the interface `Exchange`, and the values that go in and come out.
 */

export type { CompletionName, Exchange } from './exchange-client.js';
export { type Halt, haltText, LIFT_HALT, type NewHalt } from './limiter/halt-record.js';
export { mayBeHalted } from './limiter/latch-folder.js';
export type { LimiterState } from './limiter/state.js';
export type { CandlePage, CandleSeries } from './lists/candles.js';
export { type Extent, type Pages, uncounted } from './lists/growing-pages.js';
export type { OrderPage, OrderPages } from './lists/order-pages.js';
export type { LeftOutMarket, Markets } from './market-catalog.js';
export {
  type NotSentReason,
  notSentFailure,
  refusalFailure,
  refusalFailureKind,
  refusalText,
  WRONG_KEYS,
} from './requests/refusals.js';
export type { Credentials } from './requests/request.js';
export type { HttpResponse } from './requests/transport.js';
export type { PlannedWrite } from './requests/write-requests.js';
export type { WriteResponse } from './requests/write-response.js';
export * from './stream/events.js';
export type { Feeds } from './stream/feeds.js';
