/** Validation criteria: what a step's notes must show (locks, sections 18.3 and 19). */
import { type ValidationCriteria } from '../model';
import { compilePattern } from './pattern';

type Rule = Exclude<ValidationCriteria, { readonly and: readonly ValidationCriteria[] }>;

/** The rules of some criteria, in the order they are written. */
export function rulesOf(criteria: ValidationCriteria): Rule[] {
  return 'and' in criteria ? criteria.and.flatMap(rulesOf) : [criteria];
}

/** What an agent is told of a rule, and hears again when its notes break it. */
export function requirementOf(rule: Rule): string {
  const said = rule.message === undefined ? '' : `${rule.message} `;
  switch (rule.type) {
    case 'contains':
      return `${said}(must contain ${JSON.stringify(rule.value)})`.trimStart();
    case 'regex':
      return `${said}(must match the pattern ${rule.pattern}${rule.flags ? ` with flags ${rule.flags}` : ''})`;
    case 'length': {
      const min = rule.min === undefined ? [] : [`at least ${rule.min}`];
      const max = rule.max === undefined ? [] : [`at most ${rule.max}`];
      return `${said}(length: ${[...min, ...max].join(' and ')} characters)`;
    }
  }
}

/** The requirements that some notes do not meet. */
export function unmet(criteria: ValidationCriteria, notes: string): string[] {
  return rulesOf(criteria)
    .filter((rule) => !holds(rule, notes))
    .map(requirementOf);
}

function holds(rule: Rule, notes: string): boolean {
  switch (rule.type) {
    case 'contains':
      return notes.includes(rule.value);
    case 'regex':
      // The compiler has tried the pattern; one that came some other way and does not compile matches nothing.
      return compilePattern(rule.pattern, rule.flags).match(
        (matches) => matches(notes),
        () => false,
      );
    case 'length': {
      // Characters, without the space around them: padding is no evidence.
      const length = Array.from(notes.trim()).length;
      return length >= (rule.min ?? 0) && length <= (rule.max ?? Number.POSITIVE_INFINITY);
    }
  }
}
