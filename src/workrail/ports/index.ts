/** What the WorkRail core needs from outside: interfaces only. */
export type * from './content';
export type * from './keyring';
export type * from './minting';
export type * from './projection';
export type * from './retention';
export type * from './session-importer';
export type * from './session-store';
