import { type DomainEvent } from '../model';

/**
 * A pure reading of a session that grows with it: `apply` is called once for each event, in order. Its state may be
 * changed in place; whoever holds a session keeps the states and feeds them what is new.
 */
export interface Projection<State> {
  readonly name: string;
  initial(): State;
  apply(state: State, event: DomainEvent): void;
}
