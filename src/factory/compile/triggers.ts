/** Triggers and lifecycles: what sets a block off, and how often it runs. */
import { type PlannedTrigger } from '../plan';
import { at, type Block, type TemplateProblem } from '../schema';
import { nextTick, parseCron } from '../walk/cron';
import { type CompiledBlock } from './compiled-factory';
import { type Draft } from './draft';
import { parseEvent } from './event-pattern';

const WEBHOOK = /^(\/[A-Za-z0-9_-]+)+$/;
/** Any moment will do: what does not come in the eight years after it never comes. */
const ANY_MOMENT = Date.UTC(2000, 0, 1);
/** Which key of a trigger belongs to which type. */
const KEYS = ['cron', 'event', 'webhook'] as const;

type Path = readonly PropertyKey[];

/** The trigger of a checked block as the walk sees it; undefined: its dependencies are all it waits for. */
export function triggerOf({
  type,
  cron,
  event,
  webhook,
}: CompiledBlock['trigger']): PlannedTrigger | undefined {
  switch (type) {
    case 'dependency':
      return undefined;
    case 'manual':
      return { type };
    case 'webhook':
      return { type, path: webhook ?? '' };
    case 'cron':
      return { type, cron: cron ?? '' };
    case 'event':
      return { type, ...parseEvent(event ?? '').unwrapOr({ name: '', filters: {} }) };
  }
}

export function checkTriggers({ template }: Draft): TemplateProblem[] {
  const hooks = new Map<string, string>();
  return template.blocks.flatMap((block, index) => {
    const path = ['blocks', index];
    const { type, webhook } = block.trigger;
    const problems = [...checkTrigger(block, [...path, 'trigger']), ...checkLifecycle(block, path)];
    if (type === 'webhook' && typeof webhook === 'string') {
      const owner = hooks.get(webhook);
      if (owner !== undefined) {
        const message = `The webhook "${webhook}" is already that of block "${owner}".`;
        problems.push(at([...path, 'trigger', 'webhook'], message, 'Give each block a webhook of its own.'));
      }
      hooks.set(webhook, owner ?? block.id);
    }
    return problems;
  });
}

function checkTrigger({ trigger }: Block, path: Path): TemplateProblem[] {
  const { type } = trigger;
  const idle = KEYS.filter((key) => key !== type && typeof trigger[key] === 'string').map((key) =>
    at(
      [...path, key],
      `"${key}" has no effect: the trigger's type is "${type}".`,
      `Remove it, or use "type": "${key}".`,
    ),
  );
  if (type === 'dependency' || type === 'manual') return idle;
  const value = trigger[type];
  if (typeof value !== 'string') {
    return [
      ...idle,
      at(path, `The trigger "${type}" needs its "${type}".`, `Add "${type}": ${EXAMPLES[type]}.`),
    ];
  }
  const why = FAULTS[type](value);
  if (why === null) return idle;
  return [
    ...idle,
    at([...path, type], `The ${type} of a trigger: ${why}.`, `Use for example ${EXAMPLES[type]}.`),
  ];
}

const EXAMPLES = {
  cron: '"0 3 * * *" (every day at 3:00 UTC)',
  event: '"expert.updated(status=final)"',
  webhook: '"/expert-updated"',
} as const;

/** What is wrong with the value of a trigger; null: nothing. */
const FAULTS: Readonly<Record<'cron' | 'event' | 'webhook', (value: string) => string | null>> = {
  cron: (value) =>
    parseCron(value).match(
      (cron) => (nextTick(cron, ANY_MOMENT) === null ? `"${value}" never comes` : null),
      (why) => why,
    ),
  event: (value) =>
    parseEvent(value).match(
      () => null,
      (why) => why,
    ),
  webhook: (value) =>
    WEBHOOK.test(value) ? null : `"${value}" is not a path of letters, digits, "_" and "-"`,
};

function checkLifecycle({ id, trigger, lifecycle, lens, outputs }: Block, path: Path): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  if (lifecycle.mode === 'on-demand' && trigger.type === 'dependency') {
    const message = `Block "${id}" runs on demand, but nothing can ask for it: its trigger is "dependency".`;
    const fix = 'Use the trigger "manual", "webhook", "event" or "cron", or the lifecycle "one-shot".';
    problems.push(at([...path, 'trigger', 'type'], message, fix));
  }
  if (lens?.feedback_loop === true && (outputs.artifacts ?? []).length === 0) {
    const message = `Block "${id}" has no artifacts that a later run could be given.`;
    problems.push(at([...path, 'lens', 'feedback_loop'], message, 'Declare an artifact, or use false.'));
  }
  return problems;
}
