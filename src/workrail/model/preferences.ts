/** How much happens without asking, and how much risk a default may take (locks, section 4). */
import { z } from 'zod';
import { AUTONOMIES, PREFERENCE_SOURCES, RISK_POLICIES } from './closed-sets';
import { ChangeId } from './ids';

export const Preferences = z.object({ autonomy: z.enum(AUTONOMIES), riskPolicy: z.enum(RISK_POLICIES) });
export type Preferences = z.infer<typeof Preferences>;

/** Where nothing else is said. */
export const DEFAULT_PREFERENCES: Preferences = { autonomy: 'guided', riskPolicy: 'conservative' };

export const PreferenceChange = z.discriminatedUnion('key', [
  z.object({ key: z.literal('autonomy'), value: z.enum(AUTONOMIES) }),
  z.object({ key: z.literal('riskPolicy'), value: z.enum(RISK_POLICIES) }),
]);
export type PreferenceChange = z.infer<typeof PreferenceChange>;

export const PreferencesChanged = z
  .object({
    changeId: ChangeId,
    source: z.enum(PREFERENCE_SOURCES),
    delta: z.array(PreferenceChange).min(1),
    effective: Preferences,
  })
  .superRefine(({ delta, effective }, issues) => {
    if (new Set(delta.map(({ key }) => key)).size < delta.length) {
      issues.addIssue({ code: 'custom', path: ['delta'], message: 'must not name a key twice' });
    }
    if (delta.some(({ key, value }) => effective[key] !== value)) {
      issues.addIssue({ code: 'custom', path: ['effective'], message: 'must hold what the delta says' });
    }
  });
export type PreferencesChanged = z.infer<typeof PreferencesChanged>;

/** The preferences after a change. */
export function applyPreferences(before: Preferences, delta: readonly PreferenceChange[]): Preferences {
  return delta.reduce<Preferences>((now, { key, value }) => ({ ...now, [key]: value }), before);
}
