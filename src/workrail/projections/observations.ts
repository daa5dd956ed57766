/** The latest observation of each key (locks, section 1). */
import { type EventIndex, type ObservationKey, type ObservationRecorded } from '../model';
import { type Projection } from '../ports';

export interface Observations {
  readonly byKey: Map<ObservationKey, ObservationRecorded & { readonly observedAt: EventIndex }>;
}

export const observations: Projection<Observations> = {
  name: 'observations',
  initial: () => ({ byKey: new Map() }),
  apply: ({ byKey }, event) => {
    if (event.kind === 'observation_recorded')
      byKey.set(event.data.key, { ...event.data, observedAt: event.eventIndex });
  },
};

/** The text of the latest observation of a key. */
export const observedValue = ({ byKey }: Observations, key: ObservationKey): string | null =>
  byKey.get(key)?.value.value ?? null;
