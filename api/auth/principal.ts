/** Who is calling, and what they may do. */
import { type Result } from 'neverthrow';

/**
 * Somebody the service knows. `local` is whoever holds the key of the data directory: they own everything in it and may
 * act for anybody (docs/decisions/0007).
 */
export interface Principal {
  readonly kind: 'local' | 'key' | 'token';
  readonly name: string;
  readonly roles: readonly string[];
}

/** Why a credential was not accepted. `undecided`: what it is checked with is out of reach right now. */
export interface Refusal {
  readonly kind: 'refused' | 'undecided';
  /** In words for the caller. */
  readonly why: string;
  /** For the log only: the part of the credential that is no secret, and what went wrong on our side. */
  readonly id: string | null;
  readonly detail: string | null;
}

/** A credential that is not good. */
export const refusal = (why: string, id: string | null = null): Refusal => ({
  kind: 'refused',
  why,
  id,
  detail: null,
});

/** One way to tell who calls. Null: the credential is of another kind. */
export type CallerSource = (credential: string) => Promise<Result<Principal, Refusal>> | null;

/**
 * What a route asks for. `anyone` needs no key at all; `local` is for whoever owns the data directory. `signed`: the request is
 * signed, which the route checks; who sends it does not matter.
 */
export type Need = 'anyone' | 'viewer' | 'operator' | 'agent' | 'approver' | 'local' | 'signed';

/** Roles that the service itself knows. Every other word is a role in which one decides gates. */
const OWN_ROLES = ['viewer', 'operator', 'agent'];

/** The roles in which somebody may decide gates. */
export const approverRoles = ({ roles }: Principal): string[] =>
  roles.filter((role) => !OWN_ROLES.includes(role));

/** May they do what needs this? Whoever has any role may read. */
export function mayDo(principal: Principal, need: Need): boolean {
  if (principal.kind === 'local') return true;
  switch (need) {
    case 'anyone':
    case 'signed':
      return true;
    case 'viewer':
      return principal.roles.length > 0;
    case 'operator':
    case 'agent':
      return principal.roles.includes(need);
    case 'approver':
      return approverRoles(principal).length > 0;
    case 'local':
      return false;
  }
}
