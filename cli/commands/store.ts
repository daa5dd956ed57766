/** The commands on the WorkRail store. */
import { type Command } from 'commander';
import { addAudit } from './audit';
import { addBundles } from './bundle';
import { addGc } from './gc';
import { addKeyring } from './keyring';
import { addSessions } from './sessions';
import { addVerify } from './verify';

export function addStore(program: Command): void {
  addSessions(program);
  addVerify(program);
  addAudit(program);
  addBundles(program);
  addGc(program);
  addKeyring(program);
}
