/*
 * What commands and trading code know of an exchange: the interface `Exchange`, and the values that go in and come out.
 */
export type { CandlePage, CandleSeries } from './candles.js';
export type { CompletionName, Exchange } from './exchange-client.js';
export { type Extent, type Pages, uncounted } from './growing-pages.js';
export { type Halt, haltText, LIFT_HALT, type NewHalt } from './limiter/halt-record.js';
export type { LimiterState } from './limiter/state.js';
export type { LeftOutMarket, Markets } from './market-catalog.js';
export type { OrderPage, OrderPages } from './order-pages.js';
export {
  type NotSentReason,
  notSentFailure,
  refusalFailure,
  rejectionKind,
  WRONG_KEYS,
} from './refusals.js';
export type { Credentials } from './request.js';
export * from './stream/events.js';
export type { Feeds } from './stream/feeds.js';
export type { HttpResponse } from './transport.js';
export type { PlannedWrite } from './write-requests.js';
export type { WriteResponse } from './write-response.js';
