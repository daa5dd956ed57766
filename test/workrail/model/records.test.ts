import { describe, expect, it } from '@jest/globals';
import * as model from '../../../src/workrail/model';
import { SessionScript } from '../session-script';

const [created] = new SessionScript().events;
const script = new SessionScript()
  .run()
  .node('root', null)
  .step('a', 'root')
  .gap('a', 'g1')
  .artifact('a', 'x');
const eventOf = (kind: model.EventKind): model.DomainEvent => {
  const found = script.events.find((event) => event.kind === kind);
  if (!found) throw new Error(`the script has no ${kind}`);
  return found;
};
const isRead = (event: unknown): boolean => model.readEvent(event).isOk();
/** The event with some of its data replaced. */
const withData = (event: model.DomainEvent, data: object): object => ({
  ...event,
  data: { ...event.data, ...data },
});

describe('a domain event', () => {
  it('[event-kinds-closed-set] has one of the kinds of the locks and no other', () => {
    expect(model.DomainEvent.options.map((option) => option.shape.kind.value).sort()).toEqual(
      [
        ...[
          'session_created',
          'observation_recorded',
          'run_started',
          'node_created',
          'edge_created',
          'advance_recorded',
        ],
        ...['node_output_appended', 'preferences_changed', 'capability_observed', 'gap_recorded'],
        ...['divergence_recorded', 'decision_trace_appended', 'context_set'],
      ].sort(),
    );
    expect(isRead({ ...created, kind: 'run_completed' })).toBe(false);
  });

  it.each(['unknown', 'branch', ''])(
    '[edge-kind-closed-set] is refused with the edge kind "%s"',
    (edgeKind) => {
      expect(isRead(withData(eventOf('edge_created'), { edgeKind }))).toBe(false);
    },
  );

  it.each([
    ...(['idempotent_replay', 'intentional_fork', 'non_tip_advance'] as const).map(
      (kind) => ['acked_step', kind, true] as const,
    ),
    ['checkpoint', 'checkpoint_created', true],
    ['checkpoint', 'intentional_fork', false],
    ['acked_step', 'checkpoint_created', false],
    ['acked_step', 'retry', false],
  ])('[edge-cause-closed-set] has an edge %s with the cause %s: %s', (edgeKind, kind, isFine) => {
    expect(isRead(withData(eventOf('edge_created'), { edgeKind, cause: { kind, eventId: 'evt_1' } }))).toBe(
      isFine,
    );
  });

  it('[output-channel-closed-set] puts out on recap or artifact alone', () => {
    const output = eventOf('node_output_appended');
    expect(model.OUTPUT_CHANNELS).toEqual(['recap', 'artifact']);
    expect(isRead(withData(output, { outputChannel: 'log' }))).toBe(false);
  });

  it.each([
    ...[
      'needs_user_secret_or_token',
      'needs_user_account_access',
      'needs_user_artifact',
      'needs_user_choice',
    ],
    ...['needs_user_approval', 'needs_user_environment_action'],
  ])('[user-only-dependency-closed-set] discloses a gap that %s', (detail) => {
    const reason = { category: 'user_only_dependency', detail };
    expect(isRead(withData(eventOf('gap_recorded'), { reason }))).toBe(true);
  });

  it('[user-only-dependency-closed-set] is refused with a dependency beyond the six', () => {
    const reason = { category: 'user_only_dependency', detail: 'needs_user_payment' };
    expect(model.USER_ONLY_DEPENDENCIES).toHaveLength(6);
    expect(isRead(withData(eventOf('gap_recorded'), { reason }))).toBe(false);
  });

  it('[illegal-states-unrepresentable] is refused when its scope is not the one of its kind', () => {
    const node = eventOf('node_created');
    expect([
      isRead({ ...created, scope: { runId: 'run_1' } }),
      isRead({ ...node, scope: { runId: 'run_1' } }),
      isRead({ ...eventOf('run_started'), scope: node.scope }),
    ]).toEqual([false, false, false]);
  });

  it('[schema-unknown-fields-ignored-conditionally] keeps fields that its version may have grown', () => {
    const grown = { ...created, later: 1, data: { more: true } };
    expect(model.readEvent(grown)._unsafeUnwrap()).toEqual(grown);
  });

  it('[schema-unknown-fields-ignored-conditionally] is refused with an unknown field in a closed reference', () => {
    const evidenceRefs = [{ kind: 'event', eventId: 'evt_1', more: 1 }];
    expect(isRead(withData(eventOf('gap_recorded'), { evidenceRefs }))).toBe(false);
  });

  it('[schema-additive-within-version] is refused without a field that its version requires', () => {
    const fields = ['v', 'eventId', 'eventIndex', 'sessionId', 'kind', 'dedupeKey', 'data'];
    const without = fields.map((field) => ({ ...created, [field]: undefined }));
    expect(without.map(isRead)).toEqual(fields.map(() => false));
  });

  it('[dedupe-key-stable] has a key that neither its event id nor its time goes into', () => {
    const again = new SessionScript()
      .run()
      .node('root', null)
      .step('a', 'root')
      .gap('a', 'g1')
      .artifact('a', 'x');
    expect(again.events.map(({ dedupeKey }) => dedupeKey)).toEqual(
      script.events.map(({ dedupeKey }) => dedupeKey),
    );
    for (const { eventId, dedupeKey } of script.events) expect(dedupeKey).not.toContain(eventId);
  });
});

