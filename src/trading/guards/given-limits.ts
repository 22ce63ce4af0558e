/** The limits of an agent. An absent one does not hold. */
export interface GivenLimits {
  readonly markets?: readonly string[] | undefined;
  /** Amounts by quote coin, as settings keep them: `100usdt,0.01btc`. */
  readonly maxOrder?: string | undefined;
  readonly maxDay?: string | undefined;
  readonly maxOpen?: number | undefined;
  /** False: no order may borrow. */
  readonly mayBorrow?: boolean | undefined;
  /** True: nobody is asked before it sends. */
  readonly isUnattended?: boolean | undefined;
}
