/** Who may call the service, and what they may do. */
export { ACCESS, type Access } from './access';
export { type AccessLine } from './access-line';
export { callersOf } from './callers';
export { guard, type GuardOptions, type Limits } from './guard';
export { type CallerSource, type Principal } from './principal';
export { SECURITY_HEADERS } from './security-headers';
export { storedKeys } from './stored-keys';
export { tokenRules } from './token-settings';
export { tokens, type TokenRules } from './tokens';