describe('the versions', () => {
  const snapshot = model.snapshotOf({ kind: 'init' });
  const record = {
    v: 1,
    manifestIndex: 0,
    sessionId: 'sess_1',
    kind: 'segment_closed',
    firstEventIndex: 0,
    lastEventIndex: 1,
    segmentRelPath: 'events/0-1.jsonl',
    sha256: `sha256:${'a'.repeat(64)}`,
    bytes: 10,
  };
  const readers: [string, (value: unknown) => unknown, object, string][] = [
    ['an event', model.readEvent, created ?? {}, 'v'],
    ['a manifest record', model.readManifestRecord, record, 'v'],
    ['a snapshot', model.readSnapshot, snapshot, 'v'],
    ['a compiled workflow', model.readCompiledWorkflow, { schemaVersion: 1 }, 'schemaVersion'],
  ];

  it.each(readers)(
    '[schema-versioned] [schema-unknown-version-fail-fast] %s of another version is not read',
    (_what, read, value, key) => {
      expect(read({ ...value, [key]: 2 })).toMatchObject({ error: { kind: 'unknown_version', found: 2 } });
    },
  );

  it("[schema-unknown-version-fail-fast] a snapshot's payload has a version of its own", () => {
    const later = { ...snapshot, enginePayload: { ...snapshot.enginePayload, v: 2 } };
    expect(model.readSnapshot(later)).toMatchObject({ error: { kind: 'unknown_version', found: 2 } });
  });

  it('[schema-versioned] a bundle names its version', () => {
    expect(model.BundleEnvelope.shape.bundleSchemaVersion.value).toBe(1);
  });

  it.each(['/etc/passwd', '../up', 'events/../../up', 'C:\\x', 'events\\0.jsonl'])(
    '[paths-relative-only] a manifest record with the path %s is refused',
    (segmentRelPath) => {
      expect(model.readManifestRecord(record).isOk()).toBe(true);
      expect(model.readManifestRecord({ ...record, segmentRelPath }).isErr()).toBe(true);
    },
  );

  it.each([
    'sha256:xyz',
    `sha256:${'A'.repeat(64)}`,
    `sha512:${'a'.repeat(64)}`,
    'a'.repeat(64),
    `sha256:${'a'.repeat(63)}`,
  ])('[hash-format-sha256-hex] %s is no digest', (sha256) => {
    expect(model.Digest.safeParse(sha256).success).toBe(false);
  });
});

describe('closed sets', () => {
  it('[autonomy-closed-set] has the autonomies of the locks', () => {
    expect(model.AUTONOMIES).toEqual(['guided', 'full_auto_stop_on_user_deps', 'full_auto_never_stop']);
  });

  it('[risk-policy-closed-set] has the risk policies of the locks', () => {
    expect(model.RISK_POLICIES).toEqual(['conservative', 'balanced', 'aggressive']);
  });

  it('[session-health-closed-set] has the healths of the locks', () => {
    expect(model.SESSION_HEALTHS).toEqual(['healthy', 'corrupt_tail', 'corrupt_head', 'unknown_version']);
  });

  it('[non-assumable-choice-closed-set] has the choices of the locks, and a compiled step no other', () => {
    expect(model.NON_ASSUMABLE_CHOICES).toEqual([
      ...[
        'preference_tradeoff',
        'scope_boundary',
        'irreversible_action',
        'external_side_effect',
        'policy_or_compliance',
      ],
    ]);
    const choice = model.CompiledStep.shape.nonAssumableChoice;
    expect([choice.safeParse('scope_boundary').success, choice.safeParse('taste').success]).toEqual([
      true,
      false,
    ]);
  });

  it('[blocker-codes-closed-set] has the seven codes of the locks', () => {
    expect([...model.BLOCKER_CODES].sort()).toEqual([
      ...[
        'INVALID_REQUIRED_OUTPUT',
        'INVARIANT_VIOLATION',
        'MISSING_REQUIRED_OUTPUT',
        'REQUIRED_CAPABILITY_UNAVAILABLE',
      ],
      ...['REQUIRED_CAPABILITY_UNKNOWN', 'STORAGE_CORRUPTION_DETECTED', 'USER_ONLY_DEPENDENCY'],
    ]);
  });
});
