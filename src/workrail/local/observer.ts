/** An append that ended. */
export interface AppendEnd {
  /** `written`: something is new; `known`: all of it was there already; `refused`: nothing was written, for whatever reason. */
  readonly outcome: 'written' | 'known' | 'refused';
  readonly seconds: number;
}

/** The end of waiting for a session's lock. */
export interface LockAnswer {
  /** `busy`: another process kept it until patience ended. */
  readonly outcome: 'held' | 'busy';
  readonly seconds: number;
}

/** Hears what a store does, for those who count. It must not throw, and cannot change anything. */
export interface StoreObserver {
  appendEnded(end: AppendEnd): void;
  lockAnswered(answer: LockAnswer): void;
}
