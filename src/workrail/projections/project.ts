import { type DomainEvent } from '../model';
import { type Projection } from '../ports';

/** Fold events into a projection's state, from its beginning or from where a state stands. */
export function project<State>(
  projection: Projection<State>,
  events: Iterable<DomainEvent>,
  state: State = projection.initial(),
): State {
  for (const event of events) projection.apply(state, event);
  return state;
}
