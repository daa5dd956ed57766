/** Settings in the environment. */
import { resolve } from 'node:path';
import { nearest } from '../factory/schema';
import { OTHER_VARIABLES, SETTINGS, type Setting } from './setting-list';

/** What a variable says, in the form the file would say it; what is no number stays text, and is refused as such. */
export function fromVariable({ kind, path, separator = ',' }: Setting, text: string): unknown {
  const value = text.trim();
  switch (kind) {
    case 'number':
      return Number.isNaN(Number(value)) ? value : Number(value);
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[value.toLowerCase()] ?? value;
    case 'list': {
      const parts = value.split(separator).map((one) => one.trim());
      return parts.filter((one) => one !== '').map((one) => (path ? resolve(one) : one));
    }
    case 'text':
      return path ? resolve(value) : value;
  }
}

const PREFIX = 'RAILYARD_';

/** Variables that nobody reads and that look like one that is read: most likely slips of the pen. */
export function slips(env: NodeJS.ProcessEnv): string[] {
  const known = [...SETTINGS.map(({ env: name }) => name), ...Object.keys(OTHER_VARIABLES)];
  const words = known.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || known.includes(name)) return [];
    const near = nearest(name.slice(PREFIX.length), words);
    return near === null ? [] : [`${name} is not a setting; is ${PREFIX}${near} meant?`];
  });
}
