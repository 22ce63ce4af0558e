import { timeFor } from './limiter/permits.js';

/** What an exchange allows. */
export interface ExchangeFacts {
  /** How many orders a page has. */
  readonly ordersPerPage: number;
  /** How many bills a page has. */
  readonly billsPerPage: number;
  /** How many deposits or withdrawals a page has. */
  readonly recordsPerPage: number;
  /** How many milliseconds it takes to send this many requests with a key if nothing else uses its limit. */
  readonly timeFor: (requests: number) => number;
}

/** "Returns 10 records per request." */
export const ORDERS_PER_PAGE = 10;
/** "range 10-50" */
export const BILLS_PER_PAGE = 50;
/** The interface states no range for "items per page"; 50 is the largest it states anywhere. */
export const RECORDS_PER_PAGE = 50;

/** What the interface allows. */
export const FACTS: ExchangeFacts = {
  ordersPerPage: ORDERS_PER_PAGE,
  billsPerPage: BILLS_PER_PAGE,
  recordsPerPage: RECORDS_PER_PAGE,
  timeFor,
};
